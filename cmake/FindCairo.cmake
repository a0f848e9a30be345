# SPDX-License-Identifier: Apache-2.0
# Finds libcairo, which the tool draws PNG with: Cairo_FOUND, target Cairo::Cairo.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_Cairo QUIET cairo)
endif()
find_path(Cairo_INCLUDE_DIR cairo.h HINTS ${PC_Cairo_INCLUDE_DIRS} PATH_SUFFIXES cairo)
find_library(Cairo_LIBRARY cairo HINTS ${PC_Cairo_LIBRARY_DIRS})
mark_as_advanced(Cairo_INCLUDE_DIR Cairo_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS Cairo_LIBRARY Cairo_INCLUDE_DIR)

if(Cairo_FOUND AND NOT TARGET Cairo::Cairo)
    add_library(Cairo::Cairo UNKNOWN IMPORTED)
    set_target_properties(
        Cairo::Cairo
        PROPERTIES
            IMPORTED_LOCATION "${Cairo_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${Cairo_INCLUDE_DIR}"
    )
endif()
