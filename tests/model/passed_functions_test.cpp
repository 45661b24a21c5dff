// Functions passed by name: reduce_sum and map_rect say what the same model says without them, for
// values, gradients and the constants that `~` drops.
#include <gtest/gtest.h>

#include "support/text_model.hpp"

namespace credo::model::passed_functions_test {
namespace {

const char* const kData = R"({"N": 12, "K": 3,
  "y": [0.3, -0.8, 1.1, 0.2, 0.9, -1.3, 0.4, 0.1, -0.6, 2.0, 0.7, -0.2],
  "n": [1, 0, 3, 2, 1, 4, 2, 0, 1, 5, 2, 1], "t": [[1.5, 2.5], [0.5, -1], [3, 0.25]],
  "k": [[1, 2], [3, 1], [2, 2]]})";
const char* const kHead = R"(
functions {
  real counts_lpmf(array[] int slice, int start, int end, vector eta) {
    return poisson_log_lupmf(slice | eta[start:end]);
  }
  real normals(array[] real slice, int start, int end, real mu, data real s, vector w) {
    real total = 0;
    for (i in 1:size(slice)) total += normal_lpdf(slice[i] | mu + w[start + i - 1], s);
    return total;
  }
  real rows(array[] vector slice, int start, int end, tuple(real, real) both) {
    real total = end - start;
    for (i in start:end) total += both.1 * sum(slice[i - start + 1]) + both.2;
    return total;
  }
  vector job(vector phi, vector theta, data array[] real t, data array[] int k) {
    return [phi[1] * exp(theta[1] * t[1]) + k[2], phi[2] * theta[2] + t[2] * k[1]]';
  }
}
data { int N; int K; array[N] real y; array[N] int n; array[K, 2] real t; array[K, 2] int k; }
parameters { vector[N] eta; real mu; vector[2] phi; array[K] vector[2] theta; }
)";

struct Case {
  const char* name;
  const char *with, *without;
};

const Case kCases[] = {
    {"lpmf", "target += reduce_sum(counts_lpmf, n, 4, eta);",
     "target += poisson_log_lpmf(n | eta);"},
    {"lupmf", "target += reduce_sum(counts_lupmf, n, 4, eta);",
     "target += counts_lupmf(n | 1, N, eta);"},
    {"static_grain", "target += reduce_sum_static(normals, y, 1, mu, 2.0, eta);",
     "target += normal_lpdf(y | mu + eta, 2);"},
    {"slices_with_parameters", "target += reduce_sum(rows, theta, 1, (mu, phi[1]));",
     "target += K - 1 + K * phi[1]; for (i in 1:K) target += mu * sum(theta[i]);"},
    {"empty_slice", "target += mu^2 + reduce_sum(normals, y[2:1], 1, mu, 2.0, eta);",
     "target += mu^2;"},
    {"map_rect", "target += dot_self(map_rect(job, phi, theta, t, k));",
     "for (i in 1:K) target += square(phi[1] * exp(theta[i, 1] * t[i, 1]) + k[i, 2])"
     " + square(phi[2] * theta[i, 2] + t[i, 2] * k[i, 1]);"},
    {"in_a_loop", "for (i in 1:N) target += reduce_sum(normals, y[i:i], 1, mu, 2.0, eta);",
     "target += normal_lpdf(y | mu + eta[1], 2);"},
};

std::unique_ptr<Model> model_of(const std::string& body) {
  return model_from(kHead + ("model {" + body + "}"), kData);
}

class passed_functions : public ::testing::TestWithParam<Case> {};

TEST_P(passed_functions, say_what_is_said_without_them) {
  const auto with = model_of(GetParam().with), without = model_of(GetParam().without);
  std::vector<double> point, gradient(static_cast<std::size_t>(with->dimension()), kNaN);
  for (Index d = 0; d < with->dimension(); ++d)
    point.push_back(0.8 * std::sin(1.0 + 2.1 * double(d)));
  const PointEvaluation a = with->evaluate_in_full(point), b = without->evaluate_in_full(point);
  // At most 30 summands of order one in another order.
  EXPECT_NEAR(a.log_density, b.log_density, 1e-14 * 30 * (1 + std::abs(b.log_density)));
  EXPECT_NEAR(a.dropped, b.dropped, 1e-14 * 30);
  for (std::size_t d = 0; d < point.size(); ++d)
    EXPECT_NEAR(a.gradient[d], b.gradient[d], 1e-14 * 30 * (1 + std::abs(b.gradient[d])));
}

INSTANTIATE_TEST_SUITE_P(calls, passed_functions, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// Power: the comparison tells slices from one another.
TEST(passed_functions_suite, rejects_a_shifted_slice) {
  const auto with = model_of("target += reduce_sum(counts_lpmf, n[2:N], 1, eta);"),
             without = model_of("target += poisson_log_lpmf(n[2:N] | eta[2:N]);");
  std::vector<double> point;
  for (Index d = 0; d < with->dimension(); ++d)
    point.push_back(0.8 * std::sin(1.0 + 2.1 * double(d)));
  EXPECT_GT(std::abs(with->evaluate_in_full(point).log_density -
                     without->evaluate_in_full(point).log_density),
            1e-3);
}

TEST(passed_functions_suite, names_what_does_not_fit) {
  const auto message = [](const std::string& body) {
    try {
      model_of(body);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string wrong = message("target += reduce_sum(normals, y, 1, mu, 2.0);");
  EXPECT_NE(wrong.find("reduce_sum"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("test.stan:22:18"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("normals(array[] real, int, int, real, data real, vector) => real"),
            std::string::npos)
      << wrong;
  const std::string unknown = message("target += reduce_sum(normal, y, 1, mu, 2.0);");
  EXPECT_NE(unknown.find("normal"), std::string::npos) << unknown;
}

}  // namespace
}  // namespace credo::model::passed_functions_test
