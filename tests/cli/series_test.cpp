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
    static constexpr std::array kY{11.0,   11.854, 13.288, 10.264, 9.21,   9.671,  11.18,  13.366,
                                   13.975, 14.387, 12.85,  11.226, 13.497, 14.585, 17.163, 16.515,
                                   14.135, 13.529, 13.376, 15.537, 17.98,  17.556, 17.538, 15.901,
                                   15.948, 18.036, 20.137, 20.071, 19.663, 16.41,  16.025, 19.489,
                                   21.64,  21.28,  21.392, 18.713, 18.23,  18.999, 21.645, 22.642};
    static constexpr std::array kX{1.0,   0.672,  -0.127, -0.754, -0.697, 0.039, 0.935, 1.35,
                                   1.008, 0.206,  -0.411, -0.339, 0.406,  1.298, 1.699, 1.345,
                                   0.54,  -0.068, 0.019,  0.772,  1.66,   2.049, 1.681, 0.874,
                                   0.276, 0.377,  1.139,  2.023,  2.398,  2.018, 1.208, 0.619,
                                   0.735, 1.505,  2.385,  2.746,  2.354,  1.542, 0.963, 1.094};
    std::string table = "y,x\n";
    for (std::size_t t = 0; t < kY.size(); ++t) {
      const bool is_gap = has_gaps && (t == 3 || t == 4 || t == 17 || t == 30);
      table += is_gap ? "," : std::to_string(kY[t]) + ",";
      table += std::to_string(kX[t]) + "\n";
    }
    return table;
  }
  // The log likelihood of the program of a formula at the parameters.
  double log_likelihood(const std::string& formula, const std::string& parameters, bool has_gaps,
                        const std::string& start = "auto") {
    const std::string name = "model" + std::to_string(++number_);
    write("t.csv", reference_table(has_gaps));
    write("p.json", parameters);
    EXPECT_EQ(run({"series", formula, "--data", at("t.csv"), "--priors", "flat", "--start", start,
                   "--write", at(name)}),
              0)
        << said();
    const auto found =
        json({"log-prob", at(name + "/program.stan"), "--data", at(name + "/data.json"),
              "--constrained", at("p.json"), "--terms", "likelihood"});
    return found.items[0].at("log_density").number;
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
      {"y ~ level", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752}])", false,
       -87.441884218371},
      {"y ~ level", R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752}])", true,
       -76.439784812091},
      {"y ~ trend",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_slope": 0.14142135623730951}])",
       false, -87.020876168665},
      {"y ~ level + season(4)",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_season": 0.31622776601683794}])",
       true, -77.377134391396},
      {"y ~ level + x",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "b_x": [0.7]}])", true,
       -74.120006543253},
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
  EXPECT_GT(
      std::fabs(log_likelihood(cases[1].formula, cases[1].parameters, false) - cases[1].expected),
      1.0);
}

// The lines `semitrend`, `dynamic` and `season(3, 2)` of the same script, by dense algebra with proper starts.
TEST_F(SeriesRun, has_the_likelihood_of_dense_algebra) {
  struct Case {
    const char *formula, *parameters;
    double expected;
  };
  const std::vector<Case> cases{
      {"y ~ semitrend",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_slope": 0.14142135623730951, "rho_slope": 0.6}])",
       -79.254053524751},
      {"y ~ level + dynamic(x)",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_x": 0.31622776601683794}])",
       -74.698922978802},
      {"y ~ level + season(3, 2)",
       R"([{"sigma": 0.89442719099991588, "sd_level": 0.70710678118654752, "sd_season": 0.31622776601683794}])",
       -67.549694410960}};
  for (const Case& c : cases)
    EXPECT_NEAR(log_likelihood(c.formula, c.parameters, true, "prior"), c.expected, 1e-8)
        << c.formula;
}

const char* const kNile = CREDO_SOURCE_DIR "/examples/series/nile.csv";
std::string example(const std::string& name) {
  return std::string(CREDO_SOURCE_DIR "/examples/series/") + name;
}

double largest(const testing::Json& modes) {
  double found = -1e300;
  for (const auto& start : modes.at("starts").items)
    found = std::max(found, start.at("log_density").number);
  return found;
}

// tools/make_series_reference.R: the log likelihood at the variances of StructTS. On the Nile it is the maximum; on the others StructTS
// ends below, and statsmodels' UnobservedComponents with exact diffuse starts has the maxima 169.692691, 229.366603 and -109.070361
// (scipy's Nelder and Mead from three starts).
TEST_F(SeriesRun, has_the_maximum_likelihood_of_StructTS_or_more) {
  struct Case {
    const char *formula, *file;
    double struct_ts, most;
  };
  const std::vector<Case> cases{
      {"flow ~ level", "nile.csv", -632.545625, -632.545625},
      {"log10(gas) ~ trend + season", "uk_gas.csv", 161.679951, 169.692691},
      {"log(passengers) ~ trend + season(12)", "air_passengers.csv", 190.969527, 229.366603},
      {"co2 ~ trend + season(12)", "co2.csv", -323.652837, -109.070361}};
  for (const Case& c : cases) {
    run({"series", c.formula, "--data", example(c.file), "--priors", "flat", "--method", "optimize",
         "--seed", "1", "--json"});
    const double found = largest(testing::parse_json(printed()));
    EXPECT_GT(found, c.struct_ts - 1e-4) << c.formula;
    EXPECT_NEAR(found, c.most, 1e-4) << c.formula;
  }
}

// R: StructTS(Nile, "level") has the level 798.3682 at the end and predict() the standard errors 143.5, 148.6, 153.6: the variances of
// the mode are 1469.15 and 15098.6. With 20,000 paths means err by 1.1, sds by 0.5 %.
TEST_F(SeriesRun, forecasts_as_StructTS) {
  EXPECT_EQ(
      run({"series", "flow ~ level", "--data", kNile, "--priors", "flat", "--method", "optimize",
           "--ahead", "3", "--paths", "20000", "--seed", "3", "--tables", at("t.json")}),
      0);
  const auto tables = testing::parse_json(io::read_file(at("t.json")));
  const std::array expected{143.53, 148.56, 153.42};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto row = tables.at("forecast").items[k];
    EXPECT_EQ(row.at("time").text, std::to_string(1971 + k));
    EXPECT_NEAR(row.at("mean").number, 798.37, 5.0);
    EXPECT_NEAR(row.at("sd").number / expected[k], 1.0, 0.025);
  }
  EXPECT_NEAR(tables.at("components").items[0].at("share").number + tables.at("noise_share").number,
              1.0, 1e-12);
}

// The line `posterior means` of the script: a grid over both standard deviations, of the first 40 years.
TEST_F(SeriesRun, samples_the_posterior_of_a_grid) {
  const std::string all = io::read_file(kNile);
  std::size_t end = 0;
  for (int line = 0; line < 41; ++line) end = all.find('\n', end) + 1;
  write("n.csv", all.substr(0, end));
  const auto found = json({"series", "flow ~ level", "--data", at("n.csv"), "--start", "diffuse",
                           "--seed", "5", "--draws", "2000"});
  const std::map<std::string, double> expected{{"sigma", 136.0542}, {"sd_level", 41.7445}};
  std::size_t seen = 0;
  for (const auto& row : found.at("summary").items) {
    const auto at_name = expected.find(row.at("name").text);
    if (at_name == expected.end()) continue;
    ++seen;
    EXPECT_NEAR(row.at("mean").number, at_name->second, 4.0 * row.at("mcse_mean").number + 0.1);
    EXPECT_GT(std::fabs(row.at("mean").number * 1.15 - at_name->second),
              4.0 * row.at("mcse_mean").number + 0.1);
  }
  EXPECT_EQ(seen, 2U);
}

// The line `prophet` of the script: the mode of the same priors, found by L-BFGS-B with the changes as two positive parts.
TEST_F(SeriesRun, has_the_mode_of_Prophets_priors) {
  static constexpr std::array kY{
      19.348, 22.125, 25.728, 25.559, 23.023, 23.495, 21.177, 20.249, 17.328, 18.942, 19.771,
      22.876, 23.917, 26.411, 26.171, 30.753, 26.348, 28.202, 25.07,  22.819, 21.88,  21.628,
      23.516, 24.79,  28.683, 27.67,  31.261, 31.208, 32.64,  28.582, 28.656, 27.51,  24.652,
      26.885, 26.915, 29.507, 31.759, 32.12,  34.066, 35.497, 36.212, 35.151, 31.89,  30.293,
      28.938, 28.916, 30.098, 31.968, 36.458, 36.194, 38.175, 39.259, 37.111, 36.031, 34.213,
      32.774, 29.02,  30.971, 29.583, 31.369, 33.847, 35.461, 37.123, 36.573, 35.644, 34.316,
      30.804, 30.814, 27.161, 25.94,  29.592, 28.664, 29.421, 34.252, 33.334, 35.062, 32.435,
      31.351, 27.711, 25.291, 24.559, 24.722, 25.934, 28.826, 27.168, 31.009, 30.66,  31.447,
      29.383, 27.721, 26.222, 23.607, 23.132, 21.697, 23.987, 24.153, 25.965, 28.737, 29.382,
      29.163, 28.373, 26.679, 25.677, 23.183, 21.102, 20.799, 19.791, 22.111, 21.988, 26.547,
      26.554, 26.983, 26.663, 24.39,  21.946, 21.19,  18.452, 16.684, 18.375, 17.495};
  std::string table = "y\n";
  for (const double y : kY) table += std::to_string(y) + "\n";
  write("p.csv", table);
  run({"series", "y ~ changepoints(10) + harmonics(12, 2)", "--data", at("p.csv"), "--priors",
       "prophet", "--method", "optimize", "--seed", "1", "--tables", at("t.json"), "--paths",
       "10"});
  const auto tables = testing::parse_json(io::read_file(at("t.json")));
  const auto means = tables.at("paths").at("mean");
  EXPECT_NEAR(means.items[0].items[0].number, 19.96818, 0.005);
  EXPECT_NEAR(means.items[0].items[60].number, 33.05781, 0.005);
  EXPECT_NEAR(means.items[0].items[119].number, 21.24019, 0.005);
  EXPECT_NEAR(means.items[1].items[3].number, 4.05822 + 0.00071,
              0.005);  // sine of pi / 2, cosine of pi
}

// Behind the fit the slope changes as often as within it: by Laplace's distribution, so that forecasts spread as h^1.5 beside the noise.
TEST_F(SeriesRun, spreads_forecasts_by_later_changes_of_the_slope) {
  std::string table = "y\n";
  for (int t = 0; t < 100; ++t)
    table +=
        std::to_string(10 + 0.2 * t + 3.0 * std::fabs(t - 50) / 10 + ((t * 37) % 11) * 0.1) + "\n";
  write("p.csv", table);
  run({"series", "y ~ changepoints(25)", "--data", at("p.csv"), "--priors", "prophet", "--method",
       "optimize", "--seed", "1", "--tables", at("t.json"), "--paths", "4000", "--ahead", "100"});
  const auto rows = testing::parse_json(io::read_file(at("t.json"))).at("forecast");
  EXPECT_GT(rows.items[99].at("sd").number, 3.0 * rows.items[9].at("sd").number);
}

TEST_F(SeriesRun, flags_an_outcome_that_its_past_did_not_predict) {
  std::string table = "date,y\n";
  for (int t = 0; t < 60; ++t) {
    const double y = 5 + ((t * 7919) % 13 - 6) * 0.1 + (t == 40 ? 4 : 0);
    table += "2024-" + std::string(t < 31 ? "01-" : "02-") + (t % 31 < 9 ? "0" : "") +
             std::to_string(t % 31 + 1) + "," + std::to_string(y) + "\n";
    if (t == 59) break;
  }
  write("d.csv", table);
  EXPECT_EQ(run({"series", "y ~ level", "--data", at("d.csv"), "--chains", "2", "--draws", "300",
                 "--seed", "1"}),
            0)
      << said();
  EXPECT_NE(printed().find("2024-02-10"), std::string::npos);
  EXPECT_NE(printed().find("1 of 60 outcomes is more than 3 sds"), std::string::npos) << printed();
}

TEST_F(SeriesRun, has_the_same_paths_for_any_number_of_threads_and_from_its_file) {
  const auto tables = [&](const std::string& threads, const std::string& file) {
    EXPECT_EQ(run({"series",    "flow ~ trend", "--data",  kNile, "--chains", "2",
                   "--warmup",  "100",          "--draws", "100", "--seed",   "9",
                   "--threads", threads,        "--ahead", "2",   "--tables", at(file),
                   "-o",        at("fit.nc")}),
              0);
    auto text = io::read_file(at(file));
    return text.substr(text.find("\"components\""));
  };
  const std::string one = tables("1", "one.json");
  EXPECT_EQ(one.substr(0, 2000), tables("2", "two.json").substr(0, 2000));
  EXPECT_EQ(run({"series", "--of", at("fit.nc"), "--ahead", "2", "--seed", "9", "--tables",
                 at("of.json")}),
            0)
      << said();
  for (const auto& [option, value] :
       {std::pair{"--draws", "50"}, {"--family", "student"}, {"--priors", "flat"}}) {
    EXPECT_EQ(run({"series", "--of", at("fit.nc"), option, value}), 2) << option;
    EXPECT_NE(said().find(option), std::string::npos) << said();
  }
  EXPECT_EQ(
      run({"series", "flow ~ trend", "--data", kNile, "--method", "optimize", "--draws", "50"}), 2);
  EXPECT_NE(said().find("--draws"), std::string::npos) << said();
  const std::string again = io::read_file(at("of.json"));
  EXPECT_EQ(again.substr(again.find("\"components\"")).substr(0, 2000), one.substr(0, 2000));
}

// Times without a row are missing outcomes: the same likelihood as with rows that are empty.
TEST_F(SeriesRun, takes_gaps_between_times_as_missing_outcomes) {
  write("full.csv",
        "month,y\n2020-01,1\n2020-02,2\n2020-03,\n2020-04,1.5\n2020-05,3\n2020-06,2.5\n");
  write("gap.csv", "month,y\n2020-01,1\n2020-02,2\n2020-04,1.5\n2020-05,3\n2020-06,2.5\n");
  const auto program = [&](const std::string& file, const std::string& folder) {
    EXPECT_EQ(run({"series", "y ~ level", "--data", at(file), "--write", at(folder)}), 0) << said();
    return io::read_file(at(folder + "/data.json"));
  };
  const std::string full = program("full.csv", "a");
  EXPECT_EQ(full, program("gap.csv", "b"));
  EXPECT_NE(printed().find("1 of 6 times have no outcome"), std::string::npos) << printed();
}

class SeriesText : public SeriesRun {
 protected:
  // The model and the program of a formula.
  std::string explained(const std::string& table, const std::string& formula,
                        std::vector<std::string> more = {}) {
    write("t.csv", table);
    std::vector<std::string> all{"series", formula, "--data", at("t.csv"), "--explain"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(run(all), 0) << said();
    return printed();
  }
};

TEST_F(SeriesText, names_a_prior_with_or_without_spaces) {
  const std::string table = reference_table(false);
  const std::vector<std::string> prior{"--prior", "sd( level ) ~  exponential(0.5)"};
  EXPECT_NE(explained(table, "y ~ level", prior).find("sd_level ~ exponential(0.5);"),
            std::string::npos);
  // The upper bound of bsts goes with its prior.
  EXPECT_NE(explained(table, "y ~ level", {"--priors", "bsts"}).find("upper="), std::string::npos);
  const std::string replaced =
      explained(table, "y ~ level", {"--priors", "bsts", prior[0], prior[1]});
  EXPECT_NE(replaced.find("real<lower=0> sd_level;"), std::string::npos) << replaced;
  EXPECT_NE(replaced.find("sd_level ~ exponential(0.5);"), std::string::npos) << replaced;
}

TEST_F(SeriesText, declares_two_terms_of_harmonics_under_two_names) {
  const std::string text =
      explained(reference_table(false), "y ~ harmonics(4, 1) + harmonics(10, 2)");
  EXPECT_NE(text.find("matrix[T, 2] X_harmonics;"), std::string::npos) << text;
  EXPECT_NE(text.find("matrix[T, 4] X_harmonics"), std::string::npos) << text;
  EXPECT_EQ(text.find("matrix[T, 4] X_harmonics;"), std::string::npos) << text;
}

TEST_F(SeriesText, keeps_the_digits_of_locations_and_of_the_formula) {
  EXPECT_NE(explained(reference_table(false), "y ~ level + cycle(365.25)").find("/ 365.25;"),
            std::string::npos);
  EXPECT_NE(explained("y\n1234567\n1234560\n1234570\n1234565\n", "y ~ 1").find("normal(1234567, "),
            std::string::npos);
}

// The prior of the first level is about the first outcome, so a column's origin must not matter: 1,000 more in each row changes no number.
TEST_F(SeriesText, takes_columns_less_their_means_and_says_where_it_does_not) {
  const auto data_of = [&](const std::string& name, const std::string& table) {
    write(name + ".csv", table);
    EXPECT_EQ(run({"series", "y ~ level + x", "--data", at(name + ".csv"), "--write", at(name)}), 0)
        << said();
    std::ifstream file(at(name) + "/data.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string near = data_of("near", "y,x\n4,1\n5,2\n4,3\n6,6\n");
  EXPECT_FALSE(near.empty());
  EXPECT_EQ(near, data_of("far", "y,x\n4,1001\n5,1002\n4,1003\n6,1006\n"));
  EXPECT_NE(explained("y,x\n4,1001\n5,1002\n4,1003\n6,1006\n", "y ~ level + dynamic(x)")
                .find("dynamic(I(x - 1003))"),
            std::string::npos)
      << printed();
}

TEST_F(SeriesText, reads_months_in_other_forms_and_counts_times_without_rows) {
  EXPECT_NE(
      explained("date,y\n2024-01-30,1\n2024-02-29,2\n2024-03-30,4\n2024-04-30,3\n", "y ~ level")
          .find("4 times, monthly, from 2024-01-30 to 2024-04-30"),
      std::string::npos)
      << printed();
  EXPECT_NE(explained("month,y\n202311,1\n202312,2\n202401,4\n202402,3\n", "y ~ level")
                .find("4 times, monthly, from 2023-11 to 2024-02"),
            std::string::npos)
      << printed();
  EXPECT_NE(
      explained("date,y\n2024-01-01,1\n2024-01-03,2\n2024-01-14,4\n2024-01-29,3\n", "y ~ level")
          .find("25 of 29 times have no row"),
      std::string::npos)
      << printed();
}

TEST_F(SeriesRun, refuses_what_it_cannot_read) {
  const auto says = [&](const std::string& table, const std::string& formula,
                        const std::string& words, std::vector<std::string> more = {}) {
    write("t.csv", table);
    std::vector<std::string> all{"series", formula, "--data", at("t.csv"), "--explain"};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_NE(run(all), 0) << formula;
    EXPECT_NE(said().find(words), std::string::npos) << formula << "\n" << said();
  };
  const std::string good =
      "date,y,x\n2020-01-01,1,2\n2020-01-02,2,1\n2020-01-03,4,3\n2020-01-04,3,3\n";
  says("date,y\n2020-01-01,1\n2020-01-03,2\n2020-01-02,3\n2020-01-04,3\n", "y ~ level", "t.csv:4");
  says("date,y\n2020-01-01,1\n2020-01-02,2\n2020-01-02,3\n2020-01-04,3\n", "y ~ level",
       "is that of row 2, too");
  says("date,y\n2020-01-01,1\nsoon,2\n2020-01-02,3\n2020-01-04,3\n", "y ~ level",
       "'soon' is no time");
  says(good, "y ~ levle()", "level");
  says(good, "y ~ level + z", "there is no column z");
  says(good, "y ~ level + trend", "two components have a level");
  says(good, "y ~ level + season(12)", "no more than the series");
  says(good, "y ~ level + x", "which the forecast needs", {"--ahead", "2"});
  says(good, "y ~ level", "names no parameter", {"--prior", "sd(slope) ~ exponential(1)"});
  says(good, "y ~ level + x * x", "I(x * x)");
  says(good, "y ~ level", "averages", {"--family", "student", "--method", "optimize"});
  says("date,y\n2020-01-01,1\n2020-01-02,-1\n2020-01-03,4\n2020-01-04,3\n", "log(y) ~ level",
       "y = -1");
  says("date,y,h\n2020-01-01,1,\n2020-01-02,2,1\n2020-01-03,4,\n2020-01-04,3,\n",
       "y ~ level + holiday(h)", "which the forecast needs", {"--ahead", "2"});
  says("date,y,x\n2020-01-01,1,2\n2020-01-02,2,\n2020-01-03,4,3\n2020-01-04,3,3\n", "y ~ level + x",
       "--missing drop");
}
}  // namespace
}  // namespace credo::cli::series_test
