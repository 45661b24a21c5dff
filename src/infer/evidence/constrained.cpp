// Slices [neal2003, sec. 5; handley2015]: along a direction d of the points' covariance,
//
//   1  an interval of fixed width, as wide as all points, at a random place around c
//   2  a uniform point of it: taken if it is above the threshold (and above a height under the prior's density)
//   3  else the interval ends there, and 2
//
// The width is fixed, so that no end has to be found; an interval that holds both points of a move is as likely
// from either.
#include <fmt/format.h>

#include "infer/adapt/welford.hpp"
#include "infer/evidence/constrained_slot.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostDraws = 1'000'000;  // draws for one point from the prior
// From ellipsoids, of a point; and in a step, which is too many where each point takes so many: ten times what slices take in few
// dimensions. A few such steps in a row aren't one unlucky fit.
constexpr Index kMostOfEllipsoids = 100'000, kManyOfAStep = 20'000, kManyOfAPoint = 1000,
                kMostWideSteps = 3;

Error prior_is_too_wide() {
  return Error(
      ErrorCode::evaluation,
      fmt::format("of {} draws of the prior none has a likelihood above the lowest live point",
                  kMostDraws),
      "sampler nested", "use --move slice: rejection is for few parameters and weak data");
}

Error ellipsoids_are_too_wide(Index num_draws, Index num_above) {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws from ellipsoids around the live points {} had a likelihood "
                           "above the lowest: the points lie along something bent, of which "
                           "ellipsoids hold too much besides",
                           num_draws, num_above),
               "sampler nested",
               "use --move slice, which takes any shape, or with a gradient --move galilean or "
               "hamiltonian, these without --in-cube; more --live-points give smaller ellipsoids");
}

Error no_ellipsoid() {
  return Error(ErrorCode::evaluation,
               "no ellipsoid holds the live points: they lie in a part of fewer dimensions",
               "sampler nested", "use --move slice");
}

// Off the diagonal it is shrunk, so that it is positive definite with few points, too.
std::vector<double> shrunk_covariance(Welford& moments, Index dimension) {
  const std::span<const double> found = moments.with_jitter(0.0);
  std::vector<double> covariance(found.begin(), found.end());
  const auto n = static_cast<std::size_t>(dimension);
  const double count = static_cast<double>(moments.count());
  const double kept = count / (count + static_cast<double>(n) + 4.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      if (i != j) covariance[j * n + i] *= kept;
  return covariance;
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
  folds[static_cast<std::size_t>(to)] = fold(from);
}

void LivePoints::resize(Index num_points) {
  const auto n = static_cast<std::size_t>(num_points);
  for (PopulationState* state : {&coordinates, &at}) {
    state->positions.resize(n * state->dimension);
    state->log_densities.resize(n, -kInfinity);
  }
  log_likelihoods.resize(n, -kInfinity);
  folds.resize(std::min(n, folds.size()));
  std::array<Index, kNumFolds> sizes{};
  for (const Index f : folds) ++sizes[static_cast<std::size_t>(f)];
  while (folds.size() < n) {
    const auto smallest = std::min_element(sizes.begin(), sizes.end());
    ++*smallest;
    folds.push_back(smallest - sizes.begin());
  }
}

void LivePoints::remove(std::span<const Index> places) {
  std::vector<Index> falling(places.begin(), places.end());
  std::sort(falling.begin(), falling.end(), std::greater<>());
  Index last = size() - 1;
  for (const Index i : falling) {
    if (i != last) copy(last, i);
    --last;
  }
  resize(last + 1);
}

ConstrainedMoves::ConstrainedMoves(const PriorSpace& space, const NestedOptions& options)
    : space_(space),
      options_(options),
      metrics_(LivePoints::kNumFolds, Metric(MetricKind::dense, space.dimension())),
      ellipsoids_(space.dimension()) {}

void ConstrainedMoves::shape_by(const LivePoints& points, Rng& rng) {
  if (options_.move == ConstrainedMove::rejection) return;
  if (options_.move == ConstrainedMove::ellipsoids) {
    if (!ellipsoids_.fit(points.coordinates.positions, rng)) throw no_ellipsoid();
    return;
  }
  for (Index fold = 0; fold < LivePoints::kNumFolds; ++fold) {
    Welford moments(MetricKind::dense, space_.dimension());
    for (Index i = 0; i < points.size(); ++i)
      if (points.fold(i) != fold) moments.add(points.coordinates.position(i));
    if (moments.count() < 2) continue;
    // Else the last one stays: points that are all alike.
    (void)metrics_[static_cast<std::size_t>(fold)].set_inverse(
        shrunk_covariance(moments, space_.dimension()));
  }
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
                     .metric = metrics_[static_cast<std::size_t>(points.fold(which[j]))],
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
  if (options_.move == ConstrainedMove::ellipsoids) {
    const bool are_wide = num_candidates_ > std::max(kManyOfAStep, kManyOfAPoint * ssize(which));
    num_wide_ = are_wide ? num_wide_ + 1 : 0;
    if (num_wide_ == kMostWideSteps) throw ellipsoids_are_too_wide(num_candidates_, num_taken_);
  }
  co_return Nothing{};
}

// Slices turn every direction of a ball about as often as its dimension; walks go a part of that; paths that reflect cross it.
Index ConstrainedMoves::num_moves() const {
  if (options_.num_moves > 0) return options_.num_moves;
  if (options_.move == ConstrainedMove::galilean || options_.move == ConstrainedMove::hamiltonian)
    return 10;
  return options_.move == ConstrainedMove::walk ? 20 + 10 * space_.dimension()
                                                : 5 + 3 * space_.dimension();
}

Step<Nothing> ConstrainedMoves::move_one(Slot& slot) {
  if (options_.move == ConstrainedMove::rejection) {
    co_await draw_until_above(slot);
    co_return Nothing{};
  }
  if (options_.move == ConstrainedMove::ellipsoids) {
    co_await draw_from_ellipsoids(slot);
    co_return Nothing{};
  }
  for (Index m = num_moves(); m > 0; --m) {
    if (options_.move == ConstrainedMove::walk)
      co_await walk(slot);
    else if (options_.move == ConstrainedMove::galilean)
      co_await reflect_along_a_path(slot);
    else if (options_.move == ConstrainedMove::hamiltonian)
      co_await follow_a_trajectory(slot);
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
  slot.metric.shape_move(slot.noise, slot.direction);
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
    if (is_within(slot, height)) {
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
  if (is_within(slot, height)) take(slot);
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
  throw prior_is_too_wide();
}

// Uniform in the ellipsoids until one is above: exact if they hold the whole region above. There the prior is uniform.
Step<Nothing> ConstrainedMoves::draw_from_ellipsoids(Slot& slot) {
  for (Index tries = 0; tries < kMostOfEllipsoids; ++tries) {
    ellipsoids_.draw(slot.rng, slot.candidate);
    co_await look(slot);
    if (!(slot.log_likelihood > threshold_)) continue;
    take(slot);
    co_return Nothing{};
  }
  throw ellipsoids_are_too_wide(kMostOfEllipsoids, 0);
}

bool ConstrainedMoves::is_within(const Slot& slot, double height) const {
  return slot.log_likelihood > threshold_ && slot.log_density >= height;
}

// Evaluates the path between prior and posterior at the candidate, if it is in the cube.
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

// Tunes walks towards the acceptance at which walks in many dimensions go furthest. Steps that reflect are as long as a
// standard deviation, and shorter where edges have another shape within that; so are those of trajectories, which end outside
// or with another energy.
void ConstrainedMoves::tune_scale() {
  constexpr double kWalks = 0.25, kPaths = 0.7, kGain = 1.0;
  if (options_.move == ConstrainedMove::walk)
    scale_ *= numerics::exp(kGain * (mean_acceptance() - kWalks));
  if (options_.move == ConstrainedMove::galilean || options_.move == ConstrainedMove::hamiltonian)
    scale_ = std::min(1.0, scale_ * numerics::exp(kGain * (mean_acceptance() - kPaths)));
}

}  // namespace credo::infer
