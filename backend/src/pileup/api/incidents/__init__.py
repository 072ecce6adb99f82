"""Routes for incidents: list, overview, activity, bundles, search, webhooks."""
