# SPDX-License-Identifier: Apache-2.0
# Finds SuiteSparse:GraphBLAS: GraphBLAS_FOUND, target GraphBLAS::found. GraphBLAS_LIBRARY may name
# a newer library than the header comes from, such as the one in the Python package
# suitesparse-graphblas: the adapter uses only functions whose binary interface has stayed the same
# since version 7.
find_path(
    GraphBLAS_INCLUDE_DIR
    GraphBLAS.h
    HINTS ${GRAPHBLAS_ROOT}
    PATH_SUFFIXES include include/suitesparse
)
find_library(GraphBLAS_LIBRARY NAMES graphblas HINTS ${GRAPHBLAS_ROOT} PATH_SUFFIXES lib)
mark_as_advanced(GraphBLAS_INCLUDE_DIR GraphBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GraphBLAS REQUIRED_VARS GraphBLAS_LIBRARY GraphBLAS_INCLUDE_DIR)

if(GraphBLAS_FOUND AND NOT TARGET GraphBLAS::found)
    add_library(GraphBLAS::found UNKNOWN IMPORTED)
    set_target_properties(
        GraphBLAS::found
        PROPERTIES
            IMPORTED_LOCATION "${GraphBLAS_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${GraphBLAS_INCLUDE_DIR}"
    )
endif()
