# SPDX-License-Identifier: Apache-2.0
# The plug-ins for GPUs: the driver and all device kernels, compiled by nvcc or hipcc.

# sparloom_cuda(FOLDER KERNEL-SOURCE...): libsparloom-cuda.so in the folder. The runtime is linked
# in: all it needs to be loaded is the C library, and without a GPU driver it says so. Machine code
# for Ampere and Hopper, PTX for what comes later.
function(sparloom_cuda folder)
    add_library(sparloom-cuda MODULE "${PROJECT_SOURCE_DIR}/src/device/cuda/driver_cuda.cu" ${ARGN})
    set_target_properties(
        sparloom-cuda
        PROPERTIES
            PREFIX lib
            OUTPUT_NAME sparloom-cuda
            LIBRARY_OUTPUT_DIRECTORY "${folder}"
            CUDA_STANDARD 17
            CUDA_STANDARD_REQUIRED ON
            CUDA_EXTENSIONS OFF
            CUDA_RUNTIME_LIBRARY Static
            CUDA_ARCHITECTURES "${SPARLOOM_CUDA_ARCHITECTURES}"
            CUDA_VISIBILITY_PRESET hidden
    )
    target_include_directories(
        sparloom-cuda
        PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src"
    )
    target_compile_options(
        sparloom-cuda
        PRIVATE
            -Xfatbin=-compress-all
            -Xcompiler=-Wall,-Wextra
            -lineinfo
            $<$<BOOL:${SPARLOOM_WERROR}>:-Werror=all-warnings>
    )
    target_link_options(sparloom-cuda PRIVATE -Wl,-Bsymbolic)
endfunction()

# sparloom_hip(FOLDER KERNEL-SOURCE...): libsparloom-hip.so in the folder. hipcc is called by hand:
# CMake's language HIP wants more of ROCm than compiling needs.
function(sparloom_hip folder)
    find_program(HIPCC hipcc REQUIRED)
    set(flags
        -std=c++17
        $<IF:$<CONFIG:Debug>,-O1,-O3>
        -fPIC
        -fvisibility=hidden
        -Wall
        -Wextra
        "-I${PROJECT_SOURCE_DIR}/include"
        "-I${PROJECT_SOURCE_DIR}/src"
    )
    if(SPARLOOM_WERROR)
        list(APPEND flags -Werror)
    endif()
    foreach(architecture IN LISTS SPARLOOM_HIP_ARCHITECTURES)
        list(APPEND flags "--offload-arch=${architecture}")
    endforeach()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.h")
    set(objects)
    foreach(source IN ITEMS "${PROJECT_SOURCE_DIR}/src/device/hip/driver_hip.hip" LISTS ARGN)
        get_filename_component(name "${source}" NAME_WE)
        set(object "${PROJECT_BINARY_DIR}/kernels/${name}.hip.o")
        add_custom_command(
            OUTPUT "${object}"
            COMMAND "${HIPCC}" ${flags} -c "${source}" -o "${object}"
            DEPENDS "${source}" ${headers}
            COMMENT "hipcc ${name}"
            VERBATIM
        )
        list(APPEND objects "${object}")
    endforeach()
    set(plugin "${folder}/libsparloom-hip.so")
    add_custom_command(
        OUTPUT "${plugin}"
        COMMAND "${HIPCC}" -shared -Wl,-Bsymbolic ${objects} -o "${plugin}"
        DEPENDS ${objects}
        COMMENT "Linking libsparloom-hip.so"
        VERBATIM
    )
    add_custom_target(sparloom-hip ALL DEPENDS "${plugin}")
    install(PROGRAMS "${plugin}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/sparloom")
endfunction()
