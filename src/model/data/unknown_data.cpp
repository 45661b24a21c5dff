// A model that lacks outcomes: refusals, and generated quantities without those that need the outcomes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "model/model.hpp"

namespace credo::model {
namespace typed = lang::typed;

std::vector<std::string> Model::unknown_outcomes() const {
  std::vector<std::string> names;
  for (const int slot : unknown_.slots)
    names.push_back(source_->program.globals[static_cast<std::size_t>(slot)].name);
  return names;
}

// Throws if an outcome is unknown: the next computation needs all data.
void Model::require_known_data() const {
  if (unknown_.empty()) return;
  throw Error(ErrorCode::data,
              fmt::format("{} isn't in the data, and the log density needs it",
                          fmt::join(unknown_outcomes(), ", ")),
              source_->name, "give the outcomes");
}

void Model::require_known(const density::Written& what) const {
  Index first = 0;
  for (const Output& output : output_sources_) {
    const Index end = first + ssize(output.places);
    const auto is_own = [&](Index column) { return first <= column && column < end; };
    const bool is_asked =
        output.block <= what.last && (!what.columns || std::ranges::any_of(*what.columns, is_own));
    first = end;
    const auto needs = unknown_.quantities.find(output.slot);
    if (!is_asked || needs == unknown_.quantities.end()) continue;
    const auto name_of = [&](int slot) -> const std::string& {
      return source_->program.globals[static_cast<std::size_t>(slot)].name;
    };
    const std::string &quantity = name_of(output.slot), &outcome = name_of(needs->second.slot);
    throw Error(ErrorCode::data,
                fmt::format("{} needs {}, which isn't in the data: {}", quantity, outcome,
                            source_->source.text(needs->second.range)),
                source_->source.where(needs->second.range),
                fmt::format("leave it out (--drop {}), or give {}", quantity, outcome));
  }
}

// If outcomes are unknown, statements that need them are left out; their variables stay unset and unchecked.
void Model::run_quantities(lang::Machine& machine) const {
  constexpr auto kBlock = typed::BlockKind::generated_quantities;
  if (unknown_.empty()) return machine.run(kBlock);
  machine.run(kBlock, {.statements = unknown_.runs, .adds_terms = true});
  std::vector<char> unchecked(source_->program.globals.size(), 0);
  for (const auto& [slot, read] : unknown_.quantities) {
    unchecked[static_cast<std::size_t>(slot)] = 1;
    machine.global(slot) =
        machine.unset_value(*source_->program.globals[static_cast<std::size_t>(slot)].sized_type);
  }
  machine.check_globals(kBlock, unchecked);
}

}  // namespace credo::model
