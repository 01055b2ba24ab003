"""A GitHub in miniature on the loopback interface: what `tracker demo` crawls where there is no network."""

from jobs.demo_upstream.github import DemoGitHub

__all__ = ["DemoGitHub"]
