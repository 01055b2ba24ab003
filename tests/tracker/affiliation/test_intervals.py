"""Dated affiliations, by hand: how far a sight reaches, what cuts it, and which source prevails."""

from datetime import UTC, datetime

from tracker.affiliation import (
    Affiliation,
    AffiliationSource,
    Sight,
    company_intervals,
    mail_intervals,
    operator_intervals,
    prevailing,
)

MAIL, COMPANY, OPERATOR = AffiliationSource.MAIL, AffiliationSource.COMPANY, AffiliationSource.OPERATOR


def day(year: int, month: int = 1, number: int = 1) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


def held(
    organisation: str | None, begins: datetime | None, ends: datetime | None, source: AffiliationSource = MAIL
) -> Affiliation:
    return Affiliation(organisation=organisation, begins_at=begins, ends_at=ends, source=source)


def at(moment: datetime, organisation: str) -> Sight:
    return Sight(moment, moment, organisation)


def test_a_commit_speaks_for_half_a_year_around_it() -> None:
    assert mail_intervals([at(day(2020, 7, 1), "intel")]) == (held("intel", day(2020, 1, 3), day(2020, 12, 28)),)


def test_commits_of_one_organisation_within_a_year_are_one_employment() -> None:
    sights = [at(day(2020, 12, 1), "intel"), at(day(2020, 1, 1), "intel")]
    assert mail_intervals(sights) == (held("intel", day(2019, 7, 5), day(2021, 5, 30)),)


def test_commits_further_apart_leave_a_time_of_which_nothing_is_known() -> None:
    assert mail_intervals([at(day(2018), "intel"), at(day(2020), "intel")]) == (
        held("intel", day(2017, 7, 5), day(2018, 6, 30)),
        held("intel", day(2019, 7, 5), day(2020, 6, 29)),
    )


def test_between_two_organisations_the_middle_decides() -> None:
    assert mail_intervals([at(day(2020, 1, 1), "intel"), at(day(2020, 1, 11), "amd")]) == (
        held("intel", day(2019, 7, 5), day(2020, 1, 6)),
        held("amd", day(2020, 1, 6), day(2020, 7, 9)),
    )


def test_a_company_field_holds_from_a_year_before_it_was_seen_until_it_is_seen_to_differ() -> None:
    sights = [
        Sight(day(2025), day(2025, 6), "google"),
        Sight(day(2025, 7), day(2025, 8), None),
        Sight(day(2025, 9), day(2025, 9), "meta"),
    ]
    assert company_intervals(sights) == (
        held("google", day(2024, 1, 2), day(2025, 7), COMPANY),
        held("meta", day(2025, 9), None, COMPANY),
    )


def test_lines_of_one_address_are_employers_in_turn() -> None:
    assert operator_intervals([("meta", None), ("nvidia", day(2020)), ("intel", day(2018))]) == (
        held("intel", None, day(2018), OPERATOR),
        held("nvidia", day(2018), day(2020), OPERATOR),
        held("meta", day(2020), None, OPERATOR),
    )


def test_a_dated_line_alone_says_nothing_of_later() -> None:
    assert operator_intervals([("intel", day(2018))]) == (held("intel", None, day(2018), OPERATOR),)


def test_the_operator_goes_before_mail_and_mail_before_the_company() -> None:
    operator = held("aws", None, day(2020), OPERATOR)
    mail = held("intel", day(2019), day(2021))
    company = held("amd", day(2015), None, COMPANY)
    everything = (company, mail, operator)
    assert prevailing(everything, day(2019, 6)) == operator
    assert prevailing(everything, day(2020, 6)) == mail
    assert prevailing(everything, day(2021)) == company
    assert prevailing(everything, day(2014, 6)) == operator
    assert prevailing((mail, company), day(2014, 6)) is None
    assert prevailing((), day(2014)) is None


def test_an_operator_who_says_that_nothing_is_known_silences_the_others() -> None:
    nobody = held(None, None, None, OPERATOR)
    assert prevailing((held("intel", day(2019), day(2021)), nobody), day(2020)) == nobody


def test_no_sight_gives_no_employment() -> None:
    assert (mail_intervals([]), company_intervals([]), operator_intervals([])) == ((), (), ())
