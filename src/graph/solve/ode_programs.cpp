#include "graph/solve/ode_programs.hpp"

#include "base/error.hpp"
#include "graph/core/ops.hpp"
#include "graph/passes/differentiate.hpp"

namespace credo::graph {
namespace {

// Element k, or the constant it is known to be: derivatives that are zero by structure cost
// nothing.
Expr structural_element(const Expr& x, Index k) {
  if (x.is_constant()) return x.is_scalar() ? x : x.element(k);
  if (!x.ref().whole()) return x;
  const Node& node = x.graph()->node(x.ref().node);
  if (node.op != &ops::pack) return x.element(k);
  return {*x.graph(), x.graph()->operands(node)[static_cast<std::size_t>(k)]};
}

bool is_constant_zero(const Expr& x) {
  return x.is_constant() && x.is_scalar() && x.value() == 0.0;
}

// f's derivative by each element of the input, state by state.
class Derivatives {
 public:
  Derivatives(Traced& traced, Index states) : states_(states) {
    const Expr f = traced.outputs[0];
    for (Index i = 0; i < states; ++i) {
      const Expr component = structural_element(f, i);
      by_input_.push_back(component.is_constant()
                              ? Expr(0.0)
                              : gradient(*traced.graph, component, std::array{traced.input})[0]);
    }
  }
  Expr by_state(Index i, Index k) const { return by_input(i, 1 + k); }
  Expr by_parameter(Index i, Index q) const { return by_input(i, 1 + states_ + q); }

 private:
  Expr by_input(Index i, Index k) const {
    return structural_element(by_input_[static_cast<std::size_t>(i)], k);
  }
  Index states_;
  std::vector<Expr> by_input_;
};

// Row i of s' = sum_k df_i/dy_k s_k + df_i/dx
Expr sensitivity_row(const Derivatives& d, const OdeColumns& columns, Index i,
                     std::span<const Expr> rows) {
  std::vector<Expr> direct(static_cast<std::size_t>(columns.count()), Expr(0.0));
  bool any = false;
  for (std::size_t j = 0; j < direct.size(); ++j) {
    for (const Index q : columns.parameters[j]) direct[j] = direct[j] + d.by_parameter(i, q);
    any = any || !is_constant_zero(direct[j]);
  }
  const Shape shape = vector_shape(columns.count());
  Expr total = any ? pack(shape, direct) : Expr(0.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Expr slope = d.by_state(i, static_cast<Index>(k));
    if (is_constant_zero(slope)) continue;
    total = is_constant_zero(total) ? slope * rows[k] : total + slope * rows[k];
  }
  return is_constant_zero(total) ? fill(shape, 0.0) : total;
}

void add_sensitivities(Traced& traced, const OdeProblem& problem, const OdeColumns& columns) {
  const Index n = problem.num_states(), c = columns.count();
  const Expr input(*traced.graph, Ref{traced.input, -1});
  std::vector<Expr> rows;
  for (Index i = 0; i < n; ++i) {
    const Index first = 1 + n + ssize(problem.parameters) + i * c;
    rows.push_back(part(input, first, c));
  }
  const Derivatives d(traced, n);
  std::vector<Expr> parts{traced.outputs[0]};
  for (Index i = 0; i < n; ++i) parts.push_back(sensitivity_row(d, columns, i, rows));
  traced.outputs = {concat(vector_shape(n * (1 + c)), parts)};
}

void take_jacobian(Traced& traced, Index n) {
  const Derivatives d(traced, n);
  std::vector<Expr> elements;
  for (Index k = 0; k < n; ++k) {
    for (Index i = 0; i < n; ++i) elements.push_back(d.by_state(i, k));
  }
  traced.outputs = {pack(matrix_shape(n, n), elements)};
}

// One pass backwards through f for all derivatives of w'f.
void pull_back(Traced& traced, Index states, Index parameters) {
  const Expr input(*traced.graph, Ref{traced.input, -1});
  const Expr weighted = dot(part(input, 1 + states + parameters, states), traced.outputs[0]);
  const Expr slopes = gradient(*traced.graph, weighted, std::array{traced.input})[0];
  std::vector<Expr> elements;
  for (Index k = 0; k < states + parameters; ++k)
    elements.push_back(structural_element(slopes, 1 + k));
  traced.outputs = {pack(vector_shape(states + parameters), elements)};
}
}  // namespace

OdeColumns::OdeColumns(const OdeProblem& problem)
    : of_argument(static_cast<std::size_t>(problem.num_arguments), -1) {
  const auto column = [&](std::int32_t argument) {
    std::int32_t& own = of_argument[static_cast<std::size_t>(argument)];
    if (own < 0) {
      own = static_cast<std::int32_t>(arguments.size());
      arguments.push_back(argument);
      parameters.emplace_back();
    }
    return static_cast<std::size_t>(own);
  };
  if (problem.start.argument >= 0) column(problem.start.argument);
  for (const auto& entry : problem.initial) {
    if (entry.argument >= 0) column(entry.argument);
  }
  for (std::size_t q = 0; q < problem.parameters.size(); ++q)
    parameters[column(problem.parameters[q])].push_back(static_cast<Index>(q));
}

OdePrograms::OdePrograms(const OdeProblem& problem, const OdeColumns& columns, OdeTracer tracer,
                         OdeForm form)
    : problem_(problem), columns_(columns), tracer_(std::move(tracer)), form_(form) {
  const Index n = problem.num_states(), p = ssize(problem.parameters), rows = n * columns.count();
  const std::array<Index, 5> beside{0, 0, rows, 0, n}, output{n, n, n + rows, n * n, n + p};
  beside_ = beside[static_cast<std::size_t>(form)];
  input_size_ = 1 + n + p + beside_;
  output_size_ = output[static_cast<std::size_t>(form)];
}

OdePrograms::Path OdePrograms::make_path(std::span<const double> input) const {
  const Index known = 1 + problem_.num_states() + ssize(problem_.parameters);
  OdeFunction f = tracer_(input.first(static_cast<std::size_t>(known)), input_size_);
  if (form_ == OdeForm::sensitivities) add_sensitivities(f.traced, problem_, columns_);
  if (form_ == OdeForm::pullback)
    pull_back(f.traced, problem_.num_states(), ssize(problem_.parameters));
  if (form_ == OdeForm::jacobian) take_jacobian(f.traced, problem_.num_states());
  const Passes passes(form_ == OdeForm::values ? "cse,dead-code" : "all");
  const Traced ready = passes.run(std::move(f.traced));
  return {std::make_unique<const Program>(*ready.graph, ready.input, ready.outputs),
          std::move(f.reports)};
}

bool OdePrograms::add_path(std::span<const double> input) const {
  const std::lock_guard lock(mutex_);
  const Index k = num_paths_.load(std::memory_order_relaxed);
  if (k == kMostPaths) return false;
  paths_[static_cast<std::size_t>(k)] = std::make_unique<const Path>(make_path(input));
  num_paths_.store(k + 1, std::memory_order_release);
  return true;
}

SystemPrograms::SystemPrograms(OdeProblem p, const OdeTracer& tracer)
    : problem(std::move(p)),
      columns(problem),
      values(problem, columns, tracer, OdeForm::values),
      simplified(problem, columns, tracer, OdeForm::simplified),
      sensitivities(problem, columns, tracer, OdeForm::sensitivities),
      jacobian(problem, columns, tracer, OdeForm::jacobian),
      pullback(problem, columns, tracer, OdeForm::pullback) {}

OdeRunner::OdeRunner(const OdePrograms& programs, Index max_lanes)
    : programs_(programs),
      max_lanes_(max_lanes),
      input_(programs.input_size() * max_lanes),
      single_(static_cast<std::size_t>(programs.input_size())),
      single_out_(static_cast<std::size_t>(programs.output_size())) {
  workspaces_.reserve(static_cast<std::size_t>(OdePrograms::kMostPaths));
}

Workspace& OdeRunner::workspace(Index path) {
  while (ssize(workspaces_) <= path) {
    const auto& program = *programs_.path(ssize(workspaces_)).program;
    workspaces_.push_back(std::make_unique<Workspace>(program, max_lanes_));
  }
  return *workspaces_[static_cast<std::size_t>(path)];
}

void OdeRunner::set_lanes(Index lanes) { lanes_ = lanes; }

namespace {
enum class Fit : std::uint8_t { fits, refused, other_path };

Fit judge(const LaneStatus& status, const OdePrograms::Path& path, OdeRefusal& refusal) {
  if (status.check == 0) return Fit::fits;
  const std::int32_t report = path.reports[static_cast<std::size_t>(status.check - 1)];
  if (report == OdeFunction::kGuard) return Fit::other_path;
  refusal = {report, status.value};
  return Fit::refused;
}
}  // namespace

void OdeRunner::run(double* out, OdeRefusal* refusals) {
  const Index path = last_;
  Workspace& w = workspace(path);
  w.set_lanes(lanes_);
  w.set_inputs(input_.data());
  w.run();
  w.copy_outputs(0, out);
  for (Index l = 0; l < lanes_; ++l) {
    if (refusals[l].report >= 0) continue;
    if (judge(w.status(l), programs_.path(path), refusals[l]) == Fit::other_path)
      run_alone(l, path, out, refusals[l]);
  }
}

// All paths but the one that doesn't fit, and then a new one. At most one fits a point: where two
// differ first, a guard of each comes out differently.
void OdeRunner::run_alone(Index lane, Index but, double* out, OdeRefusal& refusal) {
  for (std::size_t e = 0; e < single_.size(); ++e)
    single_[e] = input_[static_cast<Index>(e) * lanes_ + lane];
  for (Index path = 0;; ++path) {
    if (path == but) continue;
    if (path >= programs_.num_paths() && !programs_.add_path(single_)) {
      throw Error(ErrorCode::evaluation,
                  "the right-hand side takes more than 64 different paths of decisions",
                  "ode solver", "write decisions on the state as choices of values (c ? a : b)");
    }
    Workspace& w = workspace(path);
    w.set_lanes(1);
    w.set_inputs(single_.data());
    w.run();
    if (judge(w.status(0), programs_.path(path), refusal) == Fit::other_path) continue;
    last_ = path;
    w.copy_outputs(0, single_out_.data());
    for (std::size_t e = 0; e < single_out_.size(); ++e)
      out[static_cast<Index>(e) * lanes_ + lane] = single_out_[e];
    return;
  }
}

}  // namespace credo::graph
