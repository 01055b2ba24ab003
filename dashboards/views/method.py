"""What the words mean and by which rules sites are found: the ruleset and the kinds, as data."""

from collections.abc import Mapping

from tracker.ruleset import Figure, LabelSet, Reason, RegionRule, Rule, Ruleset
from tracker.sites import Area, Construct, Mechanism, Territory, Verdict

CONSTRUCTS: Mapping[Construct, str] = {
    Construct.API: "a vendor's API by a dotted or qualified path, one site however long: torch.cuda.synchronize",
    Construct.LITERAL: 'a text that is a device, backend or option name: "cuda", "nccl"',
    Construct.PREDICATE: "a question about the vendor: is_cuda, TEST_CUDA, torch.version.cuda",
    Construct.GUARD: "a preprocessor condition: #ifdef USE_CUDA",
    Construct.INCLUDE: "an include path or an import of a vendor's module",
    Construct.DECORATOR: "a decorator that binds or skips a vendor: @onlyCUDA, @skipIfRocm",
    Construct.DISPATCH: "a registration or dispatch key: DispatchKey::CUDA, kCUDA",
    Construct.LAUNCH: "a kernel launch or kernel qualifier: <<<...>>>, __global__",
    Construct.BUILD: "an option, target or source entry of a build description",
    Construct.CI: "a name in a description of continuous integration or an image recipe",
    Construct.VERSION: "a check of a vendor library's version: CUDA_VERSION",
    Construct.NAME: "an identifier that merely contains a vendor's word: cudagraph_pool. Left out of hard sites",
    Construct.NEUTRAL: "no site but what replaces one: torch.accelerator.synchronize",
}
TERRITORIES: Mapping[Territory, str] = {
    Territory.NEUTRAL: "code for any hardware; only here does a vendor's name count as coupling",
    Territory.VENDOR: "one backend's own code; it may name its vendor",
    Territory.VENDOR_TEST: "a test file for one vendor, or such a test class in a shared file",
    Territory.INTERFACE: "code whose job is to name vendors: device types, dispatch tables, hooks",
    Territory.INFRASTRUCTURE: "continuous integration, images, release matrices",
    Territory.THIRD_PARTY: "code that was copied in",
    Territory.GENERATED: "files that a program writes, recorded output included",
}
MECHANISMS: Mapping[Mechanism, str] = {
    Mechanism.GENERALISED: "a neutral construct, helper or variable visibly takes the site's place",
    Mechanism.BROADENED: "an exclusive place now admits others; the names added by that are not counted as new",
    Mechanism.RELOCATED: "gone to a vendor's territory, behind a backend interface, or out of the tree",
    Mechanism.DROPPED: "deleted inside a definition that lives on",
    Mechanism.RETIRED: "gone with a whole function, test, class, feature or file",
    Mechanism.INTRODUCED: "new in neutral code",
    Mechanism.MOVED: "the same symbol gone from one file and new in another, or its file renamed",
    Mechanism.EDITED: "renamed to another symbol of the same vendor in the same file",
    Mechanism.OUTSIDE: "not neutral code, or a neutral construct: counted, not judged",
    Mechanism.BASELINE: "stood there already at the first commit that was read; no flow",
}
VERDICTS: Mapping[Verdict, str] = {
    Verdict.DECOUPLING: "generalised, broadened and relocated sites are more than half of all that came or went",
    Verdict.REMOVAL: "dropped and retired sites are",
    Verdict.COUPLING: "introduced sites are; a new skip or gate for one vendor is coupling too",
    Verdict.CHURN: "sites of neutral code were only moved or edited, or none of the three has a majority",
    Verdict.VENDOR_INTERNAL: "only vendors' own, interface, third-party or generated places changed",
    Verdict.INFRASTRUCTURE: "infrastructure changed, and no neutral code",
    Verdict.NONE: "no site came or went anywhere",
}
AREAS: Mapping[Area, str] = {
    Area.CORE: "tensors, operators, autograd, everything not below",
    Area.DISTRIBUTED: "several devices and several machines",
    Area.COMPILER: "tracing, compiling and exporting",
    Area.TEST: "tests, of anything",
    Area.BUILD: "how it is built",
    Area.EXAMPLE: "examples and tutorials in the tree",
    Area.TOOLING: "benchmarks, launchers, scripts, developer tools",
}
LIMITS = (
    "What code says is counted, not what it does: a helper that hides the choice of vendor counts as neutral.",
    "CUDA names also reach AMD hardware (ROCm builds answer to torch.cuda): a site counts once, for whose word it is.",
    "Comments, documentation and message texts are left out; a text that is built out of parts may escape.",
    "Which territory a path belongs to is a map made by people; where it is silent a path counts as neutral.",
    "A mechanism is read off one commit's files. A change that lands in several commits is judged commit by commit.",
    "Private and no-reply mail addresses tell no organisation: whoever writes from one is unknown, not nobody.",
    "A pull request that landed shows on GitHub as closed; whether it landed is read from the commits instead.",
    "Binary and oversized files, missing objects, symbolic links and submodules are not scanned; Runs counts them.",
)


def words_and_rules(ruleset: Ruleset) -> dict[str, object]:
    """Return every word and rule for the JSON twin."""
    return {
        "verdicts": VERDICTS,
        "mechanisms": MECHANISMS,
        "constructs": CONSTRUCTS,
        "territories": TERRITORIES,
        "areas": AREAS,
        "limits": LIMITS,
        "vendors": [
            {"name": vendor.name, "title": vendor.title, "also_serves": vendor.also_serves, "words": vendor.words}
            for vendor in ruleset.vendors
        ],
        "rules": [_rule(rule) for rule in ruleset.rules],
        "neutral_constructs": [_rule(rule) for rule in ruleset.neutral_constructs],
        "regions": [_region(rule) for rule in ruleset.regions],
        "places": ruleset.territory_maps,
        "replacements": ruleset.replacements,
        "renames": ruleset.renames,
        "reasons": ruleset.reasons,
        "questions": ruleset.questions,
        "accuracy": [_label_set(labelled, ruleset) for labelled in ruleset.label_sets],
    }


def reasons_by_mechanism(ruleset: Ruleset) -> tuple[tuple[Mechanism | None, tuple[Reason, ...]], ...]:
    """Return the reasons given for each mechanism, in the order of mechanisms; last, under None, those for any."""
    singles = {
        mechanism: tuple(reason for reason in ruleset.reasons if reason.mechanisms == (mechanism,))
        for mechanism in Mechanism
    }
    others = tuple(reason for reason in ruleset.reasons if len(reason.mechanisms) > 1)
    return (
        *((mechanism, found) for mechanism, found in singles.items() if found),
        *([(None, others)] if others else ()),
    )


def figures_of(labelled: LabelSet, ruleset: Ruleset) -> tuple[tuple[Figure, float], ...]:
    """Return the figures of a set of labelled commits with what they mean."""
    meanings = {figure.name: figure for figure in ruleset.figures}
    return tuple((meanings[name], share) for name, share in labelled.figures)


def _label_set(labelled: LabelSet, ruleset: Ruleset) -> dict[str, object]:
    return {
        "name": labelled.name,
        "commits": labelled.commits,
        "read_by": labelled.read_by,
        "tuned_on": labelled.tuned_on,
        "figures": [
            {"name": figure.name, "share": share, "meaning": figure.meaning}
            for figure, share in figures_of(labelled, ruleset)
        ],
    }


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "lifecycle": rule.lifecycle,
        "construct": rule.construct,
        "vendor": rule.vendor or None,
        "languages": rule.languages,
        "symbol": rule.symbol,
        "why": rule.why,
        "source": rule.source,
        "flags": [example.text for example in rule.flags],
        "ignores": [example.text for example in rule.ignores],
    }


def _region(rule: RegionRule) -> dict[str, object]:
    return {
        "id": rule.id,
        "kind": rule.kind,
        "territory": rule.territory,
        "areas": rule.areas,
        "languages": rule.languages,
        "why": rule.why,
        "source": rule.source,
        "flags": [example.text for example in rule.flags],
        "ignores": [example.text for example in rule.ignores],
    }
