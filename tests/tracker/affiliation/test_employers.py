"""An operator's file: gitdm's lines, addresses that are hashed while they are read, and lines that cannot be."""

from datetime import UTC, datetime

import pytest

from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import Employment, IdentityKind, organisation_of_employer, parse_employers
from tracker.errors import SettingsError

A_FILE = """\ufeff# who works where
ada@example.com  Example Labs < 2020-03-01
Ada@Example.com  NVIDIA            # since then
grace!example.org Red Hat
example.net      Intel Corporation
@Octocat         Huawei < 2024-12-31

"""


def digest(mail: str) -> str:
    return f"digest of {len(mail)} signs"


def test_each_line_is_an_employment_and_no_address_is_kept() -> None:
    assert parse_employers(A_FILE, digest) == (
        Employment(
            kind=IdentityKind.MAIL,
            identity="digest of 15 signs",
            employer="Example Labs",
            until=datetime(2020, 3, 1, tzinfo=UTC),
        ),
        Employment(kind=IdentityKind.MAIL, identity="digest of 15 signs", employer="NVIDIA", until=None),
        Employment(kind=IdentityKind.MAIL, identity="digest of 17 signs", employer="Red Hat", until=None),
        Employment(kind=IdentityKind.DOMAIN, identity="example.net", employer="Intel Corporation", until=None),
        Employment(
            kind=IdentityKind.LOGIN, identity="octocat", employer="Huawei", until=datetime(2024, 12, 31, tzinfo=UTC)
        ),
    )


def test_addresses_are_given_to_the_digest_in_lower_case() -> None:
    given: list[str] = []

    def note(mail: str) -> str:
        given.append(mail)
        return "x"

    parse_employers("Ada@Example.COM Example", note)
    assert given == ["ada@example.com"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("ada@example.com", "an address or domain and an employer are needed"),
        ("ada@example.com < 2020-01-01", "an address or domain and an employer are needed"),
        ("ada@example.com Example < 2020-01-01 2021-01-01", "an address or domain and an employer are needed"),
        ("ada@example.com Example < soon", "what follows < is no day"),
        ("ada@example.com Example < 2020-02-30", "what follows < is no day"),
        ("ada Example", "it begins with neither a mail address, a domain, nor @login"),
        ("ada@ Example", "it begins with neither a mail address, a domain, nor @login"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_by_its_number_and_not_repeated(line: str, problem: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_employers(f"# first\n{line}\n", digest)
    (said,) = raised.value.problems
    assert said.startswith(f"line 2 of the affiliations file: {problem}")
    assert "example.com" not in said.lower()


def test_every_problem_is_said_at_once_up_to_ten() -> None:
    with pytest.raises(SettingsError) as raised:
        parse_employers("ada\n" * 12, digest)
    assert len(raised.value.problems) == 11
    assert raised.value.problems[-1] == "and 2 more lines"


def test_an_empty_file_says_nothing() -> None:
    assert parse_employers("", digest) == ()


@pytest.mark.parametrize(
    ("employer", "organisation"),
    [
        ("NVIDIA", "nvidia"),
        ("aws", "aws"),
        ("Amazon", "aws"),
        ("Red Hat", "redhat"),
        ("Example Labs", "other"),
        ("(Unknown)", None),
        ("NotFound", None),
    ],
)
def test_an_employer_is_one_of_the_rules_or_another_or_nobody(employer: str, organisation: str | None) -> None:
    assert organisation_of_employer(employer, shipped_ruleset()) == organisation
