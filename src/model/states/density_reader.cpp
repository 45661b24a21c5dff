// A density is first probed at unit distances around 0. If that loses digits, because its scale is far from 1, it is
// probed again around its own mean, at distances of its own standard deviations.
#include "model/states/density_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "density/require.hpp"
#include "model/states/state_program.hpp"

namespace credo::model {
namespace {
using density::StateSpace;
using numerics::LinearGaussianStep;
using Values = std::vector<double>;
constexpr double kRelativeRounding = std::numeric_limits<double>::epsilon();

std::size_t entry(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}

// The scale on which a density is probed: z = centre + scale u.
struct Frame {
  Values centre, scale;
  bool is_unit = true;
};
Frame unit_frame(Index n) {
  const auto size = static_cast<std::size_t>(n);
  return {Values(size, 0.0), Values(size, 1.0)};
}

// A frame around the distribution found: for x its standard deviations, for p the distances that move the mean of x
// by one of them.
Frame frame_of(Index m, Index n, const LinearGaussian& distribution) {
  Frame frame = unit_frame(n);
  frame.is_unit = false;
  double widest = 0.0;
  for (Index i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    frame.centre[k] = distribution.offset[k];
    frame.scale[k] = std::sqrt(distribution.noise[entry(i, i, m)]);
    widest = std::max(widest, frame.scale[k]);
  }
  constexpr double kLeast = 1e-6, kMostTimes = 10.0;
  for (Index j = m; j < n; ++j) {
    double least = kInfinity;
    for (Index i = 0; i < m; ++i)
      least = std::min(least, frame.scale[static_cast<std::size_t>(i)] /
                                  std::abs(distribution.matrix[entry(i, j - m, m)]));
    frame.scale[static_cast<std::size_t>(j)] =
        std::clamp(least, kLeast, std::max(kLeast, kMostTimes * widest));
  }
  return frame;
}

LinearGaussian in_frame(Index m, const Frame& frame, LinearGaussian distribution) {
  if (frame.is_unit) return distribution;
  const Index k = ssize(frame.scale) - m;
  const auto scale = [&](Index i) { return frame.scale[static_cast<std::size_t>(i)]; };
  for (Index i = 0; i < m; ++i) {
    double& offset = distribution.offset[static_cast<std::size_t>(i)];
    offset = frame.centre[static_cast<std::size_t>(i)] + scale(i) * offset;
    for (Index j = 0; j < k; ++j) distribution.matrix[entry(i, j, m)] *= scale(i) / scale(m + j);
    for (Index j = 0; j < m; ++j) distribution.noise[entry(i, j, m)] *= scale(i) * scale(j);
  }
  return distribution;
}

// Loss of accuracy of the variances: a curvature is a difference of values, and large values lose its digits.
double lost_digits(Index m, const Frame& frame, const LinearGaussian& distribution,
                   const Values& values) {
  double largest = 0.0, widest = 0.0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  for (Index i = 0; i < m; ++i)
    widest = std::max(widest, distribution.noise[entry(i, i, m)] /
                                  std::pow(frame.scale[static_cast<std::size_t>(i)], 2));
  return kRelativeRounding * largest * widest;
}

bool are_finite(const Values& values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}
bool is_known(const StateDistribution& distribution) {
  return distribution.root.size() == distribution.mean.size() * distribution.mean.size() &&
         are_finite(distribution.mean) && are_finite(distribution.root);
}

// Allowed error of the log density at a point, from rounding in the parameters of the distribution and in differences
// of large numbers.
double slack(Index m, const LinearGaussian& distribution, const Values& z, double log_density) {
  double off = 0.0;
  for (Index i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double size = std::abs(z[k]) + std::abs(distribution.offset[k]);
    for (Index j = m; j < ssize(z); ++j)
      size += std::abs(distribution.matrix[entry(i, j - m, m)] * z[static_cast<std::size_t>(j)]);
    off += size / std::sqrt(distribution.noise[entry(i, i, m)]);
  }
  constexpr double kLost = 1e-10;  // for a density that isn't probed again
  return (kLost + 64.0 * kRelativeRounding) * off * (1.0 + std::sqrt(2.0 * std::abs(log_density)));
}

// Points that weren't used for the fit, some of them near the ridge of the density.
std::vector<Values> points_about_origin(Index m, const LinearGaussian& g, Index n) {
  constexpr Index kPoints = 8;
  Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 0, .iteration = 2});
  std::vector<Values> points;
  for (Index p = 0; p < kPoints; ++p) {
    Values z;
    for (Index i = 0; i < n; ++i) z.push_back(3.0 * rng.normal());
    for (Index i = 0; i < m; ++i) {
      double centre = g.offset[static_cast<std::size_t>(i)];
      for (Index j = m; j < n; ++j)
        centre += g.matrix[entry(i, j - m, m)] * z[static_cast<std::size_t>(j)];
      if (p % 2 == 0)
        z[static_cast<std::size_t>(i)] =
            centre + std::sqrt(g.noise[entry(i, i, m)]) * z[static_cast<std::size_t>(i)];
    }
    points.push_back(std::move(z));
  }
  return points;
}

// States at 0, +-1, +-3 and +-6 standard deviations along each direction of a distribution, and some in between.
std::vector<Values> states_about(const StateDistribution& distribution, std::uint32_t number) {
  const Index d = ssize(distribution.mean);
  Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 1, .iteration = number});
  std::vector<Values> units{Values(distribution.mean.size(), 0.0)};
  for (Index e = 0; e < d; ++e)
    for (const double far : {1.0, 3.0, DensityReader::kFarthest})
      for (const double sign : {1.0, -1.0}) {
        units.emplace_back(distribution.mean.size(), 0.0);
        units.back()[static_cast<std::size_t>(e)] = sign * far;
      }
  for (int k = 0; k < 6; ++k) {
    units.emplace_back();
    for (Index e = 0; e < d; ++e) units.back().push_back(2.0 * rng.normal());
  }
  std::vector<Values> states;
  for (const Values& u : units) {
    Values& x = states.emplace_back(distribution.mean);
    for (Index i = 0; i < d; ++i)  // S' u
      for (Index k = 0; k < d; ++k)
        x[static_cast<std::size_t>(i)] +=
            distribution.root[entry(k, i, d)] * u[static_cast<std::size_t>(k)];
  }
  return states;
}

// A draw of the first elements given the others, with 1.5 times the standard deviations.
Values drawn_from(Index m, const LinearGaussian& g, const Values& given, Rng& rng) {
  Values x;
  for (Index i = 0; i < m; ++i) {
    double mean = g.offset[static_cast<std::size_t>(i)];
    for (Index j = 0; j < ssize(given); ++j)
      mean += g.matrix[entry(i, j, m)] * given[static_cast<std::size_t>(j)];
    x.push_back(mean + 1.5 * std::sqrt(g.noise[entry(i, i, m)]) * rng.normal());
  }
  return x;
}

Values joined(Values first, const Values& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
}  // namespace

void require_finite_outcome(const StateModel& model, Index time) {
  const Values outcome = model.outcome_at(time);
  for (const double y : outcome)
    if (std::isinf(y))
      throw Error(ErrorCode::data,
                  fmt::format("at time {} the outcome {} is {}, where a normal distribution "
                              "has no density",
                              time + 1, model.outcome_name(), y),
                  model.outcome_name(),
                  "give a finite number, or NaN where the outcome is missing");
}

// A density to be read, for m elements given n - m others.
struct DensityReader::Asked {
  Index m, n;
  LogDensityOf density;
  StateRole role;
  Index time;
};

namespace {
const char* option_of(const StateModel& model, const char* asked_by) {
  return model.num_regimes() > 0 ? "--method rao-blackwellised" : asked_by;
}
}  // namespace

density::Capability can_read_densities(const StateModel& model, const char* asked_by) {
  using enum StateRole;
  for (const auto& [role, name] : {std::pair{initial_density, "initial_lpdf"},
                                   std::pair{transition_density, "transition_lpdf"}})
    if (!model.functions()[role])
      return {.can = false,
              .reason = fmt::format(
                  "the Kalman filter reads the model off its densities, and {} is missing", name),
              .where = option_of(model, asked_by),
              .hint = fmt::format("write {} in the functions block", name)};
  if (model.functions().state.base == lang::BaseType::integer ||
      model.state().size() > DensityReader::kMostElements)
    return {.can = false,
            .reason = fmt::format("the Kalman filter takes states of at most {} real numbers",
                                  DensityReader::kMostElements),
            .where = option_of(model, asked_by)};
  return {};
}

DensityReader::DensityReader(const StateModel& model, const char* asked_by)
    : model_(model), d_(model.state().size()), option_(option_of(model, asked_by)) {
  density::require(can_read_densities(model, asked_by));
}
DensityReader::~DensityReader() = default;

LinearGaussianStep DensityReader::transition_step(Index time) {
  const bool begins = time == 0;
  const LinearGaussian moved =
      distribution({.m = d_,
                    .n = begins ? d_ : 2 * d_,
                    .density = [&](const Points& points) { return transition(time, points); },
                    .role = begins ? StateRole::initial_density : StateRole::transition_density,
                    .time = time});
  return {.matrix = moved.matrix, .offset = moved.offset, .noise = moved.noise};
}

LinearGaussianStep DensityReader::first_step(Values& unknown) {
  std::vector<Index> known;
  for (Index e = 0; e < d_; ++e) {
    if (!is_flat(e)) {
      known.push_back(e);
      continue;
    }
    unknown.resize(unknown.size() + static_cast<std::size_t>(d_), 0.0);
    unknown[unknown.size() - static_cast<std::size_t>(d_ - e)] = 1.0;
  }
  return unknown.empty() ? step(0) : with_outcome(first_of_known(known), 0);
}

LinearGaussianStep DensityReader::first_of_known(std::span<const Index> known) {
  const Index m = ssize(known);
  const auto of_known = [&](const Points& points) {
    Points all;
    for (const Values& point : points) {
      Values& whole = all.emplace_back(static_cast<std::size_t>(d_), 0.0);
      for (Index i = 0; i < m; ++i)
        whole[static_cast<std::size_t>(known[static_cast<std::size_t>(i)])] =
            point[static_cast<std::size_t>(i)];
    }
    return transition(0, all);
  };
  LinearGaussian start;
  if (m > 0)
    start = distribution({m, m, of_known, StateRole::initial_density, 0});
  else if (const double value = of_known({{}}).front(); !is_log_density(value, 0.0))
    throw Error(ErrorCode::program,
                fmt::format("{} is {} everywhere: a diffuse start has "
                            "the log density 0",
                            model_.functions()[StateRole::initial_density].name, value),
                option_, "return 0");
  LinearGaussianStep s;
  s.offset.assign(static_cast<std::size_t>(d_), 0.0);
  s.noise.assign(static_cast<std::size_t>(d_ * d_), 0.0);
  for (Index i = 0; i < m; ++i) {
    const Index row = known[static_cast<std::size_t>(i)];
    s.offset[static_cast<std::size_t>(row)] = start.offset[static_cast<std::size_t>(i)];
    for (Index j = 0; j < m; ++j)
      s.noise[entry(row, known[static_cast<std::size_t>(j)], d_)] = start.noise[entry(i, j, m)];
  }
  return s;
}

// Compares values at many distances on both sides. A start that is truncated anywhere isn't flat.
bool DensityReader::is_flat(Index element) {
  static constexpr double kFar[] = {-1e12, -1e9, -1e6, -1e5, -1e4, -1e3, -1e2, -1e1, 0.0,
                                    1e1,   1e2,  1e3,  1e4,  1e5,  1e6,  1e9,  1e12};
  Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 0, .iteration = 3});
  Points points;
  for (int base = 0; base < 2; ++base) {
    Values z;
    for (Index e = 0; e < d_; ++e) z.push_back(rng.normal());
    for (const double x : kFar)
      points.push_back(z), points.back()[static_cast<std::size_t>(element)] = x;
  }
  const Values values = transition(0, points);
  for (std::size_t p = 1; p < values.size(); ++p)
    if (p % std::size(kFar) != 0 &&
        !(std::fabs(values[p] - values[p - 1]) <= 1e-12 * std::fabs(values[p])))
      return false;
  return true;
}

// The elements of the outcome that are there; at a time without one, whose outcome is forecast, all.
std::vector<std::size_t> DensityReader::places_there(Index time) const {
  const Values outcome = model_.outcome_at(time);
  std::vector<std::size_t> there;
  for (std::size_t i = 0; i < outcome.size(); ++i)
    if (!model_.is_observed(time) || !std::isnan(outcome[i])) there.push_back(i);
  return there;
}

LinearGaussianStep DensityReader::with_outcome(LinearGaussianStep s, Index time) {
  if (!model_.is_observed(time)) return s;
  require_finite_outcome(model_, time);
  read_outcome(s, time);
  const Values outcome = model_.outcome_at(time);
  for (const std::size_t i : places_there(time)) s.outcome.push_back(outcome[i]);
  return s;
}

LinearGaussianStep DensityReader::forecast_step(LinearGaussianStep s, Index time,
                                                std::span<const double> state_mean) {
  read_outcome(s, time);
  s.outcome = s.observation_offset;
  const Index m = ssize(s.outcome);
  for (Index i = 0; i < m; ++i)
    for (Index e = 0; e < d_; ++e)
      s.outcome[static_cast<std::size_t>(i)] +=
          s.observation[entry(i, e, m)] * state_mean[static_cast<std::size_t>(e)];
  return s;
}

void DensityReader::read_outcome(LinearGaussianStep& s, Index time) {
  const Values outcome = model_.outcome_at(time);
  const std::vector<std::size_t> there = places_there(time);
  const Index m = ssize(there);
  const LinearGaussian seen = distribution(
      {.m = m,
       .n = m + d_,
       .density = [&](const Points& points) { return observation(time, points, outcome, there); },
       .role = StateRole::observation_density,
       .time = time});
  s.observation = seen.matrix;
  s.observation_offset = seen.offset;
  s.observation_noise = seen.noise;
}

void DensityReader::refuse(const Asked& asked, const std::string& why) const {
  const std::vector<std::string> others = model_.other_distributions(asked.role);
  throw Error(
      ErrorCode::program,
      fmt::format("at time {}, {} isn't a normal density whose mean is linear in the "
                  "state and whose covariance doesn't depend on it{}{}",
                  asked.time + 1, model_.functions()[asked.role].name,
                  others.empty() ? "" : fmt::format(" (distribution: {})", fmt::join(others, ", ")),
                  why),
      option_,
      model_.num_regimes() > 0 ? "given the regime, the model must be linear and Gaussian"
                               : "take --method bootstrap, which takes any model");
}

LinearGaussian DensityReader::distribution(const Asked& asked) const {
  constexpr double kMostLost = 1e-10;
  Frame frame = unit_frame(asked.n);
  std::optional<LinearGaussian> found;
  for (int reading = 0; reading < 2; ++reading) {
    Points points = quadratic_points(asked.n);
    for (Values& z : points)
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = frame.centre[i] + frame.scale[i] * z[i];
    const Values values = asked.density(points);
    if (!are_finite(values))
      refuse(asked, fmt::format(": it is {} there", *std::ranges::find_if_not(values, [](double v) {
                                  return std::isfinite(v);
                                })));
    found = linear_gaussian_of(asked.m, quadratic_of(asked.n, values));
    if (!found) refuse(asked, "");
    found = in_frame(asked.m, frame, *found);
    if (lost_digits(asked.m, frame, *found, values) <= kMostLost) break;
    if (reading == 0) frame = frame_of(asked.m, asked.n, *found);
  }
  (void)hold(asked, *found, points_about_origin(asked.m, *found, asked.n));
  return *found;
}

// Points that needn't be compared where the expressions show that the density is normal and linear.
Index DensityReader::hold_far(const Asked& asked, const LinearGaussian& distribution,
                              const Points& points) const {
  return model_.is_quadratic(asked.role) ? 0 : hold(asked, distribution, points);
}

// Requires that the density is that of the normal distribution at the points. Returns their number.
Index DensityReader::hold(const Asked& asked, const LinearGaussian& distribution,
                          const Points& points) const {
  const Values values = asked.density(points);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double expected = log_normal_density(asked.m, distribution, points[p]);
    if (is_log_density(values[p], expected) ||
        std::abs(values[p] - expected) <= slack(asked.m, distribution, points[p], expected))
      continue;
    const bool is_first = asked.m == asked.n;
    refuse(asked,
           fmt::format(": where {} is {:.4g}, its log density is {:.6g}, and that of the fitted "
                       "normal distribution {:.6g}",
                       is_first ? "the state" : "the state that it is given",
                       points[p][static_cast<std::size_t>(is_first ? 0 : asked.m)], values[p],
                       expected));
  }
  return ssize(points);
}

// Compares the first state's density. A diffuse start has zeros in the covariance, so it isn't compared.
Index DensityReader::hold_first(const LinearGaussianStep& step, std::uint32_t number,
                                const StateDistribution& now) {
  for (Index e = 0; e < d_; ++e)
    if (!(step.noise[entry(e, e, d_)] > 0.0)) return 0;
  return hold_far({.m = d_,
                   .n = d_,
                   .density = [&](const Points& z) { return transition(0, z); },
                   .role = StateRole::initial_density,
                   .time = 0},
                  {.matrix = {}, .offset = step.offset, .noise = step.noise},
                  states_about(now, number));
}

Index DensityReader::require_along(const LinearGaussianStep& step, Index time,
                                   const StateDistribution* before, const StateDistribution& now) {
  const auto number = static_cast<std::uint32_t>(time);
  Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 2, .iteration = number});
  const bool is_there = is_known(now);
  Index count = 0;
  if (before != nullptr && is_known(*before)) {
    const LinearGaussian moves{step.matrix, step.offset, step.noise};
    Points points;
    for (const Values& p : states_about(*before, number)) {
      points.push_back(joined(drawn_from(d_, moves, p, rng), p));
      if (is_there) points.push_back(joined(now.mean, p));
    }
    count += hold_far({.m = d_,
                       .n = 2 * d_,
                       .density = [&](const Points& z) { return transition(time, z); },
                       .role = StateRole::transition_density,
                       .time = time},
                      moves, points);
  }
  if (!is_there) return count;
  if (before == nullptr) count += hold_first(step, number, now);
  if (step.outcome.empty()) return count;
  const LinearGaussian seen{step.observation, step.observation_offset, step.observation_noise};
  const Values outcome = model_.outcome_at(time);
  const std::vector<std::size_t> there = places_there(time);
  const Index m = ssize(there);
  Points points;
  const std::vector<Values> states = states_about(now, number);
  for (const Values& x : states) points.push_back(joined(step.outcome, x));
  points.push_back(joined(drawn_from(m, seen, states.back(), rng), states.back()));
  return count +
         hold_far({.m = m,
                   .n = m + d_,
                   .density = [&](const Points& z) { return observation(time, z, outcome, there); },
                   .role = StateRole::observation_density,
                   .time = time},
                  seen, points);
}

// The points are x followed by the previous state.
Values DensityReader::transition(Index time, const Points& points) {
  StateProgramRun& run = run_of(time == 0);
  Values result, shown = model_.outcome_at(time);
  for (double& y : shown) y = std::isnan(y) ? 0.0 : y;  // the density of the outcome isn't used
  run.show(time, shown);
  for (std::size_t first = 0; first < points.size(); first += StateSpace::kBlock) {
    const std::size_t count =
        std::min(points.size() - first, static_cast<std::size_t>(StateSpace::kBlock));
    Values given(static_cast<std::size_t>(d_ * StateSpace::kBlock)), before(given.size());
    for (Index p = 0; p < StateSpace::kBlock; ++p) {
      const Values& z = points[first + std::min(static_cast<std::size_t>(p), count - 1)];
      for (Index e = 0; e < d_; ++e) {
        given[entry(p, e, StateSpace::kBlock)] = z[static_cast<std::size_t>(e)];
        if (time > 0) before[entry(p, e, StateSpace::kBlock)] = z[static_cast<std::size_t>(d_ + e)];
      }
    }
    const Values values = densities(run, time, given, before);
    result.insert(result.end(), values.begin(), values.begin() + static_cast<Index>(count));
  }
  return result;
}

// The points are y followed by x. Points with the same outcome are evaluated in one run.
Values DensityReader::observation(Index time, const Points& points, const Values& outcome,
                                  const std::vector<std::size_t>& there) {
  Values result(points.size(), kNaN);
  std::vector<char> done(points.size(), 0);
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (done[p] != 0) continue;
    std::vector<std::size_t> same;
    for (std::size_t q = p; q < points.size() && ssize(same) < StateSpace::kBlock; ++q)
      if (std::equal(points[p].begin(), points[p].begin() + ssize(there), points[q].begin()))
        same.push_back(q);
    Values shown = outcome, given(static_cast<std::size_t>(d_ * StateSpace::kBlock)),
           before(given.size());
    for (std::size_t i = 0; i < there.size(); ++i) shown[there[i]] = points[p][i];
    for (Index k = 0; k < StateSpace::kBlock; ++k) {
      const Values& z = points[same[std::min(static_cast<std::size_t>(k), same.size() - 1)]];
      for (Index e = 0; e < d_; ++e)
        given[entry(k, e, StateSpace::kBlock)] = z[there.size() + static_cast<std::size_t>(e)];
    }
    StateProgramRun& run = run_of(time == 0);
    run.show(time, shown);
    const Values values = densities(run, time, given, before, true);
    run.show(time, outcome);
    for (std::size_t k = 0; k < same.size(); ++k) result[same[k]] = values[k], done[same[k]] = 1;
  }
  return result;
}

Values DensityReader::densities(StateProgramRun& run, Index time, const Values& given,
                                const Values& before, bool of_outcome) const {
  Values results(static_cast<std::size_t>(2 * StateSpace::kBlock));
  run.run({.time = time, .count = StateSpace::kBlock, .previous = before.data()}, given.data(),
          results.data());
  return {results.begin() + (of_outcome ? StateSpace::kBlock : 0),
          results.begin() + (of_outcome ? 2 * StateSpace::kBlock : StateSpace::kBlock)};
}

StateProgramRun& DensityReader::run_of(bool initial) {
  auto& run = runs_[initial ? 1 : 0];
  if (run == nullptr)
    run = std::make_unique<StateProgramRun>(
        model_, StateStage{.task = StateTask::densities, .initial = initial});
  return *run;
}

}  // namespace credo::model
