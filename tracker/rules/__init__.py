"""The rules that ship with the product, as TOML texts beside this module; `tracker.ruleset` reads them."""

from importlib.resources import files


def read_rules() -> dict[str, str]:
    """Return the text of every shipped rules file by its name."""
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(files(__name__).iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".toml")
    }
