"""The same text has the same vector on every x86-64 processor with AVX2.

onnxruntime is run as on other processors than this one: its own instructions that ask which
processor it is get another answer, so that it chooses other code.
"""

import json
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns

import onnxruntime
import pytest

from docgraph.model.digest import digest
from tests.support.cpuid_instructions import with_traps
from tests.support.masked_processor import MODELS

pytestmark = [
    pytest.mark.skipif(
        (platform.system(), platform.machine()) != ("Linux", "x86_64"),
        reason="instructions are masked on x86-64 Linux only",
    ),
    pytest.mark.xdist_group("instruction sets"),
]

ROOT = Path(__file__).parents[2]
NOT_NEEDED = ("__pycache__", "libonnxruntime.so*", "transformers", "tools", "quantization")
CODE = """
import json
import sys
from tests.support.instruction_set_values import values
print(json.dumps(values(json.load(sys.stdin))))
"""
WORDS = ("a", "snapshot", "of", "every", "document", "is", "read", "by", "the", "store")
RECORDED = "52c1bb9854522bb7c137938ca8d6f8bf4529bdc93b149b03185b2605efece8bf"
PAGES = sorted((ROOT / "tests" / "golden" / "corpus").rglob("*.md"))


@dataclass(frozen=True, slots=True)
class Values:
    vectors: list[list[int]]
    softmax: list[float]
    eight_bits: float


def texts() -> list[str]:
    """Of 3 to 512 tokens; short ones of equal length run together."""
    short = [" ".join(WORDS[start : start + 1 + start % 5]) for start in range(12)]
    pages = [page.read_text(encoding="utf-8") for page in PAGES[:12]]
    return [*short, *pages, *(page[:400] for page in pages), " ".join(pages)]


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Values]:
    """By processor."""
    original = Path(onnxruntime.__file__).parent
    copy = tmp_path_factory.mktemp("onnxruntime")
    copytree(original, copy / original.name, ignore=ignore_patterns(*NOT_NEEDED))
    (library,) = (copy / original.name / "capi").glob("onnxruntime_pybind11_state*.so")
    library.write_bytes(with_traps(library.read_bytes()))
    return {model: run(model, copy) for model in MODELS}


def run(model: str, copy: Path) -> Values:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.masked_processor", model, str(copy), CODE],
        cwd=ROOT,
        input=json.dumps(texts()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Values(**json.loads(done.stdout))


@pytest.mark.requirement(55)
def test_a_text_has_the_same_vector_on_every_processor(values: dict[str, Values]) -> None:
    expected = values["this one"].vectors
    assert len(expected) == len(texts())
    for found in values.values():
        assert found.vectors == expected


@pytest.mark.requirement(55)
def test_other_machines_and_versions_of_onnxruntime_gave_these_vectors(
    values: dict[str, Values],
) -> None:
    """Another digest here is another embedder: its graph's VERSION changes too."""
    assert digest(values["this one"].vectors) == RECORDED


def flags() -> set[str]:
    line = next(
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")
    )
    return set(line.split())


@pytest.mark.skipif(
    not {"avx512f", "avx512_vnni"} <= flags() if sys.platform == "linux" else True,
    reason="this processor has no other code that could be chosen",
)
def test_other_code_is_run_on_other_processors(values: dict[str, Values]) -> None:
    """Both of these depend on the processor, which is why no vector is made with them."""
    softmax = {model: found.softmax for model, found in values.items()}
    assert softmax["this one"] == softmax["AVX-512 without VNNI"] != softmax["AVX2"]
    eight_bits = {model: found.eight_bits for model, found in values.items()}
    whole = 255 * 127 * 64
    assert eight_bits["this one"] == whole
    assert (eight_bits["AVX2 with VNNI"] == whole) == ("avx_vnni" in flags())
    assert eight_bits["AVX2"] == eight_bits["AVX-512 without VNNI"] < whole
