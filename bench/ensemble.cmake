# credo_bench_ensemble: calls a second of the stretch move. Not part of `all`.
add_executable(credo_bench_ensemble EXCLUDE_FROM_ALL bench/ensemble.cpp)
target_link_libraries(credo_bench_ensemble PRIVATE credo_infer)
target_precompile_headers(credo_bench_ensemble PRIVATE ${CREDO_PCH})
