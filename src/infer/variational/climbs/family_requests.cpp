#include "infer/variational/climbs/family_requests.hpp"

namespace credo::infer {

FamilyRequests::FamilyRequests(const density::LogDensity& of, Index count, bool with_gradient)
    : dimension_(static_cast<std::size_t>(of.dimension())),
      evaluator_(of.make_evaluator()),
      points_(static_cast<std::size_t>(count) * dimension_),
      gradients_(with_gradient ? points_.size() : 0),
      log_q_(static_cast<std::size_t>(count)),
      requests_(static_cast<std::size_t>(count)) {
  for (density::Request& request : requests_) batch_.push_back(&request);
}

std::span<const density::Request> FamilyRequests::ask(DistributionFamily& family,
                                                      std::span<const double> z,
                                                      std::span<const double> rows, double weight) {
  family.place_draws(z, points_, log_q_);
  for (std::size_t s = 0; s < requests_.size(); ++s) {
    requests_[s] = {
        .position = part(points_, s), .gradient = {}, .status = {}, .rows = rows, .weight = weight};
    if (!gradients_.empty()) requests_[s].gradient = part(gradients_, s);
  }
  evaluator_->evaluate(gradients_.empty() ? density::Want::value : density::Want::gradient, batch_);
  return requests_;
}

}  // namespace credo::infer
