"""An incident as a whole: loaded from a folder, moved as a bundle, deleted and restored."""
