#include "model/queries/curvature.hpp"

#include <fmt/format.h>

#include "graph/ops/kalman.hpp"
#include "graph/passes/differentiate.hpp"
#include "model/densities.hpp"
#include "model/queries/information.hpp"

namespace credo::model {
using graph::Expr;
using graph::Traced;

namespace {
constexpr std::size_t kMaxRunners = 16;  // paths of decisions kept; others are traced anew
}  // namespace

Expr part_of(const Expr& whole, Index first, Index count) {
  return graph::slice(graph::vector_shape(count), whole, first);
}

void copy_all(graph::Rebuild& rebuild, const Traced& traced, const Expr& input) {
  for (graph::NodeId id = 0; id < traced.graph->num_nodes(); ++id) {
    if (id == traced.input)
      rebuild.set_value(id, input);
    else if (!traced.graph->is_constant(id))
      rebuild.copy(id);
  }
}

namespace {
// The graph for an input with room for two directions behind the unconstrained values.
Traced with_directions(const Traced& traced, Index dimension) {
  graph::Rebuild rebuild(*traced.graph);
  const graph::NodeId input = rebuild.to().add_input(graph::vector_shape(3 * dimension));
  copy_all(rebuild, traced, part_of(Expr(rebuild.to(), {input, -1}), 0, dimension));
  Traced result = rebuild.finish(traced);
  result.input = input;
  return result;
}

// The gradient of the only output by the blocks of the input, added up: D values.
Expr slope_of_output(Traced& traced, Index dimension, std::initializer_list<Index> blocks) {
  const Expr& value = traced.outputs[0];
  Expr sum = graph::fill(graph::vector_shape(dimension), 0.0);
  if (value.is_constant()) return sum;
  const std::array inputs{traced.input};
  const Expr whole = graph::gradient(*traced.graph, value, inputs)[0];
  for (const Index block : blocks) sum = sum + part_of(whole, block * dimension, dimension);
  return sum;
}

// Number of the direction, 1 (u) or 2 (v); the output is the product with it, a scalar.
void contract(Traced& traced, Index dimension, Index direction) {
  const Expr input(*traced.graph, {traced.input, -1});
  traced.outputs[0] =
      graph::dot(traced.outputs[0], part_of(input, direction * dimension, dimension));
}

std::unique_ptr<graph::Program> program_of(const Traced& traced, const graph::Passes& passes) {
  return std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs,
                                          graph::ProgramOptions{.fuse = passes.has("fuse")});
}

Error too_often(const graph::NotDifferentiable& e, std::string_view times,
                const ProgramSource& source) {
  return Error(ErrorCode::program, fmt::format("{} can't be differentiated {}", e.op, times),
               source.where(e.statement),
               "samplers that ask for gradients only run on it, like nuts");
}
}  // namespace

// Traces the function, as the only output, whose second derivatives by the first block of the input are the matrix;
// by the last one for the Fisher metric.
Traced Tracer::trace_bent(std::span<const double> point, density::Want matrix,
                          TracedDensity& path) const {
  const graph::Passes passes(options_.passes);
  const bool expected = matrix == density::Want::information;
  if (expected && discrete_.size() > 0)
    throw Error(ErrorCode::program,
                "the expected information isn't known where discrete parameters are summed out",
                source_.name, "local_metric=softabs needs no expected values");
  const density::Terms terms = options_.query.terms;
  if (expected && terms == density::Terms::likelihood) require(can(options_.query, point));
  lang::Machine* running = nullptr;
  ObservedOutcomes outcomes;
  lang::DensityWatch watch;
  if (expected) watch = [&](const lang::SeenDensity& seen) { outcomes.look(*running, seen); };
  lang::Machine machine =
      new_machine(passes, !expected && keeps_apart(Order::gradient), std::move(watch));
  running = &machine;
  const graph::DifferentiatedAgain scope;
  Traced traced = trace_values(point, machine, path);
  finish(path, machine);
  traced.outputs.resize(1);
  if (!expected) return with_directions(passes.run(std::move(traced)), dimension_);
  return passes.run(outcomes.entropy(traced, machine, dimension_, source_, terms));
}

std::unique_ptr<TracedCurvature> Tracer::trace_curvature(std::span<const double> point,
                                                         density::Want matrix) const {
  const graph::Passes passes(options_.passes);
  auto result = std::make_unique<TracedCurvature>();
  Traced traced = trace_bent(point, matrix, result->path);
  const bool expected = matrix == density::Want::information;
  const Index block = expected ? 3 : 0;
  result->num_blocks = expected ? 4 : 3;
  try {
    traced.outputs[0] = slope_of_output(traced, dimension_, {block});
    traced = passes.run(std::move(traced));
    contract(traced, dimension_, 2);
    traced.outputs[0] = slope_of_output(traced, dimension_, {block});
  } catch (const graph::NotDifferentiable& e) {
    throw too_often(e, "twice", source_);
  }
  traced = passes.run(std::move(traced));
  result->matrix = program_of(traced, passes);
  result->of_matrix = std::move(traced);
  return result;
}

void Tracer::trace_slope(TracedCurvature& result) const {
  const graph::Passes passes(options_.passes);
  const bool expected = result.num_blocks == 4;
  Traced traced = std::move(result.of_matrix);
  try {
    contract(traced, dimension_, 1);
    traced.outputs[0] = expected ? slope_of_output(traced, dimension_, {0, 3})
                                 : slope_of_output(traced, dimension_, {0});
    traced = passes.run(std::move(traced));
    result.slope = program_of(traced, passes);
  } catch (const graph::NotDifferentiable& e) {
    result.no_slope = too_often(e, "three times", source_);
  }
}

namespace {
bool is_slope_of_matrix(density::Want want) {
  return want == density::Want::hessian_slope || want == density::Want::information_slope;
}
}  // namespace

struct CurvatureEvaluator::Runner {
  Runner(std::unique_ptr<TracedCurvature> traced_in, Index max_lanes)
      : traced(std::move(traced_in)), matrix(*traced->matrix, max_lanes) {}
  // Throws Error(program) if a row has no third derivative.
  graph::Workspace& slope_of(const Densities& densities) {
    if (slope) return *slope;
    if (!traced->no_slope) densities.trace_slope(*traced);
    if (traced->no_slope) throw Error(*traced->no_slope);
    return slope.emplace(*traced->slope, densities.options().max_lanes);
  }
  std::unique_ptr<TracedCurvature> traced;
  graph::Workspace matrix;
  std::optional<graph::Workspace> slope;
};

CurvatureEvaluator::CurvatureEvaluator(const Densities& densities) : densities_(densities) {}

CurvatureEvaluator::~CurvatureEvaluator() = default;

void CurvatureEvaluator::evaluate(density::Want want, std::span<density::Request* const> batch) {
  const auto d = static_cast<std::size_t>(densities_.dimension());
  column_.resize(d);
  for (density::Request* request : batch) answer(want, *request);
}

// Runs on the first known path that the point takes, or on a new one. The last path found is tried first.
template <class Run>
void CurvatureEvaluator::on_path(density::Want matrix, const density::Request& request, Run run) {
  std::vector<std::unique_ptr<Runner>>& runners =
      matrix == density::Want::information ? informations_ : hessians_;
  for (std::size_t k = 0; k < runners.size(); ++k) {
    if (!run(*runners[k])) continue;
    return std::swap(runners[0], runners[k]);
  }
  if (runners.size() >= kMaxRunners) runners.pop_back();
  runners.push_back(std::make_unique<Runner>(densities_.trace_curvature(request.position, matrix),
                                             densities_.options().max_lanes));
  run(*runners.back());
}

void CurvatureEvaluator::answer(density::Want want, density::Request& request) {
  const bool expected =
      want == density::Want::information || want == density::Want::information_slope;
  on_path(expected ? density::Want::information : density::Want::hessian, request,
          [&](Runner& runner) { return run(want, runner, request); });
}

void CurvatureEvaluator::multiply(std::span<const double> direction, density::Request& request) {
  column_.resize(static_cast<std::size_t>(densities_.dimension()));
  on_path(density::Want::hessian, request,
          [&](Runner& runner) { return run_product(runner, direction, request); });
}

// False where a guard says that the point takes another path.
bool CurvatureEvaluator::run_product(Runner& runner, std::span<const double> direction,
                                     density::Request& request) {
  const std::size_t d = column_.size();
  input_.assign(3 * d, 0.0);
  std::copy(request.position.begin(), request.position.end(), input_.begin());
  std::copy(direction.begin(), direction.end(), input_.data() + 2 * d);
  request.status = {};
  runner.matrix.set_lanes(1);
  runner.matrix.set_input(0, input_);
  runner.matrix.run();
  if (!judge(runner, runner.matrix, request)) return false;
  if (!request.status.ok()) return true;
  runner.matrix.copy_output(0, 0, request.gradient);
  for (const double value : request.gradient) {
    if (!std::isfinite(value)) request.status = {kBadCurvature, value, false};
  }
  return true;
}

// False where a guard says that the point takes another path.
bool CurvatureEvaluator::run(density::Want want, Runner& runner, density::Request& request) {
  const bool is_slope = is_slope_of_matrix(want);
  graph::Workspace& workspace = is_slope ? runner.slope_of(densities_) : runner.matrix;
  input_.resize(static_cast<std::size_t>(runner.traced->num_blocks * densities_.dimension()));
  const Index dimension = densities_.dimension();
  Index lanes = 1;
  while (lanes < dimension && 2 * lanes <= densities_.options().max_lanes) lanes *= 2;
  request.status = {};
  if (is_slope) std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
  for (Index first = 0; first < dimension; first += lanes) {
    workspace.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) {  // lanes without a column repeat the last one
      set_lane(want, request, std::min(first + l, dimension - 1));
      workspace.set_input(l, input_);
    }
    workspace.run();
    if (!judge(runner, workspace, request)) return false;
    if (!request.status.ok()) return true;
    for (Index l = 0; l < lanes && first + l < dimension; ++l)
      take(want, workspace, first + l, l, request);
  }
  return true;
}

// v is the column's unit vector, u the column of weights.
void CurvatureEvaluator::set_lane(density::Want want, const density::Request& request,
                                  Index column) {
  const auto d = column_.size(), c = static_cast<std::size_t>(column);
  std::fill(input_.begin(), input_.end(), 0.0);
  for (std::size_t block = 0; block < input_.size(); block += 3 * d)  // the first, and a fourth
    std::copy(request.position.begin(), request.position.end(), input_.data() + block);
  input_[2 * d + c] = 1.0;
  if (!is_slope_of_matrix(want)) return;
  for (std::size_t k = 0; k < d; ++k) input_[d + k] = request.weights[c * d + k];
}

bool CurvatureEvaluator::judge(const Runner& runner, const graph::Workspace& workspace,
                               density::Request& request) {
  const graph::LaneStatus& status = workspace.status(0);
  if (status.check == 0) return true;
  const auto check = static_cast<std::size_t>(status.check - 1);
  const TracedDensity& path = runner.traced->path;
  if (path.failures[check].kind == lang::FailureKind::guard) return false;
  request.status = {path.sources[check], status.value, is_fatal(path.failures[check].kind)};
  return true;
}

// In the order of the columns, so that the sum is the same for any number of lanes.
void CurvatureEvaluator::take(density::Want want, const graph::Workspace& workspace, Index column,
                              Index lane, density::Request& request) {
  workspace.copy_output(0, lane, column_);
  for (std::size_t k = 0; k < column_.size(); ++k) {
    if (!std::isfinite(column_[k])) request.status = {kBadCurvature, column_[k], false};
    if (!is_slope_of_matrix(want))
      request.matrix[static_cast<std::size_t>(column) * column_.size() + k] = column_[k];
    else
      request.gradient[k] += column_[k];
  }
}

}  // namespace credo::model
