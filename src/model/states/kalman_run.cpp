// The law of each step is read off its log densities (quadratic.hpp) and compared with the program at other points, so that a
// density that isn't such a normal density is refused.
#include "model/states/kalman_run.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "model/states/quadratic.hpp"
#include "model/states/state_program.hpp"
#include "numerics/information_filter.hpp"
#include "numerics/special.hpp"

namespace credo::model {
namespace {
using density::StateSpace;
using Values = std::vector<double>;

std::size_t at(Index row, Index col, Index rows) {
  return static_cast<std::size_t>(row + col * rows);
}

// Log densities of points z = (first, second).
using LogDensityOf = std::function<Values(const std::vector<Values>& points)>;

Quadratic quadratic_of(Index n, const LogDensityOf& density) {
  return model::quadratic_of(n, density(quadratic_points(n)));
}

// Whether the density is that of the law, at points that the law wasn't read off from, some of them near its ridge.
bool is_density_of(Index m, const LinearGaussian& g, Index n, const LogDensityOf& density) {
  constexpr Index kPoints = 8;
  Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 0, .iteration = 2});
  std::vector<Values> points;
  for (Index p = 0; p < kPoints; ++p) {
    Values z;
    for (Index i = 0; i < n; ++i) z.push_back(3.0 * rng.normal());
    for (Index i = 0; i < m; ++i) {
      double centre = g.offset[static_cast<std::size_t>(i)];
      for (Index j = m; j < n; ++j)
        centre += g.matrix[at(i, j - m, m)] * z[static_cast<std::size_t>(j)];
      if (p % 2 == 0)
        z[static_cast<std::size_t>(i)] =
            centre + std::sqrt(g.noise[at(i, i, m)]) * z[static_cast<std::size_t>(i)];
    }
    points.push_back(std::move(z));
  }
  const Values values = density(points);
  for (std::size_t p = 0; p < points.size(); ++p)
    if (!is_log_density(values[p], log_normal_density(m, g, points[p]))) return false;
  return true;
}

class DensityReader {
 public:
  explicit DensityReader(const StateModel& model, const char* asked_by = "--method kalman")
      : model_(model), d_(model.state().size()), option_(asked_by) {
    using enum StateRole;
    for (const auto& [role, name] : {std::pair{initial_density, "initial_lpdf"},
                                     std::pair{transition_density, "transition_lpdf"}})
      if (!model.functions()[role])
        throw Error(
            ErrorCode::program,
            fmt::format("the Kalman filter reads the model off its densities, and {} is missing",
                        name),
            option(), fmt::format("write {} in the functions block", name));
    if (model.functions().state.base == lang::BaseType::integer || d_ > kMostElements)
      throw Error(
          ErrorCode::program,
          fmt::format("the Kalman filter takes states of at most {} real numbers", kMostElements),
          option());
  }

  const char* option() const {
    return model_.num_regimes() > 0 ? "--method rao-blackwellised" : option_;
  }

  // Matrix, offset and noise.
  numerics::LinearGaussianStep transition_step(Index time) {
    numerics::LinearGaussianStep s;
    const bool begins = time == 0;
    const LinearGaussian moved = law(
        d_, begins ? d_ : 2 * d_, [&](const auto& points) { return transition(time, points); },
        begins ? StateRole::initial_density : StateRole::transition_density, time);
    s.matrix = moved.matrix;
    s.offset = moved.offset;
    s.noise = moved.noise;
    return s;
  }
  numerics::LinearGaussianStep step(Index time) {
    return with_outcome(transition_step(time), time);
  }

  // The first step, and a column for each element of the first state that initial_lpdf doesn't depend on: its density is flat
  // there, and nothing is known of the element. The others have their normal law.
  numerics::LinearGaussianStep first_step(std::vector<double>& unknown) {
    std::vector<Index> known;
    for (Index e = 0; e < d_; ++e) {
      if (!is_flat(e)) {
        known.push_back(e);
        continue;
      }
      unknown.resize(unknown.size() + static_cast<std::size_t>(d_), 0.0);
      unknown[unknown.size() - static_cast<std::size_t>(d_ - e)] = 1.0;
    }
    if (unknown.empty()) return step(0);
    const Index m = ssize(known);
    const auto of_known = [&](const std::vector<Values>& points) {
      std::vector<Values> all;
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
      start = law(m, m, of_known, StateRole::initial_density, 0);
    else if (const double value = of_known({{}}).front(); !is_log_density(value, 0.0))
      throw Error(
          ErrorCode::program,
          fmt::format("{} is {} everywhere: a diffuse start, of which nothing is known, has "
                      "the log density 0",
                      model_.functions()[StateRole::initial_density].name, value),
          option(), "return 0");
    numerics::LinearGaussianStep s;
    s.offset.assign(static_cast<std::size_t>(d_), 0.0);
    s.noise.assign(static_cast<std::size_t>(d_ * d_), 0.0);
    for (Index i = 0; i < m; ++i) {
      const Index row = known[static_cast<std::size_t>(i)];
      s.offset[static_cast<std::size_t>(row)] = start.offset[static_cast<std::size_t>(i)];
      for (Index j = 0; j < m; ++j)
        s.noise[at(row, known[static_cast<std::size_t>(j)], d_)] = start.noise[at(i, j, m)];
    }
    return with_outcome(std::move(s), 0);
  }

 private:
  // A start that is cut off anywhere isn't flat; looked at on many scales, on both sides.
  bool is_flat(Index element) {
    static constexpr double kFar[] = {-1e12, -1e9, -1e6, -1e5, -1e4, -1e3, -1e2, -1e1, 0.0,
                                      1e1,   1e2,  1e3,  1e4,  1e5,  1e6,  1e9,  1e12};
    Rng rng({.seed = 1, .purpose = purpose::kFilter, .chain = 0, .iteration = 3});
    std::vector<Values> points;
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

  numerics::LinearGaussianStep with_outcome(numerics::LinearGaussianStep s, Index time) {
    if (!model_.is_observed(time)) return s;
    const Values outcome = model_.outcome_at(time);
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < outcome.size(); ++i)
      if (!std::isnan(outcome[i])) there.push_back(i);
    const Index m = ssize(there);
    const LinearGaussian seen = law(
        m, m + d_, [&](const auto& points) { return observation(time, points, outcome, there); },
        StateRole::observation_density, time);
    s.observation = seen.matrix;
    s.observation_offset = seen.offset;
    s.observation_noise = seen.noise;
    for (const std::size_t i : there) s.outcome.push_back(outcome[i]);
    return s;
  }

  static constexpr Index kMostElements = 15;  // whose probes are one block

  LinearGaussian law(Index m, Index n, const LogDensityOf& density, StateRole role,
                     Index time) const {
    const std::optional<LinearGaussian> found = linear_gaussian_of(m, quadratic_of(n, density));
    if (!found || !is_density_of(m, *found, n, density))
      throw Error(ErrorCode::program,
                  fmt::format("at time {}, {} isn't a normal density whose mean is linear in the "
                              "state and whose covariance doesn't depend on it",
                              time + 1, model_.functions()[role].name),
                  option(),
                  model_.num_regimes() > 0
                      ? "given the regime, the model must be linear and Gaussian"
                      : "take --method bootstrap, which takes any model");
    return *found;
  }

  // x, and the state before behind it.
  Values transition(Index time, const std::vector<Values>& points) {
    StateProgramRun& run = run_of(time == 0);
    Values result, shown = model_.outcome_at(time);
    for (double& y : shown) y = std::isnan(y) ? 0.0 : y;  // its density isn't looked at
    run.show(time, shown);
    for (std::size_t first = 0; first < points.size(); first += StateSpace::kBlock) {
      const std::size_t count =
          std::min(points.size() - first, static_cast<std::size_t>(StateSpace::kBlock));
      Values given(static_cast<std::size_t>(d_ * StateSpace::kBlock)), before(given.size());
      for (Index p = 0; p < StateSpace::kBlock; ++p) {
        const Values& z = points[first + std::min(static_cast<std::size_t>(p), count - 1)];
        for (Index e = 0; e < d_; ++e) {
          given[at(p, e, StateSpace::kBlock)] = z[static_cast<std::size_t>(e)];
          if (time > 0) before[at(p, e, StateSpace::kBlock)] = z[static_cast<std::size_t>(d_ + e)];
        }
      }
      const Values values = densities(run, time, given, before);
      result.insert(result.end(), values.begin(), values.begin() + static_cast<Index>(count));
    }
    return result;
  }

  // y, and x behind it: points of the same outcome in one run.
  Values observation(Index time, const std::vector<Values>& points, const Values& outcome,
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
          given[at(k, e, StateSpace::kBlock)] = z[there.size() + static_cast<std::size_t>(e)];
      }
      StateProgramRun& run = run_of(time == 0);
      run.show(time, shown);
      const Values values = densities(run, time, given, before, true);
      run.show(time, outcome);
      for (std::size_t k = 0; k < same.size(); ++k) result[same[k]] = values[k], done[same[k]] = 1;
    }
    return result;
  }

  Values densities(StateProgramRun& run, Index time, const Values& given, const Values& before,
                   bool of_outcome = false) const {
    Values results(static_cast<std::size_t>(2 * StateSpace::kBlock));
    run.run({.time = time, .count = StateSpace::kBlock, .previous = before.data()}, given.data(),
            results.data());
    return {results.begin() + (of_outcome ? StateSpace::kBlock : 0),
            results.begin() + (of_outcome ? 2 * StateSpace::kBlock : StateSpace::kBlock)};
  }
  StateProgramRun& run_of(bool initial) {
    auto& run = runs_[initial ? 1 : 0];
    if (run == nullptr)
      run = std::make_unique<StateProgramRun>(
          model_, StateStage{.task = StateTask::densities, .initial = initial});
    return *run;
  }

  const StateModel& model_;
  Index d_;
  const char* option_;
  std::array<std::unique_ptr<StateProgramRun>, 2> runs_;
};
}  // namespace

std::vector<numerics::LinearGaussianStep> linear_gaussian_steps(const StateModel& model) {
  DensityReader reader(model);
  std::vector<numerics::LinearGaussianStep> steps;
  for (Index t = 0; t < model.num_times(); ++t) steps.push_back(reader.step(t));
  return steps;
}

numerics::SwitchingModel switching_model(StateModel& model) {
  if (model.num_regimes() == 0)
    throw Error(ErrorCode::program, "the program has no regimes to switch between",
                "--method rao-blackwellised",
                "write vector initial_regimes(...) and vector next_regimes(int regime, ...) in its "
                "functions block; docs/algorithms/filters.md has the rules");
  const auto count = static_cast<std::int32_t>(model.num_regimes());
  numerics::SwitchingModel switching{
      .steps = {}, .initial = model.regime_probabilities(0, 0), .transition = {{}}};
  for (std::int32_t k = 1; k <= count; ++k) {
    model.set_regime(k);
    switching.steps.push_back(linear_gaussian_steps(model));
  }
  for (Index t = 1; t < model.num_times(); ++t) {
    std::vector<double>& all = switching.transition.emplace_back();
    for (std::int32_t before = 1; before <= count; ++before) {
      const Values next = model.regime_probabilities(t, before);
      all.insert(all.end(), next.begin(), next.end());
    }
  }
  return switching;
}

std::vector<double> KalmanTime::quantiles(std::span<const double> levels) const {
  std::vector<double> all;
  for (const double level : levels)
    for (std::size_t e = 0; e < mean.size(); ++e)
      all.push_back(mean[e] + sd[e] * numerics::inv_phi(level));
  return all;
}

namespace {
KalmanTime time_of(const numerics::GaussianState& state) {
  KalmanTime at_time{.log_increment = kNaN, .mean = state.mean, .sd = {}};
  const std::vector<double> covariance = state.covariance();
  const Index d = ssize(at_time.mean);
  for (Index i = 0; i < d; ++i) at_time.sd.push_back(std::sqrt(covariance[at(i, i, d)]));
  return at_time;
}
}  // namespace

numerics::LinearGaussianStep first_law(const StateModel& model) {
  return DensityReader(model).transition_step(0);
}

void require_no_regimes(const StateModel& model, const char* option) {
  if (model.num_regimes() > 0)
    throw Error(ErrorCode::program,
                "the program switches between regimes, which this filter doesn't follow", option,
                "take --method rao-blackwellised");
}

namespace {
// The steps and what is unknown of the first state; the filter is yet to run.
GaussianTrack steps_of(const StateModel& model, const char* option) {
  require_no_regimes(model, option);
  GaussianTrack track;
  DensityReader reader(model, option);
  track.steps.push_back(reader.first_step(track.unknown));
  for (Index t = 1; t < model.num_times(); ++t) track.steps.push_back(reader.step(t));
  return track;
}
void require_determined(const GaussianTrack& track, double log_likelihood, const char* option) {
  if (track.unknown.empty() || !std::isnan(log_likelihood)) return;
  throw Error(ErrorCode::program,
              fmt::format("the outcomes don't determine the state of a diffuse start: {} of its "
                          "elements aren't known",
                          ssize(track.unknown) / ssize(track.steps[0].offset)),
              option, "give them a law in initial_lpdf");
}
}  // namespace

GaussianTrack kalman_track(const StateModel& model) {
  GaussianTrack track = steps_of(model, "--method kalman");
  track.filtered = numerics::diffuse_kalman_filter(track.steps, track.unknown);
  require_determined(track, track.filtered.log_likelihood, "--method kalman");
  return track;
}

GaussianTrack information_track(const StateModel& model) {
  GaussianTrack track = steps_of(model, "--method information");
  track.filtered = numerics::information_filter(track.steps, track.unknown);
  require_determined(track, track.filtered.log_likelihood, "--method information");
  return track;
}

KalmanRun filtered_run(const GaussianTrack& track) {
  KalmanRun run{.log_likelihood = track.filtered.log_likelihood, .times = {}};
  for (std::size_t t = 0; t < track.steps.size(); ++t) {
    run.times.push_back(time_of(track.filtered.filtered[t]));
    run.times.back().log_increment = track.filtered.log_increments[t];
  }
  return run;
}

KalmanRun run_kalman(const StateModel& model) { return filtered_run(kalman_track(model)); }

namespace {
// Paths that are made of standard normal numbers, as many as the states have.
void draw_paths(KalmanSmoothing& smoothing, Index num_paths, Index num_numbers, std::uint64_t seed,
                const std::function<Values(std::span<const double> normals)>& path_of) {
  Values normals(static_cast<std::size_t>(num_numbers));
  for (Index p = 0; p < num_paths; ++p) {
    Rng rng({.seed = seed,
             .purpose = purpose::kFilter,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(3 + p)});
    for (double& z : normals) z = rng.normal();
    const Values path = path_of(normals);
    smoothing.paths.insert(smoothing.paths.end(), path.begin(), path.end());
  }
}
}  // namespace

KalmanSmoothing smoothed_run(const GaussianTrack& track, Index num_paths, std::uint64_t seed) {
  if (!track.unknown.empty())
    throw Error(ErrorCode::program, "smoothed laws of a diffuse start aren't there by this method",
                "--method kalman",
                "take --method two-filter, which begins without any information");
  KalmanSmoothing smoothing{.run = {.log_likelihood = track.filtered.log_likelihood, .times = {}},
                            .paths = {}};
  for (const numerics::GaussianState& state : numerics::rts_smoother(track.steps, track.filtered))
    smoothing.run.times.push_back(time_of(state));
  const std::vector<numerics::BackwardLaw> laws =
      numerics::backward_laws(track.steps, track.filtered);
  draw_paths(smoothing, num_paths, ssize(track.steps) * ssize(track.steps[0].offset), seed,
             [&](std::span<const double> normals) {
               return numerics::smoothed_path(track.filtered, laws, normals);
             });
  return smoothing;
}

KalmanSmoothing two_filter_run(const StateModel& model, Index num_paths, std::uint64_t seed) {
  const GaussianTrack track = steps_of(model, "--method two-filter");
  const numerics::TwoFilterSmoothing found =
      numerics::two_filter_smoother(track.steps, track.unknown);
  require_determined(track, found.log_likelihood, "--method two-filter");
  KalmanSmoothing smoothing{.run = {.log_likelihood = found.log_likelihood, .times = {}},
                            .paths = {}};
  for (const numerics::GaussianState& state : found.smoothed)
    smoothing.run.times.push_back(time_of(state));
  draw_paths(
      smoothing, num_paths, ssize(track.steps) * ssize(track.steps[0].offset), seed,
      [&](std::span<const double> normals) { return numerics::smoothed_path(found, normals); });
  return smoothing;
}

}  // namespace credo::model
