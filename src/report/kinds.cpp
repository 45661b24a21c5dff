// The kinds of pictures, in alphabetical order.
#include "report/kinds.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/row_list.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(autocorrelation_picture) \
  row(bars_picture) \
  row(bound_picture) \
  row(calibration_picture) \
  row(compare_picture) \
  row(density_picture) \
  row(energy_picture) \
  row(forest_picture) \
  row(groups_picture) \
  row(intervals_picture) \
  row(ladder_picture) \
  row(loo_picture) \
  row(loo_pit_picture) \
  row(overlay_picture) \
  row(pairs_picture) \
  row(path_picture) \
  row(predictive_picture) \
  row(prior_picture) \
  row(ranks_picture) \
  row(reliability_picture) \
  row(row_scores_picture) \
  row(scores_picture) \
  row(statistics_picture) \
  row(trace_picture)
// clang-format on

namespace credo::report {
using Row = PictureKind;
CREDO_ROWS(CREDO_DECLARE_ROW)

std::span<const PictureKind* const> picture_kinds() {
  static constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return kRows;
}

std::vector<std::string> picture_kind_names() {
  std::vector<std::string> names;
  for (const PictureKind* kind : picture_kinds()) names.emplace_back(kind->name);
  return names;
}

const PictureKind& find_picture_kind(std::string_view name) {
  for (const PictureKind* kind : picture_kinds())
    if (kind->name == name) return *kind;
  const std::vector<std::string> names = picture_kind_names();
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("there is no picture of the kind '{}'", name), "KIND",
              near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : near);
}

std::vector<Index> usual_quantities(const PictureKind& kind, const Material& material) {
  if (kind.most_quantities == 0) return {};
  const density::Layout& layout = material.fit().layout();
  const Index first = results::first_output(material.fit());
  std::vector<Index> chosen;
  for (Index v = 0; v < ssize(layout.variables()); ++v) {
    const density::Variable& variable = layout.variables()[static_cast<std::size_t>(v)];
    const bool is_parameter =
        variable.block == density::Block::parameters || variable.block == density::Block::unknown;
    if (kind.of_one_variable ? variable.size() < 2 : !is_parameter) continue;
    for (Index e = layout.first(v); e < layout.first(v + 1) && ssize(chosen) < kind.most_quantities;
         ++e)
      chosen.push_back(first + e);
    if (kind.of_one_variable) break;
  }
  if (chosen.empty())
    throw Error(ErrorCode::usage,
                kind.of_one_variable ? "the fit has no array to draw" : "the fit has no parameters",
                "--columns", "name what to draw: --columns theta");
  return chosen;
}

}  // namespace credo::report
