"""Makes up two years of a small upstream's history: who coupled it to hardware, who decoupled it, and how that went.

Commits, reverts, relands and pull requests come out the same for the same end and seed. The trend is plain: coupling
prevails at first, vendors' contributions turn it in the second year. The last days hold something of each kind, so that
alerts have something to say. Messages have the form that PyTorch's merge bot gives them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from random import Random

from jobs.demo.facts import DECOUPLINGS, FINALE, PEOPLE, DemoCommit, Organisations
from jobs.demo.sources import (
    BUILDS,
    CORE,
    KERNEL,
    KERNELS,
    LIBRARY,
    PIECES,
    PLAIN_CPP,
    PLAIN_PYTHON,
    VENDOR_HOME,
    WORKFLOW_PATH,
    Variant,
)
from jobs.demo.tree import DemoTree, Standing, stem

SPAN = timedelta(weeks=104)
STEPS = 400
"""Commits between the first one and the last days."""
SEED = 2026
SHARE_UNDONE = 0.15
"""Of decouplings that are reverted within days."""
SHARE_NOT_LANDED_AGAIN = 0.3
"""Of the reverted ones."""


def demo_history(end: datetime, seed: int = SEED) -> tuple[DemoCommit, ...]:
    """Return the commits, oldest first; the last one stands two hours before the end."""
    story = _Story(end, seed)
    story.begin()
    for step in range(STEPS):
        story.step(step / STEPS, end - SPAN + (step + 1) * (SPAN - timedelta(days=8)) / STEPS)
    for hours, what, where in FINALE:
        story.tell(what, end - timedelta(hours=hours), where)
    return tuple(story.commits)


@dataclass(slots=True)
class _Undoing:
    """A decoupling that will be reverted, and perhaps landed again."""

    commit: DemoCommit
    standing: Standing
    after: Variant
    steps_left: int
    reverted: bool = False


class _Story:
    """The upstream while it is made up."""

    def __init__(self, end: datetime, seed: int) -> None:
        self.commits: list[DemoCommit] = []
        self._end = end
        self._random = Random(seed)  # noqa: S311 - a story, not a secret
        self._tree = DemoTree()
        self._undoing: list[_Undoing] = []
        self._last_decoupling: _Undoing | None = None
        self._kinds: dict[str, Callable[[datetime, str], bool]] = {
            "introduce": self._introduce,
            "decouple": self._decouple,
            "generalise": partial(self._decouple, visibly=True),
            "relocate": self._relocate,
            "retire": self._retire,
            "move": self._move,
            "plain": self._plain,
            "kernel": self._kernel,
            "build": self._build,
            "revert": self._revert_last,
        }

    def begin(self) -> None:
        """Write the first commit: a framework that knows one vendor."""
        for path in (*LIBRARY, *CORE, *KERNELS, VENDOR_HOME, "README.md"):
            self._tree.write(path)
        self._tree.write(WORKFLOW_PATH, BUILDS[0], f"          - {BUILDS[0]}\n")
        for piece in PIECES:
            for path in piece.paths:
                for name in self._random.sample(piece.names, 2):
                    self._tree.stand(piece, name, path, Variant.COUPLED)
        self._commit(
            self._end - SPAN, ("meta",), "Begin", "A framework, small enough to show.", self._tree.paths, (600, 0)
        )

    def step(self, through: float, at: datetime) -> None:
        """Do one thing, by how far the story is (0..1): what prevails turns from coupling to decoupling."""
        for undoing in self._undoing:
            undoing.steps_left -= 1
        due = next((undoing for undoing in self._undoing if undoing.steps_left <= 0), None)
        if due is not None:
            self._undo_or_redo(due, at)
            return
        weights = {
            "plain": 30.0,
            "introduce": 26 - 17 * through,
            "decouple": 4 + 22 * through,
            "relocate": 1 + 3 * through,
            "retire": 2.0,
            "move": 3.0,
            "kernel": 10.0,
            "build": 4.0,
        }
        (what,) = self._random.choices(list(weights), list(weights.values()))
        self.tell(what, at, "")

    def tell(self, what: str, at: datetime, where: str) -> None:
        """Let one thing happen; a day on which it cannot has a plain commit instead."""
        at = at.replace(microsecond=0) + timedelta(minutes=self._random.randrange(50))
        if not self._kinds[what](at, where):
            self._plain(at, where)

    def _introduce(self, at: datetime, where: str) -> bool:
        places = [(piece, path) for piece in PIECES for path in piece.paths if path.startswith(where)]
        piece, path = self._random.choice(places)
        name = self._random.choice(piece.names)
        if name in self._tree.names(path):
            name = f"{name}_{len(self.commits)}"
        self._tree.stand(piece, name, path, Variant.COUPLED)
        lines = piece.variants[Variant.COUPLED].count("\n")
        title, body = f"Add {name} to {stem(path)}", "It is needed for the benchmark on our cluster."
        self._commit(at, ("nvidia", "nvidia", "meta", "meta", None, None, "google"), title, body, [path], (lines, 0))
        return True

    def _decouple(self, at: datetime, where: str, *, visibly: bool = False) -> bool:
        standing = self._one_of(
            lambda each: (
                each.variant is Variant.COUPLED
                and each.path.startswith(where)
                and (not visibly or Variant.NEUTRAL in each.piece.variants)
            )
        )
        if standing is None:
            return False
        (variant,) = set(standing.piece.variants) - {Variant.COUPLED}
        commit = self._change(standing, variant, at)
        self._last_decoupling = _Undoing(commit, standing, variant, 0)
        if self._random.random() < SHARE_UNDONE:
            self._undoing.append(_Undoing(commit, standing, variant, self._random.randrange(2, 5)))
        return True

    def _change(self, standing: Standing, variant: Variant, at: datetime, relands: int | None = None) -> DemoCommit:
        title, organisations = DECOUPLINGS[variant]
        title = title.format(name=standing.name, where=stem(standing.path))
        body = "No change for the devices it ran on before."
        if relands is not None:
            title, body = f"[Reland] {title}", "The test that failed is mended."
        return self._rewrite(standing, variant, at, organisations, title, body, relands=relands)

    def _rewrite(  # noqa: PLR0913 - one argument for each part of a commit
        self,
        standing: Standing,
        variant: Variant,
        at: datetime,
        organisations: Organisations,
        title: str,
        body: str,
        *,
        reverts: int | None = None,
        relands: int | None = None,
    ) -> DemoCommit:
        before = standing.lines
        self._tree.rewrite(standing, variant)
        lines = (standing.lines, before)
        return self._commit(at, organisations, title, body, [standing.path], lines, reverts=reverts, relands=relands)

    def _revert_last(self, at: datetime, _where: str) -> bool:
        """Undo the newest decoupling, for good as far as this story goes."""
        if self._last_decoupling is None:
            return False
        self._revert(self._last_decoupling, at)
        return True

    def _undo_or_redo(self, undoing: _Undoing, at: datetime) -> None:
        if undoing.reverted:
            self._undoing.remove(undoing)
            self._change(undoing.standing, undoing.after, at, relands=undoing.commit.key)
            return
        self._revert(undoing, at)
        undoing.steps_left = self._random.randrange(4, 9)
        if self._random.random() < SHARE_NOT_LANDED_AGAIN:
            self._undoing.remove(undoing)

    def _revert(self, undoing: _Undoing, at: datetime) -> None:
        undoing.reverted = True
        title = f'Revert "{undoing.commit.title}'
        self._rewrite(undoing.standing, Variant.COUPLED, at, ("meta",), title, "", reverts=undoing.commit.key)

    def _relocate(self, at: datetime, _where: str) -> bool:
        standing = self._one_of(lambda each: each.variant is Variant.COUPLED and each.path.startswith("torch/"))
        if standing is None or standing.name in self._tree.names(VENDOR_HOME):
            return False
        title = f"Move {standing.name} into torch.cuda"
        paths = [standing.path, VENDOR_HOME]
        text = self._tree.fall(standing)
        self._tree.write(VENDOR_HOME, standing.name, text)
        lines = text.count("\n")
        self._commit(at, ("aws", "meta"), title, "Only that backend uses it.", paths, (lines, lines))
        return True

    def _retire(self, at: datetime, _where: str) -> bool:
        standing = self._one_of(lambda each: each.variant is Variant.COUPLED)
        if standing is None:
            return False
        text = self._tree.fall(standing)
        title = f"Remove {standing.name} from {stem(standing.path)}"
        self._commit(at, ("meta", None), title, "Nothing uses it.", [standing.path], (0, text.count("\n")))
        return True

    def _move(self, at: datetime, _where: str) -> bool:
        standing = self._one_of(lambda each: len(each.piece.paths) > 1)
        if standing is None:
            return False
        free = [path for path in standing.piece.paths if standing.name not in self._tree.names(path)]
        if not free:
            return False
        old, new = standing.path, self._random.choice(free)
        lines = self._tree.fall(standing).count("\n")
        self._tree.stand(standing.piece, standing.name, new, standing.variant)
        title = f"Move {standing.name} from {stem(old)} to {stem(new)}"
        self._commit(at, ("meta", None), title, "It belongs there.", [old, new], (lines, lines))
        return True

    def _plain(self, at: datetime, _where: str) -> bool:
        path = self._random.choice((*LIBRARY, *CORE))
        name = f"sum_{len(self.commits)}"
        text = PLAIN_CPP if path.endswith(".cpp") else PLAIN_PYTHON
        self._tree.write(path, name, text)
        everybody = ("meta", "meta", None, None, "intel", "aws", "google")
        self._commit(at, everybody, f"Add {name}", "Used by the next change.", [path], (text.count("\n"), 0))
        return True

    def _kernel(self, at: datetime, _where: str) -> bool:
        path, name = self._random.choice(KERNELS), f"double_{len(self.commits)}"
        self._tree.write(path, name, KERNEL)
        body = "Twice as fast on large inputs."
        self._commit(at, ("nvidia", "nvidia", "amd"), f"Add kernel {name}", body, [path], (KERNEL.count("\n"), 0))
        return True

    def _build(self, at: datetime, _where: str) -> bool:
        tested = self._tree.names(WORKFLOW_PATH)
        if len(tested) == len(BUILDS):
            return False
        build = BUILDS[len(tested)]
        self._tree.write(WORKFLOW_PATH, build, f"          - {build}\n")
        self._commit(at, ("meta", "amd", "intel"), f"Test {build}", "On the new machines.", [WORKFLOW_PATH], (1, 0))
        return True

    def _one_of(self, wanted: Callable[[Standing], bool]) -> Standing | None:
        """Choose a piece that stands; one that is being undone and redone is left alone."""
        busy = [undoing.standing for undoing in self._undoing]
        found = [standing for standing in self._tree.standing if standing not in busy and wanted(standing)]
        return self._random.choice(found) if found else None

    def _commit(  # noqa: PLR0913 - one argument for each part of a commit
        self,
        at: datetime,
        organisations: Organisations,
        title: str,
        body: str,
        paths: Iterable[str],
        lines: tuple[int, int],
        *,
        reverts: int | None = None,
        relands: int | None = None,
    ) -> DemoCommit:
        organisation = self._random.choice(organisations)
        commit = DemoCommit(
            key=len(self.commits),
            at=max(at, self.commits[-1].at + timedelta(minutes=1)) if self.commits else at,
            author=self._random.choice([each for each in PEOPLE if each.organisation == organisation]),
            title=title,
            body=body,
            files=self._tree.texts(tuple(paths)),
            lines_added=lines[0],
            lines_removed=lines[1],
            reverts=reverts,
            relands=relands,
        )
        self.commits.append(commit)
        return commit
