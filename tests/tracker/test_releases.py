import pytest

from tracker.releases import ReleaseKind, release_kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("v2.1.0", ReleaseKind.RELEASE),
        ("v2.10.0", ReleaseKind.RELEASE),
        ("2.1", ReleaseKind.RELEASE),
        ("v0.4.0", ReleaseKind.RELEASE),
        ("v2.1.1", ReleaseKind.PATCH),
        ("v2.1.10", ReleaseKind.PATCH),
        ("0.3.post2", ReleaseKind.PATCH),
        ("v2.1.0.post1", ReleaseKind.PATCH),
        ("v2.1.0-rc3", ReleaseKind.CANDIDATE),
        ("v2.0.0.dev20230101", ReleaseKind.CANDIDATE),
        ("1.0.0rc1", ReleaseKind.CANDIDATE),
        ("v1.0a0", ReleaseKind.CANDIDATE),
    ],
)
def test_a_version_is_a_release_a_patch_or_a_candidate(name: str, kind: ReleaseKind) -> None:
    assert release_kind(name) is kind


@pytest.mark.parametrize(
    "name",
    [
        "trunk/0123456789abcdef0123456789abcdef01234567",
        "ciflow/trunk/12345",
        "ciflow/v2.1.0/1",
        "viable/strict/1700000000",
        "nightly",
        "v2",
        "version 2.1.0",
        "",
        "v2.1.0/x",
        "v2.1.0-" + "x" * 200,
    ],
)
def test_other_tags_mark_no_version(name: str) -> None:
    assert release_kind(name) is None


def test_what_github_calls_a_pre_release_is_a_candidate() -> None:
    assert release_kind("v2.1.0", prerelease=True) is ReleaseKind.CANDIDATE
    assert release_kind("nightly", prerelease=True) is None
