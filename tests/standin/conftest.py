"""Fixtures for the stand-in's own tests."""

from tests.standin.fixtures import git_dir, standin

__all__ = ["git_dir", "standin"]
