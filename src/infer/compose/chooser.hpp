// The finite random choices of a kernel, behind one small interface.
//
//   void flip(std::vector<int>& spins, Chooser& chooser) {
//     const Index k = chooser.uniform_index(ssize(spins));
//     if (chooser.accept(ratio(spins, k))) spins[k] = -spins[k];
//   }
//
// A run draws the choices (RngChooser). A test explores all of them and adds their probabilities to
// the exact transition matrix (infer/finite/explore.hpp), from the same code.
#pragma once
#include "base/error.hpp"
#include "base/rng.hpp"

namespace credo::infer {

class Chooser {
 public:
  virtual ~Chooser() = default;

  // An index, with probability proportional to its weight. Weights are finite, at least 0, and not
  // all 0; they need not sum to 1.
  virtual Index choose(std::span<const double> weights) = 0;
  // True with probability min(1, probability); false for NaN.
  virtual bool accept(double probability) = 0;
  virtual Index uniform_index(Index n) = 0;  // uniform on 0 .. n - 1; n >= 1

  // Like choose() and accept(), from logarithms. Throws Error(evaluation) where a log weight is NaN
  // or +inf, or all are -inf.
  Index choose_log(std::span<const double> log_weights);
  bool accept_log(double log_probability) { return accept(std::exp(log_probability)); }

 private:
  std::vector<double> weights_;  // weights of choose_log; grown once, then reused
};

// Draws the choices; each takes one slot of the stream.
class RngChooser final : public Chooser {
 public:
  explicit RngChooser(Rng& rng) : rng_(&rng) {}

  Index choose(std::span<const double> weights) override;
  bool accept(double probability) override { return rng_->uniform() < probability; }
  Index uniform_index(Index n) override { return rng_->index_below(n); }

 private:
  Rng* rng_;
};

}  // namespace credo::infer
