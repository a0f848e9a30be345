# SPDX-License-Identifier: Apache-2.0
# Finds libzip, which .npz files are read and written with: LibZip_FOUND, target LibZip::LibZip.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(PC_LibZip QUIET libzip)
endif()
find_path(LibZip_INCLUDE_DIR zip.h HINTS ${PC_LibZip_INCLUDE_DIRS})
find_path(LibZip_CONFIG_DIR zipconf.h HINTS ${PC_LibZip_INCLUDE_DIRS})
find_library(LibZip_LIBRARY zip HINTS ${PC_LibZip_LIBRARY_DIRS})
mark_as_advanced(LibZip_INCLUDE_DIR LibZip_CONFIG_DIR LibZip_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    LibZip
    REQUIRED_VARS LibZip_LIBRARY LibZip_INCLUDE_DIR LibZip_CONFIG_DIR
)

if(LibZip_FOUND AND NOT TARGET LibZip::LibZip)
    add_library(LibZip::LibZip UNKNOWN IMPORTED)
    set_target_properties(
        LibZip::LibZip
        PROPERTIES
            IMPORTED_LOCATION "${LibZip_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${LibZip_INCLUDE_DIR};${LibZip_CONFIG_DIR}"
    )
endif()
