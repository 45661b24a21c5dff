// What a program means: densities against closed forms, decisions on parameters, outputs and their
// order.
#include "support/text_model.hpp"

namespace credo::model::model_test {
namespace {

double density_at(const Model& model, std::vector<double> point) {
  const PointEvaluation at = model.evaluate_in_full(point);
  return at.status.ok() ? at.log_density : kNaN;
}

std::vector<double> outputs_at(const Model& model, std::vector<double> point,
                               std::string* note = nullptr) {
  Rng rng(StreamKey{.seed = 1, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
  return model.draw_outputs().write(point, rng, note);
}

const double kLogSqrt2Pi = 0.5 * std::log(2.0 * std::acos(-1.0));
double normal_log_pdf(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - kLogSqrt2Pi;
}
constexpr double kRounding = 1e-13;  // a few dozen operations on numbers of size 1 to 10

// ---- densities

TEST(model, density_is_the_sum_of_terms_and_jacobians) {
  const auto model = model_from(
      "parameters { real m; real<lower=0> s; } model { m ~ normal(1, s); s ~ normal(0, 2); }");
  const double m = 0.3, y = -0.7, s = std::exp(y);
  EXPECT_NEAR(density_at(*model, {m, y}), normal_log_pdf(m, 1, s) + normal_log_pdf(s, 0, 2) + y,
              kRounding);
}

TEST(model, dropped_constants_are_those_of_the_static_rule) {
  // ~ drops log sqrt(2 pi) of both and log 2 of the second; a real local keeps its term
  const auto model = model_from(
      "parameters { real m; } model { real s = 2; m ~ normal(0, 2); m ~ normal(0, s); }");
  const PointEvaluation at = model->evaluate_in_full(std::array{0.4});
  EXPECT_NEAR(at.dropped, -2 * kLogSqrt2Pi - std::log(2.0), kRounding);
}

TEST(model, target_increments_keep_everything) {
  const auto model =
      model_from("parameters { real m; } model { target += normal_lpdf(m | 0, 2); }");
  EXPECT_EQ(model->evaluate_in_full(std::array{0.4}).dropped, 0.0);
}

TEST(model, truncation_divides_by_the_mass_inside) {
  const auto model =
      model_from("parameters { real<lower=-1, upper=2> m; } model { m ~ normal(0, 1) T[-1, 2]; }");
  const double m = -1 + 3 / (1 + std::exp(-0.5)), u = (m + 1) / 3;
  const double mass = 0.5 * (std::erf(2 / std::sqrt(2.0)) - std::erf(-1 / std::sqrt(2.0)));
  const double jacobian = std::log(3.0) + std::log(u) + std::log1p(-u);
  EXPECT_NEAR(density_at(*model, {0.5}), normal_log_pdf(m, 0, 1) - std::log(mass) + jacobian,
              1e-12);
}

TEST(model, truncated_counts_include_both_ends) {
  // sum over y in 3..5 of the truncated mass is 1
  double total = 0.0;
  for (const int y : {3, 4, 5}) {
    const auto model = model_from(
        "data { int y; } parameters { real<lower=0> l; } model { y ~ poisson(l) T[3, 5]; }",
        "{\"y\": " + std::to_string(y) + "}");
    total += std::exp(density_at(*model, {std::log(2.5)}) - std::log(2.5));
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
}

TEST(model, unit_vectors_and_bounds_by_parameters_have_a_density) {
  const auto circle = model_from("parameters { unit_vector[2] u; } model { target += u[1]; }");
  const double norm = std::hypot(0.6, 1.1);
  EXPECT_NEAR(density_at(*circle, {0.6, 1.1}), 0.6 / norm - 0.5 * norm * norm, kRounding);
  const auto ordered = model_from(
      "parameters { real a; real<lower=a> b; } model { a ~ std_normal(); b ~ std_normal(); }");
  const double b = -0.2 + std::exp(0.3);
  EXPECT_NEAR(density_at(*ordered, {-0.2, 0.3}),
              normal_log_pdf(-0.2, 0, 1) + normal_log_pdf(b, 0, 1) + 0.3, kRounding);
}

// ---- decisions on parameters

constexpr const char* kKinked =
    "parameters { real m; } model { if (m > 0) { target += -m; } else { target += 3 * m; } }";

TEST(guards, evaluate_each_point_on_its_own_path) {
  const auto model = model_from(kKinked);
  const auto evaluator = model->make_evaluator();
  for (const double m : {1.0, -1.0, 2.0, -2.0, 0.5}) {  // forwards and backwards over the kink
    std::array<double, 1> position{m}, gradient{};
    density::Request request{position, gradient, -kInfinity, {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::gradient, batch);
    EXPECT_EQ(request.log_density, m > 0 ? -m : 3 * m);
    EXPECT_EQ(gradient[0], m > 0 ? -1.0 : 3.0);
  }
}

TEST(guards, split_the_lanes_of_one_batch) {
  const auto model = model_from(kKinked);
  const auto evaluator = model->make_evaluator();
  std::array<std::array<double, 1>, 4> positions{{{1.0}, {-1.0}, {0.5}, {-3.0}}}, gradients{};
  std::vector<density::Request> requests;
  for (std::size_t l = 0; l < 4; ++l)
    requests.push_back({positions[l], gradients[l], -kInfinity, {}});
  std::vector<density::Request*> batch;
  for (auto& request : requests) batch.push_back(&request);
  evaluator->evaluate(density::Want::gradient, batch);
  for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(gradients[l][0], positions[l][0] > 0 ? -1.0 : 3.0);
}

TEST(guards, a_rejecting_path_refuses_its_points_only) {
  const auto model =
      model_from("parameters { real m; } model { if (m < 0) reject(\"m is \", m); target += -m; }");
  EXPECT_TRUE(std::isnan(density_at(*model, {-1.0})));
  EXPECT_EQ(density_at(*model, {1.0}), -1.0);
  EXPECT_NE(model->describe(model->evaluate_in_full(std::array{-1.0}).status).find("m is -1"),
            std::string::npos);
}

TEST(guards, while_loops_end_where_parameters_say) {
  const auto model = model_from(
      "parameters { real m; } model { real s = m; while (s < 10) s *= 2; target += s; }");
  EXPECT_EQ(density_at(*model, {1.5}), 12.0);
  EXPECT_EQ(density_at(*model, {20.0}), 20.0);
}

// ---- values

TEST(values, are_copied_and_the_right_side_comes_first) {
  const auto model = model_from(
      "transformed data { vector[3] x = [1, 2, 3]'; vector[3] a = x; x[2:3] = x[1:2]; a[1] = 9; }"
      "parameters { real m; } model { target += m * (x[1] + 10 * x[2] + 100 * x[3]) + a[1] * m; }");
  EXPECT_EQ(density_at(*model, {1.0}), 1 + 10 + 200 + 9.0);
}

TEST(values, unset_elements_poison_nothing_that_is_not_used) {
  const auto model = model_from(
      "parameters { real m; } model { vector[3] x; x[2] = m; target += -square(x[2]); }");
  const PointEvaluation at = model->evaluate_in_full(std::array{0.5});
  EXPECT_EQ(at.log_density, -0.25);
  EXPECT_EQ(at.gradient[0], -1.0);
}

TEST(values, repeated_writes_keep_the_last_gradient) {
  const auto model = model_from(
      "parameters { vector[2] v; } model { vector[2] x; x[{1, 1}] = v; x[2] = 0; target += x[1]; "
      "}");
  EXPECT_EQ(model->evaluate_in_full(std::array{3.0, 5.0}).gradient,
            (std::vector<double>{0.0, 1.0}));
}

TEST(values, a_loop_of_element_writes_takes_linear_time) {
  // 1e5 writes; copying the container at each would take minutes
  const auto model = model_from(
      "transformed data { vector[100000] x; for (i in 1:100000) x[i] = i; }"
      "parameters { real m; } model { target += m * sum(x); }");
  EXPECT_EQ(density_at(*model, {1.0}), 5000050000.0);
}

// ---- outputs

TEST(outputs, run_with_the_first_index_fastest) {
  const auto model = model_from(
      "parameters { array[2] vector[3] x; matrix[2, 2] m; } generated quantities { tuple(real, "
      "vector[2]) t = (7, [8, 9]'); }");
  EXPECT_EQ(model->outputs().element_names(),
            (std::vector<std::string>{"x.1.1", "x.2.1", "x.1.2", "x.2.2", "x.1.3", "x.2.3", "m.1.1",
                                      "m.2.1", "m.1.2", "m.2.2", "t:1", "t:2.1", "t:2.2"}));
  std::vector<double> point(10);
  std::iota(point.begin(), point.end(), 1.0);
  EXPECT_EQ(outputs_at(*model, point),
            (std::vector<double>{1, 4, 2, 5, 3, 6, 7, 8, 9, 10, 7, 8, 9}));
}

TEST(outputs, after_a_rejection_in_generated_quantities_are_nan) {
  const auto model = model_from(
      "parameters { real m; } generated quantities { real a = m; if (m > 0) reject(\"no\"); }");
  std::string note;
  const auto row = outputs_at(*model, {1.0}, &note);
  EXPECT_EQ(row[0], 1.0);
  EXPECT_TRUE(std::isnan(row[1]));
  EXPECT_NE(note.find("no"), std::string::npos);
  EXPECT_EQ(outputs_at(*model, {-1.0})[1], -1.0);
}

TEST(outputs, random_numbers_come_from_the_stream_that_is_given) {
  const auto model = model_from(
      "parameters { real m; } generated quantities { real z = normal_rng(m, 1); int k = "
      "categorical_rng([0.2, 0.8]'); }");
  EXPECT_EQ(outputs_at(*model, {0.5}), outputs_at(*model, {0.5}));
  Rng other(StreamKey{.seed = 2, .purpose = purpose::kGenerated, .chain = 0, .iteration = 0});
  EXPECT_NE(model->draw_outputs().write(std::array{0.5}, other)[1], outputs_at(*model, {0.5})[1]);
}

TEST(outputs, print_runs_at_each_draw_with_its_values) {
  std::string printed;
  ModelOptions options;
  options.print = [&](std::string_view text) { printed += text; };
  const auto model = model_from(
      "parameters { real m; } model { print(\"m = \", m); m ~ std_normal(); }", "{}", options);
  density_at(*model, {0.25});
  EXPECT_EQ(printed, "");
  outputs_at(*model, {0.25});
  EXPECT_EQ(printed, "m = 0.25");
}

TEST(outputs, a_program_without_parameters_runs_its_generated_quantities) {
  const auto model =
      model_from("data { int N; } generated quantities { int k = N * N; }", "{\"N\": 7}");
  EXPECT_EQ(model->dimension(), 0);
  EXPECT_EQ(outputs_at(*model, {}), (std::vector<double>{49}));
}

// ---- terms and initial values

TEST(terms, are_prior_or_likelihood_by_what_entered_them) {
  const auto model = model_from(
      "data { real y; } parameters { real m; real<lower=0, upper=1> p; } model { m ~ normal(0, 1); "
      "y ~ normal(m, 1);"
      " target += log_mix(p, normal_lpdf(y | m, 1), normal_lpdf(y | -m, 1)); target += -m; }",
      "{\"y\": 1}");
  std::vector<lang::TermKind> kinds;
  for (const TermSummary& term : model->trace(std::array{0.1, 0.2})->terms)
    kinds.push_back(term.kind);
  using enum lang::TermKind;
  EXPECT_EQ(kinds, (std::vector<lang::TermKind>{transform_jacobian, transform_jacobian, prior,
                                                likelihood, likelihood, unlabelled}));
}

TEST(initial_values, are_unconstrained_and_may_be_partial) {
  const auto model = model_from("parameters { real m; real<lower=2> s; } model { }");
  const auto values = io::parse_json_data("{\"s\": 3}", "init");
  const auto free = model->unconstrain(values, std::array{kNaN, kNaN});
  EXPECT_TRUE(std::isnan(free[0]));
  EXPECT_EQ(free[1], 0.0);
  EXPECT_THROW(model->unconstrain(values), Error);
}

}  // namespace
}  // namespace credo::model::model_test
