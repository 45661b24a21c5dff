// The inverse of the curvature as limited-memory BFGS knows it.
#pragma once
#include "infer/core/fields.hpp"
#include "infer/core/point.hpp"

namespace credo::infer {

// H of the last pairs of moves and changes of the gradient [nocedal2006, alg. 7.4].
struct QuasiNewton {
  struct Pair {
    std::vector<double> s, y;
    double curvature = 0.0;
    static void saved(auto& self, auto&& field) {
      field(self.s);
      field(self.y);
      field(self.curvature);
    }
  };
  Index history = 10;              // pairs that are remembered
  std::vector<double> first = {};  // D variances or D × D covariances; none: a multiple of 1
  std::vector<Pair> pairs = {};

  bool knows() const { return !pairs.empty() || !first.empty(); }
  // H g of the gradient g of log p: uphill.
  std::vector<double> direction(std::span<const double> gradient) const;
  void learn(const PointState& from, const PointState& to);
  void begin_from(std::span<const double> covariance);  // and forget the pairs
  // True if the state that was read fits so many dimensions.
  bool fits(std::size_t dimension) const;
  static void saved(auto& self, auto&& field) {
    field(self.first);
    field(self.pairs);
  }

 private:
  std::vector<double> begun(std::vector<double> q) const;
};

inline constexpr FieldSpec kHistoryField{
    .name = "history", .help = "pairs that L-BFGS remembers", .range = {.lo = 1.0, .hi = 1000.0}};

}  // namespace credo::infer
