"""Whether a string is a message that people read, from what stands around it: no vendor's name in it is a site.

Looks at most at the 600 bytes before the string, so a text is read in linear time.
"""

import re

from tracker.ruleset import Messages

_WINDOW = 600
_ANSWERS_KEPT = 1 << 14
_TOKENS = re.compile(
    rb"""
    "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | \#[^\n]+ | //[^\n]* | [()\[\]{};]
    """,
    re.VERBOSE,
)
_PARTS = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{},]")
_NEAR = 120
_MOST_BRACKETS = 12
"""Round brackets without a name before them that may stand around an argument."""
_NAME_BEFORE = re.compile(rb"\s*([\w:.]+)")
_CALL_BEFORE = re.compile(rb"\s*\(\s*([\w:.]+)")
_KEYWORD_BEFORE = re.compile(rb"\s*=\s*(\w+)")
_NO_MESSAGE_BEFORE = re.compile(rb"\s*[\[{=>]")
"""In a list, in a dictionary, behind a comparison or an arrow: what holds it decides nothing about one element."""
_WORD = re.compile(rb"\s*([\w:]+)")
_PARENTHESIS, _SEMICOLON = 0x28, 0x3B
_OPEN, _CLOSE = b"([{", b")]}"


class MessageJudge:
    """Knows the names of functions, arguments and statements that hold messages."""

    def __init__(self, messages: Messages) -> None:
        self._calls = _any_of(messages.calls)
        self._keywords = _any_of(messages.keywords)
        self._statements = _any_of(messages.statements)
        self._titles = _any_of(messages.titles)
        self._are_titles: dict[bytes, bool] = {}

    def is_message(self, content: bytes, start: int, low: int) -> bool:
        """Say whether the string at `start` (its prefix included) is an argument or statement that holds messages."""
        window = content[max(low, start - _WINDOW) : start]
        nearest = window[-_NEAR:][::-1]
        if keyword := _KEYWORD_BEFORE.match(nearest):
            return bool(self._keywords.fullmatch(_forward(keyword[1])))
        if call := _CALL_BEFORE.match(nearest):
            return bool(self._calls.fullmatch(_forward(call[1])))
        return not _NO_MESSAGE_BEFORE.match(nearest) and self._is_further_argument(window)

    def _is_further_argument(self, window: bytes) -> bool:
        """Look for the call or statement that the end of the window belongs to."""
        opened, statement = _before(window)
        for _ in range(_MOST_BRACKETS):
            if opened < 0:
                break
            if window[opened] != _PARENTHESIS:
                return False
            if name := _NAME_BEFORE.match(window[:opened][-_NEAR:][::-1]):
                return bool(self._calls.fullmatch(_forward(name[1])))
            opened, statement = _before(window[:opened])
        if opened >= 0:
            return False
        word = _WORD.match(window, statement)
        if not word or not self._statements.fullmatch(word[1]):
            return False
        return word[1] != b"assert" or _has_second_part(window[statement:])

    def is_title(self, key: bytes) -> bool:
        """Say whether the value of a key is written for people."""
        known = self._are_titles.get(key)
        if known is None:
            if len(self._are_titles) >= _ANSWERS_KEPT:
                self._are_titles.clear()
            known = self._are_titles[key] = bool(self._titles.fullmatch(key))
        return known

    def is_statement(self, word: bytes) -> bool:
        """Say whether a statement or command that begins with this word prints for people."""
        return bool(self._statements.fullmatch(word))


def _before(window: bytes) -> tuple[int, int]:
    """Return where the innermost bracket that is open at the end of the window stands (-1: none), and the statement.

    Goes back line by line, since the bracket nearly always stands near. The statement begins with the last line, or
    behind the last semicolon, with no bracket left to close.
    """
    depth, statement, end = 0, -1, len(window)
    while end >= 0:
        line = window.rfind(b"\n", 0, end) + 1
        for position in reversed(_signs(window, line, end)):
            sign = window[position]
            if sign == _SEMICOLON:
                statement = position + 1 if statement < 0 and not depth else statement
            elif sign in _CLOSE:
                depth += 1
            elif depth:
                depth -= 1
            else:
                return position, statement
        statement = line if statement < 0 and not depth else statement
        end = line - 1
    return -1, max(statement, 0)


def _signs(window: bytes, low: int, high: int) -> list[int]:
    """Return where brackets and semicolons stand, those in strings and comments left out."""
    return [found.start() for found in _TOKENS.finditer(window, low, high) if found.end() - found.start() == 1]


def _has_second_part(statement: bytes) -> bool:
    """Say whether a comma outside brackets and strings has been passed: the text of an assertion stands behind one."""
    depth = 0
    for found in _PARTS.finditer(statement):
        sign = found[0]
        if sign == b"," and depth == 0:
            return True
        if len(sign) == 1 and sign in _OPEN:
            depth += 1
        elif len(sign) == 1 and sign in _CLOSE:
            depth -= 1
    return False


def _forward(reversed_name: bytes) -> bytes:
    return reversed_name[::-1].lstrip(b".:")


def _any_of(expressions: tuple[str, ...]) -> re.Pattern[bytes]:
    return re.compile("|".join(f"(?:{expression})" for expression in expressions).encode() or b"(?!)")
