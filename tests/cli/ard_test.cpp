// credo regression with ard() by type-II maximum likelihood: its report, files, refusals, and relevance vectors.
#include <gtest/gtest.h>

#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::ard_test {
namespace {
const std::string kTables = CREDO_SOURCE_DIR "/examples/regression/";

class Ard : public testing::CommandRun {
 protected:
  Ard() : CommandRun("ard") {}
  testing::Json fit(const std::string& formula, const std::string& table, const std::string& method,
                    std::vector<std::string> more = {}) {
    std::vector<std::string> words{"regression", formula, "--data", table, "--method", method};
    words.insert(words.end(), more.begin(), more.end());
    return json(words);
  }
  // A sine with noise by a formula; rows 3 and 4 have the same x.
  void write_sine() {
    std::string csv = "y,x\n";
    for (int k = 0; k < 40; ++k)
      csv += std::to_string(sine_y(k)) + "," + std::to_string(sine_x(k)) + "\n";
    write("sine.csv", csv);
  }
  static double sine_x(int k) { return std::round((k == 3 ? 4 : k) * 2.5) / 10.0; }
  static double sine_y(int k) {
    return std::round(1e4 * (std::sin(sine_x(k)) + 2.0 + 0.15 * std::sin(12.3 * k))) / 1e4;
  }
};

// All methods agree on crimes per state, and the evidence is that of another method that shares no step with it.
TEST_F(Ard, methods_agree_on_a_table) {
  std::vector<double> evidence;
  for (const std::string method : {"em", "evidence", "mackay", "nonfactorial"}) {
    const testing::Json found = fit("y ~ ard(.)", kTables + "UScrime.csv", method);
    EXPECT_EQ(found.at("converged").truth, method != "em")
        << method;  // EM prunes slowly, and says so
    EXPECT_LT(found.at("gain_left").number, 1e-4) << method;
    evidence.push_back(found.at("log_evidence").number);
  }
  for (const double one : evidence) EXPECT_NEAR(one, evidence[0], 1e-3);
}

// log N(y | mean, C) by elimination, C from the kernel between rows and the relevance vectors that were printed.
TEST_F(Ard, relevance_vectors_have_the_evidence_of_their_kernel) {
  write_sine();
  const testing::Json found = fit("y ~ ard(kernel(x, length = 1.5))", at("sine.csv"), "evidence");
  EXPECT_TRUE(found.at("converged").truth);
  constexpr int kRows = 40;
  const double sigma = found.at("sigma").number;
  double mean = 0.0, square = 0.0;
  for (int n = 0; n < kRows; ++n) mean += sine_y(n) / kRows;
  for (int n = 0; n < kRows; ++n) square += std::pow(sine_y(n) - mean, 2) / kRows;
  std::vector<double> c(kRows * kRows, 0.0), z(kRows);
  Index num_kept = 0;
  for (const testing::Json& row : found.at("coefficients").items) {
    if (row.at("pruned").truth) continue;
    ++num_kept;
    const int centre = static_cast<int>(row.at("row").number) - 1;
    std::vector<double> f(kRows);
    double own_mean = 0.0, own_square = 0.0;
    for (int n = 0; n < kRows; ++n) {
      f[static_cast<std::size_t>(n)] =
          std::exp(-0.5 * std::pow((sine_x(n) - sine_x(centre)) / 1.5, 2));
      own_mean += f[static_cast<std::size_t>(n)] / kRows;
    }
    for (double& v : f) v -= own_mean, own_square += v * v / kRows;
    const double variance = square / own_square / row.at("precision").number;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kRows; ++j) c[i * kRows + j] += variance * f[i] * f[j];
  }
  EXPECT_LE(num_kept, 10);
  EXPECT_GE(num_kept, 3);
  double sum = kRows * std::log(2.0 * std::acos(-1.0));
  for (std::size_t i = 0; i < kRows; ++i)
    c[i * kRows + i] += sigma * sigma, z[i] = sine_y(static_cast<int>(i)) - mean;
  for (std::size_t i = 0; i < kRows; ++i) {  // C = L D L', L z = y
    sum += std::log(c[i * kRows + i]) + z[i] * z[i] / c[i * kRows + i];
    for (std::size_t k = i + 1; k < kRows; ++k) {
      const double factor = c[k * kRows + i] / c[i * kRows + i];
      z[k] -= factor * z[i];
      for (std::size_t j = i; j < kRows; ++j) c[k * kRows + j] -= factor * c[i * kRows + j];
    }
  }
  EXPECT_NEAR(found.at("log_evidence").number, -0.5 * sum, 1e-6);
}

TEST_F(Ard, the_answer_is_kept_in_a_file_and_summarised) {
  const std::string cars = kTables + "cars.csv";
  ASSERT_EQ(run({"regression", "dist ~ ard(speed)", "--data", cars, "--method", "evidence", "-o",
                 at("a.nc")}),
            0)
      << said();
  EXPECT_NE(printed().find("log evidence"), std::string::npos);
  ASSERT_EQ(run({"summary", at("a.nc")}), 0) << said();
  EXPECT_NE(printed().find("log_evidence"), std::string::npos) << printed();
}

TEST_F(Ard, draws_and_predictions_of_kernel_columns_are_those_of_the_program) {
  write_sine();
  ASSERT_EQ(
      run({"regression", "y ~ ard(kernel(x, length = 1.5))", "--data", at("sine.csv"), "--quiet",
           "--chains", "1", "--draws", "200", "--warmup", "300", "-o", at("f.nc")}),
      0)
      << said();
  write("new.csv", "x\n1.1\n20\n");
  const testing::Json found =
      json({"predict", at("f.nc"), "--data", at("new.csv"), "--scale", "mean"});
  ASSERT_GE(found.items.size(), 2u);
  EXPECT_NEAR(found.items[0].at("mean").number, std::sin(1.1) + 2.0, 0.2);
}

TEST_F(Ard, formulas_that_it_cannot_take_are_refused_with_the_reason) {
  const std::string cars = kTables + "cars.csv";
  const auto said_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "regression");
    words.insert(words.end(), {"--data", cars});
    EXPECT_NE(run(words), 0);
    return on_one_line(said());
  };
  EXPECT_NE(said_of({"dist ~ speed", "--method", "mackay"}).find("one ard()"), std::string::npos);
  EXPECT_NE(said_of({"dist ~ ard(speed)", "--method", "mackay", "--family", "student"})
                .find("must be normal"),
            std::string::npos);
  EXPECT_NE(said_of({"dist ~ ard(speed, shape = 2)", "--method", "em"}).find("shape and rate"),
            std::string::npos);
  EXPECT_NE(said_of({"dist ~ ard(kernel(speed))", "--method", "em"}).find("needs its length"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::cli::ard_test
