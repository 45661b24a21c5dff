// Flows, factors and runs in a base space: the programs of examples/texts by credo approximate, sample and evidence.
#include <numbers>

#include "support/share.hpp"
#include "text_examples.hpp"

namespace credo::cli::flow_examples_test {
namespace {

class FlowExamples : public TextExamples {
 protected:
  FlowExamples() : TextExamples("flow_examples") {}
  std::string approximation(const std::string& program, std::vector<std::string> more) {
    const std::string file = at("approximation" + std::to_string(num_++) + ".nc");
    std::vector<std::string> words{"approximate", example("texts/" + program + ".stan"),
                                   "--quiet",     "--no-check",
                                   "-o",          file,
                                   "--seed",      usual_seed()};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    return file;
  }
  static double tuned(const std::string& file, std::string_view name) {
    return values(file, name).at(0);
  }
  static std::vector<double> values(const std::string& file, std::string_view name) {
    const auto fit = open_fit(std::span(&file, 1));
    for (const auto& setting : fit->result().chains.at(0).tuned)
      if (setting.name == name) return setting.values;
    ADD_FAILURE() << "no " << name;
    return {kNaN};
  }
  int num_ = 0;
};

const std::vector<std::string> kShortFlow{"--method",    "flow", "--layers", "iaf:2",
                                          "--hidden",    "8",    "--step",   "0.02",
                                          "--max-steps", "8000", "--draws",  "1000"};

// log Z = 0: the bound is below, and by far above that of the best normal distribution.
TEST_F(FlowExamples, of_a_bent_distribution_have_a_bound_near_its_evidence) {
  const std::string file = approximation("banana", kShortFlow);
  EXPECT_LT(tuned(file, "bound"), 4.0 * tuned(file, "bound_error"));
  EXPECT_GT(tuned(file, "bound"), -0.1);
  EXPECT_LT(tuned(file, "normal_bound"), -0.7);
}

// Draws through the map are the posterior's: moments of the banana are known. The same map as a proposal has the evidence.
LONG_TEST_F(FlowExamples, carry_chains_and_proposals) {
  const std::string flow = approximation("banana", kShortFlow);
  for (const char* base : {"nuts", "independence"}) {
    const std::string file = draw("banana", {"--through", flow, "--sampler", base});
    expect_mean(file, "x", 0.0);
    expect_mean(file, "y", 2.0);
  }
  const std::string file = draw("banana", {"--through", flow, "--sampler", "importance"});
  EXPECT_NEAR(mean_of_setting(file, "log_evidence"), 0.0,
              4.5 * tuned(file, "log_evidence_error") + 0.02);
}

// The result has the map to the bit: a run like it needs no file.
LONG_TEST_F(FlowExamples, are_kept_in_the_results_of_runs_through_them) {
  const std::string flow = approximation("banana", kShortFlow);
  const std::string first = draw("banana", {"--through", flow, "--draws", "50", "--warmup", "50"});
  ASSERT_EQ(std::remove(flow.c_str()), 0);
  const std::string again = at("again.nc");
  ASSERT_EQ(run({"sample", "--like", first, "--quiet", "-o", again}), 0) << said();
  const auto a = open_fit(std::span(&first, 1)), b = open_fit(std::span(&again, 1));
  const auto x = a->quantities(false, first_output(*a), 2),
             y = b->quantities(false, first_output(*b), 2);
  for (Index k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < x.quantity(k).size(); ++i)
      EXPECT_EQ(x.quantity(k)[i], y.quantity(k)[i]);
}

LONG_TEST_F(FlowExamples, are_refused_for_other_programs_and_results) {
  const std::string flow = approximation("banana", kShortFlow);
  EXPECT_EQ(run({"sample", example("texts/funnel.stan"), "--through", flow}), 2);
  EXPECT_NE(said().find("approximation of another program"), std::string::npos) << said();
  const std::string draws = draw("banana", {"--draws", "50", "--warmup", "50"});
  EXPECT_EQ(run({"sample", example("texts/banana.stan"), "--through", draws}), 2);
  EXPECT_NE(said().find("has no distribution"), std::string::npos) << said();
}

// Draws of NUTS as the density of a flow, by those that were held out: higher than by the normal distribution with their moments.
LONG_TEST_F(FlowExamples, of_draws_have_a_higher_density_than_their_normal_distribution) {
  const std::string draws = draw("banana", {});
  const std::string file = approximation(
      "banana", {"--method", "moments", "--from", draws, "--layers", "maf:2", "--hidden", "8"});
  const double entropy = std::log(2.0) + std::log(0.5) + 1.0 + std::log(2.0 * std::numbers::pi);
  EXPECT_LT(tuned(file, "log_density_of_draws"), -entropy + 0.15);  // 800 draws: 0.04 each
  EXPECT_GT(tuned(file, "log_density_of_draws"), -entropy - 0.3);
  EXPECT_LT(tuned(file, "log_density_by_normal"), -entropy - 0.5);
}

// A gamma rate and a share: both posteriors are within the family.
LONG_TEST_F(FlowExamples, of_conjugate_parameters_are_on_their_own_scales) {
  const std::string file = approximation(
      "rate_and_share", {"--data", example("texts/rate_and_share.json"), "--method", "factors"});
  const std::vector<double> expected{2.0 + 19.0, 1.0 + 6.0, 1.0 + 7.0, 2.0 + 3.0,
                                     1.0 + 4.0,  1.0 + 9.0, 1.0 + 2.0};
  const std::vector<double> found = values(file, "factor_parameters");
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], (k < 4 ? 0.002 : 0.2) * expected[k]) << k;  // by 250 draws
  EXPECT_LT(tuned(file, "bound_error"), 0.005);
}

// Rows of an array of simplexes are Dirichlet factors of their own.
TEST_F(FlowExamples, of_arrays_of_simplexes_are_dirichlet_factors) {
  write("shares.stan",
        "data { array[2, 3] int y; } parameters { array[2] simplex[3] p; real<lower=0> rate; } "
        "model { for (j in 1:2) { p[j] ~ dirichlet([1, 2, 3]'); y[j] ~ multinomial(p[j]); } "
        "rate ~ gamma(3, 2); }");
  write("shares.json", R"({"y": [[4, 1, 7], [2, 9, 0]]})");
  const std::string file = at("shares.nc");
  ASSERT_EQ(run({"approximate", at("shares.stan"), "--data", at("shares.json"), "--method",
                 "factors", "--quiet", "--no-check", "-o", file, "--seed", usual_seed()}),
            0)
      << said();
  const std::vector<double> expected{5.0, 3.0, 10.0, 3.0, 11.0, 3.0, 3.0, 2.0};
  EXPECT_EQ(values(file, "factor_kinds"), (std::vector<double>{3.0, 3.0, 1.0}));
  const std::vector<double> found = values(file, "factor_parameters");
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_NEAR(found[k], expected[k], (k < 6 ? 0.2 : 0.002) * expected[k]) << k;
}

// Local vectors whose posteriors are bent: gated steps raise the bound by more than half a nat, and it stays below the evidence: z[n][2] is integrated
// out by hand, z[n][1] by quadrature.
TEST_F(FlowExamples, of_local_vectors_bend_with_their_posteriors) {
  const std::string file =
      approximation("bent_rows", {"--data", example("texts/bent_rows.json"), "--method",
                                  "amortized", "--local", "z", "--features", "y", "--layers",
                                  "iaf:2", "--hidden", "8", "--max-steps", "2000"});
  EXPECT_GT(tuned(file, "bound"), tuned(file, "normal_bound") + 0.5);
  double log_evidence = 0.0;
  for (const double y : numbers(example_data("texts/bent_rows.json").at("y"))) {
    const auto joint = [&](double z) {
      const double variance = 1.0 + 0.4 * 0.4, off = y - z * z;
      return std::exp(-0.5 * z * z - 0.5 * off * off / variance) /
             (2.0 * std::numbers::pi * std::sqrt(variance));
    };
    log_evidence += std::log(integral(joint, -8.0, 8.0));
  }
  EXPECT_LT(tuned(file, "bound"), log_evidence + 4.0 * tuned(file, "bound_error"));
}

// E5: a full distribution and one of rank 1 beside a diagonal have the means and variances of NUTS.
TEST_F(FlowExamples, of_two_classes_agree_with_draws_of_the_posterior) {
  const std::vector<std::string> data{"--data", example("texts/logistic_2d.json")};
  const std::string posterior = draw("logistic_2d", data);
  for (const std::vector<std::string>& shape : {std::vector<std::string>{"--covariance", "full"},
                                                {"--covariance", "low_rank", "--rank", "1"}}) {
    std::vector<std::string> more = data;
    more.insert(more.end(), shape.begin(), shape.end());
    const std::string file = approximation("logistic_2d", more);
    const std::vector<double> means = values(file, "mean"), variances = values(file, "variances");
    std::size_t place = 0;
    for (const char* name : {"w0", "w.1", "w.2"}) {
      const std::vector<double> all = values_of(posterior, name);
      const double n = static_cast<double>(all.size());
      const double mean = std::accumulate(all.begin(), all.end(), 0.0) / n;
      double square = 0.0;
      for (const double v : all) square += (v - mean) * (v - mean) / n;
      EXPECT_NEAR(means[place], mean, 0.15 * std::sqrt(square)) << name << ' ' << shape[1];
      EXPECT_NEAR(variances[place] / square, 1.0, 0.25) << name << ' ' << shape[1];
      ++place;
    }
  }
}

// E6: a diagonal distribution has the means, and variances that are too small where slopes are correlated; a full one agrees.
TEST_F(FlowExamples, of_a_regression_agree_in_means_and_not_in_variances) {
  const std::vector<std::string> data{"--data", example("texts/rugged.json")};
  const auto with = [&](const std::string& covariance) {
    std::vector<std::string> more = data;
    more.insert(more.end(), {"--covariance", covariance});
    return approximation("rugged", more);
  };
  const std::string full = with("full"), diagonal = with("diagonal");
  const auto means = values(full, "mean"), wide = values(full, "variances"),
             thin = values(diagonal, "variances");
  for (std::size_t d = 0; d < means.size(); ++d)
    EXPECT_NEAR(values(diagonal, "mean")[d], means[d], 0.1 * std::sqrt(wide[d])) << d;
  EXPECT_LT(thin[2], 0.5 * wide[2]);  // the African intercept
  const std::string posterior = draw("rugged", data);
  const auto fit = open(posterior);
  for (const char* name : {"a", "b.1", "b.2", "b.3"}) {
    const auto draws = fit->quantities(false, *find_quantity(*fit, name), 1);
    const auto all = draws.quantity(0);
    const double mean =
        std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    double square = 0.0;
    for (const double v : all) square += (v - mean) * (v - mean) / static_cast<double>(all.size());
    const auto place = static_cast<std::size_t>(std::string_view(name) == "a" ? 0 : name[2] - '0');
    EXPECT_NEAR(mean, means[place], 0.15 * std::sqrt(square)) << name;
    EXPECT_NEAR(wide[place] / square, 1.0, 0.2) << name;
  }
}

}  // namespace
}  // namespace credo::cli::flow_examples_test
