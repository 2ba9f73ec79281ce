"""Pages and pictures of the program."""
