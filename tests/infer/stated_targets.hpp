// Posteriors of which prior and likelihood are stated apart, with gradients, and whose evidence is a closed form or a
// quadrature, written out here.
#pragma once
#include "infer/known_posteriors.hpp"

namespace credo::testing {

// Adds its gradient to the span, where that isn't empty; returns its value.
using Term = std::function<double(Values x, std::span<double> gradient)>;
using DrawPosition = std::function<void(Rng&, std::span<double> x)>;

// log prior + log likelihood; the prior can be drawn from.
class Stated final : public density::LogDensity {
 public:
  Stated(Index dimension, Term prior, Term likelihood, DrawPosition draw)
      : dimension_(dimension),
        prior_(std::move(prior)),
        likelihood_(std::move(likelihood)),
        draw_(std::move(draw)),
        whole_(density::make_density(dimension, [first = prior_, second = likelihood_](
                                                    Values x, std::span<double> gradient) {
          std::fill(gradient.begin(), gradient.end(), 0.0);
          return first(x, gradient) + second(x, gradient);
        })) {}
  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return whole_->make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return whole_->describe(status);
  }
  std::unique_ptr<density::LogDensity> prior() const override {
    return std::make_unique<Stated>(
        dimension_, prior_, [](Values, std::span<double>) { return 0.0; }, draw_);
  }
  density::Capability can_draw() const override { return {}; }  // asked of the prior alone
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Drawing>(*this);
  }

 private:
  class Drawing final : public density::ExactDraws {
   public:
    explicit Drawing(const Stated& of) : of_(of) {}
    std::optional<density::Start> next(Rng& rng) override {
      density::Start start{.position =
                               std::vector<double>(static_cast<std::size_t>(of_.dimension_))};
      of_.draw_(rng, start.position);
      start.log_density = of_.prior_(start.position, {});
      return start;
    }

   private:
    const Stated& of_;
  };

  Index dimension_;
  Term prior_, likelihood_;
  DrawPosition draw_;
  std::unique_ptr<density::LogDensity> whole_;
};

struct StatedProblem {
  std::string name;
  std::unique_ptr<density::LogDensity> density;
  double log_evidence;
};

// N(mean, sd²) of a coordinate.
inline double add_normal(double x, double mean, double sd, std::span<double> gradient,
                         std::size_t d) {
  if (!gradient.empty()) gradient[d] -= (x - mean) / (sd * sd);
  return normal_log_density(x, mean, sd);
}

// ---- a pair of regressions: y = a (+ b x) + e, a and b ~ N(0, 2²), e ~ N(0, 0.5²)

inline constexpr std::array kRegressors = {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0},
                            kOutcomes = {-0.7, 0.1, 0.2, 0.9, 0.8, 1.9, 1.7, 2.8};

// Outcomes come one after another: each is normal given those before, with the moments of the weights that they leave,
// as Bayes' rule for one normal observation says. No matrix is inverted.
inline double log_evidence_of_regression(bool with_slope) {
  constexpr double kPrior = 4.0, kNoise = 0.25;
  double m[2] = {0.0, 0.0}, c[2][2] = {{kPrior, 0.0}, {0.0, with_slope ? kPrior : 0.0}}, sum = 0.0;
  for (std::size_t k = 0; k < kOutcomes.size(); ++k) {
    const double h[2] = {1.0, kRegressors[k]};
    const double g[2] = {c[0][0] * h[0] + c[0][1] * h[1], c[1][0] * h[0] + c[1][1] * h[1]};
    const double variance = h[0] * g[0] + h[1] * g[1] + kNoise,
                 off = kOutcomes[k] - h[0] * m[0] - h[1] * m[1];
    sum += normal_log_density(off, 0.0, std::sqrt(variance));
    for (std::size_t i = 0; i < 2; ++i) {
      m[i] += g[i] * off / variance;
      for (std::size_t j = 0; j < 2; ++j) c[i][j] -= g[i] * g[j] / variance;
    }
  }
  return sum;
}

inline StatedProblem regression(bool with_slope) {
  constexpr double kSd = 2.0, kNoise = 0.5;
  const auto prior = [](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += add_normal(x[d], 0.0, kSd, gradient, d);
    return sum;
  };
  const auto likelihood = [](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t k = 0; k < kOutcomes.size(); ++k) {
      const double off = kOutcomes[k] - x[0] - (x.size() > 1 ? x[1] * kRegressors[k] : 0.0);
      sum += normal_log_density(off, 0.0, kNoise);
      if (gradient.empty()) continue;
      gradient[0] += off / (kNoise * kNoise);
      if (x.size() > 1) gradient[1] += off * kRegressors[k] / (kNoise * kNoise);
    }
    return sum;
  };
  const auto draw = [](Rng& rng, std::span<double> x) {
    for (double& value : x) value = kSd * rng.normal();
  };
  return {with_slope ? "regression with a slope" : "regression without a slope",
          std::make_unique<Stated>(with_slope ? 2 : 1, prior, likelihood, draw),
          log_evidence_of_regression(with_slope)};
}

// ---- a mixture: y ~ ½ N(m₁, 1) + ½ N(m₂, 1), m ~ N(0, 3²) each; two modes, mirrored

inline constexpr std::array kMixed = {-2.6, -1.9, -1.3, -0.4, 0.2, 0.9, 1.4, 1.8, 2.7, 3.1};

inline double mixture_log_likelihood(double m1, double m2, double* slope1 = nullptr,
                                     double* slope2 = nullptr) {
  double sum = 0.0;
  for (const double y : kMixed) {
    const double a = normal_log_density(y, m1, 1.0), b = normal_log_density(y, m2, 1.0);
    const double top = std::max(a, b), all = top + std::log(std::exp(a - top) + std::exp(b - top));
    sum += all - std::log(2.0);
    if (slope1 != nullptr) *slope1 += std::exp(a - all) * (y - m1);
    if (slope2 != nullptr) *slope2 += std::exp(b - all) * (y - m2);
  }
  return sum;
}

// By the midpoint rule; 400 and 800 points a side agree to 1e-10.
inline StatedProblem stated_mixture() {
  constexpr double kSd = 3.0, kReach = 18.0;
  constexpr int kPoints = 400;
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j) {
      const double a = -kReach + 2.0 * kReach * (i + 0.5) / kPoints,
                   b = -kReach + 2.0 * kReach * (j + 0.5) / kPoints;
      sum += std::exp(normal_log_density(a, 0.0, kSd) + normal_log_density(b, 0.0, kSd) +
                      mixture_log_likelihood(a, b));
    }
  const auto prior = [](Values x, std::span<double> gradient) {
    return add_normal(x[0], 0.0, kSd, gradient, 0) + add_normal(x[1], 0.0, kSd, gradient, 1);
  };
  const auto likelihood = [](Values x, std::span<double> gradient) {
    return gradient.empty() ? mixture_log_likelihood(x[0], x[1])
                            : mixture_log_likelihood(x[0], x[1], &gradient[0], &gradient[1]);
  };
  const auto draw = [](Rng& rng, std::span<double> x) {
    x[0] = kSd * rng.normal(), x[1] = kSd * rng.normal();
  };
  return {"mixture", std::make_unique<Stated>(2, prior, likelihood, draw),
          std::log(sum * std::pow(2.0 * kReach / kPoints, 2))};
}

// ---- eight schools [rubin1981], not centred: mu ~ N(0, 5²), tau ~ half-Cauchy(5), z ~ N(0, 1), y ~ N(mu + tau z, s²);
// free coordinates mu, log tau, z

inline constexpr std::array kEffects = {28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0},
                            kEffectErrors = {15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0};

// Two integrals are left, by the midpoint rule; 300 and 600 points a side agree to 1e-9.
inline double log_evidence_of_schools() {
  constexpr int kPoints = 300;
  double sum = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = -12.0 + 24.0 * (i + 0.5) / kPoints, tau = std::exp(t);
    for (int j = 0; j < kPoints; ++j) {
      const double mu = -40.0 + 80.0 * (j + 0.5) / kPoints;
      double value =
          std::log(2.0 * tau * 5.0 / M_PI / (25.0 + tau * tau)) + normal_log_density(mu, 0.0, 5.0);
      for (std::size_t k = 0; k < 8; ++k)
        value += normal_log_density(kEffects[k], mu, std::hypot(kEffectErrors[k], tau));
      sum += std::exp(value) * (24.0 / kPoints) * (80.0 / kPoints);
    }
  }
  return std::log(sum);
}

inline StatedProblem stated_eight_schools() {
  const auto prior = [](Values x, std::span<double> gradient) {
    const double tau = std::exp(x[1]);
    double sum =
        add_normal(x[0], 0.0, 5.0, gradient, 0) + std::log(10.0 / M_PI / (25.0 + tau * tau)) + x[1];
    if (!gradient.empty()) gradient[1] += 1.0 - 2.0 * tau * tau / (25.0 + tau * tau);
    for (std::size_t k = 0; k < 8; ++k) sum += add_normal(x[2 + k], 0.0, 1.0, gradient, 2 + k);
    return sum;
  };
  const auto likelihood = [](Values x, std::span<double> gradient) {
    const double tau = std::exp(x[1]);
    double sum = 0.0;
    for (std::size_t k = 0; k < 8; ++k) {
      const double off = kEffects[k] - x[0] - tau * x[2 + k], s = kEffectErrors[k];
      sum += normal_log_density(off, 0.0, s);
      if (gradient.empty()) continue;
      gradient[0] += off / (s * s);
      gradient[1] += off / (s * s) * tau * x[2 + k];
      gradient[2 + k] += off / (s * s) * tau;
    }
    return sum;
  };
  const auto draw = [](Rng& rng, std::span<double> x) {
    x[0] = 5.0 * rng.normal();
    x[1] = std::log(5.0 * std::tan(0.5 * M_PI * rng.uniform()));
    for (std::size_t k = 0; k < 8; ++k) x[2 + k] = rng.normal();
  };
  return {"eight schools", std::make_unique<Stated>(10, prior, likelihood, draw),
          log_evidence_of_schools()};
}

}  // namespace credo::testing
