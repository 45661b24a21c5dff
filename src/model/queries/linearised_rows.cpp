#include "model/queries/linearised_rows.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/execute/row_batch.hpp"
#include "graph/passes/differentiate.hpp"
#include "model/queries/curvature.hpp"
#include "model/queries/information.hpp"

namespace credo::model {
using graph::Expr;
using graph::Traced;

namespace {
// Status::source of a row's number that isn't finite.
constexpr std::int32_t kBadRow = std::numeric_limits<std::int32_t>::min() + 2;

class RowsAt final : public density::LinearisedRows {
 public:
  explicit RowsAt(const Densities& densities) : densities_(densities) {
    const std::vector<double> origin(static_cast<std::size_t>(densities.dimension()), 0.0);
    trace(origin);
  }
  Index num_rows() const override { return traced_->num_rows; }
  Index num_numbers() const override { return traced_->num_numbers; }

  void at(Index row, std::span<const double> position, density::LinearisedRow& into) override {
    if (run(row, position, into)) return;
    trace(position);  // decisions on parameters take another path here
    run(row, position, into);
  }

 private:
  void trace(std::span<const double> point) {
    traced_ = densities_.trace_rows(point);
    workspace_ = std::make_unique<graph::Workspace>(*traced_->program, 1);
    input_.resize(static_cast<std::size_t>(traced_->program->input_size()));
  }
  // False where a guard says that the point takes another path.
  bool run(Index row, std::span<const double> position, density::LinearisedRow& into) {
    std::ranges::copy(position, input_.begin());
    input_[position.size()] = static_cast<double>(row);
    input_[position.size() + 1] = 1.0;
    workspace_->set_lanes(1);
    workspace_->set_input(0, input_);
    workspace_->run();
    into.status = {};
    const graph::LaneStatus& status = workspace_->status(0);
    if (status.check != 0) {
      const auto check = static_cast<std::size_t>(status.check - 1);
      const lang::Failure& failure = traced_->path.failures[check];
      if (failure.kind == lang::FailureKind::guard) return false;
      into.status = {traced_->path.sources[check], status.value, lang::is_fatal(failure.kind)};
      return true;
    }
    take(position.size(), into);
    return true;
  }
  void take(std::size_t dimension, density::LinearisedRow& into) {
    const auto count = static_cast<std::size_t>(traced_->num_numbers);
    into.gradient.resize(dimension);
    into.slopes.resize(count * dimension);
    into.information.assign(count * count, 0.0);
    workspace_->copy_output(0, 0, into.gradient);
    for (std::size_t k = 0; k < count; ++k)
      workspace_->copy_output(1 + k, 0, std::span(into.slopes).subspan(k * dimension, dimension));
    std::size_t output = 1 + count;
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t a = 0; a <= b; ++a)
        into.information[a * count + b] = into.information[b * count + a] =
            workspace_->output(output++, 0, 0);
    for (const std::vector<double>* all : {&into.gradient, &into.slopes, &into.information})
      for (const double value : *all)
        if (!std::isfinite(value)) into.status = {kBadRow, value, false};
  }

  const Densities& densities_;
  std::unique_ptr<TracedRows> traced_;
  std::unique_ptr<graph::Workspace> workspace_;
  std::vector<double> input_;
};
}  // namespace

std::unique_ptr<density::LinearisedRows> Densities::make_linearised_rows() const {
  return std::make_unique<RowsAt>(*this);
}

std::unique_ptr<TracedRows> Densities::trace_rows(std::span<const double> point) const {
  return tracer_.trace_linearised_rows(point);
}

// The graph of all rows is that of all terms, whatever the query has, since an outcome is found by the number of its term.
std::unique_ptr<TracedRows> Tracer::trace_linearised_rows(std::span<const double> point) const {
  if (discrete_.size() > 0 || options_.likelihood_weight != 1.0 || options_.query.power != 1.0)
    throw Error(ErrorCode::usage,
                "rows are linearised one by one, without discrete parameters and other weights",
                source_.name, "leave out --temperature and --beta; credo sample draws");
  ModelOptions options = options_;
  options.query = {};
  options.after = nullptr;
  const Tracer of_all(parts_, options, sites_, statuses_);
  auto result = std::make_unique<TracedRows>();
  lang::Machine* running = nullptr;
  ObservedOutcomes outcomes("write the rows as y ~ distribution(...), or use --method normal");
  const graph::Passes passes(options_.passes);
  lang::Machine machine = of_all.new_machine(
      passes, true, [&](const lang::SeenDensity& seen) { outcomes.look(*running, seen); });
  running = &machine;
  Traced traced = of_all.trace_values(point, machine, result->path);
  finish(result->path, machine);
  const TermSplit split(source_, machine.terms);
  require(of_all.answer(split, Order::pointwise));
  const std::vector<StatementRows> rows = split.rows();
  ModelOptions of_batch = options;
  of_batch.query.batch = 1;
  require(Tracer(parts_, of_batch, sites_, statuses_).answer_rows(rows));
  result->num_rows = rows[0].values.size();
  traced = row_graph(std::move(traced), outcomes.rows(machine, source_, rows), rows, *result);
  traced = passes.run(std::move(traced));
  result->program =
      std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs,
                                       graph::ProgramOptions{.fuse = passes.has("fuse")});
  return result;
}

// Outputs of one row: its log likelihood and its numbers, differentiated, then their information.
Traced Tracer::row_graph(Traced traced, const OutcomeRows& outcomes,
                         std::span<const StatementRows> rows, TracedRows& result) const {
  graph::RowBatch batch(traced, result.num_rows, 1, 1);
  const auto one = [&](const Expr& values) {
    const Expr row = batch.rows(values);
    return row.is_scalar() ? row : graph::sum(row);
  };
  Expr log_likelihood = 0.0;
  for (const StatementRows& row : rows) log_likelihood = log_likelihood + one(row.values);
  std::vector<Expr> outputs{log_likelihood};
  for (const Expr& numbers : outcomes.numbers) outputs.push_back(one(numbers));
  for (const Expr& entry : outcomes.information)
    outputs.push_back(entry.is_constant() && entry.is_scalar() ? entry : one(entry));
  result.num_numbers = ssize(outcomes.numbers);
  traced = batch.finish(std::move(outputs));
  try {
    for (std::size_t k = 0; k <= outcomes.numbers.size(); ++k) {
      Expr& output = traced.outputs[k];
      output = output.is_constant()
                   ? graph::fill(graph::vector_shape(dimension_), 0.0)
                   : part_of(graph::gradient(*traced.graph, output, std::array{traced.input})[0], 0,
                             dimension_);
    }
  } catch (const graph::NotDifferentiable& e) {
    throw Error(ErrorCode::program, fmt::format("{} can't be differentiated", e.op),
                source_.where(e.statement));
  }
  return traced;
}

}  // namespace credo::model
