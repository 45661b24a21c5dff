// credo smooth --method cvi and ep: linear Gaussian states with outcomes that aren't normal.
#include <fmt/format.h>

#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"

namespace credo::cli::site_smoothers_test {
namespace {

class SiteSmoothers : public testing::CommandRun {
 protected:
  SiteSmoothers() : CommandRun("site_smoothers") {
    // The same model with all states as parameters: their prior is normal, and each count is a site.
    write("path.stan", R"(data { int T; array[T] int y; }
parameters { vector[T] x; }
model {
  x[1] ~ normal(1, 0.5 / sqrt(1 - 0.8 ^ 2));
  x[2:T] ~ normal(1 + 0.8 * (x[1:(T - 1)] - 1), 0.5);
  y ~ poisson_log(x);
})");
  }
  static std::string example(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/examples/sites/" + name;
  }
  testing::Json smoothed(std::vector<std::string> more) {
    std::vector<std::string> words = {"smooth", example("rate.stan"), "--data",
                                      example("rate.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  std::vector<double> tuned(const std::string& name, std::string_view setting) const {
    const std::string path = at(name);
    const auto stored = open_fit(std::span(&path, 1));
    for (const infer::TunedSetting& one : stored->result().chains[0].tuned)
      if (one.name == setting) return one.values;
    ADD_FAILURE() << "no " << setting;
    return {kNaN};
  }
};

// Two engines, the Kalman smoother and matrices of all states, have one fixed point; both stop at changes of 1e-6.
TEST_F(SiteSmoothers, are_the_approximations_of_all_states_as_parameters) {
  for (const std::string method : {"cvi", "ep"}) {
    const testing::Json run = smoothed({"--method", method});
    ASSERT_EQ(this->run({"approximate", at("path.stan"), "--data", example("rate.json"), "--method",
                         method, "--no-check", "--quiet", "-o", at("p.nc")}),
              0)
        << said();
    const std::vector<double> mean = tuned("p.nc", "mean"),
                              covariance = tuned("p.nc", "covariance");
    const std::vector<testing::Json>& times = run.at("times").items;
    ASSERT_EQ(times.size(), mean.size());
    for (std::size_t t = 0; t < times.size(); ++t) {
      EXPECT_NEAR(times[t].at("mean").items[0].number, mean[t], 1e-5) << method << t;
      EXPECT_NEAR(times[t].at("sd").items[0].number, std::sqrt(covariance[t * (times.size() + 1)]),
                  1e-5)
          << method << t;
    }
    EXPECT_NEAR(run.at("log_likelihood").number,
                tuned("p.nc", method == "ep" ? "site_log_evidence" : "bound")[0], 1e-5)
        << method;
  }
}

// 20 runs of 500 particles: means to 5 standard errors and 0.05 standard deviations, which the normal form costs; the bound is below
// the likelihood.
LONG_TEST_F(SiteSmoothers, agree_with_particles) {
  const testing::Json particles =
      smoothed({"--method", "ffbs", "--particles", "500", "--repeats", "20", "--seed", "1"});
  const testing::Json ep = smoothed({"--method", "ep"}), cvi = smoothed({"--method", "cvi"});
  for (std::size_t t = 0; t < 20; ++t) {
    const testing::Json& right = particles.at("times").items[t];
    const double sd = right.at("sd").items[0].number;
    EXPECT_NEAR(ep.at("times").items[t].at("mean").items[0].number,
                right.at("mean").items[0].number,
                5.0 * right.at("mean_error").items[0].number + 0.05 * sd)
        << t;
    EXPECT_NEAR(ep.at("times").items[t].at("sd").items[0].number / sd, 1.0, 0.06) << t;
  }
  const double likelihood = particles.at("log_likelihood").number;
  EXPECT_NEAR(ep.at("log_likelihood").number, likelihood, 0.1);
  EXPECT_LT(cvi.at("log_likelihood").number, likelihood);
}

// Normal outcomes: the exact smoother in one round of full steps; a state of two elements, one missing outcome.
TEST_F(SiteSmoothers, of_normal_outcomes_are_the_exact_smoother) {
  write("linear.stan", R"(functions {
  vector initial_rng() { return [normal_rng(0, 1), normal_rng(0, 1)]'; }
  real initial_lpdf(vector x) { return normal_lpdf(x[1] | 0, 1) + normal_lpdf(x[2] | 0, 1); }
  vector transition_rng(vector before) {
    return [normal_rng(0.7 * before[1] + 0.2 * before[2], 0.5), normal_rng(0.5 * before[2], 1)]';
  }
  real transition_lpdf(vector x, vector before) {
    return normal_lpdf(x[1] | 0.7 * before[1] + 0.2 * before[2], 0.5) + normal_lpdf(x[2] | 0.5 * before[2], 1);
  }
  real observation_lpdf(real y, vector x) { return normal_lpdf(y | x[1] + 2 * x[2], 0.7); }
}
data { int T; vector[T] y; })");
  write("d.json", R"({"T": 6, "y": [0.5, -1.2, "NaN", 0.3, 1.9, 2.2]})");
  const auto of = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"smooth", at("linear.stan"), "--data", at("d.json")};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  };
  const testing::Json exact = of({"--method", "kalman"});
  for (const std::string method : {"cvi", "ep"}) {
    const testing::Json found = of({"--method", method, "--damping", "1"});
    EXPECT_NEAR(found.at("log_likelihood").number, exact.at("log_likelihood").number, 1e-7);
    for (std::size_t t = 0; t < 6; ++t)
      for (std::size_t e = 0; e < 2; ++e)
        EXPECT_NEAR(found.at("times").items[t].at("mean").items[e].number,
                    exact.at("times").items[t].at("mean").items[e].number, 1e-7)
            << method << t;
  }
  const auto refused = [&](const std::string& density, const std::string& why) {
    write("other.stan",
          "functions { real initial_rng() { return normal_rng(0, 1); } "
          "real initial_lpdf(real x) { return normal_lpdf(x | 0, 1); } "
          "real transition_rng(real p) { return normal_rng(p, 1); } "
          "real transition_lpdf(real x, real p) { return normal_lpdf(x | p, 1); } "
          "real observation_lpdf(real y, real x) { return " +
              density + "; } } data { int T; vector[T] y; }");
    EXPECT_NE(run({"smooth", at("other.stan"), "--data", at("d.json"), "--method", "cvi"}), 0);
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused("normal_lpdf(y | 0, 1)", "has no slope in the state");
  refused("normal_lpdf(0.1 * y | 0, 1 / sqrt(1 + x^2))", "isn't log-concave");
}

}  // namespace
}  // namespace credo::cli::site_smoothers_test
