// credo approximate --method ekf: the rows of a program, one after the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rng.hpp"
#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::ekf_test {
namespace {

class Ekf : public testing::CommandRun {
 protected:
  Ekf() : CommandRun("ekf") {}
  std::vector<double> all_of(const std::string& name, std::string_view setting) const {
    const std::string path = at(name);
    const auto fit = open_fit(std::span(&path, 1));
    for (const infer::TunedSetting& one : fit->result().chains[0].tuned)
      if (one.name == setting) return one.values;
    ADD_FAILURE() << name << " has no " << setting;
    return {};
  }
  void filter(const std::string& program, const std::string& data, const std::string& to,
              std::vector<std::string> more = {}) {
    std::vector<std::string> words{"approximate", at(program), "--data",     at(data),   "--method",
                                   "ekf",         "-o",        at(to),       "--chains", "1",
                                   "--draws",     "50",        "--no-check", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
};

constexpr const char* kLine =
    "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; } "
    "model { a ~ normal(1, 2); b ~ normal(0, 3); y ~ normal(a + b * x, 0.5); }";

// Rows as one statement or as a loop; in two parts or at once: the posterior of the linear regression. Planted: another order, with
// process noise.
TEST_F(Ekf, of_a_linear_regression_is_its_posterior) {
  constexpr double kExact = 1e-9;  // of Laplace's curvature and ten updates
  write("line.stan", kLine);
  write("loop.stan",
        "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; } "
        "model { a ~ normal(1, 2); b ~ normal(0, 3); "
        "for (n in 1:N) y[n] ~ normal(a + b * x[n], 0.5); }");
  const std::vector<double> x{-1.0, 0.5, 2.0, 1.0, -0.3, 0.8}, y{0.2, 1.1, 3.9, 2.2, 0.6, 2.0};
  const auto data = [&](std::size_t first, std::size_t count) {
    const auto part = [&](const std::vector<double>& of) {
      const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
    return fmt::format(R"({{"N": {}, "x": {}, "y": {}}})", count, part(x), part(y));
  };
  write("all.json", data(0, 6)), write("one.json", data(0, 2)), write("two.json", data(2, 4));
  double aa = 0.25, ab = 0.0, bb = 1.0 / 9.0, sa = 0.25, sb = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    aa += 4.0, ab += 4.0 * x[n], bb += 4.0 * x[n] * x[n];
    sa += 4.0 * y[n], sb += 4.0 * x[n] * y[n];
  }
  const double det = aa * bb - ab * ab;
  const std::vector<double> right{(bb * sa - ab * sb) / det, (aa * sb - ab * sa) / det, bb / det,
                                  -ab / det, aa / det};
  const auto distance = [&](const std::string& fit) {
    const std::vector<double> mean = all_of(fit, "mean"), spread = all_of(fit, "covariance");
    const std::vector<double> found{mean[0], mean[1], spread[0], spread[1], spread[3]};
    double most = 0.0;
    for (std::size_t k = 0; k < right.size(); ++k)
      most = std::max(most, std::fabs(found[k] - right[k]));
    return most;
  };
  for (const char* program : {"line.stan", "loop.stan"}) {
    filter(program, "all.json", "all.nc");
    EXPECT_LT(distance("all.nc"), kExact) << program;
    filter(program, "one.json", "one.nc");
    filter(program, "two.json", "two.nc", {"--after", at("one.nc")});
    EXPECT_LT(distance("two.nc"), kExact) << program;
  }
  filter("line.stan", "all.json", "noisy.nc", {"--process-noise", "0.01"});
  EXPECT_GT(distance("noisy.nc"), 1e-4);
  filter("line.stan", "all.json", "slow.nc", {"--noise", "1"});
  EXPECT_GT(distance("slow.nc"), 1e-3);
}

// One row: the precision gains the Fisher information at the prior's mean, and the mean moves by the covariance times the score.
TEST_F(Ekf, of_other_outcomes_adds_fisher_information) {
  write("count.stan",
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } "
        "model { a ~ normal(0.3, 1); b ~ normal(-0.2, 0.5); y ~ poisson_log(a + b * x); }");
  write("binary.stan",
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } "
        "model { a ~ normal(0.3, 1); b ~ normal(-0.2, 0.5); y ~ bernoulli_logit(a + b * x); }");
  write("row.json", R"({"N": 1, "x": [1.5], "y": [1]})");
  const double eta = 0.3 - 0.2 * 1.5;
  for (const bool is_count : {true, false}) {
    filter(is_count ? "count.stan" : "binary.stan", "row.json", "r.nc");
    const double mean = is_count ? std::exp(eta) : 1.0 / (1.0 + std::exp(-eta));
    const double information = is_count ? mean : mean * (1.0 - mean), score = 1.0 - mean;
    const double aa = 1.0 + information, ab = 1.5 * information, bb = 4.0 + 2.25 * information;
    const double det = aa * bb - ab * ab;
    const std::vector<double> found = all_of("r.nc", "mean"), spread = all_of("r.nc", "covariance");
    EXPECT_NEAR(spread[0], bb / det, 1e-9);
    EXPECT_NEAR(spread[1], -ab / det, 1e-9);
    EXPECT_NEAR(found[0], 0.3 + (bb - 1.5 * ab) / det * score, 1e-9);
    EXPECT_NEAR(found[1], -0.2 + (1.5 * aa - ab) / det * score, 1e-9);
  }
}

TEST_F(Ekf, keeps_groups_of_parameters_apart) {
  write("line.stan", kLine);
  write("d.json", R"({"N": 3, "x": [1, 2, 3], "y": [1.2, 1.9, 3.2]})");
  filter("line.stan", "d.json", "whole.nc");
  EXPECT_NE(all_of("whole.nc", "covariance")[1], 0.0);
  filter("line.stan", "d.json", "joined.nc", {"--groups", "a+b"});
  EXPECT_EQ(all_of("whole.nc", "covariance"), all_of("joined.nc", "covariance"));
  filter("line.stan", "d.json", "apart.nc", {"--groups", "each"});
  EXPECT_EQ(all_of("apart.nc", "covariance")[1], 0.0);
}

TEST_F(Ekf, refuses_what_has_no_rows_or_no_prior) {
  write("d.json", R"({"N": 3, "x": [1, 2, 3], "y": [1.2, 1.9, 3.2]})");
  const auto refused = [&](const std::string& text, const std::string& why,
                           std::vector<std::string> more = {}) {
    write("p.stan", text);
    std::vector<std::string> words{"approximate", at("p.stan"), "--data", at("d.json"),
                                   "--method",    "ekf",        "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_NE(run(words), 0) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused(
      "data { int N; vector[N] x; vector[N] y; } parameters { real a; } "
      "model { y ~ normal(a * x, 1); }",
      "the prior has no normal approximation");
  refused(
      "data { int N; vector[N] x; vector[N] y; } parameters { real a; } "
      "model { a ~ normal(0, 1); }",
      "no statement adds a density of data");
  refused(
      "data { int N; vector[N] x; vector[N] y; } parameters { real a; real<lower=0> s; } "
      "model { a ~ normal(0, 1); s ~ lognormal(0, 1); y ~ normal(a * x, s); }",
      "rows depend on more than one number", {"--noise", "2"});
}

// h(u) = u - 10 cos u sin u + u³ with noise of standard deviation 3, a network 1-6-1, 200 points in random order. To match: root mean
// square errors of 11.1, 12.9 and 14.1 (quartiles) after 10 rows, of 5.8, 7.1 and 8.4 after 40, of 2.2, 2.7 and 3.3 after 200. Planted: a
// start at weights of 0, from which all units stay alike.
TEST_F(Ekf, of_a_network_learns_a_curve_without_a_step_size) {
  write("network.stan",
        "data { int N; vector[N] u; vector[N] y; } "
        "parameters { vector[6] w; vector[6] b; vector[6] v; real c; } "
        "model { w ~ normal(0, 10); b ~ normal(0, 10); v ~ normal(0, 10); c ~ normal(0, 10); "
        "for (n in 1:N) y[n] ~ normal(c + dot_product(v, tanh(w * u[n] + b)), 3); }");
  const auto curve = [](double u) { return u - 10.0 * std::cos(u) * std::sin(u) + u * u * u; };
  const auto at_grid = [](Index k) { return -3.0 + 6.0 * static_cast<double>(k) / 199.0; };
  const auto error = [&](const std::string& fit) {
    const std::vector<double> x = all_of(fit, "mean");
    double sum = 0.0;
    for (Index k = 0; k < 200; ++k) {
      double value = x[18];
      for (std::size_t j = 0; j < 6; ++j)
        value += x[12 + j] * std::tanh(x[j] * at_grid(k) + x[6 + j]);
      sum += std::pow(value - curve(at_grid(k)), 2) / 200.0;
    }
    return std::sqrt(sum);
  };
  constexpr std::size_t kSeeds = 9;
  std::map<Index, std::vector<double>> errors;
  const auto median = [](std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    Rng rng({.seed = testing::test_seed(1),
             .purpose = purpose::kTest,
             .chain = static_cast<std::uint32_t>(seed)});
    std::vector<double> u, y;
    std::vector<Index> order(200);
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t k = order.size(); k > 1; --k)
      std::swap(order[k - 1],
                order[static_cast<std::size_t>(rng.index_below(static_cast<Index>(k)))]);
    for (const Index k : order)
      u.push_back(at_grid(k)), y.push_back(curve(at_grid(k)) + 3.0 * rng.normal());
    for (const Index count : {10, 40, 200}) {
      write("d.json", fmt::format(R"({{"N": {}, "u": {}, "y": {}}})", count,
                                  std::vector(u.begin(), u.begin() + count),
                                  std::vector(y.begin(), y.begin() + count)));
      filter("network.stan", "d.json", "n.nc",
             {"--process-noise", "1e-4", "--start-sd", "1", "--seed", fmt::format("{}", seed + 1)});
      errors[count].push_back(error("n.nc"));
    }
  }
  // Medians of nine: a third of the quartiles' distance, times three.
  EXPECT_NEAR(median(errors[10]), 12.9, 4.5);
  EXPECT_NEAR(median(errors[40]), 7.1, 3.5);
  EXPECT_NEAR(median(errors[200]), 2.7, 1.4);
  filter("network.stan", "d.json", "zero.nc", {"--process-noise", "1e-4"});
  EXPECT_GT(error("zero.nc"), 6.0);
}

}  // namespace
}  // namespace credo::cli::ekf_test
