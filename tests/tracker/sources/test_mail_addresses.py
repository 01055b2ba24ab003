"""What is a mail address, and what only resembles one."""

import pytest

from tracker.sources.mail_addresses import without_mail, without_mails


@pytest.mark.parametrize(
    "text", ["@torch.jit.script", "torch@main", "aten::add@v2", "a @ b.com", "user@host", "git@v1.2.3", "@", "x@.com"]
)
def test_what_only_resembles_a_mail_address_stays(text: str) -> None:
    assert without_mail(text) == text


def test_a_very_long_title_is_searched_for_addresses_in_linear_time() -> None:
    assert without_mail("a" * 500_000) == "a" * 500_000
    assert without_mail("a@a." * 100_000).endswith("a@a.")


def test_addresses_go_from_every_text_of_an_answer_however_deep() -> None:
    given = {"body": "\nada@example.com", "labels": [{"name": "x"}, None, 3], "a@example.com": True}
    assert without_mails(given) == {"body": "\n@example.com", "labels": [{"name": "x"}, None, 3], "a@example.com": True}
