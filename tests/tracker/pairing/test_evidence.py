"""Why a vanished site is gone: each telling pattern in miniature, beside what only looks like it."""

import pytest

from tests.tracker.judging import Outcome, change, judged, outcome

CODE = "src/project/runtime.py"
TEST = "tests/test_runtime.py"
NATIVE = "src/project/native/ops.cpp"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "def run(x, device):\n    x = x.to('cuda')\n    return x\n",
            "def run(x, device):\n    x = x.to(device)\n    return x\n",
            ("decoupling", "generalised", 1, 0),
            id="a parameter stands where the literal stood",
        ),
        pytest.param(
            "def wait():\n    torch.cuda.synchronize()\n    log()\n",
            "def wait():\n    torch.accelerator.synchronize()\n    log()\n",
            ("decoupling", "generalised", 1, 0),
            id="the neutral API takes the vendor's place",
        ),
        pytest.param(
            "class Tracker:\n    def start(self):\n        torch.cuda.empty_cache()\n",
            "class Tracker:\n    def start(self):\n        self.module.empty_cache()\n",
            ("decoupling", "generalised", 1, 0),
            id="a variable stands for the vendor's module",
        ),
        pytest.param(
            "def step(x):\n    total_cuda = x.sum()\n    total_cuda = total_cuda / 2\n    return total_cuda\n",
            "def step(x):\n    total = x.sum()\n    total = total / 2\n    return total\n",
            ("decoupling", "generalised", 4, 0),
            id="a name loses its vendor",
        ),
        pytest.param(
            "def place(x):\n    return x.to('cuda:0')\n",
            "def place(x):\n    return x.to(0)\n",
            ("decoupling", "generalised", 1, 0),
            id="an index without a vendor",
        ),
        pytest.param(
            "def check(x):\n    return not x.is_cuda\n",
            "def check(x):\n    return x.is_cpu\n",
            ("decoupling", "generalised", 1, 0),
            id="asked for the processor instead",
        ),
        pytest.param(
            "def scaler(new):\n    if new:\n        s = torch.amp.GradScaler('cuda')\n    else:\n"
            "        s = torch.cuda.amp.GradScaler()\n    return s\n",
            "def scaler(new):\n    s = make_grad_scaler()\n    return s\n",
            ("decoupling", "generalised", 2, 0),
            id="a helper hides the choice",
        ),
        pytest.param(
            "class TestIndex:\n    def test_first(self):\n"
            "        devices = ['cuda'] if torch.cuda.is_available() else []\n"
            "        for device in devices:\n            index(device)\n",
            "class TestIndex:\n    def test_first(self, device):\n        index(device)\n",
            ("decoupling", "generalised", 2, 0),
            id="the test gets its device from outside",
        ),
        pytest.param(
            "def run(x):\n    x = x.to('cuda')\n    return x\n",
            "def run(x):\n    x = x.to('cpu')\n    return x\n",
            ("removal", "dropped", 1, 0),
            id="sent to the processor is not generalised",
        ),
        pytest.param(
            "def run(x):\n    torch.cuda.synchronize()\n    return x\n",
            "def run(x):\n    return x\n",
            ("removal", "dropped", 1, 0),
            id="a deleted line inside a function that lives on",
        ),
        pytest.param(
            "def run(x):\n    return x\n\n\ndef warm_up():\n    torch.cuda.init()\n",
            "def run(x):\n    return x\n",
            ("removal", "retired", 1, 0),
            id="gone with its function",
        ),
        pytest.param(
            "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n"
            "        return torch.cuda.device_count()\n",
            "class A:\n    def one(self):\n        return 1\n",
            ("removal", "retired", 1, 0),
            id="gone with its method while the class lives on",
        ),
        pytest.param(
            "def run(x):\n    x.to('cuda')\n    return x\n",
            "def run(x):\n    x.to('xpu')\n    return x\n",
            ("churn", "dropped", 1, 1),
            id="one vendor for another generalises nothing",
        ),
        pytest.param(
            "def run(x):\n    torch.cuda.synchronize()\n    return x\n\n\ndef other(x):\n    return x\n",
            "def run(x):\n    return x\n\n\ndef other(x, device):\n    return x.to(device)\n",
            ("removal", "dropped", 1, 0),
            id="a neutral name in another function replaces nothing",
        ),
        pytest.param(
            "def put(x):\n    a = x.to('cuda')\n    b = x.to('cuda')\n    return a, b\n",
            "def put(x):\n    a = b = x.to('cuda')\n    return a, b\n",
            ("removal", "dropped", 1, 0),
            id="of two copies one is left",
        ),
        pytest.param(
            "def train(x):\n    with torch.cuda.amp.autocast():\n        return step(x)\n\n\n"
            "def check(x):\n    with torch.cuda.amp.autocast():\n        return probe(x)\n",
            "def _run(work, x):\n    with torch.cuda.amp.autocast():\n        return work(x)\n\n\n"
            "def train(x):\n    return _run(step, x)\n\n\ndef check(x):\n    return _run(probe, x)\n",
            ("removal", "dropped", 1, 0),
            id="copies folded into a helper that names the vendor as they did",
        ),
        pytest.param(
            "def same(a, b):\n    if a.is_cuda and b.is_cuda:\n        return fast(a, b)\n    return slow(a, b)\n",
            "def same(a, b):\n    if a.is_cuda:\n        return fast(a, b)\n    return slow(a, b)\n",
            ("removal", "dropped", 1, 0),
            id="a condition that still asks for the vendor admits nobody",
        ),
        pytest.param(
            "def gather(x):\n    return xla_mesh_reduce(x, torch.cat)\n",
            "import torch_xla.core.xla_model as xm\n\n\ndef gather(x):\n    return xm.mesh_reduce(x, torch.cat)\n",
            ("churn", "dropped", 1, 1),
            id="another name for a vendor's module is no neutral name",
        ),
        pytest.param(
            "def load(self):\n    state = read()\n    self.model.cuda(self.root)\n    self.resume(state)\n",
            "from lib import rank_zero_deprecation\n\n\n"
            "def load(self):\n    rank_zero_deprecation('use restore')\n    self.resume(read())\n",
            ("removal", "dropped", 1, 0),
            id="a warning takes nobody's place",
        ),
        pytest.param(
            "def send(x):\n    y = x.to('cuda:0')\n    return y\n\n\ndef other():\n    return 1\n",
            "def send(x):\n    # y = x.to('cuda:0')\n    return x\n\n\ndef other():\n    return 1\n",
            ("removal", "dropped", 1, 0),
            id="a comment takes nobody's place",
        ),
        pytest.param(
            "def fill(x):\n    if torch.cuda.is_available():\n        x = pin(x)\n    return x\n",
            "def fill(x):\n    if x.device_type != 'cpu':\n        x = pin(x)\n    return x\n",
            ("decoupling", "generalised", 1, 0),
            id="one condition stands where another stood",
        ),
    ],
)
def test_code_that_stands_or_falls(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(CODE, before, after)) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "class TestA:\n    @skipIfRocm\n    def test_one(self):\n        run()\n",
            "class TestA:\n    def test_one(self):\n        run()\n",
            ("decoupling", "broadened", 1, 0),
            id="a skip is lifted",
        ),
        pytest.param(
            "class TestA:\n    @onlyCUDA\n    def test_one(self, device):\n        run()\n",
            "class TestA:\n    def test_one(self, device):\n        run()\n",
            ("decoupling", "broadened", 1, 0),
            id="a test for one vendor runs everywhere",
        ),
        pytest.param(
            "class TestA:\n    @require_cuda\n    def test_one(self):\n        run()\n",
            "class TestA:\n    @require_non_cpu\n    def test_one(self):\n        run()\n",
            ("decoupling", "generalised", 1, 0),
            id="a neutral requirement takes its place",
        ),
        pytest.param(
            "class TestA:\n    @require_cuda\n    def test_one(self):\n        run()\n",
            "class TestA:\n    @require_cuda_or_xpu\n    def test_one(self):\n        run()\n",
            ("decoupling", "broadened", 1, 0),
            id="a requirement whose new name admits another vendor",
        ),
        pytest.param(
            "class TestA:\n    @unittest.skipIf(IS_WINDOWS or TEST_WITH_ROCM, 'no')\n"
            "    def test_one(self):\n        run()\n",
            "class TestA:\n    @unittest.skipIf(IS_WINDOWS, 'no')\n    def test_one(self):\n        run()\n",
            ("decoupling", "broadened", 1, 0),
            id="a vendor's term is taken out of a condition",
        ),
        pytest.param(
            "def test_one(device):\n    if device == 'cuda' and half:\n        with assertRaises(RuntimeError):\n"
            "            run()\n        return\n    run()\n",
            "def test_one(device):\n    run()\n",
            ("decoupling", "broadened", 1, 0),
            id="an early return for one vendor is a skip",
        ),
        pytest.param(
            "def bench(device):\n    assert device == 'cuda'\n    run()\n",
            "def bench(device):\n    run()\n",
            ("decoupling", "broadened", 1, 0),
            id="a check for one vendor is gone",
        ),
        pytest.param(
            "OPS = [\n    OpInfo(\n        'fft',\n        skips=(\n            SkipInfo(\n"
            "                'test_grad',\n"
            "                active_if=TEST_WITH_ROCM,\n            ),\n        ),\n    ),\n]\n",
            "OPS = [\n    OpInfo(\n        'fft',\n    ),\n]\n",
            ("decoupling", "broadened", 1, 0),
            id="a skip inside an entry that stays",
        ),
        pytest.param(
            "OPS = [\n    OpInfo(\n        'fft',\n        skips=(\n"
            "            SkipInfo('test_grad', active_if=TEST_WITH_ROCM),\n"
            "        ),\n    ),\n    OpInfo('abs'),\n]\n",
            "OPS = [\n    OpInfo('abs'),\n]\n",
            ("removal", "retired", 1, 0),
            id="a skip inside an entry that is gone is no broadening",
        ),
        pytest.param(
            "OPS = [\n    OpInfo('abs',\n           skips=(\n"
            "               SkipInfo('test_grad', active_if=TEST_WITH_ROCM),\n"
            "           )),\n    OpInfo('fft',\n           skips=(\n               SkipInfo('test_jit'),\n"
            "               SkipInfo('test_grad', active_if=TEST_WITH_ROCM),\n           )),\n    OpInfo('sin'),\n]\n",
            "OPS = [\n    OpInfo('abs',\n           skips=(\n"
            "               SkipInfo('test_grad', active_if=TEST_WITH_ROCM),\n"
            "           )),\n    OpInfo('sin'),\n]\n",
            ("removal", "retired", 1, 0),
            id="a skip of an entry that is gone, behind another entry that ends like it",
        ),
        pytest.param(
            "OPS = [\n    OpInfo('sin',\n           dtypes=types(half),\n"
            "           backward_dtypesIfCUDA=types(half),\n"
            "           safe=True),\n]\n",
            "OPS = [\n    OpInfo('sin',\n           dtypes=types(half),\n           safe=True),\n]\n",
            ("removal", "dropped", 1, 0),
            id="what held for a vendor apart in an entry that stays kept nobody out",
        ),
        pytest.param(
            "ALLOWED = [\n    ('aten::cudnn_convolution.old', date(2022, 1, 31)),\n"
            "    ('aten::add', date(2022, 1, 31)),\n]\n",
            "ALLOWED = [\n    ('aten::gelu', date(2022, 1, 31)),\n    ('aten::add', date(2022, 1, 31)),\n]\n",
            ("removal", "dropped", 1, 0),
            id="another row of a list, which shares no word with the one that is gone",
        ),
        pytest.param(
            "ALLOWED = [\n    ('aten::cudnn_convolution', date(2022, 1, 31)),\n]\n",
            "ALLOWED = [\n    ('aten::convolution', date(2022, 1, 31)),\n]\n",
            ("decoupling", "generalised", 1, 0),
            id="the row of the same operation without the vendor's library",
        ),
        pytest.param(
            "def sample_geqrf(device):\n    for n in SIZES:\n        if device.type == 'cuda' and n == 0:\n"
            "            continue\n        a = make(n)\n        samples.append(a)\n    return samples\n",
            "def sample_qr_geqrf(device):\n    for n in SIZES:\n        yield make(n)\n",
            ("removal", "retired", 1, 0),
            id="a function that begins where another ended is not called there",
        ),
        pytest.param(
            "from harness import run, skipIfRocm\n\n\ndef test_one():\n    run()\n",
            "from harness import run\n\n\ndef test_one():\n    run()\n",
            ("removal", "dropped", 1, 0),
            id="an import of a skip that nothing used is no broadening",
        ),
        pytest.param(
            "class TestA:\n    @skipIfRocm\n    def test_one(self):\n        run()\n\n"
            "    def test_two(self):\n        run()\n",
            "class TestA:\n    def test_two(self):\n        run()\n",
            ("removal", "retired", 1, 0),
            id="a skip gone with its test is no broadening",
        ),
        pytest.param(
            "from harness import onlyCUDA\n\n\nclass TestA:\n    @onlyCUDA\n"
            "    def test_one(self, device):\n        run()\n",
            "class TestA:\n    def test_one(self, device):\n        run()\n",
            ("decoupling", "broadened", 2, 0),
            id="an import follows what became of its uses",
        ),
        pytest.param(
            "class TestA:\n    def test_one(self):\n        self.assertTrue(run().is_cuda)\n"
            "        self.assertEqual(run(), 1)\n",
            "class TestA:\n    def test_one(self):\n        self.assertEqual(run(), 1)\n",
            ("removal", "dropped", 1, 0),
            id="a dropped assertion about a result is no lifted check",
        ),
        pytest.param(
            "class TestA:\n    def test_add(self):\n        assert run().device.type == 'cuda'\n",
            "class TestA:\n    def test_add(self):\n        assert run().device.type == 'cpu'\n",
            ("removal", "dropped", 1, 0),
            id="the processor is expected where a vendor's device was",
        ),
        pytest.param(
            "class TestOld:\n    @skipIfRocm\n    def test_save(self):\n        run()\n\n\n"
            "class TestNew:\n    @skipIfRocm\n    def test_save(self):\n        run_again()\n",
            "class TestNew:\n    @skipIfRocm\n    def test_save(self):\n        run_once_more()\n",
            ("removal", "retired", 1, 0),
            id="a skip gone with its class while another class has a test of that name",
        ),
        pytest.param(
            "class TestA:\n    @skipIfRocm\n    @skipIfRocm\n    def test_one(self):\n        run()\n",
            "class TestA:\n    @skipIfRocm\n    def test_one(self):\n        run()\n",
            ("removal", "dropped", 1, 0),
            id="a skip that stood twice stands once",
        ),
        pytest.param(
            "class TestA:\n    @skipIfRocm\n    def test_one(self):\n        run()\n",
            "class TestA:\n    def test_one(self):\n        check_backend(run())\n",
            ("decoupling", "broadened", 1, 0),
            id="what a test calls now is not instead of its skip",
        ),
        pytest.param(
            "class TestA:\n    def test_add_cuda(self):\n        x = torch.ones(3, device='cuda')\n"
            "        check(x + x)\n",
            "class TestA:\n    def test_add(self, device):\n"
            "        x = torch.ones(3, device=device)\n        check(x + x)\n",
            ("decoupling", "generalised", 2, 0),
            id="a vendor's twin becomes the test for any device",
        ),
        pytest.param(
            "class TestA:\n    def test_add(self):\n        check(1)\n\n"
            "    def test_add_cuda(self):\n        check(one.cuda())\n",
            "class TestA:\n    def test_add(self):\n        check(1)\n",
            ("removal", "retired", 2, 0),
            id="a vendor's twin deleted beside an untouched test is retired",
        ),
        pytest.param(
            "class TestA:\n    @dtypesIfCUDA(torch.half)\n    @dtypes(torch.half)\n"
            "    def test_one(self, device):\n        run()\n",
            "class TestA:\n    @onlyCPU\n    @dtypes(torch.half)\n    def test_one(self, device):\n        run()\n",
            ("removal", "dropped", 1, 0),
            id="nothing is admitted where the test is kept to the processor",
        ),
        pytest.param(
            "def test_one():\n    run()\n",
            "@unittest.skipIf(TEST_WITH_ROCM, 'slow')\ndef test_one():\n    run()\n",
            ("coupling", "introduced", 0, 1),
            id="a new skip ties",
        ),
    ],
)
def test_gates_in_tests(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(TEST, before, after)) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(
            "Tensor run(Tensor x) {\n#ifdef USE_CUDA\n  scatter(x);\n  gather(x);\n#endif\n  return x;\n}\n",
            "Tensor run(Tensor x) {\n  scatter(x);\n  gather(x);\n  return x;\n}\n",
            ("decoupling", "broadened", 1, 0),
            id="a guard became plain code",
        ),
        pytest.param(
            "Tensor run(Tensor x) {\n#ifdef USE_CUDA\n  scatter(x);\n  gather(x);\n#endif\n  return x;\n}\n",
            "Tensor run(Tensor x) {\n  return x;\n}\n",
            ("removal", "dropped", 1, 0),
            id="a guard gone with what it guarded is no broadening",
        ),
        pytest.param(
            "Tensor run(Tensor x) {\n#if CUDA_VERSION >= 9000\n  scatter(x);\n  gather(x);\n#endif\n  return x;\n}\n",
            "Tensor run(Tensor x) {\n  scatter(x);\n  gather(x);\n  return x;\n}\n",
            ("removal", "dropped", 1, 0),
            id="an old version's guard is no gate",
        ),
        pytest.param(
            "Tensor run(Tensor x) {\n  TORCH_CHECK(x.is_cuda(), bad);\n  return x;\n}\n",
            "Tensor run(Tensor x) {\n  return x;\n}\n",
            ("decoupling", "broadened", 1, 0),
            id="a check for one vendor is gone",
        ),
        pytest.param(
            "Tensor run(Tensor x) {\n  at::cuda::CUDAGuard guard(x.device());\n  return x;\n}\n",
            "Tensor run(Tensor x) {\n  c10::DeviceGuard guard(x.device());\n  return x;\n}\n",
            ("decoupling", "generalised", 1, 0),
            id="the neutral guard",
        ),
        pytest.param(
            'Tensor run(Tensor x) {\n  if (name.find("cuda") == 0) {\n    return special(x);\n  }\n  return x;\n}\n',
            "Tensor run(Tensor x) {\n  return x;\n}\n",
            ("removal", "dropped", 1, 0),
            id="a special case that did something is no refusal",
        ),
        pytest.param(
            "Tensor run(Tensor x) {\n  return x;\n}\n\nTensor run_cuda(Tensor x) {\n  return at::cuda::run(x);\n}\n",
            "Tensor run(Tensor x) {\n  return x;\n}\n",
            ("removal", "retired", 2, 0),
            id="gone with its function",
        ),
        pytest.param(
            "auto f = CUDA(kFloat).tensorFromBlob(data, {1, 2});\n",
            "auto f = from_blob(data, {1, 2});\n",
            ("decoupling", "generalised", 1, 0),
            id="called without the vendor",
        ),
    ],
)
def test_native_code(before: str, after: str, expected: Outcome) -> None:
    assert outcome(change(NATIVE, before, after)) == expected


def test_a_helper_defined_elsewhere_in_the_commit_takes_the_place() -> None:
    assert outcome(
        change(
            CODE,
            "from .modes import other\n\n\ndef run(fast):\n    if fast:\n        context = torch.cuda.amp.autocast()\n"
            "    else:\n        context = plain()\n    return context\n",
            "from .modes import other, precision_context\n\n\ndef run(fast):\n    context = precision_context(fast)\n"
            "    return context\n",
        ),
        change(
            "src/project/modes.py", "other = 1\n", "other = 1\n\n\ndef precision_context(fast):\n    return plain()\n"
        ),
    ) == ("decoupling", "generalised", 1, 0)


def test_a_new_function_that_speaks_of_no_device_takes_no_vendors_place() -> None:
    before = (
        "def restore(self):\n    model = self.module\n    load(model)\n    if self.on_gpu:\n"
        "        model.cuda(self.root)\n    return model\n"
    )
    after = "def restore(self):\n    self.restore_module()\n    return self.module\n"
    helper = "\n\ndef restore_module(self):\n    load(self.module)\n"
    assert outcome(change(CODE, before, after + helper)) == ("removal", "dropped", 1, 0)


def test_a_new_function_that_makes_the_same_thing_takes_the_vendors_place() -> None:
    before = (
        "class Bernoulli:\n    def mean(self):\n        first = self.probs\n        return first\n\n"
        "    def support(self):\n        values = arange(2)\n        if self.probs.is_cuda:\n"
        "            values = values.cuda(self.probs.get_device())\n        return values\n"
    )
    after = (
        "class Bernoulli:\n    def _new(self, shape):\n        return self._param.new(shape)\n\n"
        "    def mean(self):\n        first = self.probs\n        return first\n\n"
        "    def support(self):\n        values = self._new((2,))\n        return values\n"
    )
    assert outcome(change(CODE, before, after)) == ("decoupling", "generalised", 2, 0)


def test_a_macros_body_follows_its_uses() -> None:
    before = (
        "#define IMPLEMENT_UNARY_OP_CUDA(op) \\\n  OUT_INPLACE(op, cpu, CPU) \\\n  OUT_INPLACE(op, cuda, CUDA)\n\n"
        "IMPLEMENT_UNARY_OP_CUDA(lgamma)\n"
    )
    after = "Tensor& lgamma_out(Tensor& out, const Tensor& x) { return unary_op_impl(out, x, lgamma_stub); }\n"
    assert outcome(change(NATIVE, before, after)) == ("decoupling", "generalised", 4, 0)


def test_copies_folded_into_a_base_class_are_dropped_and_one_is_moved() -> None:
    method = "\n    def step(self, x):\n        with torch.cuda.amp.autocast():\n            return self.model(x)\n"
    base = "class Base:\n    def start(self):\n        pass\n"
    one = "class One(Base):\n    name = 'one'\n"
    assert outcome(
        change("src/project/base.py", base, base + method),
        change("src/project/one.py", one + method, one),
        change("src/project/two.py", one.replace("One", "Two") + method, one.replace("One", "Two")),
    ) == ("removal", "dropped", 1, 0)


def test_code_that_moves_into_a_vendors_territory_is_relocated() -> None:
    body = "def init():\n    torch.cuda.init()\n    torch.cuda.set_device(0)\n"
    assert outcome(
        change(CODE, "def run():\n    pass\n\n\n" + body, "def run():\n    pass\n"),
        change("src/project/cuda/runtime.py", None, body),
    ) == ("decoupling", "relocated", 2, 0)


def test_a_chance_symbol_in_a_vendors_territory_relocates_nothing() -> None:
    old = (
        "def a():\n    torch.cuda.init()\n    torch.cuda.set_device(0)\n"
        "    torch.cuda.synchronize()\n    x.to('cuda')\n"
    )
    assert outcome(
        change(CODE, "def run():\n    pass\n\n\n" + old, "def run():\n    pass\n"),
        change("src/project/cuda/other.py", None, "def b(x):\n    return x.to('cuda')\n"),
    ) == ("removal", "retired", 4, 0)


def test_a_whole_deleted_file_is_retired() -> None:
    assert outcome(change(CODE, "import torch\ntorch.cuda.init()\n", None)) == ("removal", "retired", 1, 0)


def test_the_replacement_is_named_in_the_ledger() -> None:
    entries = judged(
        change(
            CODE, "def wait():\n    torch.cuda.synchronize()\n", "def wait():\n    torch.accelerator.synchronize()\n"
        )
    ).entries
    assert [(entry.delta, entry.replaced_by) for entry in entries if entry.site.vendor] == [
        (-1, "torch.accelerator.synchronize")
    ]
