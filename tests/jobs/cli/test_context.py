"""What commands print: whatever names and titles a repository holds, a terminal shows them and obeys none."""

from io import StringIO

from jobs.cli.context import Context


def test_control_signs_are_written_out() -> None:
    out, err = StringIO(), StringIO()
    context = Context(out=out, err=err)
    context.say("a\x1b[31mred\x9b2J\x7f\r")
    context.note("no commit \x1b]0;title\x07")
    context.table(["name"], [["\x1b[2J"], [None]])
    assert out.getvalue() == "a\\u001b[31mred\\u009b2J\\u007f\\u000d\nname\n\\u001b[2J\n\n"
    assert err.getvalue() == "no commit \\u001b]0;title\\u0007\n"


def test_other_text_lines_and_tabs_stay_as_they_are() -> None:
    out = StringIO()
    context = Context(out=out)
    context.say("naïve → 日本\tx\nsecond line")
    assert out.getvalue() == "naïve → 日本\tx\nsecond line\n"
