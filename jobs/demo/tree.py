"""The demonstration's files as pieces of code with names, and the text that git is given for them."""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.demo.sources import WORKFLOW_PATH, Piece, Variant, head_of


@dataclass(slots=True)
class Standing:
    """A piece of code as it stands now."""

    piece: Piece
    name: str
    path: str
    variant: Variant

    @property
    def lines(self) -> int:
        return self.piece.variants[self.variant].count("\n")


class DemoTree:
    """Every file, while the history is made up."""

    def __init__(self) -> None:
        self.standing: list[Standing] = []
        self._blocks: dict[str, dict[str, str]] = {}
        """Path -> name -> text, in the order of the file."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._blocks)

    def names(self, path: str) -> tuple[str, ...]:
        """Return what stands in a file, in its order."""
        return tuple(self._blocks.get(path, ()))

    def write(self, path: str, name: str = "", text: str = "") -> None:
        """Add plain text under a name, or replace it; without a name the file is only made."""
        blocks = self._blocks.setdefault(path, {})
        if name:
            blocks[name] = text.replace("NAME", name)

    def stand(self, piece: Piece, name: str, path: str, variant: Variant) -> Standing:
        """Add a piece of code."""
        self.write(path, name, piece.variants[variant])
        standing = Standing(piece, name, path, variant)
        self.standing.append(standing)
        return standing

    def rewrite(self, standing: Standing, variant: Variant) -> None:
        """Turn a piece into another of its variants."""
        standing.variant = variant
        self.write(standing.path, standing.name, standing.piece.variants[variant])

    def fall(self, standing: Standing) -> str:
        """Take a piece of code away and return its text."""
        self.standing.remove(standing)
        return self._blocks[standing.path].pop(standing.name)

    def texts(self, paths: tuple[str, ...]) -> Mapping[str, str]:
        """Return the whole text of each file."""
        return {path: _text(path, self._blocks[path]) for path in paths}


def stem(path: str) -> str:
    """Return a file's name without folder and ending."""
    return path.rpartition("/")[2].partition(".")[0]


def _text(path: str, blocks: Mapping[str, str]) -> str:
    gap = "" if path == WORKFLOW_PATH else "\n\n"
    return head_of(path) + "".join(gap + text for text in blocks.values())
