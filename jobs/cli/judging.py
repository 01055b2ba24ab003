"""tracker classify, scan and audit: judge commits, list the sites of a tree, prove the ledger."""
