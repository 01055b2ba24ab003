"""A stand-in GitHub over loopback HTTP: git repositories, GitHub's own GraphQL schema, its faults on demand."""
