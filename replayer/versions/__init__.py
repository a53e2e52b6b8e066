"""One recording, many versions of Codex: what each makes of it."""
