"""Tables of labels and features, in files and objects."""
