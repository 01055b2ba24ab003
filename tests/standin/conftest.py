"""Fixtures for the stand-in's own tests."""

from tests.standin.fixtures import git_dir, github_schema, rest_description, standin

__all__ = ["git_dir", "github_schema", "rest_description", "standin"]
