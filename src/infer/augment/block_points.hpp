// Points that differ in the coordinates of a block, evaluated at once.
#pragma once
#include "density/model.hpp"

namespace credo::infer {

// Gradients of one density at points that differ in the coordinates of a block.
class BlockPoints {
 public:
  explicit BlockPoints(std::unique_ptr<density::Model> density)
      : density_(std::move(density)), evaluator_(density_->make_evaluator()) {}

  // So many points, all with 0 in the block and with the other values of `position`.
  void begin(std::span<const double> position, std::span<const Index> inner, std::size_t count);
  double& value_of(std::size_t point, Index coordinate) {
    return positions_[point * dimension_ + static_cast<std::size_t>(coordinate)];
  }
  void set_row(std::size_t point, Index row) { rows_[point] = static_cast<double>(row); }
  void evaluate(bool by_rows);
  bool is_finite(std::size_t point) const { return std::isfinite(log_density(point)); }
  double log_density(std::size_t point) const { return requests_[point].log_density; }
  double slope(std::size_t point, Index coordinate) const {
    return gradients_[point * dimension_ + static_cast<std::size_t>(coordinate)];
  }
  Index num_rows() const { return density_->num_rows(); }
  Index num_evaluations() const { return num_evaluations_; }

 private:
  std::unique_ptr<density::Model> density_;  // destroyed after its evaluator
  std::unique_ptr<density::Evaluator> evaluator_;
  std::size_t dimension_ = 0;
  std::vector<double> positions_, gradients_, rows_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
  Index num_evaluations_ = 0;
};

}  // namespace credo::infer
