"""A BLAS for ops that call one by its names in Fortran: the flags that link it, and the C that declares it.

Which library that is, ``config.blas.ldflags`` says; it is found where the machine has one. Where there is none, plain
loops of the same names are compiled with the op: slow for large matrices, and right.
"""

from __future__ import annotations

import shlex

from opweld import blaslib
from opweld.compat.settings import config

__all__ = [
    "blas_header_text", "blas_header_version", "cblas_header_text", "ldflags", "mkl_threads_text",
    "openblas_threads_text",
]  # fmt: skip


def ldflags(libs: bool = True, flags: bool = False, libs_dir: bool = False, include_dir: bool = False) -> list[str]:
    """Give what ``config.blas.ldflags`` says, of some kinds.

    Parameters
    ----------
    libs, libs_dir, include_dir : bool
        Names of libraries, their folders, folders of headers: without ``-l``, ``-L``, ``-I``.
    flags : bool
        Everything else.

    Returns
    -------
    list of str
        For `c_libraries`, `c_lib_dirs`, `c_header_dirs`, `c_compile_args`.
    """
    wanted = {"-l": libs, "-L": libs_dir, "-I": include_dir}
    found = []
    for word in shlex.split(config.blas__ldflags):
        if word[:2] not in wanted:
            found += [word] if flags else []
        elif wanted[word[:2]]:
            found.append(word[2:])
    return found


def blas_header_text() -> str:
    """Give the C that declares BLAS, or, where no library is linked, has it: ``sgemm_``, ``ddot_`` and so on.

    Returns
    -------
    str
        For `c_support_code`. Without a library there are gemm, gemv, ger, dot, axpy and scal of float and double.
    """
    return blaslib.header(config.blas__ldflags)


def blas_header_version() -> tuple[int, ...]:
    """Give the version of the C, for `c_code_cache_version`."""
    return (1,)


def openblas_threads_text() -> str:
    """Give the C++ that declares how many threads OpenBLAS uses: it stands behind `blas_header_text`."""
    return (
        'extern "C" { void openblas_set_num_threads(int); void goto_set_num_threads(int); '
        "int openblas_get_num_threads(void); }\n"
    )


def mkl_threads_text() -> str:
    """Give the C++ that declares how many threads MKL uses."""
    functions = {
        "int mkl_set_num_threads_local(int)": "MKL_Set_Num_Threads_Local",
        "void mkl_set_num_threads(int)": "MKL_Set_Num_Threads",
        "int mkl_get_max_threads(void)": "MKL_Get_Max_Threads",
        "int mkl_domain_set_num_threads(int, int)": "MKL_Domain_Set_Num_Threads",
        "int mkl_domain_get_max_threads(int)": "MKL_Domain_Get_Max_Threads",
        "void mkl_set_dynamic(int)": "MKL_Set_Dynamic",
        "int mkl_get_dynamic(void)": "MKL_Get_Dynamic",
    }
    names = [f"#define {text.split()[1].partition('(')[0]} {name}\n" for text, name in functions.items()]
    return "".join([*names, 'extern "C" {\n', *[f"{text};\n" for text in functions], "}\n"])


def cblas_header_text() -> str:
    """Refuse: the names of CBLAS are a library's own.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError("opweld offers BLAS by its names in Fortran; include cblas.h of the library in c_headers")
