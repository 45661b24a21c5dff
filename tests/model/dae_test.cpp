// Differential-algebraic equations against closed forms and against the same problem as a
// differential equation. Tolerances are those of tests/model/ode_test.cpp: errors of up to 100
// tolerances in each state, with weights and rates of change of order one.
#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::dae_test {
namespace {

const char* const kHead = R"(
functions {
  // y1' = drive - rate y1, drive = level cos(t)
  vector driven(real t, vector y, vector yp, real rate, real level) {
    return [yp[1] + rate * y[1] - y[2], y[2] - level * cos(t)]';
  }
  vector refused(real t, vector y, vector yp, real rate, real level) {
    if (y[1] < 0.2) reject("too little");
    return driven(t, y, yp, rate, level);
  }
  vector without_solution(real t, vector y, vector yp, real rate, real level) {
    return [yp[1] + rate * y[1], yp[1] - y[1]]';
  }
  vector short_residual(real t, vector y, vector yp, real rate, real level) { return [yp[1]]'; }
  real solution(real t, real first, real rate, real level) {
    real share = level / (1 + square(rate));
    return (first - share * rate) * exp(-rate * t) + share * (rate * cos(t) + sin(t));
  }
}
data { int T; array[T] real ts; }
parameters { real first; real<lower=0.1, upper=3> rate; real level; }
)";
const char* const kData = R"({"T": 3, "ts": [0.4, 1.1, 2.6]})";
const std::vector<double> kPoint{0.7, 0.3, 0.9};

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kHead + ("model {" + body + "}"), kData);
}

std::string solved(const std::string& call) {
  return "array[T] vector[2] y = " + call +
         "; for (k in 1:T) target += k * sin(y[k, 1]) + y[k, 2];";
}
std::string call_of(const std::string& residual, const std::string& settings = "") {
  const std::string solver = settings.empty() ? "dae(" : "dae_tol(";
  return solver + residual + ", [first, level]', [level - rate * first, 0]', 0, ts, " + settings +
         "rate, level)";
}
const char* const kClosed =
    "for (k in 1:T) target += k * sin(solution(ts[k], first, rate, level)) + level * cos(ts[k]);";

TEST(dae_models, agree_with_the_closed_form) {
  const auto closed = model_of(kClosed);
  expect_same_density(*model_of(solved(call_of("driven"))), *closed, kPoint, {1e-7, 1e-7});
  expect_same_density(*model_of(solved(call_of("driven", "1e-8, 1e-8, 10000, "))), *closed, kPoint,
                      {1e-5, 1e-5});
}

// Power: another rate in the residual alone.
TEST(dae_models, reject_another_equation) {
  const auto wrong = model_of(solved(
      "dae(driven, [first, level]', [level - rate * first, 0]', 0, ts, rate + 1e-4, level)"));
  const auto closed = model_of(kClosed);
  EXPECT_GT(std::abs(wrong->evaluate_in_full(kPoint).log_density -
                     closed->evaluate_in_full(kPoint).log_density),
            1e-6);
}

std::string refusal_of(const std::string& body) {
  try {
    const auto model = model_of(body);
    return model->describe(model->evaluate_in_full(kPoint).status);
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(dae_models, say_what_is_refused) {
  const auto says = [](const std::string& body, const std::string& what) {
    const std::string text = refusal_of(body);
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  says(solved(call_of("refused")), "too little");
  says(solved(call_of("without_solution")), "time that the solution reaches");
  says(solved(call_of("short_residual")), "the residual has 1 elements for 2 states");
  says(solved(call_of("driven", "1e-8, 1e-8, 3, ")), "number of steps");
  says(solved("dae(driven, [first, level]', [0.0]', 0, ts, rate, level)"),
       "1 initial slopes for 2 states");
}

}  // namespace
}  // namespace credo::model::dae_test
