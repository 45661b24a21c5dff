// Rewriting of old syntax: the result compiles, keeps comments and layout, and isn't changed by another run.
#include "lang/check/modernise.hpp"

#include <gtest/gtest.h>

#include "lang/check/check.hpp"
#include "lang/syntax/parser.hpp"

namespace credo::lang::modernise_test {
namespace {

std::string errors_in(const std::string& text) {
  Diagnostics diagnostics;
  const SourceMap source = SourceMap::from_text("m.stan", text, diagnostics);
  const ast::Program program = parse(source, diagnostics);
  if (!diagnostics.has_errors()) (void)check(program, diagnostics, {.source = &source});
  return diagnostics.has_errors() ? render(source, diagnostics) : "";
}

struct Rewritten {
  const char *name, *before, *after;
};

// A program around statements of the model block.
std::string program(const std::string& model, const std::string& functions = "") {
  return functions +
         "data { int N; int n; real y; array[2] real z; }\n"
         "parameters { real a; real<lower=0> s; }\n"
         "model {\n" +
         model + "\n}\n";
}

constexpr Rewritten kStatements[] = {
    {"arrow", "real x; x <- a;", "real x; x = a;"},
    {"arrow_in_a_declaration", "real x <- a;", "real x = a;"},
    {"comparison_stays", "real x = a; if (a<-1) x = 2;", "real x = a; if (a<-1) x = 2;"},
    {"comment", "a ~ normal(0, 1); # prior\n# <- y\n", "a ~ normal(0, 1); // prior\n// <- y\n"},
    {"increment", "increment_log_prob(-a^2);", "target += -a^2;"},
    {"increment_over_lines", "increment_log_prob( // why\n    -a);", "target +=  // why\n    -a;"},
    {"density", "increment_log_prob(normal_log(y, a, s));", "target += normal_lpdf(y | a, s);"},
    {"density_of_counts", "target += poisson_log(n, s);", "target += poisson_lpmf(n | s);"},
    {"density_on_the_log_scale", "target += poisson_log_log(n, a);",
     "target += poisson_log_lpmf(n | a);"},
    {"nested_density", "target += log_sum_exp(normal_log(y, a, s), normal_log(y /* , */ , 0, s));",
     "target += log_sum_exp(normal_lpdf(y | a, s), normal_lpdf(y /* , */  | 0, s));"},
    {"log_of_cdf", "target += normal_cdf_log(y, a, s) + normal_ccdf_log(y, a, s);",
     "target += normal_lcdf(y | a, s) + normal_lccdf(y | a, s);"},
    {"cdf", "target += log(normal_cdf(y, a, s));", "target += log(normal_cdf(y | a, s));"},
    {"if_else", "real x; x <- if_else(n > 1, if_else(y > 0, a, 2), s);",
     "real x; x = (n > 1 ? (y > 0 ? a : 2) : s);"},
    {"fabs_of_a_real", "target += -fabs(a);", "target += -abs(a);"},
    {"fabs_of_an_int", "target += fabs(n) / 2;", "target += abs(1.0 * (n)) / 2;"},
    {"multiply_log", "target += multiply_log(y, s);", "target += lmultiply(y, s);"},
    {"binomial_coefficient", "target += binomial_coefficient_log(n, 2);",
     "target += lchoose(n, 2);"},
    {"lp", "lp__ <- lp__ + log(s) - a;", "target += log(s) - a;"},
    {"lp_minus", "lp__ <- lp__ - 1.5 * log(s);", "target += - 1.5 * log(s);"},
    {"target", "print(get_lp());", "print(target());"},
    {"array", "real x[N];", "array[N] real x;"},
    {"array_of_vectors", "vector[2] x[N, 3]; // two of them",
     "array[N, 3] vector[2] x; // two of them"},
    {"array_with_a_value", "real x[2] <- z;", "array[2] real x = z;"},
};

class modernise : public ::testing::TestWithParam<Rewritten> {};

TEST_P(modernise, keeps_layout_and_compiles) {
  const std::string before = program(GetParam().before), after = program(GetParam().after);
  EXPECT_EQ(lang::modernise("m.stan", before).text, after);
  EXPECT_EQ(errors_in(after), "");
}

TEST_P(modernise, has_nothing_to_do_twice) {
  const Modernised twice = lang::modernise("m.stan", program(GetParam().after));
  EXPECT_EQ(twice.text, program(GetParam().after));
  EXPECT_TRUE(twice.done.empty());
}

INSTANTIATE_TEST_SUITE_P(statements, modernise, ::testing::ValuesIn(kStatements),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(modernise_program, rewrites_functions_and_declarations) {
  const std::string before =
      "functions {\n"
      "  real[] twice(real[] x, int[,] k) { return x; }\n"
      "  real own_log(real y, real m) { return normal_log(y, m, 1); }\n"
      "  real counts_log(int n, real m) { return poisson_log(n, m); }\n"
      "}\n"
      "data { int<lower=1> N; real<lower=0> y[N]; int n[N]; matrix[2, 2] S[N]; }\n"
      "parameters { real<lower=0> m[N]; }\n"
      "model { y[1] ~ own(m[1]); n[1] ~ counts(m[1]); increment_log_prob(own_log(y[1], m[1])); }\n";
  const std::string after =
      "functions {\n"
      "  array[] real twice(array[] real x, array[,] int k) { return x; }\n"
      "  real own_lpdf(real y, real m) { return normal_lpdf(y | m, 1); }\n"
      "  real counts_lpmf(int n, real m) { return poisson_lpmf(n | m); }\n"
      "}\n"
      "data { int<lower=1> N; array[N] real<lower=0> y; array[N] int n; array[N] matrix[2, 2] S; "
      "}\n"
      "parameters { array[N] real<lower=0> m; }\n"
      "model { y[1] ~ own(m[1]); n[1] ~ counts(m[1]); target += own_lpdf(y[1] | m[1]); }\n";
  EXPECT_EQ(lang::modernise("m.stan", before).text, after);
  EXPECT_EQ(errors_in(after), "");
}

// A declaration has one type for all its names: brackets in front would apply to both.
TEST(modernise_program, leaves_what_it_could_only_guess) {
  for (const char* statement : {"real x[N], w;", "real w, x[N];", "lp__ <- log(s);"}) {
    const std::string before = program(statement);
    const Modernised after = lang::modernise("m.stan", before);
    EXPECT_EQ(after.text.find("array[N]"), std::string::npos) << after.text;
    EXPECT_NE(errors_in(after.text), "") << after.text;
  }
}

TEST(modernise_program, rewrites_more_than_the_errors_of_one_reading) {
  std::string statements, expected;
  for (int k = 0; k < 3 * Diagnostics::kMaxErrors; ++k) {
    statements += "  increment_log_prob(a); # again\n";
    expected += "  target += a; // again\n";
  }
  EXPECT_EQ(lang::modernise("m.stan", program(statements)).text, program(expected));
}

TEST(modernise_program, tells_included_files_and_leaves_them) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    return path.ends_with("old.stan") ? std::optional<std::string>("real x[2];\n") : std::nullopt;
  };
  const std::vector<std::string> dirs{"."};
  const std::string before = "data {\n#include old.stan\n}\nmodel { real y[2]; }\n";
  const Modernised after = lang::modernise("m.stan", before, dirs, read);
  EXPECT_EQ(after.text, "data {\n#include old.stan\n}\nmodel { array[2] real y; }\n");
  ASSERT_EQ(after.in_includes.size(), 1u);
  EXPECT_TRUE(after.in_includes[0].ends_with("old.stan"));
}

}  // namespace
}  // namespace credo::lang::modernise_test
