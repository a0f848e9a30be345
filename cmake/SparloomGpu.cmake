# SPDX-License-Identifier: Apache-2.0
# The plug-ins for GPUs: the driver and all device kernels, compiled by nvcc or hipcc.

# sparloom_cuda(FOLDER KERNEL-SOURCE...): libsparloom-cuda.so in the folder. The runtime is linked in: all it needs to be loaded is the C library, and
# without a GPU driver it says so. Machine code for Ampere and Hopper, PTX for what comes later.
function(sparloom_cuda folder)
    add_library(sparloom-cuda MODULE "${PROJECT_SOURCE_DIR}/src/device/cuda/driver_cuda.cu" ${ARGN})
    set_target_properties(sparloom-cuda PROPERTIES PREFIX lib OUTPUT_NAME sparloom-cuda LIBRARY_OUTPUT_DIRECTORY "${folder}"
        CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF CUDA_RUNTIME_LIBRARY Static
        CUDA_ARCHITECTURES "${SPARLOOM_CUDA_ARCHITECTURES}" CUDA_VISIBILITY_PRESET hidden)
    target_include_directories(sparloom-cuda PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_compile_options(sparloom-cuda PRIVATE -Xfatbin=-compress-all -Xcompiler=-Wall,-Wextra -lineinfo
        $<$<BOOL:${SPARLOOM_WERROR}>:-Werror=all-warnings>)
    target_link_options(sparloom-cuda PRIVATE -Wl,-Bsymbolic)
endfunction()
