// Special terms: the table of their rows, and how a predictor gets them.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
extern const SpecialRow ar_special, arma_special, conditional_field_special, cosy_special,
    gaussian_process_special, ma_special, measured_special, missing_values_special,
    monotonic_special, smooth_special, simultaneous_errors_special, tensor_smooth_special,
    unstr_special;

std::span<const SpecialRow* const> special_rows() {
  static constexpr std::array kRows{&ar_special,
                                    &arma_special,
                                    &conditional_field_special,
                                    &cosy_special,
                                    &gaussian_process_special,
                                    &ma_special,
                                    &measured_special,
                                    &missing_values_special,
                                    &monotonic_special,
                                    &smooth_special,
                                    &simultaneous_errors_special,
                                    &tensor_smooth_special,
                                    &unstr_special};
  return kRows;
}

const SpecialRow* find_special(std::string_view name) {
  for (const SpecialRow* row : special_rows())
    if (row->name == name) return row;
  return nullptr;
}

namespace {
// Why the residuals of a predictor's rows can't be correlated.
std::string why_no_residuals(const Regression& made, const Predictor& own) {
  const OutcomeModifiers& modifiers = made.outcome.modifiers;
  if (!own.is_location()) return "it is a parameter that has no rows of its own";
  if (made.family->name != "normal" || own.link != "identity")
    return fmt::format(
        "it is {} with the link {}, and residuals are those of a normal outcome with "
        "the link identity",
        made.family->name, own.link);
  if (modifiers.is_by_row() || !modifiers.error.empty() || !modifiers.earlier.empty())
    return "rows with modifiers or with lag() have no residuals beside those of others yet";
  if (made.num_dropped > 0)
    return fmt::format("{} rows were left out by --missing, so that neighbours aren't known",
                       made.num_dropped);
  for (const SpecialBlock& other : own.specials)
    if (other.residuals.is_there()) return fmt::format("{} is there, too", other.text);
  return "";
}

std::string texts_of(const SpecialBlock& block) {
  std::string all = block.predictor + block.prediction + block.residuals.mean +
                    block.residuals.statement + block.residuals.draw;
  for (const auto* lines :
       {&block.transformed, &block.statements, &block.quantities, &block.prediction_lines})
    for (const std::string& line : *lines) all += line;
  return all;
}
// A density stands in a statement without its ending.
std::string_view name_in_statements(std::string_view name) {
  return name.ends_with("_lpdf") ? name.substr(0, name.size() - 5) : name;
}
// Functions that the texts call, and that these call.
void add_functions(std::span<const StanFunction> functions, std::string texts, StanParts& parts) {
  for (bool is_new = true; std::exchange(is_new, false);)
    for (const StanFunction& f : functions)
      if (texts.find(name_in_statements(f.name)) != texts.npos &&
          parts.functions.emplace(f.name, f.text).second)
        texts += f.text, is_new = true;
}
}  // namespace

void add_specials(Regression& made, std::size_t predictor, Frame& frame) {
  Predictor& own = made.predictors[predictor];
  SpecialContext context{
      .frame = frame, .parts = made.parts, .prefix = own.prefix(), .predictor = predictor};
  if (own.is_location() && own.link == "identity" && made.family->role == ColumnRole::number)
    context.outcome = made.values_of(own.column);
  for (const Term& term : own.list.terms)
    if (term.size() == 1)
      context.slopes.insert(own.list.variables[static_cast<std::size_t>(term[0])].text());
  context.missing = made.missing;
  for (const Expression& call : own.list.specials) {
    const SpecialRow& row = *find_special(call.word);
    context.no_residuals = why_no_residuals(made, own);
    auto block = row.make(call, context);
    if (!block) continue;
    add_functions(row.functions,
                  texts_of(*block) + fmt::format("{}", fmt::join(made.parts.prepared, "\n")),
                  made.parts);
    made.fixed_factors.insert(block->factors.begin(), block->factors.end());
    made.series.insert(block->series.begin(), block->series.end());
    own.specials.push_back(std::move(*block));
  }
}

}  // namespace credo::models
