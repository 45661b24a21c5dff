// A linear Gaussian state-space model with two parameters, as a log density that tells its states, and what is exactly true of it:
//
//   phi ~ N(0.5, 0.3), eta ~ N(-0.5, 0.4);  x_1 ~ N(0, 1), x_t = phi x_{t-1} + N(0, exp(eta)), y_t = x_t + N(0, 0.5)
//
// The third outcome is missing. Positions are (phi, eta, x_1, ..., x_T), without the states (phi, eta), of known parameters (x).
#pragma once
#include "density/state_space.hpp"
#include "numerics/kalman.hpp"

namespace credo::testing {

inline constexpr double kOutcomeNoise = 0.5, kHalfLog2Pi = 0.91893853320467274178;
inline double log_normal(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - kHalfLog2Pi;
}

// What is planted: given states without the weight of their outcome; transitions from the particle before; a density that has a
// term of the states that the functions lack.
enum class StateFault { none, no_outcome, ancestor_off_by_one, other_states };

struct LinearParameters {
  double phi = 0.5, sigma = std::exp(-0.5);
};

inline const std::vector<double>& linear_outcomes() {
  static const std::vector<double> y = {0.9, 1.4, kNaN, 0.2, -0.9, -1.6, -0.4, 0.7, 1.1, 0.1};
  return y;
}

class LinearStates final : public density::StateSpace {
 public:
  LinearStates(const LinearParameters& parameters, StateFault fault_)
      : at(parameters), fault(fault_) {}
  Index num_times() const override { return ssize(linear_outcomes()); }
  const density::Layout& state() const override { return state_; }
  bool is_observed(Index t) const override {
    return !std::isnan(linear_outcomes()[static_cast<std::size_t>(t)]);
  }
  density::Capability can(density::Kernel) const override { return {}; }
  density::Capability can_look_ahead() const override { return {.can = false}; }
  density::Capability can_weigh_states() const override { return {}; }
  std::unique_ptr<density::StateMover> make_mover(density::Kernel kernel) const override;

  LinearParameters at;
  StateFault fault;

 private:
  density::Layout state_{{{.name = "x"}}};
};

// The proposal is a normal distribution between what the transition and the outcome say.
class LinearStatesMover final : public density::StateMover {
 public:
  LinearStatesMover(const LinearStates& model, bool guided) : m_(model), guided_(guided) {}

  void move(const density::ParticleBlock& b) override {
    for (Index i = 0; i < b.count; ++i) {
      const double* previous = b.previous == nullptr ? nullptr : b.previous + i;
      Rng rng({.seed = b.seed,
               .purpose = purpose::kTest,
               .chain = static_cast<std::uint32_t>(b.first + i),
               .iteration = 0});
      const auto [mean, sd] = proposal(b.time, previous);
      b.next[i] = mean + sd * rng.normal();
      b.log_weights[i] = weight(b.time, previous, b.next[i]);
    }
  }
  void look_ahead(const density::ParticleBlock&) override {}
  void transitions(const density::ParticleBlock& b) override {
    for (Index i = 0; i < b.count; ++i) {
      const Index from = m_.fault == StateFault::ancestor_off_by_one ? (i + 1) % b.count : i;
      b.log_weights[i] = transition(b.time, b.previous + from, b.next[i]);
    }
  }
  void weigh(std::span<const density::GivenState> states, std::span<double> log_transitions,
             std::span<double> log_weights) override {
    for (std::size_t k = 0; k < states.size(); ++k) {
      const density::GivenState& s = states[k];
      log_transitions[k] = transition(s.time, s.previous, *s.state);
      log_weights[k] =
          m_.fault == StateFault::no_outcome ? 0.0 : weight(s.time, s.previous, *s.state);
    }
  }

 private:
  double outcome(Index t) const { return linear_outcomes()[static_cast<std::size_t>(t)]; }
  std::pair<double, double> distribution(Index t, const double* previous) const {
    if (t == 0) return {0.0, 1.0};
    return {m_.at.phi * *previous, m_.at.sigma};
  }
  std::pair<double, double> proposal(Index t, const double* previous) const {
    const auto [mean, sd] = distribution(t, previous);
    if (!guided_ || std::isnan(outcome(t))) return {mean, sd};
    return {0.5 * (mean + outcome(t)), sd};
  }
  double transition(Index t, const double* previous, double x) const {
    const auto [mean, sd] = distribution(t, previous);
    return log_normal(x, mean, sd);
  }
  double weight(Index t, const double* previous, double x) const {
    if (std::isnan(outcome(t))) return 0.0;
    const double of_outcome = log_normal(outcome(t), x, kOutcomeNoise);
    if (!guided_) return of_outcome;
    const auto [mean, sd] = proposal(t, previous);
    return of_outcome + transition(t, previous, x) - log_normal(x, mean, sd);
  }

  const LinearStates& m_;
  bool guided_;
};

inline std::unique_ptr<density::StateMover> LinearStates::make_mover(density::Kernel kernel) const {
  return std::make_unique<LinearStatesMover>(*this, kernel == density::Kernel::guided);
}

struct LinearShape {
  bool has_parameters = true, has_states = true;
  StateFault fault = StateFault::none;

  Index num_parameters() const { return has_parameters ? 2 : 0; }
  Index dimension() const { return num_parameters() + (has_states ? ssize(linear_outcomes()) : 0); }
  LinearParameters at(std::span<const double> x) const {
    if (!has_parameters) return {};
    return {x[0], std::exp(x[1])};
  }
};

class LinearStatesAt final : public density::StateSpaceAt {
 public:
  explicit LinearStatesAt(const LinearShape& shape) : shape_(shape) {
    for (Index c = shape.num_parameters(); c < shape.dimension(); ++c) coordinates_.push_back(c);
  }
  std::span<const Index> state_coordinates() const override { return coordinates_; }
  const density::StateSpace& at(std::span<const double> position) override {
    return space_.emplace(shape_.at(position), shape_.fault);
  }

 private:
  LinearShape shape_;
  std::vector<Index> coordinates_;
  std::optional<LinearStates> space_;
};

class LinearPosterior final : public density::LogDensity {
 public:
  explicit LinearPosterior(const LinearShape& shape = {}) : shape_(shape) {}
  Index dimension() const override { return shape_.dimension(); }
  bool has_gradient() const override { return false; }
  std::string describe(const density::Status&) const override { return "outside"; }
  std::unique_ptr<density::StateSpaceAt> make_state_space() const override {
    return std::make_unique<LinearStatesAt>(shape_);
  }
  double log_density(std::span<const double> position) const {
    const LinearParameters p = shape_.at(position);
    double sum = 0.0;
    if (shape_.has_parameters)
      sum += log_normal(position[0], 0.5, 0.3) + log_normal(position[1], -0.5, 0.4);
    if (!shape_.has_states) return sum;
    const auto x = position.subspan(static_cast<std::size_t>(shape_.num_parameters()));
    for (std::size_t t = 0; t < x.size(); ++t) {
      sum += t == 0 ? log_normal(x[0], 0, 1) : log_normal(x[t], p.phi * x[t - 1], p.sigma);
      if (!std::isnan(linear_outcomes()[t]))
        sum += log_normal(linear_outcomes()[t], x[t], kOutcomeNoise);
      if (shape_.fault == StateFault::other_states) sum -= 0.1 * x[t] * x[t];
    }
    return sum;
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Own>(*this);
  }

 private:
  struct Own final : density::Evaluator {
    explicit Own(const LinearPosterior& of_) : of(of_) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) {
        request->log_density = of.log_density(request->position);
        request->status = {};
      }
    }
    const LinearPosterior& of;
  };
  LinearShape shape_;
};

inline std::vector<numerics::LinearGaussianStep> linear_steps(const LinearParameters& p) {
  std::vector<numerics::LinearGaussianStep> all;
  for (const double y : linear_outcomes())
    all.push_back({.matrix = {p.phi},
                   .offset = {0.0},
                   .noise = {all.empty() ? 1.0 : p.sigma * p.sigma},
                   .observation = {1.0},
                   .observation_offset = {0.0},
                   .observation_noise = {kOutcomeNoise * kOutcomeNoise},
                   .outcome = {y}});
  return all;
}

// Expectations of a position's elements and of their squares.
struct LinearTruth {
  std::vector<double> mean, square;
};

// Given the parameters: the smoother.
inline LinearTruth smoothed_truth(const LinearParameters& p) {
  const auto steps = linear_steps(p);
  LinearTruth truth;
  for (const numerics::GaussianState& s :
       numerics::rts_smoother(steps, numerics::kalman_filter(steps))) {
    truth.mean.push_back(s.mean[0]);
    truth.square.push_back(s.mean[0] * s.mean[0] + s.covariance()[0]);
  }
  return truth;
}

// By quadrature over the parameters, six prior standard deviations to each side: trapezoids, whose error is far below that of
// draws for so smooth a density.
inline const LinearTruth& whole_truth() {
  static const LinearTruth truth = [] {
    constexpr int kSteps = 48;
    LinearTruth sum;
    const std::size_t size = 2 + linear_outcomes().size();
    sum.mean.assign(size, 0.0), sum.square.assign(size, 0.0);
    double total = 0.0;
    for (int i = 0; i <= kSteps; ++i)
      for (int j = 0; j <= kSteps; ++j) {
        const double phi = 0.5 + 0.3 * 12.0 * (i / double{kSteps} - 0.5),
                     eta = -0.5 + 0.4 * 12.0 * (j / double{kSteps} - 0.5);
        const LinearParameters p{phi, std::exp(eta)};
        const double weight = std::exp(numerics::kalman_filter(linear_steps(p)).log_likelihood +
                                       log_normal(phi, 0.5, 0.3) + log_normal(eta, -0.5, 0.4));
        const LinearTruth states = smoothed_truth(p);
        std::vector<double> mean{phi, eta}, square{phi * phi, eta * eta};
        mean.insert(mean.end(), states.mean.begin(), states.mean.end());
        square.insert(square.end(), states.square.begin(), states.square.end());
        total += weight;
        for (std::size_t k = 0; k < size; ++k) {
          sum.mean[k] += weight * mean[k];
          sum.square[k] += weight * square[k];
        }
      }
    for (std::size_t k = 0; k < size; ++k) sum.mean[k] /= total, sum.square[k] /= total;
    return sum;
  }();
  return truth;
}

}  // namespace credo::testing
