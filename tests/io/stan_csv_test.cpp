// Claims about CmdStan's CSV files, ours and CmdStan's.
#include "io/stan_csv.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"

namespace credo::io::stan_csv_test {
namespace {
const std::vector<std::string> kColumns{
    "lp__",        "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__",
    "divergent__", "energy__",      "mu",         "x.1.2"};

StanCsvHeader header() {
  return {
      .model = "m_model",
      .settings = {{"method", "sample"}, {"num_samples", "2"}, {"num_warmup", "3"}, {"id", "1"}},
      .columns = kColumns};
}

std::string temporary_name() {
  return (std::filesystem::temp_directory_path() /
          ("credo-csv-" + std::to_string(::getpid()) + ".csv"))
      .string();
}

std::string written(const InverseMetric& metric, StanCsvOptions options = {}) {
  const std::string path = temporary_name();
  StanCsvWriter writer(path, header(), options);
  writer.row(
      std::vector<double>{-1.25, 0.9, 0.1, 3, 7, 0, 2.5, 0.1 + 0.2, kNaN});  // kept from warm-up
  writer.adaptation(0.1234567890123, metric);
  writer.row(std::vector<double>{-2, 1, 0.1, 2, 3, 1, 3.5, 1e-300, -kInfinity});
  writer.row(std::vector<double>{-3, 1, 0.1, 2, 3, 0, 3.5, 1.0 / 3, 12345678.9});
  writer.finish(0.012, 0.5);
  std::string text = read_file(path);
  std::filesystem::remove(path);
  return text;
}

TEST(stan_csv, what_is_written_is_read_back_bit_for_bit) {
  const StanCsv csv =
      parse_stan_csv(written({.dense = false, .dimension = 2, .values = {0.5, 1.0 / 3}}), "w.csv");
  EXPECT_EQ(csv.columns, kColumns);
  EXPECT_EQ(csv.num_rows, 3);
  EXPECT_EQ(csv.num_warmup_rows, 1);
  const auto mu = csv.column(*csv.find_column("mu"));
  EXPECT_EQ(std::vector<double>(mu.begin(), mu.end()),
            (std::vector<double>{0.1 + 0.2, 1e-300, 1.0 / 3}));
  const auto x = csv.column(*csv.find_column("x.1.2"));
  EXPECT_TRUE(std::isnan(x[0]));
  EXPECT_EQ(x[1], -kInfinity);
  EXPECT_EQ(x[2], 12345678.9);
  EXPECT_EQ(csv.step_size, 0.1234567890123);
  EXPECT_FALSE(csv.inverse_metric.dense);
  EXPECT_EQ(csv.inverse_metric.values, (std::vector<double>{0.5, 1.0 / 3}));
  EXPECT_EQ(csv.warmup_seconds, 0.012);
  EXPECT_EQ(csv.sampling_seconds, 0.5);
  ASSERT_NE(csv.find_setting("num_warmup"), nullptr);
  EXPECT_EQ(*csv.find_setting("num_warmup"), "3");
  EXPECT_EQ(*csv.find_setting("model"), "m_model");
  EXPECT_FALSE(csv.find_column("nu"));
}

TEST(stan_csv, a_dense_metric_has_one_comment_a_row) {
  const StanCsv csv =
      parse_stan_csv(written({.dense = true, .dimension = 2, .values = {1, 2, 3, 4}}), "w.csv");
  EXPECT_TRUE(csv.inverse_metric.dense);
  EXPECT_EQ(csv.inverse_metric.dimension, 2);
  EXPECT_EQ(csv.inverse_metric.values, (std::vector<double>{1, 2, 3, 4}));
}

TEST(stan_csv, significant_digits_are_those_asked_for) {
  const std::string text =
      written({.dense = false, .dimension = 1, .values = {1}}, {.significant_digits = 4});
  EXPECT_NE(text.find(",0.3333,1.235e+07\n"), std::string::npos) << text;
}

// The lines that readers of CmdStan's files look for, in their order.
TEST(stan_csv, has_the_lines_that_other_readers_look_for) {
  const std::string text = written({.dense = false, .dimension = 2, .values = {0.5, 0.25}});
  std::size_t place = 0;
  for (const char* line : {"# model = m_model\n", "# method = sample\n", "\nlp__,accept_stat__,",
                           "# Adaptation terminated\n", "# Step size = 0.1234567890123\n",
                           "# Diagonal elements of inverse mass matrix:\n# 0.5, 0.25\n",
                           "#  Elapsed Time: 0.012 seconds (Warm-up)\n",
                           " 0.500 seconds (Sampling)\n", " 0.512 seconds (Total)\n"}) {
    const std::size_t found = text.find(line, place);
    ASSERT_NE(found, std::string::npos) << line << "not in\n" << text;
    place = found;
  }
}

// Made by hand in the layout of CmdStan 2.3x: defaults marked, settings indented, blank comments.
constexpr const char* kCmdStan = R"(# stan_version_major = 2
# method = sample (Default)
#   sample
#     num_samples = 2
#     adapt
#       delta = 0.8 (Default)
# id = 3
lp__,accept_stat__,mu
# Adaptation terminated
# Step size = 0.88
# Diagonal elements of inverse mass matrix:
# 0.93, 1.1
-7.5,0.9,1.5
-7,1,2.5
# 
#  Elapsed Time: 0.005 seconds (Warm-up)
#                0.01 seconds (Sampling)
#                0.015 seconds (Total)
# 
)";

TEST(stan_csv, files_of_cmdstan_are_read) {
  const StanCsv csv = parse_stan_csv(kCmdStan, "c.csv");
  EXPECT_EQ(*csv.find_setting("delta"), "0.8");
  EXPECT_EQ(*csv.find_setting("method"), "sample");
  EXPECT_EQ(csv.num_warmup_rows, 0);
  EXPECT_EQ(csv.num_rows, 2);
  EXPECT_EQ(csv.inverse_metric.values, (std::vector<double>{0.93, 1.1}));
  EXPECT_EQ(csv.sampling_seconds, 0.01);
}

std::string error_of(const std::string& text) {
  try {
    (void)parse_stan_csv(text, "c.csv");
    return {};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
}

TEST(stan_csv, a_cut_or_damaged_file_is_refused_with_its_line) {
  EXPECT_EQ(error_of("lp__,mu\n-1,2\n-1,"),
            "c.csv:3: the file ends in the middle of a line: it is incomplete");
  EXPECT_EQ(error_of("lp__,mu\n-1,2\n-1\n"), "c.csv:3: 1 values in a row of 2 columns");
  EXPECT_EQ(error_of("lp__,mu\n-1,2,3\n"), "c.csv:2: 3 values in a row of 2 columns");
  EXPECT_EQ(error_of("lp__,mu\n-1,abc\n"), "c.csv:2: expected a number, found \"abc\"");
  EXPECT_EQ(error_of("# model = x\n"),
            "c.csv:1: no line of column names: this is not a CSV file of draws");
  EXPECT_EQ(error_of("1,2\n3,4\n"), "c.csv:1: expected the column names, found numbers");
  EXPECT_NE(error_of(""), "");
  const std::string metric = "lp__\n# Elements of inverse mass matrix:\n# 1, 2\n# 3\n";
  EXPECT_EQ(error_of(metric),
            "c.csv:4: 1 values in a row of the inverse metric, 2 in the row before");
}

TEST(stan_csv, a_run_that_did_not_finish_has_no_times) {
  EXPECT_TRUE(std::isnan(parse_stan_csv("lp__,mu\n-1,2\n", "c.csv").sampling_seconds));
}

TEST(stan_csv, every_prefix_of_a_file_is_read_or_refused_without_harm) {
  const std::string text = kCmdStan;
  for (std::size_t length = 0; length < text.size(); ++length)
    (void)error_of(text.substr(0, length));
  EXPECT_EQ(error_of(text), "");
}
}  // namespace
}  // namespace credo::io::stan_csv_test
