# SPDX-License-Identifier: Apache-2.0
# Plug-ins: shared objects with a driver and all device kernels (src/device/driver.h).

# sparloom_kernel_sources(VARIABLE SUFFIX FOLDER PATTERN...): writes, for each kernel file (*.k.h)
# that matches a pattern, a source file with that suffix (c, cu, hip) into the folder, which
# compiles the kernels for all types; VARIABLE becomes the list of them.
function(sparloom_kernel_sources variable suffix folder)
    file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${ARGN})
    set(sources)
    foreach(kernel IN LISTS kernels)
        get_filename_component(name "${kernel}" NAME)
        string(REGEX REPLACE "\\.k\\.h$" "" name "${name}")
        file(
            CONFIGURE
            OUTPUT "${folder}/${name}.${suffix}"
            @ONLY
            CONTENT
                "/* Written by the build: the kernels of one file for all types. */
#include \"device/dialect.h\"
#include \"@kernel@\"
#define SELF \"@kernel@\"
#include \"device/each_kernel.h\"
"
        )
        list(APPEND sources "${folder}/${name}.${suffix}")
    endforeach()
    set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# sparloom_plugin(TARGET NAME FOLDER SOURCE...): a plug-in lib<NAME>.so in the folder.
function(sparloom_plugin target name folder)
    add_library(${target} MODULE ${ARGN})
    sparloom_target(${target})
    set_target_properties(
        ${target}
        PROPERTIES PREFIX lib OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${folder}"
    )
    target_include_directories(
        ${target}
        PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
    )
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic)
endfunction()

# sparloom_emulator(TARGET NAME LANES FOLDER KERNEL-SOURCE...): the emulator with those kernels.
function(sparloom_emulator target name lanes folder)
    file(GLOB emulator CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/device/emulator/*.c")
    sparloom_plugin(${target} ${name} "${folder}" ${emulator} ${ARGN})
    target_compile_definitions(${target} PRIVATE SPL__LANES=${lanes})
    target_compile_options(${target} PRIVATE -ffp-contract=off)
    # -O3 takes 2.6 times as long to compile, and tests are not faster with it.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
    target_link_libraries(${target} PRIVATE Threads::Threads)
    if(SPARLOOM_SANITIZE)
        sparloom_uninstrumented_engine(${target})
    endif()
endfunction()

# sparloom_uninstrumented_width(): where tests are asked for devices of one width only
# (SPARLOOM_TEST_LANES), some open the other width beside it; without the address sanitizer its
# kernels are compiled in a third of the time. ThreadSanitizer has to see all threads.
function(sparloom_uninstrumented_width)
    set(other_than_32 sparloom-emu64)
    set(other_than_64 sparloom-emu)
    set(other "${other_than_$ENV{SPARLOOM_TEST_LANES}}")
    if(SPARLOOM_SANITIZE MATCHES address AND other)
        target_compile_options(${other} PRIVATE -fno-sanitize=all)
    endif()
endfunction()

# sparloom_uninstrumented_engine(TARGET): the engine's fibers share its data by turns, see
# src/device/emulator/sanitizers.h, and half of the time of sanitized tests would go into watching
# what only switches from one fiber to the next.
function(sparloom_uninstrumented_engine target)
    if(SPARLOOM_SANITIZE MATCHES thread)
        target_compile_definitions(${target} PRIVATE SPL__EMU_TSAN)
    elseif(SPARLOOM_SANITIZE MATCHES address)
        target_compile_definitions(${target} PRIVATE SPL__EMU_ASAN)
    endif()
    list(
        TRANSFORM SPARLOOM_ENGINE
        PREPEND "${PROJECT_SOURCE_DIR}/src/device/emulator/"
        OUTPUT_VARIABLE files
    )
    set_property(SOURCE ${files} PROPERTY COMPILE_OPTIONS -fno-sanitize=${SPARLOOM_SANITIZE} -O2)
endfunction()
set(SPARLOOM_ENGINE
    context_switch.c
    run_grid.c
    schedule.c
    barrier.c
    warp.c
    block_memory.c
    fault.c
)
