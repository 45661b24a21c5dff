// Second derivatives of a log density times vectors: by its matrices if it has them, else by central differences of
// gradients. Working memory of one thread.
#pragma once
#include "density/log_density.hpp"

namespace credo::infer {

class HessianProducts {
 public:
  explicit HessianProducts(const density::LogDensity& of);
  // ∇² log p(x) v, D values. False where the density refuses the point.
  bool multiply(std::span<const double> x, std::span<const double> v, std::span<double> into);
  bool is_exact() const { return has_matrix_; }

 private:
  bool by_matrix(std::span<const double> x, std::span<const double> v, std::span<double> into);
  bool by_differences(std::span<const double> x, std::span<const double> v, std::span<double> into);
  bool gradient_at(std::span<const double> x, std::span<double> into);

  std::unique_ptr<density::Evaluator> evaluator_;
  bool has_matrix_;
  std::vector<double> matrix_, point_, slope_;
};

}  // namespace credo::infer
