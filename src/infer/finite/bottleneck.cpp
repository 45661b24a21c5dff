// The flow out of a set equals the flow into it, so the symmetric part of pi(x) P(x, y) will do,
// and a set and its complement have one flow: the smaller side divides.
#include "infer/finite/bottleneck.hpp"

namespace credo::infer::finite {
namespace {

RowMatrix symmetric_flows(const FiniteChain& chain, std::span<const double> distribution) {
  const Index n = chain.num_states();
  RowMatrix flow(n);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y)
      flow(x, y) = 0.5 * (distribution[x] * chain(x, y) + distribution[y] * chain(y, x));
  }
  return flow;
}

// Deals the states to the two sides one by one. Flow and probabilities only grow on the way, so a
// state that is next to impossible counts as exactly as any other.
class AllCuts {
 public:
  AllCuts(const RowMatrix& flow, std::span<const double> distribution)
      : flow_(flow), distribution_(distribution) {}

  std::vector<Index> best() {
    deal({});
    std::vector<Index> side;
    for (Index x = 0; x < ssize(distribution_); ++x)
      if ((best_set_ >> x & 1) != 0) side.push_back(x);
    return side;
  }

 private:
  struct Partial {
    Index num_dealt = 0;
    std::uint32_t inside = 0;
    double flow = 0.0, inner = 0.0, outer = 0.0;  // across, probabilities of the sides
  };

  void deal(const Partial& at) {
    const Index x = at.num_dealt;
    if (x == ssize(distribution_)) return compare(at);
    Partial in = at, out = at;
    in.num_dealt = out.num_dealt = x + 1;
    in.inside |= std::uint32_t{1} << x;
    in.inner += distribution_[x], out.outer += distribution_[x];
    for (Index y = 0; y < x; ++y) {
      Partial& crossed = (at.inside >> y & 1) != 0 ? out : in;
      crossed.flow += flow_(x, y);
    }
    deal(out);
    if (x + 1 < ssize(distribution_))
      deal(in);  // the last one stays outside: complements have one flow
  }

  void compare(const Partial& cut) {
    if (cut.inside == 0) return;
    const double ratio = cut.flow / std::min(cut.inner, cut.outer);
    if (ratio < best_) best_ = ratio, best_set_ = cut.inside;
  }

  const RowMatrix& flow_;
  std::span<const double> distribution_;
  double best_ = kInfinity;
  std::uint32_t best_set_ = 0;
};

std::vector<Index> best_of_order(const RowMatrix& flow, std::span<const double> distribution,
                                 std::span<const Index> order) {
  std::vector<double> behind(order.size() + 1);  // probability of what comes later
  for (Index k = ssize(order) - 1; k >= 0; --k) behind[k] = behind[k + 1] + distribution[order[k]];
  double best = kInfinity, across = 0.0, inner = 0.0;
  Index best_size = 1;
  for (Index k = 0; k + 1 < ssize(order); ++k) {
    const Index x = order[k];
    for (Index j = 0; j < ssize(order); ++j)
      if (j != k) across += j < k ? -flow(x, order[j]) : flow(x, order[j]);
    inner += distribution[x];
    const double ratio = across / std::min(inner, behind[k + 1]);
    if (ratio < best) best = ratio, best_size = k + 1;
  }
  return {order.begin(), order.begin() + best_size};
}

// Second eigenvalue and the states in the order of its eigenvector, of D^-1/2 flow D^-1/2.
struct SecondMode {
  double value = -1.0;
  std::vector<Index> order;
};
SecondMode second_mode(const RowMatrix& flow, std::span<const double> distribution) {
  const Index n = flow.rows;
  RowMatrix scaled(n);
  for (Index x = 0; x < n; ++x) {
    for (Index y = 0; y < n; ++y)
      scaled(x, y) = flow(x, y) / std::sqrt(distribution[x] * distribution[y]);
  }
  const numerics::SymmetricEigen eigen({n, n, std::move(scaled.values)});
  const auto vector = eigen.vector(eigen.size() - 2);
  SecondMode mode{.value = eigen.values[eigen.size() - 2], .order = std::vector<Index>(n)};
  std::iota(mode.order.begin(), mode.order.end(), Index{0});
  std::stable_sort(mode.order.begin(), mode.order.end(), [&](Index x, Index y) {
    return vector[x] / std::sqrt(distribution[x]) < vector[y] / std::sqrt(distribution[y]);
  });
  return mode;
}

double probability_of(std::span<const double> distribution, std::span<const Index> side) {
  double sum = 0.0;
  for (const Index x : side) sum += distribution[x];
  return sum;
}

std::vector<Index> complement(std::span<const Index> side, Index n) {
  std::vector<Index> rest;
  for (Index x = 0; x < n; ++x)
    if (std::find(side.begin(), side.end(), x) == side.end()) rest.push_back(x);
  return rest;
}
}  // namespace

double flow_ratio(const FiniteChain& chain, std::span<const double> distribution,
                  std::span<const Index> side) {
  const std::vector<Index> rest = complement(side, chain.num_states());
  double flow = 0.0;
  for (const Index x : side) {
    for (const Index y : rest) flow += distribution[x] * chain(x, y);
  }
  return flow / std::min(probability_of(distribution, side), probability_of(distribution, rest));
}

Bottleneck bottleneck_of(const FiniteChain& chain, std::span<const double> distribution,
                         Index max_exact_states) {
  const Index n = chain.num_states();
  Bottleneck result{.side = {}};
  if (n == 1) return {.conductance = 1.0, .exact = true, .lower = 1.0, .side = {}, .gap = 1.0};
  const RowMatrix flow = symmetric_flows(chain, distribution);
  const SecondMode mode = second_mode(flow, distribution);
  result.exact = n <= std::min<Index>(max_exact_states, 24);
  result.side = result.exact ? AllCuts(flow, distribution).best()
                             : best_of_order(flow, distribution, mode.order);
  if (probability_of(distribution, result.side) > 0.5) result.side = complement(result.side, n);
  std::sort(result.side.begin(), result.side.end());
  result.side_probability = probability_of(distribution, result.side);
  result.conductance = flow_ratio(chain, distribution, result.side);
  result.gap = 1.0 - mode.value;
  result.lower = result.exact ? result.conductance : 0.5 * result.gap;
  return result;
}

}  // namespace credo::infer::finite
