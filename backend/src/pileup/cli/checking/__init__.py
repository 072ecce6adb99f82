"""What `pileup verify` compares, part by part."""
