"""Tools: from what a manifest declares to what the SDK offers a model, one file a kind."""
