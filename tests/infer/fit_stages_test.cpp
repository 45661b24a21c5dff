// Fits that are stopped and resumed are the fits without a break, for every method that climbs.
#include "infer/kept_fits.hpp"
#include "infer/sites/linear_rows.hpp"
#include "infer/sites/site_rounds.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/neutra.hpp"
#include "support/share.hpp"
#include "support/targets.hpp"

namespace credo::infer::fit_stages_test {
namespace {
using namespace credo::testing;

const FitCase kCases[] = {
    {"flow"},
    {"hamiltonian", {{"max_iterations", "10"}, {"num_fresh", "200"}, {"leapfrog", "2"}}},
    {"implicit", {{"rounds", "4"}, {"hidden", "4"}}},
    {"laplace"},
    {"moments"},
    {"moments", {{"layers", "maf:1"}, {"hidden", "4"}, {"covariance", "full"}}},
    {kNeutraName},
    {"normal", {{"num_fresh", "500"}}},
    {"normal", {{"optimizer", "adam"}, {"max_steps", "300"}, {"num_fresh", "500"}}},
    {"normal", {{"optimizer", "natural"}, {"step", "0.3"}, {"num_fresh", "500"}}},
    {"normal", {{"stop", "patience"}, {"optimizer", "adam"}, {"window", "10"}, {"patience", "3"}}},
    {"normal", {{"gradient", "score_cv"}, {"max_steps", "300"}, {"step_draws", "20"}}},
    {"normal", {{"objective", "eubo"}, {"max_steps", "300"}}},
    {"normal", {{"objective", "chi2"}, {"max_steps", "300"}}},
    {"normal", {{"objective", "iwae:5"}, {"max_steps", "300"}}},
    {"pathfinder"},
};

void expect_all_resumable(const density::LogDensity& target, std::span<const FitCase> cases) {
  for (const FitCase& fit : cases) {
    std::string text(fit.sampler);
    for (const auto& [name, value] : fit.settings) text += fmt::format(" {}={}", name, value);
    if (!this_share().has(text)) continue;
    SCOPED_TRACE(text);
    expect_resumable(target, fit);
  }
}

TEST(fit_stages, resume_a_fit_to_the_same_bits) { expect_all_resumable(*eight_schools(), kCases); }

const FitCase kSiteCases[] = {{"ep"},
                              {"ep", {{"order", "all"}, {"damping", "0.3"}}},
                              {"ep", {{"stochastic", "true"}, {"max_rounds", "20"}}},
                              {"ep", {{"max_rounds", "3"}}},
                              {"ep", {{"update", "laplace"}}},
                              {"cvi"},
                              {"cvi", {{"order", "all"}}},
                              {"adf"},
                              {"adf", {{"diagonal", "true"}}}};

TEST(fit_stages, resume_rounds_over_sites_to_the_same_bits) {
  LinearRowsSpec counts{
      .prior_mean = {0.5, 0.0, 0.0}, .prior_sd = {2.0, 1.5, 1.0}, .predictors = {}, .row = {}};
  for (int n = 0; n < 12; ++n) counts.predictors.push_back({1.0, 0.3 * n - 1.5, std::sin(n)});
  counts.row = [](std::size_t n, double s) {
    const double y = static_cast<double>((7 * n) % 5);
    return RowValue{y * s - std::exp(s) - std::lgamma(y + 1.0), y - std::exp(s)};
  };
  expect_all_resumable(LinearRows(counts), kSiteCases);
}

// Rows that are normal where they were looked at, and have a bump where the posterior is: their form is forgotten, and a resumed fit knows it.
TEST(fit_stages, resume_rounds_that_have_forgotten_forms) {
  LinearRowsSpec bumps{.prior_mean = {0.0}, .prior_sd = {1.0}, .predictors = {}, .row = {}};
  for (int n = 0; n < 12; ++n) bumps.predictors.push_back({1.0});
  bumps.row = [](std::size_t n, double s) {
    const double y = 3.0 + 0.02 * static_cast<double>(n % 3), z = (s - y) / 0.3,
                 u = (s - 3.0) / 0.6, part = std::max(0.0, 1.0 - u * u);
    return RowValue{-0.5 * z * z + 0.05 * std::pow(part, 4.0),
                    -z / 0.3 - 0.4 * std::pow(part, 3.0) * u / 0.6};
  };
  const LinearRows model(bumps);
  SitePosterior posterior = find_sites(model);
  const auto num_forms = [&] {
    return std::ranges::count_if(posterior.sites, [](auto& site) { return site.form != nullptr; });
  };
  ASSERT_EQ(num_forms(), 12);
  fit_sites(posterior, {});
  ASSERT_LT(num_forms(), 12);
  expect_all_resumable(model, kSiteCases);
}

// A state of another fit leads to another end, so that the comparison can fail.
TEST(fit_stages, take_the_state_that_is_given) {
  const auto target = eight_schools();
  const FitCase fit{"normal", {{"optimizer", "adam"}, {"max_steps", "300"}, {"num_fresh", "500"}}};
  const TakenFit whole = run_kept(*target, options_of(fit, 7), nullptr);
  EagerKeeper counting;
  run_kept(*target, options_of(fit, 8), &counting);
  EagerKeeper other(-1, nullptr, state_at(*target, options_of(fit, 8), counting.num_kept / 2));
  EXPECT_NE(run_kept(*target, options_of(fit, 7), &other).figures, whole.figures);
}

struct CountedState {
  Index count = 0;
  static void saved(auto& self, auto&& field) { field(self.count); }
};

TEST(fit_stages, keep_nothing_without_a_fit_or_a_keeper_and_within_each_other) {
  CountedState state{3};
  {
    FitStage stage;  // no scope
    stage.look(state), stage.end(state);
    EXPECT_FALSE(stage.resume(state));
  }
  EagerKeeper keeper;
  const FitScope scope(&keeper);
  {
    FitStage stage;
    stage.look(state);
    EXPECT_EQ(keeper.num_kept, 1);
    FitStage inner;
    inner.look(state), inner.end(state);
    EXPECT_EQ(keeper.num_kept, 1);
    stage.end(state);
    EXPECT_EQ(keeper.num_kept, 2);
  }
  end_fit();
  FitStage after;
  after.look(state);
  EXPECT_EQ(keeper.num_kept, 2);
}

// A stage that failed isn't kept as if it had ended: it fails again, and the next ones have their own numbers.
TEST(fit_stages, count_stages_that_failed) {
  EagerKeeper keeper;
  {
    const FitScope scope(&keeper);
    { FitStage failed; }
    FitStage second;
    second.end(CountedState{5});
  }
  EagerKeeper again(-1, nullptr, keeper.state);
  const FitScope scope(&again);
  CountedState state;
  {
    FitStage failed;
    EXPECT_FALSE(failed.has_ended());
    EXPECT_FALSE(failed.resume(state));
  }
  FitStage second;
  EXPECT_TRUE(second.has_ended());
  EXPECT_TRUE(second.resume(state));
  EXPECT_EQ(state.count, 5);
}

TEST(fit_stages, refuse_a_damaged_state) {
  EagerKeeper keeper(-1, nullptr, "no state");
  const FitScope scope(&keeper);
  EXPECT_THROW(FitStage(), Error);
}

}  // namespace
}  // namespace credo::infer::fit_stages_test
