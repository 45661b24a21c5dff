#include "infer/variational/families/row_network.hpp"

#include "base/rng.hpp"
#include "base/stream.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kNetworkStart = stream("variational.network");
}

void RowNetwork::start(std::uint64_t seed, std::span<double> parameters) const {
  std::fill(parameters.begin(), parameters.end(), 0.0);
  Rng rng({.seed = seed, .purpose = kNetworkStart, .chain = 0, .iteration = 0});
  const double scale = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(1, num_features_)));
  for (std::size_t k = first_inner(); k < first_shift(); ++k) parameters[k] = scale * rng.normal();
  for (std::size_t k = first_shift(); k < first_outer(); ++k) parameters[k] = rng.normal();
}

void RowNetwork::run(std::span<const double> parameters, const FeatureTable& features) {
  parameters_.assign(parameters.begin(), parameters.end());
  const auto num_rows = static_cast<std::size_t>(features.num_rows),
             width = static_cast<std::size_t>(num_features_),
             num_hidden = static_cast<std::size_t>(num_hidden_),
             num_outputs = static_cast<std::size_t>(num_outputs_);
  hidden_.resize(num_rows * num_hidden);
  outputs_.resize(num_rows * num_outputs);
  const double *linear = parameters_.data(), *bias = linear + first_bias(),
               *inner = linear + first_inner(), *shift = linear + first_shift(),
               *outer = linear + first_outer();
  for (std::size_t n = 0; n < num_rows; ++n) {
    const double* f = features.values.data() + n * width;
    double* h = hidden_.data() + n * num_hidden;
    for (std::size_t j = 0; j < num_hidden; ++j)
      h[j] = std::tanh(std::inner_product(f, f + width, inner + j * width, shift[j]));
    for (std::size_t o = 0; o < num_outputs; ++o)
      outputs_[n * num_outputs + o] =
          std::inner_product(h, h + num_hidden, outer + o * num_hidden,
                             std::inner_product(f, f + width, linear + o * width, bias[o]));
  }
}

void RowNetwork::slope_of_features(Index n, std::span<double> into) const {
  const auto width = static_cast<std::size_t>(num_features_),
             num_hidden = static_cast<std::size_t>(num_hidden_);
  const double *h = hidden_.data() + static_cast<std::size_t>(n) * num_hidden,
               *inner = parameters_.data() + first_inner(),
               *outer = parameters_.data() + first_outer();
  for (std::size_t k = 0; k < width; ++k) into[k] = parameters_[k];
  for (std::size_t j = 0; j < num_hidden; ++j) {
    const double slope = outer[j] * (1.0 - h[j] * h[j]);
    for (std::size_t k = 0; k < width; ++k) into[k] += slope * inner[j * width + k];
  }
}

void RowNetwork::pull_back(const FeatureTable& features, Index n, std::span<const double> adjoint,
                           std::span<double> into) const {
  const auto width = static_cast<std::size_t>(num_features_),
             num_hidden = static_cast<std::size_t>(num_hidden_);
  const double *f = features.values.data() + static_cast<std::size_t>(n) * width,
               *h = hidden_.data() + static_cast<std::size_t>(n) * num_hidden,
               *outer = parameters_.data() + first_outer();
  for (std::size_t o = 0; o < adjoint.size(); ++o) {
    into[first_bias() + o] += adjoint[o];
    for (std::size_t k = 0; k < width; ++k) into[o * width + k] += adjoint[o] * f[k];
    for (std::size_t j = 0; j < num_hidden; ++j)
      into[first_outer() + o * num_hidden + j] += adjoint[o] * h[j];
  }
  for (std::size_t j = 0; j < num_hidden; ++j) {
    double slope = 0.0;
    for (std::size_t o = 0; o < adjoint.size(); ++o)
      slope += adjoint[o] * outer[o * num_hidden + j];
    slope *= 1.0 - h[j] * h[j];
    into[first_shift() + j] += slope;
    for (std::size_t k = 0; k < width; ++k) into[first_inner() + j * width + k] += slope * f[k];
  }
}

}  // namespace credo::infer
