"""Scores, tables, scorecard, audits, pages."""
