// Posteriors under uniform priors whose evidence is a closed form or a quadrature, written out here.
#pragma once
#include "infer/known_posteriors.hpp"

namespace credo::testing {

// Uniform on (low, high) in each coordinate, in a free space of the same coordinates; outside nothing. `cube`: with a
// map from the unit cube. `within`: the part of the box that is the prior's support.
struct Box {
  Index dimension = 1;
  double low = 0.0, high = 1.0;
  bool cube = true;
  std::function<bool(Values)> within = [](Values) { return true; };
  double log_volume = kNaN;  // of the support; NaN: all of the box
};

class BoxPosterior final : public density::LogDensity {
 public:
  using LogLikelihood = std::function<double(Values)>;
  BoxPosterior(Box box, LogLikelihood log_likelihood)
      : box_(std::move(box)), log_likelihood_(std::move(log_likelihood)) {
    if (std::isnan(box_.log_volume))
      box_.log_volume = static_cast<double>(box_.dimension) * std::log(box_.high - box_.low);
  }
  Index dimension() const override { return box_.dimension; }
  bool has_gradient() const override { return false; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*this);
  }
  std::string describe(const density::Status&) const override { return "outside of the support"; }
  std::unique_ptr<density::LogDensity> prior() const override {
    return std::make_unique<BoxPosterior>(box_, [](Values) { return 0.0; });
  }
  density::Capability can_draw() const override { return {}; }
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override {
    return std::make_unique<Drawing>(box_);
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    explicit Evaluating(const BoxPosterior& of) : of_(of) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) {
        bool inside = of_.box_.within(request->position);
        for (const double x : request->position)
          inside = inside && x >= of_.box_.low && x <= of_.box_.high;
        request->log_density =
            inside ? of_.log_likelihood_(request->position) - of_.box_.log_volume : -kInfinity;
        request->status = {.source = std::isfinite(request->log_density) ? 0 : 1};
      }
    }

   private:
    const BoxPosterior& of_;
  };
  class Drawing final : public density::ExactDraws {
   public:
    explicit Drawing(const Box& box) : box_(box) {}
    std::optional<density::Start> next(Rng& rng) override {
      std::vector<double> cube(static_cast<std::size_t>(box_.dimension));
      for (double& u : cube) u = rng.uniform();
      return at(cube);
    }
    Index cube_dimension() const override { return box_.cube ? box_.dimension : 0; }
    std::optional<density::Start> at(Values cube) override {
      density::Start start{.position = std::vector<double>(cube.begin(), cube.end()),
                           .log_density = -box_.log_volume};
      for (double& x : start.position) x = box_.low + (box_.high - box_.low) * x;
      if (!box_.within(start.position)) return std::nullopt;
      return start;
    }

   private:
    Box box_;
  };

  Box box_;
  LogLikelihood log_likelihood_;
};

struct BoxProblem {
  std::string name;
  std::unique_ptr<density::LogDensity> density;
  double log_evidence;
};

// Two thin shells [feroz2009]: each integrates to 4 π, but for what is beyond 5 standard deviations.
inline BoxProblem gaussian_shells(bool cube = true) {
  const auto likelihood = [](Values x) {
    constexpr double kRadius = 2.0, kWidth = 0.1, kCentre = 3.5;
    const double left = normal_log_density(std::hypot(x[0] + kCentre, x[1]), kRadius, kWidth),
                 right = normal_log_density(std::hypot(x[0] - kCentre, x[1]), kRadius, kWidth);
    const double top = std::max(left, right);
    return top + std::log(std::exp(left - top) + std::exp(right - top));
  };
  return {"Gaussian shells",
          std::make_unique<BoxPosterior>(
              Box{.dimension = 2, .low = -6.0, .high = 6.0, .cube = cube}, likelihood),
          std::log(8.0 * M_PI / 144.0)};
}

inline double eggbox_log_likelihood(Values x) {
  return std::pow(2.0 + std::cos(0.5 * x[0]) * std::cos(0.5 * x[1]), 5.0);
}

// 18 peaks [feroz2009]. By the midpoint rule: the integrand has derivatives of every order; 1000 and 2000 points a side
// agree to 1e-7.
inline BoxProblem eggbox() {
  constexpr double kSide = 10.0 * M_PI, kTop = 243.0;
  constexpr int kPoints = 1000;
  std::vector<double> cosines;
  for (int i = 0; i < kPoints; ++i) cosines.push_back(std::cos(0.5 * kSide * (i + 0.5) / kPoints));
  double sum = 0.0;
  for (const double a : cosines)
    for (const double b : cosines) sum += std::exp(std::pow(2.0 + a * b, 5.0) - kTop);
  return {"eggbox",
          std::make_unique<BoxPosterior>(Box{.dimension = 2, .low = 0.0, .high = kSide},
                                         eggbox_log_likelihood),
          kTop + std::log(sum / kPoints / kPoints)};
}

// Uniform in a ball of radius R in ten dimensions, exp(-r²/2): Z = (10 / R¹⁰) ∫ r⁹ exp(-r²/2) dr
// = (10 / R¹⁰) 2⁴ γ(5, R²/2), γ(5, x) = 4! (1 - e⁻ˣ Σ_{k<5} xᵏ/k!).
inline constexpr double kBallRadius = 6.0;
inline BoxProblem gauss_in_a_ball(bool cube = false) {
  constexpr double kLogUnitBall = 0.93615768646495477;  // log(π⁵ / 5!)
  const auto square = [](Values x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  };
  const double x = 0.5 * kBallRadius * kBallRadius;
  double terms = 0.0, term = 1.0;
  for (int k = 0; k < 5; term *= x / ++k) terms += term;
  const double log_gamma = std::log(24.0 * (1.0 - std::exp(-x) * terms));
  return {"Gauss in a ball",
          std::make_unique<BoxPosterior>(
              Box{.dimension = 10,
                  .low = -kBallRadius,
                  .high = kBallRadius,
                  .cube = cube,
                  .within = [square](Values v) { return square(v) <= kBallRadius * kBallRadius; },
                  .log_volume = kLogUnitBall + 10.0 * std::log(kBallRadius)},
              [square](Values v) { return -0.5 * square(v); }),
          std::log(10.0 * 16.0) - 10.0 * std::log(kBallRadius) + log_gamma};
}

// Three steps, and nothing on a quarter of the square: 0.15 · 1 + 0.3 · 3 + 0.3 · 10.
inline BoxProblem plateaus() {
  const auto likelihood = [](Values x) {
    if (x[0] < 0.25) return -kInfinity;
    if (x[0] < 0.4) return 0.0;
    return x[0] < 0.7 ? std::log(3.0) : std::log(10.0);
  };
  return {"plateaus", std::make_unique<BoxPosterior>(Box{.dimension = 2}, likelihood),
          std::log(0.15 + 0.9 + 3.0)};
}

// A plateau on which a peak stands: 0.5 + (1/2) ∫∫ 20 exp(-50 |x - c|²), of which the half is outside.
inline BoxProblem peak_on_a_plateau() {
  const auto likelihood = [](Values x) {
    const double a = x[0] - 0.7, b = x[1] - 0.5, r2 = a * a + b * b;
    return r2 > 0.04 ? 0.0 : std::log(1.0 + 20.0 * std::exp(-50.0 * r2));
  };
  // ∫ over r < 0.2: 20 · 2π ∫ r exp(-50 r²) dr = 20 · 2π (1 - exp(-2)) / 100
  return {"peak on a plateau", std::make_unique<BoxPosterior>(Box{.dimension = 2}, likelihood),
          std::log(1.0 + 20.0 * 2.0 * M_PI * (1.0 - std::exp(-2.0)) / 100.0)};
}

// A normal of standard deviation 0.3 around 1 in each of 20 coordinates of the box (-5, 5); 13 standard deviations from
// its edges.
inline BoxProblem gauss_in_20_dimensions(bool cube = true) {
  const auto likelihood = [](Values x) {
    double sum = 0.0;
    for (const double value : x) sum += normal_log_density(value, 1.0, 0.3);
    return sum;
  };
  return {"20-dimensional Gaussian",
          std::make_unique<BoxPosterior>(
              Box{.dimension = 20, .low = -5.0, .high = 5.0, .cube = cube}, likelihood),
          -20.0 * std::log(10.0)};
}

}  // namespace credo::testing
