"""Build and pipeline texts (CMake, YAML, shell, Dockerfile, configuration, batch, JSON) -> sites, word by word.

A word is a run without white space and the language's separators: an option, a path, an image tag. Versions inside a
tag or an address are not part of its name; the version in the name of a job is.
"""

import re
from collections.abc import Iterable

from tracker.detect.lexing import Piece
from tracker.detect.reading import Reading
from tracker.detect.script_lines import ScriptLines
from tracker.ruleset import Context, Language

_WINDOW = 300
_TAGGED = re.compile(rb"://|/[^:/]*:[\w.]|\.(?:deb|rpm|whl|egg|run|exe|msi|dmg|zip|7z|tar|tgz|tbz|txz|tar\.\w+)$")
"""An address on the web, an image with its tag, or the file of a package."""
_VERSION = re.compile(rb"(?<![0-9])[0-9]+(?:[._][0-9]+)*")
_CMAKE_SIGNS = rb"[^\s()\"';<>,=\[\]]"
_REFERENCE = re.compile(rb"\$(?:\{(\w+)\}|(\w+))")
_YAML_SIGNS = rb"(?:[\w.\-/+@$*%]|:(?=[^\s\"',\]}])|\{(?=\w)|\}(?=[\w/.\-]))"
_SHELL_SIGNS = rb"[^\s\"'`();|&<>=,\[\]!?]"
_GENERATED = b"$<"
_GENERATOR = re.compile(rb"([A-Z][A-Z0-9_]*):(?!:)")
"""The name of a generator expression of CMake, which is no part of its argument: $<LINK_ONLY:torch::cudart>."""
_PLAIN_SIGNS = rb"[\w.:]"
_WORDS: dict[Language, tuple[re.Pattern[bytes], re.Pattern[bytes]]] = {}


def read_words(reading: Reading, lines: ScriptLines, offsets: Iterable[int], high: int) -> None:
    """Read the keywords at `offsets`, line by line."""
    done = lines.start
    for offset in offsets:
        if offset < done or reading.content[offset] == 0x3C or lines.is_for_people(offset):
            continue
        done = _read_word(reading, offset, max(done, lines.start), high)


def read_cmake_pieces(reading: Reading, found: Iterable[Piece], low: int, high: int, done: int) -> int:
    """Read CMake: comments are none, messages are none, words inside other quoted arguments are.

    Returns:
        Where what was read last ends; what ends at `done` was read before.
    """
    content = reading.content
    for piece in found:
        if piece.span is None:
            if piece.offset >= done and content[piece.offset] != 0x3C:
                done = _read_word(reading, piece.offset, max(piece.code_from, done), high)
        elif content[piece.span[0]] == 0x22:
            _read_cmake_string(reading, piece.span, piece.offsets, low)
    return done


def read_json_pieces(reading: Reading, found: Iterable[Piece], _low: int, _high: int, done: int) -> int:
    """Read JSON: a string without white space is one site."""
    for piece in found:
        if piece.span is not None:
            start, end = piece.span
            text = reading.content[start + 1 : end - 1]
            if len(text) <= 200 and not re.search(rb"\s", text):
                reading.token(start, end, Context.STRING, _named(text))
    return done


def _read_cmake_string(reading: Reading, span: tuple[int, int], offsets: list[int], low: int) -> None:
    content = reading.content
    text = content[span[0] + 1 : span[1] - 1]
    if reading.detector.messages.is_message(content, span[0], low):
        return
    spaced = re.search(rb"\s", text.strip())
    done = span[0] + 1
    for offset in offsets:
        if offset < done:
            continue
        start, end = _bounds(reading, offset, done, span[1] - 1)
        word = content[start:end]
        if not spaced or re.search(rb"[${}/]|^-|::|_", word):
            reading.token(start, end, Context.STRING, _named(word))
        done = end


def _read_word(reading: Reading, offset: int, low: int, high: int) -> int:
    start, end = _bounds(reading, offset, low, high)
    reading.token(start, end, Context.CODE, _named(reading.content[start:end]))
    return end


def _bounds(reading: Reading, offset: int, low: int, high: int) -> tuple[int, int]:
    forth, back = _words_of(reading.reader.language)
    content = reading.content
    before = back.match(content[max(low, offset - _WINDOW) : offset][::-1])
    after = forth.match(content, offset, min(high, offset + _WINDOW))
    start = offset - (before.end() if before else 0)
    end = max(after.end() if after else 0, offset + 1)
    while start < offset and (
        content[start] in b"*:,%{}" or (content[start] == 0x2E and content[start + 1] not in b"./")  # not of ./ and ../
    ):
        start += 1
    if content[start - 2 : start] == _GENERATED and (name := _GENERATOR.match(content, start, end)):
        start, end = (name.end(), end) if name.end() <= offset else (start, name.end(1))
    unopened = b"" if b"{" in content[start:end] else b"}"
    while end > offset + 1 and content[end - 1] in b"*.:,%\\" + unopened:
        end -= 1
    return start, end


def _words_of(language: Language) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    if language not in _WORDS:
        signs = {
            Language.CMAKE: _CMAKE_SIGNS,
            Language.YAML: _YAML_SIGNS,
            Language.PLAIN: _PLAIN_SIGNS,
        }.get(language, _SHELL_SIGNS)
        backward = rb"[\w.\-/+@$*%:{}]" if language is Language.YAML else signs
        _WORDS[language] = (re.compile(signs + rb"*"), re.compile(backward + rb"*"))
    return _WORDS[language]


def _named(word: bytes) -> bytes:
    """Name a word without the versions in an address, a tag or a package file; a variable asked for is the variable."""
    reference = _REFERENCE.fullmatch(word)
    if reference:
        return reference[1] or reference[2]
    return _VERSION.sub(b"#", word) if _TAGGED.search(word) else word
