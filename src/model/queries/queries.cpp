// Queries of a model: some of the terms, some of the rows (docs/design/queries.md).
#include <fmt/format.h>

#include "base/error.hpp"
#include "density/require.hpp"
#include "graph/core/op.hpp"
#include "graph/execute/row_batch.hpp"
#include "graph/passes/passes.hpp"
#include "graph/passes/rebuild.hpp"
#include "model/queries/earlier_terms.hpp"
#include "model/states/state_likelihood.hpp"
#include "model/tracer.hpp"

namespace credo::model {
using lang::Expr;

// The graph again without what these statements require of their arguments: what a likelihood
// refuses is no concern of the prior.
graph::Traced without_checks(graph::Traced traced, std::span<const lang::Failure> failures,
                             const std::set<std::int32_t>& statements) {
  const graph::Graph& graph = *traced.graph;
  const auto goes = [&](graph::NodeId id) {
    if (graph.node(id).op->kind != graph::OpKind::check) return false;
    const auto number = static_cast<std::size_t>(graph.attributes(graph.node(id)).ints[0]);
    const lang::Failure& failure = failures[number - 1];
    return failure.kind == lang::FailureKind::requirement && statements.contains(failure.statement);
  };
  graph::Rebuild rebuild(graph);
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id)
    if (!graph.is_constant(id) && !goes(id)) rebuild.copy(id);
  return rebuild.finish(traced);
}

bool Tracer::keeps_apart(Order order) const {
  const density::Query& query = options_.query;
  return order == Order::pointwise || query.terms != density::Terms::all || query.batch > 0 ||
         !query.without.empty() || !options_.has_own_terms();
}

void Tracer::require(const density::Capability& capability) const {
  density::require(capability, source_.name);
}

// Reports if discrete parameters allow the query.
density::Capability Tracer::answer_discrete(Order order) const {
  const density::Query& query = options_.query;
  const bool asks_for_rows = query.batch > 0 || !query.without.empty();
  const bool asks_for_part = order == Order::pointwise || asks_for_rows ||
                             query.terms == density::Terms::likelihood ||
                             query.terms == density::Terms::statement;
  if (sites_.are_summed_out() && asks_for_part)
    return {.can = false,
            .reason = "discrete parameters are summed out of all terms together",
            .hint = "draw them instead: --discrete gibbs"};
  if (discrete_.size() > 0 && asks_for_rows)
    return {.can = false,
            .reason = "a part of the rows can't be taken where discrete parameters are drawn",
            .hint = "sum them out in the program"};
  return {};
}

// Row n of a batch is row n of each statement.
density::Capability Tracer::answer_rows(std::span<const StatementRows> rows) const {
  if (rows.empty())
    return {.can = false,
            .reason = "no statement adds a density of data",
            .hint = "state how the data are distributed: y ~ ..."};
  if (options_.query.batch == 0) return {};
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const StatementRows& r) {
    return r.values.size() != rows[0].values.size();
  });
  if (other == rows.end()) return {};
  return {.can = false,
          .reason = fmt::format("the likelihood's statements have {} and {} rows, so that a batch "
                                "isn't one of the same rows of each",
                                rows[0].values.size(), other->values.size()),
          .where = source_.where(other->statement),
          .hint = "write all of it in statements over the same rows"};
}

// Reports if the traced program answers the query.
density::Capability Tracer::answer(const TermSplit& split, Order order) const {
  const density::Query& query = options_.query;
  const density::Capability discrete = answer_discrete(order);
  if (!discrete.can) return discrete;
  const bool asks_for_rows = query.batch > 0 || !query.without.empty();
  if (query.power != 1.0 && (asks_for_rows || order == Order::pointwise))
    return {.can = false,
            .reason =
                "the density is a power of the posterior's, so its draws say nothing of the "
                "rows of the data",
            .hint = "sample without --temperature"};
  if (options_.likelihood_weight != 1.0 && (asks_for_rows || order == Order::pointwise))
    return {.can = false,
            .reason = "the likelihood counts with another weight than its rows",
            .hint = "leave out --beta"};
  const bool asks_for_likelihood =
      order == Order::pointwise || asks_for_rows || query.terms == density::Terms::likelihood;
  const density::Capability whole =
      asks_for_likelihood ? has_likelihood(source_, query) : density::Capability{};
  if (!whole.can) return whole;
  const bool separates_terms =
      order == Order::pointwise || asks_for_rows || query.terms == density::Terms::prior ||
      query.terms == density::Terms::likelihood || !options_.has_own_terms();
  if (!separates_terms) return {};
  if (asks_for_rows && query.terms != density::Terms::all &&
      query.terms != density::Terms::likelihood)
    return {.can = false,
            .reason = "a part of the rows is taken from the likelihood",
            .hint = "ask for all terms or for the likelihood"};
  if (query.batch > 0 && !query.without.empty())
    return {.can = false,
            .reason = "a batch is taken from all rows",
            .hint = "ask for a batch, or leave rows out"};
  if (!split.capability().can || !asks_for_rows) return split.capability();
  return answer_rows(split.rows());
}

namespace {
lang::Term weighted(lang::Term term, double weight) {
  if (weight == 1.0) return term;
  term.value = weight * term.value;
  term.dropped *= weight;
  if (!term.varying.empty()) term.varying = weight * term.varying;
  return term;
}
}  // namespace

// The log density of an earlier posterior. It is one of the unconstrained values, so that it belongs to both densities.
void Tracer::add_earlier(graph::Traced& traced) const {
  const density::Terms terms = options_.query.terms;
  if (options_.after == nullptr || (terms != density::Terms::all && terms != density::Terms::prior))
    return;
  const std::vector<std::int32_t> places = places_of(*options_.after, parts_.parameters.free());
  const Expr earlier =
      log_density_of(*options_.after, places, Expr(*traced.graph, {traced.input, -1}));
  for (const std::size_t k : {TracedDensity::kLogDensity, TracedDensity::kWithoutJacobian})
    traced.outputs[k] = traced.outputs[k] + earlier;
}

// Keeps only the terms of the query.
AskedTerms Tracer::keep_asked(lang::Machine& machine, const graph::Traced& traced) const {
  const TermSplit split(source_, machine.terms);
  const density::Query& query = options_.query;
  require(answer(split, Order::gradient));
  const bool is_of_statement = query.terms == density::Terms::statement;
  std::optional<EarlierTerms> earlier;
  if (options_.after != nullptr && !is_of_statement)
    earlier.emplace(*options_.after, parts_, *traced.graph, traced.input);
  AskedTerms asked;
  const bool in_batches = query.batch > 0 && query.terms != density::Terms::prior;
  if (in_batches) asked.rows = split.rows();
  if (!query.without.empty()) asked.kept_rows = rows_left(split.rows());
  const auto loses_rows = [&](std::int32_t statement) {
    return std::any_of(asked.kept_rows.begin(), asked.kept_rows.end(),
                       [&](const KeptRows& r) { return r.rows.statement == statement; });
  };
  std::set<std::int32_t> kept;
  std::vector<lang::Term> terms;
  for (std::size_t k = 0; k < machine.terms.size(); ++k) {
    const lang::Term& term = machine.terms[k];
    asked.gone.insert(term.statement);
    if (!split.has(query, k)) continue;
    if (earlier && !split.is_likelihood(k)) {
      const auto part = earlier->of_new(term);
      if (part) kept.insert(term.statement), terms.push_back(*part);
      continue;
    }
    kept.insert(term.statement);
    const bool by_rows = in_batches || loses_rows(term.statement);
    if (!split.is_likelihood(k) || is_of_statement)
      terms.push_back(term);
    else if (!by_rows)
      terms.push_back(weighted(term, options_.likelihood_weight));
  }
  machine.terms = std::move(terms);
  for (const std::int32_t statement : kept) asked.gone.erase(statement);
  return asked;
}

// The log density with the rows of a batch instead of all; its input gains their numbers and the weight.
void Tracer::take_batch(graph::Traced& traced, std::span<const StatementRows> rows,
                        TracedDensity& result) const {
  if (rows.empty()) return;
  const Index size = options_.query.batch, num_rows = rows[0].values.size();
  graph::RowBatch batch(traced, num_rows, size, 1);
  const Expr weight = batch.input(dimension_ + size);
  std::vector<Expr> outputs;
  for (const Expr& output : traced.outputs) outputs.push_back(batch.whole(output));
  for (const StatementRows& row : rows) {
    const Expr each = batch.rows(row.values);
    const Expr sum = each.is_scalar() ? static_cast<double>(size) * each : graph::sum(each);
    for (const std::size_t k : {TracedDensity::kLogDensity, TracedDensity::kWithoutJacobian})
      outputs[k] = outputs[k] + weight * sum;
    outputs.push_back(sum);
    result.summed_statements.push_back(row.statement);
  }
  result.num_rows = num_rows;
  traced = batch.finish(std::move(outputs));
}

void require_row(Index row, Index num_rows) {
  if (row >= num_rows)
    throw Error(ErrorCode::usage, fmt::format("row {} can't be left out of {}", row + 1, num_rows),
                "without", "rows are numbered in the order of the likelihood's statements");
}

// Rows that are left of the statements that lose some.
std::vector<KeptRows> Tracer::rows_left(std::span<const StatementRows> rows) const {
  const std::vector<Index>& without = options_.query.without;
  std::vector<KeptRows> all;
  Index first = 0;
  for (const StatementRows& row : rows) {
    KeptRows some{row, {}};
    for (Index i = 0; i < row.values.size(); ++i)
      if (!std::binary_search(without.begin(), without.end(), first + i))
        some.kept.push_back(static_cast<std::int32_t>(i));
    first += row.values.size();
    if (ssize(some.kept) < row.values.size()) all.push_back(std::move(some));
  }
  require_row(without.back(), first);
  return all;
}

void take_kept_rows(graph::Traced& traced, std::span<const KeptRows> rows, TracedDensity& result) {
  for (const KeptRows& row : rows) {
    const Index count = ssize(row.kept);
    const Expr sum =
        count == 0
            ? Expr(0.0)
            : graph::sum(graph::gather(graph::vector_shape(count), row.rows.values, row.kept));
    for (const std::size_t k : {TracedDensity::kLogDensity, TracedDensity::kWithoutJacobian})
      traced.outputs[k] = traced.outputs[k] + sum;
    traced.outputs.push_back(sum);
    result.summed_statements.push_back(row.rows.statement);
  }
}

// True if the rows come from the program's own log_lik: the query prefers it, or the statements give no rows.
bool Tracer::takes_log_lik(const lang::Machine& machine) const {
  if (!can_take_log_lik() || options_.query.rows_by == density::RowsBy::statements) return false;
  if (prefers_log_lik()) return true;
  const TermSplit split(source_, machine.terms);
  return !answer(split, Order::pointwise).can || split.rows().empty();
}

// The log likelihood of each row as the only output.
void Tracer::take_rows(graph::Traced& traced, const lang::Machine& machine,
                       TracedDensity& result) const {
  const TermSplit split(source_, machine.terms);
  density::Capability can = answer(split, Order::pointwise);
  if (discrete_.size() == 0)
    can.hint += "; or compute the rows in generated quantities, as `vector[N] log_lik`";
  require(can);
  std::vector<Expr> all;
  for (const StatementRows& row : split.rows()) {
    result.rows.push_back({row.statement, row.values.size()});
    result.num_rows += row.values.size();
    all.push_back(row.values);
  }
  const auto shape = graph::vector_shape(result.num_rows);
  traced.outputs = {all.size() == 1 ? all[0] : graph::concat(shape, all)};
  result.summed_statements.clear();
}

// The log likelihood of a batch's rows, statement by statement; its input is that of take_batch().
graph::Traced Tracer::trace_row_batch(std::span<const double> point, lang::Machine& machine,
                                      TracedDensity& result) const {
  density::Query all_rows =
      options_.query;  // query of all terms, so that the graph stays as it is traced
  all_rows.batch = 0, all_rows.terms = density::Terms::all;
  const ModelOptions options = options_.asking(all_rows);
  const DiscreteParameters sites(sites_, discrete_, options);
  graph::Traced traced =
      Tracer(parts_, options, sites, statuses_).trace_values(point, machine, result);
  const TermSplit split(source_, machine.terms);
  require(answer(split, Order::pointwise));
  const std::vector<StatementRows> rows = split.rows();
  const Index size = options_.query.batch;
  graph::RowBatch batch(traced, rows[0].values.size(), size, 1);
  std::vector<Expr> outputs;
  for (const StatementRows& row : rows) {
    const Expr each = batch.rows(row.values);
    outputs.push_back(each.is_scalar() ? graph::broadcast(graph::vector_shape(size), each) : each);
    result.rows.push_back({row.statement, size});
    result.num_rows += size;
  }
  const auto shape = graph::vector_shape(result.num_rows);
  result.summed_statements.clear();
  return batch.finish({outputs.size() == 1 ? outputs[0] : graph::concat(shape, outputs)});
}

density::Capability Tracer::can(const density::Query& query, std::span<const double> point) const {
  if (options_.after != nullptr) {  // prior and likelihood are apart alike
    ModelOptions options = options_;
    options.after = nullptr;
    return Tracer(parts_, options, sites_, statuses_).can(query, point);
  }
  const ModelOptions options = options_.asking(query);
  const Tracer asked(parts_, options, sites_, statuses_);
  lang::Machine machine = new_machine(graph::Passes(options_.passes), true);
  TracedDensity result;
  const graph::Traced traced = trace_values(point, machine, result);  // rows are parts of it
  const bool by_log_lik = !query.without.empty() && asked.takes_log_lik(machine);
  if (by_log_lik) return {};
  if (query.batch > 0 && prefers_log_lik())
    return {.can = false,
            .reason = "batches can be made from the rows of statements, but not from log_lik",
            .hint = "use all rows, or the rows of the statements"};
  return asked.answer(TermSplit(source_, machine.terms), Order::gradient);
}

}  // namespace credo::model
