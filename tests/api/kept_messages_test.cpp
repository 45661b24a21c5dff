// Coordinate ascent that is stopped after a sweep and resumed is that without a break.
#include "infer/kept_fits.hpp"
#include "support/text_model.hpp"

namespace credo::kept_messages_test {
namespace {
using testing::FitCase;

constexpr const char* kMixture = R"(
data { int N; vector[N] y; }
parameters { simplex[2] p; vector[2] mu; vector<lower=0>[2] tau; array[N] int<lower=1, upper=2> z; }
model {
  p ~ dirichlet([2, 2]');
  mu ~ normal(0, 10);
  tau ~ gamma(2, 1);
  z ~ categorical(p);
  y ~ normal(mu[z], inv_sqrt(tau[z]));
}
)";
constexpr const char* kSummedLabels = R"(
data { int N; vector[N] y; }
parameters { simplex[2] p; vector[2] mu; }
model {
  p ~ dirichlet([2, 2]');
  mu ~ normal(0, 10);
  for (n in 1:N)
    target += log_sum_exp(log(p) + [normal_lpdf(y[n] | mu[1], 1), normal_lpdf(y[n] | mu[2], 1)]');
}
)";
constexpr const char* kOutcomes =
    R"({"N": 12, "y": [-3.1, -2.6, 1.9, 2.4, -3.6, 2.2, 0.4, 1.1, -2.2, 2.9, 2.0, -0.3]})";

TEST(messages, of_a_stopped_ascent_are_resumed_to_the_same_bits) {
  const auto mixture = model::model_from(kMixture, kOutcomes);
  for (const FitCase& fit :
       {FitCase{"cavi", {}}, FitCase{"cavi", {{"order", "all"}, {"max_sweeps", "40"}}},
        FitCase{"cavi", {{"num_starts", "1"}, {"damping", "0.5"}}},
        FitCase{"cavi", {{"point", "mu"}}}}) {
    std::string text;
    for (const auto& [name, value] : fit.settings) text += fmt::format("{}={} ", name, value);
    SCOPED_TRACE(text);
    expect_resumable(*mixture, fit);
  }
  const auto summed = model::model_from(kSummedLabels, kOutcomes);
  testing::expect_resumable(*summed, {"cavi", {{"batch", "4"}, {"max_sweeps", "30"}}});
}

}  // namespace
}  // namespace credo::kept_messages_test
