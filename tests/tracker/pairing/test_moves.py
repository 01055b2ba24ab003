"""What merely moved or was renamed, and what was not."""

from tests.tracker.judging import change, judged, outcome

CODE = "src/project/runtime.py"
OTHER = "src/project/setup.py"


def test_a_symbol_gone_from_one_file_and_new_in_another_has_moved() -> None:
    assert outcome(
        change(CODE, "def a():\n    torch.cuda.init()\n", "def a():\n    pass\n"),
        change(OTHER, "def b():\n    pass\n", "def b():\n    torch.cuda.init()\n"),
    ) == ("churn", "moved", 0, 0)


def test_a_moved_block_is_no_broadening_even_beside_another_vendor() -> None:
    block = "def pick():\n    if torch.cuda.is_available():\n        return 'cuda'\n    return 'cpu'\n"
    assert outcome(
        change(CODE, "x = 1\n\n\n" + block, "x = 1\n"),
        change(
            OTHER,
            "def xpu():\n    return torch.xpu.is_available()\n",
            "def xpu():\n    return torch.xpu.is_available()\n\n\n" + block,
        ),
    ) == ("churn", "moved", 0, 0)


def test_a_function_that_moves_inside_its_file_posts_nothing() -> None:
    first, second = "def a():\n    torch.cuda.init()\n", "def b():\n    return 1\n"
    found = judged(change(CODE, first + "\n\n" + second, second + "\n\n" + first))
    assert (found.verdict, found.entries) == ("none", ())


def test_a_reformatted_line_posts_nothing() -> None:
    before = "def a(x):\n    return x.to('cuda', non_blocking=True)\n"
    after = 'def a(x):\n    return x.to(\n        "cuda",\n        non_blocking=True,\n    )\n'
    assert judged(change(CODE, before, after)).entries == ()


def test_a_vendors_symbol_renamed_within_the_vendor_is_edited() -> None:
    assert outcome(
        change(
            "tests/test_memory.py",
            "def test_peak():\n    torch.xpu.reset_max_memory_allocated()\n",
            "def test_peak():\n    torch.xpu.reset_peak_memory_stats()\n",
        )
    ) == ("churn", "edited", 0, 0)


def test_another_prefix_is_an_edit() -> None:
    assert outcome(
        change("src/project/ops.cpp", "auto b = at::Backend::CUDA;\n", "auto b = at::kCUDA;\n"),
    ) == ("churn", "edited", 0, 0)


def test_a_path_in_a_source_list_that_gets_another_folder_is_edited() -> None:
    assert outcome(
        change(
            "tools/sources.bzl",
            'core = [\n    "torch/lib/reducer.cpp",\n    "torch/lib/reducer_cuda.cpp",\n]\n',
            'core = [\n    "torch/csrc/reducer.cpp",\n    "torch/csrc/reducer_cuda.cpp",\n]\n',
        )
    ) == ("churn", "edited", 0, 0)


def test_a_renamed_skip_elsewhere_in_the_file_is_edited() -> None:
    tests = "class TestA:\n    @{skip}\n    def test_one(self):\n        run()\n\n{filler}\n"
    filler = "    def test_two(self):\n        walk()\n"
    assert outcome(
        change(
            "tests/test_a.py",
            tests.format(skip="skipCUDAIfRocm", filler=filler),
            tests.format(skip="skipIfRocm", filler=filler),
        )
    ) == ("churn", "edited", 0, 0)


def test_a_symbol_of_another_vendor_is_no_edit() -> None:
    assert outcome(change(CODE, "def a(x):\n    return x.to('cuda')\n", "def a(x):\n    return x.to('hpu')\n")) == (
        "churn",
        "dropped",
        1,
        1,
    )


def test_a_neutral_name_that_means_the_same_is_an_edit() -> None:
    assert outcome(
        change(
            "tests/test_a.py",
            "class TestA:\n    @onlyOnCPUAndCUDA\n    def test_one(self, device):\n        run()\n",
            "class TestA:\n    @onlyNativeDeviceTypes\n    def test_one(self, device):\n        run()\n",
        )
    ) == ("churn", "edited", 0, 0)


def test_more_gone_than_come_leaves_the_rest_removed() -> None:
    assert outcome(
        change(CODE, "def a():\n    torch.cuda.init()\n    torch.cuda.init()\n", "def a():\n    pass\n"),
        change(OTHER, "def b():\n    pass\n", "def b():\n    torch.cuda.init()\n"),
    ) == ("removal", "dropped", 1, 0)
