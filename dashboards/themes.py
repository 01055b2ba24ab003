"""The colours of charts, light and dark: one meaning each, told apart by people with any colour vision.

Teal means decoupling and neutral constructs, slate means removal, vermilion means coupling; each vendor has a hue of
its own. The style sheet holds the same values for badges and tables; a test compares the two.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif'


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One set of colours, as #rrggbb."""

    name: str
    paper: str
    """What charts stand on."""
    ink: str
    soft: str
    line: str
    neutral: str
    """Neutral constructs."""
    mechanisms: Mapping[str, str]
    let_in: str
    """What came in by broadening: a paler introduced."""
    vendors: Mapping[str, str]
    areas: Mapping[str, str]
    other: str
    """What has no colour of its own."""


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    ink="#1c2126",
    soft="#59636e",
    line="#e4e6e3",
    neutral="#0f766e",
    mechanisms={
        "introduced": "#cf5a1c",
        "generalised": "#0b5f58",
        "broadened": "#2a9d8f",
        "relocated": "#86ccc2",
        "dropped": "#768494",
        "retired": "#b3bdc8",
    },
    let_in="#eba57c",
    vendors={
        "nvidia": "#5a8f00",
        "amd": "#b3365b",
        "intel": "#2563c9",
        "apple": "#7c5cbf",
        "google": "#c08a00",
        "habana": "#1596c9",
        "meta": "#4756a6",
        "huawei": "#8c1d2f",
        "aws": "#8a5a2b",
        "graphcore": "#a84fa0",
        "microsoft": "#3d7a8c",
        "cambricon": "#00805a",
        "mthreads": "#d6409f",
        "groq": "#6f6a00",
        "cerebras": "#b0655a",
        "tecorigin": "#1d3f8f",
        "biren": "#9a4dff",
        "tenstorrent": "#6b2f5c",
        "ibm": "#0f4c5c",
    },
    areas={
        "core": "#1c4e80",
        "distributed": "#7c5cbf",
        "compiler": "#b3365b",
        "test": "#8b949e",
        "build": "#8a5a2b",
        "example": "#5a8f00",
        "tooling": "#c08a00",
    },
    other="#98a2ad",
)

DARK = Theme(
    name="dark",
    paper="#171c20",
    ink="#e7ebee",
    soft="#9ba7b1",
    line="#2c343a",
    neutral="#45c4b4",
    mechanisms={
        "introduced": "#f2894a",
        "generalised": "#6fe0d2",
        "broadened": "#30a698",
        "relocated": "#1f6f68",
        "dropped": "#97a6b5",
        "retired": "#596875",
    },
    let_in="#a65f36",
    vendors={
        "nvidia": "#93c83d",
        "amd": "#f07c9c",
        "intel": "#6ea6ff",
        "apple": "#b79cf2",
        "google": "#e3bb43",
        "habana": "#58c6f0",
        "meta": "#97a4f0",
        "huawei": "#e06c7f",
        "aws": "#d2a06d",
        "graphcore": "#dd94d7",
        "microsoft": "#7dbccd",
        "cambricon": "#4fd1a5",
        "mthreads": "#ff8ccf",
        "groq": "#c9c24d",
        "cerebras": "#e59a80",
        "tecorigin": "#5f8dd3",
        "biren": "#d3b8ff",
        "tenstorrent": "#b57aa5",
        "ibm": "#5a9aa8",
    },
    areas={
        "core": "#6ea6ff",
        "distributed": "#b79cf2",
        "compiler": "#f07c9c",
        "test": "#8d99a5",
        "build": "#d2a06d",
        "example": "#93c83d",
        "tooling": "#e3bb43",
    },
    other="#7c8893",
)

THEMES: Mapping[str, Theme] = {theme.name: theme for theme in (LIGHT, DARK)}
