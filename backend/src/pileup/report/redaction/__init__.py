"""Replace secrets by tokens in texts and in whole documents."""
