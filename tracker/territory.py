"""A path -> where it stands (territory, owning vendors) and what it is for (area, subsystem), by a repository's map.

A map is an ordered list of globs, first match wins; a repository's own map comes before the default map. Globs: ** is
any depth, * any run within one component, ? one sign, [ab] one of the signs, {a,b} alternatives. They are compared
with case: a path is an identity.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache

from ahocorasick_rs import AhoCorasick, MatchKind

from tracker.ruleset import AreaRule, Ruleset, TerritoryRule, TerritoryRules
from tracker.sites import Area, Place, Region, Territory

_PLACES_KEPT = 1 << 18
_NEVER = 1 << 30


class TerritoryMap:
    """Places the paths of one repository; every answer is kept."""

    def __init__(self, territories: Sequence[TerritoryRule], areas: Sequence[AreaRule]) -> None:
        self._territories = tuple(territories)
        self._areas = tuple(areas)
        self._territory_index = _GlobIndex([rule.globs for rule in territories])
        self._area_index = _GlobIndex([rule.globs for rule in areas])
        self._places: dict[str, Place] = {}

    def place(self, path: str) -> Place:
        """Return where a slash-separated path stands; what no rule names is neutral and core."""
        place = self._places.get(path)
        if place is None:
            if len(self._places) >= _PLACES_KEPT:
                self._places.clear()
            place = self._places[path] = self._decide(path)
        return place

    def deciding(self, path: str) -> tuple[TerritoryRule | None, AreaRule | None]:
        """Return the rules that decide of a path's territory and of its area; None where none names it."""
        territory, area = self._territory_index.first(path), self._area_index.first(path)
        return (
            self._territories[territory] if territory is not None else None,
            self._areas[area] if area is not None else None,
        )

    def _decide(self, path: str) -> Place:
        rule, area_rule = self.deciding(path)
        return Place(
            territory=rule.territory if rule else Territory.NEUTRAL,
            area=area_rule.area if area_rule else Area.CORE,
            subsystem=area_rule.subsystem if area_rule else Area.CORE.value,
            vendors=rule.vendors if rule else (),
        )


@lru_cache(maxsize=64)
def territory_map_for(slug: str, ruleset: Ruleset) -> TerritoryMap:
    """Return the map of a repository: its own rules first, then the default ones."""
    own = [rules for rules in ruleset.territory_maps if _names(rules, slug)]
    default = [rules for rules in ruleset.territory_maps if not rules.repositories]
    chosen = [*sorted(own, key=lambda rules: -_literal_signs(rules, slug))[:1], *default]
    return TerritoryMap(
        [rule for rules in chosen for rule in rules.territories],
        [rule for rules in chosen for rule in rules.areas],
    )


def map_of_rules(rules: TerritoryRules, ruleset: Ruleset) -> TerritoryMap:
    """Return the map of a repository that some rules are for; of the default rules, that of one never seen."""
    slug = rules.repositories[0].replace("*", "someone") if rules.repositories else "someone/something"
    return territory_map_for(slug, ruleset)


def regions_in(place: Place, regions: tuple[Region, ...]) -> tuple[Region, ...]:
    """Return the regions of a file that count where it stands: a vendor's own file is all the vendor's."""
    if not regions or place.territory is not Territory.NEUTRAL:
        return ()
    return tuple(region for region in regions if not region.areas or place.area in region.areas)


def _names(rules: TerritoryRules, slug: str) -> bool:
    return any(fnmatchcase(slug.lower(), pattern.lower()) for pattern in rules.repositories)


def _literal_signs(rules: TerritoryRules, slug: str) -> int:
    """Count how closely a map names a repository: pytorch/pytorch before */pytorch."""
    fitting = (pattern for pattern in rules.repositories if fnmatchcase(slug.lower(), pattern.lower()))
    return max(len(pattern.replace("*", "")) for pattern in fitting)


class _GlobIndex:
    """Finds the first of many glob lists that matches a path without trying each.

    Most globs name an exact path, a folder from the root, a folder at any depth, a name or an extension: those are
    looked up. The others are regular expressions, tried only when their longest literal stands in the path.
    """

    def __init__(self, lists: Sequence[tuple[str, ...]]) -> None:
        self._exact: dict[str, int] = {}
        self._under: dict[str, int] = {}
        self._folder: dict[str, int] = {}
        self._name: dict[str, int] = {}
        self._extension: dict[str, int] = {}
        self._others: dict[str, list[tuple[int, re.Pattern[str]]]] = {}
        for number, globs in enumerate(lists):
            for glob in globs:
                for plain in _alternatives(glob):
                    self._add(number, plain)
        self._literals = sorted(filter(None, self._others))
        self._automaton = AhoCorasick(self._literals, matchkind=MatchKind.Standard)

    def first(self, path: str) -> int | None:
        """Return the number of the first list with a glob that matches, None where none does."""
        best = self._looked_up(path)
        for number, pattern in self._candidates(path, best):
            if pattern.fullmatch(path):
                return number
        return best if best < _NEVER else None

    def _looked_up(self, path: str) -> int:
        *folders, name = path.split("/")
        best = min(self._exact.get(path, _NEVER), self._name.get(name, _NEVER))
        _, dot, extension = name.rpartition(".")
        best = min(best, self._extension.get(extension, _NEVER) if dot else _NEVER)
        prefix = ""
        for folder in folders:
            prefix = f"{prefix}{folder}/"
            best = min(best, self._folder.get(folder, _NEVER), self._under.get(prefix, _NEVER))
        return best

    def _candidates(self, path: str, below: int) -> list[tuple[int, re.Pattern[str]]]:
        """Return the expressions that may match and would come before what was looked up, in order."""
        standing = {literal for literal, _, _ in self._automaton.find_matches_as_indexes(path, overlapping=True)}
        found = [other for literal in standing for other in self._others[self._literals[literal]] if other[0] < below]
        found += [other for other in self._others.get("", ()) if other[0] < below]
        return sorted(found, key=lambda other: other[0])

    def _add(self, number: int, glob: str) -> None:
        literal = r"[^*?\[\]/]+"
        if found := re.fullmatch(rf"\*\*/({literal})/\*\*", glob):
            self._folder.setdefault(found[1], number)
        elif found := re.fullmatch(r"\*\*/\*\.([^*?\[\]/.]+)", glob):
            self._extension.setdefault(found[1], number)
        elif found := re.fullmatch(rf"\*\*/({literal})", glob):
            self._name.setdefault(found[1], number)
        elif found := re.fullmatch(r"([^*?\[\]]+/)\*\*", glob):
            self._under.setdefault(found[1], number)
        elif re.fullmatch(r"[^*?\[\]]+", glob):
            self._exact.setdefault(glob, number)
        else:
            literals = re.split(r"\*\*/|[*?]|\[[^\]]*\]", glob)
            self._others.setdefault(max(literals, key=len), []).append((number, re.compile(_expression(glob))))


def _alternatives(glob: str) -> Iterator[str]:
    """Yield the globs that one with {a,b} stands for."""
    found = re.search(r"\{([^{}]*)\}", glob)
    if not found:
        yield glob
        return
    for choice in found[1].split(","):
        yield from _alternatives(glob[: found.start()] + choice + glob[found.end() :])


def _expression(glob: str) -> str:
    """Translate a glob without braces into a regular expression."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]*\])", glob)
    meanings = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(
        meanings.get(part) or (part.replace("[!", "[^") if part.startswith("[") else re.escape(part)) for part in parts
    )
