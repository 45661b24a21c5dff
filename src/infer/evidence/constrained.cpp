// Slices [neal2003, sec. 5; handley2015]: along a direction d of the points' covariance,
//
//   1  an interval of fixed width, as wide as all points, at a random place around c
//   2  a uniform point of it: taken if it is above the threshold (and above a height under the prior's density)
//   3  else the interval ends there, and 2
//
// The width is fixed, so that no end has to be found; an interval that holds both points of a move is as likely
// from either.
#include "infer/evidence/constrained.hpp"

#include <fmt/format.h>

#include "infer/adapt/welford.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostDraws = 1'000'000;  // of a point by rejection

Error rejected_all() {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws of the prior none has a likelihood above the lowest live "
                           "point",
                           kMostDraws),
               "sampler nested", "use --move slice: rejection is for few parameters and weak data");
}
}  // namespace

PriorSpace::PriorSpace(density::ExactDraws& draws, const NestedOptions& options, Index dimension)
    : draws_(draws),
      dimension_(dimension),
      is_cube_(options.in_cube && draws.cube_dimension() > 0) {
  if (is_cube_) dimension_ = draws.cube_dimension();
}

double PriorSpace::draw(Rng& rng, std::span<double> coordinates, std::span<double> position) const {
  if (!is_cube_) {
    const density::Start start = draw_exactly(draws_, rng);
    std::ranges::copy(start.position, coordinates.begin());
    std::ranges::copy(start.position, position.begin());
    return start.log_density;
  }
  constexpr Index kMostTries = 100'000;
  for (Index tries = 0; tries < kMostTries; ++tries) {
    for (double& c : coordinates) c = rng.uniform();
    const std::optional<density::Start> start = draws_.at(coordinates);
    if (!start) continue;
    std::ranges::copy(start->position, position.begin());
    return start->log_density;
  }
  throw Error(ErrorCode::evaluation,
              fmt::format("of {} draws none lies within the support", kMostTries), "sampler nested",
              "state priors that lie within the bounds of their parameters");
}

bool PriorSpace::place(std::span<const double> coordinates, std::span<double> position) const {
  if (!is_cube_) {
    std::ranges::copy(coordinates, position.begin());
    return true;
  }
  for (const double c : coordinates)
    if (!(c > 0.0 && c < 1.0)) return false;
  const std::optional<density::Start> start = draws_.at(coordinates);
  if (start) std::ranges::copy(start->position, position.begin());
  return start.has_value();
}

void LivePoints::copy(Index from, Index to) {
  std::ranges::copy(coordinates.position(from), coordinates.position(to).begin());
  std::ranges::copy(at.position(from), at.position(to).begin());
  coordinates.log_density(to) = coordinates.log_density(from);
  at.log_density(to) = at.log_density(from);
  log_likelihood(to) = log_likelihood(from);
}

// A point on its way, and where it may go next.
struct ConstrainedMoves::Slot {
  Index point;
  Rng& rng;
  std::vector<double> candidate, position, direction, noise;
  double log_prior = -kInfinity, log_likelihood = -kInfinity;  // at the candidate
  double log_density = -kInfinity;                             // of its coordinates
  Index num_candidates = 0, num_taken = 0;
};

ConstrainedMoves::ConstrainedMoves(const PriorSpace& space, const NestedOptions& options)
    : space_(space), options_(options), metric_(MetricKind::dense, space.dimension()) {}

// Off the diagonal it is shrunk, so that it is positive definite with few points, too.
void ConstrainedMoves::shape_by(const LivePoints& points) {
  Welford moments(MetricKind::dense, space_.dimension());
  for (Index i = 0; i < points.size(); ++i) moments.add(points.coordinates.position(i));
  const std::span<const double> found = moments.with_jitter(0.0);
  std::vector<double> covariance(found.begin(), found.end());
  const auto n = static_cast<std::size_t>(space_.dimension());
  const double count = static_cast<double>(points.size());
  const double kept = count / (count + static_cast<double>(n) + 4.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (i != j) covariance[j * n + i] *= kept;
  (void)metric_.set_inverse(covariance);  // else the last one stays: points that are all alike
}

Step<Nothing> ConstrainedMoves::move(LivePoints& points, std::span<const Index> which,
                                     std::span<Rng> streams, double threshold) {
  points_ = &points;
  threshold_ = threshold;
  const auto num_coordinates = static_cast<std::size_t>(space_.dimension());
  std::vector<Slot> slots;
  slots.reserve(which.size());
  StepTeam<Nothing> team(ssize(which));
  for (std::size_t j = 0; j < which.size(); ++j) {
    slots.push_back({.point = which[j],
                     .rng = streams[j],
                     .candidate = std::vector<double>(num_coordinates),
                     .position = std::vector<double>(points.at.dimension),
                     .direction = std::vector<double>(num_coordinates),
                     .noise = std::vector<double>(num_coordinates)});
    team.add(move_one(slots.back()));
  }
  const auto as_it_is = [](Index, density::Request&) {};
  co_await team.run(as_it_is);
  num_candidates_ = num_taken_ = 0;
  for (const Slot& slot : slots)
    num_candidates_ += slot.num_candidates, num_taken_ += slot.num_taken;
  co_return Nothing{};
}

// Slices turn every direction of a ball about as often as its dimension; walks go a part of that.
Index ConstrainedMoves::num_moves() const {
  if (options_.num_moves > 0) return options_.num_moves;
  return options_.move == ConstrainedMove::walk ? 20 + 10 * space_.dimension()
                                                : 5 + 3 * space_.dimension();
}

Step<Nothing> ConstrainedMoves::move_one(Slot& slot) {
  if (options_.move == ConstrainedMove::rejection) {
    co_await draw_until_above(slot);
    co_return Nothing{};
  }
  for (Index m = num_moves(); m > 0; --m) {
    if (options_.move == ConstrainedMove::walk)
      co_await walk(slot);
    else
      co_await slice(slot);
  }
  co_return Nothing{};
}

// A direction of the covariance, of the length of a standard deviation.
void ConstrainedMoves::draw_direction(Slot& slot) const {
  double squares = 0.0;
  for (double& z : slot.noise) {
    z = slot.rng.normal();
    squares += z * z;
  }
  for (double& z : slot.noise) z /= std::sqrt(squares);
  metric_.shape_move(slot.noise, slot.direction);
}

Step<Nothing> ConstrainedMoves::slice(Slot& slot) {
  draw_direction(slot);
  // Twice the radius of a ball in which the standard deviation of each coordinate is 1.
  const double width = 2.0 * std::sqrt(static_cast<double>(space_.dimension()) + 2.0);
  const double height = points_->coordinates.log_density(slot.point) - slot.rng.exponential();
  double low = -width * slot.rng.uniform(), high = low + width;
  constexpr double kNothingLeft = 1e-14;
  while (high - low > kNothingLeft * width) {
    const double step = slot.rng.uniform(low, high);
    const std::span<const double> from = points_->coordinates.position(slot.point);
    for (std::size_t d = 0; d < from.size(); ++d)
      slot.candidate[d] = from[d] + step * slot.direction[d];
    co_await look(slot);
    if (slot.log_likelihood > threshold_ && slot.log_density >= height) {
      take(slot);
      break;
    }
    (step < 0.0 ? low : high) = step;
  }
  co_return Nothing{};
}

Step<Nothing> ConstrainedMoves::walk(Slot& slot) {
  draw_direction(slot);
  const double length = std::sqrt(static_cast<double>(space_.dimension())) * scale_;
  const std::span<const double> from = points_->coordinates.position(slot.point);
  for (std::size_t d = 0; d < from.size(); ++d)
    slot.candidate[d] = from[d] + length * slot.direction[d];
  const double height = points_->coordinates.log_density(slot.point) - slot.rng.exponential();
  co_await look(slot);
  if (slot.log_likelihood > threshold_ && slot.log_density >= height) take(slot);
  co_return Nothing{};
}

Step<Nothing> ConstrainedMoves::draw_until_above(Slot& slot) {
  for (Index tries = 0; tries < kMostDraws; ++tries) {
    space_.draw(slot.rng, slot.candidate, slot.position);
    co_await look(slot);
    if (!(slot.log_likelihood > threshold_)) continue;
    take(slot);
    co_return Nothing{};
  }
  throw rejected_all();
}

// What the path between prior and posterior has at the candidate; nothing outside of the cube.
Step<Nothing> ConstrainedMoves::look(Slot& slot) {
  ++slot.num_candidates;
  slot.log_prior = slot.log_likelihood = slot.log_density = -kInfinity;
  if (!space_.place(slot.candidate, slot.position)) co_return Nothing{};
  Evaluate question = evaluate(slot.position);
  question.request.weight = 0.0;
  const Evaluation answer = co_await question;
  slot.log_prior = answer.log_density;
  slot.log_likelihood = question.request.log_ratio;
  slot.log_density = space_.is_cube() ? 0.0 : slot.log_prior;
  co_return Nothing{};
}

void ConstrainedMoves::take(Slot& slot) {
  ++slot.num_taken;
  std::ranges::copy(slot.candidate, points_->coordinates.position(slot.point).begin());
  std::ranges::copy(slot.position, points_->at.position(slot.point).begin());
  points_->at.log_density(slot.point) = slot.log_prior;
  points_->coordinates.log_density(slot.point) = slot.log_density;
  points_->log_likelihood(slot.point) = slot.log_likelihood;
}

double ConstrainedMoves::mean_acceptance() const {
  return static_cast<double>(num_taken_) / static_cast<double>(std::max<Index>(num_candidates_, 1));
}
Index ConstrainedMoves::num_candidates() const { return num_candidates_; }

// Towards the acceptance at which walks in many dimensions go furthest.
void ConstrainedMoves::tune_scale() {
  constexpr double kTarget = 0.25, kGain = 1.0;
  if (options_.move == ConstrainedMove::walk)
    scale_ *= numerics::exp(kGain * (mean_acceptance() - kTarget));
}

}  // namespace credo::infer
