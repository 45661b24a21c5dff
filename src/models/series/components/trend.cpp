// A local linear trend: level and slope walk at random [durbin2012, sec. 3.2.1].
#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_trend(const Expression& call, const SeriesContext& context) {
  std::vector<double> none;
  if (!series_numbers(call, context, 0, 0, none)) return std::nullopt;
  SeriesComponent made{.label = "trend", .key = "trend", .num_states = 2, .is_level = true};
  const SeriesParameter level = context.state_sd("level", 0.1),
                        slope = context.state_sd("slope", 0.01);
  made.parameters = {level, slope};
  made.transition = {{0, 0}, {0, 1}, {1, 1}};
  made.noise = {{0, "square(" + level.element + ")"}, {1, "square(" + slope.element + ")"}};
  made.mean = {context.first, 0.0};
  made.start = {context.start_of(0, context.sd), context.start_of(1, context.sd)};
  made.unknown = {0, 1};
  return made;
}
}  // namespace

extern const SeriesRow trend_series{
    .name = "trend",
    .usage = "trend",
    .words = "a level with a slope, both of which walk at random",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_trend};
}  // namespace credo::models
