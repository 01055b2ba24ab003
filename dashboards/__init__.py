"""Reading: server-rendered pages, their JSON and CSV twins, metrics and health over a read-only database."""
