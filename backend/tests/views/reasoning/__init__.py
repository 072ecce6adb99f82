"""Views of reasoning."""
