#include "infer/variational/family_requests.hpp"

namespace credo::infer {

FamilyRequests::FamilyRequests(const density::LogDensity& of, Index count, bool with_gradient)
    : dimension_(static_cast<std::size_t>(of.dimension())),
      evaluator_(of.make_evaluator()),
      points_(static_cast<std::size_t>(count) * dimension_),
      gradients_(with_gradient ? points_.size() : 0),
      requests_(static_cast<std::size_t>(count)) {
  for (density::Request& request : requests_) batch_.push_back(&request);
}

std::span<const density::Request> FamilyRequests::ask(const NormalFamily& family,
                                                      std::span<const double> z,
                                                      std::span<const double> rows, double weight) {
  const auto num_base = static_cast<std::size_t>(family.num_base());
  for (std::size_t s = 0; s < requests_.size(); ++s) {
    const std::span<double> x = part(points_, s);
    family.place(z.subspan(s * num_base, num_base), x);
    requests_[s] = {.position = x, .gradient = {}, .status = {}, .rows = rows, .weight = weight};
    if (!gradients_.empty()) requests_[s].gradient = part(gradients_, s);
  }
  evaluator_->evaluate(gradients_.empty() ? density::Want::value : density::Want::gradient, batch_);
  return requests_;
}

}  // namespace credo::infer
