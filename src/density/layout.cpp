#include "density/layout.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::density {
namespace {
constexpr std::array<std::string_view, 4> kBlockNames{"", "parameters", "transformed parameters",
                                                      "generated quantities"};

// The whole of a text as a number that counts from 1.
std::optional<Index> index_said(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && value >= 1 ? std::optional(value) : std::nullopt;
}

// The numbers of ".2.10"; nothing where something else is written.
std::optional<std::vector<Index>> indices_said(std::string_view text) {
  std::vector<Index> indices;
  while (!text.empty()) {
    if (text.front() != '.') return std::nullopt;
    const std::size_t end = std::min(text.find('.', 1), text.size());
    const auto index = index_said(text.substr(1, end - 1));
    if (!index) return std::nullopt;
    indices.push_back(*index);
    text.remove_prefix(end);
  }
  return indices;
}

// The order in which dimensions vary, the fastest first.
Index dimension_varying(const Variable& variable, Index rank) {
  const Index num_inner = ssize(variable.dims) - variable.num_outer;
  return rank < num_inner ? variable.num_outer + rank : ssize(variable.dims) - 1 - rank;
}

// Place of the element with these indices in its variable; nullopt beyond its sizes.
std::optional<Index> place_of(const Variable& variable, std::span<const Index> indices) {
  if (ssize(indices) != ssize(variable.dims)) return std::nullopt;
  Index place = 0;
  for (Index rank = ssize(variable.dims); rank-- > 0;) {
    const auto d = static_cast<std::size_t>(dimension_varying(variable, rank));
    if (indices[d] > variable.dims[d]) return std::nullopt;
    place = place * variable.dims[d] + indices[d] - 1;
  }
  return place;
}
}  // namespace

std::string_view name_of(Block block) { return kBlockNames[static_cast<std::size_t>(block)]; }

Block block_named(std::string_view name) {
  const auto found = std::find(kBlockNames.begin(), kBlockNames.end(), name);
  return found == kBlockNames.end() ? Block::unknown
                                    : static_cast<Block>(found - kBlockNames.begin());
}

std::optional<Index> product_up_to(std::span<const Index> sizes, Index most) {
  Index product = 1;
  for (const Index size : sizes) {
    if (size < 0 || (size > 0 && product > most / size)) return std::nullopt;
    product *= size;
  }
  return product;
}

Index Variable::size() const {
  return std::accumulate(dims.begin(), dims.end(), Index{1}, std::multiplies<>());
}

std::string Variable::element_name(Index element) const {
  std::vector<Index> indices(dims.size());
  for (Index rank = 0; rank < ssize(dims); ++rank) {
    const auto d = static_cast<std::size_t>(dimension_varying(*this, rank));
    indices[d] = element % dims[d] + 1;
    element /= dims[d];
  }
  std::string text = name;
  for (const Index index : indices) fmt::format_to(std::back_inserter(text), ".{}", index);
  return text;
}

Layout::Layout(std::vector<Variable> variables) {
  for (Variable& variable : variables) add(std::move(variable));
}

void Layout::add(Variable variable) {
  first_.push_back(size() + variable.size());
  by_name_.try_emplace(variable.name, ssize(variables_));
  variables_.push_back(std::move(variable));
}

// The last one that begins at the element or before it, so that empty ones are passed over.
Index Layout::variable_at(Index element) const {
  CREDO_ASSERT(element >= 0 && element < size(), "an element lies inside its layout");
  return std::upper_bound(first_.begin(), first_.end(), element) - first_.begin() - 1;
}

std::string Layout::element_name(Index element) const {
  const Index variable = variable_at(element);
  return variables_[static_cast<std::size_t>(variable)].element_name(element - first(variable));
}

std::vector<std::string> Layout::element_names() const {
  std::vector<std::string> names;
  for (const Variable& variable : variables_)
    for (Index k = 0; k < variable.size(); ++k) {
      stop_if_asked();
      names.push_back(variable.element_name(k));
    }
  return names;
}

std::optional<Index> Layout::find_variable(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

// A variable's own name may have dots, as that of an element alone: the longest name counts.
std::optional<Index> Layout::find(std::string_view name) const {
  for (std::size_t end = name.size(); end != std::string_view::npos && end > 0;
       end = name.rfind('.', end - 1)) {
    const auto variable = find_variable(name.substr(0, end));
    const auto indices = indices_said(name.substr(end));
    if (!indices) break;
    if (!variable) continue;
    if (const auto place = place_of(variables_[static_cast<std::size_t>(*variable)], *indices))
      return first(*variable) + *place;
  }
  return name.ends_with(']') ? find(dotted_name(name)) : std::nullopt;
}

Layout Layout::selected(std::span<const Index> elements) const {
  Layout kept;
  for (auto next = elements.begin(); next != elements.end();) {
    const Index variable = variable_at(*next);
    const Variable& whole = variables_[static_cast<std::size_t>(variable)];
    const auto end = std::lower_bound(next, elements.end(), first(variable + 1));
    if (end - next == whole.size()) {
      kept.add(whole);
    } else {
      for (auto element = next; element != end; ++element)
        kept.add({.name = whole.element_name(*element - first(variable)),
                  .dims = {},
                  .kind = whole.kind,
                  .block = whole.block});
    }
    next = end;
  }
  return kept;
}

Layout layout_of_names(std::span<const std::string> names) {
  Layout layout;
  const auto variable_name = [](const std::string& name) {
    return std::string_view(name).substr(0, name.find('.'));
  };
  for (std::size_t begin = 0; begin < names.size();) {
    const std::string_view name = variable_name(names[begin]);
    std::size_t end = begin + 1;
    for (; end < names.size() && variable_name(names[end]) == name; ++end) stop_if_asked();
    const Index count = static_cast<Index>(end - begin);
    const auto dims = indices_said(std::string_view(names[end - 1]).substr(name.size()));
    if (dims && product_up_to(*dims, count) == count) {
      layout.add({.name = std::string(name), .dims = *dims});
    } else {
      for (std::size_t k = begin; k < end; ++k) layout.add({.name = names[k]});
    }
    begin = end;
  }
  return layout;
}

std::string bracketed_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) return name;
  std::string text = name.substr(0, dot) + "[" + name.substr(dot + 1) + "]";
  std::replace(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(), '.', ',');
  return text;
}

std::string dotted_name(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != ']' && c != ' ') text += c == '[' || c == ',' ? '.' : c;
  return text;
}

}  // namespace credo::density
