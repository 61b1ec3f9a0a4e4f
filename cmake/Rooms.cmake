# gluonc_room(<name> [MLIR] [DEPS <room>...])
#   src/<name>/**/*.cpp        -> static library gluonc_<name>
#   src/<name>/**/*Test.cpp    -> one GoogleTest program <name>_test, CTest label "unit"
#   src/<name>/**/*Fuzz.cpp    -> a libFuzzer program each, when GLUONC_FUZZ is on
# src/<name>/CMakeLists.txt, where present, adds what is particular to the room
# (generated sources).  MLIR rooms share one precompiled header.
find_package(GTest QUIET)

function(gluonc_room name)
  cmake_parse_arguments(ARG "MLIR" "" "DEPS" ${ARGN})
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "Test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "Fuzz\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(Test|Fuzz)\\.cpp$")

  set(lib gluonc_${name})
  if(sources)
    add_library(${lib} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${lib} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${lib} ${scope} ${CMAKE_CURRENT_SOURCE_DIR}/src
    ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_BINARY_DIR}/src)
  if(ARG_MLIR)
    target_link_libraries(${lib} ${scope} gluonc_mlir)
    if(sources)
      gluonc_mlir_pch(${lib})
    endif()
  else()
    target_link_libraries(${lib} ${scope} gluonc_llvm)
  endif()
  foreach(dep ${ARG_DEPS})
    target_link_libraries(${lib} ${scope} gluonc_${dep})
  endforeach()
  if(EXISTS ${dir}/CMakeLists.txt)
    add_subdirectory(${dir} src/${name})
  endif()
  if(ARG_MLIR AND NOT name STREQUAL "ir" AND sources)
    # TableGen headers of the dialects must exist before anything above compiles.
    add_dependencies(${lib} gluonc_ir_tablegen)
  endif()

  if(tests AND GLUONC_TESTS AND GTest_FOUND)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${lib} GTest::gtest GTest::gtest_main)
    if(ARG_MLIR)
      gluonc_mlir_pch(${name}_test)
    else()
      # Compiles in half the time; what takes time in tests is the room, which is optimized.
      target_compile_options(${name}_test PRIVATE -O0)
    endif()
    target_compile_definitions(${name}_test PRIVATE
      GLUONC_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
    add_test(NAME unit/${name} COMMAND ${name}_test)
    set_tests_properties(unit/${name} PROPERTIES LABELS unit)
  endif()
  if(GLUONC_FUZZ)
    foreach(source ${fuzzers})
      get_filename_component(program ${source} NAME_WE)
      add_executable(${program} ${source})
      target_link_libraries(${program} PRIVATE ${lib})
      target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    endforeach()
  endif()
endfunction()

# MLIR's headers cost ten seconds a file; precompiled once they cost one.
add_library(gluonc_pch OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/cmake/Pch.cpp)
target_link_libraries(gluonc_pch PRIVATE gluonc_mlir)
target_precompile_headers(gluonc_pch PRIVATE
  <vector> <string> <memory> <optional> <functional> <map>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
  <mlir/IR/MLIRContext.h> <mlir/IR/PatternMatch.h> <mlir/IR/Verifier.h>
  <mlir/IR/OpImplementation.h> <mlir/IR/DialectImplementation.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/UB/IR/UBOps.h> <mlir/Pass/Pass.h>
  <mlir/Interfaces/SideEffectInterfaces.h>)
target_compile_options(gluonc_pch PRIVATE -Xclang -fno-pch-timestamp)

function(gluonc_mlir_pch target)
  target_precompile_headers(${target} REUSE_FROM gluonc_pch)
  # -fPIC again: programs get -fPIE from CMake, which the shared header does not have.
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp -fPIC)
endfunction()
