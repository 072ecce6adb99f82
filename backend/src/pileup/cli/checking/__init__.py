"""Comparisons of `pileup verify`, part by part."""
