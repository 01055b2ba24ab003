"""Mail domains, names and logins: who writes from where, and who is a program."""

import pytest

from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import is_bot, is_bot_login, organisation_of


@pytest.mark.parametrize(
    ("domain", "organisation"),
    [
        ("fb.com", "meta"),
        ("FB.com", "meta"),
        ("mail.nvidia.com", "nvidia"),
        ("someone@amd.com", "amd"),
        ("us.ibm.com", "ibm"),
        ("devfair044.h1.fair", "meta"),
        ("devfair044.maas", "meta"),
        ("devvm7.prn0.facebook.com", "meta"),
        ("annapurnalabs.com", "aws"),
        ("habana.ai", "habana"),
        ("cs.cmu.edu", "academia"),
        ("cs.berkeley.edu", "berkeley"),
        ("robots.ox.ac.uk", "academia"),
        ("gmail.com", None),
        ("users.noreply.github.com", None),
        ("notfb.com", None),
        ("alum.mit.edu", None),
        ("alumni.berkeley.edu", None),
        ("ip-10-0-0-1.us-west-2.compute.internal", None),
        ("ec2-1-2-3-4.compute.amazonaws.com", None),
        ("github.com", None),
        ("edu.example.com", None),
        ("fair.example.com", None),
        ("fb.com.example.org", None),
        ("", None),
        (".", None),
    ],
)
def test_a_domain_stands_for_its_subdomains_and_nothing_else(domain: str, organisation: str | None) -> None:
    assert organisation_of(domain, shipped_ruleset()) == organisation


def test_programs_are_told_by_name_mail_or_login() -> None:
    ruleset = shipped_ruleset()
    assert is_bot("dependabot[bot]", "x@example.com", ruleset)
    assert is_bot("someone", "49699333+dependabot[bot]@users.noreply.github.com", ruleset)
    assert is_bot_login("renovate[bot]", ruleset)


def test_people_are_no_programs() -> None:
    ruleset = shipped_ruleset()
    assert not is_bot("Abbot Robotham", "abbot@example.com", ruleset)
    assert not is_bot_login("abbot", ruleset)
