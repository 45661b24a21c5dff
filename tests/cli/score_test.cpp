// credo score: tables of other programs, and fits against closed forms.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "io/file.hpp"
#include "score/full_conformal.hpp"
#include "score/read_predictions.hpp"
#include "score/scores.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::score_test {
namespace {

class Score : public testing::CommandRun {
 protected:
  Score() : CommandRun("score") {}
  static std::string stored(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/tests/data/score/" + name;
  }
  // The figure of a score of the first or another list.
  static double score_of(const testing::Json& answer, const std::string& name) {
    for (const testing::Json& score : answer.at("scores").items)
      if (score.at("name").text == name) return score.at("value").number;
    ADD_FAILURE() << "no score " << name;
    return kNaN;
  }
  score::CsvColumns written(const std::string& name) {
    return score::CsvColumns(io::read_file(at(name)), name);
  }
  // What the error says.
  std::string refusal(std::vector<std::string> words) {
    words.insert(words.begin(), "score");
    EXPECT_NE(run(words), 0) << printed();
    return on_one_line(said());
  }
  std::string refused_table(const std::string& text) {
    write("bad.csv", text);
    return refusal({at("bad.csv")});
  }
};

// The figures are those of tests/score, which holds them to scikit-learn's.
TEST_F(Score, scores_a_table_of_another_program) {
  const testing::Json answer = json({"score", stored("binary.csv")});
  EXPECT_EQ(answer.at("form").text, "classes");
  EXPECT_NEAR(score_of(answer, "log"), -0.6436771765438621, 1e-12);
  EXPECT_NEAR(score_of(answer, "brier"), 0.21996799094443087, 1e-12);
  EXPECT_EQ(answer.at("scores").items[0].at("rows").items.size(), 240u);
  EXPECT_EQ(answer.at("confusion").at("counts").items[0].items[0].number, 79.0);
  EXPECT_NEAR(answer.at("error_rates").at("auc").number, 0.727234753550543, 1e-12);
  EXPECT_TRUE(answer.at("calibration").at("refused").truth);
  EXPECT_NE(answer.at("sentence").text.find("too sure"), std::string::npos);
  ASSERT_EQ(run({"score", stored("binary.csv")}), 0);
  EXPECT_NE(printed().find("brier"), std::string::npos) << printed();
  EXPECT_NE(printed().find("too sure"), std::string::npos) << printed();
}

TEST_F(Score, lists_what_there_is) {
  ASSERT_EQ(run({"score", "--list"}), 0);
  for (const char* name : {"crps", "scaling-binning", "cqr", "full"})
    EXPECT_NE(printed().find(name), std::string::npos) << name;
}

TEST_F(Score, writes_recalibrated_probabilities_that_it_scores_again) {
  const std::vector<std::string> words{"score", stored("three.csv"), "--split",
                                       "0.5",   "--recalibrate",     "temperature",
                                       "-o",    at("better.csv")};
  const testing::Json answer = json(words);
  const testing::Json& better = answer.at("recalibrated").items[0];
  EXPECT_GT(score_of(better, "log"), score_of(answer, "log"));
  EXPECT_GT(better.at("parameters").at("temperature").number, 1.0);
  EXPECT_EQ(answer.at("num_rows").number, 150.0);
  const testing::Json again = json({"score", at("better.csv")});
  EXPECT_NEAR(score_of(again, "log"), score_of(better, "log"), 1e-12);
  EXPECT_NEAR(score_of(again, "brier"), score_of(better, "brier"), 1e-12);
  EXPECT_EQ(json(words).at("num_rows").number, 150.0);  // the same rows by the same seed
}

TEST_F(Score, writes_conformal_sets_also_of_rows_whose_outcome_is_not_known) {
  std::string rows = "y,mean,sd\n";
  for (int i = 1; i <= 19; ++i) rows += std::to_string(i) + ",0,1\n";  // residuals 1 ... 19
  write("calibration.csv", rows);
  write("test.csv", "y,mean,sd\n17,0,2\nNA,3,2\n-19,0,2\n");
  const testing::Json answer =
      json({"score", at("test.csv"), "--calibration", at("calibration.csv"), "--conformal", "split",
            "-o", at("sets.csv")});
  const testing::Json& sets = answer.at("conformal").items[0];
  EXPECT_EQ(sets.at("threshold").number, 18.0);  // the 18th of 19: 20 · 0.9
  EXPECT_NEAR(sets.at("exact_coverage").number, 0.9, 1e-15);
  EXPECT_EQ(sets.at("coverage").number, 0.5);
  const score::CsvColumns table = written("sets.csv");
  EXPECT_EQ(table.cell(1, 0), "");
  EXPECT_EQ(table.number(1, 1), -15.0);
  EXPECT_EQ(table.number(1, 2), 21.0);
  const testing::Json scaled =
      json({"score", at("test.csv"), "--calibration", at("calibration.csv"), "--conformal",
            "variance", "--conformal", "split"});
  EXPECT_EQ(scaled.at("conformal").items[0].at("mean_size").number, 72.0);
  EXPECT_EQ(scaled.at("conformal").items[1].at("mean_size").number, 36.0);
}

TEST_F(Score, weighs_calibration_rows_where_tables_have_weights) {
  write("calibration.csv", "y,mean,weight\n1,0,8\n2,0,1\n3,0,1\n");
  write("test.csv", "y,mean,weight\n0,0,0.5\n0,0,30\n");
  const testing::Json sets = json({"score", at("test.csv"), "--calibration", at("calibration.csv"),
                                   "--conformal", "split", "--level", "0.7"})
                                 .at("conformal")
                                 .items[0]
                                 .at("sets");
  EXPECT_EQ(sets.items[0].items[1].number, 1.0);  // 8 of 10.5
  EXPECT_EQ(sets.items[1].items[1].value(), kInfinity);
}

// Errors grow with x, and the rows that are scored have larger ones: weighted sets are wider.
TEST_F(Score, estimates_weights_where_covariates_are_shifted) {
  Rng rng({.seed = 6, .purpose = purpose::kTest});
  const auto rows = [&](double shift) {
    std::string text = "y,mean,x\n";
    for (int i = 0; i < 200; ++i) {
      const double x = shift + rng.uniform();
      text += std::to_string((0.1 + x) * rng.normal()) + ",0," + std::to_string(x) + "\n";
    }
    return text;
  };
  write("calibration.csv", rows(0.0)), write("test.csv", rows(0.4));
  std::vector<std::string> words{
      "score", at("test.csv"), "--calibration", at("calibration.csv"), "--conformal", "split"};
  const double plain = json(words).at("conformal").items[0].at("coverage").number;
  words.insert(words.end(), {"--shift-by", "x"});
  const double weighted = json(words).at("conformal").items[0].at("coverage").number;
  EXPECT_GT(weighted, plain + 0.02);
  EXPECT_NE(refusal({at("test.csv"), "--split", "0.5", "--shift-by", "x"}).find("--calibration"),
            std::string::npos);
}

TEST_F(Score, conformalises_a_quantile_regression) {
  std::string text = "y,x\n";
  Rng rng({.seed = 5, .purpose = purpose::kTest});
  for (int i = 0; i < 300; ++i) {
    const double x = rng.uniform();
    text += std::to_string(1.0 + x + (0.2 + x) * rng.normal()) + "," + std::to_string(x) + "\n";
  }
  write("rows.csv", text);
  const testing::Json answer =
      json({"score", at("rows.csv"), "--split", "0.5", "--train", stored("regression.csv"),
            "--quantile-regression", "x", "--conformal", "cqr", "--score", "pinball"});
  EXPECT_EQ(answer.at("form").text, "quantiles");
  const testing::Json& sets = answer.at("conformal").items[0];
  EXPECT_LE(sets.at("coverage_lower").number, 0.9);
  EXPECT_GE(sets.at("coverage_upper").number, 0.9);
  EXPECT_NE(
      refusal({at("rows.csv"), "--train", stored("regression.csv")}).find("--quantile-regression"),
      std::string::npos);
  EXPECT_NE(
      refusal({at("rows.csv"), "--train", stored("regression.csv"), "--quantile-regression", "xx"})
          .find("did you mean x"),
      std::string::npos);
}

TEST_F(Score, compares_with_other_predictions_and_tells_the_regret) {
  write("online.csv", "y,p\n1,0.5\n1,0.75\n0,0.8\n");
  write("hindsight.csv", "y,p\n1,0.6\n1,0.6\n0,0.6\n");
  const testing::Json against =
      json({"score", at("online.csv"), "--against", at("hindsight.csv")}).at("against");
  for (const testing::Json& one : against.at("differences").items)
    if (one.at("name").text == "log") {
      EXPECT_NEAR(one.at("regret").number, std::log(0.6 * 0.6 * 0.4) - std::log(0.5 * 0.75 * 0.2),
                  1e-12);
    }
  EXPECT_NEAR(against.at("l2").number, std::sqrt(2.0) * (0.1 + 0.15 + 0.2) / 3.0, 1e-12);
  write("fewer.csv", "y,p\n1,0.6\n");
  EXPECT_NE(refusal({at("online.csv"), "--against", at("fewer.csv")}).find("1 rows"),
            std::string::npos);
}

TEST_F(Score, predicts_only_the_surest_rows) {
  const testing::Json answer =
      json({"score", stored("binary.csv"), "--split", "0.5", "--selective", "--max-error", "0.45"});
  const testing::Json& selective = answer.at("selective");
  EXPECT_GT(selective.at("curve").items.size(), 100u);
  EXPECT_LE(selective.at("rule").at("threshold").number, 1.0);
  EXPECT_NE(refusal({stored("binary.csv"), "--selective", "--max-error", "0.4"}).find("--split"),
            std::string::npos);
}

TEST_F(Score, corrects_probabilities_to_other_shares_of_the_classes) {
  write("rows.csv", "y,p\n1,0.5\n0,0.5\n");
  const testing::Json answer = json({"score", at("rows.csv"), "--class-shares", "0.9,0.1"});
  EXPECT_NEAR(answer.at("scores").items[1].at("rows").items[0].number, 0.81, 1e-12);  // (0.1 - 1)²
}

TEST_F(Score, scores_quantiles_draws_vectors_and_joint_likelihoods) {
  write("quantiles.csv", "y,q0.05,q0.5,q0.95\n1,0,1,2\n5,0,1,2\n");
  EXPECT_NEAR(score_of(json({"score", at("quantiles.csv")}), "interval"), (2.0 + 2.0 + 60.0) / 2.0,
              1e-12);
  write("draws.csv", "y,draw1,draw2\n0,0,1\n");
  EXPECT_NEAR(score_of(json({"score", at("draws.csv")}), "crps"), 0.25, 1e-12);
  write("vectors.csv", "y.1,y.2,draw.1.1,draw.1.2,draw.2.1,draw.2.2\n0,4,0,0,3,4\n");
  EXPECT_NEAR(score_of(json({"score", at("vectors.csv")}), "energy"), 2.25, 1e-12);
  write("joint.csv",
        "y,block,log_true,log_lik.1,log_lik.2\n1,a,-0.1,-1,-2\n1,b,-0.2,-3,-1\n1,a,-0.3,-2,-2\n");
  const testing::Json joint = json({"score", at("joint.csv")}).at("joint");
  const double a = std::log(0.5 * (std::exp(-3.0) + std::exp(-4.0))),
               b = std::log(0.5 * (std::exp(-3.0) + std::exp(-1.0)));
  EXPECT_NEAR(joint.at("log_score").number, 0.5 * (a + b), 1e-12);
  EXPECT_NEAR(joint.at("kl").number, 0.5 * (-0.4 - a - 0.2 - b), 1e-12);
}

TEST_F(Score, says_what_is_wrong_with_a_table) {
  const auto expect = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(refused_table(text).find(words), std::string::npos) << text << said();
  };
  expect("y,p\n1,1.5\n", "1.5 is no probability");
  EXPECT_NE(on_one_line(said()).find("bad.csv:2, column p"), std::string::npos) << said();
  expect("y,p1,p2\n1,0.5,0.4\n", "--normalise");
  expect("y,p1,p2\n3,0.5,0.5\n", "there is no class '3'");
  expect("y,p1\n1,0.5\n", "one class");
  expect("y,mean,sd\n1,0,-1\n", "above 0");
  expect("y,mean,sd\n1,0\n", "2 fields");
  expect("y,mean,sd\n1,x,1\n", "'x' is no number");
  expect("y,mean\n1,NA\n", "no finite number");
  expect("y,a\n1,2\n", "no column holds predictions");
  expect("y,mean,draw1\n1,2,3\n", "--form");
  expect("y,mean,mean\n1,2,3\n", "two columns");
  expect("y,p\n", "no row");
  expect("y,\"p\n1,2\n", "quote");
  expect("y,mean,weight\n1,2,-3\n", "below 0");
  EXPECT_NE(refusal({at("none.csv")}).find("none.csv"), std::string::npos);
  EXPECT_NE(
      refusal({stored("binary.csv"), "--conformal", "cqr", "--split", "0.5"}).find("quantiles"),
      std::string::npos);
  EXPECT_NE(refusal({stored("binary.csv"), "--recalibrate", "platt", "--recalibrate", "isotonic",
                     "-o", at("x.csv")})
                .find("several"),
            std::string::npos);
  EXPECT_NE(refusal({stored("binary.csv"), "--conformal", "full"}).find("fit"), std::string::npos);
}

TEST_F(Score, says_what_is_odd_about_a_table) {
  write("crossing.csv", "y,q0.1,q0.9\n1,2,0\n1,0,2\n");
  EXPECT_NE(json({"score", at("crossing.csv")}).at("remark").text.find("cross in 1"),
            std::string::npos);
  write("impossible.csv", "y,p\n1,0\n0,0.5\n");
  ASSERT_EQ(run({"score", at("impossible.csv")}), 0);
  EXPECT_NE(printed().find("1 of 2 outcomes had the probability 0"), std::string::npos)
      << printed();
  EXPECT_NE(refused_table("y,p_\xff,p_b\nb,0.5,0.5\n").find("UTF-8"), std::string::npos) << said();
}

TEST_F(Score, takes_quoted_names_and_labels) {
  write("labels.csv", "\"y\",\"p_cat\",\"p_a dog\"\r\n\"cat\",0.7,0.3\r\n\"a dog\",0.6,0.4\r\n");
  const testing::Json answer = json({"score", at("labels.csv")});
  EXPECT_EQ(score_of(answer, "accuracy"), 0.5);
}

// The other kind of score: S = ∂ log L / ∂ θ of N rows, whose mean over data is 0 at the parameters that made them, and nowhere
// else. y ~ poisson(exp(a)): S = Σ y - N exp(a), with variance N exp(a).
TEST_F(Score, of_a_likelihood_has_mean_zero_at_the_truth_only) {
  constexpr double kRate = 2.0;
  constexpr Index kRows = 20'000;
  write("model.stan",
        "data { int N; array[N] int y; } parameters { real a; } model { y ~ poisson_log(a); }");
  Rng rng({.seed = 7, .purpose = purpose::kTest});
  std::string counts;
  double sum = 0.0;
  for (Index i = 0; i < kRows; ++i) {
    Index count = -1;  // arrivals of a Poisson process within a time of 2
    for (double time = 0.0; time < kRate; time += rng.exponential()) ++count;
    counts += (i > 0 ? "," : "") + std::to_string(count);
    sum += static_cast<double>(count);
  }
  write("data.json", R"({"N": 20000, "y": [)" + counts + "]}");
  write("points.json", "[[" + std::to_string(std::log(kRate)) + "], [0.8]]");
  ASSERT_EQ(run({"log-prob", at("model.stan"), "--data", at("data.json"), "--unconstrained",
                 at("points.json"), "--terms", "likelihood"}),
            0);
  const testing::Json points = testing::parse_json(printed());
  const auto score_at = [&](std::size_t k) {
    return points.items[k].at("gradient").items[0].number;
  };
  const double error = std::sqrt(kRate * kRows);
  EXPECT_NEAR(score_at(0), sum - kRate * kRows, 0.05);  // six digits of log 2
  EXPECT_LT(std::abs(score_at(0)), 4.5 * error);
  EXPECT_GT(std::abs(score_at(1)), 4.5 * error);  // exp(0.8) is 2.23
}

// --- Fits -----------------------------------------------------------------------------------------------
// mu is flat, so that mu | y is normal(mean, 1 / n): everything below is in closed form.
class FitScore : public Score {
 protected:
  const std::vector<double> y_{0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5};
  double mean_ = std::accumulate(y_.begin(), y_.end(), 0.0) / 10.0;

  std::string fit(const std::string& program, const std::string& data) {
    write("model.stan", program), write("data.json", data);
    EXPECT_EQ(run({"sample", at("model.stan"), "--data", at("data.json"), "--quiet", "--seed", "3",
                   "--draws", "2000", "-o", at("fit.nc")}),
              0)
        << said();
    return at("fit.nc");
  }
  std::string normal_fit() {
    return fit("data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }",
               R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5]})");
  }
};

double log_normal(double y, double mean, double variance) {
  return -0.5 * std::log(2.0 * M_PI * variance) - 0.5 * (y - mean) * (y - mean) / variance;
}

TEST_F(FitScore, predicts_its_own_rows_from_the_others) {
  const testing::Json answer = json({"score", normal_fit(), "--replicates", "8000"});
  EXPECT_EQ(answer.at("form").text, "draws");
  for (const testing::Json& score : answer.at("scores").items)
    for (std::size_t i = 0; i < 10; ++i) {
      const double others = (10.0 * mean_ - y_[i]) / 9.0, variance = 1.0 + 1.0 / 9.0;
      const double found = score.at("rows").items[i].number;
      // 8000 draws, of which weights leave some thousand: errors of a density and of a CRPS are below 0.02.
      if (score.at("name").text == "log") {
        EXPECT_NEAR(found, log_normal(y_[i], others, variance), 0.06) << i;
      }
      if (score.at("name").text == "crps") {
        EXPECT_NEAR(found, score::crps_of_normal(others, std::sqrt(variance), y_[i]), 0.06) << i;
      }
    }
  // Predictions that have seen the rows are better than they should be.
  const testing::Json seen = json({"score", at("fit.nc"), "--in-sample", "--replicates", "8000"});
  EXPECT_GT(score_of(seen, "log"), score_of(answer, "log"));
}

TEST_F(FitScore, predicts_other_rows) {
  const std::string file = normal_fit();
  write("new.json", R"({"N": 3, "y": [0.0, 1.0, 4.0]})");
  const testing::Json answer =
      json({"score", file, "--test", at("new.json"), "--replicates", "8000"});
  const std::vector<double> outcomes{0.0, 1.0, 4.0};
  for (const testing::Json& score : answer.at("scores").items)
    for (std::size_t i = 0; i < 3; ++i)
      if (score.at("name").text == "log") {
        // The likelihood at 8000 draws of mu, whose standard deviation is 0.32: 4.5 errors at 4.
        EXPECT_NEAR(score.at("rows").items[i].number, log_normal(outcomes[i], mean_, 1.1), 0.06);
      }
  const testing::Json joint = json({"score", file, "--test", at("new.json"), "--form", "likelihood",
                                    "--replicates", "8000"})
                                  .at("joint");
  // Jointly normal with covariance 1 + 0.1 of all.
  double square = 0.0, sum = 0.0;
  for (const double value : outcomes)
    square += (value - mean_) * (value - mean_), sum += value - mean_;
  const double exact =
      -1.5 * std::log(2.0 * M_PI) - 0.5 * std::log(1.3) - 0.5 * (square - 0.1 * sum * sum / 1.3);
  EXPECT_NEAR(joint.at("log_score").number, exact, 0.1);
}

// A table has the same rows as the same numbers in a list, in the same order, for any order of its columns.
TEST_F(FitScore, predicts_the_rows_of_a_table) {
  const std::string file =
      fit("data { int N; vector[N] x; vector[N] y; } parameters { real mu; } model { y ~ normal(mu "
          "+ x, 1); }",
          R"({"N": 4, "x": [0, 1, 2, 3], "y": [0.3, 0.8, 3.1, 2.4]})");
  write("new.json", R"({"N": 3, "x": [0, 5, -1], "y": [0.0, 6.0, 4.0]})");
  write("new.csv", "y,place,x\n0.0,a,0\n6.0,b,5\n4.0,c,-1\n");
  const testing::Json list = json({"score", file, "--test", at("new.json"), "--seed", "1"}),
                      table = json({"score", file, "--test", at("new.csv"), "--seed", "1"});
  ASSERT_EQ(table.at("num_rows").number, 3.0);
  const std::vector<double> rests{0.0, 1.0, 5.0};  // y - x; mu given the data is normal(0.15, 1/4)
  for (std::size_t k = 0; k < list.at("scores").items.size(); ++k) {
    const testing::Json &of_list = list.at("scores").items[k],
                        &of_table = table.at("scores").items[k];
    EXPECT_EQ(of_list.at("value").number, of_table.at("value").number);
    if (of_table.at("name").text != "log") continue;
    for (std::size_t i = 0; i < 2; ++i)  // the third is 4.3 deviations off: a mean of few draws
      EXPECT_NEAR(of_table.at("rows").items[i].number, log_normal(rests[i], 0.15, 1.25), 0.06);
    EXPECT_LT(of_table.at("rows").items[2].number, -6.0);  // -10.4; in the wrong row it would be -2
  }
  write("other.csv", "x,z\n1,2\n");
  EXPECT_NE(refusal({file, "--test", at("other.csv")}).find("y"), std::string::npos);
}

// The set in closed form: the predictive density given all rows falls with the distance from their mean.
TEST_F(FitScore, makes_full_conformal_sets_as_a_refit_would) {
  const std::string file = normal_fit();
  write("new.json", R"({"N": 2, "y": [0.5, 9.0]})");
  const testing::Json sets = json({"score", file, "--test", at("new.json"), "--conformal", "full",
                                   "--level", "0.7", "--replicates", "8000"})
                                 .at("conformal")
                                 .items[0];
  double lower = kInfinity, upper = -kInfinity;
  for (double candidate = -6.0; candidate < 8.0; candidate += 1e-3) {
    std::vector<double> conformities;
    const double mean = (10.0 * mean_ + candidate) / 11.0;
    for (const double value : y_) conformities.push_back(-std::abs(value - mean));
    conformities.push_back(-std::abs(candidate - mean));
    if (score::full_conformal_p(conformities) > 0.3 + 1e-12)
      lower = std::min(lower, candidate), upper = std::max(upper, candidate);
  }
  for (const testing::Json& set : sets.at("sets").items) {
    EXPECT_NEAR(set.items[0].number, lower,
                0.08);  // the mean of the weighted draws has an error of 0.005
    EXPECT_NEAR(set.items[1].number, upper, 0.08);
  }
  EXPECT_EQ(sets.at("coverage").number, 0.5);
  EXPECT_NE(refusal({file, "--conformal", "full"}).find("--test"), std::string::npos);
}

TEST_F(FitScore, makes_sets_of_the_highest_predictive_density) {
  const std::string file = normal_fit();
  write("new.json", R"({"N": 1, "y": [0.5]})");
  std::string calibration;
  for (int i = 0; i < 19; ++i)  // distances from the mean: 0.1, 0.2, ..., 1.9, either side
    calibration += (i > 0 ? "," : "") + std::to_string(mean_ + (i % 2 == 0 ? 0.1 : -0.1) * (i + 1));
  write("calibration.json", R"({"N": 19, "y": [)" + calibration + "]}");
  const testing::Json answer =
      json({"score", file, "--test", at("new.json"), "--calibration", at("calibration.json"),
            "--conformal", "bayes", "--replicates", "8000"});
  const testing::Json& set = answer.at("conformal").items[0].at("sets").items[0];
  EXPECT_NEAR(set.items[0].number, mean_ - 1.8, 0.05);
  EXPECT_NEAR(set.items[1].number, mean_ + 1.8, 0.05);
}

// theta ~ beta(1, 1): of n others, k of them 1, the next one is 1 with probability (k + 1) / (n + 2).
TEST_F(FitScore, predicts_classes_by_their_probabilities) {
  const std::string file =
      fit("data { int N; array[N] int<lower=0, upper=1> y; } parameters { real<lower=0, upper=1> "
          "theta; } "
          "model { y ~ bernoulli(theta); }",
          R"({"N": 12, "y": [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1]})");
  const testing::Json answer = json({"score", file, "--replicates", "8000"});
  EXPECT_EQ(answer.at("form").text, "classes");
  for (const testing::Json& score : answer.at("scores").items)
    if (score.at("name").text == "log") {
      EXPECT_NEAR(score.at("rows").items[0].number, std::log(9.0 / 13.0), 0.02);  // 8 of 11 others
      EXPECT_NEAR(score.at("rows").items[1].number, std::log(1.0 - 10.0 / 13.0), 0.05);
    }
  write("new.json", R"({"N": 2, "y": [0, 1]})");
  const testing::Json sets =
      json({"score", file, "--test", at("new.json"), "--conformal", "full", "--level", "0.6"});
  // With a 1: ten rows of 13 are as likely, all 13 no likelier: p = 1. With a 0: 4 / 13 < 0.4.
  ASSERT_EQ(sets.at("conformal").items[0].at("sets").items[0].items.size(), 1u);
  EXPECT_EQ(sets.at("conformal").items[0].at("sets").items[0].items[0].text, "1");
}

// A program whose likelihood tells no rows; its generated quantity predicts, also other data.
TEST_F(FitScore, takes_a_generated_quantity_that_predicts_the_data) {
  const std::string file =
      fit("data { int N; vector[N] y; } parameters { real mu; } model { target += -0.5 * "
          "dot_self(y - mu); } "
          "generated quantities { vector[N] y_new; for (n in 1:N) y_new[n] = normal_rng(mu, 1); }",
          R"({"N": 10, "y": [0.3, -0.8, 1.1, 2.2, 0.9, -1.3, 0.1, 0.6, -0.2, 1.5]})");
  write("new.json", R"({"N": 2, "y": [0.5, 3.0]})");
  ASSERT_EQ(run({"predict", file, "--data", at("new.json"), "-o", at("predictions.nc")}), 0)
      << said();
  for (const auto& [from, num_rows] : {std::pair{file, 10}, {at("predictions.nc"), 2}}) {
    const testing::Json answer = json({"score", from, "--pair", "y=y_new", "--replicates", "8000"});
    EXPECT_EQ(answer.at("num_rows").number, num_rows);
    for (const testing::Json& score : answer.at("scores").items)
      if (score.at("name").text == "crps") {
        const double y = num_rows == 2 ? 3.0 : 0.3;
        const std::size_t row = num_rows == 2 ? 1 : 0;
        // 8000 draws: an error of 0.01.
        EXPECT_NEAR(score.at("rows").items[row].number,
                    score::crps_of_normal(mean_, std::sqrt(1.1), y), 0.05);
      }
  }
  EXPECT_NE(refusal({file, "--pair", "z=y_new"}).find("called z"), std::string::npos) << said();
  EXPECT_NE(refusal({file}).find("--pair"), std::string::npos) << said();
}

TEST_F(FitScore, refuses_rows_that_depend_on_outcomes_of_others) {
  const std::string file =
      fit("data { int N; vector[N] y; } parameters { real<lower=-1, upper=1> phi; } model { y[1] ~ "
          "normal(0, 1); "
          "for (t in 2:N) y[t] ~ normal(phi * y[t - 1], 1); }",
          R"({"N": 5, "y": [0.3, -0.8, 1.1, 2.2, 0.9]})");
  EXPECT_NE(refusal({file}).find("depends on element 1"), std::string::npos) << said();
  const std::string two =
      fit("data { int N; vector[N] y; vector[N] z; } parameters { real mu; } model { y ~ "
          "normal(mu, 1); z ~ "
          "normal(mu, 2); }",
          R"({"N": 2, "y": [0.3, -0.8], "z": [0.3, 1]})");
  EXPECT_NE(refusal({two}).find("--outcome"), std::string::npos) << said();
  EXPECT_NE(refusal({two, "--outcome", "y"}).find("has 4 rows"), std::string::npos) << said();
}

}  // namespace
}  // namespace credo::cli::score_test
