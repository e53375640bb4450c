"""Run the tests as other processors would: without instructions that NumPy, BLAS and the C library pick by themselves.

Each run has another seed of hypothesis and another order of the tests; the first that fails ends it. From the project's
folder, with the Python of the tests: ``make test-machines``, ``RUNS=3`` for fewer runs, ``PYTEST_ARGS=...`` for pytest.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

PICK = "import numpy._core._multiarray_umath as m; print(*[f for f in m.__cpu_dispatch__ if m.__cpu_features__[f]])"
NEWEST = ("X86_V4", "AVX512")  # what processors with AVX2 need not have


def machines() -> dict[str, dict[str, str]]:
    """Name and environment of each kind of processor that this one can play."""
    found = subprocess.run([sys.executable, "-c", PICK], capture_output=True, text=True, check=True).stdout.split()
    newest = [feature for feature in found if feature.startswith(NEWEST)]
    oldest = {
        "OPWELD_PROCESSOR": "x86-64-v2",
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-AVX512DQ,-AVX512VL",
    }
    middle = {
        "OPWELD_PROCESSOR": "x86-64-v3",
        "NPY_DISABLE_CPU_FEATURES": " ".join(newest),
        "OPENBLAS_CORETYPE": "Haswell",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512DQ,-AVX512VL",
    }
    return {"as it is": {}, "without AVX-512": middle, "without AVX": oldest}


def main(runs: int, arguments: list[str]) -> int:
    """Run pytest so often; give what the last run gave."""
    kinds = list(machines().items())
    for number in range(runs):
        name, environment = kinds[-1 - number % len(kinds)]
        seed = random.SystemRandom().randrange(1 << 32)
        command = [sys.executable, "-m", "pytest", "-q", f"--hypothesis-seed={seed}", f"--shuffle={seed}", *arguments]
        told = " ".join(f"{key}={value!r}" for key, value in environment.items())
        print(f"· run {number + 1} of {runs}, {name}: {told} {' '.join(command[1:])}", flush=True)
        code = subprocess.run(command, env={**os.environ, **environment}).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
