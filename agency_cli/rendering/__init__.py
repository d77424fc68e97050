"""What people and programs see: events, problems, summaries as text or JSON."""
