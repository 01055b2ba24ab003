"""The stand-in GitHub for the tests of what reads GitHub."""

from tests.standin.fixtures import answers, client, git_dir, github_schema, standin

__all__ = ["answers", "client", "git_dir", "github_schema", "standin"]
