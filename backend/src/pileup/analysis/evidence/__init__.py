"""Evidence of an incident on one clock, its series, and small functions that read them."""
