#include "results/files/selection.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/passed_on_fit.hpp"

namespace credo::results {
namespace {
constexpr char kTo = '\x01';  // sign of an index range; `:` occurs in names of tuples' elements

// "theta[1,2]" as a column's name is, "theta.1.2"; an index that is left out is `*`.
std::string dotted(std::string_view pattern) {
  std::string text;
  bool inside = false;
  for (const char c : pattern) {
    const bool ends_index = inside && (c == ',' || c == ']');
    if (ends_index && text.ends_with('.')) text += '*';
    inside = c == '[' || (inside && c != ']');
    if (c == ']' || c == ' ') continue;
    text += c == '[' || (inside && c == ',') ? '.' : inside && c == ':' ? kTo : c;
  }
  return text;
}

// `*` is any text, `?` one character. If a star takes too little, it takes one more.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.substr(p).find_first_not_of('*') == std::string_view::npos;
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// True if an index "2" is in a range "1:3", "2:" or ":3", all written with kTo.
bool is_inside(std::string_view index, std::string_view range) {
  const std::size_t to = range.find(kTo);
  const auto number = [](std::string_view text, double absent) {
    return text.empty() ? absent : io::parse_number(text).value_or(kNaN);
  };
  const double i = number(index, kNaN);
  return i >= number(range.substr(0, to), -kInfinity) &&
         i <= number(range.substr(to + 1), kInfinity);
}

// With ranges, index by index.
bool fits_with_ranges(std::string_view pattern, std::string_view column) {
  const auto wanted = parts_of(pattern), found = parts_of(column);
  if (wanted.size() != found.size()) return false;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const bool is_range = wanted[k].find(kTo) != std::string_view::npos;
    if (is_range ? !is_inside(found[k], wanted[k]) : !fits(wanted[k], found[k])) return false;
  }
  return true;
}

std::string_view variable_of(std::string_view column) { return column.substr(0, column.find('.')); }

[[noreturn]] void refuse(const std::string& pattern, const char* option,
                         std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    const std::string_view variable = variable_of(column);
    if (names.empty() || names.back() != variable) names.emplace_back(variable);
  }
  std::string text = pattern;
  std::erase_if(text, [](char c) { return c == '*' || c == '?'; });
  const auto near = nearest_name(variable_of(dotted(text)), names);
  constexpr std::size_t kShown = 12;
  std::string list;
  for (std::size_t k = 0; k < std::min(names.size(), kShown); ++k)
    list += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > kShown) list += ", …";
  throw Error(ErrorCode::usage, fmt::format("there is no output that '{}' fits", pattern), option,
              near ? fmt::format("did you mean {}?", *near) : "there are " + list);
}

// Sets the marks of all columns that one of the patterns fits.
void mark(std::span<const std::string> patterns, const char* option,
          std::span<const std::string> columns, std::vector<bool>& marks, bool value) {
  for (const std::string& pattern : patterns)
    for (const Index place : places_of(pattern, option, columns))
      marks[static_cast<std::size_t>(place)] = value;
}

class SelectedFit final : public PassedOnFit {
 public:
  SelectedFit(std::unique_ptr<Fit> fit, const Selection& selection) : PassedOnFit(std::move(fit)) {
    places_ = chosen(selection, whole().layout());
    layout_ = whole().layout().selected(places_);
  }
  const density::Layout& layout() const override { return layout_; }
  density::Draws read(const DrawSlab& wanted) const override;

 private:
  Index place_of(Index quantity) const {  // in the whole fit
    const Index first = first_output(*this);
    return quantity < first ? quantity
                            : first + places_[static_cast<std::size_t>(quantity - first)];
  }
  std::vector<Index> places_;
  density::Layout layout_;
};

// Neighbours are read together.
density::Draws SelectedFit::read(const DrawSlab& wanted) const {
  const DrawSlab slab = within(*this, wanted);
  density::Draws draws(slab.num_draws, slab.num_chains, slab.count);
  for (Index k = 0; k < slab.count;) {
    DrawSlab part = slab;
    part.first = place_of(slab.first + k);
    part.count = 1;
    while (k + part.count < slab.count &&
           place_of(slab.first + k + part.count) == part.first + part.count)
      ++part.count;
    const density::Draws run = whole().read(part);
    for (Index j = 0; j < part.count; ++j)
      for (Index c = 0; c < slab.num_chains; ++c)
        for (Index s = 0; s < slab.num_draws; ++s) draws(s, c, k + j) = run(s, c, j);
    k += part.count;
  }
  return draws;
}
}  // namespace

std::vector<Index> places_of(const std::string& pattern, const char* option,
                             std::span<const std::string> columns) {
  const std::string glob = dotted(pattern);
  const bool has_range = glob.find(kTo) != std::string::npos;
  std::vector<Index> places;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const bool is_wanted = has_range
                               ? fits_with_ranges(glob, columns[k])
                               : fits(glob, variable_of(columns[k])) || fits(glob, columns[k]);
    if (is_wanted) places.push_back(static_cast<Index>(k));
  }
  if (places.empty()) refuse(pattern, option, columns);
  return places;
}

std::vector<Index> chosen(const Selection& selection, const density::Layout& layout) {
  std::vector<Index> places(static_cast<std::size_t>(layout.size()));
  std::iota(places.begin(), places.end(), Index{0});
  if (selection.empty()) return places;
  const std::vector<std::string> names = layout.element_names();
  std::vector<bool> marks(names.size(), selection.keep.empty());
  mark(selection.keep, "--keep", names, marks, true);
  mark(selection.drop, "--drop", names, marks, false);
  std::erase_if(places, [&](Index place) { return !marks[static_cast<std::size_t>(place)]; });
  if (places.empty() && !names.empty())
    throw Error(ErrorCode::usage, "every output is left out", "--drop", "keep one at least");
  return places;
}

std::unique_ptr<Fit> selected(std::unique_ptr<Fit> fit, const Selection& selection) {
  if (selection.empty()) return fit;
  return std::make_unique<SelectedFit>(std::move(fit), selection);
}

}  // namespace credo::results
