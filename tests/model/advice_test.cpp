// What is wrong with data, and with points where the log density isn't finite: which element, which
// outcome, and the way out.
#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::advice_test {
namespace {

std::string error_of(const std::string& declaration, const std::string& data) {
  try {
    model_from("data {\n" + declaration + "\n}", data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Advice advice_at(const std::string& text, const std::string& data, double point) {
  return model_from(text, data)->advice(std::array{point});
}

// ---- data

TEST(data_faults, name_the_element_its_place_in_the_file_and_the_bound) {
  EXPECT_EQ(
      error_of("int J; array[3] int<lower=1, upper=J> group;",
               "{\"J\": 2,\n \"group\": [1, 2, 3]}"),
      "data:2:18: group[3] is 3, but must be at most the upper bound 2 (J) (change the value, "
      "or the bound J that is declared at test.stan:2:36)");
}

TEST(data_faults, count_elements_of_matrices_as_the_file_does) {
  const std::string text = error_of("array[2] matrix<lower=0>[2, 3] m;",
                                    R"({"m": [[[1, 2, 3], [4, 5, 6]], [[7, 8, -9], [1, 1, 1]]]})");
  EXPECT_TRUE(
      text.starts_with("data:1:40: m[2,1,3] is -9, but must be at least the lower bound 0"))
      << text;
}

TEST(data_faults, of_whole_values_lie_where_these_begin) {
  EXPECT_EQ(error_of("simplex[2] p;", R"({"p": [0.5, 0.25]})"),
            "data:1:7: p: sum of the elements is 0.75, but must be 1 (within 1e-8) (divide its "
            "elements by their sum)");
}

TEST(data_faults, suggest_a_name_that_is_nearly_the_same) {
  EXPECT_NE(
      error_of("real sigma; real tau;", R"({"sigm": 1, "tau": 1})").find("\"sigm\" (data:1:2)"),
      std::string::npos);
}

// ---- points

constexpr const char* kOutside =
    "data { real y; } parameters { real m; } model { y ~ normal(m, 1) T[, 0]; }";

TEST(advice, names_the_outcome_outside_of_its_truncation) {
  const Advice advice = advice_at(kOutside, R"({"y": 2})", 0.5);
  EXPECT_EQ(advice.reason,
            "outcome y is 2, outside of its truncation T[ , ] of normal_lpdf: at most 0");
  EXPECT_NE(advice.hint, "");
  EXPECT_EQ(advice_at(kOutside, R"({"y": -2})", 0.5).reason, "");
}

TEST(advice, gives_a_parameter_the_bounds_of_its_prior) {
  const std::string text = "parameters { real s; } model { s ~ uniform(2, 3); }";
  EXPECT_EQ(advice_at(text, "{}", 1.0).hint, "declare s with <lower=2, upper=3>");
  EXPECT_EQ(advice_at(text, "{}", 2.5).hint, "");
}

TEST(advice, finds_the_first_value_that_is_nan) {
  EXPECT_EQ(advice_at("data { vector[2] x; } parameters { real m; } model { m ~ normal(x, 1); }",
                      R"({"x": [1, "NaN"]})", 0.0)
                .reason,
            "x[2] is nan in the data");
  EXPECT_EQ(advice_at("parameters { real m; } transformed parameters { real f; } "
                      "model { m ~ normal(f, 1); }",
                      "{}", 0.0)
                .reason,
            "f is nan");
}

TEST(advice, tells_data_from_parameters_where_an_argument_is_refused) {
  EXPECT_EQ(advice_at("data { real s; } parameters { real m; } model { m ~ normal(0, s); }",
                      R"({"s": 0})", 0.0)
                .hint,
            "s has such a value in the data: change it there");
}

}  // namespace
}  // namespace credo::model::advice_test
