"""The rules that ship, and an operator's own territory maps from a folder -> one ruleset.

A map in the folder counts like a shipped one: it is checked with the others, and it changes the ruleset's digest, so
that the next crawl judges anew. A file of a shipped map's name takes its place.
"""

import re
from pathlib import Path

from tracker.errors import SettingsError
from tracker.rules import read_rules
from tracker.ruleset import Ruleset, load_ruleset
from tracker.settings import Settings

_MAP = re.compile(r"territory-[a-z0-9]+(?:-[a-z0-9]+)*\.toml")


def load_rules(settings: Settings) -> Ruleset:
    """Return the ruleset that this process judges by.

    Raises:
        SettingsError: the folder cannot be read, or holds a TOML file that is not named like a map.
        RulesetError: a file is not right, shipped or not.
    """
    own = _own_maps(settings.rules_folder.expanduser()) if settings.rules_folder else {}
    return load_ruleset({**read_rules(), **own})


def _own_maps(folder: Path) -> dict[str, str]:
    texts: dict[str, str] = {}
    problems: list[str] = []
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
        for path in paths:
            if _MAP.fullmatch(path.name):
                texts[path.name] = path.read_text(encoding="utf-8")
            else:
                problems.append(f"TRACKER_RULES_FOLDER: {path} is no map; name it territory-NAME.toml or take it away")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"TRACKER_RULES_FOLDER names {folder}, which cannot be read: {error}")
    if problems:
        raise SettingsError(tuple(problems))
    return texts
