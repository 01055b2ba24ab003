"""Which vendors a name speaks of, by its words: whether a new name admits more of them than the old one did."""

from functools import lru_cache

from tracker.pairing.words import words_of
from tracker.ruleset import Ruleset

_ADMITS = frozenset({b"or", b"and", b"any"})


def names_further_vendors(old: str, new: str, ruleset: Ruleset) -> bool:
    """Whether `new` names the vendors of `old` and further ones beside them: require_cuda, require_cuda_or_xpu."""
    before, after = _vendors_named(old, ruleset), _vendors_named(new, ruleset)
    return before < after and any(word.text in _ADMITS for word in words_of(new.encode()))


@lru_cache(maxsize=1 << 12)
def _vendors_named(symbol: str, ruleset: Ruleset) -> frozenset[str]:
    words = _vendor_words(ruleset)
    return frozenset(words[word.text] for word in words_of(symbol.encode()) if word.text in words)


@lru_cache(maxsize=8)
def _vendor_words(ruleset: Ruleset) -> dict[bytes, str]:
    return {
        word.lower().encode(): vendor.name
        for vendor in ruleset.vendors
        for word in (*vendor.words.anywhere, *vendor.words.parts)
    }
