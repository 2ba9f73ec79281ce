"""The study: what reproduces the papers, from the configuration to the article."""
