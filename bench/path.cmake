# credo_bench_path: effective draws a gradient of samplers on the path of a stochastic equation. Not part of `all`.
add_executable(credo_bench_path EXCLUDE_FROM_ALL bench/path.cpp)
target_link_libraries(credo_bench_path PRIVATE credo_models credo_diagnose)
target_include_directories(credo_bench_path PRIVATE ${PROJECT_SOURCE_DIR})
target_precompile_headers(credo_bench_path PRIVATE ${CREDO_PCH})
