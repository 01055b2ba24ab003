"""State: the tables, and one module of functions over a `Session` for each noun.

Facts and ledger entries are appended; derived tables (weekly cells, alerts) can be dropped and rebuilt. Functions named
`read_` change nothing; `append_` and `replace_` write into the caller's transaction and never commit.
"""
