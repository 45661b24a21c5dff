// Thresholds of ordered outcomes that thres() states: densities against their definition, predictions, faults of tables.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/regression/regression.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::regression_thresholds_test {
namespace {

constexpr const char* kTable =
    "y,g,x,word\n1,a,1,low\n2,a,2,mid\n3,a,3,low\n1,b,4,high\n4,b,5,mid\n2,b,6,low\n3,b,7,high\n2,"
    "c,4,low\n";
constexpr std::array<int, 8> kY{1, 2, 3, 1, 4, 2, 3, 2}, kGroup{0, 0, 0, 1, 1, 1, 1, 2};
constexpr std::array<double, 8> kX{1, 2, 3, 4, 5, 6, 7, 4};
constexpr double kMeanX = 4.0;

struct Made {
  models::Regression regression;
  std::string faults;
};
Made made(const std::string& formula, const std::string& family = "cumulative",
          const std::string& table = kTable, std::vector<io::LevelOrder> levels = {}) {
  models::RegressionRequest request{.formula = formula, .family = family, .preset = "flat"};
  request.data.files = {"t.csv"};
  request.data.levels = std::move(levels);
  request.is_usable = [](const std::string&) { return true; };
  models::FormulaFaults faults;
  Made result{models::make_regression(
                  request, [&](const std::string&) -> const std::string& { return table; }, faults),
              {}};
  result.faults = faults.text(formula);
  return result;
}

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
// P(Y = y) by the definitions of docs/regression.md.
double probability(const std::string& family, int y, double eta, const std::vector<double>& cuts) {
  const auto last = static_cast<int>(cuts.size()) + 1;
  const auto cut = [&](int k) { return cuts[static_cast<std::size_t>(k - 1)]; };
  if (family == "cumulative")
    return (y == last ? 1.0 : logistic(cut(y) - eta)) - (y == 1 ? 0.0 : logistic(cut(y - 1) - eta));
  if (family == "acat") {
    double sum = 0.0, log_weight = 0.0, own = 0.0;
    for (int k = 1; k <= last; ++k) {
      if (k > 1) log_weight += eta - cut(k - 1);
      sum += std::exp(log_weight);
      if (k == y) own = std::exp(log_weight);
    }
    return own / sum;
  }
  double passed = 1.0;  // sratio; of the logistic function cratio is the same
  for (int k = 1; k < y; ++k) passed *= 1.0 - logistic(cut(k) - eta);
  return y == last ? passed : passed * logistic(cut(y) - eta);
}

// Thresholds of each group and the slope, as unconstrained values; the logarithm of the Jacobian.
struct Point {
  std::vector<std::vector<double>> cuts;
  double slope;

  std::vector<double> unconstrained(bool is_ordered) const {
    std::vector<double> u;
    for (const std::vector<double>& own : cuts)
      for (std::size_t k = 0; k < own.size(); ++k)
        u.push_back(is_ordered && k > 0 ? std::log(own[k] - own[k - 1]) : own[k]);
    u.push_back(slope);
    return u;
  }
  double log_jacobian(bool is_ordered) const {
    double sum = 0.0;
    for (const std::vector<double>& own : cuts)
      for (std::size_t k = 1; k < own.size() && is_ordered; ++k)
        sum += std::log(own[k] - own[k - 1]);
    return sum;
  }
};

struct Case {
  std::string formula, data;
  std::vector<std::size_t> numbers;  // of thresholds of the groups a, b and c; one: of all rows
};
const std::vector<Case>& threshold_cases() {
  static const std::string kRows =
      R"("N":8,"y":[1,2,3,1,4,2,3,2],"x":[1,2,3,4,5,6,7,4],"mean_x":4)";
  static const std::string kGroups = R"(,"K_g":3,"g":[1,1,1,2,2,2,2,3])";
  static const std::vector<Case> kCases{
      {"y ~ x", "{" + kRows + R"(,"K_y":4})", {3}},
      {"y | thres(5) ~ x", "{" + kRows + R"(,"K_y":6})", {5}},
      {"y | thres(3, g) ~ x",
       "{" + kRows + kGroups + R"(,"K_y":4,"first_threshold":[1,4,7],"num_thresholds":[3,3,3]})",
       {3, 3, 3}},
      {"y | thres(gr = g) ~ x",
       "{" + kRows + kGroups + R"(,"K_y":4,"first_threshold":[1,3,6],"num_thresholds":[2,3,1]})",
       {2, 3, 1}}};
  return kCases;
}
Point point_of(const Case& one, double shift, double slope) {
  Point p{.cuts = {}, .slope = slope};
  for (std::size_t j = 0; j < one.numbers.size(); ++j) {
    p.cuts.emplace_back();
    for (std::size_t k = 0; k < one.numbers[j]; ++k)
      p.cuts.back().push_back(-1.0 + 0.3 * static_cast<double>(j) + shift +
                              (0.8 + 0.1 * static_cast<double>(j)) * static_cast<double>(k));
  }
  return p;
}
// `other`: a planted mistake, the thresholds of the next group.
double defined(const std::string& family, const Point& p, bool other = false) {
  double sum = 0.0;
  for (std::size_t n = 0; n < 8; ++n) {
    const std::size_t group = p.cuts.size() == 1 ? 0 : static_cast<std::size_t>(kGroup[n]);
    const std::vector<double>& cuts = p.cuts[other && group == 0 ? 1 % p.cuts.size() : group];
    sum += std::log(probability(family, kY[n], p.slope * (kX[n] - kMeanX), cuts));
  }
  return sum;
}

TEST(regression_thresholds, have_the_densities_that_they_define) {
  for (const Case& one : threshold_cases()) {
    for (const std::string family : {"cumulative", "sratio", "cratio", "acat"}) {
      SCOPED_TRACE(one.formula + " " + family);
      const Made all = made(one.formula, family);
      ASSERT_EQ(all.faults, "");
      const bool is_ordered = family == "cumulative";
      const auto model = model::model_from(all.regression.program, one.data);
      const auto found = [&](const Point& p) {
        const auto at = model->evaluate_in_full(p.unconstrained(is_ordered));
        EXPECT_TRUE(at.status.ok()) << model->describe(at.status);
        return at.log_density - p.log_jacobian(is_ordered);
      };
      const Point a = point_of(one, 0.0, 0.4), b = point_of(one, 0.6, -0.2);
      const double difference = found(a) - found(b);
      // Logarithms of differences of probabilities lose three digits at most.
      EXPECT_NEAR(difference, defined(family, a) - defined(family, b), 1e-11);
      if (one.numbers.size() == 1) continue;
      EXPECT_GT(std::abs(difference - defined(family, a, true) + defined(family, b, true)), 1e-3);
    }
  }
}

// Without a slope that they share, the density of three sets is the sum of those of fits of each level's rows.
TEST(regression_thresholds, of_levels_are_separate_fits) {
  const auto value = [](const std::string& formula, const std::string& table,
                        const std::string& data, const std::vector<double>& at) {
    const Made all = made(formula, "acat", table);
    EXPECT_EQ(all.faults, "");
    return model::model_from(all.regression.program, data)->evaluate_in_full(at).log_density;
  };
  const double both = value("y | thres(2, by = g) ~ 1", "y,g\n1,a\n3,a\n2,b\n1,b\n2,b\n",
                            R"({"N":5,"K_y":3,"y":[1,3,2,1,2],"K_g":2,"g":[1,1,2,2,2],
                                "first_threshold":[1,3],"num_thresholds":[2,2]})",
                            {0.3, -0.4, 0.9, 0.1});
  const double a =
      value("y | thres(2) ~ 1", "y\n1\n3\n", R"({"N":2,"K_y":3,"y":[1,3]})", {0.3, -0.4});
  const double b =
      value("y | thres(2) ~ 1", "y\n2\n1\n2\n", R"({"N":3,"K_y":3,"y":[2,1,2]})", {0.9, 0.1});
  EXPECT_NEAR(both, a + b, 1e-12);
}

TEST(regression_thresholds, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part,
                         const std::string& family = "cumulative",
                         std::vector<io::LevelOrder> levels = {}) {
    const std::string faults = made(formula, family, kTable, std::move(levels)).faults;
    EXPECT_NE(faults.find(part), faults.npos) << formula << "\n" << faults;
  };
  expect("y | thres(2) ~ x", "t.csv:6: y is 4 in row 5, and thres(2) has the categories 1 to 3");
  expect("y | thres(2, g) ~ x", "y is 4 in row 5");
  expect("y | thres(0) ~ x", "0 is no number of thresholds");
  expect("y | thres(2.5) ~ x", "2.5 is no number of thresholds");
  expect("y | thres(x + 1) ~ x", "is no number of thresholds");
  expect("y | thres(3, h) ~ x", "there is no column h");
  expect("y | thres(3) + thres(4) ~ x", "thres() stands twice");
  expect("y | thres(3) ~ x", "thres() belongs to families of ordered categories, not to poisson",
         "poisson");
  expect("word | thres(3) ~ x", "word has 3 categories (low, mid, high), and thres(3) needs 4",
         "cumulative", {{.name = "word", .levels = {"low", "mid", "high"}}});
  const std::string faults =
      made("y | thres(by = g) ~ x", "cumulative", "y,g,x\n1,a,1\n2,a,2\n1,b,3\n").faults;
  EXPECT_NE(faults.find("b of g has no outcome above the first category"), faults.npos) << faults;
}

class ThresholdRuns : public testing::CommandRun {
 protected:
  ThresholdRuns() : CommandRun("threshold_runs") {}
  std::map<std::string, double> means(const std::vector<std::string>& words) {
    std::map<std::string, double> all;
    for (const auto& row : json(words).items) all[row.at("name").text] = row.at("mean").number;
    return all;
  }
};

// Categories that a level hasn't have probability 0 there; names are those of levels and categories.
TEST_F(ThresholdRuns, predict_by_the_level_of_the_row) {
  std::string table = "y,g,x\n";
  for (int k = 0; k < 120; ++k)
    table += fmt::format("{},{},{}\n", 1 + (k * 7 + k / 9) % (k % 2 == 0 ? 2 : 4),
                         k % 2 == 0 ? "few" : "many", k % 10);
  write("t.csv", table);
  write("new.csv", "g,x\nfew,3\nmany,8\n");
  write("other.csv", "g,x\nnone,3\n");
  for (const auto& [family, link] :
       {std::pair{"cumulative", "probit"}, {"cumulative", "cauchit"}, {"acat", "logit"}}) {
    SCOPED_TRACE(family);
    ASSERT_EQ(run({"regression", "y | thres(by = g) ~ x", "--data", at("t.csv"), "--family", family,
                   "--link", link, "--seed", "1", "--chains", "2", "--warmup", "300", "--draws",
                   "200", "-o", at("fit.nc")}) &
                  ~8,
              0)
        << said();
    EXPECT_NE(printed().find("threshold[few, 1|2]"), std::string::npos) << printed();
    EXPECT_NE(printed().find("threshold[many, 3|4]"), std::string::npos) << printed();
    const auto all = means({"predict", at("fit.nc"), "--data", at("new.csv"), "--scale", "mean"});
    ASSERT_EQ(all.size(), 8u);
    EXPECT_EQ(all.at("probability.1.3"), 0.0);
    EXPECT_EQ(all.at("probability.1.4"), 0.0);
    EXPECT_NEAR(all.at("probability.1.1") + all.at("probability.1.2"), 1.0, 1e-12);
    double sum = 0.0;
    for (const char* k : {"1", "2", "3", "4"}) {
      EXPECT_GT(all.at(std::string("probability.2.") + k), 0.05);
      sum += all.at(std::string("probability.2.") + k);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_EQ(run({"predict", at("fit.nc"), "--data", at("other.csv")}), 4);
    EXPECT_NE(said().find("'none' in row 1 is no level of g in the fit"), std::string::npos)
        << said();
    EXPECT_EQ(run({"ppc", at("fit.nc"), "--replicates", "100", "--seed", "3"}) & ~8, 0) << said();
  }
}

}  // namespace
}  // namespace credo::cli::regression_thresholds_test
