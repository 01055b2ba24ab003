"""What stands in the files of the demonstration's upstream: pieces of code that name hardware, and what replaces them.

All of it is made up for the purpose. A piece has a name that takes the place of NAME.
"""

from dataclasses import dataclass
from enum import StrEnum


class Variant(StrEnum):
    """How a piece of code stands to hardware."""

    COUPLED = "coupled"
    NEUTRAL = "neutral"
    """With the neutral construct that takes the vendor's place."""
    BROADENED = "broadened"
    """Other vendors are admitted as well."""
    LIGHTER = "lighter"
    """Without the workaround for an old version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A definition in its variants."""

    paths: tuple[str, ...]
    """Files it may stand in."""
    names: tuple[str, ...]
    variants: dict[Variant, str]


def _python(text: str) -> str:
    return text.strip("\n") + "\n"


LIBRARY = ("torch/serialization.py", "torch/random.py", "torch/autograd/profiler.py", "torch/nn/parallel/replicate.py")
DISTRIBUTED = ("torch/distributed/mesh.py", "torch/distributed/checkpoint.py", "torch/distributed/pipeline.py")
TESTS = ("test/test_autograd.py", "test/test_nn.py", "test/test_serialization.py")
CORE = ("aten/src/ATen/Copy.cpp", "aten/src/ATen/Context.cpp", "c10/core/Allocator.cpp")

PIECES: tuple[Piece, ...] = (
    Piece(
        paths=(*LIBRARY, *DISTRIBUTED),
        names=("seed_everything", "restore_seed", "fork_generators", "seed_workers"),
        variants={
            Variant.COUPLED: _python('''
def NAME(seed):
    """Seed the generators of every device."""
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)
    return seed
'''),
            Variant.NEUTRAL: _python('''
def NAME(seed):
    """Seed the generators of every device."""
    torch.manual_seed(seed)
    if torch.accelerator.is_available():
        torch.get_device_module().manual_seed_all(seed)
    return seed
'''),
        },
    ),
    Piece(
        paths=LIBRARY,
        names=("time_step", "time_forward", "time_backward", "time_copy"),
        variants={
            Variant.COUPLED: _python('''
def NAME(step):
    """Return how many milliseconds a step takes."""
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    step()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)
'''),
            Variant.NEUTRAL: _python('''
def NAME(step):
    """Return how many milliseconds a step takes."""
    start = torch.Event(enable_timing=True)
    end = torch.Event(enable_timing=True)
    start.record()
    step()
    end.record()
    torch.accelerator.synchronize()
    return start.elapsed_time(end)
'''),
        },
    ),
    Piece(
        paths=(*LIBRARY, *DISTRIBUTED),
        names=("free_memory", "peak_memory", "memory_report", "reset_memory"),
        variants={
            Variant.COUPLED: _python('''
def NAME(device):
    """Return the bytes in use, after giving back what is cached."""
    torch.cuda.empty_cache()
    torch.cuda.synchronize(device)
    return torch.cuda.memory_allocated(device)
'''),
            Variant.NEUTRAL: _python('''
def NAME(device):
    """Return the bytes in use, after giving back what is cached."""
    torch.accelerator.empty_cache()
    torch.accelerator.synchronize(device)
    return torch.accelerator.memory_allocated(device)
'''),
        },
    ),
    Piece(
        paths=DISTRIBUTED,
        names=("init_workers", "init_pipeline", "init_checkpoint", "init_sharding"),
        variants={
            Variant.COUPLED: _python('''
def NAME(rank, size):
    """Join the group of workers."""
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size)
    return torch.device("cuda", rank)
'''),
            Variant.NEUTRAL: _python('''
def NAME(rank, size):
    """Join the group of workers."""
    torch.accelerator.set_device_index(rank)
    device = torch.accelerator.current_accelerator()
    dist.init_process_group(dist.get_default_backend_for_device(device), rank=rank, world_size=size)
    return torch.device(device.type, rank)
'''),
        },
    ),
    Piece(
        paths=(*LIBRARY, *DISTRIBUTED),
        names=("supported_devices", "pinned_devices", "streaming_devices", "compiled_devices"),
        variants={
            Variant.COUPLED: _python('''
def NAME(device):
    """Whether the device can do it."""
    return device.type in ("cpu", "cuda")
'''),
            Variant.BROADENED: _python('''
def NAME(device):
    """Whether the device can do it."""
    return device.type in ("cpu", "cuda", "xpu", "hpu")
'''),
        },
    ),
    Piece(
        paths=(*LIBRARY, *DISTRIBUTED),
        names=("fast_matmul", "fast_attention", "fast_norm", "fast_softmax"),
        variants={
            Variant.COUPLED: _python('''
def NAME(tensor):
    """Use the fast path where there is one."""
    if torch.version.cuda is not None and torch.version.cuda < "11.0":
        return slow_path(tensor)
    if torch.backends.cudnn.enabled:
        return fast_path(tensor)
    return slow_path(tensor)
'''),
            Variant.LIGHTER: _python('''
def NAME(tensor):
    """Use the fast path where there is one."""
    if torch.backends.cudnn.enabled:
        return fast_path(tensor)
    return slow_path(tensor)
'''),
        },
    ),
    Piece(
        paths=LIBRARY,
        names=("runs_on_rocm", "runs_on_mps", "runs_on_tpu", "runs_on_npu"),
        variants={
            Variant.COUPLED: _python('''
def NAME(device):
    """Whether a device needs the detour."""
    if torch.version.hip is not None:
        return True
    return device.type in ("mps", "xla", "npu")
'''),
            Variant.NEUTRAL: _python('''
def NAME(device):
    """Whether a device needs the detour."""
    return needs_detour(torch.get_device_module(device))
'''),
        },
    ),
    Piece(
        paths=TESTS,
        names=("test_copy", "test_streams", "test_gradients", "test_saved_tensors", "test_deepcopy"),
        variants={
            Variant.COUPLED: _python("""
@onlyCUDA
def NAME(self, device):
    x = torch.ones(3, device="cuda")
    self.assertEqual(x.sum().cuda(), 3)
"""),
            Variant.NEUTRAL: _python("""
@onlyAccelerator
def NAME(self, device):
    x = torch.ones(3, device=device)
    self.assertEqual(x.sum().to(device), 3)
"""),
        },
    ),
    Piece(
        paths=CORE,
        names=("copy_async", "record_stream", "pin_memory", "fill_zeros"),
        variants={
            Variant.COUPLED: _python("""
Tensor NAME(const Tensor& self) {
  TORCH_CHECK(self.is_cuda(), "a tensor on the device is needed");
  auto stream = at::cuda::getCurrentCUDAStream();
  return copy_on(self, stream);
}
"""),
            Variant.NEUTRAL: _python("""
Tensor NAME(const Tensor& self) {
  TORCH_CHECK(at::accelerator::isAccelerator(self.device().type()), "a tensor on the device is needed");
  auto stream = at::accelerator::getCurrentStream(self.device().index());
  return copy_on(self, stream);
}
"""),
        },
    ),
    Piece(
        paths=CORE,
        names=("report_usage", "report_peak", "report_fragments", "report_reserved"),
        variants={
            Variant.COUPLED: _python("""
#ifdef USE_CUDA
int64_t NAME(c10::Device device) {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(device.index()).allocated;
}
#endif
"""),
            Variant.NEUTRAL: _python("""
int64_t NAME(c10::Device device) {
  return at::accelerator::getDeviceStats(device.index()).allocated;
}
"""),
        },
    ),
)

PLAIN_PYTHON = _python('''
def NAME(values):
    """Add the values up."""
    return sum(value * 2 for value in values)
''')
PLAIN_CPP = _python("""
int64_t NAME(int64_t size) {
  return (size + 15) / 16 * 16;
}
""")
KERNEL = _python("""
__global__ void NAME_kernel(float* out, const float* in, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) out[i] = in[i] * 2;
}

void NAME(float* out, const float* in, int size) {
  NAME_kernel<<<(size + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(out, in, size);
}
""")
PYTHON_HEAD = "import torch\nimport torch.distributed as dist\n"
CPP_HEAD = "#include <ATen/Tensor.h>\n#include <c10/core/Device.h>\n"
KERNEL_HEAD = "#include <ATen/cuda/CUDAContext.h>\n"
WORKFLOW = (
    "name: test\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    strategy:\n      matrix:\n        build:\n"
)
README = "# A small framework\n\nMade up for a demonstration: nothing of it runs.\n"

VENDOR_HOME = "torch/cuda/relocated.py"
KERNELS = ("aten/src/ATen/native/cuda/Math.cu", "aten/src/ATen/native/cuda/Reduce.cu")
WORKFLOW_PATH = ".github/workflows/test.yml"
BUILDS = ("linux-cuda12.4", "linux-rocm6.2", "linux-xpu", "macos-mps", "linux-cuda12.8", "linux-rocm6.4", "linux-hpu")


def head_of(path: str) -> str:
    """Return how a file begins."""
    if path == WORKFLOW_PATH:
        return WORKFLOW
    if path.endswith(".md"):
        return README
    if path.endswith(".cu"):
        return KERNEL_HEAD
    return CPP_HEAD if path.endswith(".cpp") else PYTHON_HEAD
