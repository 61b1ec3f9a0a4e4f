# Debian packages by CPack: `./dev deb`. A component of the install rules is a package.
set(CPACK_PACKAGE_NAME gluonc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "gluonc")
set(CPACK_PACKAGE_CONTACT "gluonc developers <gluonc@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL tools runtime dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Binaries ask for nothing else (docs/packaging.md).
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.28)")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME gluonc)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Compiler for Gluon and Triton kernels
The command gluonc, the library libgluonc that compiles, simulates and launches kernels,
and a CUDA driver that executes PTX on the CPU.")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libgluonc-rt0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Launcher for bundles of compiled kernels
What a program needs that launches kernels which were compiled ahead of time, on GPUs of NVIDIA
and AMD. There is no compiler in it.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgluonc-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "gluonc (= ${PROJECT_VERSION}), libgluonc-rt0 (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers of gluonc, CMake's package and pkg-config's files
C and C++ APIs of libgluonc and libgluonc_rt, and gluonc_add_kernels() for CMake.")

# The libraries' names are known when they are installed; each package has its license.
foreach(component TOOLS RUNTIME)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/deb/triggers)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/deb/Copyright.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
include(CPack)
