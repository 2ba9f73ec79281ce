"""From similarities, embeddings and graphs to labels."""
