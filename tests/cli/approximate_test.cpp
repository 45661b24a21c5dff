// credo approximate, laplace and pathfinder: closed forms, grades, repetition and refusals.
#include <fmt/format.h>

#include <filesystem>

#include "cli/results.hpp"
#include "infer/variational/climbs/climb_stochastic.hpp"
#include "infer/variational/fits/named_blocks.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"
#include "support/share.hpp"
#include "support/text_model.hpp"

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

// To the power 1/4: 4 times the variances, and of the logarithm u of s the mean 0.5 + 0.36 (1 - 1/4), since the Jacobian keeps its
// power.
TEST_F(Approximate, of_a_power_of_the_density_is_wider) {
  for (const char* method : {"laplace", "normal"}) {
    ASSERT_EQ(run({"approximate", at("normal.stan"), "--method", method, "--temperature", "4",
                   "--seed", "1", "-o", at("w.nc"), "--quiet"}),
              0)
        << said();
    const bool is_laplace = std::string_view(method) == "laplace";
    EXPECT_NEAR(tuned("w.nc", is_laplace ? "mode" : "mean", 1), 0.5 + 0.75 * 0.36, 1e-3);
    EXPECT_NEAR(tuned("w.nc", is_laplace ? "covariance" : "variances", 0), 16.0, 0.02);
    EXPECT_NE(on_one_line(printed()).find("to the power"), std::string::npos) << printed();
    EXPECT_EQ(run({"diagnose", at("w.nc")}), 0) << said();
    EXPECT_EQ(run({"report", at("w.nc"), "-o", at("w.html")}), 0) << said();
  }
}

// Above 200 values the covariance has a low rank: x given m are independent, and m has the mean 2/3 and the variance 2/3, which is
// that of one direction of all values. Fixed draws that leave directions out would give m no variance.
TEST_F(Approximate, of_three_hundred_values_is_exact_with_one_direction) {
  write("many.stan",
        "parameters { vector[300] x; real m; } "
        "model { m ~ normal(0, 1); x ~ normal(m, 1); x[1] ~ normal(2, 1); }");
  ASSERT_EQ(run({"approximate", at("many.stan"), "--seed", "1", "-o", at("m.nc"), "--quiet"}), 0)
      << said();
  EXPECT_NEAR(tuned("m.nc", "mean", 300), 2.0 / 3.0, 0.02);
  EXPECT_NEAR(tuned("m.nc", "variances", 300), 2.0 / 3.0, 0.05);
  EXPECT_EQ(printed().find("poor"), std::string::npos) << printed();
}

// Nobody can draw from the prior of a statement whose outcome is made of data and parameters: climbs begin elsewhere, and the draws are
// graded.
TEST_F(Approximate, begins_elsewhere_without_a_prior_of_its_own) {
  write("mixed.stan",
        "data { int N; vector[N] y; vector[N] sigma; } parameters { real a; } "
        "model { vector[N] e = y - a; a ~ normal(0, 5); e ~ normal(0, sigma); }");
  for (const char* method : {"laplace", "normal", "pathfinder"}) {
    ASSERT_EQ(run({"approximate", at("mixed.stan"), "--data", at("d.json"), "--method", method,
                   "--seed", "1", "-o", at("e.nc"), "--quiet"}),
              0)
        << method << said();
    EXPECT_EQ(printed().find("is refused where"), std::string::npos) << method << printed();
    ASSERT_EQ(run({"diagnose", at("e.nc"), "--json"}), 0) << said();
    EXPECT_NE(printed().find("\"pareto_k\""), std::string::npos) << method << printed();
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

// y = 2 w + 1 of 80 rows that a sine makes, with 4 of them left out of any pattern by a logistic link: nearly normal.
class LogisticRows : public Approximate {
 protected:
  LogisticRows() {
    write("logistic.stan",
          "data { int N; vector[N] x; array[N] int y; } parameters { real a; real b; } "
          "model { a ~ normal(0, 2.5); b ~ normal(0, 2.5); y ~ bernoulli_logit(a + b * x); }");
    std::string x, y;
    for (int n = 0; n < 80; ++n) {
      const double at = 2.0 * std::sin(7.0 * n);
      x += fmt::format("{}{:.4f}", n == 0 ? "" : ",", at);
      y += fmt::format("{}{}", n == 0 ? "" : ",", at + std::sin(11.0 * n) > 0.3 ? 1 : 0);
    }
    write("logistic.json", fmt::format(R"({{"N": 80, "x": [{}], "y": [{}]}})", x, y));
  }
  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all = {"approximate", at("logistic.stan"), "--data",
                                    at("logistic.json")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

// Pareto k of these draws is 0.7 to 1.1, and 95 % of them are effective: no seed may be called poor. Nothing speaks of chains.
TEST_F(LogisticRows, of_a_logistic_regression_are_not_poor) {
  for (const char* seed : {"1", "2", "3", "4"}) {
    ASSERT_EQ(run(words({"--seed", seed, "--strict"})), 0) << printed();
    EXPECT_EQ(printed().find("poor"), std::string::npos) << printed();
    for (const char* word : {"chain", "R-hat", "r_hat", "transition"})
      EXPECT_EQ(printed().find(word), std::string::npos) << word << '\n' << printed();
  }
}

// Steps by batches of rows end at the fit by all rows; without an effect of the batches' weights the posterior would be that of a fifth
// of the rows, with standard deviations that are twice as large.
TEST_F(LogisticRows, are_fitted_in_batches_as_by_all_rows) {
  ASSERT_EQ(run(words({"--seed", "1", "-o", at("all.nc"), "--quiet"})), 0) << said();
  ASSERT_EQ(run(words({"--method", "normal", "--batch", "16", "--seed", "1", "-o", at("b.nc"),
                       "--quiet"})),
            0)
      << said();
  for (std::size_t d = 0; d < 2; ++d) {
    const double sd = std::sqrt(tuned("all.nc", "variances", d));
    EXPECT_NEAR(tuned("b.nc", "mean", d), tuned("all.nc", "mean", d), 0.2 * sd);
    EXPECT_NEAR(std::sqrt(tuned("b.nc", "variances", d)) / sd, 1.0, 0.15);
  }
  refused(words({"--method", "normal", "--batch", "100"}), "batches have 100 rows");
  refused(words({"--method", "normal", "--batch", "16", "--objective", "chi2"}),
          "batch isn't used with objective chi2");
}

// A density of batches whose rows count once, and not N / M times.
class UnweightedBatches final : public density::LogDensity {
 public:
  explicit UnweightedBatches(const density::LogDensity& of) : of_(of) {}
  Index dimension() const override { return of_.dimension(); }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status& status) const override {
    return of_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    class Unweighted final : public density::Evaluator {
     public:
      explicit Unweighted(std::unique_ptr<density::Evaluator> by) : by_(std::move(by)) {}
      void evaluate(density::Want want, std::span<density::Request* const> batch) override {
        for (density::Request* request : batch) request->weight = 1.0;
        by_->evaluate(want, batch);
      }

     private:
      std::unique_ptr<density::Evaluator> by_;
    };
    return std::make_unique<Unweighted>(of_.make_evaluator());
  }

 private:
  const density::LogDensity& of_;
};

// 100 rows y ~ N(mu, 1) of mean 2 and a prior N(0, 10²): the posterior has the mean 200 / 100.01 and the standard deviation
// 0.1. Planted: rows without their weight N / M.
TEST(batches_of_rows, are_weighted_so_that_the_posterior_is_that_of_all_rows) {
  std::string y;
  for (int n = 0; n < 100; ++n) y += fmt::format("{}{}", n == 0 ? "" : ",", 1.0 + 2.0 * (n % 2));
  const auto model = model::model_from(
      "data { int N; vector[N] y; } parameters { real mu; } "
      "model { mu ~ normal(0, 10); y ~ normal(mu, 1); }",
      fmt::format(R"({{"N": 100, "y": [{}]}})", y));
  const auto batches = infer::density_of_batches(*model, 10);
  const infer::Objective elbo = infer::parse_objective("elbo");
  const auto is_right = [&](const density::LogDensity& density) {
    const infer::BoundOptions own{.optimizer = "adam", .batch = 10, .max_steps = 6000, .seed = 1};
    const auto family = infer::make_full_normal({.mean = {1.5}, .covariance = {0.04}});
    infer::climb_stochastic({density, 100, elbo, infer::find_estimator("stl", elbo), own}, *family);
    return std::abs(family->mean()[0] - 200.0 / 100.01) < 0.03 &&
           std::abs(std::sqrt(family->variances()[0]) / 0.1 - 1.0) < 0.1;
  };
  EXPECT_TRUE(is_right(*batches));
  EXPECT_FALSE(is_right(UnweightedBatches(*batches)));
}

LONG_TEST_F(Approximate, compares_all_methods_with_draws_of_the_posterior) {
  ASSERT_EQ(run({"approximate", at("normal.stan"), "--method", "all", "--seed", "1", "--json"}), 0)
      << said();
  const std::string table = printed();
  for (const char* name : {"laplace", "normal, full", "normal, low_rank", "pathfinder"})
    EXPECT_NE(table.find(name), std::string::npos) << table;
  EXPECT_EQ(table.find("poor"), std::string::npos) << table;
  ASSERT_EQ(run({"approximate", at("centred.stan"), "--data", at("d.json"), "--method", "all",
                 "--seed", "1"}),
            0)
      << said();
  EXPECT_NE(printed().find("poor"), std::string::npos) << printed();
  EXPECT_NE(printed().find("laplace, full: "), std::string::npos)
      << printed();  // refused, with the reason
  refused({"approximate", at("normal.stan"), "--method", "all", "-o", at("all.nc")}, "--output");
}

// NUTS from one mode misses the other, by its own verdict: then distances from its draws are called in question.
LONG_TEST_F(Approximate, says_where_the_draws_of_nuts_are_wrong_themselves) {
  write("two.stan",
        "parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | -20, 1), "
        "normal_lpdf(x | 20, 1)); }");
  const testing::Json table =
      json({"approximate", at("two.stan"), "--method", "all", "--seed", "1"});
  EXPECT_EQ(table.at("reference").text, "nuts");
  EXPECT_EQ(table.at("reference_verdict").text, "bad");
  EXPECT_NE(table.at("reference_doubt").text.find("failed their own checks"), std::string::npos);
  ASSERT_EQ(run({"approximate", at("two.stan"), "--method", "all", "--seed", "1"}), 0) << said();
  EXPECT_NE(printed().find("failed their own checks"), std::string::npos) << printed();
  ASSERT_EQ(run({"approximate", at("normal.stan"), "--method", "all", "--seed", "1"}), 0);
  EXPECT_EQ(printed().find("failed their own checks"), std::string::npos) << printed();
}

double figure_of(const testing::Json& judged, const std::string& name) {
  const testing::Json* figure = judged.at("figures").find(name);
  if (figure != nullptr) return figure->at("value").number;
  ADD_FAILURE() << "no figure " << name;
  return kNaN;
}

// Two equal modes: half of the mass is missing. Of unequal ones the share is that of the missing one, and below 1 if that is the larger.
TEST_F(Approximate, states_the_share_of_modes_in_the_whole_mass) {
  for (const double share : {0.5, 0.2, 0.7}) {
    write("two.stan", fmt::format("parameters {{ real x; }} model {{ target += log_mix({}, "
                                  "normal_lpdf(x | 8, 1), normal_lpdf(x | -8, 1)); }}",
                                  share));
    ASSERT_EQ(run({"laplace", at("two.stan"), "--num-starts", "1", "--seed", "2", "-o", at("t.nc"),
                   "--quiet"}),
              0)
        << said();
    const double missing = tuned("t.nc", "mode", 0) > 0.0 ? 1.0 - share : share;
    const testing::Json judged = json({"diagnose", at("t.nc")});
    EXPECT_NEAR(figure_of(judged, "unseen_mode_share"), missing, 0.05) << share;
  }
}

// Bounds, corrections and the rest of the certificate are among the figures. Bounds are those of normalised priors: a half of the normal
// prior is cut off, which costs log 2.
TEST_F(Approximate, has_its_certificate_among_the_figures) {
  write("half.stan",
        "data { vector[3] y; } parameters { real<lower=0> s; real m; } "
        "model { s ~ normal(0, 2); m ~ normal(0, 1); y ~ normal(m, s); }");
  write("y.json", R"({"y": [0.5, 1.5, -0.7]})");
  const std::vector<std::string> model{at("half.stan"), "--data", at("y.json"), "--seed", "1"};
  const auto with = [&](const char* command, std::vector<std::string> more) {
    std::vector<std::string> words{command};
    words.insert(words.end(), model.begin(), model.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const testing::Json evidence = json(with("evidence", {"--method", "elbo"}));
  ASSERT_EQ(run(with("approximate", {"-o", at("h.nc")})), 0) << said();
  EXPECT_NE(printed().find("log evidence at least"), std::string::npos) << printed();
  EXPECT_NEAR(tuned("h.nc", "bound"), evidence.at("methods").items.at(0).at("lower").number, 1e-9);
  EXPECT_NEAR(tuned("h.nc", "prior_log_mass"), -std::log(2.0), 1e-9);
  const testing::Json judged = json({"diagnose", at("h.nc")});
  EXPECT_EQ(figure_of(judged, "bound"), tuned("h.nc", "bound"));
  EXPECT_NEAR(figure_of(judged, "bound_gap"), tuned("h.nc", "upper_bound") - tuned("h.nc", "bound"),
              1e-12);
  EXPECT_GT(figure_of(judged, "bound_gap"), 0.0);
  for (const char* name : {"pareto_k", "num_effective_draws", "correction_of_mean",
                           "correction_of_log_sd", "unreached_share", "unseen_mode_share"})
    EXPECT_GE(figure_of(judged, name), 0.0) << name;
}

// One document, in which the approximation's is a member.
TEST_F(Approximate, with_then_sample_prints_one_json_document) {
  const testing::Json both = json({"approximate", at("centred.stan"), "--data", at("d.json"),
                                   "--then", "sample", "--seed", "1", "-o", at("then.nc")});
  EXPECT_EQ(both.at("chains").items.size(), 4u);
  EXPECT_NE(both.at("approximation").find("summary"), nullptr);
  const testing::Json alone = json(
      {"approximate", at("normal.stan"), "--then", "sample", "--seed", "1", "-o", at("alone.nc")});
  EXPECT_EQ(alone.find("approximation"), nullptr);
}

// Advice names neither the method of the run nor its covariance.
TEST_F(Approximate, is_advised_what_it_is_not) {
  const auto advice = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"approximate", at("centred.stan"), "--data",
                                   at("d.json"),  "--seed",           "1"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    EXPECT_NE(printed().find("poor"), std::string::npos) << printed();
    return on_one_line(printed());
  };
  EXPECT_EQ(advice({}).find("--method normal"), std::string::npos) << printed();
  EXPECT_EQ(advice({}).find("--covariance full"), std::string::npos) << printed();
  EXPECT_NE(advice({"--method", "pathfinder"}).find("--method normal"), std::string::npos);
  EXPECT_NE(advice({"--method", "normal", "--covariance", "diagonal"}).find("--covariance full"),
            std::string::npos);
}

TEST_F(LogisticRows, by_other_objectives_bracket_the_evidence) {
  ASSERT_EQ(run(words({"--seed", "1", "-o", at("e.nc"), "--quiet"})), 0) << said();
  for (const char* objective : {"iwae:10", "renyi:0.5", "chi2"}) {
    ASSERT_EQ(run(words({"--method", "normal", "--objective", objective, "--seed", "1", "-o",
                         at("o.nc"), "--quiet"})),
              0)
        << said();
    const double evidence = tuned("o.nc", "evidence_by_weights");
    EXPECT_NEAR(evidence, tuned("e.nc", "evidence_by_weights"), 0.02) << objective;
    EXPECT_LT(tuned("o.nc", "bound"), evidence + 0.01) << objective;
    EXPECT_GT(tuned("o.nc", "upper_bound"), evidence - 0.01) << objective;
  }
  refused(words({"--method", "normal", "--objective", "evidence"}), "no objective 'evidence'");
}

// Blocks by the names of parameters: two that the posterior correlates, joined and apart.
TEST_F(LogisticRows, know_the_correlation_within_their_blocks) {
  const auto bound_of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--method", "normal", "--seed", "1", "-o", at("c.nc"), "--quiet"});
    EXPECT_EQ(run(words(more)), 0) << said();
    return tuned("c.nc", "bound");
  };
  const double full = bound_of({"--covariance", "full"}),
               apart = bound_of({"--covariance", "blocks"}),
               joined = bound_of({"--covariance", "blocks", "--join", "b+a"}),
               diagonal = bound_of({"--covariance", "diagonal"}),
               low_rank = bound_of({"--covariance", "low_rank", "--rank", "1"});
  EXPECT_NEAR(joined, full, 2e-3);
  EXPECT_NEAR(low_rank, full, 5e-3);
  EXPECT_NEAR(apart, diagonal, 1e-3);
  refused(words({"--method", "normal", "--covariance", "blocks", "--join", "a+c"}),
          "no parameter 'c'");
  refused(words({"--method", "normal", "--covariance", "blocks", "--join", "a,b+a"}),
          "in two blocks");
  refused(words({"--method", "normal", "--rank", "2"}), "rank isn't used with covariance auto");
}

// The course of the climb, as a table of the result.
TEST_F(LogisticRows, keep_the_course_of_the_climb) {
  for (const char* optimizer : {"lbfgs", "adam"}) {
    ASSERT_EQ(run(words({"--method", "normal", "--optimizer", optimizer, "--seed", "1", "-o",
                         at("t.nc"), "--quiet"})),
              0)
        << said();
    const auto stored = fit("t.nc");
    ASSERT_EQ(stored->tables().size(), 1u);
    EXPECT_EQ(stored->tables()[0].name, "bound");
    const std::vector<double> rows = stored->table_rows(0, 0);
    const std::size_t width = stored->tables()[0].columns.size();
    ASSERT_GE(rows.size(), 2 * width);
    EXPECT_NEAR(rows[rows.size() - width], tuned("t.nc", "bound"), 0.1) << optimizer;
    EXPECT_TRUE(stored->table_rows(0, 1).empty());
    EXPECT_EQ(run({"plot", at("t.nc"), "bound"}), 0) << said();
  }
  ASSERT_EQ(run(words({"--method", "laplace", "-o", at("l.nc"), "--quiet"})), 0) << said();
  refused({"plot", at("l.nc"), "bound"}, "no climb to an approximation");
}

TEST_F(LogisticRows, without_the_checks_say_so) {
  ASSERT_EQ(run(words({"--seed", "3", "--no-check"})), 0) << said();
  EXPECT_NE(on_one_line(printed()).find("judged by its own draws alone"), std::string::npos)
      << printed();
}

// The moments of a fit's draws, which the file of the approximation keeps: it is repeated without the fit.
TEST_F(LogisticRows, have_the_moments_of_a_fit) {
  ASSERT_EQ(run({"sample", at("logistic.stan"), "--data", at("logistic.json"), "--seed", "1", "-o",
                 at("nuts.nc"), "--quiet"}),
            0)
      << said();
  ASSERT_EQ(run(words({"--method", "moments", "--from", at("nuts.nc"), "--covariance", "diagonal",
                       "--seed", "1", "-o", at("m.nc"), "--quiet"})),
            0)
      << said();
  const auto draws = fit("nuts.nc")->quantities(false, first_output(*fit("nuts.nc")), 1);
  const auto values = draws.quantity(0);
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0;
  for (const double a : values) square += (a - mean) * (a - mean) / n;
  EXPECT_NEAR(tuned("m.nc", "mean"), mean, 1e-6);
  EXPECT_NEAR(tuned("m.nc", "variances"), square, 1e-5);
  std::filesystem::remove(at("nuts.nc"));
  ASSERT_EQ(run({"approximate", "--like", at("m.nc"), "-o", at("n.nc"), "--quiet"}), 0) << said();
  EXPECT_EQ(tuned("n.nc", "mean"), tuned("m.nc", "mean"));
}

// A poor approximation is where the posterior's draws begin; a good one is the end.
TEST_F(Approximate, goes_on_to_draws_of_the_posterior_where_it_is_poor) {
  const std::vector<std::string> words = {
      "approximate", at("centred.stan"), "--data", at("d.json"), "--seed", "1", "--then", "sample"};
  refused(words, "--then");
  std::vector<std::string> with_file = words;
  with_file.insert(with_file.end(), {"-o", at("f.nc"), "--quiet"});
  EXPECT_EQ(run(with_file), 0) << said();
  EXPECT_NE(on_one_line(said()).find("sampling from its draws"), std::string::npos) << said();
  EXPECT_EQ(fit("f_sample.nc")->result().sampler, "nuts");
  EXPECT_EQ(
      run({"approximate", at("normal.stan"), "--then", "sample", "--quiet", "-o", at("g.nc")}), 0)
      << said();
  EXPECT_FALSE(std::filesystem::exists(at("g_sample.nc")));
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

// By the default method, a conjugate posterior is named with its evidence: log ∏ N(y; 0, ...) of one normal outcome about a normal mean.
TEST_F(Approximate, says_where_the_posterior_has_a_closed_form) {
  write("conjugate.stan",
        "data { real y; } parameters { real mu; } model { mu ~ normal(0, 3); y ~ normal(mu, 4); }");
  write("one.json", R"({"y": 5})");
  const std::string evidence = "its log evidence is -3.02838";  // N(5; 0, 5²)
  ASSERT_EQ(run({"approximate", at("conjugate.stan"), "--data", at("one.json"), "--seed", "1"}), 0);
  EXPECT_NE(on_one_line(printed()).find(evidence), std::string::npos) << printed();
  ASSERT_EQ(run({"approximate", at("centred.stan"), "--data", at("d.json"), "--seed", "1"}), 0);
  EXPECT_EQ(printed().find("closed form"), std::string::npos) << printed();
}

// Options are named as they are typed, also by errors of the fit.
TEST_F(Approximate, names_options_with_their_dashes) {
  const std::string model = at("normal.stan");
  refused({"approximate", model, "--step", "0.2"}, "--step: error: the climb is by L-BFGS");
  refused({"approximate", model, "--num-fresh", "1"}, "--num-fresh must be in");
  refused({"approximate", model, "--rank", "3"}, "--rank: error:");
  refused({"laplace", model, "--rank", "3"}, "it has: --num-starts, --init-radius");
}

// Values that are held at a point have no tails and no drift to find fault with.
TEST_F(Approximate, that_hold_a_value_are_not_called_improper) {
  write("rows.stan",
        "data { int N; vector[N] y; vector[N] sigma; } "
        "parameters { real mu; real<lower=0> tau; vector[N] z; } "
        "model { mu ~ normal(0, 5); tau ~ normal(0, 5); z ~ normal(0, tau); "
        "y ~ normal(mu + z, sigma); }");
  ASSERT_EQ(run({"approximate", at("rows.stan"), "--data", at("d.json"), "--method", "laplace",
                 "--inner", "z", "--outer", "mode", "--seed", "1"}),
            0)
      << said();
  EXPECT_EQ(on_one_line(printed()).find("There is no posterior"), std::string::npos) << printed();
  EXPECT_EQ(on_one_line(printed()).find("transitions of NUTS"), std::string::npos) << printed();
}

// 7 of 10 with a uniform prior: the evidence is 1 / 11 for one sequence times 120. A bounded parameter's Jacobian isn't part of it.
TEST_F(Approximate, names_the_evidence_of_a_conjugate_posterior) {
  write("share.stan", "parameters { real<lower=0, upper=1> p; } model { 7 ~ binomial(10, p); }");
  ASSERT_EQ(run({"approximate", at("share.stan"), "--seed", "1", "-o", at("share.nc")}), 0)
      << said();
  const std::string all = on_one_line(said() + printed());
  EXPECT_NE(all.find(fmt::format("log evidence is {:.6g}", -std::log(11.0))), std::string::npos)
      << all;
}

TEST_F(Approximate, is_refused_what_makes_no_sense) {
  const std::string model = at("normal.stan");
  write("none.stan", "generated quantities { real x = normal_rng(0, 1); }");
  for (const char* method : {"normal", "cavi", "moments", "flow"})
    refused({"approximate", at("none.stan"), "--method", method}, "the program has no parameters");
  refused({"info", at("none.stan"), "--messages"}, "the program has no parameters");
  refused({"approximate", at("centred.stan"), "--data", at("d.json"), "--method", "amortized",
           "--local", "theta,theta", "--features", "y"},
          "theta is named twice");
  refused({"approximate", model, "--method", "moments", "--hidden", "4"},
          "hidden isn't used without layers");
  refused({"approximate", model, "--method", "nuts"}, "nuts is no approximation");
  refused({"approximate", model, "--method", "hill"}, "no method 'hill'");
  refused({"sample", model, "--sampler", "laplace"}, "credo approximate --method laplace");
  refused({"optimize", model, "--method", "normal"}, "credo approximate --method normal");
  refused({"laplace", model, "--rank", "3"}, "this is an option of: ");
  refused({"pathfinder", model, "--num-paths", "0"}, "--num-paths");
  refused({"approximate", model, "--method", "all", "--then", "sample"}, "--then");
  ASSERT_EQ(run({"optimize", model, "-o", at("mode.nc"), "--quiet"}), 0) << said();
  refused({"approximate", model, "--method", "moments", "--from", at("mode.nc")},
          "has modes, no draws");
  refused({"info", at("mode.nc")}, "this is a result, not a program");
}

}  // namespace
}  // namespace credo::cli::approximate_test
