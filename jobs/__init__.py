"""The wiring: one job a file, the scheduler that runs them, and the command line."""
