// Claims about the summary as text: digits, alignment, width.
#include "io/summary_table.hpp"

#include <gtest/gtest.h>

#include "io/json_reader.hpp"

namespace credo::io::summary_table_test {
namespace {
SummaryRow eight_schools_mu() {
  return {.name = "mu",
          .mean = 4.4123,
          .sd = 3.3456,
          .mcse_mean = 0.052,
          .q5 = -1.0432,
          .q50 = 4.4,
          .q95 = 9.87,
          .ess_bulk = 4123.4,
          .ess_tail = 2987.6,
          .r_hat = 1.00049,
          .mcse_sd = 0.04,
          .mcse_q5 = 0.2,
          .mcse_q50 = 0.025,
          .mcse_q95 = 0.5};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(precision, the_last_digit_is_the_one_nearest_to_the_mcse) {
  EXPECT_EQ(text_to_precision(4.4123, 0.09), "4.4");
  EXPECT_EQ(text_to_precision(4.4123, 0.02), "4.41");
  EXPECT_EQ(text_to_precision(4.4123, 0.004), "4.41");
  EXPECT_EQ(text_to_precision(4.4123, 0.003), "4.412");
  EXPECT_EQ(text_to_precision(1234.5, 40), "1200");
  EXPECT_EQ(text_to_precision(1234.5, 20), "1230");
  EXPECT_EQ(text_to_precision(1234.5, 1), "1234");
}

// The unit is within a factor sqrt(10) of the mcse, for every size of mcse.
TEST(precision, the_unit_is_within_a_factor_of_root_ten_of_the_mcse) {
  for (double mcse = 1e-5; mcse < 1e3; mcse *= 1.37) {
    const double value = 31415.9265358979;
    const double printed = std::stod(text_to_precision(value, mcse));
    EXPECT_LE(std::abs(printed - value), 0.5 * std::sqrt(10.0) * mcse * (1 + 1e-9)) << mcse;
    const std::string text = text_to_precision(value, mcse);
    const std::size_t point = text.find('.');
    const double unit = point == std::string::npos
                            ? 1
                            : std::pow(10.0, -static_cast<double>(text.size() - point - 1));
    if (mcse < 1) {
      EXPECT_GE(unit, mcse / std::sqrt(10.0) * (1 - 1e-9)) << mcse;
    }
  }
}

TEST(precision, extreme_sizes_are_scientific_with_the_digits_supported) {
  EXPECT_EQ(text_to_precision(1.23456e12, 1e9), "1.235e+12");
  EXPECT_EQ(text_to_precision(1.23456e-9, 1e-11), "1.23e-09");
  EXPECT_EQ(text_to_precision(5.0, 1e11), "0");
}

TEST(precision, without_an_error_six_digits_are_printed) {
  EXPECT_EQ(text_to_precision(3.14159265, kNaN), "3.14159");
  EXPECT_EQ(text_to_precision(3.0, 0), "3");
  EXPECT_EQ(text_to_precision(kNaN, 0.1), "-");
  EXPECT_EQ(text_to_precision(-kInfinity, kNaN), "-inf");
}

TEST(precision, zero_has_no_sign) {
  EXPECT_EQ(text_to_precision(-0.001, 0.1), "0.0");
  EXPECT_EQ(text_to_precision(-3, 100), "0");
}

TEST(summary_table, columns_are_those_promised_in_their_order) {
  const std::vector<SummaryRow> rows{eight_schools_mu()};
  const auto lines = lines_of(summary_table(rows));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "name  mean   sd  mcse_mean    5%   50%  95%  ess_bulk  ess_tail  r_hat");
  EXPECT_EQ(lines[1], "mu     4.4  3.3      0.052  -1.0  4.40   10      4123      2988  1.000");
}

TEST(summary_table, every_line_has_the_same_length) {
  std::vector<SummaryRow> rows{eight_schools_mu(),
                               {.name = "a_longer_name[10,2]", .mean = 1.5e15, .mcse_mean = 1e11}};
  rows.push_back({.name = "constant", .mean = 2, .sd = 0});
  const auto lines = lines_of(summary_table(rows));
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << line;
}

// Each number keeps the digits that its own error supports; a dash stands at the right.
TEST(summary_table, decimal_points_of_a_column_stand_below_each_other) {
  const std::vector<SummaryRow> rows{
      eight_schools_mu(),
      {.name = "a",
       .mean = -12.34567,
       .sd = 0.5,
       .mcse_mean = 0.0008,
       .r_hat = 1.2,
       .mcse_sd = 1e-3},
      {.name = "b", .mean = 1234.5, .sd = 250.0, .mcse_mean = 40, .mcse_sd = 30},
      {.name = "c", .mean = 1.5e-12, .mcse_mean = 1e-14},
      {.name = "d", .mean = 2, .sd = kNaN}};
  const auto lines = lines_of(summary_table(rows));
  for (std::size_t k = 1; k < lines.size(); ++k) EXPECT_EQ(lines[k].size(), lines[0].size());
  // Place of the decimal point in each cell of a column; the end of the number if there is none.
  const auto point_in = [&](std::size_t line, std::size_t begin, std::size_t end) {
    const std::string cell = lines[line].substr(begin, end - begin);
    const std::size_t point = cell.find('.');
    return point != cell.npos ? point : cell.find_last_not_of(' ') + 1;
  };
  const std::size_t end_of_mean = lines[0].find("mean") + 4;
  for (std::size_t k = 1; k < lines.size(); ++k)
    EXPECT_EQ(point_in(k, 4, end_of_mean), point_in(1, 4, end_of_mean)) << lines[k];
  EXPECT_NE(lines[2].find("-12.346"), std::string::npos);
  EXPECT_NE(lines[3].find("1200 "), std::string::npos);
  EXPECT_EQ(lines[3].back(), '-') << "no R-hat";
}

TEST(summary_table, a_narrow_terminal_shortens_names_then_hides_columns_and_says_so) {
  SummaryRow row = eight_schools_mu();
  row.name = "a_very_long_parameter_name_indeed[12,7]";
  const std::vector<SummaryRow> rows{row};
  const auto at80 = lines_of(summary_table(rows, 80));
  EXPECT_EQ(at80.size(), 2u);
  EXPECT_EQ(at80[0].size(), 80u);
  EXPECT_NE(at80[1].find(".."), std::string::npos);
  EXPECT_NE(at80[1].find("[12,7]"), std::string::npos);
  const auto at60 = lines_of(summary_table(rows, 60));
  ASSERT_EQ(at60.size(), 3u);
  EXPECT_LE(at60[0].size(), 60u);
  EXPECT_EQ(at60[2], "(hidden in this width: mcse_mean, 50%, ess_tail)");
  const auto at10 = lines_of(summary_table(rows, 10));
  EXPECT_EQ(at10[2], "(hidden in this width: mcse_mean, 50%, ess_tail, 5%, 95%)");
}

TEST(summary_table, no_rows_give_the_head_alone) {
  EXPECT_EQ(lines_of(summary_table({})).size(), 1u);
}

TEST(summary_json, keeps_every_digit) {
  const std::vector<SummaryRow> rows{eight_schools_mu()};
  EXPECT_EQ(
      summary_json(rows),
      "[\n{\"name\":\"mu\",\"mean\":4.4123,\"sd\":3.3456,\"mcse_mean\":0.052,\"q5\":-1.0432,"
      "\"q50\":4.4,"
      "\"q95\":9.87,\"ess_bulk\":4123.4,\"ess_tail\":2987.6,\"r_hat\":1.00049,\"mcse_sd\":0.04,"
      "\"mcse_q5\":0.2,\"mcse_q50\":0.025,\"mcse_q95\":0.5}\n]");
}
}  // namespace
}  // namespace credo::io::summary_table_test
