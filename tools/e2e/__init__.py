"""memstone in the hands of real clients, opt-in: `make e2e` and `make conformance`."""
