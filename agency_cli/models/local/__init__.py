"""The embedded model `local`: a small model in this process, for a machine with no key."""
