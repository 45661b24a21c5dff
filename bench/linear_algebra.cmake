# credo_bench_linear_algebra: dense linear algebra beside Eigen and OpenBLAS. Not part of `all`.
find_library(CREDO_OPENBLAS_LIBRARY openblas)
option(CREDO_BENCH_NATIVE "compile the Eigen part of the benchmarks with -march=native" OFF)
if(CREDO_OPENBLAS_LIBRARY)
  add_executable(credo_bench_linear_algebra EXCLUDE_FROM_ALL bench/linear_algebra.cpp)
  target_include_directories(credo_bench_linear_algebra SYSTEM PRIVATE ${CREDO_EIGEN_INCLUDE})
  target_link_libraries(credo_bench_linear_algebra PRIVATE credo_graph ${CREDO_OPENBLAS_LIBRARY})
  target_precompile_headers(credo_bench_linear_algebra PRIVATE ${CREDO_PCH})
  if(CREDO_BENCH_NATIVE)
    # g++ 12 takes undefined operands of its own AVX-512 header for uninitialised variables
    target_compile_options(credo_bench_linear_algebra PRIVATE
      -march=native -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
endif()
