// credo approximate --method normal: fixed points of online problems, natural gradients and tempered divergences, against quadrature and
// closed forms.
#include <fmt/format.h>

#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::online_steps_test {
namespace {

class OnlineSteps : public testing::CommandRun {
 protected:
  OnlineSteps() : CommandRun("online_steps") {
    write("one.stan",
          "data { int N; array[N] int y; } parameters { real a; } "
          "model { a ~ normal(0.2, 0.7); y ~ bernoulli_logit(a); }");
    write("one.json", R"({"N": 3, "y": [1, 1, 0]})");
  }
  std::vector<double> all_of(const std::string& name, std::string_view setting) const {
    const std::string path = at(name);
    const auto fit = open_fit(std::span(&path, 1));
    for (const infer::TunedSetting& one : fit->result().chains[0].tuned)
      if (one.name == setting) return one.values;
    ADD_FAILURE() << name << " has no " << setting;
    return {};
  }
  void fit(const std::string& program, const std::string& data, const std::string& to,
           std::vector<std::string> more) {
    std::vector<std::string> words{"approximate", at(program), "--data",     at(data),
                                   "--method",    "normal",    "-o",         at(to),
                                   "--chains",    "1",         "--draws",    "50",
                                   "--seed",      "1",         "--no-check", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// E f(m + s ε, ε) by the trapezoidal rule, whose error is far below the tolerances.
double expected(double m, double s, const std::function<double(double, double)>& f) {
  constexpr int kPoints = 2000;
  double sum = 0.0;
  for (int k = 0; k <= kPoints; ++k) {
    const double e = -8.0 + 16.0 * k / kPoints;
    sum += std::exp(-0.5 * e * e) * f(m + s * e, e);
  }
  return sum * 16.0 / kPoints / std::sqrt(2.0 * 3.14159265358979323846);
}

struct Member {
  double mean, sd;
};

// A round of the diagonal fixed point for outcomes of which `ones` are 1, from q, with the prior p.
Member bgd_round(const Member& p, const Member& q, double ones, double count) {
  const auto slope = [&](double x) { return count * logistic(x) - ones; };
  const double e1 = expected(q.mean, q.sd, [&](double x, double) { return slope(x); });
  const double e2 = expected(q.mean, q.sd, [&](double x, double e) { return slope(x) * e; });
  const double half = 0.5 * p.sd * e2;
  return {p.mean - p.sd * p.sd * e1, p.sd * (std::sqrt(1.0 + half * half) - half)};
}

constexpr double kOfDraws = 0.004;  // 4,000 pairs of a slope that varies by 0.15 beside its line

// One step for all rows; a step for each row; the fixed point. In one dimension foovb has the same ones. Planted: the steps of each other.
TEST_F(OnlineSteps, of_one_value_are_those_of_quadrature) {
  const Member prior{0.2, 0.7};
  const Member step = bgd_round(prior, prior, 2.0, 3.0);
  Member rows = prior, fixed = prior;
  for (const double y : {1.0, 1.0, 0.0}) rows = bgd_round(rows, rows, y, 1.0);
  for (int k = 0; k < 60; ++k) fixed = bgd_round(prior, fixed, 2.0, 3.0);
  for (const char* optimizer : {"bgd", "foovb"}) {
    const auto distance = [&](const Member& to, std::vector<std::string> more) {
      more.insert(more.end(), {"--optimizer", optimizer, "--step-draws", "8000"});
      fit("one.stan", "one.json", "o.nc", more);
      return std::max(std::fabs(all_of("o.nc", "mean")[0] - to.mean),
                      std::fabs(std::sqrt(all_of("o.nc", "variances")[0]) - to.sd));
    };
    EXPECT_LT(distance(step, {}), kOfDraws) << optimizer;
    EXPECT_LT(distance(rows, {"--batch", "1"}), 3.0 * kOfDraws) << optimizer;
    EXPECT_LT(distance(fixed, {"--fixed-points", "60"}), kOfDraws) << optimizer;
    EXPECT_GT(distance(rows, {}), 3.0 * kOfDraws) << optimizer;
    EXPECT_GT(distance(fixed, {}), 3.0 * kOfDraws) << optimizer;
  }
  fit("one.stan", "one.json", "half.nc",
      {"--optimizer", "bgd", "--step-draws", "8000", "--learning-rate", "0.5"});
  EXPECT_NEAR(all_of("half.nc", "mean")[0], 0.5 * (prior.mean + step.mean), kOfDraws);
}

// At the fixed point of a full covariance S⁻¹ = V⁻¹ + E[∇²ℓ] and m = m₀ - V E[∇ℓ], by quadrature in two dimensions. Planted: the diagonal
// one, and the prior.
TEST_F(OnlineSteps, of_a_full_covariance_go_to_the_stationary_point) {
  write("two.stan",
        "data { int N; matrix[N, 2] x; array[N] int y; } parameters { vector[2] b; } "
        "model { b ~ normal(0.1, 0.8); y ~ bernoulli_logit(x * b); }");
  write(
      "two.json",
      R"({"N": 5, "x": [[1, 0.5], [0.8, -0.2], [0.3, 0.9], [0.7, 0.7], [-0.4, 0.6]], "y": [1, 0, 1, 1, 0]})");
  const std::vector<std::array<double, 2>> x{
      {1.0, 0.5}, {0.8, -0.2}, {0.3, 0.9}, {0.7, 0.7}, {-0.4, 0.6}};
  const std::vector<double> y{1.0, 0.0, 1.0, 1.0, 0.0};
  const auto residual = [&](const std::string& name, bool is_full) {
    const std::vector<double> m = all_of(name, "mean");
    std::vector<double> s;
    if (is_full) {
      s = all_of(name, "covariance");
    } else {
      const std::vector<double> v = all_of(name, "variances");
      s = {v[0], 0.0, 0.0, v[1]};
    }
    const double l0 = std::sqrt(s[0]), l1 = s[1] / l0, l2 = std::sqrt(s[3] - l1 * l1);
    std::array<double, 2> slope{};
    std::array<double, 3> bend{};
    for (int i = 0; i <= 120; ++i)
      for (int k = 0; k <= 120; ++k) {
        const double e = -6.0 + 0.1 * i, f = -6.0 + 0.1 * k;
        const double w = 0.01 * std::exp(-0.5 * (e * e + f * f)) / (2.0 * 3.14159265358979);
        for (std::size_t n = 0; n < x.size(); ++n) {
          const double at = x[n][0] * (m[0] + l0 * e) + x[n][1] * (m[1] + l1 * e + l2 * f);
          const double p = logistic(at);
          for (const std::size_t d : {0u, 1u}) slope[d] += w * (p - y[n]) * x[n][d];
          bend[0] += w * p * (1.0 - p) * x[n][0] * x[n][0];
          bend[1] += w * p * (1.0 - p) * x[n][0] * x[n][1];
          bend[2] += w * p * (1.0 - p) * x[n][1] * x[n][1];
        }
      }
    const double v = 0.64, det = s[0] * s[3] - s[1] * s[2];
    return std::max({std::fabs(m[0] - (0.1 - v * slope[0])), std::fabs(m[1] - (0.1 - v * slope[1])),
                     std::fabs(s[3] / det - (1.0 / v + bend[0])), std::fabs(-s[1] / det - bend[1]),
                     std::fabs(s[0] / det - (1.0 / v + bend[2]))});
  };
  const std::vector<std::string> more = {"--step-draws", "8000", "--fixed-points", "60"};
  const auto with = [&](const std::string& optimizer) {
    std::vector<std::string> words = more;
    words.insert(words.end(), {"--optimizer", optimizer});
    return words;
  };
  fit("two.stan", "two.json", "full.nc", with("foovb"));
  EXPECT_LT(residual("full.nc", true), 0.02);
  fit("two.stan", "two.json", "diagonal.nc", with("bgd"));
  EXPECT_GT(residual("diagonal.nc", false), 0.05);
  fit("two.stan", "two.json", "step.nc", {"--step-draws", "8000", "--optimizer", "foovb"});
  EXPECT_GT(residual("step.nc", true), 0.03);
}

// With λ times the precision in the divergence the variance stays, and the mean is that of a prior with λ times the precision.
TEST_F(OnlineSteps, of_a_tempered_divergence_hold_the_mean) {
  write("mean.stan",
        "data { int N; vector[N] y; } parameters { real mu; } "
        "model { mu ~ normal(1, 2); y ~ normal(mu, 3); }");
  write("first.json", R"({"N": 2, "y": [4.0, 7.0]})");
  write("second.json", R"({"N": 3, "y": [0.0, -1.0, 2.0]})");
  fit("mean.stan", "first.json", "m.nc", {"--temper", "3"});
  const double mean = (0.75 + 11.0 / 9.0) / (0.75 + 2.0 / 9.0), precision = 0.25 + 2.0 / 9.0;
  EXPECT_NEAR(all_of("m.nc", "mean")[0], mean, 1e-4);
  EXPECT_NEAR(1.0 / all_of("m.nc", "variances")[0], precision, 1e-4);
  fit("mean.stan", "second.json", "n.nc",
      {"--after", at("m.nc"), "--temper", "3", "--beta", "0.5"});
  const double later = 3.0 * precision, weight = 2.0 / 9.0;
  EXPECT_NEAR(all_of("n.nc", "mean")[0], (later * mean + weight) / (later + 3.0 * weight), 1e-3);
  EXPECT_NEAR(1.0 / all_of("n.nc", "variances")[0], precision + 3.0 * weight, 1e-3);
}

TEST_F(OnlineSteps, by_natural_gradients_end_where_the_others_do) {
  write("logit.stan",
        "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } "
        "model { a ~ normal(0, 2); b ~ normal(0, 2); y ~ bernoulli_logit(a + b * x); }");
  write("logit.json",
        R"({"N": 8, "x": [-1, -0.5, 0, 0.5, 1, 1.5, 2, -2], "y": [0, 1, 0, 1, 1, 0, 1, 0]})");
  for (const char* shape : {"full", "diagonal"}) {
    fit("logit.stan", "logit.json", "l.nc", {"--covariance", shape});
    fit("logit.stan", "logit.json", "n.nc", {"--covariance", shape, "--optimizer", "natural"});
    for (const std::size_t d : {0u, 1u}) {
      const double variance = all_of("l.nc", "variances")[d];
      EXPECT_NEAR(all_of("n.nc", "mean")[d], all_of("l.nc", "mean")[d], 0.05 * std::sqrt(variance))
          << shape;
      EXPECT_NEAR(all_of("n.nc", "variances")[d] / variance, 1.0, 0.1) << shape;
    }
  }
}

TEST_F(OnlineSteps, refuse_options_without_effect) {
  const auto refused = [&](std::vector<std::string> more, const std::string& why) {
    std::vector<std::string> words{"approximate", at("one.stan"), "--data", at("one.json")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 2) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  };
  refused({"--optimizer", "foovb", "--covariance", "diagonal"}, "foovb has a full covariance");
  refused({"--optimizer", "bgd", "--gradient", "score"}, "leave out --objective and --gradient");
  refused({"--learning-rate", "0.5"}, "optimizer");
  refused({"--optimizer", "adam", "--temper", "2"}, "leave out --temper");
  write("none.stan", "parameters { real a; } model { a ~ normal(0, 1); }");
  EXPECT_NE(run({"approximate", at("none.stan"), "--optimizer", "bgd"}), 0);
}

}  // namespace
}  // namespace credo::cli::online_steps_test
