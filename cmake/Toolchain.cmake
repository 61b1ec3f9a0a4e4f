# Compiler flags, linker, and LLVM/MLIR as static archives.
#
# MLIR's own CMake targets would pull libLLVM.so in beside the archives, and the
# two copies of LLVM's command-line options collide at start. So the archives
# are listed here by hand (docs/decisions/0001-static-mlir.md).

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Asserts stay on in every build of ours: they are cheap and LLVM's are off.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_program(LLVM_CONFIG NAMES llvm-config-22 REQUIRED)
function(gluonc_llvm_config out)
  execute_process(COMMAND ${LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
gluonc_llvm_config(LLVM_LIBDIR --libdir)
gluonc_llvm_config(LLVM_INCLUDEDIR --includedir)
gluonc_llvm_config(LLVM_BINDIR --bindir)
gluonc_llvm_config(LLVM_LIBS --link-static --libs nvptx amdgpu passes orcjit supportlsp)
file(GLOB MLIR_LIBS ${LLVM_LIBDIR}/libMLIR*.a)
list(FILTER MLIR_LIBS EXCLUDE REGEX "CAPI|Test|libMLIRMlirOptMain")

add_library(gluonc_llvm INTERFACE)
target_include_directories(gluonc_llvm SYSTEM INTERFACE ${LLVM_INCLUDEDIR})
target_compile_options(gluonc_llvm INTERFACE -fno-exceptions -fno-rtti)
target_link_directories(gluonc_llvm INTERFACE ${LLVM_LIBDIR})
target_link_libraries(gluonc_llvm INTERFACE ${LLVM_LIBS} libz.a libzstd.a pthread dl m)

add_library(gluonc_mlir INTERFACE)
target_link_libraries(gluonc_mlir INTERFACE
  -Wl,--start-group ${MLIR_LIBS} -Wl,--end-group gluonc_llvm)

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections
                    -fdiagnostics-color=always)
add_link_options(-fuse-ld=lld -Wl,--gc-sections -static-libstdc++ -static-libgcc)
if(GLUONC_SANITIZE)
  # Virtual tables are checked through RTTI, which LLVM's classes do not have.
  add_compile_options(-fsanitize=${GLUONC_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GLUONC_SANITIZE} -fno-sanitize=vptr)
endif()
if(GLUONC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link,address)
  add_link_options(-fsanitize=address)
endif()
