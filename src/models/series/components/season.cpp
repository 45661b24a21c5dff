// A season of S parts whose sum over a cycle is noise [durbin2012, sec. 3.2.2]. With steps, each part lasts so many times.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_season(const Expression& call, const SeriesContext& context) {
  std::vector<double> numbers;
  if (!series_numbers(call, context, 0, 2, numbers)) return std::nullopt;
  if (numbers.empty()) numbers = {static_cast<double>(context.axis.season())};
  if (numbers.size() < 2) numbers.push_back(1.0);
  const auto parts = static_cast<Index>(numbers[0]), steps = static_cast<Index>(numbers[1]);
  if (numbers[0] == 0.0) {
    context.faults.add(call.place, "the times have no season of their own",
                       "write its number of parts: season(12)");
    return std::nullopt;
  }
  if (static_cast<double>(parts) != numbers[0] || static_cast<double>(steps) != numbers[1] ||
      parts < 2 || steps < 1 || parts * steps > context.axis.num_times) {
    context.faults.add(
        call.place,
        fmt::format(
            "a season has at least 2 parts, of whole steps, and no more than the series, {} times",
            context.axis.num_times),
        "write season(12) or season(7, 24)");
    return std::nullopt;
  }
  SeriesComponent made{.label = steps == 1 ? fmt::format("season({})", parts)
                                           : fmt::format("season({}, {})", parts, steps),
                       .key = "season",
                       .num_states = parts - 1,
                       .steps = steps};
  const SeriesParameter sd = context.state_sd("season", 0.01);
  made.parameters = {sd};
  made.transition = {{.row = 0, .col = 0, .text = "-1", .count = parts - 1, .col_step = 1}};
  if (parts > 2)
    made.transition.push_back(
        {.row = 1, .col = 0, .count = parts - 2, .row_step = 1, .col_step = 1});
  made.noise = {{0, "square(" + sd.element + ")"}};
  made.mean.assign(static_cast<std::size_t>(parts - 1), 0.0);
  made.start = {{.row = 0,
                 .col = 0,
                 .text = context.number(context.sd * context.sd),
                 .count = parts - 1,
                 .row_step = 1,
                 .col_step = 1}};
  for (Index k = 0; k + 1 < parts; ++k) made.unknown.push_back(k);
  return made;
}
}  // namespace

extern const SeriesRow season_series{
    .name = "season",
    .usage = "season(12) or season(7, 24)",
    .words = "a season of S parts, each of which may last several steps",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_season};
}  // namespace credo::models
