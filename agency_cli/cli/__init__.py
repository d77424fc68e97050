"""The command line: one command a file, and the one place where errors become exit codes."""
