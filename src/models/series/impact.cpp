#include "models/series/impact.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::models {

Impact impact_of(const Series& made, std::span<const SeriesPath> paths, double outer) {
  Impact found;
  std::vector<double> sums(paths.size(), 0.0), expected(paths.size(), 0.0);
  double outcomes = 0.0;
  for (Index t = made.axis.num_times; t < made.num_times; ++t) {
    const double y = made.later[static_cast<std::size_t>(t)];
    if (std::isnan(y)) continue;
    std::vector<double> own, effects;
    for (std::size_t d = 0; d < paths.size(); ++d) {
      own.push_back(paths[d].outcome[static_cast<std::size_t>(t)]);
      effects.push_back(y - own.back());
      expected[d] += own.back(), sums[d] += effects.back();
    }
    outcomes += y;
    found.times.push_back(
        {t, y, band_of(own, outer), band_of(effects, outer), band_of(sums, outer)});
  }
  if (found.times.empty())
    throw Error(
        ErrorCode::data,
        fmt::format("no time from {} on has an outcome", made.axis.label(made.axis.num_times)),
        "--from", "name an earlier time");
  const auto count = static_cast<double>(found.times.size());
  if (!made.is_plain_outcome)
    found.no_relative = fmt::format(
        "There is no effect in percent, as {} isn't a column: differences of it are no shares.",
        made.outcome);
  else if (std::ranges::any_of(expected, [](double x) { return !(x > 0.0); }))
    found.no_relative =
        fmt::format("There is no effect in percent, as the expected {} isn't above 0 in all draws.",
                    made.outcome);
  std::vector<double> means, effects, relative;
  double positive = 0.0;
  for (std::size_t d = 0; d < sums.size(); ++d) {
    means.push_back(expected[d] / count), effects.push_back(sums[d] / count);
    if (found.no_relative.empty()) relative.push_back(sums[d] / expected[d]);
    positive += sums[d] > 0.0 ? 1.0 : 0.0;
  }
  found.outcome = outcomes / count;
  found.expected = band_of(means, outer), found.effect = band_of(effects, outer);
  found.sum = band_of(sums, outer), found.relative = band_of(relative, outer);
  found.positive = positive / static_cast<double>(sums.size());
  return found;
}

}  // namespace credo::models
