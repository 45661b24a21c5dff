#include "model/output_layout.hpp"

#include <fmt/format.h>

#include "base/stop.hpp"
#include "model/data/declarations.hpp"
#include "model/queries/program_facts.hpp"

namespace credo::model {
using graph::Expr;
using lang::Machine;
using lang::Value;
namespace typed = lang::typed;

namespace {
// Slots of tuples are variables of their own, "t:1", "t:1.2".
void add_output(const std::string& name, const Value& value, density::Block block,
                density::Layout& layout, std::vector<std::int32_t>& places) {
  if (value.is_tuple()) {
    const bool is_inner = name.find(':') != std::string::npos;
    for (std::size_t k = 0; k < value.tuple()->elements.size(); ++k)
      add_output(fmt::format("{}{}{}", name, is_inner ? '.' : ':', k + 1),
                 value.tuple()->elements[k], block, layout, places);
    return;
  }
  density::Variable variable = output_variable(name, value);
  add_places(value, ssize(places), places);
  variable.block = block;
  layout.add(std::move(variable));
}

void append_scalars(const Value& value, graph::Graph& graph, std::vector<Expr>& out) {
  if (value.is_tuple()) {
    for (const Value& element : value.tuple()->elements) append_scalars(element, graph, out);
    return;
  }
  for (Index i = 0; i < lang::size_of(value); ++i) {
    stop_if_asked();
    out.push_back(lang::to_expr(lang::scalar_of(value, i), &graph));
  }
}
}  // namespace

// Sizes are data-only, so the values at any point show the layout.
OutputLayout::OutputLayout(const ProgramData& data) {
  Machine machine = data.new_machine({});
  const auto lay_out = [&](typed::BlockKind block, const typed::Statement& s,
                           const typed::Declaration& d) {
    machine.enter(s);
    Variable output{block_of(block), d.slot.index, {}};
    add_output(d.name, machine.unset_value(*d.type), output.block, layout, output.places);
    variables.push_back(std::move(output));
  };
  for (const auto block : {typed::BlockKind::parameters, typed::BlockKind::transformed_parameters,
                           typed::BlockKind::generated_quantities})
    with_data_alone(data.source(), [&] {
      for_each_declaration(data.source().program.block(block),
                           [&](const auto& s, const auto& d) { lay_out(block, s, d); });
    });
}

Expr OutputLayout::row(Machine& machine, graph::Graph& graph, const density::Written& what) const {
  std::vector<Expr> all, scalars;
  for (const Variable& output : variables) {
    if (output.block > what.last) break;
    scalars.clear();
    append_scalars(machine.global(output.slot), graph, scalars);
    for (const std::int32_t place : output.places) {
      stop_if_asked();
      all.push_back(scalars[static_cast<std::size_t>(place)]);
    }
  }
  if (what.columns) {
    std::vector<Expr> chosen;
    for (const Index column : *what.columns)
      chosen.push_back(all[static_cast<std::size_t>(column)]);
    all = std::move(chosen);
  }
  return graph::pack(graph::vector_shape(ssize(all)), all);
}

}  // namespace credo::model
