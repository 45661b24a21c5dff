// A column whose coefficient walks at random.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_dynamic(const Expression& call, const SeriesContext& context) {
  if (call.parts.size() != 1) {
    context.faults.add(call.place, "dynamic() has one argument", "write dynamic(x)");
    return std::nullopt;
  }
  std::vector<double> values = context.values_of(call.parts[0]);
  if (values.empty()) return std::nullopt;
  const double spread =
      sd_of(std::span(values).first(static_cast<std::size_t>(context.axis.num_times)));
  if (!(spread > 0.0)) {
    context.faults.add(call.place,
                       fmt::format("{} is the same at all times of the fit", call.parts[0].text()),
                       "use level");
    return std::nullopt;
  }
  const std::string key = io::name_for_programs(call.parts[0].text());
  SeriesComponent made{.label = call.text(), .key = key, .num_states = 1};
  const SeriesParameter sd = context.state_sd(key, 0.1 / spread);
  made.parameters = {sd};
  made.transition = {{}};
  made.noise = {{0, "square(" + sd.element + ")"}};
  made.mean = {0.0};
  made.start = {context.start_of(0, 2.5 * context.sd / spread)};
  made.unknown = {0};
  made.weights = std::move(values);
  made.covariate = call.parts[0].text();
  return made;
}
}  // namespace

extern const SeriesRow dynamic_series{.name = "dynamic",
                                      .usage = "dynamic(x)",
                                      .words = "a column whose coefficient walks at random",
                                      .used = [](const Expression& call) { return call.parts; },
                                      .make = make_dynamic};
}  // namespace credo::models
