// Second and third derivatives of a traced log density, in directions: programs for B v and
// ∇(uᵀ B v) with B = ∇²log p, or the Fisher metric (model/queries/information.hpp). A matrix is D runs of
// the first, the slope of a weighted sum of its entries D runs of the second, eight at once in
// lanes, so that neither program grows with D.
#pragma once
#include "base/error.hpp"
#include "density/log_density.hpp"
#include "graph/passes/rebuild.hpp"
#include "model/traced.hpp"

namespace credo::model {

class Densities;

struct TracedCurvature {
  // Input of both: D unconstrained values, D of u, D of v; for the Fisher metric the first D once more.
  // One output of D values.
  std::unique_ptr<graph::Program> matrix;
  std::unique_ptr<graph::Program> slope;  // null until Tracer::trace_slope makes it
  graph::Traced of_matrix;                // the graph of `matrix`, until trace_slope uses it
  Index num_blocks = 3;
  std::optional<Error> no_slope;  // a row on the way has no third derivative
  TracedDensity path;             // failures and sources only
};

// Status::source of a derivative that isn't finite.
inline constexpr std::int32_t kBadCurvature = std::numeric_limits<std::int32_t>::min() + 1;

// `count` elements of a vector from `first` on.
graph::Expr part_of(const graph::Expr& whole, Index first, Index count);
// Copies all nodes into the new graph, `input` in the place of the input.
void copy_all(graph::Rebuild& rebuild, const graph::Traced& traced, const graph::Expr& input);

// One thread's answers to `Want::hessian`, `Want::information` and their slopes. Throws Error(program)
// naming the row and its statement where the program can't be differentiated that often.
class CurvatureEvaluator {
 public:
  explicit CurvatureEvaluator(const Densities& densities);
  ~CurvatureEvaluator();
  void evaluate(density::Want want, std::span<density::Request* const> batch);
  // The second derivatives of the log density times a vector, D values, into request.gradient.
  void multiply(std::span<const double> direction, density::Request& request);

 private:
  struct Runner;
  void answer(density::Want want, density::Request& request);
  template <class Run>
  void on_path(density::Want matrix, const density::Request& request, Run run);
  bool run_product(Runner& runner, std::span<const double> direction, density::Request& request);
  bool run(density::Want want, Runner& runner, density::Request& request);
  void set_lane(density::Want want, const density::Request& request, Index column);
  bool judge(const Runner& runner, const graph::Workspace& workspace, density::Request& request);
  void take(density::Want want, const graph::Workspace& workspace, Index column, Index lane,
            density::Request& request);

  const Densities& densities_;
  std::vector<std::unique_ptr<Runner>> hessians_, informations_;  // by paths of decisions
  std::vector<double> input_, column_;
};

}  // namespace credo::model
