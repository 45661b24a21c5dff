# credo_bench_lattice: sweeps a second of the lattice kernels. Not part of `all`.
add_executable(credo_bench_lattice EXCLUDE_FROM_ALL bench/swendsen_wang.cpp)
target_link_libraries(credo_bench_lattice PRIVATE credo_models)
target_precompile_headers(credo_bench_lattice PRIVATE ${CREDO_PCH})
