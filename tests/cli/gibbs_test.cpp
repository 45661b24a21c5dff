// The sampler gibbs and the climb em by programs and formulas, against NUTS, Newton's method, quadrature and closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/regression/family.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::gibbs_test {
namespace {
const std::string kFormulaTables = CREDO_SOURCE_DIR "/tests/data/formula/";
const std::string kExampleTables = CREDO_SOURCE_DIR "/examples/regression/";
using Words = std::vector<std::string>;
using Rows = std::map<std::string, std::pair<double, double>>;  // mean and its error

class GibbsRun : public testing::CommandRun {
 protected:
  GibbsRun() : CommandRun("gibbs") {}

  Words sample(const std::string& program, const std::string& data, Words more) {
    write("m.stan", program);
    write("d.json", data);
    more.insert(more.begin(), {"sample", at("m.stan"), "--data", at("d.json")});
    return more;
  }
  Rows drawn(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--quiet", "-o", at("fit.nc")});
    EXPECT_EQ(run(words), 0) << said();
    Rows rows;
    const testing::Json summary = json({"summary", at("fit.nc")});
    for (const testing::Json& row : summary.items)
      rows[row.at("name").text] = {row.at("mean").number, row.at("mcse_mean").number};
    return rows;
  }
  static double worst_z(const Rows& a, const Rows& b) {
    double worst = 0.0;
    EXPECT_EQ(a.size(), b.size());
    for (const auto& [name, one] : a) {
      const auto& [mean, error] = b.at(name);
      const double size = std::hypot(one.second, error);
      if (size > 0.0) worst = std::max(worst, std::abs(one.first - mean) / size);
    }
    return worst;
  }
  std::map<std::string, double> mode_of(Words words, const std::string& method) {
    words.insert(words.end(), {"--method", method});
    std::map<std::string, double> mode;
    const testing::Json found = json(words);
    for (const testing::Json& row : found.at("mode").items)
      mode[row.at("name").text] = row.at("value").number;
    return mode;
  }
  // lp__ is among the rows, so that spreads are compared, too.
  void expect_as_nuts(const Words& words, const Words& gibbs = {}) {
    Words own{"--sampler", "gibbs", "--seed", "1", "--draws", "2500"};
    own.insert(own.end(), gibbs.begin(), gibbs.end());
    const Rows a = drawn(words, own);
    EXPECT_LT(worst_z(a, drawn(words, {"--seed", "2", "--draws", "2500"})), 4.0);
  }
};

const std::string kProbit = R"(data { int N; matrix[N, 2] X; array[N] int<lower=0, upper=1> y; }
parameters { vector[2] w; }
model { w ~ normal(0, 2); y ~ bernoulli(Phi(X * w)); })";
const std::string kSixRows =
    R"({"N": 6, "X": [[1, -2], [1, -1], [1, 0.3], [1, 0.5], [1, 1.5], [1, 4]],
  "y": [0, 1, 0, 1, 1, 1]})";

TEST_F(GibbsRun, draws_a_probit_regression_as_a_grid_has_it) {
  constexpr std::array<double, 6> x{-2, -1, 0.3, 0.5, 1.5, 4}, y{-1, 1, -1, 1, 1, 1};
  double mass = 0.0, first = 0.0, second = 0.0, square = 0.0;
  for (double a = -8.0; a <= 8.0; a += 0.02)
    for (double b = -8.0; b <= 8.0; b += 0.02) {
      double log_p = -(a * a + b * b) / 8.0;
      for (std::size_t n = 0; n < 6; ++n)
        log_p += std::log(0.5 * std::erfc(-y[n] * (a + b * x[n]) / std::sqrt(2.0)));
      const double weight = std::exp(log_p);
      mass += weight, first += weight * a, second += weight * b, square += weight * b * b;
    }
  const Rows rows = drawn(sample(kProbit, kSixRows, {}), {"--sampler", "gibbs", "--seed", "1"});
  EXPECT_NEAR(rows.at("w.1").first, first / mass, 4.0 * rows.at("w.1").second);
  EXPECT_NEAR(rows.at("w.2").first, second / mass, 4.0 * rows.at("w.2").second);
  EXPECT_GT(std::abs(rows.at("w.2").first - 1.1 * second / mass), 4.0 * rows.at("w.2").second);
}

TEST_F(GibbsRun, draws_other_forms_of_a_probit_outcome) {
  const Rows first = drawn(sample(kProbit, kSixRows, {}), {"--sampler", "gibbs", "--seed", "1"});
  for (const char* statement : {"for (n in 1:N) target += bernoulli_lpmf(y[n] | Phi(X[n] * w));",
                                "for (n in 1:N) y[n] ~ bernoulli(Phi(dot_product(X[n], w)));"}) {
    const std::string program = kProbit.substr(0, kProbit.find("y ~ bernoulli")) + statement + " }";
    const Rows rows = drawn(sample(program, kSixRows, {}), {"--sampler", "gibbs", "--seed", "2"});
    EXPECT_LT(worst_z(first, rows), 4.0) << statement;
  }
}

// Real data: infertility after abortions [trichopoulos1976], R's infert.
TEST_F(GibbsRun, draws_regressions_of_a_table_as_nuts_does) {
  expect_as_nuts({"regression", "case ~ spontaneous + induced + age", "--data",
                  kFormulaTables + "infert.csv", "--family", "bernoulli", "--link", "probit"});
}
TEST_F(GibbsRun, draws_effects_of_groups_given_their_spread) {
  const Words words{"regression", "case ~ spontaneous + (1 | education)",
                    "--data",     kFormulaTables + "infert.csv",
                    "--family",   "bernoulli",
                    "--link",     "probit"};
  expect_as_nuts(words);
  Words centred = words;
  centred.emplace_back("--centred");
  expect_as_nuts(centred);
}
TEST_F(GibbsRun, draws_ordered_outcomes_given_their_thresholds) {
  expect_as_nuts({"regression", "tension ~ breaks", "--data", kFormulaTables + "warpbreaks.csv",
                  "--levels", "tension=[L, M, H]", "--family", "cumulative", "--link", "probit"});
}
TEST_F(GibbsRun, draws_the_lasso_of_a_table) {
  expect_as_nuts({"regression", "mpg ~ lasso(disp + hp + drat + wt + qsec)", "--data",
                  kFormulaTables + "mtcars.csv"});
}

std::string lasso_data() {
  constexpr int kRows = 30;
  std::string x, y;
  for (int n = 0; n < kRows; ++n) {
    const double a = std::sin(3.0 * n), b = std::cos(5.0 * n), c = std::sin(7.0 * n + 1.0);
    x += fmt::format("{}[{}, {}, {}]", n == 0 ? "" : ", ", a, b, c);
    y += fmt::format("{}{}", n == 0 ? "" : ", ", 1.2 * a + 0.1 * c + 0.8 * std::sin(11.0 * n * n));
  }
  return fmt::format(R"({{"N": {}, "X": [{}], "y": [{}]}})", kRows, x, y);
}
// With sigma in the scale [park2008] and without; Student priors; Student outcomes.
TEST_F(GibbsRun, draws_scale_mixtures_of_hand_written_programs) {
  const auto program = [](const std::string& model) {
    return "data { int N; matrix[N, 3] X; vector[N] y; }\n"
           "parameters { vector[3] b; real<lower=0> sigma; real<lower=0> rate; }\n"
           "model { sigma ~ exponential(1); rate ~ gamma(2, 1); " +
           model + " }";
  };
  for (const char* model : {"b ~ double_exponential(0, sigma / rate); y ~ normal(X * b, sigma);",
                            "b ~ double_exponential(0.2, 1 / rate); y ~ normal(X * b, sigma);",
                            "b ~ student_t(3, 0.1, rate); y ~ normal(X * b, sigma);",
                            "b ~ normal(0, rate); y ~ student_t(4, X * b, sigma);",
                            "b ~ normal(0, rate); y ~ double_exponential(X * b, sigma);"}) {
    SCOPED_TRACE(model);
    expect_as_nuts(sample(program(model), lasso_data(), {}));
  }
}
// The suite rejects a prior of another width.
TEST_F(GibbsRun, is_told_from_another_posterior) {
  const auto program = [](const char* width) {
    return fmt::format(
        "data {{ int N; matrix[N, 3] X; vector[N] y; }}\n"
        "parameters {{ vector[3] b; }}\n"
        "model {{ b ~ double_exponential(0, {}); y ~ normal(X * b, 1); }}",
        width);
  };
  const Rows a =
      drawn(sample(program("0.3"), lasso_data(), {}), {"--sampler", "gibbs", "--seed", "1"});
  EXPECT_GT(worst_z(a, drawn(sample(program("0.4"), lasso_data(), {}), {"--seed", "2"})), 4.0);
}

TEST_F(GibbsRun, has_equal_draws_for_any_number_of_threads) {
  const Words words{"regression", "tension ~ breaks",
                    "--data",     kFormulaTables + "warpbreaks.csv",
                    "--levels",   "tension=[L, M, H]",
                    "--family",   "cumulative",
                    "--link",     "probit",
                    "--sampler",  "gibbs",
                    "--draws",    "200",
                    "--seed",     "4"};
  Words one = words, four = words;
  one.insert(one.end(), {"--threads", "1"}), four.insert(four.end(), {"--threads", "4"});
  EXPECT_EQ(drawn(one, {}), drawn(four, {}));
}

// One row a long way from the line: log Φ(-60) is -1805, where Φ itself underflows.
TEST_F(GibbsRun, keeps_far_tails) {
  const std::string program = R"(data { int N; matrix[N, 2] X; array[N] int<lower=1, upper=2> y; }
parameters { vector[2] w; }
model { w ~ normal([-60, 0]', 0.5); y ~ ordered_probit(X * w, [0]'); })";
  expect_as_nuts(sample(program, R"({"N": 2, "X": [[1, 0], [1, 1]], "y": [2, 1]})", {}));
}

TEST_F(GibbsRun, says_which_parameters_have_no_such_distribution) {
  const std::string program =
      "data { int N; vector[N] y; } parameters { real a; real<lower=0> s; }\n"
      "model { a ~ cauchy(0, 1); s ~ exponential(1); y ~ normal(exp(a), s); }";
  EXPECT_NE(run(sample(program, R"({"N": 2, "y": [1, 2]})", {"--sampler", "gibbs"})), 0);
  for (const char* words : {"no parameter has a normal distribution", "a:", "s:", "nuts"})
    EXPECT_NE(said().find(words), std::string::npos) << said();
  EXPECT_NE(run(sample(kProbit, kSixRows, {"--sampler", "gibbs", "--block", "v"})), 0);
  EXPECT_NE(said().find("there is no parameter 'v'"), std::string::npos) << said();
}

// ---- em

TEST_F(GibbsRun, em_ends_at_the_mode_of_newton) {
  const Words table{"regression", "case ~ spontaneous + induced + age",
                    "--data",     kFormulaTables + "infert.csv",
                    "--family",   "bernoulli",
                    "--link",     "probit",
                    "--seed",     "1"};
  const auto em = mode_of(table, "em"), newton = mode_of(table, "newton"),
             optimize = mode_of(table, "optimize");
  ASSERT_FALSE(em.empty());
  for (const auto& [name, value] : newton) {
    EXPECT_NEAR(em.at(name), value, 1e-8 * (1.0 + std::abs(value))) << name;
    EXPECT_NEAR(optimize.at(name), value, 1e-5 * (1.0 + std::abs(value))) << name;
  }
}
// A narrower prior leaves the latent values less to say.
TEST_F(GibbsRun, em_takes_fewer_iterations_with_a_narrower_prior) {
  std::string x, y;
  for (int n = 0; n < 50; ++n) {
    const double a = std::sin(3.0 * n), b = std::cos(5.0 * n);
    x += fmt::format("{}[1, {}, {}]", n == 0 ? "" : ", ", a, b);
    y += fmt::format("{}{}", n == 0 ? "" : ", ", a - b + std::sin(11.0 * n * n) > 0.2 ? 1 : 0);
  }
  write("em.json", fmt::format(R"({{"N": 50, "X": [{}], "y": [{}]}})", x, y));
  const auto iterations = [&](double precision, const std::string& method) {
    write("em.stan", fmt::format("data {{ int N; matrix[N, 3] X; array[N] int y; }}\n"
                                 "parameters {{ vector[3] w; }}\n"
                                 "model {{ w ~ normal(0, {}); y ~ bernoulli(Phi(X * w)); }}",
                                 1.0 / std::sqrt(precision)));
    const testing::Json found = json({"optimize", at("em.stan"), "--data", at("em.json"), "--seed",
                                      "1", "--starts", "1", "--method", method});
    EXPECT_TRUE(found.at("starts").items.at(0).at("converged").truth);
    return found.at("starts").items.at(0).at("num_iterations").number;
  };
  const double wide = iterations(0.1, "em"), middle = iterations(1.0, "em"),
               narrow = iterations(10.0, "em");
  EXPECT_GT(wide, middle);
  EXPECT_GT(middle, narrow);
  EXPECT_GT(narrow, iterations(10.0, "newton"));
}
TEST_F(GibbsRun, em_refuses_parameters_that_are_no_coefficients) {
  EXPECT_NE(
      run({"regression", "mpg ~ wt", "--data", kFormulaTables + "mtcars.csv", "--method", "em"}),
      0);
  EXPECT_NE(said().find("sigma"), std::string::npos) << said();
}

// ---- several outcomes, several categories

// Owen's T function integrates the normal variables of two outcomes out. Their lp__ differs by the density of what is integrated out.
TEST_F(GibbsRun, correlated_outcomes_have_the_posterior_of_the_closed_form) {
  const std::string folder = CREDO_SOURCE_DIR "/examples/texts/probit_";
  const auto posterior = [&](const std::string& name, const std::string& seed) {
    Rows rows = drawn({"sample", folder + name + ".stan", "--data", folder + "multivariate.json"},
                      {"--seed", seed});
    std::erase_if(rows, [](const auto& row) {
      return row.first == "lp__" || row.first[0] == 'u' || !(row.second.second > 1e-12);
    });
    return rows;
  };
  EXPECT_LT(worst_z(posterior("multivariate", "1"), posterior("bivariate", "2")), 4.0);
}

// Two utilities differ by a normal variable with variance 2.
TEST_F(GibbsRun, multinomial_probit_of_two_levels_is_binary_probit) {
  const Words table{
      "regression", "type ~ glu + ped", "--data", kExampleTables + "pima.csv", "--priors",
      "flat",       "--seed",           "1"};
  Words binary = table, two = table;
  binary.insert(binary.end(), {"--family", "bernoulli", "--link", "probit"});
  two.insert(two.end(), {"--family", "multinomial_probit"});
  const auto one = mode_of(binary, "newton"), other = mode_of(two, "newton");
  for (const char* name : {"glu", "ped"}) {
    const auto of_level = std::ranges::find_if(
        other, [&](const auto& row) { return row.first.ends_with(std::string("_") + name); });
    ASSERT_NE(of_level, other.end()) << name;
    const auto of_binary =
        std::ranges::find_if(one, [&](const auto& row) { return row.first.ends_with(name); });
    ASSERT_NE(of_binary, one.end()) << name;
    EXPECT_NEAR(of_level->second / std::sqrt(2.0), of_binary->second,
                1e-7 * (1.0 + std::abs(of_binary->second)));
  }
}
// R's integrate() about the mode of the integrand (tools/make_family_reference.R), for utilities 0, 30, -5.
TEST_F(GibbsRun, multinomial_probit_keeps_far_tails) {
  std::string functions;
  for (const models::StanFunction& f : models::find_family("multinomial_probit")->functions)
    functions += f.text;
  const auto model = model::model_from(
      "functions {\n" + functions +
      "}\nparameters { real unused; }\ngenerated quantities { vector[2] lp = "
      "[multinomial_probit_lpmf(1 | [0, 30, -5]'), multinomial_probit_lpmf(3 | [0, 30, -5]')]'; }");
  Rng rng({.seed = 11, .purpose = 1});
  const std::vector<double> row = model->draw_outputs().write(std::vector<double>{0.0}, rng);
  EXPECT_NEAR(row[row.size() - 2], -228.97577233436633, 1e-8);
  EXPECT_NEAR(row[row.size() - 1], -310.37933904664135, 1e-8);
}
TEST_F(GibbsRun, multinomial_probit_predicts_probabilities) {
  ASSERT_EQ(run({"regression", "tension ~ breaks", "--data", kFormulaTables + "warpbreaks.csv",
                 "--family", "multinomial_probit", "--seed", "1", "--quiet", "--chains", "2",
                 "--warmup", "150", "--draws", "100", "-o", at("fit.nc")}),
            0)
      << said();
  write("new.csv", "breaks\n20\n40\n");
  double sum = 0.0;
  const testing::Json rows =
      json({"predict", at("fit.nc"), "--data", at("new.csv"), "--scale", "mean", "--seed", "2"});
  for (const testing::Json& row : rows.items) sum += row.at("mean").number;
  EXPECT_NEAR(sum, 2.0, 1e-10);
}

}  // namespace
}  // namespace credo::cli::gibbs_test
