#include "infer/variational/climbs/refined_points.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::infer {

Index parse_refinement(std::string_view text) {
  constexpr std::string_view kName = "hmc:";
  constexpr double kMost = 1000.0;
  if (text.empty()) return 0;
  if (text.starts_with(kName)) {
    const auto count = io::parse_number(std::string(text.substr(kName.size())));
    if (count && *count >= 1.0 && *count <= kMost && *count == std::floor(*count))
      return static_cast<Index>(*count);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no refinement '{}'", text), "refine",
              "write hmc:M with a whole number M of transitions, 1 to 1000");
}

RefinedPoints::RefinedPoints(const density::LogDensity& density, Index num_transitions)
    : evaluator_(density.make_evaluator()),
      num_transitions_(num_transitions),
      momentum_(static_cast<std::size_t>(density.dimension())) {
  for (Place* place : {&here_, &there_})
    place->position.resize(momentum_.size()), place->gradient.resize(momentum_.size());
}

bool RefinedPoints::evaluate(Place& place) {
  density::Request request{.position = place.position,
                           .gradient = place.gradient,
                           .status = {},
                           .rows = rows_,
                           .weight = weight_};
  density::Request* batch[] = {&request};
  evaluator_->evaluate(density::Want::gradient, batch);
  place.log_density = request.log_density;
  return request.status.ok();
}

// p ~ N(0, I), step e_d = h √v_d, which is 0 for points; leapfrog, and Metropolis' rule.
void RefinedPoints::transition(std::span<const double> variances, Rng& rng) {
  constexpr int kLeapfrog = 5;
  constexpr double kStep = 0.6;
  const double h =
      kStep * std::pow(static_cast<double>(std::max<std::size_t>(1, momentum_.size())), -0.25);
  there_ = here_;
  double kinetic = 0.0;
  for (double& p : momentum_) p = rng.normal(), kinetic -= 0.5 * p * p;
  const auto kick = [&] {
    for (std::size_t d = 0; d < momentum_.size(); ++d)
      momentum_[d] += 0.5 * h * std::sqrt(variances[d]) * there_.gradient[d];
  };
  bool is_inside = true;
  for (int l = 0; l < kLeapfrog && is_inside; ++l) {
    kick();
    for (std::size_t d = 0; d < momentum_.size(); ++d)
      there_.position[d] += h * std::sqrt(variances[d]) * momentum_[d];
    is_inside = evaluate(there_);
    kick();
  }
  for (const double p : momentum_) kinetic += 0.5 * p * p;
  const double log_ratio = there_.log_density - here_.log_density - kinetic;
  num_proposed_ += 1.0;
  if (!is_inside || !(std::log(rng.uniform()) < log_ratio)) return;
  num_accepted_ += 1.0;
  std::swap(here_, there_);
}

void RefinedPoints::refine(std::span<const double> x, std::span<const PointCoordinate> points,
                           std::span<const double> variances, Rng& rng,
                           std::span<double> gradient) {
  std::copy(x.begin(), x.end(), here_.position.begin());
  if (!evaluate(here_)) return;
  for (Index m = 0; m < num_transitions_; ++m) transition(variances, rng);
  for (const PointCoordinate& point : points) {
    const auto d = static_cast<std::size_t>(point.coordinate);
    gradient[d] = here_.gradient[d];
  }
}

}  // namespace credo::infer
