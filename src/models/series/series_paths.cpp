#include "models/series/series_paths.hpp"

#include "base/error.hpp"
#include "numerics/series_smoother.hpp"

namespace credo::models {
namespace {
using numerics::SeriesSystem;

std::size_t at_time(Index t) { return static_cast<std::size_t>(t); }

std::vector<double> design_of(const Series& made) {
  const Index n = made.num_states(), times = made.design_varies() ? made.num_times : 1;
  std::vector<double> z(at_time(n * times), 0.0);
  for (std::size_t k = 0; k < made.components.size(); ++k) {
    const SeriesComponent& part = made.components[k];
    if (part.num_states == 0) continue;
    for (Index t = 0; t < times; ++t)
      z[at_time(made.first_state(k) + t * n)] =
          part.weights.empty() ? 1.0 : part.weights[at_time(t)];
  }
  return z;
}

// The variances of the outcomes at all times: those behind the fit are drawn for student's distribution.
std::vector<double> variances_of(const Series& made, const SeriesMatrices& at, Rng& rng,
                                 double sigma_square) {
  if (std::isnan(at.nu)) return {at.variance[0]};
  std::vector<double> all = at.variance;
  while (ssize(all) < made.num_times) {
    // A gamma variable of shape nu / 2 and rate nu / 2 [marsaglia2000].
    const double shape = 0.5 * at.nu, boosted = shape < 1.0 ? shape + 1.0 : shape;
    const double d = boosted - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    double gamma = 0.0;
    for (;;) {
      const double x = rng.normal(), v = std::pow(1.0 + c * x, 3.0);
      if (v > 0.0 && std::log(rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
        gamma = d * v;
        break;
      }
    }
    if (shape < 1.0) gamma *= std::pow(rng.uniform(), 1.0 / shape);
    all.push_back(sigma_square / (gamma / shape));
  }
  return all;
}

// Changes of a slope behind the fit: as many per time as within it, with a Laplace distribution of the same mean size [taylor2018].
void add_changes(const Series& made, const SeriesComponent& part, double scale, Rng& rng,
                 std::vector<double>& values) {
  double slope = 0.0, sum = 0.0;
  for (Index t = made.axis.num_times; t < made.num_times; ++t) {
    sum += slope / part.change_unit;
    // The number of changes since the time before is Poisson: exponential gaps.
    for (double passed = rng.exponential() / part.change_rate; passed < 1.0;
         passed += rng.exponential() / part.change_rate) {
      const double change = (rng.uniform() < 0.5 ? -1.0 : 1.0) * scale * rng.exponential();
      slope += change;
      sum += change * (1.0 - passed) / part.change_unit;
    }
    values[at_time(t)] += sum;
  }
}

void add_states(const Series& made, const SeriesMatrices& at, Rng& rng, SeriesPath& path) {
  const Index n = made.num_states();
  SeriesSystem system{.sizes = {.times = made.num_times,
                                .states = n,
                                .unknowns = made.num_unknown(),
                                .kinds = ssize(made.kind_moves),
                                .design_varies = made.design_varies(),
                                .noise_varies = ssize(at.variance) > 1}};
  using namespace numerics;
  system.parts[kSeriesDesign] = design_of(made);
  system.parts[kSeriesTransition] = at.a, system.parts[kSeriesStateNoise] = at.q;
  system.parts[kSeriesNoise] = at.variance;
  system.parts[kSeriesMean] = at.m, system.parts[kSeriesCovariance] = at.p;
  system.parts[kSeriesUnknown].assign(at_time(n * made.num_unknown()), 0.0);
  Index column = 0;
  for (std::size_t k = 0; made.is_diffuse && k < made.components.size(); ++k)
    for (const Index state : made.components[k].unknown)
      system.parts[kSeriesUnknown][at_time(made.first_state(k) + state + n * column++)] = 1.0;
  system.parts[kSeriesKinds].assign(made.kinds.begin(), made.kinds.end());
  for (std::size_t t = 0; t < made.y.size(); ++t)
    system.parts[kSeriesOutcomes].push_back(made.y[t] - path.mean[t]);
  const SeriesSmoother smoother(system);
  if (std::isnan(smoother.log_density()))
    throw Error(ErrorCode::evaluation,
                "the outcomes have no density at a draw, so its states can't be computed",
                made.formula, "a prior that keeps standard deviations from 0 helps");
  const auto one_step = smoother.one_step();
  for (Index t = 0; t < made.axis.num_times; ++t) {
    path.one_step_mean[at_time(t)] = one_step.mean[at_time(t)] + path.mean[at_time(t)];
    path.one_step_sd[at_time(t)] = one_step.sd[at_time(t)];
  }
  const std::vector<double> states = smoother.draw(rng);
  const std::vector<double>& z = system.parts[kSeriesDesign];
  for (std::size_t k = 0; k < made.components.size(); ++k)
    for (Index t = 0; made.components[k].num_states > 0 && t < made.num_times; ++t) {
      const Index first = made.first_state(k);
      path.parts[k][at_time(t)] =
          states[at_time(first + t * n)] * z[at_time(first + (made.design_varies() ? t * n : 0))];
    }
}

// Counts: the program draws the states, later ones too, so that components are known.
SeriesPath count_path(const Series& made, const SeriesMatrices& at, Rng& rng) {
  const SeriesFamily& family = series_family(made.family);
  SeriesPath path;
  path.parts = at.parts;
  path.one_step_mean.assign(at_time(made.axis.num_times), kNaN);
  path.one_step_sd = path.one_step_mean;
  for (std::size_t k = 0; k < path.parts.size(); ++k)
    if (at.change_scale[k] > 0.0)
      add_changes(made, made.components[k], at.change_scale[k], rng, path.parts[k]);
  for (std::size_t t = 0; t < at_time(made.num_times); ++t) {
    double predictor = 0.0;
    for (const std::vector<double>& part : path.parts) predictor += part[t];
    path.mean.push_back(family.mean(predictor));
    path.outcome.push_back(family.draw(predictor, at.parameter, rng));
  }
  return path;
}

double variance_over_time(std::span<const SeriesBand> bands, Index times) {
  double sum = 0.0, squares = 0.0;
  for (Index t = 0; t < times; ++t) sum += bands[at_time(t)].mean;
  const double mean = sum / static_cast<double>(times);
  for (Index t = 0; t < times; ++t)
    squares += (bands[at_time(t)].mean - mean) * (bands[at_time(t)].mean - mean);
  return squares / static_cast<double>(times);
}
}  // namespace

SeriesPath series_path(const Series& made, const SeriesMatrices& given, Rng& rng) {
  if (made.is_count()) return count_path(made, given, rng);
  SeriesMatrices at = given;
  const auto times = at_time(made.num_times);
  SeriesPath path;
  path.parts.assign(made.components.size(), std::vector<double>(times, 0.0));
  path.mean.assign(times, 0.0), path.outcome.assign(times, 0.0);
  path.one_step_mean.assign(at_time(made.axis.num_times), kNaN);
  path.one_step_sd = path.one_step_mean;
  double sigma_square = at.variance[0];
  if (!std::isnan(at.nu)) sigma_square = at.variance.back(), at.variance.pop_back();
  at.variance = variances_of(made, at, rng, sigma_square);
  for (std::size_t k = 0; k < at.parts.size(); ++k) {
    if (at.parts[k].empty()) continue;
    path.parts[k] = at.parts[k];
    if (at.change_scale[k] > 0.0)
      add_changes(made, made.components[k], at.change_scale[k], rng, path.parts[k]);
    for (std::size_t t = 0; t < times; ++t) path.mean[t] += path.parts[k][t];
  }
  if (made.num_states() > 0) {
    add_states(made, at, rng, path);
  } else {
    for (std::size_t t = 0; t < path.one_step_mean.size(); ++t)
      if (!std::isnan(made.y[t])) {
        path.one_step_mean[t] = path.mean[t];
        path.one_step_sd[t] = std::sqrt(at.variance[at.variance.size() > 1 ? t : 0]);
      }
  }
  for (std::size_t t = 0; t < times; ++t) {
    path.mean[t] = 0.0;
    for (const std::vector<double>& part : path.parts) path.mean[t] += part[t];
    path.outcome[t] =
        path.mean[t] + std::sqrt(at.variance[at.variance.size() > 1 ? t : 0]) * rng.normal();
  }
  return path;
}

SeriesBand band_of(std::vector<double> values, double outer) {
  SeriesBand band;
  if (values.empty() || std::ranges::any_of(values, [](double x) { return std::isnan(x); }))
    return band;
  double sum = 0.0, squares = 0.0;
  for (const double x : values) sum += x;
  band.mean = sum / static_cast<double>(values.size());
  for (const double x : values) squares += (x - band.mean) * (x - band.mean);
  band.sd = values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0.0;
  std::ranges::sort(values);
  const auto quantile = [&](double p) {
    const double place = p * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
  };
  band.q5 = quantile(0.5 - 0.5 * outer), band.q50 = quantile(0.5),
  band.q95 = quantile(0.5 + 0.5 * outer);
  return band;
}

SeriesSummary summarise_paths(const Series& made, std::span<const SeriesPath> paths,
                              std::span<const SeriesMatrices> at, double outer) {
  SeriesSummary found;
  const auto band_at = [&](auto value_of) {
    std::vector<double> values;
    for (const SeriesPath& path : paths) values.push_back(value_of(path));
    return band_of(std::move(values), outer);
  };
  double total = 0.0;
  for (std::size_t k = 0; k < made.components.size(); ++k) {
    ComponentSummary part{.label = made.components[k].label, .bands = {}};
    for (std::size_t t = 0; t < at_time(made.num_times); ++t)
      part.bands.push_back(band_at([&](const SeriesPath& path) { return path.parts[k][t]; }));
    part.share = variance_over_time(part.bands, made.axis.num_times);
    total += part.share;
    found.components.push_back(std::move(part));
  }
  double noise = 0.0;
  for (const SeriesMatrices& draw : at) {
    double sum = 0.0;
    for (const double variance : draw.variance)
      sum += variance / static_cast<double>(draw.variance.size());
    noise += sum / static_cast<double>(at.size());
  }
  total += noise;
  found.noise_share = noise / total;
  for (ComponentSummary& part : found.components) part.share /= total;
  for (Index t = made.axis.num_times; t < made.num_times; ++t)
    found.forecast.push_back(
        band_at([&](const SeriesPath& path) { return path.outcome[at_time(t)]; }));
  for (std::size_t t = 0; t < at_time(made.axis.num_times); ++t) {
    OneStepSummary one;
    const SeriesBand means = band_at([&](const SeriesPath& path) { return path.one_step_mean[t]; });
    const SeriesBand squares =
        band_at([&](const SeriesPath& path) { return path.one_step_sd[t] * path.one_step_sd[t]; });
    one.mean = means.mean, one.sd = std::sqrt(squares.mean + means.sd * means.sd);
    one.z = (made.y[t] - one.mean) / one.sd;
    found.one_step.push_back(one);
  }
  return found;
}

}  // namespace credo::models
