// Times with proportional hazards against R's coxph and a simulation, response times of a Wiener process against a table that R drew
// from its density (tools/make_choices_table.R).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/rng.hpp"
#include "io/file.hpp"
#include "models/regression/family.hpp"
#include "support/command_run.hpp"
#include "support/text_model.hpp"

namespace credo::cli::regression_times_test {
namespace {
const std::string kData = CREDO_SOURCE_DIR "/tests/data/regression/";

struct Figure {
  double mean = kNaN, sd = kNaN;
};

class TimesRun : public testing::CommandRun {
 protected:
  TimesRun() : CommandRun("regression_times") {}

  std::map<std::string, Figure> fit(const std::string& formula, const std::string& table,
                                    std::vector<std::string> more) {
    std::vector<std::string> words{"regression", formula,   "--data", table,       "--seed",
                                   "1",          "--quiet", "-o",     at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 0) << said();
    std::map<std::string, Figure> all;
    for (const auto& row : json({"summary", at("fit.nc")}).items)
      all[row.at("name").text] = {row.at("mean").number, row.at("sd").number};
    return all;
  }
  std::string refused(const std::string& formula, const std::string& table,
                      const std::string& family) {
    EXPECT_EQ(run({"regression", formula, "--data", table, "--family", family, "--explain"}), 4);
    return said();
  }
};

// R 4.2, survival: coxph(Surv(time, status) ~ karno + trt, veteran). A spline with five parts and the partial likelihood, which has
// any baseline, differ by a fraction of the standard errors; with ends as events they differ by several.
TEST_F(TimesRun, of_veterans_have_the_hazard_ratios_of_the_partial_likelihood) {
  const std::vector<std::string> flat{"--family", "cox", "--priors", "flat", "--chains", "2",
                                      "--draws",  "400"};
  const auto all = fit("time | cens(censored) ~ karno + trt", kData + "veteran.csv", flat);
  EXPECT_NEAR(all.at("b_karno").mean, -0.033953564, 0.3 * 0.005083555);
  EXPECT_NEAR(all.at("b_karno").sd, 0.005083555, 0.1 * 0.005083555);
  EXPECT_NEAR(all.at("b_trt").mean, 0.177322257, 0.3 * 0.183148518);
  EXPECT_NEAR(all.at("b_trt").sd, 0.183148518, 0.1 * 0.183148518);
  EXPECT_EQ(run({"loo", at("fit.nc")}) & ~8, 0) << said();
  EXPECT_EQ(run({"ppc", at("fit.nc"), "--replicates", "250", "--seed", "3"}) & ~8, 0) << said();
}

// Times whose hazards are proportional, with the slope 0.8; about half of them are censored.
std::string survival_table() {
  std::string text = "time,censored,x\n";
  Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = 0});
  for (int k = 0; k < 1000; ++k) {
    const double x = k % 2 == 0 ? 1.0 : 0.0;
    const double time = 10.0 * std::pow(-std::log(rng.uniform()) / std::exp(0.8 * x), 0.7),
                 end = 16.0 * rng.uniform();
    text += fmt::format("{},{},{}\n", std::min(time, end), time <= end ? 0 : 1, x);
  }
  return text;
}

// The parameter of the simulation lies within 4 sds of the posterior; where ends are taken for events, it doesn't.
TEST_F(TimesRun, of_a_simulation_have_its_hazard_ratio) {
  write("t.csv", survival_table());
  const std::vector<std::string> short_run{"--family", "cox",     "--chains", "2",
                                           "--warmup", "400", "--draws",  "400"};
  const auto right = fit("time | cens(censored) ~ x", at("t.csv"), short_run);
  EXPECT_NEAR(right.at("b_x").mean, 0.8, 4.0 * right.at("b_x").sd);
  EXPECT_LT(right.at("b_x").sd, 0.15);
  const auto wrong = fit("time ~ x", at("t.csv"), short_run);
  EXPECT_GT(std::abs(wrong.at("b_x").mean - 0.8), 4.0 * wrong.at("b_x").sd);
}

TEST_F(TimesRun, of_choices_have_the_parameters_of_the_simulation) {
  const std::vector<std::string> wiener{"--family", "wiener",   "--chains", "2",
                                        "--warmup", "400", "--draws",  "400"};
  const std::map<std::string, double> truth{
      {"b_x", 0.9}, {"bs", 1.3}, {"ndt", 0.25}, {"bias", 0.45}, {"intercept_at_zero", 0.3}};
  const auto all = fit("time | dec(response) ~ x", kData + "choices.csv", wiener);
  for (const auto& [name, value] : truth) {
    EXPECT_NEAR(all.at(name).mean, value, 4.0 * all.at(name).sd) << name;
  }
  EXPECT_LT(all.at("b_x").sd, 0.2);
  EXPECT_EQ(run({"loo", at("fit.nc")}) & ~8, 0) << said();
  EXPECT_EQ(run({"ppc", at("fit.nc"), "--replicates", "250", "--seed", "3"}) & ~8, 0) << said();
  write("new.csv", "x\n0\n1\n");
  for (const auto& row : json({"predict", at("fit.nc"), "--data", at("new.csv"), "--seed", "2"}).items)
    EXPECT_GT(row.at("mean").number, 0.25);
  // Responses as numbers, and all of them exchanged: the slope has the other sign.
  std::string flipped = "time,up,x\n";
  std::istringstream lines(io::read_file(kData + "choices.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t a = line.find(','), b = line.rfind(',');
    flipped += line.substr(0, a) + (line.substr(a, b - a) == ",upper" ? ",0" : ",1") +
               line.substr(b) + "\n";
  }
  write("flipped.csv", flipped);
  const auto other = fit("time | dec(up) ~ x", at("flipped.csv"), wiener);
  EXPECT_NEAR(other.at("b_x").mean, -all.at("b_x").mean, 0.5 * all.at("b_x").sd);
  EXPECT_NEAR(other.at("bias").mean, 1.0 - all.at("bias").mean, 0.5 * all.at("bias").sd);
}

// The mean time given the boundary, by R's integrals; 40,000 draws have errors of 0.002 and 0.0012.
TEST_F(TimesRun, of_choices_are_drawn_given_the_response) {
  std::string functions;
  for (const models::StanFunction& f : models::find_family("wiener")->functions) functions += f.text;
  const auto mean_of = [&](const char* arguments) {
    const auto model = model::model_from(fmt::format(
        "functions {{\n{}}}\nparameters {{ real unused; }}\ngenerated quantities {{\n  real mean_draw "
        "= 0;\n  for (n in 1:40000) mean_draw += wiener_response_rng({}) / 40000;\n}}\n",
        functions, arguments));
    Rng rng({.seed = 11, .purpose = 1, .chain = 0, .iteration = 0});
    return model->draw_outputs().write(std::vector<double>{0.0}, rng).back();
  };
  EXPECT_NEAR(mean_of("1, 1.4, 0, 0.4, 0.8"), 0.5013368599, 0.008);
  EXPECT_NEAR(mean_of("0, 1.4, 0, 0.4, 0.8"), 0.3760871756, 0.008);
  EXPECT_NEAR(mean_of("1, 1.4, 0, 0.4, -2.5"), 0.3080154257, 0.005);
  EXPECT_NEAR(mean_of("0, 1.4, 0, 0.4, -2.5"), 0.2147918010, 0.005);
}

TEST_F(TimesRun, that_make_no_sense_are_refused) {
  write("t.csv", "y,x,r,s\n0.5,1,1,upper\n0.7,2,0,lower\n0.9,3,2,middle\n0.6,4,1,upper\n");
  const auto has = [&](const std::string& formula, const std::string& family,
                       const std::string& part) {
    const std::string said = refused(formula, at("t.csv"), family);
    EXPECT_NE(said.find(part), said.npos) << formula << "\n" << said;
  };
  has("y ~ x", "wiener", "the family wiener needs the response of each row");
  has("y | dec(x) ~ 1", "gamma", "dec() belongs to the family wiener");
  has("y | dec(r) ~ x", "wiener", "r is 2 in row 3\n  hint: a response of dec() is 1");
  has("y | dec(s) ~ x", "wiener", "s has the text 'middle'");
  has("y | dec(2) ~ x", "wiener", "dec() takes a column");
  has("y | dec(x) ~ 1; ndt ~ x", "wiener", "ndt has no formula: it lies below all outcomes");
  has("y | dec(x) + subset(x) ~ 1", "wiener(ndt = 0.6)", "x is 2 in row 2");
  write("u.csv", "y,x,r\n0.5,1,1\n0.7,2,0\n");
  EXPECT_NE(refused("y | dec(r) ~ x", at("u.csv"), "wiener(ndt = 0.6)")
                .find("ndt is 0.6, and the least outcome is 0.5"),
            std::string::npos)
      << said();
  write("v.csv", "y,x\n2,1\n2,3\n2,4\n");
  EXPECT_NE(refused("y ~ x", at("v.csv"), "cox").find("needs times that differ"),
            std::string::npos)
      << said();
  write("w.csv", "y,x\n-2,1\n2,3\n3,4\n");
  EXPECT_NE(refused("y ~ x", at("w.csv"), "cox").find("y is -2 in row 1"), std::string::npos)
      << said();
  write("c.csv", "y,x\n1,1\n2,3\n3,4\n");
  EXPECT_NE(refused("y ~ x", at("c.csv"), "mixture(cox, cox)")
                .find("can't be a component of a mixture"),
            std::string::npos)
      << said();
}
}  // namespace
}  // namespace credo::cli::regression_times_test
