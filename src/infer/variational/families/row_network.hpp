// A network with one hidden layer and a linear part, which is applied to each row of a table of features:
//
//   out_n = A f_n + b + W tanh(V f_n + a)
//
// Without hidden units it is linear. Parameters, one after the other: A (O × F), b (O), V (H × F), a (H), W (O × H), each row by row.
#pragma once
#include "base/types.hpp"

namespace credo::infer {

struct FeatureTable {
  Index num_rows = 0, num_features = 0;
  std::vector<double> values = {};  // row by row
  std::span<const double> row(Index n) const {
    return std::span(values).subspan(static_cast<std::size_t>(n * num_features),
                                     static_cast<std::size_t>(num_features));
  }
};

class RowNetwork {
 public:
  RowNetwork(Index num_features, Index num_hidden, Index num_outputs)
      : num_features_(num_features), num_hidden_(num_hidden), num_outputs_(num_outputs) {}
  Index num_parameters() const {
    return num_outputs_ * (num_features_ + 1) + num_hidden_ * (num_features_ + 1) +
           num_outputs_ * num_hidden_;
  }
  // Outputs 0 for all rows, hidden units that differ.
  void start(std::uint64_t seed, std::span<double> parameters) const;
  // Computes the outputs of all rows. The parameters and the table are remembered for pull_back().
  void run(std::span<const double> parameters, const FeatureTable& features);
  std::span<const double> outputs(Index n) const {
    return std::span(outputs_).subspan(static_cast<std::size_t>(n * num_outputs_),
                                       static_cast<std::size_t>(num_outputs_));
  }
  // Parameters of the last run.
  std::span<const double> parameters() const { return parameters_; }
  // The derivative of the first output of a row by its features.
  void slope_of_features(Index n, std::span<double> into) const;
  // Adds the derivative of Σ_o adjoint_o out_no by the parameters. Doesn't allocate.
  void pull_back(const FeatureTable& features, Index n, std::span<const double> adjoint,
                 std::span<double> into) const;

 private:
  std::size_t first_bias() const { return static_cast<std::size_t>(num_outputs_ * num_features_); }
  std::size_t first_inner() const { return first_bias() + static_cast<std::size_t>(num_outputs_); }
  std::size_t first_shift() const {
    return first_inner() + static_cast<std::size_t>(num_hidden_ * num_features_);
  }
  std::size_t first_outer() const { return first_shift() + static_cast<std::size_t>(num_hidden_); }

  Index num_features_, num_hidden_, num_outputs_;
  std::vector<double> parameters_, hidden_, outputs_;  // the last two: all rows
};

}  // namespace credo::infer
