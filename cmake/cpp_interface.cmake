# The C++ interface: include/credo and two headers that are written from tables, over src/api, as the shared library
# libcredo, which shows the names of the public headers only.
set(CREDO_INCLUDE ${PROJECT_BINARY_DIR}/include)
add_executable(credo_headers src/api/headers/main.cpp)
target_link_libraries(credo_headers PRIVATE credo_lang)
foreach(header functions distributions)
  add_custom_command(OUTPUT ${CREDO_INCLUDE}/credo/${header}.hpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CREDO_INCLUDE}/credo
    COMMAND credo_headers ${header} > ${CREDO_INCLUDE}/credo/${header}.hpp.new
    # what includes it isn't compiled again where nothing changed
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${CREDO_INCLUDE}/credo/${header}.hpp.new ${CREDO_INCLUDE}/credo/${header}.hpp
    DEPENDS credo_headers VERBATIM)
  list(APPEND written ${CREDO_INCLUDE}/credo/${header}.hpp)
endforeach()
add_custom_target(credo_written_headers DEPENDS ${written})
# api stands on no written header, but those who include credo/credo.hpp do.
target_include_directories(credo_api PUBLIC ${CREDO_INCLUDE})
if(TARGET test_api)
  add_dependencies(test_api credo_written_headers)
endif()

# The headers sparse.hpp and optimiser.hpp are those of numerics: all of its objects are in the library.
add_library(credo_cpp SHARED $<TARGET_OBJECTS:credo_api> $<TARGET_OBJECTS:credo_numerics>)
add_dependencies(credo_cpp credo_written_headers)
target_link_libraries(credo_cpp PRIVATE credo_results credo_model credo_models -Wl,--no-undefined)
target_compile_features(credo_cpp INTERFACE cxx_std_20)
target_include_directories(credo_cpp INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CREDO_INCLUDE}> $<INSTALL_INTERFACE:include>)
target_link_options(credo_cpp PRIVATE
  -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/cpp_interface.map)
set_target_properties(credo_cpp PROPERTIES
  OUTPUT_NAME credo EXPORT_NAME credo VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/cpp_interface.map)

# ---- what is installed: find_package(credo) gives credo::credo, pkg-config gives credo
include(CMakePackageConfigHelpers)
set(CREDO_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/credo)
install(TARGETS credo_cpp EXPORT credo LIBRARY)
install(EXPORT credo FILE credoTargets.cmake NAMESPACE credo:: DESTINATION ${CREDO_CMAKE_DIR})
configure_package_config_file(cmake/credoConfig.cmake.in ${PROJECT_BINARY_DIR}/credoConfig.cmake
  INSTALL_DESTINATION ${CREDO_CMAKE_DIR})
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/credoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH up ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(CREDO_PC_PREFIX "\${pcfiledir}/${up}")
configure_file(cmake/credo.pc.in ${PROJECT_BINARY_DIR}/credo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/credoConfig.cmake ${PROJECT_BINARY_DIR}/credoConfigVersion.cmake
  DESTINATION ${CREDO_CMAKE_DIR})
install(FILES ${PROJECT_BINARY_DIR}/credo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/credo/*.hpp)
install(FILES ${headers} ${written} DESTINATION include/credo)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/credo)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/credo/docs FILES_MATCHING PATTERN "*.md")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/credo RENAME copyright)

if(CREDO_TESTS AND NOT CREDO_SANITIZE)  # an outside project isn't built with sanitizers
  add_test(NAME installed COMMAND ${PROJECT_SOURCE_DIR}/tools/check_installed --build ${PROJECT_BINARY_DIR})
  set_tests_properties(installed PROPERTIES TIMEOUT 600)
endif()
