"""The second study: methods on many data sets, which no paper has."""
