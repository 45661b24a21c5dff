#include "model/statements/value_sources.hpp"

#include "lang/trace/density_call.hpp"
#include "lang/typed/each_operand.hpp"

namespace credo::model {
namespace {
using typed::BlockKind;

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Functions whose whole-number arguments are sizes or places.
bool takes_places(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames{
      "rep_vector",   "rep_row_vector",  "rep_matrix",  "rep_array",
      "zeros_vector", "ones_vector",     "head",        "tail",
      "segment",      "block",           "row",         "col",
      "sub_row",      "identity_matrix", "diag_matrix", "linspaced_vector"};
  return is_one_of(kNames, name);
}

// Functions that only move elements.
bool moves_elements(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames{
      "to_vector",    "to_row_vector", "to_array_1d", "append_row", "append_col",
      "append_array", "head",          "tail",        "segment",    "to_matrix"};
  return is_one_of(kNames, name);
}

bool holds_data(BlockKind block) {
  return block == BlockKind::data || block == BlockKind::transformed_data;
}
}  // namespace

bool is_tail_call(const typed::Call& call) {
  const std::string_view name = call.function.name;
  return !call.arguments.empty() &&
         (name.ends_with("_lccdf") || name.ends_with("_lcdf") || name.ends_with("_cdf"));
}

const typed::Call* density_call(const typed::Expression& e) {
  const auto* call = std::get_if<typed::Call>(&e.node);
  return call != nullptr && (lang::is_any_density(*call) || is_tail_call(*call)) ? call : nullptr;
}

std::span<const AssignedValue> SourceReader::values_of(typed::Slot slot,
                                                       const StatementFrame& frame) const {
  const AssignedValues& all = slot.local ? frame.locals : globals_;
  const auto found = all.find(slot.index);
  return found == all.end() ? std::span<const AssignedValue>() : found->second;
}

ValueSources SourceReader::sources_of(FramedExpression e) const {
  ValueSources sources;
  Seen seen;
  collect(e, sources, seen);
  return sources;
}

ValueSources SourceReader::sources_of_arguments(const typed::Call& call,
                                                const StatementFrame& frame) const {
  ValueSources sources;
  Seen seen;
  for (const typed::Expression& argument : call.arguments)
    collect({&argument, &frame}, sources, seen);
  return sources;
}

void SourceReader::collect(FramedExpression e, ValueSources& sources, Seen& seen) const {
  e = resolved(e);
  if (std::holds_alternative<typed::TargetValue>(e.expression->node)) sources.reads_data = true;
  if (const auto* use = std::get_if<typed::VariableUse>(&e.expression->node))
    return collect_variable(*use, *e.frame, sources, seen);
  const auto* call = std::get_if<typed::Call>(&e.expression->node);
  if (density_call(*e.expression) != nullptr)
    return collect_arguments(*call, *e.frame, sources, seen);
  const bool has_places = call != nullptr && takes_places(call->function.name);
  lang::for_each_operand(*e.expression, [&](const typed::Expression& x) {
    if (!(has_places && x.type.is_int())) collect({&x, e.frame}, sources, seen);
  });
}

void SourceReader::collect_arguments(const typed::Call& density, const StatementFrame& frame,
                                     ValueSources& sources, Seen& seen) const {
  ValueSources inside;
  for (const typed::Expression& argument : density.arguments)
    collect({&argument, &frame}, inside, seen);
  sources.reads_data |= inside.reads_data;
  sources.in_densities.insert(inside.parameters.begin(), inside.parameters.end());
  sources.in_densities.insert(inside.in_densities.begin(), inside.in_densities.end());
}

void SourceReader::collect_variable(const typed::VariableUse& use, const StatementFrame& frame,
                                    ValueSources& sources, Seen& seen) const {
  if (!seen.insert({use.slot.local ? &frame : nullptr, use.slot.index}).second) return;
  if (!use.slot.local) {
    const BlockKind block = program_.globals[static_cast<std::size_t>(use.slot.index)].block;
    if (block == BlockKind::parameters) sources.parameters.insert(use.slot.index);
    if (holds_data(block)) sources.reads_data = true;
  }
  for (const AssignedValue& value : values_of(use.slot, frame))
    collect({value.value, value.frame}, sources, seen);
}

bool SourceReader::reads_rows(FramedExpression e) const {
  e = resolved(e);
  if (const auto* use = std::get_if<typed::VariableUse>(&e.expression->node)) {
    const bool is_switch = !use->slot.local && e.expression->type.is_scalar() &&
                           program_.globals[static_cast<std::size_t>(use->slot.index)].block !=
                               BlockKind::transformed_parameters;
    return !is_switch && reads_data(e);
  }
  bool found = false;
  lang::for_each_operand(*e.expression, [&](const typed::Expression& x) {
    found = found || reads_rows({&x, e.frame});
  });
  return found;
}

bool SourceReader::is_mixed(FramedExpression e) const {
  Seen seen;
  return is_mixed(e, seen);
}

bool SourceReader::is_mixed(FramedExpression e, Seen& seen) const {
  e = resolved(e);
  const auto inside = [&](const typed::Expression& x) { return is_mixed({&x, e.frame}, seen); };
  const auto& node = e.expression->node;
  if (const auto* use = std::get_if<typed::VariableUse>(&node)) {
    if (!seen.insert({use->slot.local ? e.frame : nullptr, use->slot.index}).second) return false;
    return std::ranges::any_of(values_of(use->slot, *e.frame), [&](const AssignedValue& value) {
      return is_mixed({value.value, value.frame}, seen) || (value.is_compound && reads_data(e));
    });
  }
  if (const auto* indexed = std::get_if<typed::Indexed>(&node)) return inside(*indexed->base);
  if (const auto* choice = std::get_if<typed::Conditional>(&node))
    return inside(*choice->if_true) || inside(*choice->if_false);
  const auto* call = std::get_if<typed::Call>(&node);
  if (call != nullptr && moves_elements(call->function.name))
    return std::ranges::any_of(call->arguments, inside);
  return !e.expression->autodiff.is_data() && reads_data(e);
}

}  // namespace credo::model
