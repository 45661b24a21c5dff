// Backward simulation, for each path:
//
//   1  b_T ~ W_T
//   2  b_t ~ W_t^i p(x_{t+1}^{b_{t+1}} | x_t^i),  t = T - 1, ..., 1
//
// The weights of step 2 are those of all paths that are at the same x_{t+1}, and are computed once for them. The draw
// of a path at a time is a number of its own for any number of threads.
#include "infer/smc/smoother.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/team.hpp"
#include "infer/smc/backward_weights.hpp"
#include "infer/smc/deal_blocks.hpp"
#include "infer/smc/matching_draws.hpp"
#include "infer/smc/paris.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
using density::StateMover;
using density::StateSpace;

class BackwardPass {
 public:
  BackwardPass(const StateSpace& model, std::span<const Generation> generations,
               const BackwardOptions& options, Index repeat)
      : generations_(generations),
        weights_(model, generations, "--method ffbs"),
        options_(options),
        repeat_(repeat) {
    const Index threads = std::clamp<Index>(options.num_threads, 1, Team::kMost);
    for (Index k = 0; k < threads; ++k)
      movers_.push_back(model.make_mover(density::Kernel::bootstrap));
    if (threads > 1) team_ = std::make_unique<Team>(threads);
  }

  ParticlePaths run() {
    ParticlePaths paths;
    const auto count = static_cast<std::size_t>(options_.num_paths);
    paths.weights.assign(count, 1.0 / static_cast<double>(count));
    paths.particles.resize(generations_.size(), std::vector<std::int32_t>(count));
    draw_last(paths.particles.back());
    weights_.require_whole_density(*movers_[0]);
    for (std::size_t t = generations_.size() - 1; t-- > 0;) {
      stop_if_asked();
      if (options_.on_time) options_.on_time("going back", static_cast<Index>(t));
      step(static_cast<Index>(t), paths.particles[t + 1], paths.particles[t]);
    }
    return paths;
  }

 private:
  double uniform(Index time, Index path) const;
  void draw_last(std::vector<std::int32_t>& particles) const;
  void step(Index time, const std::vector<std::int32_t>& next, std::vector<std::int32_t>& now);

  std::span<const Generation> generations_;
  BackwardWeights weights_;
  const BackwardOptions& options_;
  Index repeat_;
  std::vector<std::unique_ptr<StateMover>> movers_;  // one per thread
  std::unique_ptr<Team> team_;
};

// Streams of the filter end before twice the number of times.
double BackwardPass::uniform(Index time, Index path) const {
  Rng rng({.seed = options_.seed,
           .purpose = purpose::kFilter,
           .chain = static_cast<std::uint32_t>(repeat_ + 1),
           .iteration = static_cast<std::uint32_t>(2 * ssize(generations_) + time)},
          static_cast<std::uint64_t>(path));
  return rng.uniform();
}

void BackwardPass::draw_last(std::vector<std::int32_t>& particles) const {
  const Generation& last = generations_.back();
  std::vector<double> cumulated(last.weights.size());
  std::partial_sum(last.weights.begin(), last.weights.end(), cumulated.begin());
  for (std::size_t k = 0; k < particles.size(); ++k)
    particles[k] =
        place_of_share(cumulated, uniform(ssize(generations_) - 1, static_cast<Index>(k)));
}

void BackwardPass::step(Index time, const std::vector<std::int32_t>& next,
                        std::vector<std::int32_t>& now) {
  std::vector<std::int32_t> order(next.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return next[static_cast<std::size_t>(a)] < next[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> distinct;
  std::vector<std::size_t> begins;  // in `order`, of each of the distinct
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int32_t j = next[static_cast<std::size_t>(order[k])];
    if (!distinct.empty() && distinct.back() == j) continue;
    distinct.push_back(j);
    begins.push_back(k);
  }
  begins.push_back(order.size());
  const Index n = ssize(generations_[static_cast<std::size_t>(time)].weights);
  const Index group = std::max<Index>(1, BackwardWeights::kPairs / n);
  deal_blocks(team_.get(), (ssize(distinct) + group - 1) / group, [&](Index block, Index member) {
    const Index first = block * group, count = std::min(group, ssize(distinct) - first);
    const std::vector<std::vector<double>> cumulated =
        weights_.cumulated(time,
                           std::span(distinct).subspan(static_cast<std::size_t>(first),
                                                       static_cast<std::size_t>(count)),
                           *movers_[static_cast<std::size_t>(member)]);
    for (Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(first + k);
      for (std::size_t p = begins[at]; p < begins[at + 1]; ++p)
        now[static_cast<std::size_t>(order[p])] =
            place_of_share(cumulated[static_cast<std::size_t>(k)], uniform(time, order[p]));
    }
  });
}

Index num_elements_of(const Generation& generation) {
  return ssize(generation.states) / ssize(generation.weights);
}

// Quantiles of weighted values, sorted by value: the smallest at which the cumulated weight reaches each level.
void append_quantiles(std::span<const std::pair<double, double>> sorted,
                      std::vector<double>& quantiles) {
  for (const double level : kFilterLevels) {
    double reached = 0.0;
    std::size_t k = 0;
    for (; k + 1 < sorted.size(); ++k) {
      reached += sorted[k].second;
      if (reached >= level * (1.0 - 1e-12)) break;
    }
    quantiles.push_back(sorted[k].first);
  }
}

}  // namespace

SmoothedTime moments_at(const Generation& generation, std::span<const std::int32_t> particles,
                        std::span<const double> weights) {
  SmoothedTime at;
  std::vector<std::int32_t> distinct(particles.begin(), particles.end());
  std::sort(distinct.begin(), distinct.end());
  at.num_distinct = std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  const Index n = ssize(generation.weights), elements = num_elements_of(generation);
  std::vector<std::vector<double>> quantiles;
  for (Index e = 0; e < elements; ++e) {
    std::vector<std::pair<double, double>> values;
    double mean = 0.0, deviation = 0.0;
    for (std::size_t p = 0; p < particles.size(); ++p) {
      values.emplace_back(generation.states[static_cast<std::size_t>(e * n + particles[p])],
                          weights[p]);
      mean += values.back().first * weights[p];
    }
    for (const auto& [x, w] : values) deviation += w * (x - mean) * (x - mean);
    at.mean.push_back(mean);
    at.sd.push_back(std::sqrt(deviation));
    std::sort(values.begin(), values.end());
    append_quantiles(values, quantiles.emplace_back());
  }
  for (std::size_t level = 0; level < kFilterLevels.size(); ++level)
    for (const auto& of_element : quantiles) at.quantiles.push_back(of_element[level]);
  return at;
}

namespace {
// So many paths of equal weights.
ParticlePaths resampled_paths(const ParticlePaths& paths, Index count, double u) {
  std::vector<double> cumulated(paths.weights.size());
  std::partial_sum(paths.weights.begin(), paths.weights.end(), cumulated.begin());
  ParticlePaths drawn{.particles = {},
                      .weights = std::vector<double>(static_cast<std::size_t>(count),
                                                     1.0 / static_cast<double>(count))};
  for (const auto& at_time : paths.particles) {
    std::vector<std::int32_t>& now = drawn.particles.emplace_back();
    for (Index k = 0; k < count; ++k)
      now.push_back(at_time[static_cast<std::size_t>(
          place_of_share(cumulated, (u + static_cast<double>(k)) / static_cast<double>(count)))]);
  }
  return drawn;
}

std::vector<double> states_of(const ParticlePaths& paths, std::span<const Generation> generations) {
  std::vector<double> states;
  for (std::size_t p = 0; p < paths.weights.size(); ++p)
    for (std::size_t t = 0; t < generations.size(); ++t) {
      const Generation& g = generations[t];
      for (Index e = 0; e < num_elements_of(g); ++e)
        states.push_back(
            g.states[static_cast<std::size_t>(e * ssize(g.weights) + paths.particles[t][p])]);
    }
  return states;
}
}  // namespace

ParticlePaths backward_paths(const StateSpace& model, std::span<const Generation> generations,
                             const BackwardOptions& options, Index repeat) {
  const density::Capability capability = model.can_weigh_transitions();
  if (!capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  return BackwardPass(model, generations, options, repeat).run();
}

ParticlePaths genealogy_paths(std::span<const Generation> generations) {
  const std::vector<double>& weights = generations.back().weights;
  std::vector<Index> last(weights.size());
  std::iota(last.begin(), last.end(), Index{0});
  ParticlePaths paths{.particles = std::vector<std::vector<std::int32_t>>(generations.size()),
                      .weights = weights};
  for (const std::vector<Index>& line : lines_of(generations, last))
    for (std::size_t t = 0; t < line.size(); ++t)
      paths.particles[t].push_back(static_cast<std::int32_t>(line[t]));
  return paths;
}

std::vector<SmoothedTime> moments_of(const ParticlePaths& paths,
                                     std::span<const Generation> generations) {
  std::vector<SmoothedTime> times;
  for (std::size_t t = 0; t < generations.size(); ++t)
    times.push_back(moments_at(generations[t], paths.particles[t], paths.weights));
  return times;
}

namespace {
struct Asked {
  const StateSpace& model;
  const FilterOptions& options;
  const SmootherOptions& how;
  Index repeat;
};

void take_paths(const Asked& asked, std::span<const Generation> generations,
                SmootherResult& result) {
  const auto& [model, options, how, repeat] = asked;
  ParticlePaths paths = how.method == SmoothMethod::ffbs
                            ? backward_paths(model, generations,
                                             {.num_paths = how.num_paths,
                                              .seed = options.seed,
                                              .num_threads = options.num_threads,
                                              .on_time = options.on_time},
                                             repeat)
                            : genealogy_paths(generations);
  result.times = moments_of(paths, generations);
  if (how.method == SmoothMethod::genealogy) {
    Rng rng({.seed = options.seed,
             .purpose = purpose::kFilter,
             .chain = static_cast<std::uint32_t>(repeat + 1),
             .iteration = static_cast<std::uint32_t>(2 * ssize(generations))});
    paths = resampled_paths(paths, how.num_paths, rng.uniform());
  }
  result.paths = states_of(paths, generations);
}
void take_paris(const Asked& asked, std::span<const Generation> generations,
                SmootherResult& result) {
  const auto& [model, options, how, repeat] = asked;
  ParisResult found = paris(model, generations,
                            {.num_draws = how.num_backward_draws,
                             .num_paths = how.num_paths,
                             .seed = options.seed,
                             .num_threads = options.num_threads,
                             .on_time = options.on_time},
                            repeat);
  result.times = std::move(found.times);
  result.sums = std::move(found.sums);
  result.paths = states_of(found.paths, generations);
}
}  // namespace

SmootherResult run_smoother(const StateSpace& model, const FilterOptions& options,
                            const SmootherOptions& how, Index repeat) {
  if (how.method != SmoothMethod::genealogy && repeat == 0) require_matching_draws(model);
  FilterOptions keeping = options;
  keeping.keep_ancestry = true;
  keeping.quantiles = false;
  const FilterResult filtered = run_filter(model, keeping, repeat);
  SmootherResult result{.log_likelihood = filtered.log_likelihood, .times = {}, .paths = {}};
  const auto take = how.method == SmoothMethod::paris ? take_paris : take_paths;
  take({model, options, how, repeat}, filtered.generations, result);
  return result;
}

std::vector<CombinedTime> combined_times(std::span<const SmootherResult> repeats) {
  std::vector<CombinedTime> combined;
  const auto n = static_cast<double>(repeats.size());
  const auto add_mean = [n](std::vector<double>& to, const std::vector<double>& from) {
    to.resize(from.size());
    for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k] / n;
  };
  for (std::size_t t = 0; t < repeats.front().times.size(); ++t) {
    CombinedTime at;
    for (const SmootherResult& r : repeats) {
      add_mean(at.mean, r.times[t].mean);
      add_mean(at.quantiles, r.times[t].quantiles);
      at.num_distinct += static_cast<double>(r.times[t].num_distinct) / n;
    }
    for (std::size_t e = 0; e < at.mean.size(); ++e) {
      double within = 0.0, between = 0.0;
      for (const SmootherResult& r : repeats) {
        const double sd = r.times[t].sd[e], apart = r.times[t].mean[e] - at.mean[e];
        within += sd * sd / n;
        between += apart * apart / n;
      }
      at.sd.push_back(std::sqrt(within + between));
      at.error.push_back(n > 1.0 ? std::sqrt(between / (n - 1.0)) : kInfinity);
    }
    combined.push_back(std::move(at));
  }
  return combined;
}

CombinedSums combined_sums(std::span<const SmootherResult> repeats) {
  CombinedSums combined;
  const double n = static_cast<double>(repeats.size());
  for (auto [part, error] : {std::pair{&StateSums::states, &combined.error.states},
                             std::pair{&StateSums::squares, &combined.error.squares},
                             std::pair{&StateSums::neighbours, &combined.error.neighbours}}) {
    std::vector<double>& mean = combined.mean.*part;
    mean.assign((repeats.front().sums.*part).size(), 0.0);
    for (std::size_t k = 0; k < mean.size(); ++k) {
      double between = 0.0;
      for (const SmootherResult& r : repeats) mean[k] += (r.sums.*part)[k] / n;
      for (const SmootherResult& r : repeats) {
        const double apart = (r.sums.*part)[k] - mean[k];
        between += apart * apart / n;
      }
      error->push_back(n > 1.0 ? std::sqrt(between / (n - 1.0)) : kInfinity);
    }
  }
  return combined;
}

}  // namespace credo::infer
