"""TOML texts to a validated ruleset."""

import pickle

import pytest

from tracker.errors import RulesetError
from tracker.rules import read_rules
from tracker.ruleset import Figure, LabelSet, Language, Lifecycle, Question, Reason, Vendor, Words, load_ruleset
from tracker.sites import Construct, Mechanism

VENDORS = """
innocent = ['amd64']
[[vendor]]
name = "nvidia"
title = "NVIDIA"
also_serves = ["amd"]
anywhere = ["cuda"]
source = "s"
[[vendor]]
name = "amd"
title = "AMD"
parts = ["hip"]
source = "s"
"""
CONSTRUCTS = """
roots = ["torch"]
[messages]
calls = ['print']
[[rule]]
id = "name.any"
lifecycle = "stable"
construct = "name"
symbol = '.+'
why = "w"
source = "s"
flags = [{ language = "python", text = "cuda_x" }]
ignores = [{ language = "python", text = "x" }]
"""
NEUTRAL = """
[[construct]]
id = "neutral.any"
lifecycle = "experimental"
keywords = ["torch.accelerator"]
symbol = 'torch\\.accelerator'
why = "w"
source = "s"
flags = [{ language = "python", text = "torch.accelerator" }]
ignores = [{ language = "python", text = "x" }]
[[replacement]]
old = 'torch\\.cuda\\.(\\w+)'
new = 'torch.accelerator.\\1'
source = "s"
[[rename]]
old = 'onlyX'
new = 'onlyY'
source = "s"
"""
ORGANISATIONS = """
[[organisation]]
name = "example"
title = "Example"
domains = ["example.com"]
"""
DEFAULT = """
[[territory]]
globs = ["**/cuda/**"]
territory = "vendor"
vendors = ["nvidia"]
"""
TEXTS = {
    "vendors.toml": VENDORS,
    "constructs.toml": CONSTRUCTS,
    "neutral.toml": NEUTRAL,
    "organisations.toml": ORGANISATIONS,
    "territory-default.toml": DEFAULT,
    "alerts.toml": "[[alert]]\nname = 'any'\n",
}


def problems_of(**changed: str) -> tuple[str, ...]:
    texts = {**TEXTS, **{f"{name}.toml": text for name, text in changed.items()}}
    with pytest.raises(RulesetError) as caught:
        load_ruleset(texts)
    return caught.value.problems


def test_a_ruleset_holds_what_the_files_say() -> None:
    ruleset = load_ruleset(TEXTS)
    assert ruleset.vendor("nvidia") == Vendor(
        name="nvidia", title="NVIDIA", also_serves=("amd",), words=Words(anywhere=("cuda",)), source="s"
    )
    rule = ruleset.rule("neutral.any")
    assert (rule.construct, rule.lifecycle, rule.languages) == (
        Construct.NEUTRAL,
        Lifecycle.EXPERIMENTAL,
        tuple(Language),
    )
    assert ruleset.alerts_text == TEXTS["alerts.toml"]
    assert [organisation.domains for organisation in ruleset.organisations] == [("example.com",)]


def test_replacements_name_what_takes_the_place_of_a_symbol() -> None:
    ruleset = load_ruleset(TEXTS)
    assert ruleset.replacement_for("torch.cuda.synchronize") == "torch.accelerator.synchronize"
    assert ruleset.replacement_for("my.torch.cuda.synchronize") is None
    assert ruleset.renamed_to("onlyX") == "onlyY"
    assert ruleset.renamed_to("torch.cuda.synchronize") is None


def test_equal_texts_give_equal_rulesets_also_after_pickling() -> None:
    one, other = load_ruleset(TEXTS), load_ruleset(dict(reversed(TEXTS.items())))
    copied = pickle.loads(pickle.dumps(one))  # noqa: S301 -- our own bytes
    assert one == other == copied
    assert hash(one) == hash(other) == hash(copied)
    assert len(one.digest) == 64


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("vendors.toml", '"hip"', '"hip", "rocm"'),
        ("constructs.toml", "'.+'", "'.*'"),
        ("constructs.toml", '"torch"', '"torch", "at"'),
        ("neutral.toml", "'onlyY'", "'onlyZ'"),
        ("territory-default.toml", "**/cuda/**", "**/hip/**"),
    ],
)
def test_what_decides_a_verdict_is_in_the_digest(file: str, old: str, new: str) -> None:
    assert old in TEXTS[file]
    assert load_ruleset({**TEXTS, file: TEXTS[file].replace(old, new)}).digest != load_ruleset(TEXTS).digest


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("alerts.toml", "'any'", "'other'"),
        ("organisations.toml", "example.com", "example.org"),
        ("constructs.toml", 'why = "w"', 'why = "another reason"  # said better'),
        ("constructs.toml", 'text = "x"', 'text = "y"'),
        ("vendors.toml", '"NVIDIA"', '"NVIDIA Corporation"'),
    ],
)
def test_alerts_employers_and_explanations_judge_nothing_anew(file: str, old: str, new: str) -> None:
    assert old in TEXTS[file]
    assert load_ruleset({**TEXTS, file: TEXTS[file].replace(old, new)}).digest == load_ruleset(TEXTS).digest


def test_all_problems_are_named_at_once_with_their_files_and_keys() -> None:
    problems = problems_of(
        vendors=VENDORS.replace('"hip"', '"HIP"').replace('["amd"]', '["nobody"]'),
        constructs=CONSTRUCTS.replace("'.+'", "'('").replace('"stable"', '"old"'),
        territory_default="x = ",
    )
    assert len(problems) == 5
    assert "vendors.toml.vendor[2] (amd).parts: 'HIP' must be written in lower case" in problems
    assert "vendors.toml (nvidia): also_serves names 'nobody', which is no vendor" in problems
    assert any(p.startswith("constructs.toml.rule[1] (name.any).symbol: the regular expression '('") for p in problems)
    assert any("(name.any).lifecycle: 'old' is none of experimental, stable, retired" in p for p in problems)


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("vendors", "[[vendor]]\nname = 1", "vendors.toml.vendor[1].name: a text is needed, not 1"),
        ("vendors", VENDORS + 'typo = "x"', "vendors.toml.vendor[2] (amd).typo: is not a key that is known here"),
        ("vendors", VENDORS + VENDORS[VENDORS.index("[[") :], "vendors.toml: 'amd' is defined twice"),
        ("vendors", "vendor = 3", "vendors.toml.vendor: an array of tables is needed"),
        ("constructs", CONSTRUCTS + 'vendor = "nobody"', "constructs.toml (name.any): 'nobody' is no vendor"),
        ("constructs", "roots = ['a', 'a']", "constructs.toml.roots: the list names something twice"),
        ("constructs", CONSTRUCTS.replace('"name.any"', '"Name Any"'), "must be lower-case words joined by dots"),
        ("constructs", CONSTRUCTS.replace('"name"\n', '"neutral"\n'), "neutral constructs belong in neutral.toml"),
        (
            "constructs",
            CONSTRUCTS.replace('[{ language = "python", text = "x" }]', "[]"),
            "constructs.toml.rule[1] (name.any).ignores: 1 flags need as many ignores, not 0",
        ),
        ("constructs", "max_blob_bytes = 0\n" + CONSTRUCTS, "max_blob_bytes: a positive whole number is needed, not 0"),
        ("neutral", NEUTRAL.replace("\\1", "\\2"), "neutral.toml.replacement[1].new: does not fit the expression"),
        ("neutral", NEUTRAL.replace('["torch.accelerator"]', "[]"), "(neutral.any).keywords: the list is empty"),
        ("organisations", ORGANISATIONS * 2, "organisations.toml: 'example' is defined twice"),
        (
            "organisations",
            ORGANISATIONS + ORGANISATIONS.replace('name = "example"', 'name = "other"'),
            "organisations.toml (other): 'example.com' belongs to 'example' already",
        ),
        ("alerts", "[", "alerts.toml: not well-formed TOML"),
    ],
)
def test_each_kind_of_problem_is_found(name: str, text: str, problem: str) -> None:
    assert any(problem in found for found in problems_of(**{name: text}))


def test_an_owner_of_territory_must_be_known() -> None:
    texts = {**TEXTS, "territory-own.toml": 'repositories = ["a/b"]\n' + DEFAULT.replace('"nvidia"', '"nobody"')}
    with pytest.raises(
        RulesetError, match=r"territory-own\.toml .*'nobody' is neither a vendor nor an uncounted owner"
    ):
        load_ruleset(texts)


@pytest.mark.parametrize("missing", ["vendors.toml", "constructs.toml", "neutral.toml", "organisations.toml"])
def test_a_missing_file_is_a_problem(missing: str) -> None:
    with pytest.raises(RulesetError, match=f"{missing}: the file is missing"):
        load_ruleset({name: text for name, text in TEXTS.items() if name != missing})


def test_one_map_must_hold_for_all_other_repositories() -> None:
    with pytest.raises(RulesetError, match="one map without repositories must be the default"):
        load_ruleset({name: text for name, text in TEXTS.items() if name != "territory-default.toml"})


def test_the_shipped_rules_are_valid() -> None:
    assert load_ruleset(read_rules()).vendor("nvidia").also_serves == ("amd",)


def texts_with(**files: str) -> dict[str, str]:
    """The smallest rules, with further files by their names without the ending."""
    smallest = {
        "vendors.toml": VENDORS,
        "constructs.toml": CONSTRUCTS,
        "neutral.toml": NEUTRAL,
        "organisations.toml": ORGANISATIONS,
        "territory-default.toml": DEFAULT,
    }
    return smallest | {f"{name}.toml": text for name, text in files.items()}


REASON = """
[[reason]]
id = "gone"
words = "its file is gone"
mechanisms = ["retired"]
why = "w"
[[question]]
id = "pairing.skip"
asks = "a?"
why = "w"
source = "s"
flags = ["skip"]
ignores = ["x"]
"""
ACCURACY = """
[[figure]]
name = "verdict_accuracy"
title = "verdict"
meaning = "m"
[[set]]
name = "held out"
commits = 90
read_by = "two independent readings"
tuned_on = false
[set.figures]
verdict_accuracy = 1
"""


def test_explanations_of_the_judgement_are_read() -> None:
    ruleset = load_ruleset(texts_with(pairing=REASON, accuracy=ACCURACY))
    assert ruleset.reason("its file is gone") == Reason(
        id="gone", words="its file is gone", mechanisms=(Mechanism.RETIRED,), why="w"
    )
    assert ruleset.reason("never given") is None
    assert ruleset.questions == (
        Question(id="pairing.skip", asks="a?", why="w", source="s", flags=("skip",), ignores=("x",)),
    )
    assert ruleset.figures == (Figure(name="verdict_accuracy", title="verdict", meaning="m"),)
    assert ruleset.label_sets == (
        LabelSet(
            name="held out",
            commits=90,
            read_by="two independent readings",
            tuned_on=False,
            figures=(("verdict_accuracy", 1.0),),
        ),
    )


def test_explanations_of_the_judgement_judge_nothing_anew() -> None:
    assert load_ruleset(texts_with(pairing=REASON, accuracy=ACCURACY)).digest == load_ruleset(texts_with()).digest


def test_without_explanations_there_are_none() -> None:
    ruleset = load_ruleset(texts_with())
    assert (ruleset.reasons, ruleset.questions, ruleset.figures, ruleset.label_sets) == ((), (), (), ())


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "pairing",
            REASON.replace('"retired"', '"lost"'),
            "pairing.toml.reason[1] (gone).mechanisms: 'lost' is none of",
        ),
        ("pairing", REASON.replace('["x"]', "[]"), "question[1] (pairing.skip).ignores: the list is empty"),
        (
            "pairing",
            REASON.replace('flags = ["skip"]', 'flags = ["skip", "xfail"]'),
            "2 flags need as many ignores, not 1",
        ),
        ("pairing", REASON + REASON, "pairing.toml: 'gone' is defined twice"),
        ("pairing", REASON.replace('"its file is gone"', f'"{"x" * 161}"'), "words: no more than 160 signs are kept"),
        (
            "accuracy",
            ACCURACY.replace("= 1\n", "= 1.01\n"),
            "verdict_accuracy: a number from 0 to 1 is needed, not 1.01",
        ),
        (
            "accuracy",
            ACCURACY.replace("= 1\n", "= true\n"),
            "verdict_accuracy: a number from 0 to 1 is needed, not True",
        ),
        ("accuracy", ACCURACY.replace("tuned_on = false", ""), "tuned_on: true or false is needed, not None"),
        ("accuracy", ACCURACY + "invented = 1\n", "figures.invented: is not a key that is known here"),
    ],
)
def test_what_is_wrong_in_an_explanation_is_named(name: str, text: str, problem: str) -> None:
    with pytest.raises(RulesetError) as raised:
        load_ruleset(texts_with(**{name: text}))
    assert problem in str(raised.value)


def test_a_map_says_of_each_rule_what_it_says_of_the_file_unless_it_says_otherwise() -> None:
    own = """
repositories = ["a/b"]
source = "the tree of a/b"
[[territory]]
globs = ["x/**"]
territory = "vendor"
[[territory]]
id = "territory.own.mine"
globs = ["y/**"]
territory = "generated"
why = "w"
source = "s"
flags = ["y/a"]
ignores = ["x/a"]
[[area]]
globs = ["t/**"]
area = "test"
"""
    ruleset = load_ruleset(texts_with(**{"territory-own": own}))
    rules = next(rules for rules in ruleset.territory_maps if rules.name == "own")
    told = [(rule.id, rule.why, rule.source, rule.flags, rule.ignores) for rule in rules.territories]
    assert told == [
        ("territory.own.1", "", "the tree of a/b", (), ()),
        ("territory.own.mine", "w", "s", ("y/a",), ("x/a",)),
    ]
    assert [(rule.id, rule.source) for rule in rules.areas] == [("area.own.1", "the tree of a/b")]


def test_a_rule_of_places_needs_as_many_paths_it_leaves_alone_as_it_decides() -> None:
    own = """
repositories = ["a/b"]
[[territory]]
globs = ["x/**"]
territory = "vendor"
flags = ["x/a", "x/b"]
ignores = ["y"]
"""
    with pytest.raises(RulesetError, match="2 flags need as many ignores, not 1"):
        load_ruleset(texts_with(**{"territory-own": own}))


def test_what_replaces_what_is_shown_and_judges_nothing() -> None:
    other = texts_with(neutral=NEUTRAL.replace("torch.accelerator.\\1", "torch.other.\\1"))
    assert load_ruleset(other).replacement_for("torch.cuda.init") == "torch.other.init"
    assert load_ruleset(other).digest == load_ruleset(texts_with()).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("torch.cuda.current_device", "torch.accelerator.current_device_index"),
        ("torch.cuda.set_device", "torch.accelerator.set_device_index"),
        ("torch.cuda.device", "torch.accelerator.device_index"),
        ("torch.cuda.max_memory_allocated", "torch.accelerator.max_memory_allocated"),
        ("torch.cuda.mem_get_info", "torch.accelerator.get_memory_info"),
        ("torch.cuda.CUDAGraph", "torch.accelerator.Graph"),
        ("torch.cuda.Stream", "torch.Stream"),
        ("torch.cuda.get_rng_state", "torch.accelerator.random.get_rng_state"),
        ("torch.cuda.amp.GradScaler", "torch.amp.GradScaler"),
        ("torch.cuda.get_device_properties", "torch.get_device_module(device).get_device_properties"),
        (".cuda", ".to(device)"),
        ("cuda:0", "device_type"),
        ("nccl", "get_default_backend_for_device(device)"),
        ("c10::cuda::set_device", "at::accelerator::setDeviceIndex"),
        ("c10::cuda::CUDACachingAllocator::emptyCache", "at::accelerator::emptyCache"),
        ("at::cuda::OptionalCUDAGuard", "c10::DeviceGuard"),
        ("torch.cuda.nvtx.range_push", None),
        ("torch.version.cuda", None),
        ("cudaMalloc", None),
    ],
)
def test_the_shipped_mapping_names_the_neutral_api_or_none(old: str, new: str | None) -> None:
    assert load_ruleset(read_rules()).replacement_for(old) == new
