"""Bytes that git prints become facts, whatever the bytes are."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.errors import RepositoryError
from tracker.sources.git_plumbing import (
    LATEST,
    ObjectHeader,
    RemoteReferences,
    decode_path,
    decode_text,
    parse_changes,
    parse_commit,
    parse_object_header,
    parse_references,
    parse_signature,
    parse_tree,
)
from tracker.upstream import Commit, FileChange, FileKind, FileVersion, Signature

SHA = "a" * 40
OLD, NEW = "1" * 40, "2" * 40
NONE = "0" * 40


def regular(path: str, blob: str) -> FileVersion:
    return FileVersion(path=path, blob=blob, kind=FileKind.REGULAR)


def signature(name: str, mail: str, seconds: int, *, offset_minutes: int = 0, clamped: bool = False) -> Signature:
    at = datetime.fromtimestamp(seconds, UTC)
    return Signature(name=name, mail=mail, at=at, offset_minutes=offset_minutes, clamped=clamped)


class TestCommits:
    def test_an_ordinary_commit(self) -> None:
        content = (
            b"tree " + b"b" * 40 + b"\nparent " + b"c" * 40 + b"\n"
            b"author Ann Author <ann@example.com> 1600000000 -0530\n"
            b"committer Bot <bot@example.com> 1600000060 +0000\n"
            b"\nSubject (#7)\n\nBody\n"
        )
        assert parse_commit(SHA, content) == Commit(
            sha=SHA,
            parent="c" * 40,
            parents=1,
            author=signature("Ann Author", "ann@example.com", 1600000000, offset_minutes=-330),
            committer=signature("Bot", "bot@example.com", 1600000060),
            message="Subject (#7)\n\nBody\n",
        )

    def test_a_root_has_no_parent_and_a_merge_keeps_the_first(self) -> None:
        people = b"author A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n\nx"
        root = parse_commit(SHA, b"tree " + b"b" * 40 + b"\n" + people)
        merge = parse_commit(SHA, b"tree x\nparent " + b"c" * 40 + b"\nparent " + b"d" * 40 + b"\n" + people)
        assert (root.parent, root.parents, merge.parent, merge.parents) == (None, 0, "c" * 40, 2)

    def test_a_signature_with_header_like_lines_is_passed_over(self) -> None:
        content = (
            b"tree x\nauthor A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000\n"
            b"gpgsig -----BEGIN PGP SIGNATURE-----\n parent " + b"e" * 40 + b"\n author Evil <e@example.com> 9 +0000\n"
            b" -----END PGP SIGNATURE-----\n\nSigned\n"
        )
        commit = parse_commit(SHA, content)
        assert (commit.parents, commit.author.name, commit.message) == (0, "A", "Signed\n")

    def test_a_message_in_a_declared_encoding(self) -> None:
        people = b"author J\xe9 <j@example.com> 1 +0000\ncommitter J\xe9 <j@example.com> 1 +0000\n"
        commit = parse_commit(SHA, b"tree x\n" + people + b"encoding ISO-8859-1\n\ncaf\xe9\n")
        assert (commit.author.name, commit.message) == ("Jé", "café\n")

    def test_no_message_at_all(self) -> None:
        people = b"author A <a@example.com> 1 +0000\ncommitter A <a@example.com> 1 +0000"
        assert parse_commit(SHA, b"tree x\n" + people + b"\n\n").message == ""
        assert parse_commit(SHA, b"tree x\n" + people + b"\n").message == ""

    def test_what_is_no_commit_is_refused(self) -> None:
        with pytest.raises(RepositoryError, match="git fsck"):
            parse_commit(SHA, b"tree x\n\nNo people\n")


class TestSignatures:
    def test_odd_zones_do_not_move_the_instant(self) -> None:
        assert parse_signature(b"A <a@example.com> 1000 +051800") == signature("A", "a@example.com", 1000)
        assert parse_signature(b"A <a@example.com> 1000 -9959") == signature("A", "a@example.com", 1000)
        assert parse_signature(b"A <a@example.com> 1000 +" + b"9" * 6000).offset_minutes == 0

    def test_dates_out_of_bounds_are_clamped_and_say_so(self) -> None:
        assert parse_signature(b"A <a@example.com> -5 +0000") == signature("A", "a@example.com", 0, clamped=True)
        for seconds in (b"99999999999", b"18446744073709551615", b"9" * 6000):
            clamped = parse_signature(b"A <a@example.com> " + seconds + b" +0000")
            assert clamped == signature("A", "a@example.com", LATEST, clamped=True)

    def test_missing_parts_are_empty(self) -> None:
        assert parse_signature(b"") == signature("", "", 0, clamped=True)
        assert parse_signature(b"A <a@example.com>") == signature("A", "a@example.com", 0, clamped=True)
        assert parse_signature(b" <> 1000 +0000") == signature("", "", 1000)
        assert parse_signature(b"A <a@example.com> 1000") == signature("A", "a@example.com", 1000)

    def test_angle_brackets_in_names_and_mails(self) -> None:
        assert parse_signature(b"A <a <b@example.com>> 1000 +0100") == signature(
            "A", "a <b@example.com", 1000, offset_minutes=60
        )

    @given(st.binary())
    def test_any_bytes_give_a_signature(self, line: bytes) -> None:
        parse_signature(line)


class TestText:
    def test_bytes_that_are_not_utf8_show_a_replacement_sign(self) -> None:
        assert decode_text(b"caf\xe9 \x00") == "caf\ufffd \ufffd"

    @pytest.mark.parametrize(
        "encoding", ["no-such-charset", "rot13", "hex", "undefined", "utf-7", "unicode_escape", "a\0b", "\ufffd"]
    )
    def test_an_encoding_that_is_none_counts_as_utf8(self, encoding: str) -> None:
        assert decode_text("naïve \\ud800 +2AA-".encode(), encoding) == "naïve \\ud800 +2AA-"

    def test_a_text_that_is_not_in_its_declared_encoding_counts_as_utf8(self) -> None:
        assert decode_text("é".encode(), "ascii") == "é"

    def test_a_path_keeps_its_odd_bytes_apart(self) -> None:
        assert [decode_path(path) for path in (b"a/\xff.py", b"a/\xfe.py", "a/é.py".encode(), b"a/\\xff.py")] == [
            "a/\\xff.py",
            "a/\\xfe.py",
            "a/é.py",
            "a/\\\\xff.py",
        ]

    @given(st.lists(st.sampled_from([b"\\", b"x", b"f", b"\xff", "é".encode(), b"\xc3", b"/"])).map(b"".join))
    def test_the_bytes_of_a_path_can_be_told_from_its_text(self, path: bytes) -> None:
        told = re.sub(
            r"\\(\\|x[0-9a-f]{2})",
            lambda found: "\\" if found[1] == "\\" else chr(0xDC00 + int(found[1][1:], 16)),
            decode_path(path),
        )
        assert told.encode("utf-8", "surrogateescape") == path

    @given(st.binary(), st.text(max_size=20))
    def test_any_bytes_give_a_text_that_can_be_stored(self, text: bytes, encoding: str) -> None:
        decoded = decode_text(text, encoding)
        assert "\0" not in decoded
        decoded.encode("utf-8")


class TestChanges:
    def test_added_changed_deleted_and_renamed_files(self) -> None:
        output = (
            SHA.encode() + b"\0"
            b":000000 100644 " + NONE.encode() + b" " + NEW.encode() + b" A\0new.py\0"
            b":100644 100755 " + OLD.encode() + b" " + NEW.encode() + b" M\0changed.py\0"
            b":100644 000000 " + OLD.encode() + b" " + NONE.encode() + b" D\0gone.py\0"
            b":100644 100644 " + OLD.encode() + b" " + NEW.encode() + b" R087\0old name.py\0new name.py\0"
        )
        assert list(parse_changes(output)) == [
            (
                SHA,
                (
                    FileChange(before=None, after=regular("new.py", NEW)),
                    FileChange(before=regular("changed.py", OLD), after=regular("changed.py", NEW)),
                    FileChange(before=regular("gone.py", OLD), after=None),
                    FileChange(before=regular("old name.py", OLD), after=regular("new name.py", NEW)),
                ),
            )
        ]

    def test_paths_that_look_like_the_format_itself(self) -> None:
        odd = [SHA.encode(), b":100644", b"a\nb\tc", b"#mark"]
        records = b"".join(
            b":000000 100644 " + NONE.encode() + b" " + NEW.encode() + b" A\0" + path + b"\0" for path in odd
        )
        found = list(parse_changes(SHA.encode() + b"\0" + records))
        assert [change.after.path for _, changes in found for change in changes if change.after] == [
            SHA,
            ":100644",
            "a\nb\tc",
            "#mark",
        ]

    def test_a_file_that_becomes_a_symlink_and_a_submodule(self) -> None:
        output = (
            SHA.encode() + b"\0"
            b":100644 120000 " + OLD.encode() + b" " + NEW.encode() + b" T\0link\0"
            b":000000 160000 " + NONE.encode() + b" " + NEW.encode() + b" A\0module\0"
        )
        ((_, changes),) = parse_changes(output)
        assert [change.after.kind for change in changes if change.after] == [FileKind.SYMLINK, FileKind.SUBMODULE]

    def test_several_commits_and_none(self) -> None:
        change = b":000000 100644 " + NONE.encode() + b" " + NEW.encode() + b" A\0a.py\0"
        output = SHA.encode() + b"\0" + change + b"b" * 40 + b"\0" + change
        assert [sha for sha, _ in parse_changes(output)] == [SHA, "b" * 40]
        assert list(parse_changes(b"")) == []

    def test_another_form_is_refused(self) -> None:
        with pytest.raises(RepositoryError, match="unexpected"):
            list(parse_changes(b"diff --git a/x b/x\0"))


class TestTreesObjectsAndReferences:
    def test_a_tree(self) -> None:
        output = (
            b"100644 blob " + OLD.encode() + b"\ta/b c.py\0"
            b"120000 blob " + NEW.encode() + b"\tlink\0"
            b"160000 commit " + NEW.encode() + b"\tmodule\0"
            b"100664 blob " + NEW.encode() + b"\t\xff\0"
        )
        assert list(parse_tree(output)) == [
            regular("a/b c.py", OLD),
            FileVersion(path="link", blob=NEW, kind=FileKind.SYMLINK),
            FileVersion(path="module", blob=NEW, kind=FileKind.SUBMODULE),
            regular("\\xff", NEW),
        ]

    def test_object_headers(self) -> None:
        assert parse_object_header(SHA.encode() + b" blob 12\n") == ObjectHeader(oid=SHA, kind="blob", size=12)
        assert parse_object_header(SHA.encode() + b" missing\n") == ObjectHeader(oid=SHA, kind="missing", size=0)
        with pytest.raises(RepositoryError, match="unexpected"):
            parse_object_header(b"\n")

    def test_references_of_a_remote(self) -> None:
        output = b"ref: refs/heads/trunk\tHEAD\n" + SHA.encode() + b"\tHEAD\n" + OLD.encode() + b"\trefs/heads/v1\n"
        assert parse_references(output) == RemoteReferences(
            head="refs/heads/trunk", shas={"HEAD": SHA, "refs/heads/v1": OLD}
        )
        assert parse_references(b"") == RemoteReferences(head=None, shas={})
