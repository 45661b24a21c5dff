#include "report/arrangement.hpp"

#include <fmt/format.h>

#include <set>

#include "io/number_text.hpp"

namespace credo::report {
namespace {
constexpr std::size_t kMostParts = 12;
constexpr double kLeastShare = 1.0 / 12.0;  // smallest readable interval, as a share of its axis

struct Element {
  Index quantity = 0;
  std::vector<Index> indices = {};
};
struct Array {
  std::string name;
  std::vector<Element> elements = {};
};

// "b[2,1]" becomes b and {2, 1}; a name without indices is unchanged.
std::pair<std::string, std::vector<Index>> taken_apart(const std::string& name) {
  const std::size_t open = name.find('[');
  if (open == std::string::npos || !name.ends_with(']')) return {name, {}};
  std::vector<Index> indices;
  for (std::size_t at = open + 1; at < name.size();) {
    const std::size_t end = name.find_first_of(",]", at);
    const auto number = io::parse_number(name.substr(at, end - at));
    if (!number) return {name, {}};
    indices.push_back(static_cast<Index>(*number));
    at = end + 1;
  }
  return {name.substr(0, open), std::move(indices)};
}

std::vector<Array> arrays_of(const Material& material, std::span<const Index> quantities) {
  std::vector<Array> arrays;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;  // by name and dimensions
  for (const Index quantity : quantities) {
    auto [name, indices] = taken_apart(material.name(quantity));
    const auto [place, is_new] = places.try_emplace({name, indices.size()}, arrays.size());
    if (is_new) arrays.push_back({name});
    arrays[place->second].elements.push_back({quantity, std::move(indices)});
  }
  for (Array& array : arrays)
    std::stable_sort(array.elements.begin(), array.elements.end(),
                     [](const Element& a, const Element& b) { return a.indices < b.indices; });
  return arrays;
}

// Number of values of each index.
std::vector<std::size_t> extents_of(std::span<const Element> elements) {
  std::vector<std::set<Index>> values(elements.front().indices.size());
  for (const Element& element : elements)
    for (std::size_t d = 0; d < values.size(); ++d) values[d].insert(element.indices[d]);
  std::vector<std::size_t> extents;
  for (const std::set<Index>& one : values) extents.push_back(one.size());
  return extents;
}

// Index by which an array is split into panels: the one with the fewest values, the last one of equals.
std::optional<std::size_t> parting_index(std::span<const std::size_t> extents) {
  std::optional<std::size_t> least;
  bool is_square = true;
  std::size_t num_varying = 0, before = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] < 2) continue;
    is_square = is_square && (num_varying == 0 || extents[d] == before);
    before = extents[d], ++num_varying;
    if (!least || extents[d] <= extents[*least]) least = d;
  }
  const bool has_parts = num_varying > 1 && !is_square && extents[*least] <= kMostParts;
  return has_parts ? least : std::nullopt;
}

// "b[*,2]": a star for each index that varies.
std::string pattern_of(const std::string& name, std::span<const Element> elements,
                       std::span<const std::size_t> extents) {
  std::string text;
  for (std::size_t d = 0; d < extents.size(); ++d)
    text +=
        (d == 0 ? "[" : ",") + (extents[d] > 1 ? "*" : std::to_string(elements.front().indices[d]));
  return name + text + (extents.empty() ? "" : "]");
}

QuantityGroup group_of(const std::string& name, std::span<const Element> elements, bool is_part) {
  const std::vector<std::size_t> extents = extents_of(elements);
  const auto varies = [](std::size_t extent) { return extent > 1; };
  const auto num_varying = std::count_if(extents.begin(), extents.end(), varies);
  const auto index = std::find_if(extents.begin(), extents.end(), varies) - extents.begin();
  QuantityGroup group;
  if (is_part) group.title = pattern_of(name, elements, extents);
  group.index = num_varying == 1 ? "index of " + pattern_of(name, elements, extents)
                                 : "element of " + name + ", in the order of the names";
  if (num_varying == 1 && extents.size() == 1) group.index = "index of " + name;
  for (const Element& element : elements) {
    group.quantities.push_back(element.quantity);
    group.along.push_back(
        num_varying == 1 ? static_cast<double>(element.indices[static_cast<std::size_t>(index)])
                         : static_cast<double>(group.along.size() + 1));
  }
  return group;
}

void add_parts(std::vector<QuantityGroup>& groups, const Array& array, std::size_t by) {
  std::map<Index, std::vector<Element>> parts;
  for (const Element& element : array.elements) parts[element.indices[by]].push_back(element);
  for (const auto& [value, elements] : parts)
    groups.push_back(group_of(array.name, elements, true));
}

void add_groups(std::vector<QuantityGroup>& groups, const Array& array) {
  if (const auto by = parting_index(extents_of(array.elements)))
    return add_parts(groups, array, *by);
  groups.push_back(group_of(array.name, array.elements, false));
}

// The last varying index, if several indices vary.
std::optional<std::size_t> last_varying_index(std::span<const std::size_t> extents) {
  std::optional<std::size_t> last;
  std::size_t num_varying = 0;
  for (std::size_t d = 0; d < extents.size(); ++d)
    if (extents[d] > 1) last = d, ++num_varying;
  return num_varying > 1 ? last : std::nullopt;
}

struct Reach {
  double low = kInfinity, high = -kInfinity, narrowest = kInfinity;  // bounds of 90 % intervals
  bool is_readable() const { return narrowest >= kLeastShare * (high - low); }
};

Reach reach_of(const Material& material, const QuantityGroup& group) {
  Reach reach;
  for (const Quantiles& q : material.quantiles(group.quantities)) {
    if (!std::isfinite(q.q5) || !std::isfinite(q.q95)) continue;
    reach.low = std::min(reach.low, q.q5), reach.high = std::max(reach.high, q.q95);
    if (q.q95 > q.q5) reach.narrowest = std::min(reach.narrowest, q.q95 - q.q5);
  }
  return reach;
}

Reach both(const Reach& a, const Reach& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::min(a.narrowest, b.narrowest)};
}
}  // namespace

std::vector<QuantityGroup> groups_of(const Material& material, std::span<const Index> quantities) {
  std::vector<QuantityGroup> groups;
  for (const Array& array : arrays_of(material, quantities)) add_groups(groups, array);
  return groups;
}

namespace {
// Splits short variables whose elements have different scales: vectors (as intercept and slope) into elements,
// matrices into columns.
std::vector<QuantityGroup> parted_by_scale(const Material& material,
                                           std::vector<QuantityGroup> groups) {
  std::vector<QuantityGroup> all;
  for (QuantityGroup& group : groups) {
    const bool stays = !group.title.empty() || group.quantities.size() > kMostParts ||
                       reach_of(material, group).is_readable();
    if (stays) {
      all.push_back(std::move(group));
      continue;
    }
    const Array array = arrays_of(material, group.quantities).front();
    if (const auto by = last_varying_index(extents_of(array.elements))) {
      add_parts(all, array, *by);
      continue;
    }
    for (std::size_t k = 0; k < group.quantities.size(); ++k)
      all.push_back(
          {.index = group.index, .quantities = {group.quantities[k]}, .along = {group.along[k]}});
  }
  return all;
}
}  // namespace

std::vector<QuantityGroup> joined_by_scale(const Material& material,
                                           std::vector<QuantityGroup> groups) {
  std::vector<QuantityGroup> joined;
  Reach before;
  for (QuantityGroup& group : parted_by_scale(material, std::move(groups))) {
    const Reach own = reach_of(material, group);
    const bool is_joined = !joined.empty() && group.title.empty() && joined.back().title.empty() &&
                           both(before, own).is_readable();
    before = is_joined ? both(before, own) : own;
    if (!is_joined) {
      joined.push_back(std::move(group));
      continue;
    }
    QuantityGroup& last = joined.back();
    last.quantities.insert(last.quantities.end(), group.quantities.begin(), group.quantities.end());
    last.along.insert(last.along.end(), group.along.begin(), group.along.end());
  }
  return joined;
}

}  // namespace credo::report
