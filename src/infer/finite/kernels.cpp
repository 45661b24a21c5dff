#include "infer/finite/kernels.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
void check_target(std::span<const double> target, Index num_states) {
  if (ssize(target) == num_states) return;
  throw Error(ErrorCode::data, fmt::format("{} weights for {} states", target.size(), num_states),
              "target", "give one weight for each state");
}

double accept_prob(double ratio, Acceptance acceptance) {
  if (acceptance == Acceptance::metropolis) return std::min(1.0, ratio);
  return std::isinf(ratio) ? 1.0 : ratio / (1.0 + ratio);
}

// Quotients of equals before products, so that neither overflows where the ratio doesn't.
double hastings_ratio(std::span<const double> distribution, const FiniteChain& q, Index x,
                      Index y) {
  if (distribution[x] == 0.0) return kInfinity;
  return distribution[y] / distribution[x] * (q(y, x) / q(x, y));
}
}  // namespace

FiniteChain metropolis_hastings(std::span<const double> target, const FiniteChain& proposal,
                                Acceptance acceptance) {
  const Index n = proposal.num_states();
  check_target(target, n);
  const std::vector<double> distribution = distribution_from_weights(target);
  RowMatrix kernel(n);
  for (Index x = 0; x < n; ++x) {
    kernel(x, x) = proposal(x, x);
    for (Index y = 0; y < n; ++y) {
      if (y == x || proposal(x, y) == 0.0) continue;
      const double accept = accept_prob(hastings_ratio(distribution, proposal, x, y), acceptance);
      kernel(x, y) = proposal(x, y) * accept;
      kernel(x, x) += proposal(x, y) * (1.0 - accept);
    }
  }
  return FiniteChain(std::move(kernel), proposal.names());
}

ProductSpace::ProductSpace(std::vector<Index> sizes) : sizes_(std::move(sizes)) {
  for (const Index size : sizes_) {
    if (size < 1)
      throw Error(ErrorCode::data, fmt::format("a coordinate has {} values", size), "sizes");
    num_states_ *= size;
    if (num_states_ > kMaxStates) {
      throw Error(ErrorCode::data, fmt::format("more than {} states", kMaxStates), "sizes",
                  "the laboratory holds dense matrices; take fewer or smaller coordinates");
    }
  }
}

Index ProductSpace::encode(std::span<const Index> coordinates) const {
  Index state = 0;
  for (Index k = 0; k < num_coordinates(); ++k) state = state * sizes_[k] + coordinates[k];
  return state;
}

std::vector<Index> ProductSpace::decode(Index state) const {
  std::vector<Index> coordinates(sizes_.size());
  for (Index k = num_coordinates() - 1; k >= 0; --k) {
    coordinates[k] = state % sizes_[k];
    state /= sizes_[k];
  }
  return coordinates;
}

std::vector<Index> ProductSpace::labels_without(std::span<const Index> block) const {
  std::vector<Index> labels;
  for (Index state = 0; state < num_states_; ++state) {
    std::vector<Index> coordinates = decode(state);
    for (const Index k : block) coordinates[k] = 0;
    labels.push_back(encode(coordinates));
  }
  return labels;
}

FiniteChain conditional_kernel(std::span<const double> target, std::span<const Index> labels) {
  const Index n = ssize(labels);
  check_target(target, n);
  const std::vector<double> distribution = distribution_from_weights(target);
  std::map<Index, double> mass;
  for (Index x = 0; x < n; ++x) mass[labels[x]] += distribution[x];
  RowMatrix kernel(n);
  for (Index x = 0; x < n; ++x) {
    const double total = mass[labels[x]];
    if (total == 0.0) kernel(x, x) = 1.0;
    for (Index y = 0; total > 0.0 && y < n; ++y) {
      if (labels[y] == labels[x]) kernel(x, y) = distribution[y] / total;
    }
  }
  return FiniteChain(std::move(kernel));
}

FiniteChain gibbs_block(const ProductSpace& space, std::span<const double> target,
                        std::span<const Index> block) {
  return conditional_kernel(target, space.labels_without(block));
}

namespace {
std::vector<FiniteChain> single_sites(const ProductSpace& space, std::span<const double> target,
                                      std::span<const Index> order) {
  std::vector<FiniteChain> sites;
  for (const Index k : order) sites.push_back(gibbs_block(space, target, std::array{k}));
  return sites;
}

std::vector<Index> all_coordinates(const ProductSpace& space) {
  std::vector<Index> order(space.num_coordinates());
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}
}  // namespace

FiniteChain gibbs_random_scan(const ProductSpace& space, std::span<const double> target,
                              std::span<const double> weights) {
  return mixture(single_sites(space, target, all_coordinates(space)), weights);
}

FiniteChain gibbs_sweep(const ProductSpace& space, std::span<const double> target,
                        std::span<const Index> order) {
  const std::vector<Index> all = all_coordinates(space);
  return cycle(single_sites(space, target, order.empty() ? all : order));
}

FiniteChain reflected_walk(Index n) {
  RowMatrix walk(n);
  for (Index x = 0; x < n; ++x) {
    walk(x, std::max<Index>(x - 1, 0)) += 0.5;
    walk(x, std::min(x + 1, n - 1)) += 0.5;
  }
  return FiniteChain(std::move(walk));
}

FiniteChain random_walk_on_grid(const Grid& grid, const std::function<double(double)>& log_density,
                                double step_sd) {
  const Index n = grid.num_cells;
  const double width = (grid.hi - grid.lo) / static_cast<double>(n), reach = 40.0 * step_sd / width;
  const auto weight = [&](double steps) {  // weight of a step by so many cells
    const double z = steps * width / step_sd;
    return std::exp(-0.5 * z * z);
  };
  double total = 1.0;  // over the cells of the whole line
  for (double steps = 1.0; steps <= reach; steps += 1.0) total += 2.0 * weight(steps);
  std::vector<double> log_weights;
  RowMatrix proposal(n);
  for (Index x = 0; x < n; ++x) {
    log_weights.push_back(log_density(grid.centre(x)));
    double moves = 0.0;
    for (Index y = 0; y < n; ++y) {
      if (y == x) continue;
      proposal(x, y) = weight(static_cast<double>(y - x)) / total;
      moves += proposal(x, y);
    }
    proposal(x, x) = std::max(0.0, 1.0 - moves);
  }
  return metropolis_hastings(distribution_from_log_weights(log_weights),
                             FiniteChain(std::move(proposal)));
}

}  // namespace credo::infer::finite
