"""What the papers claim, and whether it holds."""
