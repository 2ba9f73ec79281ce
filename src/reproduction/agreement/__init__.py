"""Agreement of the reproduced with the published numbers, by measures with a chance baseline."""
