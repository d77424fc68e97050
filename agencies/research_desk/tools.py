"""Tools of the research desk."""


def weighted_score(option: str, scores: list[float], weights: list[float]) -> str:
    """Score one option by several criteria.

    Args:
        option: What is scored.
        scores: A score from 0 to 10 for each criterion.
        weights: How much each criterion counts, in the same order.
    """
    if len(scores) != len(weights):
        raise ValueError(f"{len(scores)} scores but {len(weights)} weights")
    if sum(weights) <= 0 or any(weight < 0 for weight in weights):
        raise ValueError("weights must not be negative, and their sum must be above 0")
    score = sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
    return f"{option}: {score:.1f} of 10"
