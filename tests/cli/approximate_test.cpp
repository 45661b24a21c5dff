// credo approximate, laplace and pathfinder: closed forms, grades, repetition and refusals.
#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::approximate_test {
namespace {

class Approximate : public testing::CommandRun {
 protected:
  Approximate() : CommandRun("approximate") {
    write("normal.stan",
          "parameters { real mu; real<lower=0> s; } "
          "model { mu ~ normal(3, 2); s ~ lognormal(0.5, 0.3); }");
    write("centred.stan",
          "data { int N; vector[N] y; vector[N] sigma; } "
          "parameters { real mu; real<lower=0> tau; vector[N] theta; } "
          "model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); "
          "y ~ normal(theta, sigma); }");
    write(
        "d.json",
        R"({"N": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})");
  }
  void refused(std::vector<std::string> words, const std::string& why) {
    EXPECT_EQ(run(std::move(words)), 2) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  }
  std::unique_ptr<Fit> fit(const std::string& name) const {
    const std::string path = at(name);
    return open_fit(std::span(&path, 1));
  }
  double tuned(const std::string& name, std::string_view setting, std::size_t place = 0) const {
    const auto stored = fit(name);
    for (const infer::TunedSetting& one : stored->result().chains[0].tuned)
      if (one.name == setting) return one.values.at(place);
    ADD_FAILURE() << "no " << setting;
    return 0.0;
  }
};

// The unconstrained values are normal: the mode, the covariance and the evidence (log 1) are exact.
TEST_F(Approximate, of_a_normal_program_is_exact) {
  ASSERT_EQ(run({"laplace", at("normal.stan"), "--seed", "1", "-o", at("l.nc"), "--quiet"}), 0)
      << said();
  EXPECT_NEAR(tuned("l.nc", "mode", 0), 3.0, 1e-6);
  EXPECT_NEAR(tuned("l.nc", "mode", 1), 0.5, 1e-6);
  EXPECT_NEAR(tuned("l.nc", "covariance", 0), 4.0, 1e-8);
  EXPECT_NEAR(tuned("l.nc", "covariance", 3), 0.09, 1e-8);
  EXPECT_NEAR(tuned("l.nc", "covariance", 1), 0.0, 1e-8);
  ASSERT_EQ(run({"approximate", at("normal.stan"), "--seed", "1", "-o", at("n.nc"), "--quiet"}), 0)
      << said();
  EXPECT_NEAR(tuned("n.nc", "mean", 0), 3.0, 1e-4);
  EXPECT_NEAR(tuned("n.nc", "variances", 0), 4.0, 1e-3);
  ASSERT_EQ(run({"pathfinder", at("normal.stan"), "--seed", "1", "-o", at("p.nc"), "--quiet"}), 0)
      << said();
  for (const char* file : {"l.nc", "n.nc", "p.nc"}) {
    EXPECT_EQ(run({"summary", at(file)}), 0) << said();
    EXPECT_EQ(run({"diagnose", at(file)}), 0) << said();
    EXPECT_EQ(printed().find("approximation is poor"), std::string::npos) << file << printed();
  }
}

// A linear regression with flat priors, u = log s: s² = SSE / (N - 1) at the mode, the variance of u is 1 / (2 (N - 1)), that of the
// coefficients s² (X'X)⁻¹, and the two are independent.
TEST_F(Approximate, of_a_linear_regression_is_its_quadratic_approximation) {
  write("line.stan",
        "data { int N; vector[N] x; vector[N] y; } parameters { real a; real b; real<lower=0> s; } "
        "model { y ~ normal(a + b * x, s); }");
  write("line.json", R"({"N": 5, "x": [-2, -1, 0, 1, 2], "y": [-3, -2, 1, 2, 4]})");
  ASSERT_EQ(run({"laplace", at("line.stan"), "--data", at("line.json"), "--seed", "1", "-o",
                 at("r.nc"), "--quiet"}),
            0)
      << said();
  // a = 0.4, b = 1.8; residuals 0.2, -0.6, 0.6, -0.2, 0: SSE = 0.8
  EXPECT_NEAR(tuned("r.nc", "mode", 0), 0.4, 1e-6);
  EXPECT_NEAR(tuned("r.nc", "mode", 1), 1.8, 1e-6);
  EXPECT_NEAR(tuned("r.nc", "mode", 2), 0.5 * std::log(0.2), 1e-6);
  EXPECT_NEAR(tuned("r.nc", "covariance", 0), 0.2 / 5.0, 1e-6);
  EXPECT_NEAR(tuned("r.nc", "covariance", 4), 0.2 / 10.0, 1e-6);
  EXPECT_NEAR(tuned("r.nc", "covariance", 8), 1.0 / 8.0, 1e-6);
  EXPECT_NEAR(tuned("r.nc", "covariance", 2), 0.0, 1e-6);
}

// A funnel is no normal distribution: with --strict that is an exit status, without it only words.
TEST_F(Approximate, of_centred_eight_schools_is_poor) {
  for (const char* command : {"approximate", "pathfinder"}) {
    const std::vector<std::string> words = {command,      at("centred.stan"), "--data",
                                            at("d.json"), "--seed",           "1"};
    EXPECT_EQ(run(words), 0) << said();
    EXPECT_NE(on_one_line(printed()).find("approximation is poor"), std::string::npos)
        << command << printed();
    std::vector<std::string> strict = words;
    strict.push_back("--strict");
    EXPECT_EQ(run(strict), 8) << command << said();
  }
}

// All weights of the draws of one mode are alike: only climbs from elsewhere see the other one, with half of the mass.
TEST_F(Approximate, of_one_of_two_modes_is_poor) {
  write("two.stan",
        "parameters { real x; } "
        "model { target += log_mix(0.5, normal_lpdf(x | -6, 0.5), normal_lpdf(x | 6, 0.5)); }");
  for (const char* command : {"laplace", "approximate"}) {
    EXPECT_EQ(run({command, at("two.stan"), "--seed", "1"}), 0) << said();
    EXPECT_NE(on_one_line(printed()).find("leaves out a mode"), std::string::npos)
        << command << printed();
  }
}

TEST_F(Approximate, is_repeated_by_its_file) {
  const auto bytes = [&](const std::string& name) {
    const auto stored = fit(name);
    return stored->quantities(false, 0, 1);
  };
  ASSERT_EQ(run({"laplace", at("normal.stan"), "--dof", "7", "--seed", "5", "-o", at("a.nc"),
                 "--threads", "1", "--quiet"}),
            0)
      << said();
  ASSERT_EQ(
      run({"approximate", "--like", at("a.nc"), "-o", at("b.nc"), "--threads", "2", "--quiet"}), 0)
      << said();
  const auto a = bytes("a.nc"), b = bytes("b.nc");
  EXPECT_EQ(a(3, 1, 0), b(3, 1, 0));
  EXPECT_EQ(a(900, 3, 0), b(900, 3, 0));
  refused({"sample", "--like", at("a.nc")}, "draws from an approximation");
}

TEST_F(Approximate, is_refused_what_makes_no_sense) {
  const std::string model = at("normal.stan");
  refused({"approximate", model, "--method", "nuts"}, "nuts is no approximation");
  refused({"approximate", model, "--method", "hill"}, "no method 'hill'");
  refused({"sample", model, "--sampler", "laplace"}, "credo approximate --method laplace");
  refused({"optimize", model, "--method", "normal"}, "credo approximate --method normal");
  refused({"laplace", model, "--covariance", "full"}, "this is an option of: normal");
  refused({"pathfinder", model, "--num-paths", "0"}, "--num-paths");
}

}  // namespace
}  // namespace credo::cli::approximate_test
