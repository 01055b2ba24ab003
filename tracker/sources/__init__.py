"""What reads upstream: git repositories and the GitHub API. Only `jobs` may import it."""
