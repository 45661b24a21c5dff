#include "numerics/linear_algebra/star_colouring.hpp"

#include <algorithm>
#include <numeric>

namespace credo::numerics {
namespace {
constexpr std::int32_t kNoColour = -1;

// Neighbours of each vertex in one list.
struct Neighbours {
  std::vector<std::size_t> first;
  std::vector<std::int32_t> list;

  explicit Neighbours(const SparsePattern& pattern)
      : first(static_cast<std::size_t>(pattern.size) + 1, 0) {
    each_pair(pattern, [&](std::size_t i, std::size_t j) { ++first[i + 1], ++first[j + 1]; });
    std::partial_sum(first.begin(), first.end(), first.begin());
    list.resize(first.back());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    each_pair(pattern, [&](std::size_t i, std::size_t j) {
      list[next[i]++] = static_cast<std::int32_t>(j);
      list[next[j]++] = static_cast<std::int32_t>(i);
    });
  }
  std::size_t size() const { return first.size() - 1; }
  std::size_t degree(std::size_t v) const { return first[v + 1] - first[v]; }
  std::span<const std::int32_t> of(std::int32_t v) const {
    const auto k = static_cast<std::size_t>(v);
    return std::span(list).subspan(first[k], degree(k));
  }

 private:
  template <class Take>
  static void each_pair(const SparsePattern& pattern, Take take) {
    for (Index j = 0; j < pattern.size; ++j)
      for (Index k = pattern.starts[static_cast<std::size_t>(j)] + 1;
           k < pattern.starts[static_cast<std::size_t>(j) + 1]; ++k)
        take(static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]),
             static_cast<std::size_t>(j));
  }
};

class StarColouring {
 public:
  explicit StarColouring(const Neighbours& neighbours)
      : neighbours_(neighbours),
        colour(neighbours.size(), kNoColour),
        forbidden_for_(neighbours.size() + 1, kNoColour),
        is_wide_(neighbours.size(), 0) {
    // A vertex with very many neighbours gets a colour of its own, which no path has twice.
    const std::size_t mean = neighbours.list.size() / std::max<std::size_t>(1, neighbours.size());
    for (std::size_t v = 0; v < neighbours.size(); ++v) {
      if (neighbours.degree(v) <= std::max<std::size_t>(64, 8 * mean)) continue;
      is_wide_[v] = 1;
      colour[v] = num_colours++;
    }
    first_ = num_colours;
  }

  void run(std::span<const std::int32_t> order) {
    for (const std::int32_t v : order) {
      if (colour[static_cast<std::size_t>(v)] != kNoColour) continue;
      forbid_around(v);
      std::int32_t c = first_;
      while (forbidden_for_[static_cast<std::size_t>(c)] == v) ++c;
      colour[static_cast<std::size_t>(v)] = c;
      num_colours = std::max(num_colours, c + 1);
    }
  }

 private:
  std::int32_t colour_of(std::int32_t v) const { return colour[static_cast<std::size_t>(v)]; }
  bool is_wide(std::int32_t v) const { return is_wide_[static_cast<std::size_t>(v)] != 0; }
  void forbid(std::int32_t c, std::int32_t v) { forbidden_for_[static_cast<std::size_t>(c)] = v; }

  void forbid_around(std::int32_t v) {
    for (const std::int32_t w : neighbours_.of(v)) {
      if (is_wide(w)) continue;
      const std::int32_t middle = colour_of(w);
      if (middle != kNoColour) forbid(middle, v);
      for (const std::int32_t x : neighbours_.of(w)) {
        const std::int32_t end = colour_of(x);
        if (x == v || end == kNoColour || is_wide(x)) continue;
        if (forbidden_for_[static_cast<std::size_t>(end)] == v) continue;
        if (middle == kNoColour || has_other(x, w, middle)) forbid(end, v);
      }
    }
  }
  // True if x has a neighbour of this colour beside w.
  bool has_other(std::int32_t x, std::int32_t w, std::int32_t wanted) const {
    return std::ranges::any_of(neighbours_.of(x),
                               [&](std::int32_t y) { return y != w && colour_of(y) == wanted; });
  }

  const Neighbours& neighbours_;

 public:
  std::vector<std::int32_t> colour;
  std::int32_t num_colours = 0;

 private:
  std::vector<std::int32_t> forbidden_for_;  // by colour: the last vertex that may not have it
  std::vector<char> is_wide_;
  std::int32_t first_ = 0;
};

StarColouring coloured(const Neighbours& neighbours, bool by_degree) {
  std::vector<std::int32_t> order(neighbours.size());
  std::iota(order.begin(), order.end(), 0);
  if (by_degree)
    std::ranges::stable_sort(order, std::greater(), [&](std::int32_t v) {
      return neighbours.degree(static_cast<std::size_t>(v));
    });
  StarColouring result(neighbours);
  result.run(order);
  return result;
}

// The number of each row's neighbours, itself included, that have the colour.
bool is_alone(const Neighbours& neighbours, const std::vector<std::int32_t>& colour,
              std::int32_t row, std::int32_t wanted) {
  if (colour[static_cast<std::size_t>(row)] == wanted) return false;
  Index count = 0;
  for (const std::int32_t v : neighbours.of(row))
    count += colour[static_cast<std::size_t>(v)] == wanted;
  return count == 1;
}
}  // namespace

ColumnColours star_colours(const SparsePattern& pattern) {
  const Neighbours neighbours(pattern);
  StarColouring best = coloured(neighbours, false), other = coloured(neighbours, true);
  ColumnColours result{.colour = other.num_colours < best.num_colours ? other.colour : best.colour,
                       .num_colours = std::min(other.num_colours, best.num_colours),
                       .sources = {}};
  for (Index j = 0; j < pattern.size; ++j) {
    const auto col = static_cast<std::int32_t>(j);
    for (Index k = pattern.starts[static_cast<std::size_t>(j)];
         k < pattern.starts[static_cast<std::size_t>(j) + 1]; ++k) {
      const auto row = static_cast<std::int32_t>(pattern.rows[static_cast<std::size_t>(k)]);
      const std::int32_t of_col = result.colour[static_cast<std::size_t>(col)],
                         of_row = result.colour[static_cast<std::size_t>(row)];
      const bool by_col = row == col || is_alone(neighbours, result.colour, row, of_col);
      result.sources.push_back(by_col ? ColumnColours::Source{row, of_col}
                                      : ColumnColours::Source{col, of_row});
    }
  }
  return result;
}

}  // namespace credo::numerics
