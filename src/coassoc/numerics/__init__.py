"""Numerical methods that know nothing of clusterings."""
