# SPDX-License-Identifier: Apache-2.0
# Finds Intel oneMKL's single dynamic library: MKL_FOUND, target MKL::rt. MKL_ROOT is the folder
# that has include/ and lib/, for example the --prefix or virtual environment into which pip
# installed mkl and mkl-include.
find_path(
    MKL_INCLUDE_DIR
    mkl_spblas.h
    HINTS ${MKL_ROOT}
    ENV MKLROOT
    PATH_SUFFIXES include include/mkl
)
find_library(
    MKL_LIBRARY
    NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2
    HINTS ${MKL_ROOT}
    ENV MKLROOT
    PATH_SUFFIXES lib lib/intel64
)
mark_as_advanced(MKL_INCLUDE_DIR MKL_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(MKL REQUIRED_VARS MKL_LIBRARY MKL_INCLUDE_DIR)

if(MKL_FOUND AND NOT TARGET MKL::rt)
    add_library(MKL::rt UNKNOWN IMPORTED)
    set_target_properties(
        MKL::rt
        PROPERTIES
            IMPORTED_LOCATION "${MKL_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${MKL_INCLUDE_DIR}"
    )
endif()
