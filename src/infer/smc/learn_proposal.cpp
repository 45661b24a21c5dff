#include "infer/smc/learn_proposal.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/smc/particle_filter.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "credo/optimiser.hpp"

namespace credo::infer {
namespace {
using density::LearnableSpace;
using density::StateSpace;
using numerics::ConditionalNormal;
using numerics::Standard;
using Numbers = std::vector<double>;

std::span<const double> state_in(const Numbers& states, std::size_t i, std::size_t d) {
  return std::span(states).subspan(i * d, d);
}

// The gradient of the bound of many particles is noise for the most part [rainforth2018], so that a step takes several runs of few.
constexpr Index kBoundParticles = 8;

// Standards for the states of a bootstrap filter over all times, and for the outcomes.
struct Standards {
  Standard features, elements;
};

void add_standard(Standard& to, double mean, double variance) {
  to.centre.push_back(mean);
  to.scale.push_back(variance > 0.0 && std::isfinite(variance) ? std::sqrt(variance) : 1.0);
}

Standards standards_of(const LearnableSpace& space, const LearnOptions& options,
                       std::uint64_t seed) {
  const FilterResult run = run_filter(
      space.space(), {.num_particles = options.num_particles, .seed = seed, .quantiles = false});
  const double count = static_cast<double>(run.times.size());
  Standards all;
  add_standard(all.features, 0.0, 1.0);
  for (std::size_t e = 0; e < run.times.front().mean.size(); ++e) {
    double mean = 0.0, variance = 0.0;
    for (const FilteredTime& t : run.times) mean += t.mean[e] / count;
    for (const FilteredTime& t : run.times)
      variance += ((t.mean[e] - mean) * (t.mean[e] - mean) + t.sd[e] * t.sd[e]) / count;
    add_standard(all.features, mean, variance);
    add_standard(all.elements, mean, variance);
  }
  const std::size_t size = space.outcome_at(0).size();
  for (std::size_t k = 0; k < size; ++k) {
    double number = 0.0, mean = 0.0, squares = 0.0;
    for (Index t = 0; t < space.space().num_times(); ++t)
      if (const double y = space.outcome_at(t)[k]; !std::isnan(y)) {
        const double apart = y - mean;
        mean += apart / ++number;
        squares += apart * (y - mean);
      }
    add_standard(all.features, mean, number > 0.0 ? squares / number : 1.0);
  }
  return all;
}

// Adds weight * grad log q(x | features) to the gradient.
void add_log_density(const ConditionalNormal& distribution, std::span<const double> features,
                     std::span<const double> x, double weight, std::span<double> gradient) {
  const ConditionalNormal::Moments at = distribution.at(features);
  Numbers by_mean, by_log_sd;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double sd = numerics::exp(at.log_sd[e]), z = (x[e] - at.mean[e]) / sd;
    by_mean.push_back(weight * z / sd);
    by_log_sd.push_back(weight * (z * z - 1.0));
  }
  distribution.pull_back(at, by_mean, by_log_sd, gradient);
}

// Lines of the last particles: v_T = W_T, and backwards the weight of a particle is the sum of its children's.
Numbers nasmc_gradient(const LearnableSpace& space, const ConditionalNormal& distribution,
                       const LearnOptions& options, std::uint64_t seed) {
  const auto guided = space.guided_by(distribution);
  const FilterResult run = run_filter(*guided, {.num_particles = options.num_particles,
                                                .method = FilterMethod::guided,
                                                .seed = seed,
                                                .quantiles = false,
                                                .keep_ancestry = true});
  const Index elements = distribution.num_elements();
  const auto state_of = [&](const Generation& g, std::size_t i) {
    Numbers x;
    for (Index e = 0; e < elements; ++e)
      x.push_back(g.states[static_cast<std::size_t>(e) * g.weights.size() + i]);
    return x;
  };
  Numbers gradient(distribution.weights().size(), 0.0);
  Numbers weights = run.generations.back().weights;
  for (std::size_t t = run.generations.size(); t-- > 0;) {
    const Generation& now = run.generations[t];
    const Numbers outcome = space.outcome_at(static_cast<Index>(t));
    Numbers before(weights.size(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == 0.0) continue;
      const auto parent = static_cast<std::size_t>(now.parents[i]);
      before[parent] += weights[i];
      if (!space.space().is_observed(static_cast<Index>(t))) continue;
      const Numbers previous = t == 0 ? Numbers() : state_of(run.generations[t - 1], parent);
      add_log_density(distribution, density::proposal_features(previous, elements, outcome),
                      state_of(now, i), weights[i], gradient);
    }
    weights = std::move(before);
  }
  return gradient;
}

// Paths from the model, whose outcomes are drawn at some of the times.
Numbers amortized_gradient(LearnableSpace& space, const ConditionalNormal& distribution,
                           const LearnOptions& options, std::uint64_t seed) {
  constexpr Index kTimes = 32, kBlock = StateSpace::kBlock;
  const StateSpace& model = space.space();
  const auto mover = model.make_mover(density::Kernel::bootstrap);
  const auto d = static_cast<std::size_t>(distribution.num_elements());
  const Index count = options.num_particles;
  Rng rng({.seed = seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 6});
  const double share =
      std::min(1.0, static_cast<double>(kTimes) / static_cast<double>(model.num_times()));
  Numbers gradient(distribution.weights().size(), 0.0);
  Numbers before(d * static_cast<std::size_t>(kBlock)), after = before, unused(before.size());
  for (Index t = 0; t < model.num_times(); ++t) {
    std::swap(before, after);
    mover->move({.time = t,
                 .first = 0,
                 .count = count,
                 .seed = rng.bits(),
                 .previous = t == 0 ? nullptr : before.data(),
                 .next = after.data(),
                 .log_weights = unused.data()});
    const auto column = [&](const Numbers& of, std::size_t i) {
      Numbers x;
      for (std::size_t e = 0; e < d; ++e) x.push_back(of[e * static_cast<std::size_t>(kBlock) + i]);
      return x;
    };
    if (!model.is_observed(t) || rng.uniform() >= share) continue;
    Numbers states;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const Numbers x = column(after, i);
      states.insert(states.end(), x.begin(), x.end());
    }
    const Numbers outcomes = space.draw_outcomes(t, states, rng);
    const std::size_t m = outcomes.size() / static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      add_log_density(
          distribution,
          density::proposal_features(t == 0 ? Numbers() : column(before, i),
                                     distribution.num_elements(), state_in(outcomes, i, m)),
          state_in(states, i, d), 1.0 / static_cast<double>(count), gradient);
  }
  return gradient;
}

// Values of a time for the gradient of the bound. Numbers of particles lie one after another.
struct BoundTime {
  std::vector<Index> parents;
  std::vector<ConditionalNormal::Moments> distributions;  // empty for a missing outcome
  Numbers states, noise, weights;
  density::StateSlopes slopes;
};

// x_i = m + s * noise, log w_i = log p(x_i | x_parent) + log p(y | x_i) - log q(x_i | x_parent, y)
BoundTime advance_bound(LearnableSpace& space, const ConditionalNormal& distribution, Index time,
                        const BoundTime* before, Rng& rng, Index count, double& log_likelihood) {
  const auto n = static_cast<std::size_t>(count),
             d = static_cast<std::size_t>(distribution.num_elements());
  BoundTime now;
  Numbers previous;
  if (before != nullptr) {
    Numbers log_weights;
    for (const double w : before->weights) log_weights.push_back(numerics::log(w));
    now.parents = systematic_parents(log_weights, rng.uniform());
    for (const Index parent : now.parents) {
      const auto x = state_in(before->states, static_cast<std::size_t>(parent), d);
      previous.insert(previous.end(), x.begin(), x.end());
    }
  }
  const auto previous_of = [&](std::size_t i) {
    return before == nullptr ? std::span<const double>() : state_in(previous, i, d);
  };
  // They move by the transition with equal weights; a missing outcome adds no gradient.
  if (!space.space().is_observed(time)) {
    constexpr auto kBlock = static_cast<std::size_t>(StateSpace::kBlock);
    Numbers from(d * kBlock), to = from, unused(kBlock);
    for (std::size_t i = 0; i < kBlock && before != nullptr; ++i)
      for (std::size_t e = 0; e < d; ++e) from[e * kBlock + i] = previous_of(std::min(i, n - 1))[e];
    space.space()
        .make_mover(density::Kernel::bootstrap)
        ->move({.time = time,
                .count = count,
                .seed = rng.bits(),
                .previous = before == nullptr ? nullptr : from.data(),
                .next = to.data(),
                .log_weights = unused.data()});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t e = 0; e < d; ++e) now.states.push_back(to[e * kBlock + i]);
    now.weights.assign(n, 1.0 / static_cast<double>(n));
    return now;
  }
  const Numbers outcome = space.outcome_at(time);
  Numbers log_weights(n);
  for (std::size_t i = 0; i < n; ++i) {
    now.distributions.push_back(distribution.at(
        density::proposal_features(previous_of(i), distribution.num_elements(), outcome)));
    for (std::size_t e = 0; e < d; ++e) {
      now.noise.push_back(rng.normal());
      now.states.push_back(now.distributions[i].mean[e] +
                           numerics::exp(now.distributions[i].log_sd[e]) * now.noise.back());
    }
  }
  now.slopes = space.slopes(time, now.states, previous);
  for (std::size_t i = 0; i < n; ++i)
    log_weights[i] = now.slopes.log_transition[i] + now.slopes.log_outcome[i] -
                     numerics::log_density(now.distributions[i], state_in(now.states, i, d));
  const double log_sum = numerics::log_sum_exp(log_weights);
  log_likelihood += log_sum - numerics::log(static_cast<double>(n));
  for (const double w : log_weights) now.weights.push_back(numerics::exp(w - log_sum));
  return now;
}
}  // namespace

// Backwards: what log Z changes by with a state is its own weight times the slopes of log w, and what its children hand back.
BoundGradient vsmc_gradient(LearnableSpace& space, const ConditionalNormal& distribution,
                            Index num_particles, Rng& rng) {
  const auto n = static_cast<std::size_t>(num_particles),
             d = static_cast<std::size_t>(distribution.num_elements());
  BoundGradient found{.log_likelihood = 0.0,
                      .gradient = Numbers(distribution.weights().size(), 0.0)};
  std::vector<BoundTime> times;
  for (Index t = 0; t < space.space().num_times(); ++t)
    times.push_back(advance_bound(space, distribution, t, t == 0 ? nullptr : &times.back(), rng,
                                  num_particles, found.log_likelihood));
  Numbers by_state(n * d,
                   0.0);  // gradient of log Z by this time's states, through their children
  for (std::size_t t = times.size(); t-- > 0;) {
    const BoundTime& now = times[t];
    Numbers by_parents(n * d, 0.0), by_mean(d), by_log_sd(d);
    Numbers by_features(1 + d + space.outcome_at(static_cast<Index>(t)).size());
    for (std::size_t i = 0; i < n && !now.distributions.empty(); ++i) {
      const double w = now.weights[i];
      for (std::size_t e = 0; e < d; ++e) {
        const std::size_t k = i * d + e;
        by_mean[e] = by_state[k] + w * (now.slopes.by_state[k] + now.slopes.outcome_by_state[k]);
        by_log_sd[e] =
            by_mean[e] * numerics::exp(now.distributions[i].log_sd[e]) * now.noise[k] + w;
      }
      distribution.pull_back(now.distributions[i], by_mean, by_log_sd, found.gradient, by_features);
      if (t == 0) continue;
      const std::size_t parent = static_cast<std::size_t>(now.parents[i]) * d;
      for (std::size_t e = 0; e < d; ++e)
        by_parents[parent + e] += by_features[1 + e] + w * now.slopes.by_previous[i * d + e];
    }
    by_state = std::move(by_parents);
  }
  return found;
}

ConditionalNormal learn_proposal(LearnableSpace& space, const LearnOptions& options) {
  Rng rng({.seed = options.seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 7});
  Standards standards = standards_of(space, options, rng.bits());
  ConditionalNormal distribution(std::move(standards.features), std::move(standards.elements),
                                 options.hidden, rng);
  // The bound's gradient says little where nearly all weight is on few particles: it continues from the lines of a filter.
  const bool bounds = options.how == Learning::vsmc;
  const Index num_first = bounds ? options.num_steps / 2 : 0;
  const numerics::StepRow& adam = numerics::optimiser_step("adam");
  const numerics::RateRow& hold = numerics::rate_rule("hold");
  const Index num_weights = ssize(distribution.weights());
  numerics::Optimiser first_steps(adam, num_weights), steps(adam, num_weights);
  const numerics::StepSize first_size(hold, options.rate, num_first),
      size(hold, bounds ? 0.1 * options.rate : options.rate, options.num_steps - num_first);
  Index num_taken = 0;
  for (Index k = 0; k < options.num_steps; ++k) {
    const std::uint64_t seed = rng.bits();
    Numbers gradient;
    if (options.how == Learning::nasmc || k < num_first) {
      gradient = nasmc_gradient(space, distribution, options, seed);
    } else if (options.how == Learning::amortized) {
      gradient = amortized_gradient(space, distribution, options, seed);
    } else {
      Rng own({.seed = seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 8});
      gradient.assign(distribution.weights().size(), 0.0);
      for (Index run = 0; run < options.num_particles / kBoundParticles; ++run) {
        const Numbers one = vsmc_gradient(space, distribution, kBoundParticles, own).gradient;
        for (std::size_t w = 0; w < one.size(); ++w) gradient[w] += one[w];
      }
    }
    const bool is_taken = k < num_first
                              ? first_steps.climb(distribution.weights(), gradient, first_size)
                              : steps.climb(distribution.weights(), gradient, size);
    num_taken += is_taken ? 1 : 0;
  }
  if (2 * num_taken < options.num_steps)
    throw Error(ErrorCode::evaluation,
                fmt::format("{} of {} steps of learning have no finite gradient",
                            options.num_steps - num_taken, options.num_steps),
                "--proposal learned",
                "states or outcomes are too far out for the densities: take another way to learn "
                "(--learn), or --proposal laplace");
  return distribution;
}

}  // namespace credo::infer
