"""The company field of profiles: what people write there, and what it says of today's employer."""

import pytest

from tests.tracker.judging import shipped_ruleset
from tracker.affiliation import organisation_of_company


@pytest.mark.parametrize(
    ("company", "organisation"),
    [
        ("Intel Corporation", "intel"),
        ("Intel Labs", "intel"),
        ("@NVIDIA", "nvidia"),
        ("Intern @ NVIDIA", "nvidia"),
        ("Meta", "meta"),
        ("Meta Platforms, Inc.", "meta"),
        ("@facebook", "meta"),
        ("FAIR", "meta"),
        ("Software Engineer at Apple", "apple"),
        ("Arm Ltd.", "arm"),
        ("Amazon Web Services (AWS)", "aws"),
        ("Annapurna Labs", "aws"),
        ("Microsoft Research Asia", "microsoft"),
        ("Huawei Technologies Co., Ltd.", "huawei"),
        ("华为", "huawei"),
        ("Moore Threads", "mthreads"),
        ("AMD (ROCm)", "amd"),
        ("Lightning-AI", "lightning"),
        ("Meta, formerly somewhere else", "meta"),
        ("Google (formerly Meta)", "google"),
        ("formerly NVIDIA, now AMD", "amd"),
        ("ex-NVIDIA; Tenstorrent", "tenstorrent"),
        ("MIT", "academia"),
        ("Freelancer", "independent"),
    ],
)
def test_a_company_of_today_is_read_out_of_the_words_around_it(company: str, organisation: str) -> None:
    assert organisation_of_company(company, shipped_ruleset()) == organisation


@pytest.mark.parametrize(
    "company",
    [
        "",
        "@",
        "ex-Google",
        "ex-@facebook",
        "not at Meta",
        "Not affiliated with Google",
        "formerly Meta, Google",
        "Previously @facebook @google",
        "retired from IBM",
        "Incoming @Meta",
        "Future NVIDIA intern",
        "meta-learning lab",
        "@meta-llama-fans",
        "metaverse",
        "The Fair Company",
        "Fair Isaac",
        "Apple Orchard Software",
        "arm wrestling",
        "Armada",
        "Amazon rainforest trust",
        "intellectual works",
        "University of Washington",
        "Intel Center, Stanford University",
        "Harvard University, Google Scholar",
        "Google Summer of Code",
        "Google Developer Expert",
        "Student at MIT",
        "@pytorch",
        "GROQQING",
        "x" * 10_000,
    ],
)
def test_what_is_past_denied_yet_to_come_or_of_another_name_says_nothing(company: str) -> None:
    assert organisation_of_company(company, shipped_ruleset()) is None
