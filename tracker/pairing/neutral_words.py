"""Words in code that stand for whatever accelerator is there: signs that a vendor's name was replaced by a neutral one.

Neutral constructs proper are detected as occurrences (rules/neutral.toml); these are the names that programs give to
their own variables, parameters and helpers.
"""

import re

_STRONG = re.compile(
    rb"\b(?:"
    rb"torch\.accelerator|at::accelerator|get_accelerator|current_accelerator\w*|is_accelerator\w*|AcceleratorHooks\w*|"
    rb"(?:self\.)?\w*device_type\w*|GPU_TYPE|HAS_GPU\w*|TEST_ACCELERATOR|TEST_PRIVATEUSE1|PrivateUse1|privateuse1\w*|"
    rb"torch_device\w*|\w*device_module|get_device_module|default_device\w*|device_name|current_device_name|"
    rb"communication_backend_name|backend_device_count|backend_\w+|get_default_backend\w*|distributed_backend|"
    rb"require_(?:non_cpu|accelerator|multi_device|multi_accelerator|cuda_or_\w+|non_\w+)|requires_(?:gpu|accelerator)\w*|"
    rb"onlyAccelerator|onlyNativeDeviceTypes|onlyOn|instantiate_device_type_tests|deviceCountAtLeast|"
    rb"(?:c10::|at::)?(?:Optional)?DeviceGuard|(?:c10::|at::)?(?:impl::)?VirtualGuardImpl|DeviceGuardImplInterface|"
    rb"getDeviceGuardImpl|c10::(?:Stream|Event|Device)|at::(?:Stream|Device)|torch\.(?:Stream|Event|device|autocast)|"
    rb"torch\.amp|is_cpu|devices?|DeviceType|device\.type"
    rb")\b"
)
_NAMES_NOTHING = frozenset(
    b"true false none null nullptr self this cls not and or in is if else elif for while return with as lambda assert "
    b"const auto int float bool str void static torch at c10 std np os sys type dtype size shape".split()
)
_DEVICE_WORD = re.compile(rb"(?i)device|accelerator|backend|gpu|stream|memory|cache|sync|seed|rng|amp|autocast|scaler")


def names_neutral(text: bytes) -> str | None:
    """Return the first neutral word of a piece of code, as it is written; None where there is none."""
    found = _STRONG.search(text)
    return found[0].decode(errors="replace") if found else None


def neutral_words(text: bytes) -> list[bytes]:
    """Return all neutral words of a piece of code."""
    return _STRONG.findall(text)


def names_something(identifier: bytes) -> bool:
    """Whether an identifier is a name of its own and no keyword, namespace or constant."""
    return identifier.lower() not in _NAMES_NOTHING


def sounds_like_a_device_helper(name: bytes) -> bool:
    """Whether a function's name speaks of devices or of what they hold."""
    return bool(_DEVICE_WORD.search(name))
