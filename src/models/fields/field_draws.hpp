// Pieces that engines of fields share.
#pragma once
#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/fields/field.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"

namespace credo::models {

[[noreturn]] inline void refuse_forbidden_field() {
  throw Error(ErrorCode::evaluation, "every labelling of a sequence has a forbidden label or pair",
              "", "allow more pairs: --forbid, --scheme");
}

// A place with probability proportional to exp(logs).
inline Index draw_of_logs(std::vector<double> logs, Rng& rng) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0.0;
  for (double& x : logs) sum += x = x > -kInfinity ? numerics::exp(x - largest) : 0.0;
  double left = sum * rng.uniform();
  for (std::size_t k = 0; k < logs.size(); ++k)
    if ((left -= logs[k]) < 0.0) return static_cast<Index>(k);
  for (std::size_t k = logs.size(); k-- > 0;)  // rounding has used up the last place
    if (logs[k] > 0.0) return static_cast<Index>(k);
  return 0;
}

inline Index place_of_largest(std::span<const double> values) {
  return std::max_element(values.begin(), values.end()) - values.begin();
}

// exp(x - log_z), and 0 for forbidden labels.
inline double probability_of(double x, double log_z) {
  return x > -kInfinity ? numerics::exp(x - log_z) : 0.0;
}

// The label with the largest marginal at each node.
inline std::vector<Index> likeliest_labels(const FieldGraph& graph, const FieldMoments& moments) {
  std::vector<Index> labels;
  for (Index i = 0; i < graph.num_nodes(); ++i) {
    const auto node = static_cast<std::size_t>(i);
    labels.push_back(
        place_of_largest(std::span(moments.nodes)
                             .subspan(static_cast<std::size_t>(graph.first[node]),
                                      static_cast<std::size_t>(graph.num_labels[node]))));
  }
  return labels;
}

}  // namespace credo::models
