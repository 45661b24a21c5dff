// The scores, in alphabetical order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/row_list.hpp"
#include "diagnose/chains.hpp"
#include "score/scores.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(accuracy_score) \
  row(brier_score) \
  row(crps_score) \
  row(energy_row) \
  row(entropy_score) \
  row(interval_row) \
  row(log_row) \
  row(pinball_row) \
  row(rmse_row) \
  row(spherical_score)
// clang-format on

namespace credo::score {
#define CREDO_DECLARE_SCORE(name) extern const ScoreRow name;
CREDO_ROWS(CREDO_DECLARE_SCORE)

std::span<const ScoreRow* const> score_rows() {
  static constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
  return kRows;
}
#undef CREDO_ROWS
#undef CREDO_DECLARE_SCORE

std::vector<std::string> names_of_scores() {
  std::vector<std::string> names;
  for (const ScoreRow* score : score_rows()) names.emplace_back(score->name);
  return names;
}

const ScoreRow& find_score(std::string_view name) {
  for (const ScoreRow* score : score_rows())
    if (score->name == name) return *score;
  throw Error(ErrorCode::usage, fmt::format("there is no score '{}'", name), "--score",
              fmt::format("scores are {}", fmt::join(names_of_scores(), ", ")));
}

std::vector<const ScoreRow*> scores_that_apply(const Predictions& all,
                                               const ScoreOptions& options) {
  std::vector<const ScoreRow*> some;
  const bool knows_any = !known_rows(all).empty();
  for (const ScoreRow* score : score_rows())
    if (score->applies(all, options) && (knows_any || !score->needs_outcome)) some.push_back(score);
  return some;
}

std::vector<double> row_scores(const ScoreRow& score, const Predictions& all,
                               const ScoreOptions& options) {
  std::vector<double> scores;
  for (Index i = 0; i < all.num_rows(); ++i)
    if (!score.needs_outcome || all.knows_outcome(i))
      scores.push_back(score.of_row(all, i, options));
  return scores;
}

Figure mean_figure(std::span<const double> values) {
  return {diagnose::mean(values),
          std::sqrt(diagnose::variance(values) / static_cast<double>(values.size())),
          ssize(values)};
}

Figure figure_of(const ScoreRow& score, std::span<const double> scores) {
  Figure figure = mean_figure(scores);
  if (!score.root) return figure;
  figure.value = std::sqrt(figure.value);
  figure.error /= 2.0 * figure.value;  // error of a root, to first order
  return figure;
}

}  // namespace credo::score
