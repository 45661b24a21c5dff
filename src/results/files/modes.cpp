#include "results/files/modes.hpp"

#include <fmt/format.h>

#include "density/model.hpp"
#include "infer/core/table.hpp"

namespace credo::results {
namespace {
using infer::ClimbEnd;
using infer::Curvature;

double statistic(const Fit& fit, std::string_view name, Index chain) {
  const auto place = find_quantity(fit, name);
  if (!place) return kNaN;
  return fit.quantities(false, *place, 1)(0, chain, 0);
}

template <class Enum>
Enum enum_of(double value, Enum last) {
  const bool is_known = value >= 0.0 && value <= static_cast<double>(last);
  return is_known ? static_cast<Enum>(static_cast<int>(value)) : Enum{};
}

ModeStart start_of(const Fit& fit, Index chain) {
  ModeStart start{.log_density = statistic(fit, "log_density", chain),
                  .gradient = statistic(fit, "largest_gradient", chain),
                  .gain = statistic(fit, "gain", chain)};
  start.end = enum_of(statistic(fit, "end", chain), ClimbEnd::steps);
  start.curvature = enum_of(statistic(fit, "curvature", chain), Curvature::Shape::uphill);
  start.num_iterations = static_cast<Index>(statistic(fit, "num_iterations", chain));
  if (chain < ssize(fit.result().chains))
    start.num_evaluations = fit.result().chains[static_cast<std::size_t>(chain)].num_evaluations;
  return start;
}

std::span<const double> tuned(const Fit& fit, std::size_t chain, std::string_view name) {
  if (chain >= fit.result().chains.size()) return {};
  for (const infer::TunedSetting& setting : fit.result().chains[chain].tuned)
    if (setting.name == name) return setting.values;
  return {};
}

// "sigma, theta.1 and 3 others": those of a direction that count.
std::string names_in(const Fit& fit, std::span<const double> direction) {
  constexpr double kCounts = 0.3;  // share of the largest component
  constexpr std::size_t kShown = 4;
  const std::vector<std::string>& names = fit.origin().free_names;
  double most = 0.0;
  for (const double x : direction) most = std::max(most, std::fabs(x));
  std::string text;
  std::size_t count = 0;
  for (std::size_t d = 0; d < direction.size(); ++d) {
    if (std::fabs(direction[d]) < kCounts * most || most == 0.0) continue;
    if (++count <= kShown)
      text += (text.empty() ? "" : ", ") +
              (d < names.size() ? names[d] : fmt::format("unconstrained value {}", d + 1));
  }
  if (count > kShown) text += fmt::format(" and {} others", count - kShown);
  return text;
}

// Direction by direction, each once.
std::string limiting_names(const Fit& fit, std::size_t chain) {
  const std::span<const double> all = tuned(fit, chain, "limits");
  const std::size_t n = tuned(fit, chain, "mode").size();
  std::string text;
  for (std::size_t k = 0; n > 0 && (k + 1) * n <= all.size(); ++k)
    text += (text.empty() ? "" : "; ") + names_in(fit, all.subspan(k * n, n));
  return text;
}

std::string limits_of_end(ClimbEnd end, const std::string& names) {
  switch (end) {
    case ClimbEnd::max_iterations:
      return "The climb had not ended when its iterations were used up: --max-iterations allows "
             "more.";
    case ClimbEnd::line_search:
      return "The climb ended where no point along its direction is higher, and the gradient isn't "
             "zero: the density has an edge or a kink there, or its digits are lost. Where priors "
             "are double_exponential (lasso), --method proximal climbs on to the mode.";
    case ClimbEnd::unbounded:
      return fmt::format(
          "The log density seems to rise without bound along the unconstrained values of {}: there "
          "is no "
          "maximum. A prior that keeps them from their ends helps.",
          names.empty() ? "some parameters" : names);
    case ClimbEnd::infinity:
      return fmt::format(
          "The log density levels off along the unconstrained values of {}: its maximum lies at an "
          "end of "
          "their range, or infinitely far away, and the values are where the climb stopped. A "
          "prior "
          "that keeps them from there helps; or --jacobian, where the end is a bound.",
          names.empty() ? "some parameters" : names);
    case ClimbEnd::saddle:
      return fmt::format(
          "It is a saddle: the log density rises on both sides along {}. Another "
          "start leaves it: --seed, or more --starts.",
          names);
    case ClimbEnd::schedule:
      return "It is the best point of a random walk, not the top: --polish true climbs there.";
    case ClimbEnd::steps:
      return "It is where the steps ended, not the top: --polish true climbs there, more "
             "--num-steps "
             "come nearer.";
    default:
      return {};
  }
}

std::string limits_of_shape(const ModeStart& start, const std::string& names) {
  if (start.curvature == Curvature::Shape::flat)
    return fmt::format(
        "The log density doesn't change to second order along {}: the mode is no single point, so "
        "there are no standard deviations. A prior on them, or one parameter less, helps.",
        names);
  if (start.curvature == Curvature::Shape::unknown)
    return "The curvature at the mode is unknown, since there are more unconstrained values than "
           "--max-curvature allows or points beside it are refused: there are no standard "
           "deviations.";
  return {};
}

std::string words_on_kinks(std::span<const double> kinks, double violation) {
  const auto held = std::ranges::count(kinks, 2.0), all = held + std::ranges::count(kinks, 1.0);
  if (all == 0) return {};
  return fmt::format(
      "{} of {} values with a double_exponential prior {} exactly at its centre, and {} no "
      "standard deviation. The conditions of a maximum are violated by {:.2g} at most.",
      held, all, held == 1 ? "is" : "are", held == 1 ? "has" : "have", violation);
}

std::size_t best_of(std::span<const ModeStart> starts) {
  std::size_t best = 0;
  for (std::size_t c = 1; c < starts.size(); ++c) {
    const bool now = infer::has_converged(starts[c].end),
               before = infer::has_converged(starts[best].end);
    if (now != before ? now : starts[c].log_density > starts[best].log_density) best = c;
  }
  return best;
}
}  // namespace

bool holds_modes(const Fit& fit) { return infer::climbs_to_modes(fit.origin().sampler); }

Modes modes_of(const Fit& fit) {
  Modes modes;
  for (Index c = 0; c < fit.num_chains(); ++c) modes.starts.push_back(start_of(fit, c));
  modes.best = best_of(modes.starts);
  const ModeStart& best = modes.best_start();
  bool any_unbounded = false;
  for (ModeStart& start : modes.starts) {
    start.agrees = infer::has_converged(start.end) &&
                   std::fabs(start.log_density - best.log_density) <= kSameHeight;
    any_unbounded = any_unbounded || start.end == ClimbEnd::unbounded;
  }
  modes.kinks = words_on_kinks(tuned(fit, modes.best, "kinks"), best.gradient);
  const std::string names = limiting_names(fit, modes.best);
  modes.limits = infer::has_converged(best.end) ? limits_of_shape(best, names)
                                                : limits_of_end(best.end, names);
  if (any_unbounded && best.end != ClimbEnd::unbounded)
    modes.limits += std::string(modes.limits.empty() ? "" : " ") +
                    "From another start the log density rises without bound: this mode is a "
                    "local maximum, and there is no highest point.";
  modes.is_sound =
      infer::has_converged(best.end) && !any_unbounded && best.curvature != Curvature::Shape::flat;
  return modes;
}

std::vector<double> mode_sds(const Fit& fit, const Modes& modes, const density::Model& model) {
  std::vector<double> sds(static_cast<std::size_t>(model.outputs().size()), kNaN);
  const std::span<const double> mode = tuned(fit, modes.best, "mode");
  const std::size_t n = mode.size();
  const std::vector<double>& covariance = fit.result().chains[modes.best].inv_metric;
  if (n == 0 || covariance.size() != n * n || !infer::has_converged(modes.best_start().end))
    return sds;
  const density::Written what{.last = density::Block::transformed_parameters,
                              .density_prints = false};
  std::vector<double> point(mode.begin(), mode.end());
  const density::OutputWriters& writers = model.writers().require(model.name());
  const auto at = [&](std::size_t d, double x) {
    point[d] = x;
    Rng rng({.seed = 0, .purpose = purpose::kGenerated});
    std::vector<double> row = writers.write(point, rng, nullptr, what);
    point[d] = mode[d];
    return row;
  };
  std::vector<std::vector<double>> slopes;  // slopes of all outputs, by each unconstrained value
  for (std::size_t d = 0; d < n; ++d) {
    if (covariance[d * n + d] == 0.0) {  // at a kink
      slopes.emplace_back();
      continue;
    }
    constexpr double kRoot = 6e-6, kShare = 1e-3;  // cube root of roundoff; share of the sd
    const double h = std::min(kRoot * std::max(1.0, std::fabs(mode[d])),
                              kShare * std::sqrt(covariance[d * n + d]));
    const std::vector<double> up = at(d, mode[d] + h), down = at(d, mode[d] - h);
    slopes.emplace_back();
    for (std::size_t k = 0; k < up.size(); ++k)
      slopes.back().push_back((up[k] - down[k]) / (2.0 * h));
  }
  const auto known = std::ranges::find_if(slopes, [](const auto& row) { return !row.empty(); });
  if (known == slopes.end()) return sds;
  const bool has_kinks = !tuned(fit, modes.best, "kinks").empty();
  for (std::size_t k = 0; k < known->size(); ++k) {
    double variance = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (!slopes[i].empty() && !slopes[j].empty())
          variance += slopes[i][k] * covariance[i * n + j] * slopes[j][k];
    sds[k] = variance == 0.0 && has_kinks ? kNaN : std::sqrt(variance);
  }
  return sds;
}

}  // namespace credo::results
