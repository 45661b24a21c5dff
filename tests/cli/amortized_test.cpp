// credo approximate --method amortized: factor analysis against its marginal likelihood, fits to simulations, dependences that are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::amortized_test {
namespace {

constexpr const char* kFactors =
    "data { int N; vector[N] constant; array[N] vector[3] y; } "
    "parameters { vector<lower=0>[3] w; real<lower=0> s; vector[N] z; } "
    "model { w ~ lognormal(0, 1); s ~ lognormal(0, 0.5); z ~ normal(0, 1); "
    "for (n in 1:N) y[n] ~ normal(w * z[n], s); }";
constexpr const char* kMarginal =
    "data { int N; array[N] vector[3] y; } "
    "parameters { vector<lower=0>[3] w; real<lower=0> s; } "
    "model { w ~ lognormal(0, 1); s ~ lognormal(0, 0.5); "
    "y ~ multi_normal(rep_vector(0, 3), add_diag(w * w', s^2)); }";

class Amortized : public testing::CommandRun {
 protected:
  Amortized() : CommandRun("amortized") {
    write("factors.stan", kFactors);
    write("marginal.stan", kMarginal);
    write("mean.stan",
          "data { int N; vector[N] y; } parameters { real mu; } "
          "model { mu ~ normal(0, 1); y ~ normal(mu, 1); }");
    write("mean.json", R"({"N": 5, "y": [0.3, 1.9, 0.8, 1.1, 0.4]})");
    std::string y, five;
    for (int n = 0; n < 40; ++n) {
      const double z = 1.4 * std::sin(7.0 * n + 0.3);
      y += fmt::format("{}[{:.4f},{:.4f},{:.4f}]", n == 0 ? "" : ",", 1.5 * z + std::sin(3.1 * n),
                       0.8 * z + std::sin(5.3 * n + 1.0), 0.4 * z + std::sin(9.7 * n + 2.0));
    }
    for (int n = 0, at = 0; n < 5; ++n) {
      const std::size_t end = y.find(']', static_cast<std::size_t>(at)) + 1;
      five = y.substr(0, end);
      at = static_cast<int>(end);
    }
    write("five.json", fmt::format(R"({{"N": 5, "constant": [1,1,1,1,1], "y": [{}]}})", five));
    std::string ones = "1";
    for (int n = 1; n < 40; ++n) ones += ",1";
    write("factors.json", fmt::format(R"({{"N": 40, "constant": [{}], "y": [{}]}})", ones, y));
  }
  void fitted(const std::string& file, std::vector<std::string> words) {
    for (const char* word : {"--seed", "1", "-o"}) words.emplace_back(word);
    words.push_back(at(file));
    words.emplace_back("--quiet");
    ASSERT_EQ(run(std::move(words)), 0) << said();
  }
  // Logarithms of the modes of w and s.
  static std::vector<double> logs_of_modes(const testing::Json& all) {
    std::vector<double> logs;
    for (const testing::Json& row : all.at("mode").items)
      if (row.at("name").text != "lp__") logs.push_back(std::log(row.at("value").value()));
    EXPECT_EQ(logs.size(), 4u);
    return logs;
  }
  std::vector<std::string> factors(std::vector<std::string> more) const {
    std::vector<std::string> all = {
        "approximate", at("factors.stan"), "--data",  at("factors.json"),
        "--method",    "amortized",        "--local", "z"};
    all.insert(all.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--features") == more.end()) {
      all.emplace_back("--features");
      all.emplace_back("y");
    }
    return all;
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

// The posterior of z[n] is normal with a mean linear in y[n], so that the bound with points w and s is the marginal density: the climb
// ends where the marginal program has its mode, computed without z. Planted: the same with a network that reads nothing of y.
TEST_F(Amortized, points_of_factor_analysis_are_the_mode_of_the_marginal_density) {
  const testing::Json marginal = json(
      {"optimize", at("marginal.stan"), "--data", at("factors.json"), "--jacobian", "--seed", "3"});
  const std::vector<double> exact = logs_of_modes(marginal);
  fitted("a.nc", factors({"--point", "w,s", "--hidden", "4"}));
  const std::vector<double> mean = tuned("a.nc", "mean");
  for (std::size_t d = 0; d < 4; ++d) EXPECT_NEAR(mean[d], exact[d], 2e-3) << d;
  EXPECT_NEAR(tuned("a.nc", "bound")[0], tuned("a.nc", "evidence_by_weights")[0], 0.01);
  EXPECT_NEAR(tuned("a.nc", "bound")[0], tuned("a.nc", "eubo")[0], 0.01);
  // z[n] | y[n] ~ N(w'y / (s² + w'w), s² / (s² + w'w)).
  const double square = std::exp(2.0 * exact[3]);
  double length = square;
  for (std::size_t d = 0; d < 3; ++d) length += std::exp(2.0 * exact[d]);
  for (std::size_t n = 0; n < 40; ++n)
    EXPECT_NEAR(tuned("a.nc", "variances")[4 + n] / (square / length), 1.0, 0.01) << n;
  fitted("blind.nc", factors({"--point", "w,s", "--hidden", "0", "--features", "constant"}));
  EXPECT_LT(tuned("blind.nc", "bound")[0], tuned("a.nc", "bound")[0] - 5.0);
}

// By draws weighted to the posterior: the wake phases of points and of the network, of five rows. The weights of a step are those of all rows together.
// The tolerance is a third of the points' posterior standard deviations, 0.3.
TEST_F(Amortized, wake_phases_end_at_the_mode_of_the_marginal_density_too) {
  const std::vector<double> exact = logs_of_modes(json(
      {"optimize", at("marginal.stan"), "--data", at("five.json"), "--jacobian", "--seed", "3"}));
  for (const char* objective : {"eubo", "iwae:20"}) {
    fitted("e.nc", {"approximate", at("factors.stan"),
                    "--data",      at("five.json"),
                    "--method",    "amortized",
                    "--local",     "z",
                    "--features",  "y",
                    "--point",     "w,s",
                    "--hidden",    "0",
                    "--objective", objective,
                    "--tolerance", "0.03",
                    "--max-steps", "8000"});
    for (std::size_t d = 0; d < 4; ++d)
      EXPECT_NEAR(tuned("e.nc", "mean")[d], exact[d], 0.1) << objective << d;
  }
}

// A network that sees nothing of y makes the bound prefer small loadings. Points that climb at refined draws come nearer to the mode: half
// of the distance at least, where ten transitions of five steps make draws nearly those of the posterior.
TEST_F(Amortized, refined_draws_free_points_from_the_gap_of_the_bound) {
  const std::vector<double> exact =
      logs_of_modes(json({"optimize", at("marginal.stan"), "--data", at("factors.json"),
                          "--jacobian", "--seed", "3"}));
  const auto distance_with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = factors(
        {"--point", "w,s", "--hidden", "0", "--features", "constant", "--max-steps", "1500"});
    words.insert(words.end(), more.begin(), more.end());
    fitted("h.nc", std::move(words));
    double sum = 0.0;
    for (std::size_t d = 0; d < 4; ++d) sum += std::abs(tuned("h.nc", "mean")[d] - exact[d]);
    return sum;
  };
  const double by_bound = distance_with({"--optimizer", "adam"});
  EXPECT_GT(by_bound, 0.3);
  EXPECT_LT(distance_with({"--refine", "hmc:10"}), 0.5 * by_bound);
}

// Batches of rows: the likelihood counts N / M times, so that the points are those of all rows. A weight of 1 would move s and w to their priors' modes.
TEST_F(Amortized, batches_of_rows_end_where_all_rows_do) {
  const std::vector<double> exact =
      logs_of_modes(json({"optimize", at("marginal.stan"), "--data", at("factors.json"),
                          "--jacobian", "--seed", "3"}));
  fitted("b.nc",
         factors({"--point", "w,s", "--hidden", "0", "--batch", "40", "--tolerance", "0.03"}));
  for (std::size_t d = 0; d < 4; ++d) EXPECT_NEAR(tuned("b.nc", "mean")[d], exact[d], 0.08) << d;
}

// mu | y ~ N(Σ y / 6, 1 / 6): a linear network learns it from simulations alone. 800 pairs and 6 coefficients: the standard error of the
// mean is √(6 / 800) of a standard deviation, that of the log standard deviation 1 / √1600.
TEST_F(Amortized, simulations_teach_the_posterior_of_a_mean) {
  fitted("s.nc", {"approximate", at("mean.stan"), "--data", at("mean.json"), "--method",
                  "amortized", "--objective", "sleep", "--features", "y", "--hidden", "0"});
  const double sd = std::sqrt(1.0 / 6.0);
  EXPECT_NEAR(tuned("s.nc", "mean")[0], 4.5 / 6.0, 4.5 * sd * std::sqrt(6.0 / 800.0));
  EXPECT_NEAR(0.5 * std::log(tuned("s.nc", "variances")[0] * 6.0), 0.0, 4.5 / 40.0);
  // E log q of pairs that weren't fitted: that of the posterior, less what the fit is off.
  const double best = -0.5 * std::log(2.0 * std::numbers::pi / 6.0) - 0.5;
  EXPECT_NEAR(tuned("s.nc", "held_out")[0], best, 4.5 * std::sqrt(0.5 / 200.0) + 0.02);
}

// Local values by the rows of simulated data, the others by all rows.
TEST_F(Amortized, simulations_teach_local_values_and_the_others) {
  write("rows.stan",
        "data { int N; vector[N] y; } parameters { real mu; vector[N] z; } "
        "model { mu ~ normal(0, 0.5); z ~ normal(0, 1); y ~ normal(mu + z, 0.6); }");
  write("rows.json", R"({"N": 4, "y": [0.4, -1.2, 0.9, 2.0]})");
  fitted("r.nc",
         {"approximate", at("rows.stan"), "--data", at("rows.json"), "--method", "amortized",
          "--objective", "sleep", "--local", "z", "--features", "y", "--hidden", "0"});
  // By itself z[n] | y[n] ~ N(y / 1.61, 1 - 1 / 1.61): the network of a row sees that row alone.
  const std::vector<double> y{0.4, -1.2, 0.9, 2.0};
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_NEAR(tuned("r.nc", "mean")[1 + n], y[n] / 1.61, 0.08) << n;
    EXPECT_NEAR(tuned("r.nc", "variances")[1 + n], 1.0 - 1.0 / 1.61, 0.05) << n;
  }
  const double total = 1.0 / 0.25 + 4.0 / 1.36;  // precision of mu given all y
  EXPECT_NEAR(tuned("r.nc", "mean")[0], 2.1 / 1.36 / total, 0.1);
  EXPECT_NEAR(tuned("r.nc", "variances")[0] * total, 1.0, 0.25);
}

TEST_F(Amortized, rows_that_meet_several_local_values_are_refused) {
  write("walk.stan",
        "data { int N; vector[N] y; } parameters { vector[N] z; } "
        "model { z ~ normal(0, 1); y ~ normal(cumulative_sum(z), 1); }");
  write("turned.stan",
        "data { int N; vector[N] y; } parameters { vector[N] z; } "
        "model { z ~ normal(0, 1); y ~ normal(reverse(z), 1); }");
  const auto refused = [&](const char* program, std::vector<std::string> more,
                           const std::string& why) {
    std::vector<std::string> words{"approximate",   at(program), "--data",
                                   at("mean.json"), "--method",  "amortized"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 2) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  const std::vector<std::string> local{"--local", "z", "--features", "y"};
  refused("walk.stan", local, "row 2 of the likelihood meets z in several rows");
  refused("turned.stan", local, "row 2 of the likelihood meets z in another row");
  refused("mean.stan", local, "there is no parameter 'z'");
  refused("walk.stan", {"--local", "z"}, "the network needs data to read");
  refused("walk.stan", {"--local", "z", "--features", "x"}, "there are no data 'x'");
  refused("mean.stan", {"--local", "mu", "--features", "y"}, "mu is one value");
  refused("mean.stan", {"--auxiliary", "2"}, "shared by local values");
  refused("mean.stan", {"--objective", "sleep", "--features", "N"}, "none of the features");
  refused("mean.stan", {"--point", "mu", "--objective", "sleep", "--features", "y"}, "no points");
  write("pairs.stan",
        "data { int N; vector[N] y; } parameters { array[N] vector[2] z; vector[N] u; } "
        "model { for (n in 1:N) z[n] ~ std_normal(); u ~ std_normal(); "
        "for (n in 1:N) y[n] ~ normal(z[n][1] + z[n][2] + u[n], 1); }");
  const auto layers = [&](const char* program, const char* name, std::vector<std::string> more,
                          const std::string& why) {
    more.insert(more.end(), {"--local", name, "--features", "y"});
    if (std::ranges::find(more, "--layers") == more.end())
      more.insert(more.end(), {"--layers", "iaf:2"});
    refused(program, more, why);
  };
  layers("pairs.stan", "u", {}, "each row has one local value");
  layers("pairs.stan", "z", {"--layers", "affine:2"}, "not by 'affine'");
  layers("pairs.stan", "z", {"--layers", "bent"}, "names no layers");
  layers("pairs.stan", "z", {"--semi", "3"}, "inner steps move normal distributions");
  layers("pairs.stan", "z", {"--auxiliary", "1"}, "those of normal distributions");
  layers("pairs.stan", "z", {"--objective", "eubo"}, "takes scores");
  layers("pairs.stan", "z", {"--optimizer", "lbfgs"}, "steps with estimated gradients");
  layers("pairs.stan", "z", {"--covariance", "low_rank"}, "a full or a diagonal covariance");
  refused("mean.stan", {"--layers", "iaf:2"}, "layers isn't used without local");
}

}  // namespace
}  // namespace credo::cli::amortized_test
