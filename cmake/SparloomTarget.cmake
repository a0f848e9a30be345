# SPDX-License-Identifier: Apache-2.0
# sparloom_target(target): the language, warnings and sanitizers that all code of the project is
# compiled with.
function(sparloom_target target)
    set_target_properties(
        ${target}
        PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF C_VISIBILITY_PRESET hidden
    )
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(
        ${target}
        PRIVATE
            -Wall
            -Wextra
            -Wshadow
            $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
            $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    )
    # GCC 13 before 13.4 takes conditions out of loops wrongly (PR109934); Ubuntu 24.04 has 13.3.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU"
       AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 13
       AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13.4
    )
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-unswitch-loops>)
    endif()
    if(SPARLOOM_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(SPARLOOM_SANITIZE)
        # The first report ends the program: a test that goes on after one could still pass.
        set(flags -fsanitize=${SPARLOOM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_compile_options(${target} PRIVATE ${flags})
        target_link_options(${target} PRIVATE ${flags})
        if(SPARLOOM_SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
            # AddressSanitizer sees the accesses through pointers that these checks see made, which
            # are half of the code.
            target_compile_options(
                ${target}
                PRIVATE -fno-sanitize=null,object-size,pointer-overflow
            )
        endif()
    endif()
    if(SPARLOOM_LIBFUZZER)
        # Coverage is reported to libFuzzer; loops that do so cannot be vectorised, whatever `omp
        # simd` wishes.
        target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link -Wno-pass-failed)
    endif()
endfunction()
