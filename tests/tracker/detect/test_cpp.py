"""Sites in C, C++, CUDA, HIP and like texts."""

import pytest

from tests.tracker.detect.conftest import Found, found_in
from tracker.ruleset import Language


def cpp(text: str) -> Found:
    return found_in(text, Language.CPP)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("at::cuda::getCurrentCUDAStream();", [("api", "at::cuda::getCurrentCUDAStream")], id="a path"),
        pytest.param("cudaMemcpyAsync(a, b, n, k, s);", [("api", "cudaMemcpyAsync")], id="a library's function"),
        pytest.param("hipMalloc(&p, n);", [("api", "hipMalloc")], id="another vendor's"),
        pytest.param("if (self.is_cuda()) {}", [("predicate", "is_cuda")], id="a question"),
        pytest.param("p->is_cuda()", [("predicate", "is_cuda")], id="through a pointer"),
        pytest.param("auto y = x.cuda();", [("api", ".cuda")], id="a method by the vendor's name"),
        pytest.param("auto y = f(x).cuda();", [("api", ".cuda")], id="behind a call"),
        pytest.param("x.to(at::kCUDA)", [("dispatch", "at::kCUDA")], id="a device type"),
        pytest.param("case DispatchKey::CUDA:", [("dispatch", "DispatchKey::CUDA")], id="a dispatch key"),
        pytest.param(
            "TORCH_LIBRARY_IMPL(aten, CUDA, m) {}", [("dispatch", "CUDA")], id="a registration by its bare name"
        ),
        pytest.param("ncclComm_t comm;", [("api", "ncclComm_t")], id="a type"),
        pytest.param("struct CUDAFuture {};", [("name", "CUDAFuture")], id="a class"),
        pytest.param("THCState* state;", [("api", "THCState")], id="the old CUDA backend"),
        pytest.param("f<::at::cuda::X>(y)", [("api", "at::cuda::X")], id="digraph-like text"),
        pytest.param("return ::at::cuda::f();", [("api", "at::cuda::f")], id="from the global namespace"),
        pytest.param("std::vector<at::cuda::CUDAEvent> e;", [("api", "at::cuda::CUDAEvent")], id="inside a template"),
        pytest.param("#define X(t) C10_CUDA_CHECK(t)", [("name", "C10_CUDA_CHECK")], id="a macro's body"),
        pytest.param("template <> struct A<at::kCUDA> {};", [("dispatch", "at::kCUDA")], id="a specialization"),
        pytest.param("m<a, b<c<cudaStream_t>>> x;", [("api", "cudaStream_t")], id="three angles that close"),
        pytest.param(
            "THCudaTensor* t = THCudaTensor_new();",
            [("api", "THCudaTensor"), ("api", "THCudaTensor_new")],
            id="of TH and Cuda",
        ),
        pytest.param("a<:i:> = cuda_x;", [("name", "cuda_x")], id="beside digraphs"),
        pytest.param(
            "#define CUDA_LOOP(i) \\\n  for (int i = cuda_i;;)",
            [("name", "CUDA_LOOP"), ("name", "cuda_i")],
            id="a macro",
        ),
        pytest.param('asm volatile("sm_80");', [("literal", "sm_80")], id="an architecture"),
        pytest.param("int nccl_ranks = 1'000'000;", [("name", "nccl_ranks")], id="beside digit separators"),
    ],
)
def test_code_that_names_a_vendor(text: str, found: Found) -> None:
    assert cpp(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "int input = output + throughput;",
        "THConcat(a); THCharTensor* t;",
        "// at::cuda::x",
        "/* at::cuda::x\n cudaMalloc */",
        "// continued \\\n cudaMalloc(p);",
        "/* never closed cudaMalloc(p);",
        'TORCH_CHECK(ok, "cuda");',
        'TORCH_CHECK(x.defined(), "Expected a CUDA tensor, got ", x);',
        'AT_ERROR("CUDA");',
        'throw std::runtime_error("cuda");',
        'LOG(WARNING) << "CUDA";',
        'std::cerr << "cuda" << x;',
        '"a message on " "cuda"',
        'R"(__device__ float f() { return cuda; })"',
        "'\"'; // cuda '\"'",
        "std::cout << x << y << std::endl;",
        "a << b; c >>= d;",
        "gpu_id = device; accelerator();",
        "#error CUDA is not here",
        "#  warning this needs hip",
        '#error "USE_CUDA"',
        'R"x(f()" cuda)x"',
        'R"(\nx.cuda();\n)"',
        '"a\\\ncuda"',
        '"\\"cuda"',
        "#if defined(USE_MKLDNN)",
        "#ifdef USE_XNNPACK",
    ],
)
def test_ordinary_words_comments_and_messages_are_no_sites(text: str) -> None:
    assert cpp(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#ifdef USE_CUDA", [("guard", "USE_CUDA")]),
        ("#  ifndef USE_ROCM", [("guard", "USE_ROCM")]),
        ("#if defined(USE_CUDA) && !defined(USE_ROCM)", [("guard", "USE_CUDA"), ("guard", "USE_ROCM")]),
        ("#if defined(A) || \\\n    defined(USE_CUDA)", [("guard", "USE_CUDA")]),
        ("#if CUDA_VERSION >= 11000", [("version", "CUDA_VERSION")]),
        ("#elif defined(__HIPCC__)", [("guard", "__HIPCC__")]),
        ("#cmakedefine USE_CUDA", [("guard", "USE_CUDA")]),
        ("#cmakedefine01 AT_CUDNN_ENABLED", [("guard", "AT_CUDNN_ENABLED")]),
        ("#if CUDA_VERSION > 1 /* cuda */ && USE_HIP", [("version", "CUDA_VERSION"), ("guard", "USE_HIP")]),
        ("%:ifdef USE_CUDA", [("guard", "USE_CUDA")]),
        ("#undef USE_CUDA", [("name", "USE_CUDA")]),
        ("#endif // USE_CUDA", []),
        ("#ifdef USE_C10D_NCCL\n  ::c10d::initNccl();", [("guard", "USE_C10D_NCCL"), ("name", "c10d::initNccl")]),
        ("#define USE_CUDA 1", [("name", "USE_CUDA")]),
    ],
)
def test_preprocessor_conditions(text: str, found: Found) -> None:
    assert cpp(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#include <ATen/cuda/CUDAContext.h>", [("include", "ATen/cuda/CUDAContext.h")]),
        ('#include "caffe2/core/cudnn_wrappers.h"', [("include", "caffe2/core/cudnn_wrappers.h")]),
        ("#  include <nccl.h>  // for collectives", [("include", "nccl.h")]),
        ("#import <CoreML/CoreML.h>", [("include", "CoreML/CoreML.h")]),
        ("#include <ATen/Context.h>", []),
        ("#include <input/output.h>", []),
    ],
)
def test_includes_are_one_site_each(text: str, found: Found) -> None:
    assert cpp(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("k<<<grid, block>>>(x);", [("launch", "<<<")]),
        ("k<float><<<grid, block, 0, stream>>>(x);", [("launch", "<<<")]),
        ("__global__ void k(int* x);", [("launch", "__global__")]),
        ("k<T><<<\n  1, 2\n>>>(x);", [("launch", "<<<")]),
        ("operator<<<int>(x);", []),
        ("<<<<<<< HEAD", []),
        ("a <<= 3;", []),
        ("// k<<<grid, block>>>(x);", []),
    ],
)
def test_launches(text: str, found: Found) -> None:
    assert cpp(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('at::Device("cuda")', [("literal", "cuda")]),
        ('at::Device("cuda:1")', [("literal", "cuda:1")]),
        ('if (name == "nccl") {}', [("literal", "nccl")]),
        ('u8"cuda"', [("literal", "cuda")]),
        ('R"(cuda)"', [("literal", "cuda")]),
        ('R"x(cuda)x"', [("literal", "cuda")]),
        ('m.def("is_cuda", f);', [("literal", "is_cuda")]),
        ('fmt("cuda:%d", i)', [("literal", "cuda:{}")]),
        ('TORCH_CHECK(x.is_cuda(), "needs CUDA");', [("predicate", "is_cuda")]),
    ],
)
def test_strings_that_are_names(text: str, found: Found) -> None:
    assert cpp(text) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("at::cuda::f(x);", "at::cuda::\n    f(x);", id="a path over lines"),
        pytest.param("a->b->is_cuda();", "a->b\n    ->is_cuda();", id="a member over lines"),
        pytest.param("#if defined(USE_CUDA)", "#if defined( USE_CUDA )", id="space in a condition"),
        pytest.param(
            "#define M f(at::cuda::g(x))", "#define M \\\n  f(at::cuda:: \\\n    g(x))", id="a macro over lines"
        ),
        pytest.param("k<<<g,b>>>(x);", "k<<< g, b >>>(x);", id="space in a launch"),
    ],
)
def test_reformatting_changes_no_site(one: str, other: str) -> None:
    assert cpp(one) == cpp(other) != []


def test_neutral_constructs_come_back_too() -> None:
    assert cpp("at::DeviceGuard guard(device); auto n = at::accelerator::deviceCount();") == [
        ("neutral", "at::DeviceGuard"),
        ("neutral", "at::accelerator::deviceCount"),
    ]


def test_objective_c_and_java_are_read_alike() -> None:
    assert cpp('[MPSStream new]; String device = "cuda";') == [("name", "MPSStream"), ("literal", "cuda")]
