// credo approximate --method ep, cvi and adf: figures beside those of other methods, and programs of Gaussian processes.
#include <fmt/format.h>

#include "cli/results.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::sites_test {
namespace {

constexpr double kErrors = 4.5;  // standard errors: 7e-6 for each figure of a right program

class Sites : public testing::CommandRun {
 protected:
  Sites() : CommandRun("sites") {}
  static std::string example(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/examples/" + name;
  }
  std::vector<std::string> of(const std::string& name, std::vector<std::string> more) const {
    std::vector<std::string> words = {"approximate", example(name + ".stan"), "--data"};
    const std::string data = example(name + ".data.json");
    words.push_back(std::ifstream(data).good() ? data : example(name + ".json"));
    more.insert(more.end(), {"--seed", std::to_string(testing::test_seed(1)), "--quiet"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::unique_ptr<Fit> fit(const std::string& name) const {
    const std::string path = at(name);
    return open_fit(std::span(&path, 1));
  }
  std::vector<double> tuned(const std::string& name, std::string_view setting) const {
    const auto stored = fit(name);
    for (const infer::TunedSetting& one : stored->result().chains[0].tuned)
      if (one.name == setting) return one.values;
    ADD_FAILURE() << "no " << setting;
    return {kNaN};
  }
  void refused(std::vector<std::string> words, const std::string& why) {
    EXPECT_EQ(run(std::move(words)), 2) << printed();
    EXPECT_NE(on_one_line(said()).find(why), std::string::npos) << said();
  }
};

// The best normal distribution by the evidence bound is found by a climb on fixed draws, too: bounds agree to the error of its new draws,
// means to a tenth of a standard deviation, which 560 fixed draws give.
TEST_F(Sites, by_expectations_are_the_normal_distribution_with_the_best_bound) {
  ASSERT_EQ(run(of("logistic_regression", {"--method", "cvi", "-o", at("c.nc")})), 0) << said();
  ASSERT_EQ(run(of("logistic_regression", {"--method", "normal", "-o", at("n.nc")})), 0) << said();
  const double bound = tuned("c.nc", "bound")[0];
  EXPECT_NEAR(bound, tuned("n.nc", "bound")[0], kErrors * tuned("n.nc", "bound_error")[0] + 1e-4);
  const std::vector<double> mean = tuned("c.nc", "mean"), other = tuned("n.nc", "mean"),
                            covariance = tuned("c.nc", "covariance"),
                            variances = tuned("n.nc", "variances");
  for (std::size_t d = 0; d < mean.size(); ++d) {
    const double sd = std::sqrt(variances[d]);
    EXPECT_NEAR(mean[d], other[d], 0.1 * sd);
    EXPECT_NEAR(std::sqrt(covariance[d * (mean.size() + 1)]) / sd, 1.0, 0.05);
  }
  EXPECT_EQ(tuned("c.nc", "num_recognised_sites")[0], 80.0);
}

// Against 20,000 draws of NUTS: means to a tenth of a standard deviation (skewness 0.3 moves a normal fit no further), and the evidence against bridge
// sampling from those draws, -43.765 with the error 0.002.
LONG_TEST_F(Sites, of_a_logistic_regression_are_near_draws_of_the_posterior) {
  ASSERT_EQ(run(of("logistic_regression", {"--method", "ep", "-o", at("e.nc")})), 0) << said();
  std::vector<std::string> words = of("logistic_regression", {"--draws", "5000", "-o", at("s.nc")});
  words[0] = "sample";
  ASSERT_EQ(run(words), 0) << said();
  const std::vector<double> mean = tuned("e.nc", "mean"), covariance = tuned("e.nc", "covariance");
  const std::string path = at("s.nc");
  ASSERT_EQ(run({"summary", path, "--json"}), 0);
  const testing::Json rows = testing::parse_json(printed());
  for (std::size_t d = 0; d < 3; ++d) {
    const testing::Json& row = rows.items.at(d + 1);  // lp__ is first
    const double sd = row.at("sd").number, error = row.at("mcse_mean").number;
    EXPECT_NEAR(mean[d], row.at("mean").number, 0.02 * sd + kErrors * error) << d;
    EXPECT_NEAR(std::sqrt(covariance[4 * d]) / sd, 1.0, 0.06) << d;
  }
  EXPECT_NEAR(tuned("e.nc", "site_log_evidence")[0], -43.765, 0.03);
}

TEST_F(Sites, keep_the_course_of_the_rounds) {
  ASSERT_EQ(run(of("logistic_regression", {"--method", "ep", "-o", at("e.nc")})), 0) << said();
  const auto stored = fit("e.nc");
  ASSERT_EQ(stored->tables().size(), 1u);
  EXPECT_EQ(stored->tables()[0].name, "rounds");
  EXPECT_EQ(stored->table_rows(0, 0).size(),
            5 * static_cast<std::size_t>(tuned("e.nc", "num_rounds")[0]));
  ASSERT_EQ(run(of("logistic_regression", {"--method", "adf", "-o", at("a.nc")})), 0) << said();
  EXPECT_EQ(fit("a.nc")->tables()[0].name, "rows");
  const std::vector<double> rows = fit("a.nc")->table_rows(0, 0);
  double sum = 0.0;
  for (std::size_t r = 0; r < rows.size(); r += 3) sum += rows[r];
  EXPECT_NEAR(sum, tuned("a.nc", "site_log_evidence")[0], 1e-9);
}

// Without correlations the predictive densities add up to a score, which isn't called an evidence.
TEST_F(Sites, without_correlations_have_a_score_in_the_place_of_the_evidence) {
  ASSERT_EQ(
      run(of("logistic_regression", {"--method", "adf", "--diagonal", "true", "-o", at("d.nc")})),
      0)
      << said();
  EXPECT_TRUE(std::isfinite(tuned("d.nc", "site_log_score")[0]));
}

// The prior alone has no sites, and is the normal distribution itself: its evidence is log 1.
TEST_F(Sites, of_the_prior_alone_are_none) {
  ASSERT_EQ(run(of("logistic_regression",
                   {"--method", "ep", "--terms", "prior", "--no-check", "-o", at("p.nc")})),
            0)
      << said();
  EXPECT_EQ(tuned("p.nc", "num_sites")[0], 0.0);
  EXPECT_NEAR(tuned("p.nc", "site_log_evidence")[0], 0.0, 1e-9);
}

TEST_F(Sites, that_have_not_settled_are_reported) {
  ASSERT_EQ(
      run(of("logistic_regression", {"--method", "ep", "--max-rounds", "2", "-o", at("e.nc")})), 0);
  EXPECT_NE(on_one_line(printed() + said()).find("hadn't settled after 2 rounds"),
            std::string::npos)
      << printed() << said();
}

// Centred and non-centred Gaussian processes: bounds of cvi are below the evidence that importance weights of its draws give (of 40
// values, to 0.05), and the estimate of ep is nearer.
TEST_F(Sites, of_gaussian_processes_have_bounds_below_the_evidence) {
  for (const std::string name : {"sites/classes", "sites/counts"}) {
    ASSERT_EQ(run(of(name, {"--method", "cvi", "--no-check", "-o", at("c.nc")})), 0) << said();
    ASSERT_EQ(run(of(name, {"--method", "ep", "--no-check", "-o", at("e.nc")})), 0) << said();
    const double bound = tuned("c.nc", "bound")[0],
                 estimate = tuned("e.nc", "site_log_evidence")[0];
    const auto stored = fit("e.nc");
    EXPECT_GT(estimate, bound) << name;
    EXPECT_LT(estimate, bound + 0.5) << name;
    EXPECT_EQ(tuned("c.nc", "num_sites")[0], 40.0);
  }
}

// One value with a prior that is a site, too: moments and evidence of the posterior by sums over a grid.
TEST_F(Sites, of_one_heavy_prior_are_near_its_moments) {
  write("heavy.stan",
        "data { int N; array[N] int y; } parameters { real a; } "
        "model { a ~ cauchy(0, 1); y ~ bernoulli_logit(a); }");
  write("h.json", R"({"N": 3, "y": [0, 1, 1]})");
  double mass = 0.0, mean = 0.0;
  for (double a = -60.0; a <= 60.0; a += 1e-3) {
    const double p = 1.0 / (1.0 + std::exp(-a));
    const double density = p * p * (1.0 - p) / (std::acos(-1.0) * (1.0 + a * a)) * 1e-3;
    mass += density, mean += a * density;
  }
  ASSERT_EQ(run({"approximate", at("heavy.stan"), "--data", at("h.json"), "--method", "ep",
                 "--no-check", "--quiet", "-o", at("h.nc")}),
            0)
      << said();
  EXPECT_NEAR(tuned("h.nc", "mean")[0], mean / mass, 0.05);
  EXPECT_NEAR(tuned("h.nc", "site_log_evidence")[0], std::log(mass), 0.05);
}

TEST_F(Sites, are_refused_where_a_row_or_the_prior_is_none) {
  refused(
      of("linear_regression", {"--method", "ep"}),
      "row 1 of the likelihood depends on more than one linear combination of the unconstrained "
      "values (intercept, slope, sigma)");
  write("funnel.stan",
        "data { int N; array[N] int y; } parameters { real a; real b; } "
        "model { a ~ normal(0, 1);\n b ~ normal(0, exp(a));\n y ~ bernoulli_logit(b); }");
  write("h.json", R"({"N": 3, "y": [0, 1, 1]})");
  refused(
      {"approximate", at("funnel.stan"), "--data", at("h.json"), "--method", "cvi"},
      "the prior of the unconstrained values isn't normal along a, b, nor a product of functions "
      "of single ones");
  EXPECT_NE(said().find("funnel.stan:2:"), std::string::npos) << said();
  refused(of("logistic_regression", {"--method", "ep", "--temperature", "2"}),
          "sites are rows of the likelihood, and the density is a power of the posterior's");
  refused(of("logistic_regression", {"--method", "ep", "--stochastic", "true", "--power", "0.5"}),
          "stochastic");
}

}  // namespace
}  // namespace credo::cli::sites_test
