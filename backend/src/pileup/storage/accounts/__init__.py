"""Users, sessions, tokens, sign-in links."""
