"""Replace secrets with tokens in texts and in whole documents."""
