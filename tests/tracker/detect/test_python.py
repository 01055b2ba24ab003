"""Sites in Python, Cython and Starlark texts."""

import pytest

from tests.tracker.detect.conftest import Found, found_in
from tracker.ruleset import Language


def python(text: str) -> Found:
    return found_in(text, Language.PYTHON)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("torch.cuda.synchronize()", [("api", "torch.cuda.synchronize")], id="a dotted path is one site"),
        pytest.param("torch.cuda.current_stream().wait()", [("api", "torch.cuda.current_stream")], id="up to its call"),
        pytest.param("x = y.cuda()", [("api", ".cuda")], id="a method by the vendor's name"),
        pytest.param("self.net.layers[0].cuda(rank)", [("api", ".cuda")], id="whatever its receiver"),
        pytest.param("x.is_cuda", [("predicate", "is_cuda")], id="a question"),
        pytest.param("if torch.cuda.is_available(): pass", [("predicate", "torch.cuda.is_available")], id="by a call"),
        pytest.param("torch.version.hip.split('.')", [("predicate", "torch.version.hip")], id="without what follows"),
        pytest.param("self.cuda_graph.replay()", [("name", "cuda_graph")], id="an attribute without its object"),
        pytest.param("args.cuda", [("name", "cuda")], id="a flag"),
        pytest.param("def test_cuda_graph(self): pass", [("name", "test_cuda_graph")], id="a definition"),
        pytest.param("ProfilerActivity.CUDA", [("dispatch", "ProfilerActivity.CUDA")], id="a member of an enumeration"),
        pytest.param("c10d.ProcessGroupNCCL(a)", [("name", "ProcessGroupNCCL")], id="a class"),
        pytest.param("CUDA_VERSION >= (11, 0)", [("version", "CUDA_VERSION")], id="a version"),
        pytest.param("OpInfo(dtypesIfCUDA=f())", [("decorator", "dtypesIfCUDA")], id="a decorator's argument"),
        pytest.param("xm = torch_xla.core.xla_model", [("api", "torch_xla.core.xla_model")], id="another vendor"),
    ],
)
def test_code_that_names_a_vendor(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "output = input + throughput",
        "membership, relationship, manipulate = dumps(stamps)",
        "ascending = neurons = hipster = shipping = 1",
        "chip, worship, INPUT, OUTPUT, SHIP = range(5)",
        "roc_auc = roc_curve(y)",
        "dataclass_fields = acl = 1",
        "plt.xlabel('x'); xlabels = 2",
        "x.to(device)",
        "gpu = gpus[0]; accelerator = gpu_id",
        "@skip_if_lt_x_gpu(2)\ndef f(): pass",
        "mkldnn = torch.backends.mkldnn.is_available()",
        "arch = 'amd64'",
        "vulkan = x.is_vulkan",
        "cpu = 'cpu'",
        "x.to('meta'); backend = 'gloo'; import triton, torch._lazy",
        "ve = have = save(vehicle)",
    ],
)
def test_ordinary_words_generic_words_and_cpu_libraries_are_no_sites(text: str) -> None:
    assert python(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "# torch.cuda.synchronize()",
        "x = 1  # x.cuda()",
        '"""Moves x to cuda."""',
        "def f():\n    '''Runs on\n    cuda.'''\n",
        'class A:\n    """On cuda, on xpu."""\n',
        "def f():\n    'cuda'\n",
        "class A:\n    '''cuda'''  # short\n    pass",
        "async def f(x):\n\n    'cuda'\n",
        "'cuda'\nimport torch\n",
        "raise RuntimeError('cuda')",
        "raise RuntimeError(f'no {torch.cuda.device_count()} devices')",
        "print('cuda')",
        "print(f'{torch.cuda.memory_allocated()} bytes')",
        "logger.warning('cuda:0')",
        "logger.info('on %s', 'nccl')",
        "warnings.warn('CUDA')",
        "self.skipTest('CUDA')",
        "assert x, 'needs CUDA'",
        "parser.add_argument('-x', help='cuda')",
        "with self.assertRaisesRegex(RuntimeError, 'cuda'): pass",
        "f(x, msg='CUDA')",
        "'Expected all tensors on cuda '\n'device'",
        "x = ('lies on '\n     'cuda:0')",
        'def f():\n    """Example::\n\n        >>> x.cuda()\n    """\n',
        "# xdoctest: +REQUIRES(env:TORCH_DOCTEST_CUDA)",
        "'see https://docs.nvidia.com/cuda'",
        "'https://docs.nvidia.com/cuda/index.html'",
    ],
)
def test_comments_docstrings_prose_and_messages_are_no_sites(text: str) -> None:
    assert python(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("device = 'cuda'", [("literal", "cuda")]),
        ('device = "cuda:0"', [("literal", "cuda:0")]),
        ("device = u'cuda'", [("literal", "cuda")]),
        ("device = r'cuda'", [("literal", "cuda")]),
        ('device = """cuda"""', [("literal", "cuda")]),
        ("x.to(f'cuda:{rank}')", [("literal", "cuda:{}")]),
        ("x.to(f'cuda:{self.rank % n}')", [("literal", "cuda:{}")]),
        ("x.to('cuda:%d' % rank)", [("literal", "cuda:{}")]),
        ("x.to('cuda:{}'.format(rank))", [("literal", "cuda:{}")]),
        ("x.to('cuda:' + str(rank))", [("literal", "cuda:")]),
        ("init_process_group(backend='nccl')", [("literal", "nccl")]),
        ("os.environ['CUDA_VISIBLE_DEVICES'] = '0'", [("literal", "CUDA_VISIBLE_DEVICES")]),
        ("parser.add_argument('--use-cuda', help='run on cuda')", [("literal", "--use-cuda")]),
        ("for d in ('cpu', 'cuda', 'xpu'): pass", [("literal", "cuda"), ("literal", "xpu")]),
        ("if device.type == 'cuda': pass", [("literal", "cuda")]),
        ("allow = ['aten::cudnn_convolution']", [("literal", "aten::cudnn_convolution")]),
        ("sources = ['torch/csrc/cuda/comm.cpp']", [("literal", "torch/csrc/cuda/comm.cpp")]),
        ("x = 'a' if cond else 'hpu'", [("literal", "hpu")]),
        ("def f(): return 'cuda'", [("literal", "cuda")]),
        ("def f():\n    'cuda'.upper()", [("literal", "cuda")]),
        ("x = {'a':\n  'cuda'\n}", [("literal", "cuda")]),
        ("f(\n    'cuda'\n)", [("literal", "cuda")]),
    ],
)
def test_a_string_that_is_a_name_is_one_site(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("key = f'{torch.cuda.current_device()}'", [("api", "torch.cuda.current_device")]),
        ("key = f'{a}{x[\"cuda\"]}'", [("literal", "cuda")]),
        ("code.writeline(f'torch.cuda.set_device({idx})')", [("api", "torch.cuda.set_device")]),
        ("code.writeline(f'with torch.cuda.device({idx}):')", [("api", "torch.cuda.device")]),
        ("log.info(f'{torch.cuda.current_device()}')", []),
        ("text = f'there are {torch.cuda.device_count()} devices here'", []),
        ("code.writeline('torch.cuda.set_device(0)')", []),
    ],
)
def test_code_inside_a_formatted_string_counts_unless_it_is_a_message(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('f"{d["cuda"]}"', [("literal", "cuda")]),
        ('key = f"{x["a"]}:cuda:{y["xpu"]}"', [("literal", "{}:cuda:{}"), ("literal", "xpu")]),
        ('f"{f"{torch.cuda.f()}"}"', [("api", "torch.cuda.f")]),
        ('f"{f"{f"{x.cuda()}"}"}"; y = "hpu"', [("api", ".cuda"), ("literal", "hpu")]),
        ('f"{x:{"cuda"}}"', [("literal", "cuda")]),
        ('f"{\n    x["cuda"]\n}"; y.xpu()', [("literal", "cuda"), ("api", ".xpu")]),
        ('f"{x["}"]}"; y = "cuda"', [("literal", "cuda")]),
        ("f\"{d['}']}:cuda\"", [("literal", "{}:cuda")]),
        ("f'{x:\">9}:cuda'; y = 'xpu'", [("literal", "{}:cuda"), ("literal", "xpu")]),
        ('f"""{d["cuda"]}"""; x = "hpu"', [("literal", "cuda"), ("literal", "hpu")]),
        ('rf"{d["cuda"]}\\n"', [("literal", "cuda")]),
        ('print(f"{d["cuda"]} is there"); x = "hpu"', [("literal", "hpu")]),
        ('raise E(f"no {d["a"]} on cuda") from x.cuda()', [("api", ".cuda")]),
        ('f"{x["\ny.cuda()', [("api", ".cuda")]),
        ('f"{{cuda"; y = "xpu"', [("name", "cuda"), ("literal", "xpu")]),
        ('elf"{d["', []),
    ],
)
def test_quotes_inside_the_expressions_of_formatted_strings(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("config.triton.cudagraphs = True", [("name", "cudagraphs")]),
        ("cudagraph_mark_step_begin()", [("name", "cudagraph_mark_step_begin")]),
        ("mode = 'max-autotune-no-cudagraphs'", [("literal", "max-autotune-no-cudagraphs")]),
        ("with_cuda: bool = False", [("predicate", "with_cuda")]),
        ("x == torch.cuda.FloatTensor", [("api", "torch.cuda.FloatTensor")]),
        ("x.type('torch.cuda.FloatTensor')", [("literal", "torch.cuda.FloatTensor")]),
        ("mode = 'reduced cudagraphs'", []),
    ],
)
def test_names_that_merely_hold_a_vendors_word(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 'a\\\n  cuda'", []),
        ("x = rb'cuda'", [("literal", "cuda")]),
        ("x = r'\\\\'; y = 'cuda'", [("literal", "cuda")]),
        ("x = '\\'cuda'", []),
        ('x = """a "quoted" word"""; y.cuda()', [("api", ".cuda")]),
        ("x = \"don't\"; y.cuda()  # isn't", [("api", ".cuda")]),
        ("x = '''\nx.cuda()\n'''", []),
        ("from a import \\\n    b_cuda", [("name", "b_cuda")]),
        ("with torch.cuda.device(0), \\\n    x.cuda(): pass", [("api", "torch.cuda.device"), ("api", ".cuda")]),
        ("torch \\\n    .cuda \\\n    .f()", [("api", "torch.cuda.f")]),
    ],
)
def test_raw_and_nested_strings_and_continued_lines(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def is_cuda(self) -> bool: ...", [("predicate", "is_cuda")]),
        ("device: Literal['cpu', 'cuda']", [("literal", "cuda")]),
        ("def to(self, cuda: 'torch.cuda.Event' = ...) -> T: ...", [("name", "cuda"), ("literal", "torch.cuda.Event")]),
        ("from torch.cuda import Stream as Stream  # noqa", [("include", "torch.cuda")]),
    ],
)
def test_stubs(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import torch.cuda", [("include", "torch.cuda")]),
        ("import torch.cuda as cuda_module", [("include", "torch.cuda"), ("name", "cuda_module")]),
        ("import torch.cuda, b.xpu as c", [("include", "torch.cuda"), ("include", "b.xpu")]),
        ("a = 1; import torch.cuda", [("include", "torch.cuda")]),
        ("cimport libc.cuda", [("include", "libc.cuda")]),
        ("from torch.cuda import amp", [("include", "torch.cuda")]),
        ("from .cuda import f", [("include", "cuda")]),
        ("    from torch.cuda.nccl import f", [("include", "torch.cuda.nccl")]),
        ("from a.common_cuda import TEST_CUDA", [("include", "a.common_cuda"), ("predicate", "TEST_CUDA")]),
        ("from a import (\n    onlyCUDA,\n    f)", [("decorator", "onlyCUDA")]),
        ("important.cuda()", [("api", ".cuda")]),
    ],
)
def test_imports(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@onlyCUDA\ndef f(): pass", [("decorator", "onlyCUDA")]),
        ("    @skipCUDAIfRocm\n    def f(): pass", [("decorator", "skipCUDAIfRocm")]),
        ("@common.skip_if_rocm\ndef f(): pass", [("decorator", "skip_if_rocm")]),
        ("@unittest.skipIf(not TEST_CUDA, 'CUDA not there')\ndef f(): pass", [("predicate", "TEST_CUDA")]),
        ("@unittest.skipIf(TEST_WITH_ROCM, 'ROCm')\ndef f(): pass", [("predicate", "TEST_WITH_ROCM")]),
        ("y = a @ cuda_b", [("name", "cuda_b")]),
    ],
)
def test_decorators(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('print "cuda"', []),
        ('print "moved to", x.cuda()', [("api", ".cuda")]),
        ("raise ValueError, 'cuda'", []),
        ("exec 'import torch.cuda' in space", []),
        ("x = ur'cuda'", [("literal", "cuda")]),
        ("print >>log, 'cuda'", []),
        ("print 'cuda' % x; y = 'cuda'", [("literal", "cuda")]),
        ("raise ValueError, 'no cuda', trace", []),
        ("except CudaError, error: pass", [("name", "CudaError")]),
        ("y = `x.cuda()`; z = 0777L <> x.cuda()", [("api", ".cuda"), ("api", ".cuda")]),
    ],
)
def test_python_2(text: str, found: Found) -> None:
    assert python(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("import a.cuda, b.xpu", "import a.cuda\nimport b.xpu", id="imports on one line"),
        pytest.param("f(torch.cuda.Event())", "f(\n    torch.cuda.Event()\n)", id="a call over lines"),
        pytest.param("x = 'cuda'", 'x = "cuda"', id="quotes"),
        pytest.param("a = torch.cuda.x.y", "a = (torch\n     .cuda\n     .x.y)", id="a chain over lines"),
        pytest.param("a = torch.cuda.x.y", "a = torch.cuda \\\n  .x.y", id="a continued line"),
        pytest.param("f(a, device='cuda')", "f(\n    a,\n    device='cuda',\n)", id="a trailing comma"),
        pytest.param("x.cuda()", "x.cuda ( )", id="space before a call"),
        pytest.param("s = 2. \ntorch.cuda.f()", "s = 2.0\ntorch.cuda.f()", id="a number that ends in a point"),
        pytest.param(
            "from a import b_cuda, c_hpu", "from a import (\n  b_cuda,\n  c_hpu,\n)", id="imports in brackets"
        ),
    ],
)
def test_reformatting_changes_no_site(one: str, other: str) -> None:
    assert python(one) == python(other) != []


def test_a_path_does_not_begin_in_the_comment_above_it() -> None:
    assert python("x = 1  # see foo.\ncuda_x = 2") == [("name", "cuda_x")]


def test_a_slice_is_no_qualified_path() -> None:
    assert python("blobs[first::cuda_step]") == [("name", "cuda_step")]


def test_neutral_constructs_come_back_with_their_own_construct() -> None:
    text = (
        "torch.accelerator.synchronize()\nkind = torch.accelerator.current_accelerator().type\n"
        "get_accelerator().device_name(rank)\n@onlyNativeDeviceTypes\ndef f(): pass\n"
    )
    assert python(text) == [
        ("neutral", "torch.accelerator.synchronize"),
        ("neutral", "torch.accelerator.current_accelerator().type"),
        ("neutral", "get_accelerator().device_name"),
        ("neutral", "onlyNativeDeviceTypes"),
    ]


def test_starlark_reads_source_lists_and_options_as_build_sites() -> None:
    text = "# cuda\nlib(name = 'lib', srcs = ['cuda/comm.cpp', 'cpu/comm.cpp'], deps = if_cuda(['@cuda//:nvrtc']))\n"
    assert found_in(text, Language.STARLARK) == [
        ("build", "cuda/comm.cpp"),
        ("build", "if_cuda"),
        ("build", "@cuda//:nvrtc"),
    ]


def test_cython_syntax_does_not_disturb() -> None:
    text = (
        "cimport nccl\nfrom nccl cimport ncclComm_t\ncdef cudaStream_t stream = <cudaStream_t>s\n"
        "cdef inline int f(int* cuda_ids) nogil except -1:  # cuda\n    with nogil, cuda: pass\n"
    )
    assert python(text) == [
        ("include", "nccl"),
        ("include", "nccl"),
        ("api", "ncclComm_t"),
        ("api", "cudaStream_t"),
        ("api", "cudaStream_t"),
        ("name", "cuda_ids"),
        ("name", "cuda"),
    ]


def test_cython_declarations_are_read_like_python() -> None:
    assert python('cdef extern from "cuda_runtime.h":\n    int cudaMalloc(void** p, size_t n)\n') == [
        ("literal", "cuda_runtime.h"),
        ("api", "cudaMalloc"),
    ]
