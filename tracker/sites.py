"""Sites and where they stand: the nouns that detection, ledger and judgement share.

A site's identity has no line number (a moved line posts nothing); an occurrence adds the place in one text.
Definitions: the guide's words, see docs/architecture.md.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Construct(StrEnum):
    """The kind of a site."""

    API = "api"
    """A vendor's API by a dotted or qualified path: torch.cuda.synchronize, at::cuda::x, cudaMemcpyAsync."""
    LITERAL = "literal"
    """A string that is a device, backend or option name: "cuda", "cuda:0", "nccl"."""
    PREDICATE = "predicate"
    """A question about the vendor: is_cuda, TEST_CUDA, torch.version.cuda, torch.cuda.is_available."""
    GUARD = "guard"
    """A preprocessor condition: #ifdef USE_CUDA."""
    INCLUDE = "include"
    """An include path or an import of a vendor's module."""
    DECORATOR = "decorator"
    """A decorator that binds or skips a vendor: @onlyCUDA, @skipIfRocm, dtypesIfCUDA."""
    DISPATCH = "dispatch"
    """A registration or dispatch key: DispatchKey::CUDA, kCUDA, DeviceType::CUDA, dispatch: CUDA:."""
    LAUNCH = "launch"
    """A kernel launch (<<<...>>>) or kernel qualifier (__global__)."""
    BUILD = "build"
    """An option, target or source entry of a build description."""
    CI = "ci"
    """A name in a CI description or image recipe."""
    VERSION = "version"
    """A check of a vendor library's version: CUDA_VERSION."""
    NAME = "name"
    """An identifier that merely contains a vendor word: cudagraph_pool."""
    NEUTRAL = "neutral"
    """Not a site but what replaces one: torch.accelerator.synchronize. Its vendor is empty."""


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """What stands somewhere, without where; neutral constructs are carried the same way, with vendor ""."""

    construct: Construct
    vendor: str
    """The vendor whose word it is; which others the same name serves is `Ruleset.vendor(name).also_serves`."""
    symbol: str
    """The token run itself; a literal stands without its quotes."""
    rule: str
    """Id of the rule that matched; permanent."""

    def __hash__(self) -> int:
        # Texts remember their hash, and these three leave little to the construct.
        return hash((self.symbol, self.vendor, self.rule))


class Occurrence(NamedTuple):
    """One site at one place of one text. A tuple, since a history holds a hundred million of them."""

    line: int
    """From 1."""
    start: int
    """Offset of its first byte in the text's bytes."""
    end: int
    site: Site


class Territory(StrEnum):
    """Where a path stands."""

    NEUTRAL = "neutral"
    VENDOR = "vendor"
    VENDOR_TEST = "vendor_test"
    INTERFACE = "interface"
    INFRASTRUCTURE = "infrastructure"
    THIRD_PARTY = "third_party"
    GENERATED = "generated"


class Area(StrEnum):
    """What a path is for."""

    CORE = "core"
    DISTRIBUTED = "distributed"
    COMPILER = "compiler"
    TEST = "test"
    BUILD = "build"
    EXAMPLE = "example"
    TOOLING = "tooling"


@dataclass(frozen=True, slots=True)
class Place:
    """What a path means in one repository's territory map."""

    territory: Territory
    area: Area
    subsystem: str
    """Finer than the area, from the map; the area's own name where the map says nothing finer."""
    vendors: tuple[str, ...] = ()
    """Who owns it, where the territory is a vendor's."""


@dataclass(frozen=True, slots=True, order=True)
class Region:
    """A part of one text that stands elsewhere than its file: a test class for one vendor in a shared test file."""

    start: int
    """Offset of its first byte."""
    end: int
    territory: Territory
    areas: tuple[Area, ...] = ()
    """Only in files that are for this; empty: in any neutral file."""


class Mechanism(StrEnum):
    """What became of a site."""

    GENERALISED = "generalised"
    """A neutral construct, helper or variable visibly takes its place."""
    BROADENED = "broadened"
    """An exclusive place now admits others."""
    RELOCATED = "relocated"
    """Gone to a vendor's territory, behind a backend interface, or out of the tree."""
    DROPPED = "dropped"
    """Deleted inside a definition that lives on."""
    RETIRED = "retired"
    """Gone with a whole function, test, class, feature or file."""
    INTRODUCED = "introduced"
    """New in neutral territory."""
    MOVED = "moved"
    """The same symbol gone from one file and new in another, or its file renamed."""
    EDITED = "edited"
    """A vendor symbol renamed to another of the same vendor in the same file."""
    OUTSIDE = "outside"
    """Not neutral territory, or a neutral construct: counted, not judged."""
    BASELINE = "baseline"
    """Stood there already at the first commit that was read."""


class Verdict(StrEnum):
    """What one commit does to neutral code."""

    DECOUPLING = "decoupling"
    REMOVAL = "removal"
    COUPLING = "coupling"
    CHURN = "churn"
    VENDOR_INTERNAL = "vendor-internal"
    INFRASTRUCTURE = "infrastructure"
    NONE = "none"
