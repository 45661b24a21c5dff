// credo optimize: closed forms with and without Jacobian, what its files hold, and what begins from them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "results/files/modes.hpp"
#include "support/json_tree.hpp"
#include "support/one_line.hpp"

namespace credo::cli::optimize_test {
namespace {
namespace fs = std::filesystem;
using testing::Json;

class Optimize : public ::testing::Test {
 protected:
  Optimize() { fs::create_directories(folder_); }
  ~Optimize() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    printed_ = ::testing::internal::GetCapturedStdout();
    said_ = on_one_line(::testing::internal::GetCapturedStderr());
    return status;
  }
  // The modes of a program, as JSON.
  Json optimize(const std::string& program, std::vector<std::string> more = {}) {
    write("m.stan", program);
    more.insert(more.begin(), {"optimize", at("m.stan"), "--json", "--seed", "3"});
    EXPECT_EQ(run(more), 0) << said_ << printed_;
    return testing::parse_json(printed_);
  }
  static double value(const Json& all, const std::string& name, const char* what = "value") {
    for (const Json& row : all.at("mode").items)
      if (row.at("name").text == name) return row.at(what).value();
    ADD_FAILURE() << "no " << name;
    return 0.0;
  }
  std::unique_ptr<Fit> fit(const std::string& name) const {
    const std::string path = at(name);
    return open_fit(std::span(&path, 1));
  }
  std::string bytes(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_optimize_" + std::to_string(getpid()));
  std::string printed_, said_;
};

constexpr const char* kGamma = "parameters { real<lower=0> x; } model { x ~ gamma(3, 2); } ";
constexpr const char* kBeta = "parameters { real<lower=0, upper=1> p; } model { p ~ beta(3, 5); }";

// A climb ends within 1.5e-6 standard deviations of the free value.
TEST_F(Optimize, finds_the_modes_of_gamma_and_beta_with_and_without_jacobian) {
  for (const std::string method : {"lbfgs", "newton", "anneal"}) {
    SCOPED_TRACE(method);
    const Json plain = optimize(kGamma, {"--method", method});
    EXPECT_NEAR(value(plain, "x"), 1.0, 2e-6);                   // (a - 1) / b
    EXPECT_NEAR(value(plain, "x", "sd"), std::sqrt(0.5), 1e-5);  // x / sqrt(a - 1)
    const Json free = optimize(kGamma, {"--method", method, "--jacobian"});
    EXPECT_NEAR(value(free, "x"), 1.5, 2e-6);  // a / b
    EXPECT_NEAR(value(free, "x", "sd"), 1.5 / std::sqrt(3.0), 1e-5);
    EXPECT_NEAR(value(optimize(kBeta, {"--method", method}), "p"), 2.0 / 6.0, 2e-6);
    EXPECT_NEAR(value(optimize(kBeta, {"--method", method, "--jacobian"}), "p"), 3.0 / 8.0, 2e-6);
  }
}

// A planted mutant: with the Jacobian turned round the modes are others by far more than the error.
TEST_F(Optimize, would_be_found_out_with_the_jacobian_turned_round) {
  const double with = value(optimize(kGamma, {"--jacobian"}), "x");
  EXPECT_GT(std::fabs(with - 1.0), 0.4);
  EXPECT_NEAR(value(optimize("parameters { real<lower=0> x; } model { x ~ gamma(3, 2); target += "
                             "-2 * log(x); }",
                             {"--jacobian"}),
                    "x"),
              0.5, 2e-6);
}

// y ~ normal(mu, sigma): the mode is the mean and the deviation with divisor n, the standard deviation of
// mu is sigma / sqrt(n), of sigma sigma / sqrt(2 n); of a function of both by the delta method.
TEST_F(Optimize, gives_standard_deviations_of_parameters_and_what_is_made_of_them) {
  write("d.json", R"({"y": [1, 2, 3, 4, 10]})");
  const Json all = optimize(R"(
data { vector[5] y; }
parameters { real mu; real<lower=0> sigma; }
transformed parameters { real ratio = sigma / mu; }
model { y ~ normal(mu, sigma); }
generated quantities { real z = normal_rng(mu, sigma); })",
                            {"--data", at("d.json")});
  const double sigma = std::sqrt(10.0), of_mu = sigma / std::sqrt(5.0),
               of_sigma = sigma / std::sqrt(10.0);
  EXPECT_NEAR(value(all, "mu"), 4.0, 1e-5);
  EXPECT_NEAR(value(all, "sigma"), sigma, 1e-5);
  EXPECT_NEAR(value(all, "mu", "sd"), of_mu, 1e-5);
  EXPECT_NEAR(value(all, "sigma", "sd"), of_sigma, 1e-5);
  EXPECT_NEAR(value(all, "ratio", "sd"), std::hypot(of_sigma / 4.0, sigma * of_mu / 16.0), 1e-5);
  for (const Json& row : all.at("mode").items)
    EXPECT_EQ(row.at("sd").text == "NaN", row.at("name").text == "z");
  EXPECT_TRUE(all.at("sound").truth);
  EXPECT_EQ(all.at("starts").items.size(), 4u);
  for (const Json& start : all.at("starts").items) EXPECT_TRUE(start.at("agrees").truth);
}

// ---- what limits

constexpr const char* kMixture = R"(
data { vector[5] y; }
parameters { ordered[2] mu; vector<lower=0>[2] sigma; }
model { for (n in 1:5) target += log_mix(0.5, normal_lpdf(y[n] | mu[1], sigma[1]),
                                         normal_lpdf(y[n] | mu[2], sigma[2])); })";

TEST_F(Optimize, never_calls_sound_a_mixture_whose_density_has_no_bound) {
  write("d.json", R"({"y": [1, 2, 3, 4, 10]})");
  write("m.stan", kMixture);
  EXPECT_EQ(run({"optimize", at("m.stan"), "--data", at("d.json"), "--starts", "12", "--seed", "1",
                 "--json", "--strict"}),
            8);
  const Json all = testing::parse_json(printed_);
  EXPECT_FALSE(all.at("sound").truth);
  int unbounded = 0;
  for (const Json& start : all.at("starts").items) {
    // The best bounded peak has log density -11.21; what is above has left it.
    const bool is_high = start.at("log_density").value() > -10.0;
    EXPECT_FALSE(is_high && start.at("converged").truth);
    unbounded += is_high;
  }
  EXPECT_GT(unbounded, 0);
  EXPECT_NE(all.at("limits").text.find("without bound"), std::string::npos);
}

TEST_F(Optimize, says_what_has_no_maximum_and_what_is_flat) {
  const Json away = optimize("parameters { real b; } model { target += log_inv_logit(b); }");
  EXPECT_FALSE(away.at("sound").truth);
  EXPECT_NE(away.at("limits").text.find("levels off along the unconstrained values of b"),
            std::string::npos);
  const Json flat = optimize(
      "parameters { real a; real b; real c; } model { a + b ~ normal(0, 1); "
      "c ~ normal(0, 1); }");
  EXPECT_FALSE(flat.at("sound").truth);
  EXPECT_NE(flat.at("limits").text.find("along a, b:"), std::string::npos)
      << flat.at("limits").text;
}

// ---- files

TEST_F(Optimize, writes_modes_that_are_read_back_as_modes_and_no_sample) {
  write("m.stan", kGamma);
  ASSERT_EQ(run({"optimize", at("m.stan"), "-o", at("a.nc"), "--quiet"}), 0) << said_;
  const auto modes = fit("a.nc");
  EXPECT_TRUE(results::holds_modes(*modes));
  EXPECT_EQ(modes->num_draws(false), 1);
  EXPECT_EQ(modes->num_chains(), 4);
  EXPECT_NEAR(modes->quantities(false, *find_quantity(*modes, "x"), 1)(0, 2, 0), 1.0, 2e-6);
  ASSERT_EQ(run({"summary", at("a.nc")}), 0) << said_;
  EXPECT_NE(printed_.find("4 of 4 starts"), std::string::npos);
  EXPECT_EQ(printed_.find("r_hat"), std::string::npos);
  EXPECT_EQ(run({"diagnose", at("a.nc")}), 2);
  EXPECT_NE(said_.find("no sample to judge"), std::string::npos);
  ASSERT_EQ(run({"optimize", at("m.stan"), "-o", at("c"), "--quiet"}), 0) << said_;
  EXPECT_TRUE(results::holds_modes(*fit("c_2.csv")));
}

TEST_F(Optimize, is_repeated_to_the_byte_by_like_and_by_its_specification) {
  write("m.stan", kGamma);
  ASSERT_EQ(run({"optimize", at("m.stan"), "--jacobian", "--starts", "3", "--history", "4", "-o",
                 at("a.nc"), "--quiet"}),
            0);
  ASSERT_EQ(run({"optimize", "--like", at("a.nc"), "-o", at("b.nc"), "--quiet"}), 0) << said_;
  EXPECT_EQ(bytes("a.nc"), bytes("b.nc"));
  ASSERT_EQ(run({"optimize", "--like", at("a.nc"), "--print-spec"}), 0);
  write("spec.json", printed_);
  ASSERT_EQ(run({"run", at("spec.json"), "-o", at("c.nc"), "--quiet"}), 0) << said_;
  EXPECT_EQ(bytes("a.nc"), bytes("c.nc"));
  ASSERT_EQ(run({"optimize", "--like", at("a.nc"), "--no-jacobian", "-o", at("d.nc"), "--quiet"}),
            0);
  EXPECT_NEAR(fit("d.nc")->quantities(false, first_output(*fit("d.nc")), 1)(0, 0, 0), 1.0, 2e-6);
}

// ---- what begins from results

constexpr const char* kTwo =
    "parameters { real mu; vector<lower=0>[2] s; } model { mu ~ normal(3, 2); s ~ gamma(3, 2); }";

TEST_F(Optimize, gives_other_runs_a_point_and_a_metric_which_their_results_keep) {
  write("m.stan", kTwo);
  ASSERT_EQ(run({"optimize", at("m.stan"), "--jacobian", "-o", at("mode.nc"), "--quiet"}), 0);
  ASSERT_EQ(
      run({"sample", at("m.stan"), "--init", at("mode.nc"), "--inv-metric", at("mode.nc"),
           "--metric", "dense_e", "--warmup", "0", "--draws", "30", "-o", at("a.nc"), "--quiet"}),
      0)
      << said_;
  const infer::ChainResult chain = fit("a.nc")->result().chains[3];
  const std::vector<double> mode = {3.0, std::log(1.5), std::log(1.5)};
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(chain.initial_point[d], mode[d], 4e-6);
  ASSERT_EQ(chain.inv_metric.size(), 9u);
  EXPECT_NEAR(chain.inv_metric[0], 4.0, 1e-5);
  EXPECT_NEAR(chain.inv_metric[4], 1.0 / 3.0, 1e-5);
  fs::remove(folder_ / "mode.nc");  // the result has what it needs of it
  ASSERT_EQ(run({"sample", "--like", at("a.nc"), "-o", at("b.nc"), "--quiet"}), 0) << said_;
  EXPECT_EQ(bytes("a.nc"), bytes("b.nc"));
}

TEST_F(Optimize, begins_chains_at_the_last_draws_of_others_and_spreads_where_there_are_fewer) {
  write("m.stan", kTwo);
  ASSERT_EQ(
      run({"sample", at("m.stan"), "--chains", "2", "--draws", "10", "-o", at("a.nc"), "--quiet"}),
      0);
  ASSERT_EQ(run({"sample", at("m.stan"), "--init", at("a.nc"), "--inv-metric", at("a.nc"),
                 "--chains", "4", "--warmup", "0", "--draws", "5", "-o", at("b.nc"), "--quiet"}),
            0)
      << said_;
  const auto from = fit("a.nc"), to = fit("b.nc");
  const Index mu = *find_quantity(*from, "mu");
  const density::Draws draws = from->quantities(false, mu, 1);
  const auto begun = [&](std::size_t c) { return to->result().chains[c].initial_point[0]; };
  EXPECT_EQ(begun(0), draws(9, 0, 0));
  EXPECT_EQ(begun(1), draws(9, 1, 0));
  EXPECT_EQ(begun(2), draws(4, 0, 0));
  EXPECT_EQ(begun(3), draws(4, 1, 0));
  EXPECT_EQ(to->result().chains[2].inv_metric, from->result().chains[0].inv_metric);
  EXPECT_EQ(run({"sample", "--like", at("b.nc"), "--chains", "7", "--quiet"}), 2);
  EXPECT_NE(said_.find("4 points"), std::string::npos) << said_;
}

TEST_F(Optimize, refuses_what_does_not_fit) {
  const auto refused = [&](std::vector<std::string> words, int status,
                           const std::string& words_of) {
    EXPECT_EQ(run(words), status) << words_of;
    EXPECT_NE(said_.find(words_of), std::string::npos) << said_;
  };
  write("m.stan", kTwo);
  write("other.stan", "parameters { real mu; real<lower=0> tau; } model { tau ~ gamma(3, 2); }");
  write("sizes.stan", "parameters { real mu; vector<lower=0>[3] s; } model { s ~ gamma(3, 2); }");
  ASSERT_EQ(run({"optimize", at("m.stan"), "-o", at("a.nc"), "--quiet"}), 0);
  ASSERT_EQ(run({"sample", at("m.stan"), "-o", at("s.nc"), "--draws", "20", "--quiet"}), 0);
  ASSERT_EQ(run({"sample", at("m.stan"), "--sampler", "slice", "-o", at("slice.nc"), "--quiet"}),
            0);
  refused({"sample", at("other.stan"), "--init", at("a.nc")}, 4, "no unconstrained value 'tau'");
  refused({"sample", at("other.stan"), "--init", at("s.nc")}, 4, "no parameter 'tau'");
  refused({"sample", at("sizes.stan"), "--init", at("s.nc")}, 4, "'s' is [2] in the result");
  refused({"sample", at("other.stan"), "--inv-metric", at("s.nc")}, 4,
          "no unconstrained value 'tau'");
  refused({"sample", at("m.stan"), "--inv-metric", at("slice.nc")}, 4, "no inverse metric");
  refused({"sample", at("m.stan"), "--init", at("a.nc"), "-o", at("a.nc")}, 2, "it would be");
  refused({"sample", at("m.stan"), "--sampler", "lbfgs"}, 2, "climbs to a mode");
  refused({"sample", "--like", at("a.nc")}, 2, "climbs to a mode");
  refused({"optimize", at("m.stan"), "--method", "nuts"}, 2, "climbs to no mode");
  refused({"optimize", at("m.stan"), "--method", "hill"}, 2, "no method 'hill'");
  refused({"optimize", "--like", at("s.nc")}, 2, "climbs to no mode");
  refused({"optimize", at("m.stan"), "--jacobian", "--no-jacobian"}, 2, "exclude each other");
  refused({"optimize", at("m.stan"), "--starts", "0"}, 2, "--starts");
  refused({"optimize", at("m.stan"), "--tolerance", "-1"}, 2, "--tolerance");
  refused({"optimize", at("m.stan"), "--method", "newton", "--inv-metric", at("a.nc")}, 2,
          "no metric to start from");
  write(
      "d.stan",
      "parameters { real x; array[3] int<lower=0, upper=1> k; } model { x ~ normal(sum(k), 1); k ~ "
      "bernoulli(0.3); }");
  refused({"optimize", at("d.stan"), "--discrete", "gibbs"}, 2, "discrete");
  write("ode.stan", R"(
functions { vector f(real t, vector y, real k) { return -k * y; } }
parameters { real<lower=0> k; }
model { array[1] vector[1] y = ode_rk45(f, [1.0]', 0, {1.0}, k); y[1, 1] ~ normal(0.5, 0.1); k ~ gamma(2, 2); })");
  refused({"optimize", at("ode.stan"), "--method", "newton"}, 2, "second derivatives");
  EXPECT_EQ(run({"optimize", at("ode.stan")}), 0) << said_;  // by differences of gradients
}

}  // namespace
}  // namespace credo::cli::optimize_test
