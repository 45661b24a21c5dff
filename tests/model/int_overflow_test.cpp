// Integers beyond 32 bits are refused with their place, wherever a program computes them.
#include "support/text_model.hpp"

namespace credo::model::int_overflow_test {
namespace {

std::string error_of_data(const std::string& statements) {
  try {
    model_from("data { int n; array[2] int v; }\ntransformed data {\n" + statements + "\n}\n",
               R"({"n": 100000, "v": [2000000000, 2000000000]})");
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// Note on a draw whose generated quantities are refused.
std::string note_of_draw(const std::string& statements) {
  const auto model = model_from(
      "data { int n; array[2] int v; }\nparameters { real p; }\ngenerated quantities {\n" +
          statements + "\n}\n",
      R"({"n": 100000, "v": [2000000000, 2000000000]})");
  Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = 0});
  std::string note;
  model->draw_outputs().write(std::vector<double>{0.5}, rng, &note);
  return note;
}

struct Overflow {
  std::string statements, value;
};
const std::vector<Overflow> kOverflows{
    {"int k = n * n;", "a * b: the result is 10000000000"},
    {"int k = v[1] + v[2];", "a + b: the result is 4000000000"},
    {"int k = -v[1] - v[2];", "a - b: the result is -4000000000"},
    {"int k = sum(v);", "sum: the result is 4000000000"},
    {"int k = prod(v);", "prod: the result is 4e+18"},
    {"array[2] int k = cumulative_sum(v);", "cumulative_sum: the result is 4000000000"},
    {"int k = -v[1] - 147483648; int m = -k;", "-a: the result is 2147483648"},
    {"int k = abs(-v[1] - 147483648);", "abs: the result is 2147483648"},
    {"int k = (-v[1] - 147483648) %/% -1;", "a %/% b: the result is 2147483648"},
    {"int k = 1; for (i in 1:13) k *= i;", "a * b: the result is 6227020800"},
    {"int k = 0; for (i in 1:2) k += v[i];", "a + b: the result is 4000000000"},
    {"array[2] int k; for (i in 1:2) k[i] = 2 * v[i];", "a * b: the result is 4000000000"},
    {"int k = to_int(3e9 * n);", "to_int: argument is 300000000000000"}};
}  // namespace

TEST(int_overflow, of_data_is_refused_with_its_place) {
  for (const Overflow& o : kOverflows) {
    const std::string error = error_of_data(o.statements);
    EXPECT_NE(error.find(o.value), std::string::npos) << o.statements << ": " << error;
    EXPECT_NE(error.find(":3:"), std::string::npos) << error;
  }
}

TEST(int_overflow, of_generated_quantities_is_refused_with_its_place) {
  for (const Overflow& o : kOverflows) {
    if (o.statements.find("to_int") != std::string::npos) continue;
    const std::string note = note_of_draw(o.statements);
    EXPECT_NE(note.find(o.value), std::string::npos) << o.statements << ": " << note;
    EXPECT_NE(note.find(":4:"), std::string::npos) << note;
  }
}

TEST(int_overflow, of_random_numbers_is_refused) {
  const std::string note = note_of_draw("int k = poisson_rng(1e6) * poisson_rng(1e6);");
  EXPECT_NE(note.find("a * b: the result is 9"), std::string::npos) << note;
}

TEST(int_overflow, the_ends_of_the_range_are_there) {
  const auto model = model_from(
      "parameters { real p; } generated quantities { int a = 2147483647; int b = -a - 1;"
      " int c = prod({65536, 32768, -1}); int d = prod({2147483647, 2147483647, 0});"
      " int e = sum({2147483647, 1, -1}); }");
  Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = 0});
  const std::vector<double> row = model->draw_outputs().write(std::vector<double>{0.5}, rng);
  EXPECT_EQ(std::vector<double>(row.begin() + 1, row.end()),
            (std::vector<double>{2147483647.0, -2147483648.0, -2147483648.0, 0.0, 2147483647.0}));
}

TEST(int_overflow, of_the_side_of_a_branch_that_is_not_taken_is_nothing) {
  const auto model = model_from(
      "data { int n; } parameters { real p; }"
      "model { int k = 1; if (p > 100) k = n * n; target += k * p; }",
      R"({"n": 100000})");
  const PointEvaluation at = model->evaluate_in_full(std::vector<double>{0.5});
  EXPECT_TRUE(at.status.ok());
  EXPECT_EQ(at.log_density, 0.5);
  EXPECT_FALSE(model->evaluate_in_full(std::vector<double>{100.5}).status.ok());
}

}  // namespace credo::model::int_overflow_test
