"""Mail domains, stated companies and names: who works where, and who is a program."""

import pytest

from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import is_bot, is_bot_login, organisation_of, organisation_of_company


@pytest.mark.parametrize(
    ("domain", "organisation"),
    [
        ("fb.com", "meta"),
        ("FB.com", "meta"),
        ("mail.nvidia.com", "nvidia"),
        ("someone@amd.com", "amd"),
        ("gmail.com", None),
        ("users.noreply.github.com", None),
        ("notfb.com", None),
        ("fb.com.example.org", None),
        ("", None),
        (".", None),
    ],
)
def test_a_domain_stands_for_its_subdomains_and_nothing_else(domain: str, organisation: str | None) -> None:
    assert organisation_of(domain, shipped_ruleset()) == organisation


@pytest.mark.parametrize(
    ("company", "organisation"),
    [
        ("Intel Corporation", "intel"),
        ("@NVIDIA", "nvidia"),
        ("Meta, formerly somewhere else", "meta"),
        ("intellectual works", None),
        ("", None),
    ],
)
def test_a_company_is_read_by_whole_words(company: str, organisation: str | None) -> None:
    assert organisation_of_company(company, shipped_ruleset()) == organisation


def test_programs_are_told_by_name_mail_or_login() -> None:
    ruleset = shipped_ruleset()
    assert is_bot("dependabot[bot]", "x@example.com", ruleset)
    assert is_bot("someone", "49699333+dependabot[bot]@users.noreply.github.com", ruleset)
    assert is_bot_login("renovate[bot]", ruleset)


def test_people_are_no_programs() -> None:
    ruleset = shipped_ruleset()
    assert not is_bot("Abbot Robotham", "abbot@example.com", ruleset)
    assert not is_bot_login("abbot", ruleset)
