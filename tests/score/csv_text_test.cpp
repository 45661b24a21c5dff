// Texts in CSV files that spreadsheets would run as formulas.
#include <gtest/gtest.h>

#include "score/csv_columns.hpp"

namespace credo::score::csv_text_test {
namespace {

TEST(csv_text, no_text_is_a_formula_and_numbers_stay) {
  for (const char* text : {"=1+1", "+cmd", "-x", "@SUM(A1)", "=HYPERLINK(\"a\",\"b\")", "\t=1"}) {
    const std::string cell = csv_text(text);
    EXPECT_TRUE(cell.starts_with("'") || cell.starts_with("\"'")) << cell;
    const CsvColumns read("name\n" + cell + "\n", "t.csv");
    EXPECT_EQ(read.cell(0, 0), text);
  }
  for (const char* text : {"-1", "+2.5", "-1e-3", "a=b", "", "'=1 x"})
    EXPECT_EQ(csv_text(text), text);
  EXPECT_EQ(csv_text("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace credo::score::csv_text_test
