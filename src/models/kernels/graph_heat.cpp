#include "models/kernels/graph_heat.hpp"

namespace credo::models {

GraphHeat::GraphHeat(std::vector<std::string> names, const numerics::DenseMatrix& weights)
    : names_(std::move(names)) {
  const Index n = size();
  numerics::DenseMatrix laplace(n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) continue;
      laplace(i, j) = -weights(i, j);
      laplace(i, i) += weights(i, j);
    }
  for (Index i = 0; i < n; ++i) mean_degree_ += laplace(i, i) / static_cast<double>(n);
  eigen_ = numerics::SymmetricEigen(std::move(laplace));
  for (double& value : eigen_.values)
    value = std::max(0.0, value);  // the smallest are 0 to rounding
}

std::shared_ptr<const GraphHeat::AtTime> GraphHeat::at(double time) const {
  {
    const std::scoped_lock guard(lock_);
    if (last_ && last_->time == time) return last_;
  }
  auto made = std::make_shared<AtTime>();
  made->time = time;
  made->value = eigen_.function([&](double v) { return std::exp(-time * v); });
  made->slope = eigen_.function([&](double v) { return -v * std::exp(-time * v); });
  const Index n = size();
  std::vector<double> root, rate;  // roots of the diagonal, and half its relative slopes
  for (Index i = 0; i < n; ++i) {
    root.push_back(std::sqrt(made->value(i, i)));
    rate.push_back(0.5 * made->slope(i, i) / made->value(i, i));
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const double scale = 1.0 / (root[a] * root[b]);
      made->value(i, j) *= scale;
      made->slope(i, j) = made->slope(i, j) * scale - made->value(i, j) * (rate[a] + rate[b]);
    }
  const std::scoped_lock guard(lock_);
  last_ = made;
  return made;
}

}  // namespace credo::models
