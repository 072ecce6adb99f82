"""Render a document as HTML, Markdown, PDF and DOCX, with its figures."""
