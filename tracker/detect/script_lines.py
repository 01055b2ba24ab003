"""Which parts of scripts and pipeline descriptions people read: comments, titles, echoed texts, whole blocks of them.

Keywords are asked about in ascending order; each line is looked at once, so a text takes linear time however long its
lines are.
"""

import re
from bisect import bisect_left, bisect_right

from tracker.detect.messages import MessageJudge
from tracker.ruleset import Language

_KEY = re.compile(rb"\s*(?:-\s+)*[\"']?([\w-]+)[\"']?\s*[:=]\s")
_COMMAND = re.compile(rb"[;|(]+|(?<!>)&+|\b(?:then|do|else|RUN)\b|\b(?:run|script|command):\s")
_FIRST_WORD = re.compile(rb"[\s@-]*(?:[0-9]?>&[0-9]\s*)?([\w:]+)")
_REDIRECTION = re.compile(rb"(?<![-=0-9&>])>{1,2}(?![&(>])")
_QUOTED = rb"(?<![\w\\])\"(?:[^\"\\]|\\.)*(?:\"|\Z)|(?<![\w\\])'[^']*(?:'|\Z)"
_HASH = re.compile(_QUOTED + rb"|(?:(?<=\s)|\A)(#)")
_HASH_OR_SEMICOLON = re.compile(_QUOTED + rb"|(?:(?<=\s)|\A)([#;])")
_COMMENTS = {
    Language.YAML: _HASH,
    Language.SHELL: _HASH,
    Language.DOCKERFILE: _HASH,
    Language.CONFIG: _HASH_OR_SEMICOLON,
}
_UNREAD_IN_BATCH = (b"rem ", b"::", b"echo ", b"#")
_SCALAR = re.compile(rb"^([ \t]*(?:- +)*)[\"']?([\w-]+)[\"']?[ \t]*:[ \t]+(?=([|>])?)[^\s#][^\n]*", re.MULTILINE)
_TO_PEOPLE = rb"(?:[ \t]|[0-9]?>&[0-9])*"
_SHOWN = re.compile(
    rb"^(?:[^\n|$]*\{)?%b\bcat%b<<-?[ \t]*([\"']?)(\w+)\1%b$" % (_TO_PEOPLE, _TO_PEOPLE, _TO_PEOPLE), re.MULTILINE
)


class ScriptLines:
    """Judges keywords of one text, which must be asked about in ascending order."""

    def __init__(self, content: bytes, language: Language, messages: MessageJudge, begin: int, end: int) -> None:
        """Look for blocks between two offsets at which lines begin; no block goes on at the first."""
        self._content = content
        self._language = language
        self._messages = messages
        self._comment = _COMMENTS.get(language)
        self._blocks, self.goes_on_to = _blocks(content, language, messages, begin, end)
        """`goes_on_to`: where the last part ends that must be read as a whole."""
        self.start = self._end = begin
        """Where the line of the last keyword begins and ends."""
        self._read_from = self._read_to = begin
        """The part of the line that is neither comment nor title, absolute."""
        self._commands: list[int] = []
        self._redirections: list[int] = []

    def is_for_people(self, offset: int) -> bool:
        """Say whether the keyword at `offset` stands in a comment, a title or a message."""
        if offset >= self._end:
            self._enter_line(offset)
        block = bisect_right(self._blocks, (offset, len(self._content))) - 1
        if block >= 0 and offset < self._blocks[block][1]:
            return True
        return not self._read_from <= offset < self._read_to or self._is_echoed(offset)

    def _enter_line(self, offset: int) -> None:
        content = self._content
        self.start = content.rfind(b"\n", self._end, offset) + 1 or self._end
        end = content.find(b"\n", offset)
        self._end = end + 1 if end >= 0 else len(content)
        line = content[self.start : self._end]
        self._read_from, self._read_to = self.start, self.start + self._readable(line)
        self._commands = [self.start, *(self.start + found.end() for found in _COMMAND.finditer(line))]
        self._redirections = [self.start + found.start() for found in _REDIRECTION.finditer(line)]
        key = _KEY.match(line)
        if key and self._messages.is_title(key[1]):
            value = content[self.start + key.end() : self._read_to].strip().strip(b"\"'")
            if b" " in value:
                self._read_to = self.start + key.end()

    def _readable(self, line: bytes) -> int:
        """Return how much of a line is no comment."""
        if self._language is Language.BATCH:
            return 0 if line.lstrip().lower().lstrip(b"@").startswith(_UNREAD_IN_BATCH) else len(line)
        if self._comment is not None:
            for found in self._comment.finditer(line):
                if found[1]:
                    return found.start()
        return len(line)

    def _is_echoed(self, offset: int) -> bool:
        """Say whether the command around `offset` prints for people, and not into a file."""
        number = bisect_right(self._commands, offset)
        word = _FIRST_WORD.match(self._content, self._commands[number - 1], self._end)
        if not word or word.end() > offset or not self._messages.is_statement(word[1]):
            return False
        until = self._commands[number] if number < len(self._commands) else self._end
        redirection = bisect_left(self._redirections, offset)
        return redirection == len(self._redirections) or self._redirections[redirection] >= until


_Blocks = list[tuple[int, int]]


def _blocks(content: bytes, language: Language, messages: MessageJudge, begin: int, end: int) -> tuple[_Blocks, int]:
    """Return the bounds of the blocks of lines that people read, in order; none overlaps another.

    Those that begin between two offsets, and where the last part ends that nothing else can begin in.
    """
    blocks: _Blocks = []
    passed = begin
    if language in (Language.YAML, Language.SHELL) and content.find(b"<<", begin, end) >= 0:
        found, passed = _shown_documents(content, begin, end)
        blocks += found
    if language is Language.YAML:
        found, position = _long_titles(content, messages, begin, end)
        blocks += found
        passed = max(passed, position)
    apart: _Blocks = []
    for start, stop in sorted(blocks):
        if not apart or start >= apart[-1][1]:
            apart.append((start, stop))
    return apart, passed


def _shown_documents(content: bytes, begin: int, end: int) -> tuple[_Blocks, int]:
    """Find what `cat` prints of the script itself, to no file and no other command."""
    blocks: _Blocks = []
    position = begin
    while (found := _SHOWN.search(content, position)) and found.start() < end:
        last = re.compile(rb"^[ \t]*%b[ \t]*$" % found[2], re.MULTILINE).search(content, found.end())
        position = last.end() if last else len(content)
        blocks.append((found.end(), position))
    return blocks, position


def _long_titles(content: bytes, messages: MessageJudge, begin: int, end: int) -> tuple[_Blocks, int]:
    """Find what titles and descriptions say on the lines below their key; other block scalars are passed over."""
    blocks: _Blocks = []
    position = begin
    while (found := _SCALAR.search(content, position)) and found.start() < end:
        position = found.end()
        title = messages.is_title(found[2])
        if title or found[3]:
            position = _end_of_indented(content, position, len(found[1]))
            if title and position > found.end():
                blocks.append((found.end(), position))
    return blocks, position


def _end_of_indented(content: bytes, position: int, column: int) -> int:
    """Return where the lines below `position` end that are blank or stand further to the right than a column."""
    while position < len(content):
        end = content.find(b"\n", position + 1)
        end = end if end >= 0 else len(content)
        line = content[position + 1 : end]
        if line.strip() and len(line) - len(line.lstrip(b" \t")) <= column:
            break
        position = end
    return position
