"""What the demonstration's open pull requests would do: files of their heads, made from those of the branch's tip."""

from collections.abc import Mapping, Sequence
from typing import Final

from jobs.demo.facts import DemoCommit
from tracker.upstream import PullRequest, PullRequestState

Files = Mapping[str, str]
"""Path -> text."""

_GENERALISES: Final = ("device-agnostic", "on every accelerator")
"""What a title says that wants to stop naming a vendor."""
_ADDITIONS: Final = {
    "Trainium": '\n\ndef save_from_neuron(state):\n    return state.to("neuron")\n',
    "ROCm": "\n\n@skipIfRocm\ndef test_that_is_slow(self):\n    self.run_for_long()\n",
    "": "\n\ndef run_fused(x):\n    torch.cuda.synchronize()\n    return x.cuda()\n",
}
"""What else a title says -> the code that is added; the last fits every title."""


def proposed_files(commits: Sequence[DemoCommit], pulls: Sequence[PullRequest]) -> dict[int, Files]:
    """Return the files that the head of each open pull request changes, by number."""
    tip: dict[str, str] = {}
    for commit in commits:
        tip |= commit.files
    opened = [pull for pull in pulls if pull.state is PullRequestState.OPEN]
    return {pull.number: _change(pull.title, tip, number) for number, pull in enumerate(opened)}


def _change(title: str, tip: Files, turn: int) -> Files:
    code = sorted(path for path, text in tip.items() if path.endswith(".py") and "torch.cuda." in text)
    path = code[turn % len(code)]
    if any(words in title for words in _GENERALISES):
        return {path: tip[path].replace("torch.cuda.", "torch.accelerator.")}
    addition = next(text for words, text in _ADDITIONS.items() if words in title)
    return {path: tip[path].rstrip("\n") + "\n" + addition}
