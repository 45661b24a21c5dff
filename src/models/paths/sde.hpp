// Stochastic differential equations dx = f(x, t) dt + g(x, t) dW, and their simulation on a grid.
//
//   const auto equation = scalar_sde([](double x, double) { return 1.0 - x; },    // drift
//                                    [](double x, double) { return 0.5 * x; });   // diffusion
//   std::vector<double> path(1001);
//   simulate(equation, {.time_step = 0.01, .num_steps = 1000}, start, noise_key, path);
//
// The meaning of g dW depends on where g is evaluated: at the start of a step (Ito) or, in
// the limit, between its ends (Stratonovich). The schemes of one kind converge to one distribution, those of
// the other kind to that of another drift: f + ½ g ∂g/∂x.
#pragma once
#include "base/rng.hpp"

namespace credo::models {

enum class SdeScheme {
  euler,     // Ito: x' = x + f(x) dt + g(x) dW [maruyama1955]
  heun,      // Stratonovich: the mean of f and g at x and at Euler's end
  midpoint,  // Stratonovich: f and g at (x + x') / 2, found by corrections of Euler's end
};

// D values driven by M independent Wiener processes. Immutable, used from several threads at once.
class Sde {
 public:
  virtual ~Sde() = default;
  virtual Index dimension() const = 0;   // D
  virtual Index num_noises() const = 0;  // M
  virtual void drift(std::span<const double> x, double t, std::span<double> f) const = 0;
  // g: D × M, column-major.
  virtual void diffusion(std::span<const double> x, double t, std::span<double> g) const = 0;
};

struct SimulationOptions {
  SdeScheme scheme = SdeScheme::euler;
  double time_step = 0.01;
  Index num_steps = 100;
  double start_time = 0.0;
  Index num_corrections = 1;  // corrections of the midpoint; more approach the implicit scheme
  Index num_threads = 1;      // threads of simulate_ends; with more the equation must not throw
};

// One path: (num_steps + 1) × D values, a row for each time, the first of them `start`. The noise
// of step i is variates i M … i M + M - 1 of the stream, so that a path is a function of its key
// alone. Throws Error(usage) for sizes that don't fit. A path that leaves the numbers stays NaN or
// infinite.
void simulate(const Sde& equation, const SimulationOptions& options, std::span<const double> start,
              const StreamKey& noise, std::span<double> path);

// The ends of paths 0 … P - 1 from one start: P × D values, a row for each path. Path p has the
// stream of `noise` with chain p; so the ends don't depend on the number of threads.
void simulate_ends(const Sde& equation, const SimulationOptions& options,
                   std::span<const double> start, const StreamKey& noise, std::span<double> ends);

// One value and one noise, from functions (x, t) -> double.
template <class Drift, class Diffusion>
class ScalarSde final : public Sde {
 public:
  ScalarSde(Drift drift, Diffusion diffusion)
      : drift_(std::move(drift)), diffusion_(std::move(diffusion)) {}
  Index dimension() const override { return 1; }
  Index num_noises() const override { return 1; }
  void drift(std::span<const double> x, double t, std::span<double> f) const override {
    f[0] = drift_(x[0], t);
  }
  void diffusion(std::span<const double> x, double t, std::span<double> g) const override {
    g[0] = diffusion_(x[0], t);
  }

 private:
  Drift drift_;
  Diffusion diffusion_;
};

template <class Drift, class Diffusion>
ScalarSde<Drift, Diffusion> scalar_sde(Drift drift, Diffusion diffusion) {
  return {std::move(drift), std::move(diffusion)};
}

}  // namespace credo::models
