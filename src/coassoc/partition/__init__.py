"""Computation of labels from similarities, embeddings and graphs."""
