"""From runs to scores, and from scores to the numbers of tables and figures."""
