"""A tool for the manifests beside it."""


def size(text: str) -> int:
    """Count the characters of a text."""
    return len(text)


class Person:
    """Stands for a class; plain checks import nothing."""
