"""How the tables of the paper were made again: settings, runs, records, verdicts, pages."""
