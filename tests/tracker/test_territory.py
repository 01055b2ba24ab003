"""Where paths stand, in the maps that ship and in a map of one's own."""

import pytest

from tracker.rules import read_rules
from tracker.ruleset import AreaRule, TerritoryRule, TerritoryRules, load_ruleset
from tracker.sites import Area, Place, Territory
from tracker.territory import map_of_rules, territory_map_for

RULESET = load_ruleset(read_rules())
PYTORCH = territory_map_for("pytorch/pytorch", RULESET)
UNSEEN = territory_map_for("someone/something", RULESET)


def stands(path: str, slug: str = "pytorch/pytorch") -> str:
    place = territory_map_for(slug, RULESET).place(path)
    return f"{place.territory} {place.area}"


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("aten/src/THC/THCTensorMath.cu", "vendor core"),
        ("aten/src/ATen/native/cuda/Sort.cpp", "vendor core"),
        ("aten/src/ATen/native/Convolution.cpp", "neutral core"),
        ("c10/core/Device.cpp", "interface core"),
        ("c10/core/TensorImpl.h", "neutral core"),
        ("aten/src/ATen/detail/CUDAHooksInterface.h", "interface core"),
        ("aten/src/ATen/native/native_functions.yaml", "interface core"),
        ("aten/src/ATen/Declarations.cwrap", "interface core"),
        ("torch/cuda/__init__.py", "vendor core"),
        ("torch/csrc/CudaIPCTypes.cpp", "vendor core"),
        ("torch/csrc/utils/cuda_lazy_init.h", "neutral core"),
        ("torch/csrc/jit/tensorexpr/cuda_codegen.cpp", "vendor compiler"),
        ("torch/csrc/jit/passes/graph_fuser.cpp", "neutral compiler"),
        ("torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp", "vendor distributed"),
        ("torch/csrc/distributed/c10d/ProcessGroupGloo.cpp", "neutral distributed"),
        ("torch/lib/c10d/reducer.cpp", "neutral distributed"),
        ("torch/distributed/launch.py", "neutral tooling"),
        ("torch/distributed/distributed_c10d.py", "neutral distributed"),
        ("torch/onnx/utils.py", "neutral compiler"),
        ("torch/_inductor/codegen/triton.py", "neutral compiler"),
        ("torch/_inductor/cudagraph_trees.py", "vendor compiler"),
        ("torch/_dynamo/device_interface.py", "interface compiler"),
        ("torch/accelerator/__init__.py", "interface core"),
        ("torch/testing/_internal/common_cuda.py", "vendor_test test"),
        ("torch/testing/_internal/common_device_type.py", "interface test"),
        ("torch/testing/_internal/common_methods_invocations.py", "neutral test"),
        ("test/test_torch.py", "neutral test"),
        ("test/test_cuda.py", "vendor_test test"),
        ("test/test_numba_integration.py", "vendor_test test"),
        ("test/distributed/test_c10d_nccl.py", "vendor_test test"),
        ("test/distributed/test_c10d_gloo.py", "neutral test"),
        ("test/cpp/jit/test_gpu_shift.cpp", "vendor_test test"),
        ("aten/src/ATen/test/cuda_stream_test.cpp", "vendor_test test"),
        ("aten/src/ATen/test/basic.cpp", "neutral test"),
        ("torch/csrc/deploy/test_deploy_gpu.cpp", "neutral test"),
        ("cmake/Modules/FindCUDA/run_nvcc.cmake", "vendor build"),
        ("cmake/upstream/FindCUDA/run_nvcc.cmake", "vendor build"),
        ("cmake/public/cuda.cmake", "vendor build"),
        ("cmake/public/LoadHIP.cmake", "vendor build"),
        ("cmake/Dependencies.cmake", "neutral build"),
        ("setup.py", "neutral build"),
        ("tools/setup_helpers/cuda.py", "neutral build"),
        ("tools/setup_helpers/rocm.py", "vendor build"),
        ("tools/build_variables.bzl", "neutral build"),
        ("tools/codegen/gen.py", "neutral core"),
        ("tools/amd_build/build_amd.py", "vendor tooling"),
        ("benchmarks/operator_benchmark/pt/conv_test.py", "neutral tooling"),
        ("binaries/core_overhead_benchmark_gpu.cc", "vendor tooling"),
        ("caffe2/operators/conv_op_cudnn.cc", "vendor core"),
        ("caffe2/operators/relu_op_gpu.cc", "vendor core"),
        ("caffe2/core/context_gpu_test.cc", "vendor_test test"),
        (".circleci/config.yml", "infrastructure tooling"),
        (".circleci/docker/common/install_rocm.sh", "infrastructure tooling"),
        (".github/workflows/generated-linux-xenial-cuda10.2-py3.6-gcc7.yml", "infrastructure tooling"),
        (".jenkins/pytorch/test.sh", "infrastructure tooling"),
        ("third_party/nccl/nccl.cmake", "third_party build"),
        ("third_party/xpu.txt", "infrastructure core"),
        ("torch/lib/nccl/src/nccl.h", "third_party core"),
        ("torch/_vendor/quack/utils.py", "third_party core"),
        ("torch/utils/hipify/cuda_to_hip_mappings.py", "vendor core"),
        ("torch/_inductor/kernel/vendored_templates/cutedsl.py", "third_party compiler"),
        ("test/expect/TestJit.test_cuda.expect", "generated test"),
    ],
)
def test_pytorch_through_its_eras(path: str, where: str) -> None:
    assert stands(path) == where


@pytest.mark.parametrize(
    ("slug", "path", "where"),
    [
        ("deepspeedai/DeepSpeed", "accelerator/cuda_accelerator.py", "vendor core"),
        ("deepspeedai/DeepSpeed", "accelerator/hpu_accelerator.py", "vendor core"),
        ("deepspeedai/DeepSpeed", "accelerator/real_accelerator.py", "neutral core"),
        ("deepspeedai/DeepSpeed", "csrc/transformer/softmax_kernels.cu", "vendor core"),
        ("deepspeedai/DeepSpeed", "csrc/includes/cublas_wrappers.h", "vendor core"),
        ("deepspeedai/DeepSpeed", "csrc/aio/py_lib/py_ds_aio.cpp", "neutral core"),
        ("deepspeedai/DeepSpeed", "op_builder/npu/fused_adam.py", "vendor build"),
        ("deepspeedai/DeepSpeed", "op_builder/builder.py", "neutral build"),
        ("microsoft/DeepSpeed", "deepspeed/runtime/zero/stage2.py", "neutral distributed"),
        ("deepspeedai/DeepSpeed", "deepspeed/launcher/runner.py", "neutral tooling"),
        ("deepspeedai/DeepSpeed", "tests/unit/runtime/zero/test_zero.py", "neutral test"),
        ("deepspeedai/DeepSpeed", ".github/workflows/amd-mi200.yml", "infrastructure tooling"),
        ("huggingface/accelerate", "src/accelerate/state.py", "neutral core"),
        ("huggingface/accelerate", "src/accelerate/commands/launch.py", "neutral tooling"),
        ("huggingface/accelerate", "src/accelerate/commands/tpu.py", "vendor tooling"),
        ("huggingface/accelerate", "src/accelerate/test_utils/testing.py", "neutral test"),
        ("huggingface/accelerate", "tests/test_tpu.py", "vendor_test test"),
        ("huggingface/accelerate", "benchmarks/fp8/torchao/ddp.py", "neutral tooling"),
        ("huggingface/accelerate", "examples/nlp_example.py", "neutral example"),
        ("Lightning-AI/pytorch-lightning", "pytorch_lightning/accelerators/tpu.py", "vendor distributed"),
        ("Lightning-AI/pytorch-lightning", "src/lightning/pytorch/strategies/single_hpu.py", "vendor distributed"),
        ("Lightning-AI/pytorch-lightning", "src/lightning/pytorch/strategies/ddp.py", "neutral distributed"),
        ("Lightning-AI/pytorch-lightning", "src/lightning/fabric/accelerators/cuda.py", "vendor distributed"),
        ("PyTorchLightning/pytorch-lightning", "tests/models/test_tpu.py", "vendor_test test"),
        ("Lightning-AI/pytorch-lightning", "tests/tests_fabric/conftest.py", "neutral test"),
        ("Lightning-AI/pytorch-lightning", ".azure/gpu-tests-pytorch.yml", "infrastructure tooling"),
    ],
)
def test_the_ecosystem(slug: str, path: str, where: str) -> None:
    assert stands(path, slug) == where


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("vllm/platforms/rocm.py", "vendor core"),
        ("vllm/platforms/interface.py", "neutral core"),
        ("csrc/attention/attention_kernels.cu", "vendor core"),
        ("src/kernels/ascend/copy.cpp", "vendor core"),
        ("package/cuda_setup/main.py", "vendor core"),
        ("package/cudaless/main.py", "neutral core"),
        ("src/neuron/worker.py", "vendor core"),
        ("pkg/xpu_worker.py", "vendor core"),
        ("pkg/worker.py", "neutral core"),
        ("pkg/membership.py", "neutral core"),
        ("pkg/relationship/ship.py", "neutral core"),
        ("pkg/output_input.py", "neutral core"),
        ("tests/test_cuda_graph.py", "vendor_test test"),
        ("tests/test_multi_gpu.py", "neutral test"),
        ("tests/tpu/test_worker.py", "vendor_test test"),
        ("tests/run_tpu_tests.sh", "vendor_test test"),
        ("tests/run_tests.sh", "neutral test"),
        ("tests/test_sums_cuda_only.py", "vendor_test test"),
        ("tests/assets/input_npus.py", "neutral test"),
        ("pkg/comm/hccl.py", "vendor distributed"),
        ("benchmarking/xpu/run.py", "vendor tooling"),
        ("benchmarking/run.py", "neutral tooling"),
        ("conda.recipe/meta.yaml", "infrastructure core"),
        ("examples/train.py", "neutral example"),
        ("benchmarks/run.py", "neutral tooling"),
        ("docker/Dockerfile.rocm", "infrastructure build"),
        (".github/workflows/cuda.yml", "infrastructure tooling"),
        ("requirements-cuda.txt", "infrastructure build"),
        ("third_party/flash/flash.cu", "third_party core"),
        ("pkg/distributed/comm.py", "neutral distributed"),
        ("setup.py", "neutral build"),
        ("comparison/math/results/lora--default.json", "generated tooling"),
        ("comparison/math/run.py", "neutral tooling"),
        ("pkg/results/report.py", "neutral core"),
        ("pkg/results.json", "neutral core"),
        ("text_benchmark/utils.py", "neutral tooling"),
        ("_typos.toml", "neutral tooling"),
        (".clang-tidy", "neutral tooling"),
        ("multinode_trainer.slurm", "neutral tooling"),
        ("run_train.sh", "neutral tooling"),
        ("pkg/maia_worker.py", "vendor core"),
        ("tests/msnpu_extension.cpp", "vendor_test test"),
        ("", "neutral core"),
        ("/", "neutral core"),
    ],
)
def test_a_repository_never_seen(path: str, where: str) -> None:
    assert stands(path, "someone/something") == where


@pytest.mark.parametrize(
    ("slug", "path", "subsystem"),
    [
        ("pytorch/pytorch", "torch/csrc/distributed/c10d/reducer.cpp", "communication"),
        ("pytorch/pytorch", "torch/distributed/rpc/api.py", "rpc"),
        ("pytorch/pytorch", "torch/distributed/fsdp/fully_sharded_data_parallel.py", "sharding"),
        ("pytorch/pytorch", "torch/nn/parallel/distributed.py", "data_parallel"),
        ("pytorch/pytorch", "torch/csrc/jit/tensorexpr/kernel.cpp", "fusers"),
        ("pytorch/pytorch", "torch/jit/_script.py", "jit"),
        ("pytorch/pytorch", "torch/_inductor/scheduler.py", "inductor"),
        ("pytorch/pytorch", "torch/fx/graph.py", "graph_capture"),
        ("pytorch/pytorch", "aten/src/ATen/native/quantized/cpu/qadd.cpp", "quantized_operators"),
        ("pytorch/pytorch", "aten/src/ATen/native/Pool.h", "operators"),
        ("pytorch/pytorch", "aten/src/ATen/core/dispatch/Dispatcher.cpp", "dispatcher"),
        ("pytorch/pytorch", "c10/core/Allocator.h", "tensor_runtime"),
        ("pytorch/pytorch", "torch/testing/_internal/common_utils.py", "test_framework"),
        ("pytorch/pytorch", "test/cpp/api/module.cpp", "test_cpp"),
        ("pytorch/pytorch", "test/inductor/test_triton.py", "test_compiler"),
        ("pytorch/pytorch", "test/test_torch.py", "test"),
        ("deepspeedai/DeepSpeed", "deepspeed/runtime/zero/stage3.py", "sharding"),
        ("deepspeedai/DeepSpeed", "deepspeed/comm/comm.py", "communication"),
        ("deepspeedai/DeepSpeed", "deepspeed/moe/layer.py", "model_parallel"),
        ("deepspeedai/DeepSpeed", "deepspeed/inference/engine.py", "inference"),
        ("deepspeedai/DeepSpeed", "accelerator/real_accelerator.py", "devices"),
        ("deepspeedai/DeepSpeed", "op_builder/builder.py", "kernel_builders"),
        ("huggingface/accelerate", "src/accelerate/utils/fsdp_utils.py", "sharding"),
        ("huggingface/accelerate", "src/accelerate/state.py", "devices"),
        ("huggingface/accelerate", "src/accelerate/accelerator.py", "training"),
        ("Lightning-AI/pytorch-lightning", "src/lightning/pytorch/strategies/ddp.py", "strategies"),
        ("Lightning-AI/pytorch-lightning", "src/lightning/pytorch/plugins/precision/amp.py", "precision"),
        ("someone/something", "pkg/optim/adam.py", "optimizers"),
        ("someone/something", "pkg/models/net.py", "models"),
        ("someone/something", "pkg/handlers/stop.py", "training"),
        ("someone/something", "pkg/core.py", "core"),
    ],
)
def test_areas_have_subsystems(slug: str, path: str, subsystem: str) -> None:
    assert territory_map_for(slug, RULESET).place(path).subsystem == subsystem


def test_a_vendors_place_says_whose_it_is() -> None:
    assert PYTORCH.place("c10/cuda/CUDAStream.cpp") == Place(
        Territory.VENDOR, Area.CORE, "tensor_runtime", ("nvidia", "amd")
    )
    assert UNSEEN.place("a/mps/b.py").vendors == ("apple",)
    assert UNSEEN.place("a/hccl.py").vendors == ("habana", "huawei")


def test_forks_are_placed_like_the_original_whatever_the_case() -> None:
    assert (
        territory_map_for("MRuberry/PyTorch", RULESET).place("torch/accelerator/x.py").territory is Territory.INTERFACE
    )
    assert UNSEEN.place("torch/accelerator/x.py").territory is Territory.NEUTRAL


def test_a_repository_may_bring_its_own_map_without_code() -> None:
    own = """
        repositories = ["someone/something"]
        [[territory]]
        globs = ["engine/{fast,slow}/*.py", "**/special_?.c"]
        territory = "vendor"
        vendors = ["groq"]
        [[area]]
        globs = ["engine/**"]
        area = "compiler"
        subsystem = "engine"
    """
    placed = territory_map_for("someone/something", load_ruleset({**read_rules(), "territory-own.toml": own}))
    assert placed.place("engine/fast/a.py") == Place(Territory.VENDOR, Area.COMPILER, "engine", ("groq",))
    assert placed.place("engine/fast/deeper/a.py") == Place(Territory.NEUTRAL, Area.COMPILER, "engine", ())
    assert placed.place("x/y/special_1.c").territory is Territory.VENDOR
    assert placed.place("x/y/special_12.c").territory is Territory.NEUTRAL
    assert placed.place("x/cuda/y.c").vendors == ("nvidia", "amd")


def test_the_first_rule_that_matches_decides_whatever_its_kind() -> None:
    own = """
        repositories = ["a/b"]
        [[territory]]
        globs = ["**/*_[xy].py"]
        territory = "generated"
        [[territory]]
        globs = ["lib/**", "**/name.py", "exact/path.py"]
        territory = "interface"
        [[territory]]
        globs = ["lib/a_x.py", "**/*.py"]
        territory = "third_party"
    """
    placed = territory_map_for("a/b", load_ruleset({**read_rules(), "territory-own.toml": own}))
    assert [
        placed.place(path).territory.value for path in ("lib/a_x.py", "lib/a_z.py", "name.py", "exact/path.py", "z.py")
    ] == [
        "generated",
        "interface",
        "interface",
        "interface",
        "third_party",
    ]


PLACES: list[tuple[TerritoryRules, TerritoryRule | AreaRule]] = [
    *((rules, rule) for rules in RULESET.territory_maps for rule in rules.territories),
    *((rules, rule) for rules in RULESET.territory_maps for rule in rules.areas),
]


@pytest.mark.parametrize(("rules", "rule"), PLACES, ids=[rule.id for _, rule in PLACES])
def test_a_rule_decides_of_the_paths_it_says_it_decides_of(
    rules: TerritoryRules, rule: TerritoryRule | AreaRule
) -> None:
    places = map_of_rules(rules, RULESET)
    assert [path for path in rule.flags if rule not in places.deciding(path)] == []
    assert [path for path in rule.ignores if rule in places.deciding(path)] == []
    assert 0 < len(rule.flags) <= len(rule.ignores)
    assert rule.why
    assert rule.source
