#include "density/sum_density.hpp"

#include "base/error.hpp"
#include "density/two_statuses.hpp"

namespace credo::density {
namespace {

class SumEvaluator final : public TwoEvaluators {
 public:
  SumEvaluator(const LogDensity& first, const LogDensity& second) : TwoEvaluators(first, second) {}

 private:
  void join(const Request& second, Request& request) const override {
    if (!request.status.ok()) {
      request.status = of_first(request.status);
      return;
    }
    if (!second.status.ok()) {
      request.status = of_second(second.status);
      request.log_density = -kInfinity;
      return;
    }
    request.log_density += second.log_density;
    request.dropped += second.dropped;
    for (std::size_t d = 0; d < request.gradient.size(); ++d)
      request.gradient[d] += second.gradient[d];
  }
};
}  // namespace

SumDensity::SumDensity(const LogDensity& first, const LogDensity& second)
    : first_(first), second_(second) {
  CREDO_ASSERT(first.dimension() == second.dimension(), "summands have the same coordinates");
}

std::unique_ptr<Evaluator> SumDensity::make_evaluator() const {
  return std::make_unique<SumEvaluator>(first_, second_);
}

std::string SumDensity::describe(const Status& status) const {
  return describe_of_two(status, first_, second_);
}

}  // namespace credo::density
