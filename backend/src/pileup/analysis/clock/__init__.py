"""Place every artifact on UTC: zones, offsets, years, jumps."""
