"""What is said about judging and decides none of it: its reasons, the questions it asks of lines, how well it does."""

from dataclasses import dataclass

from tracker.sites import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a site is said to have gone or come in the way it did."""

    id: str
    words: str
    """As accounts hold it; code gives these words, this says what they mean."""
    mechanisms: tuple[Mechanism, ...]
    """Which mechanisms it is given for."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something that judging asks of a line or a name: which words answer it, by examples."""

    id: str
    """Permanent, as the ids of other rules."""
    asks: str
    why: str
    source: str
    flags: tuple[str, ...]
    """Texts of which it is so."""
    ignores: tuple[str, ...]
    """Texts of which it is not, though they look alike; at least as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One way of comparing judgements with what readers say."""

    name: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSet:
    """Commits that people judged by the guide, and how far the judgement agrees with them."""

    name: str
    commits: int
    read_by: str
    tuned_on: bool
    """Whether rules were written with these commits in view: then its figures say little about others."""
    figures: tuple[tuple[str, float], ...]
    """Names of figures with their shares, 0 to 1, in the order to show."""
