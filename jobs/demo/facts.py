"""Who and what the demonstration's history is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from jobs.demo.sources import Variant

DEMO_SLUG = "demo/torch"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoPerson:
    """Somebody made up."""

    name: str
    login: str
    organisation: str | None
    """Name in the ruleset; None: writes from a private address."""

    @property
    def mail(self) -> str:
        domain = f"{self.organisation}.example.com" if self.organisation else "example.com"
        return f"{self.login}@{domain}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """One commit, before it has an id."""

    key: int
    """Its place in the history, from 0."""
    at: datetime
    author: DemoPerson
    title: str
    body: str
    files: Mapping[str, str]
    """The whole new text of each file it changes."""
    lines_added: int
    lines_removed: int
    reverts: int | None = None
    """Key of the commit it undoes; a revert is made by the merge bot, and has no pull request."""
    relands: int | None = None
    """Key of the commit it lands again."""


PEOPLE = (
    DemoPerson(name="Ana Ruiz", login="anaruiz", organisation="meta"),
    DemoPerson(name="Ben Okafor", login="benok", organisation="meta"),
    DemoPerson(name="Chen Li", login="chenli", organisation="nvidia"),
    DemoPerson(name="Dara Singh", login="dsingh", organisation="nvidia"),
    DemoPerson(name="Emil Novak", login="enovak", organisation="intel"),
    DemoPerson(name="Fumiko Abe", login="fabe", organisation="intel"),
    DemoPerson(name="Gus Hansen", login="gush", organisation="aws"),
    DemoPerson(name="Hana Kim", login="hanakim", organisation="aws"),
    DemoPerson(name="Ivo Petrov", login="ivop", organisation="amd"),
    DemoPerson(name="Jia Wei", login="jiawei", organisation="huawei"),
    DemoPerson(name="Kofi Mensah", login="kofim", organisation="google"),
    DemoPerson(name="Lea Brun", login="leabrun", organisation="habana"),
    DemoPerson(name="Mia Costa", login="miac", organisation=None),
    DemoPerson(name="Noor Haddad", login="noorh", organisation=None),
)

Organisations = tuple[str | None, ...]
"""Whose people do something; a name that stands twice is twice as likely."""

DECOUPLINGS: Mapping[Variant, tuple[str, Organisations]] = {
    Variant.NEUTRAL: ("Make {name} in {where} device-agnostic", ("intel", "intel", "aws", "huawei", "amd", "meta")),
    Variant.BROADENED: ("Admit XPU and HPU in {name} of {where}", ("intel", "habana")),
    Variant.LIGHTER: ("Drop the workaround for CUDA 10 from {name} in {where}", ("nvidia", "meta", None)),
}
"""What a change to this variant is called, and whose it is."""

FINALE = (
    (166, "introduce", "torch/distributed/"),
    (163, "introduce", "torch/distributed/"),
    (160, "introduce", "torch/distributed/"),
    (155, "introduce", "torch/distributed/"),
    (150, "introduce", "torch/distributed/"),
    (140, "introduce", "torch/distributed/"),
    (120, "generalise", ""),
    (100, "introduce", "torch/distributed/"),
    (96, "revert", ""),
    (70, "introduce", "torch/distributed/"),
    (50, "introduce", "torch/distributed/"),
    (40, "introduce", "torch/distributed/"),
    (30, "generalise", ""),
    (12, "decouple", ""),
    (5, "plain", ""),
    (2, "generalise", ""),
)
"""Hours before the end, what happens then, and where."""
