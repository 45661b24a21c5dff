// credo effects against coefficients, and against computations from the draws of the fits by hand.
#include <gtest/gtest.h>

#include "results/arrays/array_file.hpp"
#include "results/files/fit.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::effects_test {
namespace {
const std::string kTables = CREDO_SOURCE_DIR "/examples/regression/";

double logistic(double eta) { return 1.0 / (1.0 + std::exp(-eta)); }
double sample_variance(const std::vector<double>& x) {
  double sum = 0.0, squares = 0.0;
  for (const double v : x) sum += v;
  const double mean = sum / static_cast<double>(x.size());
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(x.size() - 1);
}

class Effects : public testing::CommandRun {
 protected:
  Effects() : CommandRun("effects") {}

  void fit(const std::string& formula, const std::string& table,
           std::vector<std::string> more = {}) {
    std::vector<std::string> words{"regression", formula, "--data",     table,     "--seed", "1",
                                   "--quiet",    "-o",    at("fit.nc"), "--draws", "100"};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words), 0) << said();
  }
  // Effects draw by draw, of all chains one after another, by their names.
  std::map<std::string, std::vector<double>> draws_of(std::vector<std::string> words) {
    words.insert(words.begin(), {"effects", at("fit.nc"), "-o", at("effects.nc")});
    answer_ = json(std::move(words));
    const auto file = results::read_arrays(at("effects.nc"));
    const std::vector<double> values = file->find("effect_draws", "value");
    const std::vector<testing::Json>& lines = answer_.at("effects").items;
    std::map<std::string, std::vector<double>> draws;
    for (std::size_t k = 0; k < values.size(); ++k)
      draws[lines[k % lines.size()].at("name").text].push_back(values[k]);
    return draws;
  }
  std::vector<double> quantity(const std::string& name) const {
    const std::vector<std::string> files{at("fit.nc")};
    const auto fit = results::open_fit(files);
    const auto place = results::find_quantity(*fit, name);
    EXPECT_TRUE(place.has_value()) << name;
    const density::Draws draws = fit->quantities(false, *place, 1);
    const auto all = draws.quantity(0);
    return {all.begin(), all.end()};
  }
  const testing::Json& answer() const { return answer_; }
  double figure(const std::string& name, const char* field) const {
    for (const testing::Json& line : answer_.at("effects").items)
      if (line.at("name").text == name) return line.at(field).number;
    ADD_FAILURE() << name;
    return kNaN;
  }
  double explained(const std::string& part) const {
    for (const testing::Json& line : answer_.at("r_squared").items)
      if (line.at("part").text == part) return line.at("mean").number;
    return kNaN;
  }

 private:
  testing::Json answer_;
};

// Rounding alone: predictions of 300, and steps of 2.9 / 64.
TEST_F(Effects, of_a_linear_model_are_its_coefficients_draw_by_draw) {
  fit("Reaction ~ Days + (Days | Subject)", kTables + "sleepstudy.csv");
  const auto slopes = quantity("b_Days");
  const auto draws = draws_of({"--of", "Days", "--without-groups"}).at("Days");
  ASSERT_EQ(draws.size(), slopes.size());
  for (std::size_t k = 0; k < slopes.size(); ++k)
    EXPECT_NEAR(draws[k], slopes[k], 1e-12 * std::max(1.0, std::abs(slopes[k]))) << k;
  // With a person: the own slope.
  const auto own = quantity("r_Subject.2.1");
  const auto person = draws_of({"--of", "Days", "--at", "Subject = 308"}).at("Days");
  for (std::size_t k = 0; k < own.size(); ++k)
    EXPECT_NEAR(person[k], slopes[k] + own[k], 1e-11 * (1.0 + std::abs(slopes[k] + own[k]))) << k;
}

TEST_F(Effects, of_interactions_are_averages_of_slopes) {
  write("d.csv",
        "y,x,f\n1.2,1,a\n2.9,2,b\n2.1,3,a\n5.2,4,b\n2.8,5,a\n9.1,6,b\n4.4,7,b\n3.9,8,a\n7,2,b\n");
  fit("y ~ x * f", at("d.csv"));
  const auto slope = quantity("b_x"), more = quantity("b_x_f.1"), level = quantity("b_f.1");
  auto draws = draws_of({});
  for (std::size_t k = 0; k < slope.size(); ++k) {
    EXPECT_NEAR(draws.at("x")[k], slope[k] + more[k] * 5.0 / 9.0, 1e-11);
    EXPECT_NEAR(draws.at("f b - a")[k], level[k] + more[k] * 38.0 / 9.0, 1e-11);
  }
  EXPECT_FALSE(answer().at("effects").items[0].at("is_rough").truth);
}

// The derivative of a logistic function at the rows of the table.
TEST_F(Effects, of_a_logistic_regression_are_averages_of_its_derivatives) {
  const std::vector<double> x{0.5, 1.1, 2.0, 2.2, 3.1, 3.9, 4.4, 5.0};
  const std::vector<int> y{0, 0, 1, 0, 1, 0, 1, 1};
  std::string table = "y,x,f\n";
  for (std::size_t n = 0; n < x.size(); ++n)
    table += std::to_string(y[n]) + "," + std::to_string(x[n]) + (n % 3 == 0 ? ",u\n" : ",v\n");
  write("d.csv", table);
  fit("y ~ x + f", at("d.csv"), {"--family", "bernoulli"});
  const auto zero = quantity("intercept_at_zero"), slope = quantity("b_x"),
             level = quantity("b_f.1");
  auto draws = draws_of({"--rope=-0.1,0.1"});
  double positive = 0.0, inside = 0.0, share = 0.0;
  for (std::size_t k = 0; k < slope.size(); ++k) {
    double derivative = 0.0, difference = 0.0, noise = 0.0;
    std::vector<double> means;
    for (std::size_t n = 0; n < x.size(); ++n) {
      const double eta = zero[k] + slope[k] * x[n] + (n % 3 == 0 ? 0.0 : level[k]);
      const double p = logistic(eta);
      means.push_back(p), noise += p * (1.0 - p) / 8.0;
      derivative += p * (1.0 - p) * slope[k] / 8.0;
      difference +=
          (logistic(zero[k] + slope[k] * x[n] + level[k]) - logistic(zero[k] + slope[k] * x[n])) /
          8.0;
    }
    // Differences of fourth order with steps of an sd / 64, and slopes of up to 5 per sd.
    EXPECT_NEAR(draws.at("x")[k], derivative, 1e-5 * (0.01 + std::abs(derivative))) << k;
    EXPECT_NEAR(draws.at("f v - u")[k], difference, 1e-12) << k;
    const double variance = sample_variance(means);
    share += variance / (variance + noise);
    positive += difference > 0.0, inside += std::abs(difference) <= 0.1;
  }
  const auto count = static_cast<double>(slope.size());
  EXPECT_NEAR(figure("f v - u", "positive"), positive / count, 1e-12);
  EXPECT_NEAR(figure("f v - u", "within"), inside / count, 1e-12);
  EXPECT_NEAR(explained("all"), share / count, 1e-12);
}

// The definition of Gelman and others; without effects of groups, they count as noise.
TEST_F(Effects, of_groups_explain_variance_as_defined) {
  fit("Reaction ~ Days + (Days | Subject)", kTables + "sleepstudy.csv", {"--centred"});
  draws_of({"--of", "Days"});
  const auto zero = quantity("intercept_at_zero"), slope = quantity("b_Days"),
             sigma = quantity("sigma");
  std::vector<std::vector<double>> levels, slopes;
  for (int g = 1; g <= 18; ++g) {
    levels.push_back(quantity("r_Subject.1." + std::to_string(g)));
    slopes.push_back(quantity("r_Subject.2." + std::to_string(g)));
  }
  double all = 0.0, within = 0.0, wrong = 0.0;
  for (std::size_t k = 0; k < sigma.size(); ++k) {
    std::vector<double> means, fixed, groups;
    for (std::size_t g = 0; g < 18; ++g)
      for (int day = 0; day < 10; ++day) {
        fixed.push_back(zero[k] + slope[k] * day);
        groups.push_back(levels[g][k] + slopes[g][k] * day);
        means.push_back(fixed.back() + groups.back());
      }
    const double noise = sigma[k] * sigma[k], own = sample_variance(fixed);
    all += sample_variance(means) / (sample_variance(means) + noise);
    within += own / (own + sample_variance(groups) + noise);
    wrong += sample_variance(means) / (sample_variance(means) + sigma[k]);
  }
  const auto count = static_cast<double>(sigma.size());
  EXPECT_NEAR(explained("all"), all / count, 1e-12);
  EXPECT_NEAR(explained("within"), within / count, 1e-12);
  EXPECT_GT(std::abs(explained("all") - wrong / count), 0.05);
}

TEST_F(Effects, of_counts_among_trials_have_contrasts_and_curves) {
  fit("incidence | trials(size) ~ factor(period) + (1 | herd)", kTables + "cbpp.csv");
  const auto draws = draws_of({"--of", "period", "--pairs", "--at", "size = 1, herd = 3"});
  ASSERT_EQ(draws.size(), 6u);
  const auto zero = quantity("intercept_at_zero"), two = quantity("b_factor_period.1"),
             four = quantity("b_factor_period.3"), herd = quantity("r_herd.3");
  for (std::size_t k = 0; k < zero.size(); ++k)
    EXPECT_NEAR(draws.at("period 4 - 2")[k],
                logistic(zero[k] + four[k] + herd[k]) - logistic(zero[k] + two[k] + herd[k]),
                1e-12);
  const auto one = draws_of({"--contrast", "period 4 - 2", "--at", "size = 1, herd = 3"});
  EXPECT_EQ(one.at("period 4 - 2"), draws.at("period 4 - 2"));
  EXPECT_EQ(draws_of({"--of", "period", "--curve"}).size(), 4u);
}

TEST_F(Effects, on_probabilities_of_categories_sum_to_zero) {
  std::string table = "rating,x\n";
  for (int k = 0; k < 60; ++k)
    table += std::to_string(1 + (k * 7 + k / 9) % 3) + "," + std::to_string(k % 10) + "\n";
  write("ratings.csv", table);
  fit("rating ~ x", at("ratings.csv"), {"--family", "cumulative"});
  const auto draws = draws_of({"--step", "1"});
  ASSERT_EQ(draws.size(), 3u);
  for (std::size_t k = 0; k < draws.at("x + 1: 1").size(); ++k)
    EXPECT_NEAR(draws.at("x + 1: 1")[k] + draws.at("x + 1: 2")[k] + draws.at("x + 1: 3")[k], 0.0,
                1e-13);
  EXPECT_TRUE(answer().at("r_squared").items.empty());
}

TEST_F(Effects, have_a_curve_as_a_picture_and_a_text_in_words) {
  fit("dist ~ poly(speed, 2)", kTables + "cars.csv");
  ASSERT_EQ(run({"effects", at("fit.nc"), "--curve", "--grid", "5", "--plot", at("c.svg")}), 0)
      << said();
  EXPECT_NE(printed().find("speed = 25"), std::string::npos) << printed();
  EXPECT_TRUE(std::filesystem::exists(at("c.svg")));
  ASSERT_EQ(run({"effects", at("fit.nc")}), 0) << said();
  EXPECT_NE(printed().find("effects on the mean of dist, averages over 50 rows"),
            std::string::npos);
  EXPECT_NE(printed().find("R2 0."), std::string::npos) << printed();
  EXPECT_EQ(printed().find("NaN"), std::string::npos) << printed();
}

TEST_F(Effects, refuse_what_they_cannot_answer) {
  fit("dist ~ speed", kTables + "cars.csv");
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--of", "sped"}, "did you mean speed?"},
      {{"--at", "speed = fast"}, "speed has numbers, and 'fast' isn't one"},
      {{"--plot", at("c.svg")}, "add --curve"},
      {{"--curve", "--plot", at("c.gif")}, "ends in neither .svg, .png nor .pdf"},
      {{"--rope=2,1"}, "isn't LOW,HIGH with LOW below HIGH"}};
  for (const auto& [more, message] : wrong) {
    std::vector<std::string> words{"effects", at("fit.nc")};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words), 2) << message;
    EXPECT_NE(on_one_line(said()).find(message), std::string::npos) << said();
  }
  write("m.stan", "parameters { real x; } model { x ~ normal(0, 1); }");
  ASSERT_EQ(run({"sample", at("m.stan"), "--seed", "1", "--quiet", "-o", at("m.nc")}), 0);
  EXPECT_EQ(run({"effects", at("m.nc")}), 2);
  EXPECT_NE(said().find("isn't one of credo regression"), std::string::npos) << said();
}
}  // namespace
}  // namespace credo::cli::effects_test
