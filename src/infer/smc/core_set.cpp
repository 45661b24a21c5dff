// Greedy iterative geodesic ascent [campbell2018, alg. 1]. With g_i the log likelihoods of row i at the points, less their mean,
// L = sum of g_i, and all of them of length 1 below,
//
//   y = 0;  again:  n = the row whose direction from y, along the sphere, is nearest to that of L
//                   y = the point of the geodesic from y to g_n that is nearest to L, as a combination of rows
//
// at last scaled so that the distance to L itself is least.
#include "infer/smc/core_set.hpp"

namespace credo::infer {
namespace {

double product_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double to_length_one(std::span<double> x) {
  const double length = std::sqrt(product_of(x, x));
  if (length > 0.0)
    for (double& value : x) value /= length;
  return length;
}

// Lengths of the rows' vectors, which become directions, and of their sum.
struct RowDirections {
  std::vector<double> rows, lengths, whole;
  std::size_t num_points;
  double whole_length;

  RowDirections(std::span<const double> log_likelihoods, Index num_rows)
      : rows(log_likelihoods.begin(), log_likelihoods.end()),
        lengths(static_cast<std::size_t>(num_rows)),
        num_points(rows.size() / lengths.size()) {
    whole.assign(num_points, 0.0);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::span<double> g = row(i);
      const double mean =
          std::accumulate(g.begin(), g.end(), 0.0) / static_cast<double>(num_points);
      for (std::size_t s = 0; s < num_points; ++s) whole[s] += g[s] -= mean;
      lengths[i] = to_length_one(g);
    }
    whole_length = to_length_one(whole);
  }
  std::span<double> row(std::size_t i) {
    return std::span(rows).subspan(i * num_points, num_points);
  }
};

// The row whose geodesic from y goes nearest to the whole; none where no row leads on.
std::optional<std::size_t> best_row(RowDirections& all, std::span<const double> y,
                                    std::span<const double> weights, bool may_be_new) {
  const double along = product_of(all.whole, y);
  std::optional<std::size_t> best;
  double most = 0.0;
  for (std::size_t i = 0; i < all.lengths.size(); ++i) {
    if (all.lengths[i] == 0.0 || (!may_be_new && weights[i] == 0.0)) continue;
    const std::span<const double> g = all.row(i);
    const double own = product_of(g, y), rest = 1.0 - own * own;
    if (!(rest > 1e-14)) continue;
    const double gain = (product_of(g, all.whole) - own * along) / std::sqrt(rest);
    if (gain > most) most = gain, best = i;
  }
  return best;
}

// The share of the way towards a row.
double step_to(RowDirections& all, std::span<const double> y, std::size_t row) {
  const std::span<const double> g = all.row(row);
  const double a = product_of(all.whole, g), b = product_of(all.whole, y), c = product_of(g, y);
  const double forth = a - b * c, back = b - a * c;
  return back > 0.0 ? forth / (forth + back) : 1.0;
}
}  // namespace

CoreSet core_set_of(std::span<const double> log_likelihoods, Index num_rows, Index most) {
  constexpr Index kRoundsEach = 20;
  RowDirections all(log_likelihoods, num_rows);
  std::vector<double> y(all.num_points, 0.0), weights(all.lengths.size(), 0.0);
  Index count = 0;
  for (Index round = 0; round < kRoundsEach * most; ++round) {
    const auto row = best_row(all, y, weights, count < most);
    if (!row) break;
    const double share = step_to(all, y, *row);
    if (weights[*row] == 0.0) ++count;
    for (double& w : weights) w *= 1.0 - share;
    weights[*row] += share;
    const std::span<const double> g = all.row(*row);
    for (std::size_t s = 0; s < y.size(); ++s) y[s] += share * (g[s] - y[s]);
    const double length = to_length_one(y);
    for (double& w : weights) w /= length;
  }
  const double scale = all.whole_length * product_of(all.whole, y);
  CoreSet set;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0.0)) continue;
    set.rows.push_back(static_cast<double>(i));
    set.weights.push_back(weights[i] * scale / all.lengths[i]);
  }
  return set;
}

}  // namespace credo::infer
