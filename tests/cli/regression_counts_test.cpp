// Counts of the family com_poisson: the program against one with the sum written out, and simulations.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/regression/regression.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::regression_counts_test {
namespace {

// A count by inversion of the masses in long double.
int com_poisson_count(long double mu, long double nu, double u) {
  constexpr int kMost = 400;
  std::vector<long double> masses;
  long double total = 0;
  for (int k = 0; k < kMost; ++k) {
    masses.push_back(std::exp(nu * (k * std::log(mu) - std::lgamma((long double)(k + 1)))));
    total += masses.back();
  }
  long double below = 0;
  for (int k = 0; k < kMost; ++k)
    if ((below += masses[static_cast<std::size_t>(k)]) > u * total) return k;
  return kMost;
}

struct Counts {
  std::string table = "y,x,g,e\n", data;
};
// log mu = 1.2 + 0.5 x + log e; shape 2.2, or 0.45 where g is b.
Counts simulated(int size, bool by_group) {
  Counts made;
  std::string y, x, g;
  Rng rng({.seed = 11, .purpose = 2, .chain = 0, .iteration = 0});
  for (int n = 0; n < size; ++n) {
    const double at = 0.1 * (n % 21) - 1.0, e = n % 3 == 0 ? 2.0 : 1.0;
    const bool is_b = by_group && n % 2 == 1;
    const int count =
        com_poisson_count(e * std::exp(1.2L + 0.5L * at), is_b ? 0.45L : 2.2L, rng.uniform());
    made.table += fmt::format("{},{},{},{}\n", count, at, is_b ? "b" : "a", e);
    y += fmt::format("{}{}", n == 0 ? "" : ",", count);
    x += fmt::format("{}{}", n == 0 ? "" : ",", at);
  }
  made.data = fmt::format(R"({{"N":{},"y":[{}],"x":[{}],"mean_x":0.0}})", size, y, x);
  return made;
}

models::Regression regression_of(const std::string& formula, const std::string& table) {
  models::RegressionRequest request{.formula = formula, .family = "com_poisson", .preset = "flat"};
  request.data.files = {"t.csv"};
  request.is_usable = [](const std::string&) { return true; };
  models::FormulaFaults faults;
  auto made = models::make_regression(
      request, [&](const std::string&) -> const std::string& { return table; }, faults);
  EXPECT_EQ(faults.text(formula), "");
  return made;
}

// The sum in 300 terms; the tolerance is that of sums of 300 terms.
TEST(regression_counts, have_the_density_of_a_program_with_the_sum) {
  const Counts counts = simulated(63, false);
  const models::Regression made = regression_of("y ~ x", counts.table);
  const auto found = model::model_from(made.program, counts.data);
  const auto sum_of = [&](const std::string& term) {
    return model::model_from(
        "data { int N; array[N] int y; vector[N] x; real mean_x; }\n"
        "parameters { real intercept; real b_x; real<lower=0> shape; }\n"
        "model {\n  for (n in 1:N) {\n    real eta = intercept + b_x * (x[n] - mean_x);\n"
        "    vector[301] terms;\n    for (k in 0:300) terms[k + 1] = " +
            term +
            ";\n    target += shape * (y[n] * eta - lgamma(y[n] + 1)) - log_sum_exp(terms);\n  "
            "}\n}\n",
        counts.data);
  };
  const auto exact = sum_of("shape * (k * eta - lgamma(k + 1))");
  const auto wrong = sum_of("shape * k * eta - lgamma(k + 1)");
  for (const auto& point :
       {std::vector{1.2, 0.5, 0.8}, {2.9, -0.3, -0.9}, {0.1, 0.2, 2.0}, {4.3, 0.4, 0.2}}) {
    model::expect_same_density(*found, *exact, point, {1e-11, 1e-10});
    EXPECT_GT(std::abs(wrong->evaluate_in_full(point).log_density -
                       found->evaluate_in_full(point).log_density),
              1e-3);
  }
}

class CountRuns : public testing::CommandRun {
 protected:
  CountRuns() : CommandRun("regression_counts") {}
  struct Figure {
    double mean = kNaN, sd = kNaN;
  };
  std::map<std::string, Figure> figures(const std::vector<std::string>& words) {
    std::map<std::string, Figure> all;
    for (const auto& row : json(words).items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number};
    return all;
  }
  std::map<std::string, Figure> fit(const std::string& formula,
                                    std::vector<std::string> more = {}) {
    std::vector<std::string> words{"regression", formula,    "--data",  at("t.csv"), "--seed",
                                   "1",          "--chains", "2",       "--warmup",  "400",
                                   "--draws",    "400",      "--quiet", "-o",        at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words) & ~8, 0) << said();
    return figures({"summary", at("fit.nc")});
  }
};

// Parameters of the simulation lie within 4 sds of the posterior.
TEST_F(CountRuns, may_have_extra_zeros_and_bounds) {
  std::string table = "y,x\n";
  Rng rng({.seed = 3, .purpose = 2, .chain = 0, .iteration = 0});
  for (int n = 0; n < 400; ++n) {
    const double at = 0.1 * (n % 21) - 1.0;
    const int count = rng.uniform() < 0.3
                          ? 0
                          : com_poisson_count(std::exp(1.5L + 0.4L * at), 2.5L, rng.uniform());
    table += fmt::format("{},{}\n", count, at);
  }
  write("t.csv", table);
  const auto all = fit("y ~ x", {"--family", "zero_inflated_com_poisson"});
  for (const auto& [name, value] :
       std::map<std::string, double>{{"zi", 0.3}, {"shape", 2.5}, {"b_x", 0.4}})
    EXPECT_NEAR(all.at(name).mean, value, 4 * all.at(name).sd) << name;
  fit("y | trunc(lower = 0) ~ x", {"--family", "com_poisson"});
}

}  // namespace
}  // namespace credo::cli::regression_counts_test
