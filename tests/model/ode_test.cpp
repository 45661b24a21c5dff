// Models with differential equations against the same models with their solutions in closed form:
// values, gradients by everything an equation depends on, refusals and decisions.
#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::ode_test {
namespace {

const char* const kData = R"({"T": 4, "ts": [0.3, 0.7, 0.7, 2.5]})";
const char* const kHead = R"(
functions {
  // exponential decay to c(t) = level + slope t
  vector decay(real t, vector y, real rate, real level, data real slope) {
    return -rate * (y - (level + slope * t));
  }
  array[] real old_decay(real t, array[] real y, array[] real p, data array[] real x_r,
                         data array[] int x_i) {
    array[size(y)] real dy;
    for (i in 1:size(y)) dy[i] = -p[1] * (y[i] - (p[2] + x_r[1] * t));
    return dy;
  }
  // the same on one side of t = 1 and of y = 0 each, with decisions that need paths
  vector switched(real t, vector y, real rate, real level) {
    if (t < 1) return -rate * (y - level);
    if (y[1] < 0) reject("negative state ", y[1]);
    return -rate * sqrt(square(y - level));
  }
  vector falling(real t, vector y, real speed) {
    if (y[1] < -1) reject("below the ground");
    return rep_vector(-speed, 1);
  }
  vector exploding(real t, vector y, real speed) { return speed * square(y); }
  vector wrong_size(real t, vector y) { return append_row(y, 1.0); }
  // solution of y' = -rate (y - level - slope t) from y0 at t0
  real solution(real t, real y0, real t0, real rate, real level, real slope) {
    real c = level - slope / rate;
    return c + slope * t + (y0 - c - slope * t0) * exp(-rate * (t - t0));
  }
}
data { int T; array[T] real ts; }
parameters { vector[2] y0; real<lower=0.1, upper=3> rate; real level; real<upper=0.2> t0; real<lower=3, upper=5> last; }
)";

const char* const kClosed = R"(
  { array[T + 1] real all = append_array(ts, {last});
    for (k in 1:T + 1) for (i in 1:2)
      target += k * i * sin(i + solution(all[k], y0[i], t0, rate, level, 0.25)); })";

std::string solved_by(const std::string& call) {
  return "{ array[T + 1] real all = append_array(ts, {last}); array[T + 1] vector[2] y = " + call +
         "; for (k in 1:T + 1) for (i in 1:2) target += k * i * sin(i + y[k, i]); }";
}
std::string solved_by_old(const std::string& call) {
  return "{ array[T + 1] real all = append_array(ts, {last}); array[T + 1, 2] real y = " + call +
         "; for (k in 1:T + 1) for (i in 1:2) target += k * i * sin(i + y[k, i]); }";
}

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kHead + ("model {" + body + "}"), kData);
}

std::vector<double> point_of(double shift = 0.0) {
  return {0.9 + shift, -0.4, 0.3, 0.6, -0.5, 0.2 - shift};
}

struct Case {
  const char* name;
  std::string body;
  double tolerance;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"rk45", solved_by("ode_rk45_tol(decay, y0, t0, all, 1e-9, 1e-9, 10000, rate, level, 0.25)"),
       1e-9},
      {"ckrk", solved_by("ode_ckrk_tol(decay, y0, t0, all, 1e-9, 1e-9, 10000, rate, level, 0.25)"),
       1e-9},
      {"bdf", solved_by("ode_bdf_tol(decay, y0, t0, all, 1e-9, 1e-9, 10000, rate, level, 0.25)"),
       1e-8},
      {"adams",
       solved_by("ode_adams_tol(decay, y0, t0, all, 1e-9, 1e-9, 10000, rate, level, 0.25)"), 1e-8},
      {"rk45_by_default", solved_by("ode_rk45(decay, y0, t0, all, rate, level, 0.25)"), 1e-6},
      {"bdf_by_default", solved_by("ode_bdf(decay, y0, t0, all, rate, level, 0.25)"), 1e-9},
      {"old_rk45",
       solved_by_old("integrate_ode_rk45(old_decay, to_array_1d(y0), t0, all, {rate, level}, "
                     "{0.25}, {1}, 1e-9, 1e-9, 1e6)"),
       1e-9},
      {"old_bdf",
       solved_by_old("integrate_ode_bdf(old_decay, to_array_1d(y0), t0, all, {rate, level}, "
                     "{0.25}, {1}, 1e-9, 1e-9, 1e6)"),
       1e-8},
  };
  return all;
}

class ode_models : public ::testing::TestWithParam<Case> {};

// Errors of up to 100 tolerances in each of ten states, which enter with weights up to 10 and, in
// the gradient, multiplied by rates of change of order one.
TEST_P(ode_models, agree_with_the_closed_form) {
  const auto solved = model_of(GetParam().body), closed = model_of(kClosed);
  for (const double shift : {0.0, 0.3}) {
    const PointEvaluation a = solved->evaluate_in_full(point_of(shift)),
                          b = closed->evaluate_in_full(point_of(shift));
    const double tolerance = 1e3 * GetParam().tolerance;
    EXPECT_NEAR(a.log_density, b.log_density, tolerance * std::abs(b.log_density) + tolerance);
    for (std::size_t d = 0; d < b.gradient.size(); ++d)
      EXPECT_NEAR(a.gradient[d], b.gradient[d], tolerance * (10 + std::abs(b.gradient[d]))) << d;
  }
}

INSTANTIATE_TEST_SUITE_P(solvers, ode_models, ::testing::ValuesIn(cases()),
                         [](const auto& c) { return std::string(c.param.name); });

// Power: an equation that differs by 1e-5 is told from the right one.
TEST(ode_suite, rejects_another_equation) {
  const auto solved = model_of(
      solved_by("ode_rk45_tol(decay, y0, t0, all, 1e-9, 1e-9, 10000, rate, level, 0.25001)"));
  const auto closed = model_of(kClosed);
  EXPECT_GT(std::abs(solved->evaluate_in_full(point_of()).log_density -
                     closed->evaluate_in_full(point_of()).log_density),
            1e-6);
}

// Decisions on time and state: each piece is another path of the right-hand side. From 2 at t = -1
// it falls to level until t = 1, then |y - level| makes it fall on, as sqrt(square()) does.
TEST(ode_suite, follows_decisions_of_the_right_hand_side) {
  for (const std::string solver : {"ode_rk45_tol", "ode_bdf_tol"}) {
    const auto solved = model_of(
        "target += " + solver +
        "(switched, [2.0 + y0[1]]', -1, {0.5, 3.0}, 1e-8, 1e-8, 10000, rate, level)[2, 1];");
    const auto closed = model_of("target += level + (2 + y0[1] - level) * exp(-rate * 4);");
    const PointEvaluation a = solved->evaluate_in_full(point_of()),
                          b = closed->evaluate_in_full(point_of());
    EXPECT_NEAR(a.log_density, b.log_density, 1e-6);
    for (std::size_t d = 0; d < b.gradient.size(); ++d)
      EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-5) << solver << ", " << d;
  }
}

// An equation whose explicit steps would be some millions: the lane is solved as a stiff one. With
// rates of a million times the solution follows level + slope t.
TEST(ode_suite, solves_what_turns_out_stiff) {
  const auto solved =
      model_of(solved_by("ode_rk45_tol(decay, y0, t0, all, 1e-7, 1e-7, 100000, 1e6 * rate, level, "
                         "0.25)"));
  const auto closed = model_of(R"(
    { array[T + 1] real all = append_array(ts, {last});
      for (k in 1:T + 1) for (i in 1:2)
        target += k * i * sin(i + solution(all[k], y0[i], t0, 1e6 * rate, level, 0.25)); })");
  const PointEvaluation a = solved->evaluate_in_full(point_of()),
                        b = closed->evaluate_in_full(point_of());
  EXPECT_NEAR(a.log_density, b.log_density, 1e-4);
  for (std::size_t d = 0; d < b.gradient.size(); ++d)
    EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-3) << d;
}

std::string refusal_of(const std::string& body, const std::vector<double>& point) {
  try {
    const auto model = model_of(body);
    return model->describe(model->evaluate_in_full(point).status);
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(ode_suite, says_what_is_refused) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal_of("target += ode_rk45(falling, [1.0]', 0, {5.0}, rate)[1, 1];", point_of()),
      "below the ground");
  has(refusal_of("target += ode_bdf(falling, [1.0]', 0, {5.0}, rate)[1, 1];", point_of()),
      "below the ground");
  has(refusal_of(
          "target += ode_rk45_tol(decay, y0, t0, ts, 1e-9, 1e-9, 3, rate, level, 1.0)[1, 1];",
          point_of()),
      "number of steps");
  has(refusal_of("target += ode_rk45(exploding, [1.0]', 0, {500.0}, rate)[1, 1];", point_of()),
      "time that the solution reaches");
  has(refusal_of("target += ode_rk45(decay, y0, t0, {1.0, 0.5}, rate, level, 1.0)[1, 1];",
                 point_of()),
      "times");
  has(refusal_of("target += ode_rk45(decay, y0, t0 + 2, ts, rate, level, 1.0)[1, 1];", point_of()),
      "first time");
  has(refusal_of(
          "target += ode_rk45_tol(decay, y0, t0, ts, -1e-9, 1e-9, 3, rate, level, 1.0)[1, 1];",
          point_of()),
      "relative tolerance");
  has(refusal_of("target += ode_rk45(wrong_size, y0, t0, ts)[1, 1];", point_of()),
      "3 derivatives for 2 states");
}

// Interpreted with known numbers, as traced.
TEST(ode_suite, gives_known_numbers_the_same_solution) {
  const auto solved = model_of(
      "target += ode_rk45(decay, [0.9, -0.4]', -0.2, ts, 1.3, 0.6, 0.25)[4, 2] + 0 * level;");
  const auto closed = model_of("target += solution(2.5, -0.4, -0.2, 1.3, 0.6, 0.25);");
  EXPECT_NEAR(solved->evaluate_in_full(point_of()).log_density,
              closed->evaluate_in_full(point_of()).log_density, 1e-5);
}

// What the interpreter keeps of a solver must not keep itself: everything is freed with the model.
TEST(ode_suite, solvers_of_draws_end_with_their_model) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  auto program = compile_text("test.stan", R"(
functions { vector decay(real t, vector y, real rate) { return -rate * y; } }
parameters { real<lower=0> rate; }
generated quantities {
  real noise = normal_rng(0, 1);
  vector[1] end = ode_rk45(decay, [1.0]', 0, {2.0}, rate)[1];
})",
                              diagnostics, source);
  ASSERT_NE(program, nullptr) << lang::render(source, diagnostics);
  const std::weak_ptr<const ProgramSource> alive = program;
  auto model = std::make_unique<Model>(std::move(program), io::parse_json_data("{}", "data"),
                                       ModelOptions{});
  Rng rng({.seed = 1, .purpose = 1, .chain = 0, .iteration = 0});
  const std::vector<double> row = model->draw_outputs().write(std::array{0.0}, rng);
  EXPECT_NEAR(row.back(), std::exp(-2.0), 1e-5);  // of a tolerance of 1e-6 in each step
  model.reset();
  EXPECT_TRUE(alive.expired());
}

}  // namespace
}  // namespace credo::model::ode_test
