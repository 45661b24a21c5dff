// The calibrators, in alphabetical order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/row_list.hpp"
#include "score/calibrators.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(histogram_calibrator) \
  row(isotonic_calibrator) \
  row(matrix_calibrator) \
  row(platt_calibrator) \
  row(scaling_binning_calibrator) \
  row(temperature_calibrator) \
  row(vector_calibrator)
// clang-format on

namespace credo::score {
#define CREDO_DECLARE_CALIBRATOR(name) extern const CalibratorRow name;
CREDO_ROWS(CREDO_DECLARE_CALIBRATOR)

std::span<const CalibratorRow* const> calibrator_rows() {
  static constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return kRows;
}
#undef CREDO_ROWS
#undef CREDO_DECLARE_CALIBRATOR

std::vector<std::string> names_of_calibrators() {
  std::vector<std::string> names;
  for (const CalibratorRow* row : calibrator_rows()) names.emplace_back(row->name);
  return names;
}

const CalibratorRow& find_calibrator(std::string_view name) {
  for (const CalibratorRow* row : calibrator_rows())
    if (row->name == name) return *row;
  throw Error(ErrorCode::usage, fmt::format("there is no recalibration '{}'", name),
              "--recalibrate",
              fmt::format("there are {}", fmt::join(names_of_calibrators(), ", ")));
}

}  // namespace credo::score
