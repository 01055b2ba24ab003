"""The addresses that GitHub makes for an account's commits, so that they can be told by their digests."""

DOMAIN = "users.noreply.github.com"


def noreply_addresses(github_id: int | None, login: str) -> tuple[str, ...]:
    """Return the addresses, newest form first; those before July 2017 lack the number."""
    plain = f"{login.lower()}@{DOMAIN}"
    return (f"{github_id}+{plain}", plain) if github_id is not None else (plain,)
