"""Reading on in lists of pull requests that hold more than GitHub gives at once: many lists in one question.

What cannot be read together is asked for by halves, down to one list; what GitHub does not give alone either is
returned as unserved, with the reason, while GitHub is otherwise alive.
"""

from collections.abc import Sequence

from tracker.errors import PayloadError
from tracker.sources.github_answers import parse_more_items
from tracker.sources.github_client import GitHubClient, QueryTooHeavy, ServerFailure
from tracker.sources.github_pulls import Unserved, check_alive
from tracker.sources.github_queries import more_items
from tracker.upstream import ListPart, Remainder


def read_more(client: GitHubClient, slug: str, remainders: Sequence[Remainder]) -> list[ListPart | Unserved]:
    """Return the next stretch of each list, in the order given; at most `REMAINDERS_AT_ONCE` of them.

    Raises:
        AuthenticationFailed, RateLimited, UpstreamUnavailable: GitHub gives nothing at all.
    """
    if not remainders:
        return []
    parts, reason = _asked(client, slug, remainders)
    if len(remainders) == 1:
        return [parts[0] or Unserved(key=str(remainders[0].number), reason=reason)]
    if not any(parts):
        half = len(remainders) // 2
        return [*read_more(client, slug, remainders[:half]), *read_more(client, slug, remainders[half:])]
    return [part or read_more(client, slug, [remainder])[0] for part, remainder in zip(parts, remainders, strict=True)]


def _asked(client: GitHubClient, slug: str, remainders: Sequence[Remainder]) -> tuple[Sequence[ListPart | None], str]:
    """Return what comes of one question, None for what does not, and why."""
    wanted = [remainder.items for remainder in remainders]
    variables = {f"id{index}": remainder.node_id for index, remainder in enumerate(remainders)}
    variables |= {f"after{index}": remainder.after for index, remainder in enumerate(remainders)}
    try:
        answer = client.ask(more_items(wanted), variables)
        said = answer.errors[0].message if answer.errors else ""
        return parse_more_items(answer.payload, wanted), said or f"GitHub does not give the rest of its {wanted[0]}"
    except (QueryTooHeavy, ServerFailure, PayloadError) as error:
        check_alive(client, slug)
        return [None] * len(remainders), str(error)
