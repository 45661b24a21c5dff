#include "models/formula/faults.hpp"

#include <fmt/format.h>

namespace credo::models {

void FormulaFaults::add(FormulaPlace place, std::string message, std::string hint) {
  for (const FormulaFault& known : all_)  // a term that is read twice has its fault once
    if (known.place && known.place->first == place.first && known.message == message) return;
  all_.push_back({place, {}, std::move(message), std::move(hint)});
}

void FormulaFaults::add_of_table(std::string where, std::string message, std::string hint) {
  all_.push_back({std::nullopt, std::move(where), std::move(message), std::move(hint)});
}

void FormulaFaults::remark(std::string message) {
  all_.push_back({std::nullopt, {}, std::move(message), {}, true});
}

std::size_t FormulaFaults::size() const {
  return static_cast<std::size_t>(std::ranges::count(all_, false, &FormulaFault::is_remark));
}

std::string FormulaFaults::text(std::string_view formula) const {
  std::vector<FormulaFault> sorted = all_;
  std::ranges::stable_sort(sorted, {}, [](const FormulaFault& fault) {
    return fault.place ? fault.place->first : std::numeric_limits<Index>::max();
  });
  std::string text;
  for (const FormulaFault& fault : sorted) {
    if (fault.place) {
      const auto width =
          static_cast<std::size_t>(std::max<Index>(fault.place->last - fault.place->first, 1));
      text += fmt::format("  {}\n  {}^{}\n", formula,
                          std::string(static_cast<std::size_t>(fault.place->first), ' '),
                          std::string(width - 1, '~'));
    }
    text += fault.where.empty() ? "" : fault.where + ": ";
    text += fault.message + "\n";
    if (!fault.hint.empty()) text += "  hint: " + fault.hint + "\n";
  }
  return text;
}

}  // namespace credo::models
