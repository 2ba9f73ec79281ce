"""Own methods beside the kept scores of all others, and audits of what a method does."""

import logging

# What becomes of a fit is told by its status; a traceback is for those who set up logging.
logging.getLogger("coassoc").addHandler(logging.NullHandler())
