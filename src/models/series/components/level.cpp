// A local level: a random walk [durbin2012, ch. 2].
#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_level(const Expression& call, const SeriesContext& context) {
  std::vector<double> none;
  if (!series_numbers(call, context, 0, 0, none)) return std::nullopt;
  SeriesComponent made{.label = "level", .key = "level", .num_states = 1, .is_level = true};
  const SeriesParameter sd = context.state_sd("level", 0.1);
  made.parameters = {sd};
  made.transition = {{}};
  made.noise = {{0, "square(" + sd.element + ")"}};
  made.mean = {context.first};
  made.start = {context.start_of(0, context.sd)};
  made.unknown = {0};
  return made;
}
}  // namespace

extern const SeriesRow level_series{
    .name = "level",
    .usage = "level",
    .words = "a level that walks at random",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_level};
}  // namespace credo::models
