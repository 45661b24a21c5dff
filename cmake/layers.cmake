# credo_layer(NAME [LAYERS l...] [LIBRARIES lib...] [TESTS layer...] [TOGETHER [APART regex]])
#   TESTS: layers that the tests use besides; TOGETHER, APART: below
#   src/NAME/**.cpp             -> static library credo_NAME
#   tests/NAME/**_test.cpp      -> program test_NAME, run by ctest as NAME
# A new file is picked up by its place; nothing is listed here.
#
# The standard headers are compiled once for all layers that have the same flags, and once with GoogleTest for all test
# programs: the first target that asks makes them.
set(CREDO_PCH ${PROJECT_SOURCE_DIR}/src/base/std.hpp)

# credo_precompile(TARGET KIND header...): targets of one kind have the same headers and the same flags. clang++ refuses headers
# that were compiled with other definitions, and with sanitizers layers differ in optimisation: there each target has its own.
function(credo_precompile target kind)
  get_property(first GLOBAL PROPERTY credo_precompiled_${kind})
  if(first AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CREDO_SANITIZE)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY credo_precompiled_${kind} ${target})
  endif()
endfunction()

# The main function of the test programs; it leaves out long tests of other shares (tests/support/share.hpp).
if(CREDO_TESTS)
  add_library(credo_test_main STATIC tests/support/main.cpp tests/support/share.cpp)
  target_include_directories(credo_test_main PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(credo_test_main PUBLIC credo_flags GTest::gtest)
endif()

# Sources of a layer that is marked TOGETHER are compiled sixteen at a time, and those of test programs six at a time, because
# reading headers is half of what they cost. A group holds files of one folder, so that a file that is added changes its folder only.
# Each test source has a namespace of its own (`credo::cli::loo_test`), so that equal names of helpers don't clash.
# Rows that have equal names in their unnamed namespaces lie each in a namespace of their own (base/row_of_file.hpp).
# One by one are compiled kernels that include foreach_target.h, because they are compiled once for each SIMD target, and those that
# APART names: because they have constants of the same name as others (`numerics`), because they need a library that not every
# program has (`io`), or because they bring the names of another namespace into their own (`lang/syntax/print.cpp`). The presets
# debug, asan and tsan compile all one by one: there a header that is missing is noticed.
option(CREDO_TOGETHER "compile several sources of a layer at a time" ON)

# credo_compile_together(TARGET ROOT SIZE APART source...): groups of at most SIZE sources of the same folder of ROOT
function(credo_compile_together target root size apart)
  if(NOT CREDO_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)  # warns of included sources
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} kernels REGEX "foreach_target.h" LIMIT_COUNT 1)
    if(kernels OR (apart AND source MATCHES "${apart}"))
      continue()
    endif()
    file(RELATIVE_PATH path ${root} ${source})
    string(REGEX MATCH "^[^/]*/" folder "${path}")
    math(EXPR count "0${count_${folder}} + 1")
    set(count_${folder} ${count})
    math(EXPR group "(${count} - 1) / ${size}")
    string(MAKE_C_IDENTIFIER "${folder}${group}" name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
endfunction()

function(credo_layer name)
  cmake_parse_arguments(ARG "TOGETHER" "APART" "LAYERS;LIBRARIES;TESTS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARG_LAYERS PREPEND credo_)
  list(TRANSFORM ARG_TESTS PREPEND credo_)
  if(sources)
    add_library(credo_${name} STATIC ${sources})
    target_link_libraries(credo_${name} PUBLIC credo_flags ${ARG_LAYERS} ${ARG_LIBRARIES})
    set(kind layer)
    if(name MATCHES "^(graph|numerics)$")
      set(kind kernels)  # without guards of the stack (cmake/hardening.cmake)
    endif()
    credo_precompile(credo_${name} ${kind} ${CREDO_PCH})
    if(ARG_TOGETHER)
      credo_compile_together(credo_${name} ${PROJECT_SOURCE_DIR}/src/${name} 16 "${ARG_APART}" ${sources})
    endif()
    # Layers go into programs and into the shared library of the C interface, which shows only its own names.
    set_target_properties(credo_${name} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  else()
    add_library(credo_${name} INTERFACE)
    target_link_libraries(credo_${name} INTERFACE credo_flags ${ARG_LAYERS} ${ARG_LIBRARIES})
  endif()

  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_test.cpp)
  if(CREDO_TESTS AND tests)
    add_executable(test_${name} ${tests})
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(test_${name} PRIVATE
      CREDO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CREDO_REFERENCE_DIR="${PROJECT_SOURCE_DIR}/../shared/reference")
    target_link_libraries(test_${name} PRIVATE credo_${name} ${ARG_TESTS} credo_test_main Eigen3::Eigen)
    credo_precompile(test_${name} test ${CREDO_PCH} <gtest/gtest.h>)
    credo_compile_together(test_${name} ${PROJECT_SOURCE_DIR}/tests/${name} 6 "(_lanes|parser_random)_test[.]cpp$" ${tests})
    target_compile_options(test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # tests are compiled more often than run
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1200 LABELS unit)
  endif()
endfunction()
