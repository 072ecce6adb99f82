"""Files on disk: blobs, frames, placed evidence, raw lines."""
