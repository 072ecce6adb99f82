"""Code that the stack formats share: function names, samples, fast readers."""
