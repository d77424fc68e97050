"""Models: which one an agent uses, how it is reached, and what each of its calls tells."""
