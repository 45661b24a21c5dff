// What the typed tree says: slots, autodiff flags, promotions, resolved functions.
#include "lang/check_support.hpp"

namespace credo::lang::check_rules_test {
namespace {
using typed::Program;

template <class Node>
const Node& as(const typed::Statement& s) {
  return std::get<Node>(s.node);
}
template <class Node>
const Node& as(const typed::Expression& e) {
  return std::get<Node>(e.node);
}

const typed::Statement& model_statement(const Checked& checked, std::size_t k = 0) {
  return checked.program->model.statements.at(k);
}

TEST(check, promotions_are_explicit_nodes) {
  const Checked c = check_text(
      "parameters { real x; } model { target += x + 1; real y = 2; y += 3; target += y; }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& sum = as<typed::Call>(as<typed::TargetIncrement>(model_statement(c)).value);
  EXPECT_EQ(sum.function.name, "add");
  EXPECT_TRUE(sum.is_operator);
  EXPECT_TRUE(std::holds_alternative<typed::Promotion>(sum.arguments[1].node));
  EXPECT_TRUE(sum.arguments[1].type.is_real());
  EXPECT_TRUE(std::holds_alternative<typed::Promotion>(
      as<typed::Declaration>(model_statement(c, 1)).value->node));
  EXPECT_TRUE(std::holds_alternative<typed::Promotion>(
      as<typed::Assignment>(model_statement(c, 2)).value.node));
}

TEST(check, literals_of_mixed_scalars_take_the_common_type) {
  const Checked c = check_text(
      "transformed data { array[2] real a = {1, 2.5}; array[2] complex z = {1, 2i}; row_vector[2] "
      "r = [1, 2];"
      " matrix[1, 2] m = [[1, 2]]; complex_row_vector[2] w = [1, 2i]; row_vector[0] e = [];"
      " tuple(real, int) t = (1, 2); }");
  EXPECT_TRUE(c.program) << c.text();
}

TEST(check, autodiff_type_is_static) {
  const Checked c = check_text(
      "data { real d; int n; } parameters { real p; } transformed parameters { real q = p; }"
      "model { real s = 2; int k = 3; target += d; target += p; target += q; target += s; target "
      "+= k; target += n * d;"
      " target += p * d; target += n; for (v in [d, d]) { target += v; } }");
  ASSERT_TRUE(c.program) << c.text();
  const bool expected[] = {false, true, true, true, false, false, true, false};
  for (std::size_t k = 0; k < 8; ++k) {
    const auto& increment = as<typed::TargetIncrement>(model_statement(c, k + 2));
    EXPECT_EQ(increment.value.autodiff.always, expected[k]) << k;
  }
}

TEST(check, autodiff_type_in_a_function_depends_on_the_call) {
  const Checked c = check_text(
      "functions { real f(real a, data real b, int n, vector v) { real s = 1; return a * b + v[n] "
      "+ s; }"
      " real g(data real b) { return b; } }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& body = as<typed::Sequence>(*c.program->functions[0].body);
  const typed::Expression& sum = *as<typed::Return>(body.statements[1]).value;
  EXPECT_FALSE(sum.autodiff.always);
  EXPECT_EQ(sum.autodiff.arguments, 0b1001u);
  EXPECT_TRUE(sum.autodiff.in_call(0b1000));
  EXPECT_FALSE(sum.autodiff.in_call(0b0110));
  const auto& other = as<typed::Sequence>(*c.program->functions[1].body);
  EXPECT_TRUE(as<typed::Return>(other.statements[0]).value->autodiff.is_data());
}

TEST(check, tilde_means_the_mass_function_for_ints_and_the_density_otherwise) {
  const Checked c = check_text(
      "functions { real own_lpdf(real y, real m) { return -square(y - m); } }"
      "data { int n; array[3] int ns; } parameters { real x; }"
      "model { n ~ poisson(2); ns ~ normal(0, x); x ~ own(1); }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& poisson = as<typed::Distribution>(model_statement(c, 0));
  EXPECT_EQ(poisson.density.function.name, "poisson_lpmf");
  EXPECT_TRUE(poisson.is_discrete);
  EXPECT_TRUE(poisson.density.drops_constants);
  const auto& normal = as<typed::Distribution>(model_statement(c, 1));
  EXPECT_EQ(normal.density.function.name, "normal_lpdf");
  EXPECT_EQ(normal.density.arguments[0].type, UnsizedType(BaseType::real, 1));
  EXPECT_EQ(as<typed::Distribution>(model_statement(c, 2)).density.function.user, 0);
}

TEST(check, truncation_finds_both_tail_functions) {
  const Checked c = check_text(
      "functions { real own_lpdf(real y) { return y; } real own_lcdf(real y) { return y; }"
      " real own_lccdf(real y) { return y; } real half_lpdf(real y) { return y; } real "
      "half_cdf(real y) { return y; } }"
      "data { real y; array[2] int n; } model { y ~ normal(0, 1) T[, 2]; n ~ poisson([1, 2]) T[1, "
      "3]; y ~ own() T[0, ];"
      " y ~ normal(0, 1) T[, ]; }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& normal = as<typed::Distribution>(model_statement(c, 0));
  EXPECT_EQ(normal.lcdf.name, "normal_lcdf");
  EXPECT_EQ(normal.lower, nullptr);
  EXPECT_TRUE(normal.upper->type.is_real());
  EXPECT_EQ(as<typed::Distribution>(model_statement(c, 1)).lccdf.name, "poisson_lccdf");
  EXPECT_TRUE(as<typed::Distribution>(model_statement(c, 1)).lower->type.is_int());
  EXPECT_TRUE(as<typed::Distribution>(model_statement(c, 2)).lccdf.is_user());
  EXPECT_TRUE(as<typed::Distribution>(model_statement(c, 3)).lcdf.name.empty());
  EXPECT_TRUE(
      check_text("functions { real h_lpdf(real y) { return y; } real h_cdf(real y) { return y; } }"
                 "data { real y; } model { y ~ h() T[0, ]; }")
          .has("truncation-not-available"));
}

TEST(check, statement_ids_are_dense_and_know_their_places) {
  const Checked c = check_text(
      "functions { real f(real x) { if (x > 0) { return 1; } return 2; } }\n"
      "data { int n; }\nmodel { for (i in 1:n) { target += i; } }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& ranges = c.program->statement_ranges;
  const typed::Statement& loop = model_statement(c);
  EXPECT_EQ(c.source.position(ranges.at(static_cast<std::size_t>(loop.id))), (Position{3, 9}));
  const auto& inner = as<typed::Sequence>(*as<typed::ForRange>(loop).body).statements.at(0);
  EXPECT_EQ(inner.id, static_cast<int>(ranges.size()) - 1);
  EXPECT_EQ(as<typed::TargetIncrement>(inner).value.statement, inner.id);
}

TEST(check, variables_have_slots_in_their_frame) {
  const Checked c = check_text(
      "data { int n; } parameters { real a, b; } model { real s = a; { real t = b; s += t; } "
      "target += s; }");
  ASSERT_TRUE(c.program) << c.text();
  ASSERT_EQ(c.program->globals.size(), 3u);
  EXPECT_EQ(c.program->globals[2].name, "b");
  EXPECT_EQ(c.program->globals[2].sized_type, c.program->globals[1].sized_type);
  ASSERT_EQ(c.program->model.locals.size(), 2u);
  EXPECT_EQ(c.program->model.locals[1].name, "t");
  const auto& use = as<typed::VariableUse>(*as<typed::Declaration>(model_statement(c)).value);
  EXPECT_FALSE(use.slot.local);
  EXPECT_EQ(use.slot.index, 1);
}

TEST(check, indexing_keeps_and_removes_dimensions) {
  const Checked c = check_text(
      "data { array[3, 4] matrix[2, 2] m; array[2] int is; complex_matrix[2, 2] z; }"
      "transformed data { array[4] matrix[2, 2] a = m[1]; array[2, 4] matrix[2, 2] b = m[is]; "
      "row_vector[2] r = m[1, 1, 2];"
      " vector[2] v = m[1, 1, , 2]; array[2] real s = m[is, 1, 1, 1]; matrix[2, 2] k = m[1, 2][is, "
      "is]; real e = m[1,2,1,1];"
      " complex_vector[2] w = z[, 1]; matrix[2, 2] all = m[1, 1, :, :]; array[2] row_vector[2] q = "
      "m[is, 1, 2]; }");
  EXPECT_TRUE(c.program) << c.text();
}

TEST(check, higher_order_calls_promote_extra_arguments_and_resolve_the_callback) {
  const Checked c = check_text(
      "functions { vector rhs(real t, vector y, real k, data array[] real x) { return k * y; }"
      " real part(array[] int s, int a, int b, real m) { return m; } }"
      "data { array[2] real ts; array[2] real x; array[3] int ns; } parameters { real k; }"
      "model { array[2] vector[1] y = ode_rk45(rhs, [1]', 0, ts, 2, x);"
      " target += reduce_sum(part, ns, 1, k); print(y); }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& ode = as<typed::Call>(*as<typed::Declaration>(model_statement(c)).value);
  EXPECT_EQ(ode.function.name, "ode_rk45");
  EXPECT_EQ(as<typed::FunctionName>(ode.arguments[0]).function.user, 0);
  EXPECT_TRUE(ode.arguments[2].type.is_real());
  EXPECT_TRUE(ode.arguments[4].type.is_real());
  const auto& sum = as<typed::Call>(as<typed::TargetIncrement>(model_statement(c, 1)).value);
  EXPECT_EQ(as<typed::FunctionName>(sum.arguments[0]).function.user, 1);
  EXPECT_TRUE(
      check_text(
          "functions { vector rhs(real t, vector y, data real k) { return k * y; } }"
          "parameters { real k; } model { array[1] vector[1] y = ode_rk45(rhs, [1]', 0, {1.0}, k);"
          " print(y); }")
          .has("not-data-only"));
}

TEST(check, laplace_takes_its_extra_arguments_as_tuples) {
  const Checked c = check_text(
      "functions { real ll(vector theta, array[] int y, real a) { return a * sum(theta); }"
      " matrix K(real s, int n) { return s * identity_matrix(n); } }"
      "data { array[2] int y; } parameters { real<lower=0> s; }"
      "model { target += laplace_marginal(ll, (y, 1), 1, K, (s, 2)); }");
  EXPECT_TRUE(c.program) << c.text();
}

TEST(check, overloads_and_forward_declarations_resolve) {
  const Checked c = check_text(
      "functions { real odd(int n); real even(int n) { return n == 0 ? 1 : odd(n - 1); }"
      " real odd(int n) { return n == 0 ? 0 : even(n - 1); }"
      " real size2(vector v) { return 1; } real size2(matrix m) { return 2; } }"
      "transformed data { real a = size2([1]'); real b = size2([[1]]); real c = even(3); }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& statements = c.program->transformed_data.statements;
  EXPECT_EQ(as<typed::Call>(*as<typed::Declaration>(statements[0]).value).function.user, 2);
  EXPECT_EQ(as<typed::Call>(*as<typed::Declaration>(statements[1]).value).function.user, 3);
  EXPECT_EQ(c.program->functions.size(), 4u);
}

TEST(check, sibling_scopes_may_reuse_names_and_arguments_may_have_names_of_block_variables) {
  const Checked c = check_text(
      "functions { real f(real x) { return x; } } data { real x; }"
      "model { for (i in 1:2) { real s = i; target += s; } for (i in 1:3) { real s = i; target += "
      "f(s); } target += x; }");
  EXPECT_TRUE(c.program) << c.text();
}

TEST(check, a_variable_may_have_the_name_of_a_builtin) {
  EXPECT_TRUE(
      check_text("parameters { real beta; } model { beta ~ normal(0, 1); beta ~ beta(1, 1); }")
          .program);
}

TEST(check, compound_assignment_keeps_the_type) {
  EXPECT_TRUE(
      check_text(
          "transformed data { matrix[2, 2] m = [[1, 2], [3, 4]]; m *= m; m /= m; m += 1; m ./= m;"
          " int k = 3; k /= 2; vector[2] v = [1, 2]'; v[1] += 1; v *= 2; }")
          .program);
  EXPECT_TRUE(check_text("transformed data { real x = 1; x += [1, 2]'; }").has("assignment-type"));
}

TEST(check, unpacking_swaps_and_nests) {
  const Checked c = check_text(
      "transformed data { array[2] int x = {1, 2}; array[2] int y = x; int i = 1; real r; tuple(int, vector[2]) t;"
      " (x[i], y[i + 1]) = (y[2], x[1]); (i, (r, t.2)) = (1, (2, [1, 2]')); (t.1, r) = (1, 1); }");
  ASSERT_TRUE(c.program) << c.text();
  const auto& nested = as<typed::Unpacking>(c.program->transformed_data.statements[6]);
  ASSERT_EQ(nested.leaves.size(), 3u);
  EXPECT_EQ(nested.leaves[2].path, (std::vector<int>{1, 1}));
  EXPECT_EQ(nested.leaves[2].target.accesses[0].projection, 1);
}

TEST(check, one_fault_is_one_message) {
  const Checked c = check_text(
      "model { real x = unknown + 1; target += sqrt(x * unknown2[1]) + normal_lpdf(unknown3 | 0, "
      "1); }");
  EXPECT_EQ(c.diagnostics.num_errors(), 3) << c.text();
}

TEST(check, bounds_may_be_containers_and_depend_on_parameters) {
  const Checked c = check_text(
      "data { int N; vector[N] L; array[2] vector[N] LL; } parameters { real a; real<lower=a> b; "
      "vector<lower=L>[N] v;"
      " array[2] vector<lower=LL>[N] w; array[2] vector<offset=a, multiplier=2>[N] u; array[N] "
      "real<upper=b> c;"
      " tuple(simplex[3], array[2] real<lower=0>) t; }");
  ASSERT_TRUE(c.program) << c.text();
  EXPECT_TRUE(typed::has_constraint(*c.program->globals.back().sized_type));
  EXPECT_EQ(c.program->globals[4].sized_type->constraint, typed::Constraint::bounds);
}

TEST(check, empty_and_bare_programs_are_legal) {
  EXPECT_TRUE(check_text("").program);
  EXPECT_TRUE(check_text("generated quantities { real x = normal_rng(0, 1); int k = 3; }").program);
}

TEST(check, drops_constants_only_where_spelt_so) {
  const Checked c = check_text(
      "parameters { real x; } model { target += normal_lupdf(x | 0, 1); target += normal_lpdf(x | "
      "0, 1); }");
  ASSERT_TRUE(c.program) << c.text();
  EXPECT_TRUE(
      as<typed::Call>(as<typed::TargetIncrement>(model_statement(c)).value).drops_constants);
  EXPECT_EQ(as<typed::Call>(as<typed::TargetIncrement>(model_statement(c)).value).function.name,
            "normal_lpdf");
  EXPECT_FALSE(
      as<typed::Call>(as<typed::TargetIncrement>(model_statement(c, 1)).value).drops_constants);
}
}  // namespace
}  // namespace credo::lang::check_rules_test
