// Corners of the language that public programs meet: what the reference compiler accepts and what
// it refuses, and where it says so.
#include "lang/check_support.hpp"
#include "lang/parser_support.hpp"

namespace credo::lang::check_corners_test {
namespace {

bool accepts(const std::string& text) { return check_text(text).program.has_value(); }

// "code line" of the first error; empty: accepted.
std::string first_error(const std::string& text) {
  const Checked checked = check_text(text);
  const Diagnostic* first = nullptr;
  for (const Diagnostic& d : checked.diagnostics.all()) {
    const bool is_earlier = first == nullptr || d.range.begin < first->range.begin;
    if (d.severity() == Severity::error && is_earlier) first = &d;
  }
  if (first == nullptr) return {};
  return row(first->code).name + (" " + std::to_string(checked.source.position(first->range).line));
}

const std::string kLaplace =
    "functions {\n"
    "  real ll(vector theta, real a, array[] int y) { return a * sum(theta); }\n"
    "  matrix K(real s, data int n) { return s * identity_matrix(n); }\n"
    "  matrix K2(real s, data real r, int n) { return (s + r) * identity_matrix(n); }\n"
    "  real l2(vector theta, int i, real r) { return sum(theta); }\n"
    "  real l2(vector theta, real r, int i) { return sum(theta); }\n"
    "}\n"
    "data { array[2] int y; vector[2] m; }\n"
    "parameters { real<lower=0> s; }\n";
std::string laplace(const std::string& body) { return kLaplace + "model {\n" + body + "\n}\n"; }
}  // namespace

// --- accepted ---

TEST(check_corners, functions_may_be_used_before_they_are_defined) {
  EXPECT_TRUE(
      accepts("functions { real f(real x) { return g(x) + h(x); }"
              " real g(real x) { return x > 0 ? h(x) : f(x); } real h(real x) { return x; } }"
              "transformed data { real a = f(1); }"));
  EXPECT_TRUE(
      accepts("functions { real f(vector x) { return sum(x); }"
              " void g_lp() { target += f(1.0)[1]; } vector f(real x) { return [x]'; } }"
              "model { g_lp(); }"));
}

TEST(check_corners, laplace_functions_are_distributions) {
  EXPECT_TRUE(
      accepts(laplace("y ~ laplace_marginal_poisson_log({1, 2}, m, 1, K, (s, 2));\n"
                      "y ~ laplace_marginal_tol_bernoulli_logit({1, 2}, m, 1, K, (s, 2),"
                      " (m, 1e-6, 100, 1, 10, 1));")));
}

TEST(check_corners, a_tuple_of_a_single_element_has_a_comma) {
  EXPECT_TRUE(
      accepts("functions { real f(tuple(real,) x) { return x.1; } }"
              "model { tuple(real,) x = (1.0,); array[2] tuple(int, real) y;"
              " target += f(x); print(y); }"));
  EXPECT_EQ(first_error("model {\n  tuple(real) x;\n}"), "unexpected-token 2");
  EXPECT_EQ(first_error("model {\n  tuple(real, int,) x;\n}"), "unexpected-token 2");
  EXPECT_EQ(first_error("functions { real f(tuple(real) x) { return x.1; } }"),
            "unexpected-token 1");
  EXPECT_EQ(to_string(UnsizedType::tuple({BaseType::real})), "tuple(real,)");
}

TEST(check_corners, a_definition_may_name_its_own_variable_with_a_warning) {
  const Checked c =
      check_text("model { array[2] real a = a; real b = 1 + b; real d = b; print(a, d); }");
  ASSERT_TRUE(c.program) << c.text();
  EXPECT_EQ(c.diagnostics.num_warnings(), 2) << c.text();
  EXPECT_TRUE(c.has("used-in-own-definition"));
}

TEST(check_corners, a_return_within_a_loop_is_a_return) {
  EXPECT_TRUE(
      accepts("functions { real f(int n) { for (i in 1:n) { return i; } }"
              " real g(vector v) { for (x in v) { if (x > 0) return x; else return 0; } }"
              " real h(int n) { while (n > 0) return 1; } }"));
  EXPECT_EQ(
      first_error(
          "functions {\n real f(int n) { for (i in 1:n) { if (i > 2) break; return i; } }\n}"),
      "missing-return 2");
}

TEST(check_corners, what_follows_a_loop_with_a_return_is_reached) {
  EXPECT_FALSE(check_text("functions { real f(int n) { for (i in 1:n) { return i; } return 0; } }")
                   .has("unreachable-statement"));
}

TEST(check_corners, a_statement_may_begin_with_an_array_literal) {
  EXPECT_TRUE(
      accepts("parameters { real m; } model { {5.5, m} ~ normal(m, 1); {1, 2} ~ poisson(m);"
              " { real x = m; target += x; } {} { ; } }"));
}

TEST(check_corners, a_built_in_function_is_called_beside_a_variable_of_its_name) {
  EXPECT_TRUE(
      accepts("parameters { real e; real inv_logit; vector[2] segment; }"
              "model { target += e() + e * inv_logit(inv_logit);"
              " target += segment(segment, 1, 2)[1]; }"));
}

TEST(check_corners, a_variable_hides_a_function_of_the_program) {
  const std::string functions = "functions {\n  real gen(real x) { return x; }\n}\nparameters {\n";
  EXPECT_TRUE(accepts(functions + "  real gen;\n}\n"));
  EXPECT_EQ(first_error(functions + "  real gen;\n}\nmodel {\n  target += gen(1);\n}\n"),
            "variable-as-function 8");
}

TEST(check_corners, semicolons_may_stand_among_declarations) {
  EXPECT_TRUE(
      accepts("data { ; real x;; ; } transformed data { real z = x;; print(z); }"
              " parameters { real y;;; } model { ;; y ~ normal(x, 1); }"));
}

TEST(check_corners, the_name_of_an_include_may_stand_on_the_next_line_or_begin_with_a_slash) {
  const std::string dir = testing::test_dir() + "good/include";
  for (const std::string name : {"\n<two.stan>", " \n \"two.stan\"", " /two.stan"}) {
    Diagnostics diagnostics;
    const SourceMap source =
        SourceMap::from_text("t.stan", "model {\n  target +=\n#include" + name + "\n  ;\n}\n",
                             diagnostics, std::span(&dir, 1));
    EXPECT_TRUE(diagnostics.all().empty()) << name << render(source, diagnostics);
    EXPECT_EQ(source.files().size(), 2u);
  }
}

// --- refused ---

TEST(check_corners, the_left_side_reads_nothing_that_it_writes) {
  const std::string head =
      "generated quantities {\n  array[2] int x = {1, 2}; array[2] int n = x;\n";
  EXPECT_EQ(first_error(head + "  x[x[1]] = 2;\n}"), "read-only 3");
  EXPECT_EQ(first_error(head + "  x[n[x[1]]] += 2;\n}"), "read-only 3");
  EXPECT_EQ(first_error(head + "  x[x[1] > 0 ? 1 : 2] = 2;\n}"), "read-only 3");
  EXPECT_EQ(first_error(head + "  tuple(int, int) t = (1, 1);\n  (t.1, x[t.2]) = (2, 2);\n}"),
            "read-only 4");
  EXPECT_EQ(first_error(head + "  x[n[1]] = x[n[2]];\n}"), "");
}

TEST(check_corners, parts_that_may_overlap_are_not_unpacked_together) {
  const std::string head =
      "generated quantities {\n  array[4] int x; int i = 1; int j = 1;"
      " array[1] tuple(int, int) t;\n";
  EXPECT_EQ(first_error(head + "  (x[:3], x[3:]) = ({1, 2, 3}, {1, 2});\n}"), "assigned-twice 3");
  EXPECT_EQ(first_error(head + "  (t[i].1, t[j].1) = (1, 2);\n}"), "assigned-twice 3");
  EXPECT_EQ(first_error(head + "  (t[i], t[j].2) = ((1, 2), 2);\n}"), "assigned-twice 3");
  EXPECT_EQ(first_error(head + "  (t[i].1, t[j].2) = (1, 2);\n}"), "");
}

TEST(check_corners, functions_that_change_the_target_or_draw_are_not_passed_by_name) {
  const std::string head =
      "functions {\n"
      "  real s_lp(array[] real x, int a, int b) { return sum(x); }\n"
      "  real s_lpdf(array[] real x, int a, int b) { return sum(x); }\n"
      "  vector f_jacobian(real t, vector y) { return y; }\n"
      "  vector f_rng(real t, vector y) { return y; }\n"
      "  vector j_lp(vector a, vector b, data array[] real x, data array[] int i) { return a; }\n"
      "}\n"
      "transformed data { array[1, 1] real x = {{1.0}}; array[1, 1] int k = {{1}}; }\n"
      "parameters { vector[1] p; }\n";
  EXPECT_EQ(first_error(head + "model {\n  target += reduce_sum(s_lp, {1.0, 2}, 1);\n}"),
            "type-mismatch 11");
  EXPECT_EQ(first_error(head + "model {\n  target += reduce_sum(s_lpdf, {1.0, 2}, 1);\n}"), "");
  EXPECT_EQ(first_error(head + "transformed parameters {\n  array[1] vector[1] y ="
                               " ode_rk45(f_jacobian, p, 0, {1.0});\n}"),
            "type-mismatch 11");
  EXPECT_EQ(first_error(head + "generated quantities {\n  array[1] vector[1] y ="
                               " ode_rk45(f_rng, p, 0, {1.0});\n}"),
            "type-mismatch 11");
  EXPECT_EQ(first_error(head + "model {\n  target += sum(map_rect(j_lp, p, {p}, x, k));\n}"),
            "type-mismatch 11");
}

TEST(check_corners, overloads_that_fit_forwarded_arguments_equally_well_are_ambiguous) {
  const std::string head =
      "functions {\n"
      "  real f(array[] int x, int a, int b, int n, real r) { return r; }\n"
      "  real f(array[] int x, int a, int b, real r, int n) { return r; }\n"
      "}\ntransformed data {\n";
  EXPECT_EQ(first_error(head + "  real x = reduce_sum(f, {1, 2}, 1, 2, 3);\n}"),
            "ambiguous-call 6");
  EXPECT_EQ(first_error(head + "  real x = reduce_sum(f, {1, 2}, 1, 2, 3.5);\n}"), "");
  EXPECT_EQ(first_error(laplace("  target += laplace_marginal(l2, (1, 1), 1, K, (s, 2));")),
            "ambiguous-call 11");
}

TEST(check_corners, the_cheapest_overload_takes_forwarded_arguments) {
  const Checked c = check_text(
      "functions { real f(array[] int x, int a, int b, real r) { return r; }"
      " real f(array[] int x, int a, int b, int n) { return n; } }"
      "transformed data { real x = reduce_sum(f, {1, 2}, 1, 2); }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& declared =
      std::get<typed::Declaration>(c.program->transformed_data.statements[0].node);
  const auto& call = std::get<typed::Call>(declared.value->node);
  EXPECT_EQ(std::get<typed::FunctionName>(call.arguments[0].node).function.user, 1);
}

TEST(check_corners, a_definition_has_the_data_qualifiers_of_its_declaration) {
  EXPECT_EQ(first_error("functions {\n  real f(data real x);\n  real f(real x) { return x; }\n}"),
            "function-redefined 3");
  EXPECT_EQ(first_error("functions {\n  real f(real x);\n  real f(data real x) { return x; }\n}"),
            "function-redefined 3");
  EXPECT_EQ(first_error("functions {\n  void f(int x);\n  void f(int x);\n}"),
            "function-redefined 3");
}

TEST(check_corners, names_of_variables_do_not_end_as_densities_without_constants) {
  EXPECT_EQ(first_error("parameters {\n  real y_lupdf;\n}"), "suffix-signature 2");
  EXPECT_EQ(first_error("functions {\n  real f(real b_lupmf) { return b_lupmf; }\n}"),
            "suffix-signature 2");
}

TEST(check_corners, what_laplace_functions_pass_on_as_data_is_data) {
  const std::string call = "  target += laplace_marginal(ll, (s, y), 1,\n";
  EXPECT_EQ(first_error(laplace(call + "K2, (s, 1.0, 2));")), "");
  EXPECT_EQ(first_error(laplace(call + "K2, (1.0,\n s, 2));")), "not-data-only 13");
  EXPECT_EQ(first_error(laplace("  target += laplace_marginal_tol(ll, (s, y), 1, K, (s, 2),\n"
                                " (m, s, 100, 1, 10, 1));")),
            "not-data-only 12");
  const std::string solve =
      "{\n  tuple(vector[2], matrix[2, 2]) t =\n"
      " laplace_latent_solve(ll, (s, y), 1, K, (1, 2));\n}\n";
  EXPECT_EQ(first_error(laplace(solve)), "not-data-only 13");
  EXPECT_EQ(first_error(kLaplace + "generated quantities " + solve), "");
}

TEST(check_corners, a_wrong_argument_of_a_laplace_function_is_shown) {
  const std::string call = "  target += laplace_marginal(ll, (s, y), 1,\n";
  EXPECT_EQ(first_error(laplace(call + " K, (s, 2, 2));")), "type-mismatch 12");
  EXPECT_EQ(first_error(laplace(call + " K, ({s},\n 2));")), "type-mismatch 12");
  EXPECT_EQ(first_error(laplace(call + " K, (s, 2),\n m);")), "call-types 13");
  const std::string tol = "  target += laplace_marginal_tol(ll, (s, y), 1, K, (s, 2),\n";
  EXPECT_EQ(first_error(laplace(tol + " (m, 1.0, 1, 2, 3));")), "type-mismatch 12");
  EXPECT_EQ(first_error(laplace(tol + " (m, 1.0, 1, 2.5, 3, 1));")), "type-mismatch 12");
  EXPECT_EQ(first_error(laplace(tol + " (m, 1.0, 1, 2, 3, 1),\n 4);")), "call-types 13");
}

TEST(check_corners, ints_decided_by_parameters_are_not_data) {
  const std::string text =
      "functions { vector f(vector a, vector b, data array[] real x, data array[] int i) {"
      " return a; } }\n"
      "data { array[1, 1] real x; int k; } parameters { vector[1] p; }\n"
      "model { target += sum(map_rect(f, p, {p}, x, {{";
  EXPECT_EQ(first_error(text + "p[1] > 2 ? 1 : 2}})); }"), "not-data-only 3");
  EXPECT_EQ(first_error(text + "k > 2 ? 1 : 2}})); }"), "");
}

TEST(check_corners, a_body_with_an_error_is_not_blamed_for_its_missing_return) {
  EXPECT_EQ(first_error("functions {\n  int f(int n) {\n    break;\n  }\n}"), "outside-loop 3");
}

}  // namespace credo::lang::check_corners_test
