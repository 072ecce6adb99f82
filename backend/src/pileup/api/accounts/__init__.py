"""Routes for people: sign-in, tokens, presence, the status of the installation."""
