"""The detection matrix: collectors, their flags and versions, and what people wrap around them."""
