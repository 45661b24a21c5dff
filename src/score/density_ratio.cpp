#include "score/density_ratio.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "score/softmax_fit.hpp"

namespace credo::score {

DensityRatios density_ratios(std::span<const double> old_design, std::span<const double> new_design,
                             Index num_columns) {
  const auto p = static_cast<std::size_t>(num_columns);
  const std::size_t num_old = old_design.size() / p, num_new = new_design.size() / p;
  const auto row_at = [&](std::size_t i) {
    return i < num_old ? old_design.subspan(i * p, p) : new_design.subspan((i - num_old) * p, p);
  };
  constexpr std::array kOld{1.0, 0.0}, kNew{0.0, 1.0};
  const SoftmaxFit fit = fit_softmax(
      {.num_rows = static_cast<Index>(num_old + num_new),
       .num_classes = 2,
       .num_parameters = num_columns,
       .design =
           [&](Index i, std::span<double> out) {
             std::fill_n(out.begin(), p, 0.0);
             const std::span<const double> row = row_at(static_cast<std::size_t>(i));
             std::copy(row.begin(), row.end(), out.begin() + static_cast<std::ptrdiff_t>(p));
           },
       .target =
           [&](Index i) {
             return std::span<const double>(static_cast<std::size_t>(i) < num_old ? kOld : kNew);
           },
       .start = std::vector<double>(p, 0.0)});
  if (!fit.converged)
    throw Error(
        ErrorCode::data,
        "the ratio of densities isn't known: calibration rows and new rows are told apart without "
        "a fault, or columns depend on each other",
        "--shift-by",
        "name fewer columns; conformal sets aren't valid in regions without calibration rows");
  DensityRatios ratios{{}, {}, fit.parameters};
  const double share = static_cast<double>(num_old) / static_cast<double>(num_new);
  for (std::size_t i = 0; i < num_old + num_new; ++i) {
    const std::span<const double> row = row_at(i);
    const double log_odds = std::inner_product(row.begin(), row.end(), fit.parameters.begin(), 0.0);
    (i < num_old ? ratios.of_old : ratios.of_new).push_back(share * numerics::exp(log_odds));
  }
  return ratios;
}

}  // namespace credo::score
