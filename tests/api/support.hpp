// What tests of the C++ interface share: eight schools, written in the ways there are.
#pragma once
#include <credo/credo.hpp>

namespace credo {

// What a call says that fails.
template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline const std::vector<double> kEffects{28, 8, -3, 7, -1, 1, 18, 12};
inline const std::vector<double> kErrors{15, 10, 16, 11, 9, 11, 10, 18};

struct Schools {
  Parameters parameters;
  Parameter<Real> mu = parameters.real("mu");
  Parameter<Real> tau = parameters.real("tau", lower(0));
  Parameter<Vector> eta = parameters.vector("eta", 8);
};

inline constexpr const char* kSchoolsProgram = R"(
data { vector[8] y, sigma; }
parameters { real mu; real<lower=0> tau; vector[8] eta; }
transformed parameters { vector[8] theta = mu + tau * eta; }
model {
  target += normal_lpdf(mu | 0, 5);
  target += normal_lpdf(tau | 0, 5);
  target += normal_lpdf(eta | 0, 1);
  target += normal_lpdf(y | theta, sigma);
})";
inline constexpr const char* kSchoolsData = R"({"y": [28, 8, -3, 7, -1, 1, 18, 12],
  "sigma": [15, 10, 16, 11, 9, 11, 10, 18]})";

inline Model traced_schools(const ModelOptions& options = {}) {
  const Schools s;
  return traced(
      s.parameters,
      [&](Trace& at) {
        const Vector theta = at[s.mu] + at[s.tau] * at[s.eta];
        at.output("theta", theta);
        return normal_lpdf(at[s.mu], 0, 5) + normal_lpdf(at[s.tau], 0, 5) +
               normal_lpdf(at[s.eta], 0, 1) + normal_lpdf(kEffects, theta, kErrors);
      },
      options);
}

inline double log_normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.91893853320467274178;  // log sqrt(2 pi)
}

// `tweak` is added to the gradient by tau: a planted mistake.
inline double schools_with_gradient(std::span<const double> theta, std::span<double> gradient,
                                    double tweak = 0.0) {
  const double mu = theta[0], tau = theta[1];
  double sum = log_normal_density(mu, 0, 5) + log_normal_density(tau, 0, 5);
  gradient[0] = -mu / 25.0;
  gradient[1] = -tau / 25.0 + tweak;
  for (std::size_t j = 0; j < 8; ++j) {
    const double eta = theta[2 + j], mean = mu + tau * eta, sd = kErrors[j];
    sum += log_normal_density(eta, 0, 1) + log_normal_density(kEffects[j], mean, sd);
    const double slope = (kEffects[j] - mean) / (sd * sd);
    gradient[0] += slope;
    gradient[1] += slope * eta;
    gradient[2 + j] = -eta + slope * tau;
  }
  return sum;
}

inline Model hand_written_schools(double tweak = 0.0) {
  return with_gradient(Schools().parameters, [tweak](auto theta, auto gradient) {
    return schools_with_gradient(theta, gradient, tweak);
  });
}

inline Model plain_schools() {
  return without_gradient(Schools().parameters, [](std::span<const double> theta) {
    std::vector<double> unused(theta.size());
    return schools_with_gradient(theta, unused);
  });
}

}  // namespace credo
