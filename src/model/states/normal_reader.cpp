// A log density that is normal in x at a point p is quadratic in x, found from a few values (quadratic.hpp): first at 0 and at unit
// distances, then about the mean that these give, at distances of a standard deviation, where no digits are lost. At x = mean +- s e_i,
//
//   grad_p log N(x; m(p), Q(p)) = +- J' Q^-1 s e_i + terms equal for both signs,   J = dm/dp,
//
// so the difference of two gradients gives J exactly, whether Q depends on p or not.
#include "model/states/normal_reader.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/require.hpp"
#include "model/states/density_reader.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/quadratic.hpp"

namespace credo::model {
namespace {
using density::StateSpace;
using numerics::NormalMoments;
constexpr Index kMostElements = 15;  // limit: their points are one block
}  // namespace

// The density to evaluate, and the points.
struct NormalReader::Probe {
  StateRole role;
  Index time;
  Points points;
  bool derivatives = false;
};

density::Capability can_read_normal(const StateModel& model, const char* option,
                                    NormalReads reads) {
  using enum StateRole;
  if (density::Capability can = follows_one_regime(model, option); !can.can) return can;
  for (const auto& [role, name] : {std::pair{initial_density, "initial_lpdf"},
                                   std::pair{transition_density, "transition_lpdf"}})
    if (reads == NormalReads::states_and_outcomes && !model.functions()[role])
      return {.can = false,
              .reason = fmt::format("the filter reads means and covariances off the densities of "
                                    "the model, and {} is missing",
                                    name),
              .where = option,
              .hint = fmt::format("write {} in the functions block", name)};
  const bool are_read = reads == NormalReads::states_and_outcomes;
  if (model.functions().state.base == lang::BaseType::integer ||
      (are_read && model.state().size() > kMostElements))
    return {.can = false,
            .reason = are_read ? fmt::format("the filter takes states of at most {} real numbers",
                                             kMostElements)
                               : "the filter takes states of real numbers",
            .where = option,
            .hint = "take --method bootstrap, which takes any model"};
  return {};
}

NormalReader::NormalReader(const StateModel& model, const char* option, NormalReads reads)
    : model_(model), elements_(model.state().size()) {
  density::require(can_read_normal(model, option, reads));
}

StateProgramRun& NormalReader::run_of(const StateStage& stage) {
  auto& run = runs_[stage];
  if (run == nullptr) run = std::make_unique<StateProgramRun>(model_, stage);
  return *run;
}

std::vector<std::size_t> NormalReader::there(Index time) const {
  std::vector<std::size_t> places;
  const std::vector<double> outcome = model_.outcome_at(time);
  const bool is_all = !model_.is_observed(time);  // to be forecast
  for (std::size_t i = 0; i < outcome.size(); ++i)
    if (is_all || !std::isnan(outcome[i])) places.push_back(i);
  return places;
}

std::vector<double> NormalReader::outcome(Index time) const {
  require_finite_outcome(model_, time);
  return values_there(time);
}

std::vector<double> NormalReader::values_there(Index time) const {
  std::vector<double> values;
  for (const double y : model_.outcome_at(time))
    if (!std::isnan(y)) values.push_back(y);
  return values;
}

// The log density of each x at each point, [x][point]; with derivatives, behind them the gradients with respect to the points,
// [x][element * points + point].
std::vector<std::vector<double>> NormalReader::values(const Probe& probe, Points xs) {
  const bool of_outcome = probe.role == StateRole::observation_density;
  const Index count = ssize(probe.points);
  StateProgramRun& run =
      run_of({.task = of_outcome ? StateTask::observation : StateTask::transition,
              .derivatives = probe.derivatives});
  const auto column = [](Index element, Index place) {
    return static_cast<std::size_t>(element * StateSpace::kBlock + place);
  };
  const auto size = static_cast<std::size_t>(elements_ * StateSpace::kBlock);
  std::vector<double> at_points(size), of_states(size),
      results(static_cast<std::size_t>(1 + (probe.derivatives ? elements_ : 0)) *
              static_cast<std::size_t>(StateSpace::kBlock));
  std::vector<double> shown = model_.outcome_at(probe.time);
  for (double& y : shown) y = !of_outcome && std::isnan(y) ? 0.0 : y;
  const std::vector<std::size_t> places = there(probe.time);
  for (Index p = 0; p < StateSpace::kBlock; ++p)
    for (Index e = 0; e < elements_; ++e)
      at_points[column(e, p)] = probe.points[static_cast<std::size_t>(std::min(p, count - 1))]
                                            [static_cast<std::size_t>(e)];
  std::vector<std::vector<double>> all;
  for (const std::vector<double>& x : xs) {
    for (std::size_t i = 0; of_outcome && i < places.size(); ++i) shown[places[i]] = x[i];
    for (Index p = 0; !of_outcome && p < StateSpace::kBlock; ++p)
      for (Index e = 0; e < elements_; ++e)
        of_states[column(e, p)] = x[static_cast<std::size_t>(e)];
    run.show(probe.time, shown);
    run.run(
        {.time = probe.time, .count = count, .previous = of_outcome ? nullptr : at_points.data()},
        of_outcome ? at_points.data() : of_states.data(), results.data());
    std::vector<double>& found = all.emplace_back();
    for (std::size_t k = 0; k < results.size(); k += StateSpace::kBlock)
      found.insert(found.end(), results.begin() + static_cast<Index>(k),
                   results.begin() + static_cast<Index>(k) + count);
  }
  return all;
}

std::vector<NormalMoments> NormalReader::distributions(const Probe& probe, Index m) {
  const auto size = static_cast<std::size_t>(m);
  const auto refuse = [&]() -> NormalMoments {
    throw Error(ErrorCode::program,
                fmt::format("at time {}, {} isn't a normal density of its first argument",
                            probe.time + 1, model_.functions()[probe.role].name),
                "--method", "take --method bootstrap, which takes any model");
  };
  std::vector<double> centre(size, 0.0), scale(size, 1.0);
  std::vector<NormalMoments> found(probe.points.size());
  for (const bool last : {false, true}) {
    std::vector<std::vector<double>> units = quadratic_points(m);
    const std::size_t num_units = units.size();
    // Extra points at which the fitted normal distribution must reproduce the density.
    for (const double far : {-2.3, 0.6, 1.7})
      for (std::size_t i = 0; last && i < size; ++i) {
        units.emplace_back(size, 0.4 * far);
        units.back()[i] = far;
      }
    std::vector<std::vector<double>> xs = units;
    for (std::vector<double>& x : xs)
      for (std::size_t i = 0; i < size; ++i) x[i] = centre[i] + scale[i] * x[i];
    const auto density = values(probe, xs);
    for (std::size_t p = 0; p < found.size(); ++p) {
      std::vector<double> at_point;
      for (const auto& of_x : density) at_point.push_back(of_x[p]);
      const auto distribution =
          linear_gaussian_of(m, quadratic_of(m, std::span(at_point).first(num_units)));
      if (!distribution) refuse();
      double log_scale = 0.0;
      for (const double s : scale) log_scale += std::log(s);
      for (std::size_t k = num_units; k < units.size(); ++k)
        if (!is_log_density(at_point[k],
                            log_normal_density(m, *distribution, units[k]) - log_scale))
          refuse();
      found[p] = {.mean = centre, .covariance = distribution->noise};
      for (std::size_t i = 0; i < size; ++i) {
        found[p].mean[i] += scale[i] * distribution->offset[i];
        for (std::size_t j = 0; j < size; ++j)
          found[p].covariance[i + j * size] *= scale[i] * scale[j];
      }
    }
    centre = found[0].mean;
    for (std::size_t i = 0; i < size; ++i) scale[i] = std::sqrt(found[0].covariance[i + i * size]);
  }
  return found;
}

std::vector<double> NormalReader::slope(const Probe& probe, const NormalMoments& distribution) {
  const std::size_t m = distribution.mean.size(), d = probe.points[0].size();
  std::vector<std::vector<double>> xs;
  std::vector<double> steps;
  for (std::size_t i = 0; i < m; ++i) {
    steps.push_back(std::sqrt(distribution.covariance[i + i * m]));
    for (const double sign : {1.0, -1.0}) {
      xs.push_back(distribution.mean);
      xs.back()[i] += sign * steps[i];
    }
  }
  const auto found = values(probe, xs);
  std::vector<double> slope(m * d, 0.0);
  for (std::size_t e = 0; e < d; ++e)
    for (std::size_t i = 0; i < m; ++i) {
      const double weighed =
          (found[2 * i][1 + e] - found[2 * i + 1][1 + e]) / (2.0 * steps[i]);  // (J' Q^-1)_ei
      for (std::size_t k = 0; k < m; ++k)
        slope[k + e * m] += distribution.covariance[k + i * m] * weighed;
    }
  return slope;
}

// Points whose means differ share their x, so the gradient, quadratic in x, is found from its values about the first mean, and
//   d (grad_p log N)_e / dx = Q^-1 J_e   at x = mean.
std::vector<std::vector<double>> NormalReader::slopes(
    const Probe& probe, std::span<const NormalMoments> distributions) {
  const std::size_t m = distributions[0].mean.size(), d = probe.points[0].size(),
                    count = distributions.size();
  const std::vector<double>& centre = distributions[0].mean;
  std::vector<double> scale;
  for (std::size_t i = 0; i < m; ++i)
    scale.push_back(std::sqrt(distributions[0].covariance[i + i * m]));
  std::vector<std::vector<double>> xs = quadratic_points(static_cast<Index>(m));
  for (std::vector<double>& x : xs)
    for (std::size_t i = 0; i < m; ++i) x[i] = centre[i] + scale[i] * x[i];
  const auto found = values(probe, xs);
  std::vector<std::vector<double>> all(count, std::vector<double>(m * d, 0.0));
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t e = 0; e < d; ++e) {
      std::vector<double> of_x;
      for (const auto& at_x : found) of_x.push_back(at_x[(1 + e) * count + p]);
      const Quadratic q = quadratic_of(static_cast<Index>(m), of_x);
      for (std::size_t i = 0; i < m; ++i) {
        double weighed = q.gradient[i];
        for (std::size_t j = 0; j < m; ++j)
          weighed += q.curvature[i + j * m] * (distributions[p].mean[j] - centre[j]) / scale[j];
        for (std::size_t k = 0; k < m; ++k)
          all[p][k + e * m] += distributions[p].covariance[k + i * m] * weighed / scale[i];
      }
    }
  return all;
}

std::vector<NormalMoments> NormalReader::transition(Index time, Points before) {
  return distributions({StateRole::transition_density, time, before}, elements_);
}
std::vector<NormalMoments> NormalReader::observation(Index time, Points states) {
  const std::string& name = model_.functions()[StateRole::observation_density].name;
  if (name.ends_with("_lpmf"))
    throw Error(ErrorCode::program,
                fmt::format("{} isn't a normal density: its outcomes are whole numbers", name),
                "--method", "take --method bootstrap, or --method guided --proposal laplace");
  return distributions({StateRole::observation_density, time, states}, ssize(there(time)));
}
std::vector<double> NormalReader::transition_slope(Index time, const std::vector<double>& before,
                                                   const NormalMoments& distribution) {
  return slope({StateRole::transition_density, time, std::span(&before, 1), true}, distribution);
}
std::vector<double> NormalReader::observation_slope(Index time, const std::vector<double>& state,
                                                    const NormalMoments& distribution) {
  return slope({StateRole::observation_density, time, std::span(&state, 1), true}, distribution);
}
std::vector<std::vector<double>> NormalReader::observation_slopes(
    Index time, Points states, std::span<const NormalMoments> distributions) {
  return slopes({StateRole::observation_density, time, states, true}, distributions);
}
std::vector<std::vector<double>> NormalReader::log_outcomes(Index time, Points states) {
  const std::vector<std::vector<double>> seen{values_there(time)};
  const std::vector<double> found =
      values({StateRole::observation_density, time, states, true}, seen)[0];
  const std::size_t count = states.size();
  std::vector<std::vector<double>> all(count);
  for (std::size_t k = 0; k < found.size(); ++k) all[k % count].push_back(found[k]);
  return all;
}

}  // namespace credo::model
