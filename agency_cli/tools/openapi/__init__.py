"""The operations of an HTTP service that an OpenAPI document describes, as tools."""
