from dashboards.permalinks import commit_address, entry_sha, line_address, pull_address

GITHUB = "https://github.com"


def test_a_line_is_addressed_at_a_commit() -> None:
    assert (
        line_address(GITHUB, "pytorch/pytorch", "ab12", "torch/_utils.py", 12)
        == "https://github.com/pytorch/pytorch/blob/ab12/torch/_utils.py#L12"
    )


def test_any_sign_of_a_path_is_encoded() -> None:
    assert line_address(GITHUB, "o/n", "ab12", 'a b/"#?<x>%.py', 1).endswith(
        "/blob/ab12/a%20b/%22%23%3F%3Cx%3E%25.py#L1"
    )


def test_commits_and_pull_requests_of_an_enterprise_instance_are_addressed_there() -> None:
    assert commit_address("https://git.example.com/", "o/n", "ab12") == "https://git.example.com/o/n/commit/ab12"
    assert pull_address("https://git.example.com", "o/n", 7) == "https://git.example.com/o/n/pull/7"


def test_removed_lines_stand_in_the_parent_and_added_ones_in_the_commit() -> None:
    assert entry_sha(-2, "commit", "parent") == "parent"
    assert entry_sha(2, "commit", "parent") == "commit"
    assert entry_sha(-2, "commit", None) is None
