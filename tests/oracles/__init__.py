"""What other projects' linters flag as tied to one vendor, restated from descriptions: oracles for our sites."""
