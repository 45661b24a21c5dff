#include "dist/mass_sums.hpp"

#include "base/error.hpp"

namespace credo::dist {
namespace {

Index count(const WholeRange& range) {
  return range.to < range.from ? 0 : static_cast<Index>(range.to - range.from) + 1;
}

// All whole numbers of all ranges, and the element that each belongs to.
struct Layout {
  std::vector<double> numbers;
  std::vector<std::int32_t> element;
};
Layout lay_out(std::span<const WholeRange> ranges) {
  constexpr Index kMostMasses = 10'000'000;
  Index total = 0;
  for (const WholeRange& range : ranges) total += std::min(count(range), kMostMasses + 1);
  if (total > kMostMasses)
    throw Error(ErrorCode::evaluation,
                "a tail of this distribution is a sum of more than 10000000 masses");
  Layout layout;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    for (Index k = 0; k < count(ranges[i]); ++k) {
      layout.numbers.push_back(ranges[i].from + static_cast<double>(k));
      layout.element.push_back(static_cast<std::int32_t>(i));
    }
  }
  return layout;
}

Expr rest_if_larger(const Expr& log_tail, const Expr& other) {
  const Expr small = less(log_tail, other);
  return select(small, log_tail, log1m_exp(select(small, -1.0, other)));
}
}  // namespace

Index num_elements(const Expr& y, Args args) {
  Index size = y.size();
  for (const Expr& arg : args) size = std::max(size, arg.size());
  return size;
}

Expr log_sum_of_masses(LogMass log_mass, std::span<const WholeRange> ranges, Args args) {
  const Layout layout = lay_out(ranges);
  const auto shape = graph::vector_shape(ssize(layout.numbers));
  std::vector<Expr> repeated;
  for (const Expr& arg : args)
    repeated.push_back(arg.is_scalar() ? arg : gather(shape, arg, layout.element));
  Expr all = graph::fill(shape, 0.0);
  if (!layout.numbers.empty())
    for (const Expr& term : log_mass(graph::constant(shape, layout.numbers), repeated))
      all = all + term;
  std::vector<Expr> sums;
  Index first = 0;
  for (const WholeRange& range : ranges) {
    const Index size = count(range);
    sums.push_back(size == 0 ? Expr(-kInfinity) : log_sum_exp(part(all, first, size)));
    first += size;
  }
  return sums.size() == 1 ? sums[0] : pack(graph::vector_shape(ssize(sums)), sums);
}

Tails tails_by_masses(LogMass log_mass, const Expr& y, Args args, const Support& support) {
  std::vector<WholeRange> below, above;
  for (Index i = 0; i < num_elements(y, args); ++i) {
    const double at = whole_value(y, i), lower = whole_value(support.lower, i),
                 upper = whole_value(support.upper, i);
    below.push_back({lower, std::min(at, upper)});
    above.push_back({std::max(at + 1.0, lower), upper});
  }
  const Expr left = log_sum_of_masses(log_mass, below, args),
             right = log_sum_of_masses(log_mass, above, args);
  return {rest_if_larger(left, right), rest_if_larger(right, left)};
}

}  // namespace credo::dist
