# `cpack` in the build directory makes credo_VERSION_ARCHITECTURE.deb: program, libraries, headers, man pages, completion,
# documents. What it depends on is found by dpkg-shlibdeps. `tools/release deb` does so, too, and corrects what cpack can't say.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME credo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Credo developers <developers@credo.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Bayesian inference for Stan programs and C++")
set(CPACK_PACKAGE_DESCRIPTION
"Draws from the posterior of a Stan program with its data, without a C++
compiler, and says whether to believe them.
The package has the command credo, the C++ library libcredo with its headers
and CMake files, and libcredo_c, the log density of Stan programs for other
languages under the names of BridgeStan.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, librsvg2-bin")
# Licences of all parts, changelog, packed man pages.
set(CPACK_CREDO_FINISH ${PROJECT_SOURCE_DIR}/tools/release)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/finish_package.cmake)
include(CPack)
