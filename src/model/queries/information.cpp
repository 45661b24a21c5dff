#include "model/queries/information.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/passes/rebuild.hpp"
#include "lang/trace/density_call.hpp"
#include "model/queries/curvature.hpp"

namespace credo::model {
using graph::Expr;
using graph::Traced;

namespace {
// Place of I_ab in the upper triangle by columns, a <= b.
std::size_t place_of(std::size_t a, std::size_t b) { return b * (b + 1) / 2 + a; }

// The same expression in the new graph, as it is placed at present.
Expr moved(const graph::Rebuild& rebuild, const Expr& e) {
  return e.is_constant() ? e : rebuild.mapped_expr(e.ref()).reshaped(e.shape());
}

std::vector<Expr> moved(const graph::Rebuild& rebuild, const std::vector<Expr>& all) {
  std::vector<Expr> result;
  for (const Expr& e : all) result.push_back(moved(rebuild, e));
  return result;
}

Expr summed(const Expr& each, Index count) {
  return each.is_scalar() ? each * static_cast<double>(count) : graph::sum(each);
}
}  // namespace

Error ObservedOutcomes::not_known(const std::string& what, const std::string& where) const {
  return Error(ErrorCode::program, fmt::format("the expected information of {} isn't known", what),
               where, way_out_);
}

void ObservedOutcomes::look(lang::Machine& machine, const lang::SeenDensity& density) {
  if (machine.graph() == nullptr) return;
  const auto known =
      machine.known_of(density.arguments[0], machine.autodiff_bits(density.call.arguments));
  if (known == lang::Machine::Known::none) return;
  std::vector<Expr> arguments;
  for (std::size_t k = 1; k < density.arguments.size(); ++k)
    arguments.push_back(machine.expr(density.arguments[k]));
  const dist::Distribution* row =
      lang::distribution_function(density.call.function.name)->distribution;
  if (row->rows != nullptr) {
    dist::Part rows = row->rows(arguments);
    row = rows.distribution;
    arguments = std::move(rows.args);
  }
  Outcome outcome{.row = row,
                  .arguments = {},
                  .count = machine.expr(density.arguments[0]).size(),
                  .term = machine.terms.size(),
                  .statement = machine.statement()};
  for (Expr& argument : arguments) {
    if (!argument.is_scalar()) argument = argument.reshaped(graph::vector_shape(argument.size()));
    if (!argument.is_scalar()) outcome.count = argument.size();
    outcome.arguments.push_back(std::move(argument));
  }
  outcomes_.push_back(std::move(outcome));
}

// An outcome for each term of observed outcomes, in the terms' order.
std::vector<const ObservedOutcomes::Outcome*> ObservedOutcomes::likelihood(
    const lang::Machine& machine, const ProgramSource& source) const {
  std::vector<const Outcome*> result;
  for (std::size_t k = 0; k < machine.terms.size(); ++k) {
    const lang::Term& term = machine.terms[k];
    if (term.kind != lang::TermKind::likelihood || term.value.is_constant()) continue;
    const auto seen = std::find_if(outcomes_.begin(), outcomes_.end(),
                                   [k](const Outcome& outcome) { return outcome.term == k; });
    const std::string where = source.where(term.statement);
    if (seen == outcomes_.end() || term.is_mixed)
      throw not_known("a term that is more than a density of outcomes", where);
    if (seen->row->information == nullptr) throw not_known(std::string(seen->row->name), where);
    result.push_back(&*seen);
  }
  return result;
}

// ½ Σ_n Σ_ab I_ab (φ's η_a - θ's η_a) (φ's η_b - θ's η_b).
Expr ObservedOutcomes::entropy_of(const Outcome& outcome, const std::vector<Expr>& at_theta,
                                  const std::vector<Expr>& at_phi,
                                  const ProgramSource& source) const {
  const std::vector<Expr> information = outcome.row->information(at_theta);
  Expr total = 0.0;
  for (std::size_t b = 0; b < at_theta.size(); ++b) {
    for (std::size_t a = 0; a <= b; ++a) {
      if (at_theta[a].is_constant() || at_theta[b].is_constant()) continue;
      const Expr& entry = information[place_of(a, b)];
      if (entry.empty())
        throw not_known(fmt::format("{} in its {}", outcome.row->name, outcome.row->args[b].name),
                        source.where(outcome.statement));
      if (entry.is_constant() && entry.is_scalar() && entry.value() == 0.0) continue;
      const Expr each = entry * (at_phi[a] - at_theta[a]) * (at_phi[b] - at_theta[b]);
      total = total + (a == b ? 0.5 : 1.0) * summed(each, outcome.count);
    }
  }
  return total;
}

namespace {
// The same values of several outcomes, one after another; scalars are repeated.
Expr joined_rows(std::span<const Expr> parts, std::span<const Index> counts) {
  if (parts.size() == 1) return parts[0];
  std::vector<Expr> whole;
  Index size = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const graph::Shape shape = graph::vector_shape(counts[k]);
    const bool is_known = parts[k].is_constant();
    whole.push_back(!parts[k].is_scalar() ? parts[k]
                    : is_known            ? graph::fill(shape, parts[k].value())
                                          : graph::broadcast(shape, parts[k]));
    size += counts[k];
  }
  return graph::concat(graph::vector_shape(size), whole);
}
}  // namespace

// The rows of one statement: its outcomes have one distribution, and each a part of the rows.
void ObservedOutcomes::add_rows(OutcomeRows& rows, std::span<const Outcome* const> outcomes,
                                const ProgramSource& source) const {
  const dist::Distribution* row = outcomes[0]->row;
  const std::string where = source.where(outcomes[0]->statement);
  std::vector<Index> counts;
  std::vector<std::vector<Expr>> information;
  for (const Outcome* outcome : outcomes) {
    if (outcome->row != row) throw not_known("rows of several distributions", where);
    counts.push_back(outcome->count);
    information.push_back(row->information(outcome->arguments));
  }
  const auto joined = [&](const auto& part_of) {
    std::vector<Expr> parts;
    for (std::size_t k = 0; k < outcomes.size(); ++k) parts.push_back(part_of(k));
    return joined_rows(parts, counts);
  };
  const auto is_free = [&](std::size_t a) {
    return std::ranges::any_of(outcomes,
                               [a](const Outcome* o) { return !o->arguments[a].is_constant(); });
  };
  const std::size_t before = rows.numbers.size();
  std::vector<std::size_t> free;
  for (std::size_t b = 0; b < outcomes[0]->arguments.size(); ++b) {
    if (!is_free(b)) continue;
    free.push_back(b);
    rows.information.insert(rows.information.end(), before, Expr(0.0));
    for (const std::size_t a : free) {
      for (const std::vector<Expr>& own : information)
        if (own[place_of(a, b)].empty())
          throw not_known(fmt::format("{} in its {}", row->name, row->args[b].name), where);
      rows.information.push_back(
          joined([&](std::size_t k) { return information[k][place_of(a, b)]; }));
    }
    rows.numbers.push_back(joined([&](std::size_t k) { return outcomes[k]->arguments[b]; }));
  }
}

OutcomeRows ObservedOutcomes::rows(const lang::Machine& machine, const ProgramSource& source,
                                   std::span<const StatementRows> of) const {
  const std::vector<const Outcome*> all = likelihood(machine, source);
  OutcomeRows rows;
  for (const StatementRows& statement : of) {
    std::vector<const Outcome*> own;
    Index count = 0;
    for (const Outcome* outcome : all)
      if (outcome->statement == statement.statement)
        own.push_back(outcome), count += outcome->count;
    if (own.empty() || count != statement.values.size())
      throw not_known("rows that are more than densities of outcomes",
                      source.where(statement.statement));
    add_rows(rows, own, source);
  }
  return rows;
}

Traced ObservedOutcomes::entropy(const Traced& traced, const lang::Machine& machine,
                                 Index dimension, const ProgramSource& source,
                                 density::Terms terms) const {
  const std::vector<const Outcome*> outcomes = likelihood(machine, source);
  graph::Rebuild rebuild(*traced.graph);
  const graph::NodeId input = rebuild.to().add_input(graph::vector_shape(4 * dimension));
  const Expr whole(rebuild.to(), {input, -1});
  copy_all(rebuild, traced, part_of(whole, 0, dimension));
  std::vector<std::vector<Expr>> at_theta;
  for (const Outcome* outcome : outcomes) at_theta.push_back(moved(rebuild, outcome->arguments));
  copy_all(rebuild, traced, part_of(whole, 3 * dimension, dimension));
  Expr total = 0.0;
  for (std::size_t k = 0; k < outcomes.size(); ++k)
    total = total +
            entropy_of(*outcomes[k], at_theta[k], moved(rebuild, outcomes[k]->arguments), source);
  for (const lang::Term& term : machine.terms) {
    const bool is_rest = term.kind != lang::TermKind::likelihood && !term.value.is_constant();
    if (is_rest && terms != density::Terms::likelihood) total = total - moved(rebuild, term.value);
  }
  return {.graph = rebuild.release(), .input = input, .outputs = {total}};
}

}  // namespace credo::model
