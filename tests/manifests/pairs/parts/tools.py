"""Tools of the pairs."""


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b
