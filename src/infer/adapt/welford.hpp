// Running mean and covariance of positions [welford1962], shrunk for use as an inverse metric.
#pragma once
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo::infer {

// Plain data; allocates in the constructor only.
class Welford {
 public:
  Welford(MetricKind kind, Index dimension);
  void restart();
  void add(std::span<const double> position);  // O(D), dense O(D²)
  Index count() const { return count_; }
  std::span<const double> mean() const { return mean_; }

  // Sample (co)variance S of n draws, shrunk towards 1e-3 of the identity:
  //   n / (n + 5) S + 1e-3 (5 / (n + 5)) I.
  // Needs two draws; sizes as Metric::inverse. The result is overwritten by the next call.
  std::span<const double> regularised();

  // Sample (co)variance plus jitter times the identity. Needs two draws.
  std::span<const double> with_jitter(double jitter);
  static void saved(auto& self, auto&& field) {
    field(self.count_);
    field(self.mean_);
    field(self.squares_);
  }

 private:
  std::span<const double> scaled(double scale, double shift);

  MetricKind kind_;
  Index count_ = 0;
  std::vector<double> mean_, delta_, squares_, result_;
};

}  // namespace credo::infer
