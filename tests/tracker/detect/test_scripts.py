"""Sites in build descriptions, pipelines, scripts and configuration."""

import pytest

from tests.tracker.detect.conftest import found_in
from tracker.ruleset import Language, Purpose


def symbols(text: str, language: Language, purpose: Purpose = Purpose.CODE) -> list[str]:
    return [symbol for _, symbol in found_in(text, language, purpose)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("if(USE_CUDA)", ["USE_CUDA"]),
        ("find_package(CUDA 10.2 REQUIRED)", ["CUDA"]),
        ("enable_language(CUDA)", ["CUDA"]),
        ('option(USE_CUDA "Use CUDA" ON)', ["USE_CUDA"]),
        ('cmake_dependent_option(USE_CUDNN "Use cuDNN" ON "USE_CUDA" OFF)', ["USE_CUDNN", "USE_CUDA"]),
        ("cuda_add_library(x y.cpp)", ["cuda_add_library"]),
        ("target_link_libraries(x torch::cudart)", ["torch::cudart"]),
        ("list(APPEND SRCS ${DIR}/cuda/a.cpp cpu/a.cpp)", ["${DIR}/cuda/a.cpp"]),
        ('list(APPEND F "-DUSE_CUDA" "-DUSE_MKL")', ["-DUSE_CUDA"]),
        ('set(F "${F} -DUSE_ROCM")', ["-DUSE_ROCM"]),
        ("set(X $<TARGET_PROPERTY:torch::nvtx,A>)", ["torch::nvtx"]),
        ("set(X $<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin>)", ["CUDA"]),
        ('set(L "${CUDA_A};${CUDNN_B}")', ["CUDA_A", "CUDNN_B"]),
        ("-DHIP_VERSION=${HIP_MAJOR}", ["-DHIP_VERSION", "HIP_MAJOR"]),
        ("include(../cmake/public/cuda.cmake)", ["../cmake/public/cuda.cmake"]),
        ("target_link_libraries(x PRIVATE nvidia::cuda hip::device)", ["nvidia::cuda", "hip::device"]),
        ("target_link_libraries(x $<LINK_ONLY:torch::cudart>)", ["torch::cudart"]),
        ("set(X $<$<CONFIG:Debug>:-DUSE_CUDA>)", ["-DUSE_CUDA"]),
        ("set(X $<BUILD_INTERFACE:${CUDA_LIBRARIES}>)", ["CUDA_LIBRARIES"]),
        ("set(X $<CUDA_COMPILER_ID:NVIDIA>)", ["CUDA_COMPILER_ID", "NVIDIA"]),
        ("set(X $<TARGET_NAME_IF_EXISTS:CUDA::cublas>)", ["CUDA::cublas"]),
        ("set(X $<$<AND:$<BOOL:${USE_CUDA}>,$<CONFIG:Debug>>:x>)", ["USE_CUDA"]),
        ("set(X [=[ cuda ]=])", ["cuda"]),
        ('set(F "-O2 -gencode arch=compute_80,code=sm_80")', ["sm_80"]),
        ('option(BUILD_X "Build with CUDA" OFF)', []),
        ('set(X "first\n CUDA line")', []),
        ("# if(USE_CUDA)", []),
        ("#[[ if(USE_CUDA)\n endif() ]]", []),
        ("#[==[ ]] USE_CUDA ]==] if(USE_ROCM)", ["USE_ROCM"]),
        ('message(STATUS "CUDA ${CUDA_VERSION}")', []),
        ('message(FATAL_ERROR "USE_CUDA")', []),
        ("if(USE_MKLDNN)", []),
    ],
)
def test_cmake(text: str, found: list[str]) -> None:
    assert symbols(text, Language.CMAKE) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("runs-on: linux.4xlarge.nvidia.gpu", ["linux.4xlarge.nvidia.gpu"]),
        ("docker-image: nvidia/cuda:11.2-cudnn8", ["nvidia/cuda:#-cudnn#"]),
        ("build-environment: linux-xenial-cuda10.2-cudnn7-py3", ["linux-xenial-cuda10.2-cudnn7-py3"]),
        ("- name: Install CUDA toolkit", []),
        ("  name: cuda-build", ["cuda-build"]),
        ("displayName: 'Build on CUDA machines'", []),
        ("# cuda", []),
        ("x: 1  # cuda", []),
        ("x: 'a # b' cuda", ["cuda"]),
        ("env: {USE_CUDA: 1, USE_MKL: 0}", ["USE_CUDA"]),
        ("base: &cuda_defaults\n<<: *cuda_defaults", ["cuda_defaults", "cuda_defaults"]),
        ("run: |\n  # on cuda\n  ./install_cuda.sh 11\n  echo CUDA is there\n", ["./install_cuda.sh"]),
        ("description: |\n  Runs on cuda\n\n  and on rocm.\nrun: cudafe", ["cudafe"]),
        ("description: >-  # why\n  - cuda\nx: cuda", ["cuda"]),
        ("- name: |\n    Build for cuda\n  run: cudafe", ["cudafe"]),
        ("description: this is\n  about cuda\nx: rocm", ["rocm"]),
        ("run: |\n  description: cuda-x\n  cudafe x\nname: on cuda", ["cuda-x", "cudafe"]),
        ("script: |\n  make cuda\n  name: to cuda\n", ["cuda"]),
        ("run: >\n  export USE_CUDA=1", ["USE_CUDA"]),
        ("- script: |\n    echo 'on cuda'\n    x --device cuda\n  displayName: 'Test on cuda'", ["cuda"]),
        ("run: echo cuda", []),
        ("run: echo USE_CUDA=1 >> $ENV", ["USE_CUDA"]),
        ("name: cuda  # the job", ["cuda"]),
        ("message: 'cuda has failed'\nhelp: build with cuda", []),
        ("matrix: &m\n  device: [cuda, cpu]\nother:\n  <<: *m\n  cuda: '12'", ["cuda", "cuda"]),
        ("if: ${{ matrix.device == 'cuda' }}", ["cuda"]),
        ("uses: ./.github/actions/setup-cuda", ["./.github/actions/setup-cuda"]),
        ("run: |\n  cat <<EOF\n  cuda is here\n  EOF\n  cudafe", ["cudafe"]),
        ("run: python - <<EOF\n  import torch.cuda\n  EOF", ["torch.cuda"]),
        ("input: output", []),
    ],
)
def test_pipelines(text: str, found: list[str]) -> None:
    assert symbols(text, Language.YAML, Purpose.PIPELINE) == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("image: example/pytorch-cuda:10.1-cudnn7", "image: example/pytorch-cuda:11.3-cudnn8"),
        ("url: https://example.com/whl/cu102/a.whl", "url: https://example.com/whl/cu113/a.whl"),
        ("run: dpkg -i nvidia-peer-memory_1.0-8_all.deb", "run: dpkg -i nvidia-peer-memory_1.0-9_all.deb"),
    ],
)
def test_versions_in_a_tag_an_address_or_the_file_of_a_package_do_not_change_its_name(old: str, new: str) -> None:
    assert symbols(old, Language.YAML, Purpose.PIPELINE) == symbols(new, Language.YAML, Purpose.PIPELINE) != []


def test_the_version_in_the_name_of_a_job_does() -> None:
    old, new = "name: linux-cuda10.2", "name: linux-cuda11.3"
    assert symbols(old, Language.YAML, Purpose.PIPELINE) != symbols(new, Language.YAML, Purpose.PIPELINE)


def test_operator_descriptions_name_dispatch_keys_and_kernels() -> None:
    text = "- func: add(Tensor self) -> Tensor\n  dispatch:\n    CPU: add_cpu\n    CPU, CUDA: add_cuda\n"
    assert found_in(text, Language.YAML) == [("dispatch", "CUDA"), ("name", "add_cuda")]


def test_configuration_of_a_run_keeps_the_index_of_a_device() -> None:
    assert symbols("device: cuda:0\n", Language.YAML) == ["cuda:0"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("export USE_CUDA=1", ["USE_CUDA"]),
        ('if [[ "$BUILD_ENVIRONMENT" == *cuda* ]]; then', ["cuda"]),
        ('CMAKE_ARGS="-DUSE_CUDA=ON -DUSE_MKL=ON"', ["-DUSE_CUDA"]),
        ("${CUDA_HOME}/bin/cudafe x.cu", ["${CUDA_HOME}/bin/cudafe"]),
        ("python - <<EOF\nimport torch.cuda\nEOF", ["torch.cuda"]),
        ("cat > run.py <<EOF\nimport torch.cuda\nEOF", ["torch.cuda"]),
        ("cat <<EOF > run.py\nimport torch.cuda\nEOF", ["torch.cuda"]),
        ("cat <<EOF | python\nimport torch.cuda\nEOF", ["torch.cuda"]),
        ("TEXT=$(cat <<EOF\nimport torch.cuda\nEOF\n)", ["torch.cuda"]),
        ("cat <<EOF\nbuilt with cuda\nEOF\ncudafe", ["cudafe"]),
        ("usage() { cat >&2 <<-'EOF'\n\t--cuda  build with cuda\n\tEOF\n}\ncudafe", ["cudafe"]),
        ("cat <<EOF\nnever closed: cuda", []),
        ("concat <<EOF\ncudafe\nEOF", ["cudafe"]),
        (">&2 echo 'no cuda'", []),
        ("\t@echo cuda; cudafe x.cu", ["cudafe"]),
        ("echo '/usr/local/cuda/lib' > /etc/ld.so.conf", ["/usr/local/cuda/lib"]),
        ("echo cuda >&2", []),
        ("echo 'a -> cuda'", []),
        ("x='it is' y=cuda  # hip", ["cuda"]),
        ('echo "don\'t"  # cuda', []),
        ("x=don\\'t  # cuda", []),
        ("# " + "a " * 1000 + "cuda", []),
        ("echo " + "a " * 1000 + "cuda; cudafe", ["cudafe"]),
        ("a " * 1000 + "cuda", ["cuda"]),
        ("make \\\n  USE_CUDA=1 \\\n  # hip", ["USE_CUDA"]),
        ("grep cuda <<< $input", ["cuda"]),
        ("echo 'CUDA is there'", []),
        ("echo CUDA; cudafe x", ["cudafe"]),
        ("make && echo CUDA", []),
        ("# cudafe", []),
        ("x=${#array[@]} cudafe", ["cudafe"]),
        ("cp input output", []),
    ],
)
def test_shell(text: str, found: list[str]) -> None:
    assert symbols(text, Language.SHELL) == found


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        (Language.DOCKERFILE, "FROM nvidia/cuda:11.2-devel\n# rocm\nRUN cudafe", ["nvidia/cuda:#-devel", "cudafe"]),
        (Language.CONFIG, "nvidia-cublas-cu12==12.1 ; os == 'x'  # cuda", ["nvidia-cublas-cu12"]),
        (Language.CONFIG, "description = 'This line calls raw CUDA functions, which it should not'", []),
        (Language.CONFIG, "numpy>=1.2", []),
        (Language.BATCH, "rem cuda\nset CUDA_PATH=C:\\x\n@echo CUDA\n:: cuda\n", ["CUDA_PATH"]),
        (Language.JSON, '{"device": "cuda", "text": "runs on cuda", "n": 1}', ["cuda"]),
        (Language.PLAIN, "graph(%x : Float(2, device=cuda:0)):\n  aten::cudnn_x(%input)", ["cuda:0", "aten::cudnn_x"]),
        (Language.SCRIPT, "#!/usr/bin/env python3\nx.cuda()\n", [".cuda"]),
        (Language.SCRIPT, "#!/bin/bash\nexport USE_CUDA=1\n", ["USE_CUDA"]),
        (Language.SCRIPT, "Licence: use on cuda\n", []),
    ],
)  # fmt: skip
def test_other_files(language: Language, text: str, found: list[str]) -> None:
    assert symbols(text, language) == found
