# Every third-party library, from Debian's packages. Each is included by one source file or one thin header.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
find_path(CREDO_RANDOM123_INCLUDE Random123/philox.h REQUIRED)
find_path(CREDO_BOOST_INCLUDE boost/math/special_functions/gamma.hpp REQUIRED)
find_path(CREDO_HWY_INCLUDE hwy/highway.h REQUIRED)
find_library(CREDO_HWY_LIBRARY hwy REQUIRED)

add_library(credo_hwy INTERFACE)
target_include_directories(credo_hwy SYSTEM INTERFACE ${CREDO_HWY_INCLUDE})
target_link_libraries(credo_hwy INTERFACE ${CREDO_HWY_LIBRARY})
add_library(credo_simdjson INTERFACE)
target_link_libraries(credo_simdjson INTERFACE simdjson::simdjson)

if(CREDO_TESTS)
  find_package(GTest REQUIRED)
  find_package(Eigen3 REQUIRED NO_MODULE)  # the tests' independent linear algebra
endif()
