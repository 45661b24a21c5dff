// Every algorithm that tells a log evidence, against evidences that are known.
#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "infer/known_posteriors.hpp"
#include "support/share.hpp"

namespace credo::infer::evidence_test {
namespace {
using namespace credo::testing;

// y ~ N(x, 1), x ~ N(0, 1): so mild that draws of the prior are enough.
KnownPosterior mild() {
  constexpr double kObserved = 1.5;
  const auto likelihood = [](Values x, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] += kObserved - x[0];
    return normal_log_density(kObserved, x[0], 1.0);
  };
  return {"mild", std::make_unique<Known>(1, 1.0, likelihood, square_matrix(1, -1.0)),
          normal_log_density(kObserved, 0.0, std::sqrt(2.0))};
}

SampleOptions options_of(const SamplerSpec& row) {
  return {.sampler = std::string(row.name),
          .num_chains = 1,
          .num_warmup = row.has_warmup ? 500 : 0,
          .num_draws = 500,
          .seed = 200};
}

// A row that tells the log evidence of a short run.
bool has_evidence(const SamplerSpec& row) {
  if (!is_sampler(row) || row.needs_states || row.needs_rows || row.needs_program ||
      row.needs_simulations || row.name == "exact")
    return false;  // "exact" draws from distributions that are known; "ibis" needs rows: ibis_test.cpp
  SampleOptions options = options_of(row);
  options.num_warmup = std::min<Index>(options.num_warmup, 20);
  options.num_draws = 20;
  StoredDraws store;
  return log_evidence(run_chains(*mild().density, options, store)).has_value();
}

LONG_TEST(every_evidence, is_within_its_errors_and_would_be_rejected_with_half_a_unit_more) {
  constexpr Index kSeeds = 12;
  Index num_rows = 0;
  for (const SamplerSpec* row : samplers()) {
    if (!has_evidence(*row)) continue;
    ++num_rows;
    for (const KnownPosterior& model : {mild(), half()}) {
      const Scores scores = scores_of(model, options_of(*row), kSeeds);
      EXPECT_TRUE(scores.pass()) << row->name << " of " << model.name << ": " << scores.num_far
                                 << " far, mean square " << scores.mean_square;
      EXPECT_FALSE(scores_of(model, options_of(*row), kSeeds, 0.5).pass()) << row->name;
    }
  }
  EXPECT_GE(num_rows, 3);  // importance, smc, tempering
}

}  // namespace
}  // namespace credo::infer::evidence_test
