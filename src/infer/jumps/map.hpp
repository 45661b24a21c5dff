// A smooth, invertible map between spaces of one dimension, stated once as a formula over
// expressions; numbers and the Jacobian's determinant come from its graph.
//
//   const SmoothMap split({
//       .size = 2,
//       .forward = [](Scalars x) { return std::vector<Expr>{x[0] - x[1], x[0] + x[1]}; },
//       .inverse = [](Scalars y) {
//         return std::vector<Expr>{(y[0] + y[1]) / 2.0, (y[1] - y[0]) / 2.0};
//       }});
//   MapRunner runner(split);
//   const double log_det = runner.forward(x, y);    // log |det dy/dx| = log 2
//
// Outputs that are an input make no node and no work: their rows leave the determinant before the
// map runs, and so does any entry that then is alone in a row or column. The rest is factorised.
#pragma once
#include "base/error.hpp"
#include "graph/execute/program.hpp"

namespace credo::infer::rj {

using graph::Expr;
using Scalars = std::span<const Expr>;
using Formula = std::function<std::vector<Expr>(Scalars)>;

struct MapFormulas {
  Index size = 0;  // numbers in, and numbers out
  Formula forward, inverse;
};

class SmoothMap {
 public:
  // Throws Error(usage) if the size is below 1, a formula gives another number of outputs than
  // inputs, an output that depends on no input, or one that can't be differentiated. The claim that `inverse`
  // is the inverse is checked when the map is run (infer/jumps/jump.hpp).
  explicit SmoothMap(const MapFormulas& formulas);

  Index size() const { return size_; }
  // Derivatives that are computed: the rest is known to be 0, or 1 in a row of its own.
  Index num_derivatives() const { return num_single_ + core_size_ * core_size_; }

 private:
  friend class MapRunner;
  Index size_, num_single_ = 0, core_size_ = 0;
  std::unique_ptr<const graph::Program> forward_, inverse_;
};

// Runs one map in one thread, without allocations.
class MapRunner {
 public:
  explicit MapRunner(const SmoothMap& map);  // the map outlives it

  // Returns log |det d out / d in|; -infinity where the map is singular, NaN outside its domain.
  double forward(std::span<const double> in, std::span<double> out);
  void inverse(std::span<const double> in, std::span<double> out);

 private:
  double log_abs_det();

  const SmoothMap& map_;
  graph::Workspace forward_, inverse_;
  std::vector<double> derivatives_, pivots_;
};

// y = x for `size` numbers: a component that is born as it is drawn.
MapFormulas identity_map(Index size);

}  // namespace credo::infer::rj
