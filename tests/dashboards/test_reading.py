from dashboards.reading import Remembered


def test_a_value_is_computed_once_for_each_version_and_key() -> None:
    remembered, computed = Remembered(), list[str]()

    def compute(name: str) -> str:
        computed.append(name)
        return name

    for version, key in (("1", "a"), ("1", "a"), ("1", "b"), ("2", "a"), ("2", "a")):
        assert remembered.value(version, key, lambda name=version + key: compute(name)) == version + key  # type: ignore[misc]
    assert computed == ["1a", "1b", "2a"]


def test_nothing_of_an_older_version_is_kept() -> None:
    remembered = Remembered()
    remembered.value("1", "a", lambda: "old")
    remembered.value("2", "b", lambda: "new")
    assert remembered.value("1", "a", lambda: "computed again") == "computed again"


def test_only_so_many_values_are_kept() -> None:
    remembered = Remembered()
    for number in range(1_000):
        remembered.value("1", number, lambda number=number: number)  # type: ignore[misc]
    assert remembered.value("1", 999, lambda: -1) == 999
    assert remembered.value("1", 0, lambda: -1) == -1
