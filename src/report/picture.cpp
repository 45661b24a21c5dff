#include "report/picture.hpp"

#include <fmt/format.h>

#include "io/json_writer.hpp"

namespace credo::report {
namespace {
constexpr double kRoom = 0.02;  // share of the range, beyond the outermost marks

void extend(Range& range, std::span<const double> values) {
  for (const double v : values)
    if (std::isfinite(v)) range.low = std::min(range.low, v), range.high = std::max(range.high, v);
}

Range completed(const Axis& axis, Range reach) {
  if (!axis.rows.empty()) return {-0.6, static_cast<double>(ssize(axis.rows)) - 0.4};
  if (!(reach.low <= reach.high)) reach = {-1.0, 1.0};
  const double room = reach.low < reach.high ? kRoom * (reach.high - reach.low)
                                             : std::max(1.0, 0.1 * std::abs(reach.low));
  return {std::isnan(axis.low) ? reach.low - room : axis.low,
          std::isnan(axis.high) ? reach.high + room : axis.high};
}

void write_axis(io::JsonWriter& json, const char* name, const Axis& axis, const Range& range) {
  json.key(name).begin_object().members("label", axis.label, "range",
                                        std::array{range.low, range.high});
  if (!axis.rows.empty()) json.members("rows", axis.rows);
  if (axis.is_hidden) json.members("hidden", true);
  if (axis.is_whole) json.members("whole", true);
  json.end_object();
}

void write_mark(io::JsonWriter& json, const Mark& mark) {
  json.begin_object().members("kind", name_of(mark.kind), "role", name_of(mark.role), "label",
                              label_of(mark));
  if (mark.chain >= 0) json.members("chain", mark.chain);
  for (const auto& [name, values] : {std::pair{"x", &mark.x}, std::pair{"y", &mark.y},
                                     std::pair{"x2", &mark.x2}, std::pair{"y2", &mark.y2}})
    if (!values->empty()) json.key(name).numbers(*values);
  json.end_object();
}
}  // namespace

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, 11> kNames{
      "chain",    "all",       "interval",  "inner",     "prior",     "posterior",
      "observed", "replicate", "reference", "divergent", "unreliable"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view name_of(Mark::Kind kind) {
  constexpr std::array<std::string_view, 8> kNames{"line",      "area",  "points", "bars",
                                                   "intervals", "spans", "rule_x", "rule_y"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string label_of(const Mark& mark) {
  if (!mark.label.empty()) return mark.label;
  if (mark.role == Role::chain) return fmt::format("chain {}", mark.chain + 1);
  if (mark.role == Role::all) return "all chains";
  return std::string(name_of(mark.role));
}

Range range_of_x(const Panel& panel) {
  Range reach{kInfinity, -kInfinity};
  for (const Mark& mark : panel.marks) extend(reach, mark.x), extend(reach, mark.x2);
  return completed(panel.x, reach);
}

Range range_of_y(const Panel& panel) {
  Range reach{kInfinity, -kInfinity};
  for (const Mark& mark : panel.marks) extend(reach, mark.y), extend(reach, mark.y2);
  return completed(panel.y, reach);
}

Series ticks(const Range& range, Index count) {
  const double width = range.high - range.low;
  if (!(width > 0.0) || !std::isfinite(width) || count < 1) return {};
  const double rough = width / static_cast<double>(count);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double times : {2.0, 5.0, 10.0})  // the nearest of 1, 2, 5 and 10 on the log scale
    if (rough / power >= std::sqrt(times * (times == 2.0 ? 1.0 : times == 5.0 ? 2.0 : 5.0)))
      step = times * power;
  Series all;
  const double first = std::ceil(range.low / step - 1e-9),
               last = std::floor(range.high / step + 1e-9);
  for (double k = first; k <= last; ++k) all.push_back(k == 0.0 ? 0.0 : k * step);
  return all;
}

std::vector<std::string> tick_labels(std::span<const double> ticks) {
  std::vector<std::string> labels;
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
  double largest = 0.0;
  for (const double t : ticks) largest = std::max(largest, std::abs(t));
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const bool is_plain = largest < 1e6 && decimals <= 5;
  for (const double t : ticks) {
    std::string text = is_plain ? fmt::format("{:.{}f}", t, decimals) : fmt::format("{:.4g}", t);
    const std::size_t sign = text.find('-');
    if (sign == 0) text.replace(0, 1, "\u2212");
    labels.push_back(std::move(text));
  }
  return labels;
}

void write_json(io::JsonWriter& json, const Picture& picture) {
  json.begin_object().members("kind", picture.kind, "title", picture.title, "words", picture.words,
                              "columns", picture.columns, "height", picture.height);
  json.key("panels").lines(picture.panels, [&](const Panel& panel) {
    json.begin_object().members("title", panel.title);
    write_axis(json, "x", panel.x, range_of_x(panel));
    write_axis(json, "y", panel.y, range_of_y(panel));
    json.key("marks").array(panel.marks, [&](const Mark& mark) { write_mark(json, mark); });
    json.end_object();
  });
  json.end_object();
}

std::string json_text(const Picture& picture) {
  io::JsonWriter json;
  write_json(json, picture);
  return json.text();
}

}  // namespace credo::report
