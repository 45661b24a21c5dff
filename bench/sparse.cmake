# credo_bench_sparse: the sparse factor and conjugate gradients of a grid. Not part of `all`.
add_executable(credo_bench_sparse EXCLUDE_FROM_ALL bench/sparse.cpp)
target_link_libraries(credo_bench_sparse PRIVATE credo_numerics)
