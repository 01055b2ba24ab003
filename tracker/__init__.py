"""The domain: from upstream facts to sites, ledger entries, verdicts, series and alerts.

Everything here is pure (no I/O, no clock, no environment) except `tracker.sources`, which reads git repositories and
the GitHub API. The order of the layers is checked by import-linter; see docs/architecture.md.
"""
