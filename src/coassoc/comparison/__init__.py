"""Own methods beside the kept scores of all others, and audits of what a method does."""
