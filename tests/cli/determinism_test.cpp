// The hash matrix: same seed, same draws, for every shipped program, any lanes, threads and FMA
// target.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rng.hpp"
#include "cli/bench/bench_timing.hpp"
#include "cli/results.hpp"
#include "io/json_reader.hpp"
#include "numerics/arithmetic.hpp"
#include "results/files/run_store.hpp"
#include "support/hash.hpp"
#include "support/share.hpp"

namespace credo::cli::determinism_test {
namespace {
namespace fs = std::filesystem;

std::vector<std::string> shipped_programs() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(CREDO_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() == ".stan") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The cases of this share, at least one of any ten.
std::vector<std::string> programs_in_turn() {
  std::vector<std::string> chosen;
  const std::vector<std::string> all = shipped_programs();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (testing::this_share().has(k)) chosen.push_back(all[k]);
  return chosen;
}

std::unique_ptr<model::Model> load(const std::string& path, Index lanes) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = model::compile_file(path, diagnostics, source);
  EXPECT_TRUE(program != nullptr) << lang::render(source, diagnostics);
  const std::string data = path.substr(0, path.size() - 5) + ".data.json";
  model::ModelOptions options;
  options.max_lanes = lanes;
  return std::make_unique<model::Model>(program, io::read_json_data(data), options);
}

std::uint64_t hash_of_run(const model::Model& model, const infer::SampleOptions& options) {
  RunStore store(model, options);
  infer::run_chains(model, options, store);
  std::uint64_t hash = 0;
  const density::Draws draws = store.quantities(false, 0, store.num_columns());
  for (Index k = 0; k < draws.num_quantities(); ++k)
    hash = testing::hash_bits(draws.quantity(k), hash + 1);
  return hash;
}

std::uint64_t hash_of_run(const std::string& path, Index lanes, Index threads) {
  const auto model = load(path, lanes);
  infer::SampleOptions options;
  options.num_chains = 8;
  options.num_warmup = 60;
  options.num_draws = 40;
  options.seed = 7;
  options.num_threads = threads;
  return hash_of_run(*model, options);
}

TEST(hash_matrix, there_are_programs) { EXPECT_GE(shipped_programs().size(), 4u); }

TEST(hash_matrix, draws_do_not_depend_on_lanes_or_threads) {
  for (const std::string& path : programs_in_turn()) {
    const std::uint64_t reference = hash_of_run(path, 1, 1);
    for (const Index lanes : {2, 4, 8})
      EXPECT_EQ(hash_of_run(path, lanes, 1), reference) << path << " lanes " << lanes;
    for (const Index threads : {2, 3, 4}) {
      EXPECT_EQ(hash_of_run(path, 8, threads), reference) << path << " threads " << threads;
    }
  }
}

// Long enough for one evaluation to be split: a varying intercept for each of 37 groups, a matrix
// of data and a vector of terms of its own.
constexpr const char* kLong = R"(
data { int N; int K; int J; matrix[N, K] X; array[N] int y; array[N] int g; }
parameters { real a; vector[K] b; vector[J] u; real<lower=0> s; }
model {
  s ~ exponential(1);
  u ~ normal(0, s);
  y ~ bernoulli_logit(a + X * b + u[g]);
})";

io::DataTable long_data() {
  constexpr Index kRows = 5000, kColumns = 4, kGroups = 37;
  const auto whole = [](std::vector<Index> dims, std::vector<std::int32_t> values) {
    io::DataValue value;
    value.kind = io::DataKind::integers;
    value.dims = std::move(dims);
    value.integers = std::move(values);
    return value;
  };
  Rng rng({.seed = 3, .purpose = purpose::kTest});
  io::DataValue x;
  x.kind = io::DataKind::reals;
  x.dims = {kRows, kColumns};
  for (Index i = 0; i < kRows * kColumns; ++i) x.reals.push_back(rng.normal());
  std::vector<std::int32_t> y, g;
  for (Index i = 0; i < kRows; ++i) {
    y.push_back(rng.uniform() < 0.4 ? 1 : 0);
    g.push_back(static_cast<std::int32_t>(1 + rng.index_below(kGroups)));
  }
  io::DataTable data("long");
  data.add("N", whole({}, {kRows}));
  data.add("K", whole({}, {kColumns}));
  data.add("J", whole({}, {kGroups}));
  data.add("X", x);
  data.add("y", whole({kRows}, y));
  data.add("g", whole({kRows}, g));
  return data;
}

std::uint64_t hash_of_long_run(const model::Model& model, Index chains, Index threads) {
  infer::SampleOptions options;
  options.num_chains = chains;
  options.num_warmup = 40;
  options.num_draws = 20;
  options.seed = 11;
  options.num_threads = threads;
  return hash_of_run(model, options);
}

TEST(hash_matrix, draws_do_not_depend_on_the_threads_of_one_evaluation) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = model::compile_text("long", kLong, diagnostics, source);
  ASSERT_TRUE(program != nullptr);
  for (const bool measure : {false, true}) {
    model::ModelOptions model_options;
    model_options.measure_splits = measure;
    const model::Model model(program, long_data(), model_options);
    const std::vector<double> origin(static_cast<std::size_t>(model.dimension()), 0.0);
    ASSERT_TRUE(GradientRunner(model.trace(origin), 1).splits());
    for (const Index chains : {1, 3}) {
      const std::uint64_t reference = hash_of_long_run(model, chains, 1);
      for (const Index threads : {2, 4, 5})
        EXPECT_EQ(hash_of_long_run(model, chains, threads), reference)
            << chains << " chains, " << threads << " threads";
    }
  }
}

TEST(hash_matrix, avx2_and_avx512_give_equal_draws) {
  const auto& targets = numerics::supported_targets();
  const auto has = [&](numerics::SimdTarget t) {
    return std::find(targets.begin(), targets.end(), t) != targets.end();
  };
  if (!has(numerics::SimdTarget::avx512) || !has(numerics::SimdTarget::avx2)) {
    GTEST_SKIP() << "THIS CPU LACKS AVX-512: the comparison with AVX2 is not made";
  }
  const numerics::SimdTarget before = numerics::active_target();
  for (const std::string& path : programs_in_turn()) {
    numerics::force_target(numerics::SimdTarget::avx512);
    const std::uint64_t wide = hash_of_run(path, 8, 2);
    numerics::force_target(numerics::SimdTarget::avx2);
    EXPECT_EQ(hash_of_run(path, 8, 2), wide) << path;
  }
  numerics::force_target(before);
}

// Power: the matrix must see a change of one bit in one draw.
TEST(hash_matrix, sees_one_flipped_bit) {
  std::vector<double> values{1.0, 2.0, 3.0};
  const std::uint64_t before = testing::hash_bits(values);
  values[1] = std::nextafter(values[1], 3.0);
  EXPECT_NE(testing::hash_bits(values), before);
}

}  // namespace
}  // namespace credo::cli::determinism_test
