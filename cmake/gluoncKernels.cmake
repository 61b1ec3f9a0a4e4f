# gluonc_add_kernels(<target> FILES <manifest.toml>... [TARGETS <chip>...] [OPTIONS <option>...])
#
# Compiles the kernels of manifests into bundles beside the target's other files and lets it include
# a header for each: kernels.toml gives <kernels.h>. KERNELS_BUNDLE is the path of the bundle in the
# build tree, as a string. TARGETS take the place of a manifest's own; OPTIONS are those of `gluonc
# build`. A bundle is made again when a kernel that is in it, or what it imports, has changed; variants
# that have not are found in the cache of compiled kernels. The target is linked with gluonc::rt.
# The property GLUONC_BUNDLES of the target lists the bundles, for install(). The variable
# GLUONC_PROGRAM is the path of a program gluonc that compiles in the place of gluonc::program: that of
# this machine where the build is for another one, or one that is there already.
function(gluonc_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "FILES;TARGETS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_FILES)
    message(FATAL_ERROR "gluonc_add_kernels(<target> FILES <manifest.toml>... [TARGETS <chip>...])")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  file(MAKE_DIRECTORY ${folder})
  set(program gluonc::program)
  if(GLUONC_PROGRAM)
    get_filename_component(program ${GLUONC_PROGRAM} ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR})
  endif()
  set(chips "")
  foreach(chip ${ARG_TARGETS})
    list(APPEND chips --target ${chip})
  endforeach()
  foreach(file ${ARG_FILES})
    get_filename_component(manifest ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME_WE)
    set(bundle ${folder}/${name}.gluonpack)
    add_custom_command(
      OUTPUT ${bundle} ${folder}/${name}.h
      COMMAND ${program} build ${manifest} -o ${bundle} --header ${folder}/${name}.h
              --depfile ${bundle}.d ${chips} ${ARG_OPTIONS}
      DEPENDS ${manifest} ${program}
      DEPFILE ${bundle}.d
      COMMENT "Compiling the kernels of ${file}"
      VERBATIM)
    target_sources(${target} PRIVATE ${bundle} ${folder}/${name}.h)
    string(MAKE_C_IDENTIFIER "${name}" macro)
    string(TOUPPER "${macro}" macro)
    target_compile_definitions(${target} PRIVATE ${macro}_BUNDLE="${bundle}")
    set_property(TARGET ${target} APPEND PROPERTY GLUONC_BUNDLES ${bundle})
  endforeach()
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE gluonc::rt)
endfunction()
