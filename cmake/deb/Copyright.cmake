# What Debian's policy wants in each package: its license.
foreach(pair tools:gluonc runtime:libgluonc-rt0 dev:libgluonc-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  file(MAKE_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package})
  configure_file(${CPACK_RESOURCE_FILE_LICENSE}
                 ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package}/copyright COPYONLY)
endforeach()
