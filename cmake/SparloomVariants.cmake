# SPDX-License-Identifier: Apache-2.0
# sparloom_variants(objects FILE...): compiles method files once more for each wider instruction
# set, see src/core/variant.h. Appends the names of the object libraries to
# sparloom_variant_objects; does nothing on other processors than x86-64.
include(CheckCCompilerFlag)

function(sparloom_variants objects)
    if(NOT SPARLOOM_VARIANTS OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        return()
    endif()
    check_c_compiler_flag(-march=x86-64-v4 SPARLOOM_HAS_X86_64_V4)
    if(NOT SPARLOOM_HAS_X86_64_V4)
        return()
    endif()
    foreach(variant v3 v4)
        set(target ${objects}_${variant})
        add_library(${target} OBJECT ${ARGN})
        sparloom_target(${target})
        set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
        # Contraction is the same in all of a variant: every multiply-add is fused, by either
        # compiler.
        target_compile_options(${target} PRIVATE -march=x86-64-${variant} -ffp-contract=fast)
        if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
            # Or GCC 13 fuses a product with a sum in some loops and not in others: bits would
            # depend on the columns beside, and on where B begins.
            target_compile_options(${target} PRIVATE "SHELL:--param avoid-fma-max-bits=0")
        endif()
        target_compile_definitions(${target} PRIVATE SPL__VARIANT=${variant})
        target_include_directories(${target} PRIVATE include src)
        target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C)
        list(APPEND sparloom_variant_objects ${target})
    endforeach()
    target_compile_definitions(${objects} PRIVATE SPL__VARIANTS)
    # Machines without AVX2 are rare by now: their kernels are not worth what -O3 takes to compile.
    set(is_base "$<STREQUAL:$<TARGET_PROPERTY:NAME>,${objects}>")
    set_property(
        SOURCE ${ARGN}
        APPEND
        PROPERTY COMPILE_OPTIONS "$<$<AND:$<CONFIG:Release>,${is_base}>:-O2>"
    )
    set(sparloom_variant_objects ${sparloom_variant_objects} PARENT_SCOPE)
endfunction()
