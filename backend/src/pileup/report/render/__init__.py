"""Document to HTML, Markdown, PDF and DOCX, with its figures."""
