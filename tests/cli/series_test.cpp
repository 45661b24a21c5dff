// credo series: the likelihood of its programs against statsmodels, maximum likelihood against StructTS of R, Prophet's mode, forecasts,
// tables with gaps, faults.
#include <gtest/gtest.h>

#include <fstream>

#include "io/file.hpp"
#include "support/command_run.hpp"

namespace credo::cli::series_test {
namespace {

class SeriesRun : public testing::CommandRun {
 protected:
  SeriesRun() : CommandRun("series") {}
  // The table of tools/make_series_reference.py; rows 4, 5, 18 and 31 without an outcome if there are gaps.
  std::string reference_table(bool has_gaps) const {
    static constexpr std::array kY{11.0,   11.854, 13.288, 10.264, 9.21,   9.671,  11.18,  13.366, 13.975, 14.387,
                                   12.85,  11.226, 13.497, 14.585, 17.163, 16.515, 14.135, 13.529, 13.376, 15.537,
                                   17.98,  17.556, 17.538, 15.901, 15.948, 18.036, 20.137, 20.071, 19.663, 16.41,
                                   16.025, 19.489, 21.64,  21.28,  21.392, 18.713, 18.23,  18.999, 21.645, 22.642};
    static constexpr std::array kX{1.0,   0.672,  -0.127, -0.754, -0.697, 0.039, 0.935, 1.35,  1.008, 0.206,
                                   -0.411, -0.339, 0.406, 1.298,  1.699,  1.345, 0.54,  -0.068, 0.019, 0.772,
                                   1.66,  2.049,  1.681,  0.874,  0.276,  0.377, 1.139, 2.023, 2.398, 2.018,
                                   1.208, 0.619,  0.735,  1.505,  2.385,  2.746, 2.354, 1.542, 0.963, 1.094};
    std::string table = "y,x\n";
    for (std::size_t t = 0; t < kY.size(); ++t) {
      const bool is_gap = has_gaps && (t == 3 || t == 4 || t == 17 || t == 30);
      table += is_gap ? "," : std::to_string(kY[t]) + ",";
      table += std::to_string(kX[t]) + "\n";
    }
    return table;
  }
  // The log likelihood of the program of a formula at the parameters.
  double log_likelihood(const std::string& formula, const std::string& parameters, bool has_gaps) {
    const std::string name = "model" + std::to_string(++number_);
    write("t.csv", reference_table(has_gaps));
    write("p.json", parameters);
    EXPECT_EQ(run({"series", formula, "--data", at("t.csv"), "--priors", "flat", "--write", at(name)}), 0) << said();
    const auto found = json({"log-prob", at(name + "/program.stan"), "--data", at(name + "/data.json"), "--constrained",
                             at("p.json"), "--terms", "likelihood"});
    return found["points"][0]["log_density"].number();
  }
  int number_ = 0;
};

// Values of `diffuse` that tools/make_series_reference.py prints (statsmodels with exact diffuse starts, and log(2 pi) / 2 for each unknown).
TEST_F(SeriesRun, has_the_likelihood_of_statsmodels) {
  struct Case {
    const char *formula, *parameters;
    bool has_gaps;
    double expected;
  };
  // sds of the variances 0.8, 0.5, 0.02, 0.1, 0.3, 0.4
  const std::vector<Case> cases{
      {"y ~ level", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752}])", false, -87.441884218371},
      {"y ~ level", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752}])", true, -76.439784812091},
      {"y ~ trend", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_slope": 0.14142135623730951}])", false,
       -87.020876168665},
      {"y ~ level + season(4)",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_season": 0.31622776601683794}])", true,
       -77.377134391396},
      {"y ~ level + x", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "b_x": [0.7]}])", true, -74.120006543253},
      {"y ~ level + cycle",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_cycle": 0.54772255750516607, "rho_cycle": 0.9,
           "period_cycle": 9}])",
       true, -68.642899611136},
      // partial autocorrelations of the coefficients 0.5, 0.2: 0.5 / 0.8, 0.2
      {"y ~ level + ar(2)",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_ar": 0.63245553203367588, "partial_ar": [0.625, 0.2]}])",
       true, -73.442761176415}};
  for (const Case& c : cases)
    EXPECT_NEAR(log_likelihood(c.formula, c.parameters, c.has_gaps), c.expected, 1e-8) << c.formula;
  // A mutant: the outcome that is missing is seen.
  EXPECT_GT(std::fabs(log_likelihood(cases[1].formula, cases[1].parameters, false) - cases[1].expected), 1.0);
}
}  // namespace
}  // namespace credo::cli::series_test
