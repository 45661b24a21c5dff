#include "report/place_panel.hpp"

#include <fmt/format.h>

#include "diagnose/ecdf_band.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kMostPlaces = 1000;  // the band's cost is quadratic

Series spread(const Series& values) {
  if (values.size() <= kMostPlaces) return values;
  Series some;
  for (std::size_t k = 0; k < kMostPlaces; ++k)
    some.push_back(values[k * values.size() / kMostPlaces]);
  return some;
}

}  // namespace

Panel place_panel(const Material& material, const std::string& name, const Series& all,
                  const std::string& label) {
  constexpr Index kPoints = Material::kBandPoints;
  const Series places = spread(all);
  const diagnose::EcdfBand& band = material.uniform_band(ssize(places));
  const std::vector<Index> counts = diagnose::ecdf_counts(places, kPoints);
  Mark area{.kind = Mark::Kind::area, .role = Role::reference, .label = "95 % band"},
      line{.kind = Mark::Kind::line, .role = Role::posterior, .label = "observed values"};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double at = static_cast<double>(k + 1) / kPoints;
    const auto share = [&](Index count) {
      return static_cast<double>(count) / static_cast<double>(places.size()) - at;
    };
    area.x.push_back(at), line.x.push_back(at);
    area.y2.push_back(share(band.lower[k])), area.y.push_back(share(band.upper[k]));
    line.y.push_back(share(counts[k]));
  }
  Panel panel{
      .title = fmt::format("{}: p-value {:.3f}", name, diagnose::ecdf_p_value(places, kPoints)),
      .x = {.label = label, .low = 0.0, .high = 1.0},
      .y = {.label = "share below, less the place"}};
  panel.marks = {std::move(area), std::move(line)};
  return panel;
}

}  // namespace credo::report
