#include "model/outputs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "lang/trace/constraints.hpp"
#include "model/data/declarations.hpp"
#include "model/queries/program_facts.hpp"
#include "model/writer.hpp"

namespace credo::model {
using lang::Expr;
using lang::Machine;
using lang::Scalar;
using lang::Value;
namespace typed = lang::typed;

bool Outputs::prints() const {
  return options().print != nullptr && parts_.data.source().program.has_print;
}

void Outputs::require_known(const density::Written& what) const {
  const ProgramSource& source = parts_.data.source();
  const auto& quantities = parts_.data.unknown().quantities;
  Index first = 0;
  for (const OutputLayout::Variable& output : parts_.outputs.variables) {
    const Index end = first + ssize(output.places);
    const auto is_own = [&](Index column) { return first <= column && column < end; };
    const bool is_asked =
        output.block <= what.last && (!what.columns || std::ranges::any_of(*what.columns, is_own));
    first = end;
    const auto needs = quantities.find(output.slot);
    if (!is_asked || needs == quantities.end()) continue;
    const auto name_of = [&](int slot) -> const std::string& {
      return source.program.globals[static_cast<std::size_t>(slot)].name;
    };
    const std::string &quantity = name_of(output.slot), &outcome = name_of(needs->second.slot);
    throw Error(ErrorCode::data,
                fmt::format("{} needs {}, which isn't in the data: {}", quantity, outcome,
                            source.source.text(needs->second.range)),
                source.source.where(needs->second.range),
                fmt::format("leave it out (--drop {}), or give {}", quantity, outcome));
  }
}

std::vector<double> Outputs::with_discrete(std::span<const double> position, Rng& rng) const {
  std::vector<double> all = parts_.parameters.completed(position);
  if (all.size() > position.size())
    densities_.make_drawer(position)->draw(position, rng, std::span(all).subspan(position.size()));
  return all;
}

namespace {
// How far outputs go once a block has run: prints of the model block come with generated quantities.
density::Block stage_of(typed::BlockKind block) {
  return block == typed::BlockKind::model ? density::Block::generated_quantities : block_of(block);
}

void append_numbers(const Value& value, std::vector<double>& out) {
  if (value.is_tuple()) {
    for (const Value& element : value.tuple()->elements) append_numbers(element, out);
    return;
  }
  for (Index i = 0; i < lang::size_of(value); ++i) {
    stop_if_asked();
    out.push_back(lang::scalar_of(value, i).known);
  }
}
}  // namespace

std::vector<double> Outputs::write(std::span<const double> point, Rng& rng, std::string* note,
                                   const density::Written& what) const {
  if (densities_.sites().are_summed_out() && ssize(point) == parts_.parameters.dimension())
    return write(with_discrete(point, rng), rng, note, what);
  const ProgramSource& source = parts_.data.source();
  Machine machine = parts_.data.new_machine(
      {.limits = {}, .seed = lang::DrawSeed::of(rng.bits()), .print = options().print});
  std::vector<char> reached(source.program.globals.size(), 0);
  const auto mark = [&](typed::BlockKind block) {
    for (std::size_t k = 0; k < reached.size(); ++k) {
      if (source.program.globals[k].block == block) reached[k] = 1;
    }
  };
  try {
    parts_.parameters.set_numbers(machine, point);
    mark(typed::BlockKind::parameters);
    for (const auto block : {typed::BlockKind::transformed_parameters, typed::BlockKind::model,
                             typed::BlockKind::generated_quantities}) {
      const bool only_prints = block == typed::BlockKind::model;
      const bool has_prints = what.density_prints && prints() && parts_.data.unknown().empty();
      if (stage_of(block) > what.last || (only_prints && !has_prints)) continue;
      if (block == typed::BlockKind::generated_quantities)
        parts_.data.run_quantities(machine);
      else
        machine.run(block);
      mark(block);
    }
  } catch (const lang::Rejection& r) {
    if (r.failure.kind == lang::FailureKind::fatal)
      rejected_for_good(source, r, ErrorCode::evaluation);
    if (what.keeps_reached) mark(typed::BlockKind::generated_quantities);
    if (note != nullptr)
      *note = source.where(r.failure.statement) + ": " + lang::message(r.failure, r.value);
  }
  std::vector<double> row, numbers;
  for (const OutputLayout::Variable& output : parts_.outputs.variables) {
    if (output.block > what.last) break;
    const bool known = reached[static_cast<std::size_t>(output.slot)] != 0;
    numbers.clear();
    if (known) append_numbers(machine.global(output.slot), numbers);
    const auto is_unset = [&](double x) {  // a whole number before its assignment
      return what.keeps_reached && x == double{std::numeric_limits<int>::min()};
    };
    for (const std::int32_t place : output.places) {
      const auto at = static_cast<std::size_t>(place);
      row.push_back(at < numbers.size() && !is_unset(numbers[at]) ? numbers[at] : kNaN);
    }
  }
  return density::chosen(std::move(row), what);
}

void Outputs::print_density(std::span<const double> point) const {
  if (!prints()) return;
  Machine machine = parts_.data.new_machine({.limits = {}, .print = options().print});
  try {
    parts_.parameters.run_density(machine, point);
  } catch (const lang::Rejection&) {  // the evaluation says so
  }
}

namespace {
// The variable whose numbers come first; `rest` is what lies behind them.
Value stored_value(const lang::ConstraintPlan& plan, std::span<const double>& rest) {
  const Index count = plan.dims.count == 0 ? 1 : plan.dims.total();
  const auto own = rest.first(static_cast<std::size_t>(count));
  rest = rest.subspan(own.size());
  if (plan.dims.count == 0) return Scalar(own[0]);
  return lang::from_expr(graph::constant(lang::shape_of(plan.base, plan.dims), own), plan.base,
                         plan.dims);
}
}  // namespace

std::vector<double> Outputs::unconstrain_row(std::span<const double> row, double rounding) const {
  const ProgramSource& source = parts_.data.source();
  Machine machine = parts_.data.new_machine({});
  std::vector<double> free, stored;
  std::size_t output = 0, begin = 0;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    const std::vector<std::int32_t>& places = parts_.outputs.variables[output++].places;
    const std::span<const double> columns = row.subspan(begin, places.size());
    begin += places.size();
    if (lang::is_int_based(d.type->type)) return;
    stored.resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      stored[static_cast<std::size_t>(places[k])] = columns[k];
    std::span<const double> rest = stored;
    std::vector<Value> values;
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      values.push_back(stored_value(plan, rest));
      const std::vector<double> part = lang::unconstrain(plan, values.back(), leaf.name, rounding);
      free.insert(free.end(), part.begin(), part.end());
    }
    machine.global(d.slot.index) = lang::from_leaves(*d.type, values);
  };
  try {
    for_each_declaration(source.program.parameters, add);
  } catch (const lang::Rejection& r) {
    rejected_for_good(source, r, ErrorCode::data);
  }
  return free;
}

std::shared_ptr<const graph::Program> Outputs::trace(std::span<const double> input,
                                                     const density::Written& what) const {
  if (parts_.data.source().program.has_print || parts_.outputs.variables.empty() ||
      parts_.outputs.variables.front().block > what.last)
    return nullptr;
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  traced.input = traced.graph->add_input(graph::vector_shape(ssize(input)));
  const graph::Passes chosen(this->options().passes), keeping_bits("cse,dead-code");
  lang::MachineOptions options;
  if (chosen.has("selects")) options.selects = lang::Selects::all;
  options.differentiable = false;
  options.exact = true;
  options.columns =
      chosen.has("columns") && parts_.data.unknown().empty();  // columns leave out no statement
  const Expr all(*traced.graph, {traced.input, -1});
  const Index num_words = lang::DrawSeed::kWords;
  options.seed = {all.element(all.size() - num_words), all.element(all.size() - num_words + 1)};
  lang::Machine machine = parts_.data.new_machine(std::move(options));
  machine.trace_into(*traced.graph, traced.input, input);
  try {
    parts_.parameters.set(machine, all);
    if (what.last >= density::Block::transformed_parameters)
      machine.run(typed::BlockKind::transformed_parameters);
    if (what.last >= density::Block::generated_quantities) parts_.data.run_quantities(machine);
    traced.outputs = {parts_.outputs.row(machine, *traced.graph, what)};
  } catch (const lang::Rejection&) {
    return nullptr;
  } catch (const Error&) {  // interpreting the draw reports the error
    return nullptr;
  }
  if (this->options().passes != "none") traced = keeping_bits.run(std::move(traced));
  return std::make_shared<const graph::Program>(
      *traced.graph, traced.input, traced.outputs,
      graph::ProgramOptions{chosen.has("fuse"), this->options().plant});
}

std::shared_ptr<const graph::Program> Outputs::program(std::span<const double> input,
                                                       const density::Written& what) const {
  const std::lock_guard lock(mutex_);
  for (const Traced& known : programs_) {
    if (known.what == what) return known.program;
  }
  programs_.push_back({what, trace(input, what)});
  return programs_.back().program;
}

void Outputs::prepare(std::span<const double> point) const {
  std::vector<double> input = parts_.parameters.completed(point);
  input.resize(input.size() + lang::DrawSeed::kWords, 0.0);
  program(input, {});
}

std::unique_ptr<density::Writer> Outputs::make_writer(density::Written what) const {
  require_known(what);
  densities_.make_drawer(
      std::vector<double>(static_cast<std::size_t>(densities_.dimension()), 0.0));
  return std::make_unique<Writer>(*this, std::move(what));
}

}  // namespace credo::model
