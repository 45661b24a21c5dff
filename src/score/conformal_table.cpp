// The conformal methods, in alphabetical order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/row_list.hpp"
#include "score/conformal.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(aps_sets) \
  row(bayes_sets) \
  row(cqr_sets) \
  row(softmax_sets) \
  row(split_sets) \
  row(variance_sets)
// clang-format on

namespace credo::score {
#define CREDO_DECLARE_CONFORMAL(name) extern const ConformalRow name;
CREDO_ROWS(CREDO_DECLARE_CONFORMAL)

std::span<const ConformalRow* const> conformal_rows() {
  static constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return kRows;
}
#undef CREDO_ROWS
#undef CREDO_DECLARE_CONFORMAL

std::vector<std::string> names_of_conformal() {
  std::vector<std::string> names;
  for (const ConformalRow* row : conformal_rows()) names.emplace_back(row->name);
  return names;
}

const ConformalRow& find_conformal(std::string_view name) {
  for (const ConformalRow* row : conformal_rows())
    if (row->name == name) return *row;
  throw Error(ErrorCode::usage, fmt::format("there is no conformal method '{}'", name),
              "--conformal", fmt::format("there are {}", fmt::join(names_of_conformal(), ", ")));
}

}  // namespace credo::score
