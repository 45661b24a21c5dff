#include <gtest/gtest.h>

#include <thread>

#include "infer/core/chain.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "support/alloc_count.hpp"
#include "support/kernel_checks.hpp"

CREDO_COUNT_ALLOCATIONS

namespace credo::infer::run_test {
namespace {
using namespace credo::testing;

SampleOptions short_run() { return {.num_warmup = 150, .num_draws = 100, .seed = 11}; }

std::vector<double> all_draws(const density::LogDensity& density, const SampleOptions& options) {
  StoredDraws store;
  run_chains(density, options, store);
  std::vector<double> all;
  for (const density::Draws* part : {&store.draws, &store.info})
    for (Index d = 0; d < part->num_quantities(); ++d)
      all.insert(all.end(), part->quantity(d).begin(), part->quantity(d).end());
  return all;
}

// ---- the same draws, whoever computes them ----

TEST(run_chains, gives_the_same_draws_for_any_number_of_threads) {
  for (const std::string sampler : {"nuts", "hmc_static"}) {
    SampleOptions options = short_run();
    options.sampler = sampler;
    options.num_threads = 1;
    const std::vector<double> one = all_draws(*eight_schools(), options);
    EXPECT_TRUE(std::all_of(one.begin(), one.end(), [](double x) { return std::isfinite(x); }));
    for (const Index num_threads : {2, 3, 4}) {
      options.num_threads = num_threads;
      EXPECT_EQ(all_draws(*eight_schools(), options), one) << num_threads;
    }
  }
}

TEST(run_chains, gives_each_chain_the_draws_it_has_when_run_alone) {
  const auto density = eight_schools();
  StoredDraws together;
  run_chains(*density, short_run(), together);
  for (Index c = 0; c < 4; ++c) {
    SampleOptions options = short_run();
    options.num_chains = 1;
    options.first_chain = c;
    StoredDraws alone;
    run_chains(*density, options, alone);
    for (Index d = 0; d < 10; ++d) {
      const auto a = together.draws.chain(c, d), b = alone.draws.chain(0, d);
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << c;
    }
  }
}

TEST(run_chains, gives_other_draws_for_another_seed) {
  SampleOptions other = short_run();
  other.seed = 12;
  EXPECT_NE(all_draws(*eight_schools(), short_run()), all_draws(*eight_schools(), other));
}

// ---- what is kept ----

class Recording final : public DrawSink {
 public:
  void draw(const DrawRecord& record) override {
    (record.warmup ? warmup : draws).push_back(record.iteration);
  }
  std::vector<Index> warmup, draws;
};

TEST(run_chains, keeps_every_thin_th_transition_of_both_phases) {
  SampleOptions options{.num_chains = 1, .num_warmup = 30, .num_draws = 10, .thin = 4};
  Recording without, with;
  run_chains(*standard_normal(2).density, options, without);
  options.save_warmup = true;
  const RunResult run = run_chains(*standard_normal(2).density, options, with);
  EXPECT_TRUE(without.warmup.empty());
  EXPECT_EQ(without.draws, (std::vector<Index>{30, 34, 38}));
  EXPECT_EQ(with.warmup, (std::vector<Index>{0, 4, 8, 12, 16, 20, 24, 28}));
  EXPECT_EQ(run.chains[0].num_kept, 3);
}

TEST(run_chains, stores_positions_with_their_log_density) {
  const auto density = eight_schools();
  StoredDraws store;
  run_chains(*density, {.num_warmup = 50, .num_draws = 20, .save_warmup = true}, store);
  EXPECT_EQ(store.warmup_draws.num_draws(), 50);
  const auto evaluator = density->make_evaluator();
  std::vector<double> row(10);
  for (Index s = 0; s < 20; ++s) {
    store.draws.get(s, 2, row);
    EXPECT_EQ(state_at(*evaluator, row).log_density, store.info(s, 2, 0));
  }
}

TEST(run_chains, keeps_divergences_with_start_end_and_error) {
  StoredDraws store;
  const RunResult run = run_chains(*funnel(3.0).density, {.seed = 3}, store);
  Index after_warmup = 0, counted = 0;
  for (const Divergence& divergence : run.divergences) {
    EXPECT_FALSE(divergence.energy_error <= kMaxEnergyError);
    EXPECT_EQ(divergence.start.size(), 4u);
    EXPECT_NE(divergence.start, divergence.end);
    if (!divergence.warmup) ++after_warmup;
  }
  for (const ChainResult& chain : run.chains) counted += chain.num_divergent;
  EXPECT_GT(counted, 0);
  EXPECT_EQ(after_warmup, counted);
  double flagged = 0.0;
  for (const double flag : store.info.quantity(5)) flagged += flag;
  EXPECT_EQ(flagged, static_cast<double>(counted));
}

TEST(run_chains, counts_transitions_that_use_the_whole_budget) {
  StoredDraws store;
  SampleOptions options{.num_chains = 1, .num_warmup = 0, .num_draws = 25};
  options.kernel = NutsOptions{.step_size = 1e-3, .max_tree_depth = 3};
  const RunResult run = run_chains(*standard_normal(2).density, options, store);
  EXPECT_EQ(run.chains[0].num_max_depth, 25);
  EXPECT_EQ(run.chains[0].num_evaluations, 1 + 25 * 7);
}

Index column_of(const StoredDraws& store, std::string_view name) {
  const auto same = [&](const FieldSpec& column) { return column.name == name; };
  return std::find_if(store.columns.begin(), store.columns.end(), same) - store.columns.begin();
}

TEST(run_chains, counts_one_evaluation_for_each_leapfrog_step_divergent_or_not) {
  for (const std::string sampler : {"nuts", "hmc_static"}) {
    SampleOptions options{.sampler = sampler, .num_chains = 1, .num_warmup = 0, .num_draws = 200};
    if (sampler == "nuts") options.kernel = NutsOptions{.step_size = 8.0};
    if (sampler == "hmc_static") options.kernel = HmcStaticOptions{.step_size = 8.0};
    StoredDraws store;
    const RunResult run = run_chains(*funnel(3.0).density, options, store);
    EXPECT_GT(run.chains[0].num_divergent, 0);
    double num_leapfrog = 0.0;
    for (const double n : store.info.quantity(column_of(store, "num_leapfrog"))) num_leapfrog += n;
    EXPECT_EQ(1.0 + num_leapfrog, static_cast<double>(run.chains[0].num_evaluations)) << sampler;
  }
}

// ---- initial points ----

TEST(initial_point, given_is_where_the_chain_starts_and_what_is_not_a_number_is_drawn) {
  SampleOptions options{.num_chains = 2, .num_warmup = 0, .num_draws = 1};
  options.init = {{0.5, kNaN}};
  StoredDraws store;
  const RunResult run = run_chains(*standard_normal(2).density, options, store);
  for (const ChainResult& chain : run.chains) {
    EXPECT_EQ(chain.initial_point[0], 0.5);
    EXPECT_LT(std::fabs(chain.initial_point[1]), 2.0);
  }
  EXPECT_NE(run.chains[0].initial_point[1], run.chains[1].initial_point[1]);
}

TEST(initial_point, is_drawn_again_until_it_lies_in_the_support) {
  StoredDraws store;
  const RunResult run =
      run_chains(*normal_on_half_line(), {.num_chains = 16, .num_draws = 1}, store);
  Index most_tries = 0;
  for (const ChainResult& chain : run.chains) {
    EXPECT_GE(chain.initial_point[0], 0.0);
    most_tries = std::max(most_tries, chain.num_init_tries);
  }
  EXPECT_GT(most_tries, 1);
}

Error error_of(const density::LogDensity& density, const SampleOptions& options) {
  StoredDraws store;
  try {
    run_chains(density, options, store);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "no error");
}

void expect_error(const Error& error, ErrorCode code, const std::string& part) {
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
}

TEST(initial_point, failure_names_the_culprit_and_the_number_of_tries) {
  expect_error(error_of(*always(-kInfinity), {}), ErrorCode::evaluation,
               "none of 100 initial points in (-2, 2)");
  expect_error(error_of(*always(-kInfinity), {}), ErrorCode::evaluation,
               "100 × the log density is -infinity");
  expect_error(error_of(*always(kNaN), {}), ErrorCode::evaluation,
               "100 × the log density is not a number");
  expect_error(error_of(*infinite_gradient(), {}), ErrorCode::evaluation,
               "100 × the gradient is not finite");
  expect_error(error_of(*normal_on_half_line(), {.init = {{-1.0}}}), ErrorCode::evaluation,
               "the given initial point");
}

// ---- hostile densities and users ----

TEST(run_chains, counts_points_that_are_refused_and_goes_on) {
  StoredDraws store;
  const RunResult run = run_chains(*nan_beyond(1.5), {.num_draws = 200}, store);
  ASSERT_EQ(run.refusals.size(), 1u);
  EXPECT_EQ(run.refusals[0].reason, "the log density is not a number");
  EXPECT_GT(run.refusals[0].count, 100);
  for (const double x : store.draws.quantity(0)) EXPECT_LE(std::fabs(x), 1.5);
}

// P(r² <= 1/4) of the normal is outside: E r² = 2 + 1/4 by the memoryless exponential r²/2.
TEST(run_chains, samples_around_a_hole) {
  StoredDraws store;
  run_chains(*normal_with_hole(), {.num_draws = 2000, .seed = 2}, store);
  double sum = 0.0;
  const auto x = store.draws.quantity(0), y = store.draws.quantity(1);
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * x[i] + y[i] * y[i];
  EXPECT_NEAR(sum / static_cast<double>(x.size()), 2.25, 0.2);  // 4 × 2 / sqrt(8000 / 5)
}

TEST(run_chains, passes_on_what_the_density_throws) {
  StoredDraws store;
  EXPECT_THROW(run_chains(*throwing(), {.num_threads = 2}, store), std::runtime_error);
}

class FatalEvaluator final : public density::Evaluator {
 public:
  void evaluate(density::Want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch)
      request->status = {.source = 7, .value = 9.0, .fatal = true};
  }
};
class FatalDensity final : public density::LogDensity {
 public:
  Index dimension() const override { return 1; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<FatalEvaluator>();
  }
  std::string describe(const density::Status& status) const override {
    return "index out of range at place " + std::to_string(status.source);
  }
};

TEST(run_chains, ends_with_the_description_of_a_fatal_status) {
  expect_error(error_of(FatalDensity(), {}), ErrorCode::evaluation,
               "index out of range at place 7");
}

TEST(run_chains, refuses_options_that_make_no_sense) {
  const auto density = standard_normal(2).density;
  SampleOptions bad_target;
  bad_target.adapt.step_size.target_accept = 1.3;
  expect_error(error_of(*density, bad_target), ErrorCode::usage,
               "target_accept must be in (0, 1), is 1.3");
  expect_error(error_of(*density, {.num_chains = 0}), ErrorCode::usage, "num_chains");
  expect_error(error_of(*density, {.thin = 0}), ErrorCode::usage, "thin");
  expect_error(error_of(*density, {.init = {{1.0}}}), ErrorCode::usage, "1 values, must have 2");
  expect_error(error_of(*density, {.inv_metric = {1.0, -1.0}}), ErrorCode::usage, "diag_e takes 2");
  expect_error(error_of(*density, {.kernel = NutsOptions{.step_size = -1.0}}), ErrorCode::usage,
               "step_size must be > 0 and finite, is -1");
  expect_error(error_of(*density, {.sampler = "gibs"}), ErrorCode::usage,
               "hmc_static, ibis, implicit, importance, independence");
}

TEST(run_chains, samples_a_density_without_parameters) {
  StoredDraws store;
  const RunResult run = run_chains(*always(-1.0, 0), {.num_draws = 5}, store);
  EXPECT_EQ(run.chains[0].num_kept, 5);
  EXPECT_EQ(store.info(4, 3, 0), -1.0);
}

// ---- interruption and progress ----

class Stopping final : public DrawSink {
 public:
  explicit Stopping(Index after) : after_(after) {}
  void draw(const DrawRecord&) override {
    if (++num_draws == after_) stop = true;
  }
  std::atomic<bool> stop = false;
  std::atomic<Index> num_draws = 0;

 private:
  Index after_;
};

TEST(run_chains, stops_between_evaluations_and_says_so) {
  Stopping sink(50);
  SampleOptions options{.num_draws = 1'000'000, .stop = &sink.stop};
  const RunResult run = run_chains(*standard_normal(2).density, options, sink);
  EXPECT_TRUE(run.interrupted);
  EXPECT_LT(sink.num_draws, 10'000);
  Index kept = 0;
  for (const ChainResult& chain : run.chains) kept += chain.num_kept;
  EXPECT_EQ(kept, sink.num_draws);
}

TEST(run_chains, reports_progress_to_the_end_of_every_chain) {
  std::vector<Index> last(4, 0);
  SampleOptions options = short_run();
  options.progress_every = 60;
  options.on_progress = [&](const Progress& progress) {
    EXPECT_GT(progress.iteration, last[static_cast<std::size_t>(progress.chain)]);
    EXPECT_EQ(progress.warmup, progress.iteration <= 150);
    last[static_cast<std::size_t>(progress.chain)] = progress.iteration;
  };
  StoredDraws store;
  run_chains(*standard_normal(2).density, options, store);
  EXPECT_EQ(last, std::vector<Index>(4, 250));
}

TEST(run_chains, reports_the_ends_of_phases_with_step_sizes_whatever_else_is_due) {
  std::vector<std::vector<Index>> reports(4);
  SampleOptions options = short_run();
  options.progress_every = 0;
  options.progress_seconds = 1e6;
  options.on_progress = [&](const Progress& progress) {
    reports[static_cast<std::size_t>(progress.chain)].push_back(progress.iteration);
    EXPECT_GT(progress.step_size, 0.0);
    EXPECT_EQ(progress.num_divergent, 0);
  };
  StoredDraws store;
  run_chains(*standard_normal(2).density, options, store);
  EXPECT_EQ(reports, std::vector<std::vector<Index>>(4, {150, 250}));
}

TEST(run_chains, reports_by_the_clock_too) {
  Index num_reports = 0;
  SampleOptions options = short_run();
  options.progress_every = 0;
  options.progress_seconds = 1e-9;  // every look at the clock is a report
  options.on_progress = [&](const Progress&) { ++num_reports; };
  StoredDraws store;
  run_chains(*standard_normal(2).density, options, store);
  EXPECT_GE(num_reports, 4 * 250 / 64);  // at least every 64th transition looks
}

// ---- memory and tables ----

TEST(step, of_every_kernel_allocates_nothing_once_warm) {
  const auto density = eight_schools();
  const auto evaluator = density->make_evaluator();
  Nuts nuts({.step_size = 0.3, .metric = MetricKind::dense}, 10);
  HmcStatic hmc({.step_size = 0.3}, 10);
  HmcState state = state_at(*evaluator, std::vector<double>(10, 0.1));
  const auto run = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) {
      Rng rng({.seed = 1, .purpose = purpose::kTest, .iteration = i});
      run_alone(nuts.step(state, rng), *evaluator);
      run_alone(hmc.step(state, rng), *evaluator);
    }
  };
  run(0, 1);
  const AllocationCount count;
  run(1, 500);
  EXPECT_EQ(count.value(), 0);
  EXPECT_NE(state.position[0], 0.1);
}

// A sink that keeps nothing: what the run allocates doesn't grow with its length.
class Forgetting final : public DrawSink {
 public:
  void draw(const DrawRecord&) override {}
};

long allocations_of_run(Index num_draws) {
  Forgetting sink;
  const auto density = standard_normal(5);
  const AllocationCount count;
  run_chains(*density.density, {.num_draws = num_draws, .num_threads = 1}, sink);
  return count.value();
}

TEST(run_chains, allocates_nothing_per_transition) {
  EXPECT_EQ(allocations_of_run(2000), allocations_of_run(100));
}

TEST(samplers, are_in_alphabetical_order_and_found_by_name) {
  std::string before;
  for (const SamplerSpec* row : samplers()) {
    EXPECT_LT(before, row->name);
    EXPECT_EQ(&find_sampler(row->name), row);
    EXPECT_FALSE(row->columns().empty());
    before = row->name;
  }
}

}  // namespace
}  // namespace credo::infer::run_test
