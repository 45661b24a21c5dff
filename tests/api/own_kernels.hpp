// Kernels and proposals of a program's own that tests run.
#pragma once
#include <cmath>

#include "credo/kernel.hpp"
#include "credo/scheme.hpp"

namespace credo {

// Random-walk Metropolis with normal steps: the library's rwm without its warm-up.
class Walk : public Kernel {
 public:
  Walk(Index dimension, double scale) : scale_(scale), to_(static_cast<std::size_t>(dimension)) {}

  Step step(Point& at, Random& random) override {
    for (std::size_t d = 0; d < to_.size(); ++d)
      to_[d] = at.position()[d] + scale_ * random.normal();
    const Answer there = co_await evaluate(to_);
    const double accept_prob = std::min(1.0, std::exp(there.log_density - at.log_density()));
    if (random.uniform() < accept_prob) at.move_to(there);
    co_return {.accept_prob = accept_prob};
  }

 protected:
  double scale_;

 private:
  std::vector<double> to_;
};

inline Scheme walk(double scale) {
  return own("walk", [=](Index dimension) { return std::make_unique<Walk>(dimension, scale); });
}

// The same, whose scale warm-up tunes to an acceptance of 0.3.
class TunedWalk final : public Walk {
 public:
  explicit TunedWalk(Index dimension) : Walk(dimension, 1.0) {}
  void learn(const Point&, const Transition& made) override {
    num_learned_ += 1.0;
    scale_ *= std::exp((made.accept_prob - 0.3) / std::sqrt(num_learned_));
  }
  void finish_warmup() override { is_finished_ = true; }
  std::vector<Setting> settings() const override {
    return {{"scale", {scale_}},
            {"num_learnt", {num_learned_}},
            {"finished", {is_finished_ ? 1.0 : 0.0}}};
  }
  std::vector<double> save() const override { return {scale_, num_learned_}; }
  void load(std::span<const double> saved) override {
    scale_ = saved[0];
    num_learned_ = saved[1];
  }

 private:
  double num_learned_ = 0.0;
  bool is_finished_ = false;
};

inline Scheme tuned_walk() {
  return own("tuned_walk", [](Index dimension) { return std::make_unique<TunedWalk>(dimension); });
}

// A step of Langevin's diffusion, corrected [roberts1996]:
//   x' = x + h g(x) + sqrt(2 h) z,  log q(x' | x) = -|x' - x - h g(x)|² / (4 h) + constant.
class Langevin final : public Kernel {
 public:
  Langevin(Index dimension, double step_size, bool is_corrected)
      : step_size_(step_size),
        is_corrected_(is_corrected),
        to_(static_cast<std::size_t>(dimension)),
        gradient_(to_) {}
  bool needs_gradient() const override { return true; }

  Step step(Point& at, Random& random) override {
    for (std::size_t d = 0; d < to_.size(); ++d)
      to_[d] = at.position()[d] + step_size_ * at.gradient()[d] +
               std::sqrt(2.0 * step_size_) * random.normal();
    const Answer there = co_await evaluate(to_, gradient_);
    double log_ratio = there.log_density - at.log_density();
    if (is_corrected_)
      log_ratio += log_density_of(at.position(), to_, gradient_) -
                   log_density_of(to_, at.position(), at.gradient());
    const double accept_prob = std::isfinite(log_ratio) ? std::min(1.0, std::exp(log_ratio)) : 0.0;
    if (random.uniform() < accept_prob) at.move_to(there);
    co_return {.accept_prob = accept_prob};
  }

 private:
  using Values = std::span<const double>;
  double log_density_of(Values to, Values from, Values gradient) const {
    double sum = 0.0;
    for (std::size_t d = 0; d < to.size(); ++d)
      sum += std::pow(to[d] - from[d] - step_size_ * gradient[d], 2);
    return -sum / (4.0 * step_size_);
  }

  double step_size_;
  bool is_corrected_;
  std::vector<double> to_, gradient_;
};

inline Scheme langevin(double step_size, bool is_corrected = true) {
  return own("langevin", [=](Index dimension) {
    return std::make_unique<Langevin>(dimension, step_size, is_corrected);
  });
}

// Elements times exp(scale z), signs as they are: log q(x | x') - log q(x' | x) = Σ log |x'_d / x_d|.
inline void draw_multiples(std::span<const double> from, std::span<double> to, Random& random) {
  for (std::size_t d = 0; d < to.size(); ++d) to[d] = from[d] * std::exp(0.7 * random.normal());
}
inline double log_ratio_of_multiples(std::span<const double> from, std::span<const double> to) {
  double sum = 0.0;
  for (std::size_t d = 0; d < to.size(); ++d) sum += std::log(std::abs(to[d] / from[d]));
  return sum;
}

// A kernel whose step is a function of the point, its random numbers and the kernel.
template <class Function>
Scheme own_step(Function step) {
  class Made final : public Kernel {
   public:
    explicit Made(Function function) : function_(std::move(function)) {}
    Step step(Point& at, Random& random) override { return function_(at, random); }

   private:
    Function function_;
  };
  return own("mine", [step](Index) { return std::make_unique<Made>(step); });
}

}  // namespace credo
