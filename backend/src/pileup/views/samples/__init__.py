"""Finished samples: the file that describes a team's work, and its recording as a case."""
