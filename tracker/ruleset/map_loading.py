"""One map of territories and areas out of parsed TOML.

A map that ships says of each rule why, from where, and of which paths it decides; one of an operator's own need not.
"""

from tracker.ruleset.model import AreaRule, TerritoryRule, TerritoryRules
from tracker.ruleset.tables import Table
from tracker.sites import Area, Territory


def territory_map_of(name: str, file: Table) -> TerritoryRules:
    """Read the map of a file `territory-NAME.toml`."""
    name = name.removeprefix("territory-").removesuffix(".toml")
    source = file.text("source", default="")
    territories = []
    for number, table in enumerate(file.tables("territory"), start=1):
        globs = table.texts("globs", needed=True)
        territory = table.choice("territory", Territory, default=Territory.NEUTRAL)
        territories.append(
            TerritoryRule(
                id=table.text("id", default=f"territory.{name}.{number}"),
                globs=globs,
                territory=territory,
                vendors=table.texts("vendors"),
                why=table.text("why", default=""),
                source=table.text("source", default=source),
                flags=table.texts("flags"),
                ignores=_ignores(table),
            )
        )
        table.close()
    areas = []
    for number, table in enumerate(file.tables("area"), start=1):
        globs = table.texts("globs", needed=True)
        area = table.choice("area", Area, default=Area.CORE)
        areas.append(
            AreaRule(
                id=table.text("id", default=f"area.{name}.{number}"),
                globs=globs,
                area=area,
                subsystem=table.text("subsystem", default=area.value),
                why=table.text("why", default=""),
                source=table.text("source", default=source),
                flags=table.texts("flags"),
                ignores=_ignores(table),
            )
        )
        table.close()
    return TerritoryRules(
        name=name, repositories=file.texts("repositories"), territories=tuple(territories), areas=tuple(areas)
    )


def _ignores(table: Table) -> tuple[str, ...]:
    flags, ignores = table.texts("flags"), table.texts("ignores")
    if len(ignores) < len(flags):
        table.report("ignores", f"{len(flags)} flags need as many ignores, not {len(ignores)}")
    return ignores
