#include "numerics/points/hilbert.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {

std::uint64_t place_on_curve(std::span<const std::uint32_t> cell, int bits) {
  std::vector<std::uint32_t> x(cell.begin(), cell.end());
  const std::uint32_t top = std::uint32_t{1} << static_cast<unsigned>(bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1U) {  // undoes turns and reflections
    const std::uint32_t below = q - 1;
    for (std::uint32_t& xi : x) {
      if ((xi & q) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t swapped = (x[0] ^ xi) & below;
        x[0] ^= swapped;
        xi ^= swapped;
      }
    }
  }
  for (std::size_t i = 1; i < x.size(); ++i) x[i] ^= x[i - 1];  // Gray code
  std::uint32_t turned = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1U)
    if ((x.back() & q) != 0) turned ^= q - 1;
  for (std::uint32_t& xi : x) xi ^= turned;
  std::uint64_t place = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (const std::uint32_t xi : x) place = place << 1U | (xi >> static_cast<unsigned>(bit) & 1U);
  return place;
}

namespace {
// Cells of each point, coordinate by coordinate.
std::vector<std::uint32_t> cells_of(std::span<const double> points, std::size_t dimension,
                                    std::size_t used, int bits) {
  const std::size_t count = points.size() / dimension;
  std::vector<std::uint32_t> cells(count * used);
  const double most = static_cast<double>((std::uint32_t{1} << static_cast<unsigned>(bits)) - 1);
  for (std::size_t d = 0; d < used; ++d) {
    double mean = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < count; ++i)
      mean += points[i * dimension + d] / static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i)
      squares += (points[i * dimension + d] - mean) * (points[i * dimension + d] - mean);
    const double sd = std::sqrt(squares / static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double z = sd > 0.0 ? (points[i * dimension + d] - mean) / sd : 0.0;
      const double within = 1.0 / (1.0 + exp(-z));
      cells[i * used + d] = static_cast<std::uint32_t>(within >= 0.0 ? within * most : 0.0);
    }
  }
  return cells;
}
}  // namespace

std::vector<Index> order_along_curve(std::span<const double> points, Index dimension) {
  const auto n = static_cast<std::size_t>(dimension);
  std::vector<Index> order(points.size() / n);
  std::iota(order.begin(), order.end(), Index{0});
  if (n == 1) {
    std::ranges::stable_sort(order, {},
                             [&](Index i) { return points[static_cast<std::size_t>(i)]; });
    return order;
  }
  constexpr int kMostBits = 16;
  const std::size_t used = std::min<std::size_t>(n, 32);
  const int bits = std::min(kMostBits, static_cast<int>(64 / used));
  const std::vector<std::uint32_t> cells = cells_of(points, n, used, bits);
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < order.size(); ++i)
    places.push_back(place_on_curve(std::span(cells).subspan(i * used, used), bits));
  std::ranges::stable_sort(order, {}, [&](Index i) { return places[static_cast<std::size_t>(i)]; });
  return order;
}

}  // namespace credo::numerics
