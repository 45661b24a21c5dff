#include "density/path_density.hpp"

#include "base/error.hpp"
#include "density/two_statuses.hpp"

namespace credo::density {
namespace {

class PathEvaluator final : public TwoEvaluators {
 public:
  PathEvaluator(const LogDensity& from, const LogDensity& to) : TwoEvaluators(to, from) {}

 private:
  // The answer of `to` becomes that of the path.
  void join(const Request& from, Request& request) const override {
    if (!from.status.ok()) {
      request.status = of_first(from.status);
      request.log_density = request.log_ratio = -kInfinity;
      return;
    }
    const double w = request.weight;
    const bool is_refused = !request.status.ok();
    request.log_ratio = is_refused ? -kInfinity : request.log_density - from.log_density;
    if (is_refused && (w > 0.0 || request.status.fatal)) {
      request.status = of_second(request.status);
      return;
    }
    if (is_refused) {
      request.status = {};
      request.log_density = from.log_density;
      std::copy(from.gradient.begin(), from.gradient.end(), request.gradient.begin());
      return;
    }
    request.log_density = from.log_density + w * request.log_ratio;
    for (std::size_t d = 0; d < request.gradient.size(); ++d)
      request.gradient[d] = (1.0 - w) * from.gradient[d] + w * request.gradient[d];
  }
};
}  // namespace

PathDensity::PathDensity(const LogDensity& from, const LogDensity& to) : from_(from), to_(to) {
  CREDO_ASSERT(from.dimension() == to.dimension(), "both ends of a path have the same coordinates");
}

std::unique_ptr<Evaluator> PathDensity::make_evaluator() const {
  return std::make_unique<PathEvaluator>(from_, to_);
}

std::string PathDensity::describe(const Status& status) const {
  return describe_of_two(status, from_, to_);
}

}  // namespace credo::density
