// Draws of a family at which a density is evaluated, all in one batch.
#pragma once
#include "density/log_density.hpp"
#include "infer/variational/families/distribution_family.hpp"

namespace credo::infer {

class FamilyRequests {
 public:
  FamilyRequests(const density::LogDensity& of, Index count, bool with_gradient);
  // The answers at the draws that the standard normal variates make, count × B. Valid until the next call. `rows` and `weight` are for
  // densities of batches.
  std::span<const density::Request> ask(DistributionFamily& family, std::span<const double> z,
                                        std::span<const double> rows = {}, double weight = 1.0);
  // log q at the draws of the last request.
  std::span<const double> log_q() const { return log_q_; }
  void use_threads(Index num_threads) { evaluator_->use_threads(num_threads); }

 private:
  std::span<double> part(std::vector<double>& of, std::size_t s) const {
    return std::span(of).subspan(s * dimension_, dimension_);
  }
  std::size_t dimension_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::vector<double> points_, gradients_, log_q_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
};

}  // namespace credo::infer
