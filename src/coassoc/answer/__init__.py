"""One answer from measurements: diverse clusterings in several views, and the choice among them."""
