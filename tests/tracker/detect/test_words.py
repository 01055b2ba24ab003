"""Vendor words inside token runs."""

import pytest

from tracker.detect import Detector


@pytest.mark.parametrize(
    ("symbol", "vendor"),
    [
        ("cuda", "nvidia"),
        ("cudaMemcpyAsync", "nvidia"),
        ("CuDNN", "nvidia"),
        ("ProcessGroupNCCL", "nvidia"),
        ("allow_tf32", "nvidia"),
        ("SM80OrLater", "nvidia"),
        ("sm_75", "nvidia"),
        ("cu113", "nvidia"),
        ("THCState", "nvidia"),
        ("THCUNN_assertSameGPU", "nvidia"),
        ("THCudaTensor", "nvidia"),
        ("-DTHC_GENERIC", "nvidia"),
        ("__global__", "nvidia"),
        ("hip", "amd"),
        ("hipMalloc", "amd"),
        ("getHIPHooks", "amd"),
        ("is_hip", "amd"),
        ("-DHIP_VERSION", "amd"),
        ("HIPs", "amd"),
        ("__HIPCC__", "amd"),
        ("gfx90a", "amd"),
        ("MI300X", "amd"),
        ("USE_ROCM", "amd"),
        ("kXPU", "intel"),
        ("intel_extension_for_pytorch", "intel"),
        ("intel/oneapi", "intel"),
        ("skipIfHpu", "habana"),
        ("dtypesIfHPU", "habana"),
        ("DeviceType::MAIA", "microsoft"),
        ("hccl", "habana"),
        ("MPSStream", "apple"),
        ("MPSNDArray", "apple"),
        ("MPSCNNConvolution", "apple"),
        ("USE_PYTORCH_METAL", "apple"),
        ("TPUs", "google"),
        ("XLATensor", "google"),
        ("NEURON_RT_VISIBLE_CORES", "aws"),
        ("torch_npu", "huawei"),
        ("MULTI_NPU", "huawei"),
        ("DeviceType::IPU", "graphcore"),
        ("is_mlu_available", "cambricon"),
        ("torch.musa", "mthreads"),
        ("MSNPU", "microsoft"),
        ("MtiaInterface", "meta"),
    ],
)
def test_a_vendor_word_is_found_in_a_run(detector: Detector, symbol: str, vendor: str) -> None:
    assert detector.vendors.vendor_of(symbol) == vendor


@pytest.mark.parametrize(
    "symbol",
    [
        "input", "output", "throughput", "OUTPUT", "NumInputs", "membership", "relationship", "shipped", "SHIP", "Chip",
        "dumps", "stamps", "timestamps", "manipulate", "ascending", "descend", "neurons", "hipster", "bare_metal",
        "amd64", "AMD64", "x86_64", "numThreads", "roc_auc", "THConcat", "THCharTensor", "xlabel", "IsmCount",
        "prismatic", "gpu", "device", "accelerator", "cpu", "mkldnn", "intelligence", "intel", "Apple", "google",
        "occupied", "custom", "accumulate", "cub", "metadata", "MAX_INT", "barracuda", "c7i.metal",
        "intel-openmp", "HIPPO", "sm_count", "cuX",
    ],
)  # fmt: skip
def test_ordinary_words_hold_no_vendor_word(detector: Detector, symbol: str) -> None:
    assert detector.vendors.vendor_of(symbol) is None


@pytest.mark.parametrize(
    ("symbol", "vendor"),
    [
        ("skipCUDAIfRocm", "amd"),
        ("skipCUDAIfNoMiopen", "amd"),
        ("skipCUDAIfNoMagma", "nvidia"),
        ("skip_cuda_if_rocm", "amd"),
        ("HIPGuardMasqueradingAsCUDA", "amd"),
        ("require_cuda_or_xpu", "nvidia"),
        ("dtypesIfCUDA", "nvidia"),
    ],
)
def test_of_two_vendors_the_one_the_condition_is_about_counts(detector: Detector, symbol: str, vendor: str) -> None:
    assert detector.vendors.vendor_of(symbol) == vendor


def test_the_keyword_scan_passes_over_ordinary_words(detector: Detector) -> None:
    assert detector.keywords.offsets(b"output = input; HIP = ship + hip") == [16, 29]


@pytest.mark.parametrize("text", [b"hccl", b"num_xpus", b"hpus", b"n_tpus", b"npus", b"ipus", b"mlus"])
def test_a_word_is_not_hidden_by_a_shorter_one_it_begins_with(detector: Detector, text: bytes) -> None:
    assert len(detector.keywords.offsets(text)) == 1


def test_the_keyword_scan_sees_words_at_both_ends_of_a_text(detector: Detector) -> None:
    assert detector.keywords.offsets(b"hip") == [0]
    assert detector.keywords.offsets(b"xla+mps") == [0, 4]


def test_letters_beyond_ascii_do_not_shift_what_is_found(detector: Detector) -> None:
    assert detector.vendors.named_in("İcuda") == [(1, 5, "nvidia")]
