// Modifiers of a regression's outcome: densities against their definition, rows of loo, replicates, faults of tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/regression/prediction.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::regression_modifiers_test {
namespace {

// Status s and its words t, weights, bounds, known errors, rows in use.
constexpr const char* kTable =
    "y,x,w,s,t,top,low,high,e,use,f\n"
    "1.5,1,1,0,none,9,0,8,0.5,1,p\n"
    "2.0,2,2.5,1,right,9,1,8,0.7,0,q\n"
    "2.5,3,0,-1,left,9,0,8,0.2,1,p\n"
    "4.5,4,1,2,interval,6,0,9,1.0,1,q\n"
    "5.0,5,0.5,0,none,9,0,9,0.4,0,p\n";
constexpr std::array<double, 5> kY{1.5, 2.0, 2.5, 4.5, 5.0}, kX{1, 2, 3, 4, 5},
    kW{1, 2.5, 0, 1, 0.5}, kUpper{9, 9, 9, 6, 9}, kLow{0, 1, 0, 0, 0}, kHigh{8, 8, 8, 9, 9},
    kE{0.5, 0.7, 0.2, 1.0, 0.4};
constexpr std::array<int, 5> kS{0, 1, -1, 2, 0}, kUse{1, 0, 1, 1, 0};

struct Made {
  models::Regression regression;
  std::string faults;
};
Made made(const std::string& formula, const std::string& family = "auto",
          const std::string& table = kTable) {
  models::RegressionRequest request{.formula = formula, .family = family, .preset = "flat"};
  request.data.files = {"t.csv"};
  request.is_usable = [](const std::string&) { return true; };
  models::FormulaFaults faults;
  Made result{models::make_regression(
                  request, [&](const std::string&) -> const std::string& { return table; }, faults),
              {}};
  result.faults = faults.text(formula);
  return result;
}

double log_normal(double y, double mu, double sigma) {
  const double z = (y - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - 0.5 * std::log(2.0 * std::numbers::pi);
}
double log_below(double y, double mu, double sigma) {
  return std::log(0.5 * std::erfc((mu - y) / sigma / std::sqrt(2.0)));
}
double log_above(double y, double mu, double sigma) { return log_below(-y, -mu, sigma); }

// A row's log density at intercept a (where x has its mean, 3), slope b and sigma.
using RowDensity = double (*)(std::size_t row, double mu, double sigma);

struct Case {
  std::string formula;
  RowDensity row;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases{
      {"y | weights(w) ~ x",
       [](std::size_t k, double mu, double sigma) { return kW[k] * log_normal(kY[k], mu, sigma); }},
      {"y | cens(s, top) ~ x",
       [](std::size_t k, double mu, double sigma) {
         if (kS[k] == 0) return log_normal(kY[k], mu, sigma);
         if (kS[k] == 1) return log_above(kY[k], mu, sigma);
         if (kS[k] == -1) return log_below(kY[k], mu, sigma);
         return std::log(std::exp(log_below(kUpper[k], mu, sigma)) -
                         std::exp(log_below(kY[k], mu, sigma)));
       }},
      {"y | weights(w) + cens(s, top) ~ x",
       [](std::size_t k, double mu, double sigma) { return kW[k] * cases()[1].row(k, mu, sigma); }},
      {"y | cens(t, top) ~ x",
       [](std::size_t k, double mu, double sigma) { return cases()[1].row(k, mu, sigma); }},
      {"y | trunc(lower = low, upper = high) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return log_normal(kY[k], mu, sigma) - std::log(std::exp(log_below(kHigh[k], mu, sigma)) -
                                                        std::exp(log_below(kLow[k], mu, sigma)));
       }},
      {"y | trunc(-1) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return log_normal(kY[k], mu, sigma) - log_above(-1.0, mu, sigma);
       }},
      {"y | weights(w) + trunc(low, high) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return kW[k] * (log_normal(kY[k], mu, sigma) -
                         std::log(std::exp(log_below(kHigh[k], mu, sigma)) -
                                  std::exp(log_below(kLow[k], mu, sigma))));
       }},
      {"y | cens(s, top) + trunc(low, 9.5) ~ x",
       [](std::size_t k, double mu, double sigma) {
         const auto below = [&](double y) { return std::exp(log_below(y, mu, sigma)); };
         const double all = std::log(below(9.5) - below(kLow[k]));
         if (kS[k] == 0) return log_normal(kY[k], mu, sigma) - all;
         if (kS[k] == 1) return std::log(below(9.5) - below(kY[k])) - all;
         if (kS[k] == -1) return std::log(below(kY[k]) - below(kLow[k])) - all;
         return std::log(below(kUpper[k]) - below(kY[k])) - all;
       }},
      {"y | cens(s, top) + trunc(low) + weights(w) ~ x",
       [](std::size_t k, double mu, double sigma) {
         const auto below = [&](double y) { return std::exp(log_below(y, mu, sigma)); };
         const double all = log_above(kLow[k], mu, sigma);
         if (kS[k] == 0) return kW[k] * (log_normal(kY[k], mu, sigma) - all);
         if (kS[k] == 1) return kW[k] * (log_above(kY[k], mu, sigma) - all);
         if (kS[k] == -1) return kW[k] * (std::log(below(kY[k]) - below(kLow[k])) - all);
         return kW[k] * (std::log(below(kUpper[k]) - below(kY[k])) - all);
       }},
      {"y | se(e, sigma = TRUE) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return log_normal(kY[k], mu, std::hypot(sigma, kE[k]));
       }},
      {"y | se(e) ~ x",
       [](std::size_t k, double mu, double) { return log_normal(kY[k], mu, kE[k]); }},
      {"y | subset(use) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return kUse[k] == 0 ? 0.0 : log_normal(kY[k], mu, sigma);
       }},
      {"y | subset(use) + weights(w) ~ x",
       [](std::size_t k, double mu, double sigma) {
         return kUse[k] == 0 ? 0.0 : kW[k] * log_normal(kY[k], mu, sigma);
       }},
  };
  return kCases;
}

constexpr const char* kData =
    R"({"N":5,"y":[1.5,2.0,2.5,4.5,5.0],"x":[1,2,3,4,5],"w":[1,2.5,0,1,0.5],"s":[0,1,-1,2,0],"K_t":4,
"t":[3,4,2,1,3],"top":[9,9,9,6,9],"low":[0,1,0,0,0],"high":[8,8,8,9,9],"e":[0.5,0.7,0.2,1.0,0.4],
"use":[1,0,1,1,0],"mean_x":3})";

// Two points differ by the definition: constants may be left out. With another slope the two disagree.
TEST(regression_modifiers, have_the_densities_that_they_define) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.formula);
    const Made all = made(one.formula);
    ASSERT_EQ(all.faults, "");
    const auto model = model::model_from(all.regression.program, kData);
    const bool has_sigma = model->dimension() == 3;
    EXPECT_EQ(has_sigma, one.formula != "y | se(e) ~ x");
    const auto found = [&](double a, double b, double sigma) {
      std::vector<double> point{a, b};
      if (has_sigma) point.push_back(std::log(sigma));
      const auto at = model->evaluate_in_full(point);
      EXPECT_TRUE(at.status.ok()) << model->describe(at.status);
      return at.log_density - (has_sigma ? std::log(sigma) : 0.0);
    };
    const auto defined = [&](double a, double b, double sigma) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 5; ++k) sum += one.row(k, a + b * (kX[k] - 3.0), sigma);
      return sum;
    };
    const double difference = found(3.2, 0.9, 1.3) - found(2.5, 0.4, 0.8);
    // Logarithms of differences of probabilities lose three digits at most.
    EXPECT_NEAR(difference, defined(3.2, 0.9, 1.3) - defined(2.5, 0.4, 0.8), 1e-11);
    EXPECT_GT(std::abs(difference - defined(3.2, 1.0, 1.3) + defined(2.5, 0.4, 0.8)), 1e-4);
  }
}

TEST(regression_modifiers, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part,
                         const std::string& family = "auto", const std::string& table = kTable) {
    const std::string faults = made(formula, family, table).faults;
    EXPECT_NE(faults.find(part), faults.npos) << formula << "\n" << faults;
  };
  expect("y | weights(2 * w) ~ x", "weights() takes a column");
  expect("y | weights(w, x) ~ x", "has other arguments");
  expect("y | weights(w) + weights(x) ~ x", "weights() stands twice");
  expect("y | weights(v) ~ x", "there is no column v");
  expect("y | cens(s) ~ x",
         "s has intervals, whose upper ends aren't stated\n  hint: cens(STATUS, UPPER)");
  expect("y | cens(x) ~ 1",
         "t.csv:4: x is 3 in row 3\n  hint: a status is left, right, interval or none");
  expect("y | cens(f) ~ x", "t.csv:2: f is 'p' in row 1");
  expect("y | cens(s, low) ~ x", "t.csv:5: low is 0 and y is 4.5 in row 4");
  expect("y | cens(s, top) + trunc(upper = 5.5) ~ x",
         "t.csv:5: top is 6, above the bound 5.5 of trunc() in row 4");
  expect("log(y) | cens(s, top) ~ x", "the bounds of log(y) would be of another scale");
  expect("use | cens(s) ~ x", "counts can't be censored", "poisson");
  expect("use | trunc(0.5) ~ x", "counts have whole bounds", "poisson");
  expect("use | cens(s) ~ x", "the family bernoulli has no distribution function", "bernoulli");
  expect("y | trunc(2) ~ x", "t.csv:2: y is 1.5, outside of its bounds 2 to inf in row 1");
  expect("y | trunc() ~ x", "other arguments");
  expect("y | se(s) ~ x", "t.csv:2: s is 0 in row 1\n  hint: a standard error is positive");
  expect("y | se(e) ~ x", "se() is the known error of a normal or student outcome, not of gamma",
         "gamma");
  expect("y | se(e) ~ x; sigma ~ x", "sigma is known, so that it has no formula");
  expect("y | se(e, sigma = 2) ~ x", "sigma = 2 isn't TRUE or FALSE");
  expect("y | subset(w) ~ x", "t.csv:3: w is 2.5 in row 2\n  hint: subset() takes TRUE or FALSE");
  expect("y | subset(z) ~ x", "subset(z) leaves no row", "auto", "y,x,z\n1,2,0\n2,3,0\n4,1,0\n");
  expect("y | weights(s) ~ x", "t.csv:4: s is -1 in row 3\n  hint: a weight multiplies");
  expect("y | mi() ~ x", "mi() is not there yet");
}

TEST(regression_modifiers, are_not_asked_for_by_predictions) {
  const Made all = made("y | weights(w) + cens(s, top) ~ x");
  models::FormulaFaults faults;
  const std::string table = "x\n2\n";
  const io::DataRecipe recipe{.files = {"new.csv"}};
  const auto text_of = [&](const std::string&) -> const std::string& { return table; };
  const auto prediction =
      models::make_prediction(all.regression, recipe, models::NewLevels::draw, text_of, faults);
  EXPECT_EQ(faults.text(""), "");
  ASSERT_EQ(prediction.notes.size(), 1u);
  EXPECT_EQ(prediction.notes[0],
            "outcomes are predicted as they are before they are censored or truncated");
  const Made both = made("y | weights(w) ~ w");
  models::make_prediction(both.regression, recipe, models::NewLevels::draw, text_of, faults);
  EXPECT_NE(faults.text("").find("there is no column w"), std::string::npos);
  models::FormulaFaults errors;
  models::make_prediction(made("y | se(e) ~ x").regression, recipe, models::NewLevels::draw,
                          text_of, errors);
  EXPECT_NE(errors.text("").find("there is no column e"), std::string::npos);
}

class ModifierRuns : public testing::CommandRun {
 protected:
  ModifierRuns() : CommandRun("modifier_runs") {}
};

// loo has a term for each row that is used. Replicates are drawn where the outcome has a distribution: with weights it
// has none, and the bounds of an interval are no outcome.
TEST_F(ModifierRuns, have_rows_and_replicates) {
  write("t.csv", kTable);
  struct Expected {
    std::string formula;
    std::size_t rows;
    bool has_replicates;
  };
  for (const Expected& one :
       {Expected{"y | weights(w) ~ x", 5, false}, Expected{"y | cens(s, top) ~ x", 5, false},
        Expected{"y | weights(w) + cens(s, top) ~ x", 5, false},
        Expected{"y | cens(use) ~ x", 5, true}, Expected{"y | cens(use) + trunc(low) ~ x", 5, false},
        Expected{"y | weights(w) + trunc(low) ~ x", 5, false}, Expected{"y | trunc(low, high) ~ x", 5, true},
        Expected{"y | se(e, sigma = TRUE) ~ x", 5, true},
        Expected{"y | subset(use) ~ x", 3, true}}) {
    SCOPED_TRACE(one.formula);
    ASSERT_EQ(run({"regression", one.formula, "--data", at("t.csv"), "--seed", "1", "--chains", "2",
                   "--warmup", "200", "--draws", "100", "--quiet", "-o", at("fit.nc")}) &
                  ~8,
              0)
        << said();
    EXPECT_EQ(json({"loo", at("fit.nc")}).at("rows").items.size(), one.rows);
    EXPECT_EQ((run({"ppc", at("fit.nc"), "--seed", "3"}) & ~8) == 0, one.has_replicates) << said();
  }
}
}  // namespace
}  // namespace credo::cli::regression_modifiers_test
