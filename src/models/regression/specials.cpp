// Special terms: the table of their rows, and how a predictor gets them.
#include "models/regression/regression.hpp"

namespace credo::models {
extern const SpecialRow gaussian_process_special, monotonic_special, smooth_special;

std::span<const SpecialRow* const> special_rows() {
  static constexpr std::array kRows{&gaussian_process_special, &monotonic_special, &smooth_special};
  return kRows;
}

const SpecialRow* find_special(std::string_view name) {
  for (const SpecialRow* row : special_rows())
    if (row->name == name) return row;
  return nullptr;
}

void add_specials(Regression& made, std::size_t predictor, Frame& frame) {
  Predictor& own = made.predictors[predictor];
  SpecialContext context{
      .frame = frame, .parts = made.parts, .prefix = own.prefix(), .predictor = predictor};
  if (own.is_location() && own.link == "identity" && made.family->role == ColumnRole::number)
    context.outcome = made.values_of(own.column);
  for (const Term& term : own.list.terms)
    if (term.size() == 1)
      context.slopes.insert(own.list.variables[static_cast<std::size_t>(term[0])].text());
  for (const Expression& call : own.list.specials) {
    const SpecialRow& row = *find_special(call.word);
    auto block = row.make(call, context);
    if (!block) continue;
    for (const StanFunction& f : row.functions) made.parts.functions.emplace(f.name, f.text);
    made.fixed_factors.insert(block->factors.begin(), block->factors.end());
    own.specials.push_back(std::move(*block));
  }
}

}  // namespace credo::models
