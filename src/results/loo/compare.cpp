#include "results/loo/compare.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/stacking.hpp"

namespace credo::results {
namespace {
Total difference_to(const Loo& a, const Loo& best) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < a.rows.size(); ++i)
    rows.push_back(a.rows[i].elpd_loo - best.rows[i].elpd_loo);
  return total_of(rows);
}

void require_equal_rows(const Compared& a, const Compared& b) {
  if (a.loo.rows.size() == b.loo.rows.size()) return;
  throw Error(ErrorCode::data,
              fmt::format("{} has {} rows and {} has {}", a.name, a.loo.rows.size(), b.name,
                          b.loo.rows.size()),
              "compare", "models are compared on the same observations, written as the same rows");
}

void add_weights(std::vector<Compared>& all) {
  std::vector<double> elpd;
  for (std::size_t i = 0; i < all[0].loo.rows.size(); ++i)
    for (const Compared& one : all) elpd.push_back(one.loo.rows[i].elpd_loo);
  const std::vector<double> stacked = diagnose::stacking_weights(elpd, ssize(all));
  const std::vector<double> averaged = diagnose::pseudo_bma_weights(elpd, ssize(all));
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k].stacking = stacked[k], all[k].pseudo_bma = averaged[k];
}
}  // namespace

std::vector<Compared> compare(std::vector<Compared> models) {
  for (const Compared& one : models) require_equal_rows(models.front(), one);
  std::stable_sort(models.begin(), models.end(), [](const Compared& a, const Compared& b) {
    return a.loo.elpd_loo.value > b.loo.elpd_loo.value;
  });
  for (Compared& one : models) one.difference = difference_to(one.loo, models[0].loo);
  add_weights(models);
  return models;
}

// A difference below 4 is small, and its error isn't known well.
std::string sentence_of(std::span<const Compared> compared) {
  constexpr double kSmall = 4.0, kErrors = 2.0;
  const Compared &best = compared[0], &second = compared[1];
  const double by = -second.difference.value, error = second.difference.error;
  const std::string_view no_error = why_no_error(ssize(best.loo.rows));
  if (!no_error.empty())
    return fmt::format("{} predicts it better than {} by {:.1f}. {}", best.name, second.name, by,
                       no_error);
  const std::string figures = fmt::format("{:.1f}, {:.1f} of its errors", by, by / error);
  if (by < kSmall)
    return fmt::format("{} and {} predict about equally well: the difference is {}.", best.name,
                       second.name, figures);
  if (by < kErrors * error)
    return fmt::format("The data don't tell {} from {}: the difference is {}.", best.name,
                       second.name, figures);
  return fmt::format("{} predicts better than {}: the difference is {}.", best.name, second.name,
                     figures);
}

}  // namespace credo::results
