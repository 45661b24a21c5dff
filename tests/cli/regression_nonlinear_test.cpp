// Nonlinear formulas, against R's nls on data that R ships, and against the same model as a linear formula.
#include <gtest/gtest.h>

#include "support/command_run.hpp"

namespace credo::cli::regression_nonlinear_test {
namespace {
const std::string kTables = CREDO_SOURCE_DIR "/examples/regression/";

struct Figure {
  double mean = kNaN, sd = kNaN, error = kNaN;
};

class NonlinearRegressions : public testing::CommandRun {
 protected:
  NonlinearRegressions() : CommandRun("nonlinear_regressions") {}

  std::map<std::string, double> mode_of(const std::string& formula, const std::string& table) {
    std::map<std::string, double> all;
    const testing::Json answer =
        json({"regression", formula, "--nonlinear", "--data", kTables + table, "--priors", "flat",
              "--method", "optimize", "--seed", "1"});
    for (const testing::Json& row : answer.at("mode").items)
      all[row.at("name").text] = row.at("value").number;
    return all;
  }
  void fit(const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), "regression");
    words.insert(words.end(), {"--seed", "1", "--quiet", "-o", at(name)});
    ASSERT_EQ(run(words), 0) << said();
  }
  std::map<std::string, Figure> figures(std::vector<std::string> words) {
    std::map<std::string, Figure> all;
    for (const testing::Json& row : json(std::move(words)).items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number,
                                  row.at("mcse_mean").number};
    return all;
  }
};

// R 4.2, nls with tol = 1e-7; sigma is the root of the mean square. nls ends within 1e-7 of a standard error in the direction of the
// gradient, and the climb at a gradient of 1e-4, which is less than 1e-5 of each estimate.
constexpr double kClimb = 1e-5;

TEST_F(NonlinearRegressions, have_the_estimates_of_nls) {
  const auto check = [](const std::map<std::string, double>& own,
                        const std::map<std::string, double>& peer) {
    for (const auto& [name, value] : peer)
      EXPECT_NEAR(own.at(name), value, kClimb * std::abs(value)) << name;
  };
  check(mode_of("rate ~ Vm * conc / (K + conc); Vm ~ 0 + state; K ~ 0 + state", "puromycin.csv"),
        {{"b_Vm_state.1", 212.6837426},
         {"b_Vm_state.2", 160.2800454},
         {"b_K_state.1", 0.0641212808},
         {"b_K_state.2", 0.0477081834},
         {"sigma", 9.452520042}});
  check(mode_of("height ~ Asym + (R0 - Asym) * exp(-exp(lrc) * age); Asym ~ 1; R0 ~ 1; lrc ~ 1",
                "loblolly.csv"),
        {{"intercept_Asym", 102.262110518},
         {"intercept_R0", -8.533057449},
         {"intercept_lrc", -3.246130305}});
  // A planted error of 2 % in the expression moves K by more.
  const auto wrong = mode_of("rate ~ Vm * conc / (K + 1.02 * conc); Vm ~ 0 + state; K ~ 0 + state",
                             "puromycin.csv");
  EXPECT_GT(std::abs(wrong.at("b_K_state.1") - 0.0641212808), 100.0 * kClimb * 0.0641);
}

// A line with effects of persons, once as a nonlinear formula: two programs of one posterior, whose intercepts differ in place.
TEST_F(NonlinearRegressions, of_a_line_with_groups_have_its_posterior) {
  const std::vector<std::string> data{"--data", kTables + "sleepstudy.csv", "--priors", "flat"};
  std::vector<std::string> line{"Reaction ~ Days + (1 | Subject)"},
      other{"Reaction ~ a + b * Days; a ~ 1 + (1 | Subject); b ~ 1", "--nonlinear"};
  line.insert(line.end(), data.begin(), data.end());
  other.insert(other.end(), data.begin(), data.end());
  fit("line.nc", line), fit("other.nc", other);
  const auto a = figures({"summary", at("line.nc")}), b = figures({"summary", at("other.nc")});
  const std::map<std::string, std::string> names{{"intercept_at_zero", "intercept_a"},
                                                 {"b_Days", "intercept_b"},
                                                 {"sd_Subject", "sd_a_Subject"},
                                                 {"sigma", "sigma"}};
  for (const auto& [one, two] : names) {
    const double error = std::hypot(a.at(one).error, b.at(two).error);
    EXPECT_NEAR(a.at(one).mean, b.at(two).mean, 4.0 * error) << one;
    EXPECT_NEAR(a.at(one).sd, b.at(two).sd, 0.1 * a.at(one).sd) << one;
    EXPECT_GT(0.4 * a.at(one).sd, 4.0 * error) << one;  // four tenths of an sd would be seen
  }
  // New persons, and known ones: the same predictions.
  write("new.csv", "Days,Subject\n5,308\n5,new\n");
  const std::vector<std::string> more{"--data", at("new.csv"), "--seed", "3", "--scale", "mean"};
  std::vector<std::string> first{"predict", at("line.nc")}, second{"predict", at("other.nc")};
  first.insert(first.end(), more.begin(), more.end());
  second.insert(second.end(), more.begin(), more.end());
  const auto p = figures(first), q = figures(second);
  for (const char* row : {"mean_outcome.1", "mean_outcome.2"}) {
    EXPECT_NEAR(p.at(row).mean, q.at(row).mean, 4.0 * std::hypot(p.at(row).error, q.at(row).error));
    EXPECT_NEAR(p.at(row).sd, q.at(row).sd, 0.1 * p.at(row).sd);
  }
}

// The prediction of nls is 188.50886 with a standard error of 4.5; the posterior with wide priors is a little skewed.
TEST_F(NonlinearRegressions, predict_leave_out_replicate_and_have_effects) {
  fit("fit.nc", {"rate ~ Vm * conc / (K + conc); Vm ~ 0 + state; K ~ 0 + state", "--nonlinear",
                 "--data", kTables + "puromycin.csv", "--prior", "Vm ~ normal(200, 100)", "--prior",
                 "K ~ lognormal(-2.5, 2)"});
  write("new.csv", "conc,state\n0.5,treated\n");
  const auto p = figures({"predict", at("fit.nc"), "--data", at("new.csv"), "--seed", "3"});
  EXPECT_NEAR(p.at("mean_outcome.1").mean, 188.50886,
              4.0 * p.at("mean_outcome.1").error + 0.2 * 4.5);
  EXPECT_EQ(json({"loo", at("fit.nc")}).at("rows").items.size(), 23u);
  EXPECT_EQ(run({"ppc", at("fit.nc"), "--seed", "3"}) & ~8, 0) << said();
  EXPECT_EQ(run({"effects", at("fit.nc"), "--of", "state"}), 0) << said();
}
}  // namespace
}  // namespace credo::cli::regression_nonlinear_test
