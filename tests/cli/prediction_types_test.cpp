// The kinds of predictive models as programs of the example `sprint`: a line, learned features, an average of outcomes. What each
// predicts is held to its formula, draw by draw, and the line to its closed form.
#include <gtest/gtest.h>

#include "diagnose/convergence.hpp"
#include "results/files/fit.hpp"
#include "results/files/fit_layout.hpp"
#include "support/command_run.hpp"

namespace credo::cli::prediction_types_test {
namespace {
constexpr const char* kFolder = CREDO_SOURCE_DIR "/examples/sprint/";

class PredictionTypes : public ::credo::testing::CommandRun {
 protected:
  PredictionTypes() : CommandRun("prediction_types") {
    std::ifstream table(std::string(kFolder) + "sprint.csv");
    std::string line, number;
    std::getline(table, line);
    while (std::getline(table, line)) {
      std::istringstream cells(line);
      std::getline(cells, number, ','), year_.push_back(std::stod(number));
      std::getline(cells, number, ','), seconds_.push_back(std::stod(number));
    }
  }
  // Draws of all chains of `name`, by element: "place.1".
  void sample(const std::string& program) {
    const std::string file = at(program + ".nc");
    ASSERT_EQ(
        run({"sample", kFolder + program + ".stan", "--data", std::string(kFolder) + "sprint.csv",
             "--seed", "3", "--draws", "300", "--quiet", "-o", file}),
        0)
        << said();
    fit_ = results::open_fit(std::span(&file, 1));
  }
  std::vector<double> draws(const std::string& name) const {
    const auto place = results::find_quantity(*fit_, name);
    EXPECT_TRUE(place.has_value()) << name;
    const density::Draws read = fit_->quantities(false, *place, 1);
    const auto values = read.quantity(0);
    return {values.begin(), values.end()};
  }
  diagnose::Chains chains(std::span<const double> values) const {
    return {values, fit_->num_draws(false), fit_->num_chains()};
  }
  // E(prediction | sigma): ridge regression on 1 and centuries from 1960.
  double line_at(double year, double sigma) const {
    const double precision = 1.0 / (sigma * sigma);
    double a = 1.0 / 0.25, b = 0.0, c = 1.0 / 4.0, u = 10.3 / 0.25, v = 0.0;
    for (std::size_t n = 0; n < year_.size(); ++n) {
      const double x = (year_[n] - 1960.0) / 100.0;
      a += precision, b += precision * x, c += precision * x * x;
      u += precision * seconds_[n], v += precision * x * seconds_[n];
    }
    const double level = (c * u - b * v) / (a * c - b * b),
                 slope = (a * v - b * u) / (a * c - b * b);
    return level + slope * (year - 1960.0) / 100.0;
  }

  std::vector<double> year_, seconds_;
  std::unique_ptr<results::Fit> fit_;
};

// Given sigma the posterior is normal; what is left over has mean 0 over the draws.
TEST_F(PredictionTypes, a_line_predicts_by_its_closed_form) {
  sample("line");
  const std::vector<double> level = draws("level"), slope = draws("slope"), sigma = draws("sigma");
  const auto errors = [&](double year) {  // of the mean, in its Monte Carlo errors
    std::vector<double> rest;
    for (std::size_t s = 0; s < level.size(); ++s)
      rest.push_back(level[s] + 0.68 * slope[s] - line_at(year, sigma[s]));
    return std::fabs(diagnose::mean(rest)) / diagnose::mcse_mean(chains(rest));
  };
  EXPECT_LT(errors(2028.0), 4.0);  // 6e-5
  EXPECT_GT(errors(2020.0), 4.0);  // another year is told from it
}

// Features that are learned: the curve is linear in `level` and `height`, and not in the others.
TEST_F(PredictionTypes, a_network_predicts_by_its_hidden_units) {
  sample("network");
  const std::vector<double> level = draws("level"), found = draws("next_mean");
  std::array<std::vector<double>, 2> height, place, slope;
  for (std::size_t h = 0; h < 2; ++h) {
    const std::string unit = "." + std::to_string(h + 1);
    height[h] = draws("height" + unit), place[h] = draws("place" + unit);
    slope[h] = draws("slope" + unit);
  }
  for (std::size_t s = 0; s < found.size(); ++s) {
    double mean = level[s];
    for (std::size_t h = 0; h < 2; ++h)
      mean += height[h][s] * std::tanh(slope[h][s] * (68.0 / 50.0 - place[h][s]));
    EXPECT_NEAR(found[s], mean, 1e-13);  // a few roundings of numbers about 10
    EXPECT_LT(place[0][s], place[1][s]);
  }
}

// No parameters of a curve: shares of the outcomes that are positive and add up to 1, so that no prediction leaves their range.
TEST_F(PredictionTypes, an_average_predicts_by_shares_of_the_outcomes) {
  sample("average");
  const std::vector<double> width = draws("width"), found = draws("next_mean");
  const auto [least, most] = std::minmax_element(seconds_.begin(), seconds_.end());
  for (std::size_t s = 0; s < found.size(); ++s) {
    double sum = 0.0, total = 0.0;
    for (std::size_t n = 0; n < year_.size(); ++n) {
      const double z = (year_[n] - 2028.0) / width[s], share = std::exp(-0.5 * z * z);
      sum += share * seconds_[n], total += share;
    }
    EXPECT_NEAR(found[s], sum / total, 1e-12);  // thirty roundings
    EXPECT_GE(found[s], *least);
    EXPECT_LE(found[s], *most);
  }
  // Narrow kernels take the nearest year, wide ones the mean of all.
  const auto [narrow, wide] = std::minmax_element(width.begin(), width.end());
  const auto at = [&](auto place) {
    return found[static_cast<std::size_t>(place - width.begin())];
  };
  EXPECT_LT(std::fabs(at(narrow) - seconds_.back()), std::fabs(at(wide) - seconds_.back()));
}

}  // namespace
}  // namespace credo::cli::prediction_types_test
