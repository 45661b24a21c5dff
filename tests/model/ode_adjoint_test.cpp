// Models with so many states and parameters that derivatives of their equations are pulled back,
// against the same models with their solutions in closed form (tests/graph/ode_adjoint_test.cpp has
// what is differentiated, and how well).
#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::ode_adjoint_test {
namespace {

// Thirty independent decays to levels, each with a rate of its own: 900 sensitivities.
const char* const kHead = R"(
functions {
  vector decays(real t, vector y, vector rate, real level) { return -rate .* (y - level); }
  vector falling(real t, vector y, vector rate, real level) {
    if (y[1] < 0.3) reject("below the ground");
    return -rate .* (y - level);
  }
}
data { int T; array[T] real ts; }
parameters { vector[30] y0; vector<lower=0.1, upper=2>[30] rate; real level; real<upper=0.2> t0; }
)";
const char* const kData = R"({"T": 3, "ts": [0.3, 1.1, 2.5]})";

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kHead + ("model {" + body + "}"), kData);
}

std::string weighted(const std::string& solution) {
  return "for (k in 1:T) { vector[30] y = " + solution +
         "; for (i in 1:30) target += k * sin(i + y[i]); }";
}
std::string solved(const std::string& solver, const std::string& rest = "") {
  return "array[T] vector[30] all = " + solver + "(decays, y0, t0, ts, " + rest + "rate, level); " +
         weighted("all[k]");
}
const std::string kClosed = weighted("level + (y0 - level) .* exp(-rate * (ts[k] - t0))");

std::vector<double> point() {
  std::vector<double> x(62);
  for (std::size_t d = 0; d < x.size(); ++d) x[d] = std::sin(0.7 * double(d));
  return x;
}

// Errors of up to 100 tolerances in each of 90 states, with weights up to 3; as of all gradients of
// the solver.
TEST(ode_adjoint_models, agree_with_the_closed_form) {
  const auto closed = model_of(kClosed);
  for (const std::string solver : {"ode_rk45_tol", "ode_ckrk_tol"}) {
    const auto model = model_of(solved(solver, "1e-9, 1e-9, 10000, "));
    const PointEvaluation a = model->evaluate_in_full(point()),
                          b = closed->evaluate_in_full(point());
    EXPECT_NEAR(a.log_density, b.log_density, 3e-5);
    for (std::size_t d = 0; d < b.gradient.size(); ++d)
      EXPECT_NEAR(a.gradient[d], b.gradient[d], 3e-6) << solver << ", " << d;
  }
}

// The adjoint equation's errors are of its own tolerances.
TEST(ode_adjoint_models, agree_by_the_adjoint_equation) {
  const auto closed = model_of(kClosed);
  const std::string head = "1e-9, rep_vector(1e-9, 30), 1e-9, rep_vector(1e-9, 30), 1e-9, 1e-9, ";
  for (const std::string rest : {"10000, 100, 1, 2, 2, ", "10000, 100, 2, 1, 2, ",
                                 "10000, 100, 2, 2, 1, ", "10000, 100, 2, 1, 1, "}) {
    const auto model = model_of(solved("ode_adjoint_tol_ctl", head + rest));
    const PointEvaluation a = model->evaluate_in_full(point()),
                          b = closed->evaluate_in_full(point());
    EXPECT_NEAR(a.log_density, b.log_density, 3e-5);
    for (std::size_t d = 0; d < b.gradient.size(); ++d)
      EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-5) << rest << d;
  }
}

std::string refusal_of(const std::string& body) {
  try {
    const auto model = model_of(body);
    return model->describe(model->evaluate_in_full(point()).status);
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(ode_adjoint_models, say_which_setting_is_wrong) {
  const auto says = [](const std::string& settings, const std::string& what) {
    const std::string text = refusal_of(solved("ode_adjoint_tol_ctl", settings));
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  const std::string head = "1e-6, rep_vector(1e-6, 30), ", back = "1e-6, rep_vector(1e-6, 30), ";
  says("-1.0, rep_vector(1e-6, 30), " + back + "1e-6, 1e-6, 1000, 10, 1, 2, 2, ",
       "forward relative tolerance is -1");
  says("1e-6, rep_vector(1e-6, 3), " + back + "1e-6, 1e-6, 1000, 10, 1, 2, 2, ",
       "3 elements of the forward absolute tolerance for 30 states");
  says(head + back + "1e-6, 1e-6, 1000, 10, 3, 2, 2, ", "interpolation polynomial is 3");
  says(head + back + "1e-6, 1e-6, 1000, 10, 1, 0, 2, ", "forward solver is 0");
  // Steps that are enough for the solution and not for its derivatives.
  says(head + "1e-13, rep_vector(1e-15, 30), 1e-6, 1e-6, 120, 10, 1, 1, 2, ",
       "time that the adjoint solution reaches");
}

TEST(ode_adjoint_models, say_what_is_refused) {
  const std::string text =
      refusal_of("target += ode_rk45(falling, rep_vector(1, 30), 0, {9.0}, rate, -1.0)[1, 1];");
  EXPECT_NE(text.find("below the ground"), std::string::npos) << text;
}

}  // namespace
}  // namespace credo::model::ode_adjoint_test
