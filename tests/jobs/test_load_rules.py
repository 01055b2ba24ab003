"""The rules a process judges by: what ships, and an operator's own maps."""

from pathlib import Path

import pytest

from jobs.load_rules import load_rules
from tracker.errors import RulesetError, SettingsError
from tracker.rules import read_rules
from tracker.ruleset import load_ruleset
from tracker.settings import Settings
from tracker.sites import Territory
from tracker.territory import territory_map_for

OWN_MAP = """
repositories = ["someone/something"]
[[territory]]
globs = ["engine/fast/**"]
territory = "vendor"
vendors = ["groq"]
"""


def rules_with(folder: Path, **maps: str) -> Settings:
    for name, text in maps.items():
        (folder / f"territory-{name}.toml").write_text(text)
    return Settings(rules_folder=folder)


def test_without_a_folder_the_rules_are_those_that_ship() -> None:
    assert load_rules(Settings()) == load_ruleset(read_rules())


def test_an_empty_folder_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Our maps.\n")
    assert load_rules(Settings(rules_folder=tmp_path)).digest == load_rules(Settings()).digest


def test_a_map_in_the_folder_places_its_repository_and_changes_the_digest(tmp_path: Path) -> None:
    ruleset = load_rules(rules_with(tmp_path, own=OWN_MAP))
    assert territory_map_for("someone/something", ruleset).place("engine/fast/a.py").territory is Territory.VENDOR
    assert territory_map_for("someone/else", ruleset).place("engine/fast/a.py").territory is Territory.NEUTRAL
    assert ruleset.digest != load_rules(Settings()).digest


def test_a_file_of_a_shipped_name_takes_its_place(tmp_path: Path) -> None:
    own = OWN_MAP.replace("someone/something", "pytorch/pytorch")
    placed = territory_map_for("pytorch/pytorch", load_rules(rules_with(tmp_path, pytorch=own)))
    assert placed.place("engine/fast/a.py").territory is Territory.VENDOR
    assert placed.place("torch/accelerator/__init__.py").territory is Territory.NEUTRAL


def test_two_maps_of_one_repository_are_a_problem_that_says_what_to_do(tmp_path: Path) -> None:
    own = OWN_MAP.replace("someone/something", "PyTorch/pytorch")
    with pytest.raises(RulesetError) as caught:
        load_rules(rules_with(tmp_path, zzz=own))
    assert caught.value.problems == (
        "territory-zzz.toml: maps PyTorch/pytorch, as territory-pytorch.toml does; give it that name to take its place",
    )


def test_a_second_default_map_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match="names no repositories, as territory-default"):
        load_rules(rules_with(tmp_path, zzz=OWN_MAP.replace('repositories = ["someone/something"]', "")))


def test_a_broken_map_is_named(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match=r"territory-own\.toml"):
        load_rules(rules_with(tmp_path, own="repositories = ["))


@pytest.mark.parametrize("name", ["vendors.toml", "own.toml", "territory-Own Map.toml"])
def test_another_rules_file_is_refused_rather_than_passed_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(SettingsError, match="name it territory-NAME"):
        load_rules(Settings(rules_folder=tmp_path))


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"TRACKER_RULES_FOLDER names .*none, which cannot be read"):
        load_rules(Settings(rules_folder=tmp_path / "none"))
