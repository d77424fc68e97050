"""Tools of the dev shop."""

HOURS = {"small": 2, "medium": 6, "large": 16}


def estimate_effort(small: int, medium: int, large: int) -> str:
    """Estimate the work for a plan from the number of its parts.

    Args:
        small: Parts of up to half a day, such as one endpoint.
        medium: Parts of about a day, such as a data model with its storage.
        large: Parts of several days, such as sign-in with roles.
    """
    counts = {"small": small, "medium": medium, "large": large}
    if any(count < 0 for count in counts.values()):
        raise ValueError("a number of parts cannot be negative")
    hours = sum(HOURS[size] * count for size, count in counts.items())
    return f"{hours} hours ({hours / 8:.1f} days) for {sum(counts.values())} parts"
