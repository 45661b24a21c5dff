#include "models/mixture/partition_prior.hpp"

#include <fmt/format.h>

#include "numerics/special.hpp"

namespace credo::models {
using infer::Chooser;
namespace {
// One more than the largest label.
Index num_labels(std::span<const Index> labels) {
  return labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
}

std::vector<Index> counts_of(std::span<const Index> labels, Index size) {
  std::vector<Index> counts(static_cast<std::size_t>(size), 0);
  for (const Index label : labels) ++counts[label];
  return counts;
}
}  // namespace

PartitionPrior::PartitionPrior(double concentration, Index num_components)
    : concentration_(concentration), num_components_(num_components) {
  if (concentration > 0.0 && std::isfinite(concentration)) return;
  throw Error(ErrorCode::data, fmt::format("must be > 0 and finite, is {}", concentration),
              "concentration");
}

PartitionPrior PartitionPrior::dirichlet_multinomial(double concentration, Index num_components) {
  if (num_components < 1)
    throw Error(ErrorCode::data, fmt::format("must be at least 1, is {}", num_components),
                "num_components");
  return {concentration, num_components};
}

PartitionPrior PartitionPrior::chinese_restaurant(double concentration) {
  return {concentration, 0};
}

double PartitionPrior::weight(Index count) const {
  const double others = static_cast<double>(count);
  return is_finite() ? others + concentration_ / static_cast<double>(num_components_) : others;
}

// Gamma(a) / Gamma(N + a) times, for each component, Gamma(N_k + a/K) / Gamma(a/K); for each table
// of a restaurant a (N_k - 1)!.
double PartitionPrior::log_prob(std::span<const Index> labels) const {
  const Index size = is_finite() ? num_components_ : num_labels(labels);
  const double share = concentration_ / static_cast<double>(std::max<Index>(num_components_, 1));
  double sum = -numerics::lgamma_delta(concentration_, static_cast<double>(ssize(labels)));
  for (const Index count : counts_of(labels, size)) {
    if (count == 0) continue;
    const double members = static_cast<double>(count);
    sum += is_finite() ? numerics::lgamma_delta(share, members)
                       : std::log(concentration_) + numerics::lgamma(members);
  }
  return sum;
}

std::vector<Index> draw_labels(const PartitionPrior& prior, Index num_things, Chooser& chooser) {
  std::vector<Index> labels;
  std::vector<Index> counts(static_cast<std::size_t>(prior.num_components()), 0);
  std::vector<double> weights;
  for (Index i = 0; i < num_things; ++i) {
    weights.clear();
    for (const Index count : counts) weights.push_back(prior.weight(count));
    if (!prior.is_finite()) weights.push_back(prior.new_weight());
    labels.push_back(chooser.choose(weights));
    if (labels.back() == ssize(counts)) counts.push_back(0);
    ++counts[labels.back()];
  }
  return labels;
}

std::vector<Index> by_first_member(std::span<const Index> labels) {
  std::vector<Index> names(static_cast<std::size_t>(num_labels(labels)), -1), renamed;
  Index next = 0;
  for (const Index label : labels) {
    if (names[label] < 0) names[label] = next++;
    renamed.push_back(names[label]);
  }
  return renamed;
}

}  // namespace credo::models
