# What the four packages are called, need and say, for CPack's DEB generator.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL groth16d groth16d-client libgroth16d-client-dev)
if(TARGET groth16-gpu)
  list(APPEND CPACK_COMPONENTS_ALL groth16d-cuda)
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_NAME groth16d)
set(CPACK_PACKAGE_VENDOR "the groth16d authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Who answers for a package is who distributes it.
set(GROTH16D_MAINTAINER "The groth16d authors <groth16d@localhost>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${GROTH16D_MAINTAINER}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# groth16d_package(component SECTION ... DEPENDS ... SUMMARY ... TEXT ... [SCRIPTS ...]): the control file, copyright and
# changelog of one package.
set(package_documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(MAKE_DIRECTORY ${package_documents})
execute_process(COMMAND gzip -9nc ${CMAKE_CURRENT_SOURCE_DIR}/changelog OUTPUT_FILE ${package_documents}/changelog.Debian.gz
  COMMAND_ERROR_IS_FATAL ANY)
function(groth16d_package component)
  cmake_parse_arguments(ARG "" "SECTION;DEPENDS;SUGGESTS;SUMMARY;TEXT" "SCRIPTS" ${ARGN})
  string(TOUPPER ${component} upper)
  set(prefix CPACK_DEBIAN_${upper}_PACKAGE)
  set(${prefix}_NAME ${component} PARENT_SCOPE)
  set(${prefix}_SECTION ${ARG_SECTION} PARENT_SCOPE)
  set(${prefix}_DEPENDS "${ARG_DEPENDS}" PARENT_SCOPE)
  set(${prefix}_SUGGESTS "${ARG_SUGGESTS}" PARENT_SCOPE)
  set(${prefix}_CONTROL_EXTRA "${ARG_SCRIPTS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_TEXT}" PARENT_SCOPE)
  install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/copyright ${package_documents}/changelog.Debian.gz
    DESTINATION usr/share/doc/${component} COMPONENT ${component})
endfunction()

set(this_version "(= ${PROJECT_VERSION}-\${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(scripts ${CMAKE_CURRENT_SOURCE_DIR}/scripts)
groth16d_package(groth16d SECTION net
  DEPENDS "groth16d-client (>= ${PROJECT_VERSION}), systemd (>= 252)" SUGGESTS "groth16d-cuda"
  SUMMARY "Groth16 proving daemon"
  TEXT "Takes circuits and witnesses and returns zero-knowledge proofs that it has
verified itself: behind a queue that never loses a job, in processes that can
be killed one by one, with every gigabyte accounted for."
  SCRIPTS ${scripts}/postinst ${scripts}/prerm ${scripts}/postrm ${scripts}/conffiles)
groth16d_package(groth16d-cuda SECTION contrib/net
  DEPENDS "groth16d (>= ${PROJECT_VERSION})"
  SUMMARY "Groth16 proving daemon: worker for NVIDIA cards"
  TEXT "The prove stage of groth16d on one NVIDIA card a worker. Needs the vendor's
driver, which is no part of Debian.")
groth16d_package(groth16d-client SECTION utils
  DEPENDS "" SUGGESTS "groth16d"
  SUMMARY "Command of the Groth16 proving daemon"
  TEXT "groth16ctl submits jobs to groth16d and operates it; alone it verifies proofs
and makes keys for development.")
groth16d_package(libgroth16d-client-dev SECTION libdevel
  DEPENDS "libzmq3-dev, cppzmq-dev, libprotobuf-dev, libfmt-dev, libssl-dev, libexpected-dev"
  SUMMARY "C++ client library of the Groth16 proving daemon"
  TEXT "Headers and static archives of the client of groth16d, and the messages of
its protocol.")

include(CPack)
