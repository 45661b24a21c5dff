// Which data a program observes.
#include "model/data/data_variables.hpp"

#include <gtest/gtest.h>

#include "model/data/source.hpp"

namespace credo::model::data_variables_test {
namespace {

constexpr const char* kData =
    "functions { real own_lpdf(vector a, real m) { return sum(a) - m; }\n"
    "  real free(vector a, real m) { return sum(a) * m; } }\n"
    "data { int N; array[3] int k; int n; vector[3] y; vector[3] x; matrix[3, 3] Z;\n"
    "  tuple(real, vector[2]) t; array[3] int id; }\n";

// The names of the observed ones, joined by blanks.
std::string observed_in(const std::string& transformed, const std::string& body) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program =
      compile_text("test",
                   kData + ("transformed data { " + transformed +
                            " } parameters { real m; vector[3] b; } model { " + body + " }"),
                   diagnostics, source);
  EXPECT_NE(program, nullptr) << body << lang::render(source, diagnostics);
  std::string names;
  if (program == nullptr) return names;
  for (const density::DataVariable& variable : data_variables(program->program))
    if (variable.observed) names += (names.empty() ? "" : " ") + variable.name;
  return names;
}

TEST(data_variables, are_observed_where_a_density_is_of_them) {
  const std::pair<const char*, const char*> cases[] = {
      {"y ~ normal(m, 1);", "y"},
      {"y ~ normal(x * m, 1);", "y"},
      {"for (i in 1:N) y[id[i]] ~ normal(x[i], 1);", "y"},
      {"if (N > 1) { n ~ poisson(exp(m)); }", "n"},
      {"target += normal_lpdf(y | m, 1) + poisson_lpmf(k | 2);", "k y"},
      {"y ~ own(m);", "y"},
      {"log(y) ~ normal(m, 1);", "y"},
      {"segment(y, n, 2) ~ normal(m, 1);", "y"},
      {"y - x ~ normal(m, 1);", "y x"},
      {"Z[1] ~ normal(m, 1);", "Z"},
      {"t.2 ~ normal(m, 1);", "t"},
      {"target += log_sum_exp({normal_lpdf(y | m, 1), normal_lpdf(x | m, 2)});", "y x"},
      {"real lp = normal_lpdf(y | m, 1); target += lp;", "y"}};
  for (const auto& [body, names] : cases) EXPECT_EQ(observed_in("", body), names) << body;
}

TEST(data_variables, are_observed_where_transformed_parameters_sum_densities_of_them) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = compile_text(
      "test",
      "data { int N; vector[N] y; vector[N] x; } parameters { real m; } transformed parameters { "
      "vector[N] ll; for (n in 1:N) ll[n] = normal_lpdf(y[n] | m * x[n], 1); } model { target += "
      "sum(ll); }",
      diagnostics, source);
  ASSERT_NE(program, nullptr);
  for (const density::DataVariable& variable : data_variables(program->program))
    EXPECT_EQ(variable.observed, variable.name == "y") << variable.name;
}

TEST(data_variables, are_constant_elsewhere) {
  for (const char* body : {"b ~ normal(x, 1);", "m ~ normal(n, N);", "target += free(y, m);",
                           "y - m * x ~ normal(0, 1);"})
    EXPECT_EQ(observed_in("", body), "") << body;
}

TEST(data_variables, are_observed_through_transformed_data) {
  EXPECT_EQ(observed_in("vector[3] s = (y - mean(y)) / N; vector[2] u; for (i in 1:2) u[i] = s[i];",
                        "u ~ normal(m, 1);"),
            "y");
  EXPECT_EQ(observed_in("vector[3] s = x;", "b ~ normal(s, 1);"), "");
}

TEST(data_variables, are_whole_as_declared) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program =
      compile_text("test", std::string(kData) + "parameters { real m; }", diagnostics, source);
  std::string whole;
  for (const density::DataVariable& variable : data_variables(program->program))
    if (variable.whole) whole += variable.name + " ";
  EXPECT_EQ(whole, "N k n id ");
}

}  // namespace
}  // namespace credo::model::data_variables_test
