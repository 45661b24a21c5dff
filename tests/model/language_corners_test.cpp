// What the checker accepts runs, and means what it means for the reference compiler.
#include "support/text_model.hpp"

namespace credo::model::language_corners_test {
namespace {

double density(const std::string& text, std::vector<double> point) {
  const auto model = model_from(text);
  const PointEvaluation at = model->evaluate_in_full(point);
  EXPECT_TRUE(at.status.ok()) << model->describe(at.status);
  return at.log_density;
}

// Of generated quantities, as written for the first draw.
std::vector<double> written(const std::string& quantities, const std::string& functions = "") {
  const auto model = model_from("functions {" + functions + "}\nparameters { real p; }\n" +
                                "generated quantities {\n" + quantities + "\n}\n");
  Rng rng({.seed = 5, .purpose = 1, .chain = 0, .iteration = 0});
  const std::vector<double> row = model->draw_outputs().write(std::vector<double>{0.5}, rng);
  return {row.begin() + 1, row.end()};
}

std::string error_of(const std::string& text, std::vector<double> point) {
  try {
    model_from(text)->evaluate_in_full(point);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

constexpr double kExact = 1e-14;  // a few operations on numbers of order one
}  // namespace

TEST(language_corners, functions_that_are_defined_later_run) {
  const std::string text =
      "functions { real even(int n, real x) { return n == 0 ? x : odd(n - 1, x); }"
      " real odd(int n, real x) { return n == 0 ? -x : even(n - 1, x); } }"
      "parameters { real p; } model { target += even(4, p) + 10 * odd(4, p); }";
  EXPECT_NEAR(density(text, {0.5}), 0.5 - 5.0, kExact);
}

TEST(language_corners, built_in_functions_run_beside_variables_of_their_names) {
  const std::string text =
      "parameters { real e; real exp; } model { target += e() * e + exp(exp);"
      " for (i in 1:3) target += exp(e) - exp; }";
  EXPECT_NEAR(density(text, {0.5, 0.25}),
              std::exp(1.0) * 0.5 + std::exp(0.25) + 3 * (std::exp(0.5) - 0.25), 4 * kExact);
}

TEST(language_corners, an_array_literal_is_an_outcome) {
  const std::string text = "parameters { real m; } model { {5.5, m} ~ normal(m, 1); }",
                    exact =
                        "parameters { real m; } model { target += normal_lpdf(5.5 | m, 1)"
                        " + normal_lpdf(m | m, 1); }";
  EXPECT_NEAR(density(text, {0.5}), density(exact, {0.5}), 30 * kExact);
}

TEST(language_corners, laplace_functions_as_distributions_say_what_they_say_as_functions) {
  const std::string head =
      "functions { matrix K(real s) { return s * identity_matrix(2); } }"
      "parameters { real<lower=0> s; } model { array[2] int y = {3, 1}; vector[2] m = [0.1, "
      "0.2]'; ";
  const std::string rest = "{1, 2}, m, 1, K, (s,)";
  const double exact =
      density(head + "target += laplace_marginal_poisson_log_lpmf(y | " + rest + "); }", {0.3});
  EXPECT_NEAR(density(head + "y ~ laplace_marginal_poisson_log(" + rest + "); }", {0.3}), exact,
              1e-12);
  const std::string in_a_loop =
      head + "for (i in 1:2) y ~ laplace_marginal_poisson_log(" + rest + "); }";
  EXPECT_NEAR(density(in_a_loop, {0.3}), exact + exact - 0.3, 1e-12);  // 0.3: the Jacobian, once
}

TEST(language_corners, a_likelihood_that_has_no_third_derivative_is_refused_with_words) {
  const std::string said = error_of(
      "functions { vector sys(vector z, real t) { return [z[1] - t]'; }\n"
      "  real ll(vector theta, real a) { return -a * square(solve_newton(sys, [0.1]', "
      "theta[1])[1]); }\n"
      "  matrix K(real s) { return [[s]]; } }\n"
      "parameters { real<lower=0> s; } model {\n"
      "  target += laplace_marginal(ll, (1.0,), 1, K, (s,)); }",
      {0.3});
  EXPECT_NE(said.find("test.stan:5"), std::string::npos) << said;
  EXPECT_NE(said.find("laplace_marginal: the log likelihood uses"), std::string::npos) << said;
}

TEST(language_corners, a_variable_in_its_own_definition_is_unset) {
  const std::vector<double> row = written(
      "real x = x;\narray[2] real a = a;\nreal b = 1 + b;\n"
      "int n = n == 3;\nreal l = 0;\nfor (i in 1:3) { real z = z + i; l += z; }");
  for (const std::size_t k : {0, 1, 2, 3, 5}) EXPECT_TRUE(std::isnan(row[k])) << k;
  EXPECT_EQ(row[4], 0.0);
}

TEST(language_corners, a_return_inside_of_a_loop_returns) {
  const std::string text =
      "functions { real first(vector v) { for (x in v) { if (x > 0) return x; else return -x; } } }"
      "parameters { real p; } model { target += first([p, 3]'); }";
  EXPECT_NEAR(density(text, {-0.5}), 0.5, kExact);
}

TEST(language_corners, a_body_that_ends_without_its_return_is_an_error_with_words) {
  const std::string said = error_of(
      "functions { real first(int n, real p) { for (i in 1:n) return p; } }\n"
      "parameters { real p; } model {\n target += first(0, p); }",
      {0.5});
  EXPECT_NE(said.find("first: the body ended without a return"), std::string::npos) << said;
}

TEST(language_corners, equally_spaced_ints_end_below_where_the_steps_do_not_come_out_even) {
  const std::vector<double> expected{1, 3, 5, 1, 2, 3, 1, 1, 2, 2, 3, 7, -3, -1, 1};
  EXPECT_EQ(written("array[3] int a = linspaced_int_array(3, 1, 6);\n"
                    "array[3] int b = linspaced_int_array(3, 1, 3);\n"
                    "array[5] int c = linspaced_int_array(5, 1, 4);\n"
                    "array[1] int d = linspaced_int_array(1, 2, 7);\n"
                    "array[3] int e = linspaced_int_array(3, -3, 2);"),
            expected);
}

TEST(language_corners, sizes_of_locals_may_depend_on_the_round_of_a_loop) {
  const std::string text =
      "parameters { real p; } model { for (i in 1:10) { array[i] real x;"
      " for (j in 1:i) x[j] = j * p; target += sum(x); }"
      " for (i in 1:9) { vector[i] v = rep_vector(p, i); for (j in 1:10) { matrix[i, j] m;"
      " m[i, j] = v[i]; target += m[i, j]; } } }";
  EXPECT_NEAR(density(text, {0.5}), 0.5 * 220 + 0.5 * 90, 1e-12);
}

// Arrays of ints lie by rows, matrices by columns.
TEST(language_corners, arrays_of_ints_go_with_matrices_element_by_element) {
  const auto differences = [](const std::string& f, bool int_first, const std::string& matrix) {
    const auto call = [&](const std::string& x, const std::string& n) {
      return f + (int_first ? "(" + n + ", " + x + ")" : "(" + x + ", " + n + ")");
    };
    return "{ array[2] matrix[2, 3] x = {" + matrix + ", 1.5 * " + matrix +
           "};"
           " array[2, 2, 3] int n = {{{1, 0, 1}, {0, 1, 1}}, {{1, 1, 0}, {0, 0, 1}}};"
           " array[2] matrix[2, 3] all = " +
           call("x", "n") +
           ";"
           " array[2, 2, 3] real one = " +
           call("p", "n") +
           ";"
           " for (k in 1:2) for (i in 1:2) for (j in 1:3) {"
           " target += abs(all[k, i, j] - " +
           call("x[k, i, j]", "n[k, i, j]") +
           ");"
           " target += abs(one[k, i, j] - " +
           call("p", "n[k, i, j]") + "); } }";
  };
  const std::string matrix = "[[0.5, 0.6, 0.3], [0.2, 0.3, 0.4]]";
  for (const std::string f : {"bessel_first_kind", "bessel_second_kind", "binary_log_loss",
                              "modified_bessel_first_kind", "modified_bessel_second_kind"}) {
    const std::string text =
        "parameters { real p; } model { " + differences(f, true, matrix) + " }";
    EXPECT_EQ(density(text, {0.5}), 0.0) << f;
  }
  for (const std::string f : {"falling_factorial", "rising_factorial", "ldexp"}) {
    const std::string text =
        "parameters { real p; } model { " + differences(f, false, matrix) + " }";
    EXPECT_EQ(density(text, {0.5}), 0.0) << f;
  }
}

// The density without constants is Stan's lp__: a _lupdf leaves out what ~ does, in the body of a
// density that is itself called so, whatever is made of its value.
struct Constants {
  const char* name;
  const char* body;  // of the model
  double without;    // at p = 0.5
};
constexpr const char* kFunctions =
    "functions { real foo_lpdf(real y, real s) { return normal_lupdf(y | 0, s); }"
    " real twice_lpdf(real y) { return 2 * normal_lupdf(y | 0, 1); }"
    " real kept_lpdf(real y) { return normal_lpdf(y | 0, 1); }"
    " real part_lpdf(array[] real y, int a, int b) { return normal_lupdf(y | 0, 1); } }\n"
    "parameters { real p; }\n";
constexpr double kLogSqrt2Pi = 0.91893853320467274;
const Constants kConstants[] = {
    {"of_a_users_density", "p ~ foo(1.0);", -0.125},
    {"of_a_users_density_by_name", "target += foo_lupdf(p | 2.0);", -0.03125},
    {"of_an_increment", "target += normal_lupdf(p | 0, 1);", -0.125},
    {"of_a_multiple", "p ~ twice();", -0.25},
    {"not_of_lpdf", "p ~ kept();", -0.125 - kLogSqrt2Pi},
    {"not_where_it_is_called_whole", "target += foo_lpdf(p | 1);", -0.125 - kLogSqrt2Pi},
    {"of_a_passed_density", "target += reduce_sum(part_lupdf, {p, p}, 1);", -0.25},
    {"of_a_loop", "for (i in 1:3) target += normal_lupdf(p | 0, 1);", -0.375},
    {"of_a_loop_of_a_users_density", "for (i in 1:3) p ~ foo(1.0);", -0.375},
    {"of_a_branch", "if (p > 0) p ~ normal(0, 1); else p ~ normal(0, 2);", -0.125},
};

class constants : public ::testing::TestWithParam<Constants> {};

TEST_P(constants, are_left_out_where_lupdf_is_written) {
  const auto model = model_from(kFunctions + ("model { " + std::string(GetParam().body) + " }"));
  const auto without = model->with({.constants = false});
  const std::vector<double> point{0.5};
  EXPECT_NEAR(without->evaluate_in_full(point).log_density, GetParam().without, kExact);
}

INSTANTIATE_TEST_SUITE_P(without, constants, ::testing::ValuesIn(kConstants),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace credo::model::language_corners_test
