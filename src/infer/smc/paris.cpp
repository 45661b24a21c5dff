// With tau_1^j = h_1(x_1^j), at each time t > 1 and for each particle j:
//
//   1  J_1, ..., J_K ~ W_{t-1}^i p(x_t^j | x_{t-1}^i)
//   2  tau_t^j = mean over k of  tau_{t-1}^{J_k} + h(x_{t-1}^{J_k}, x_t^j)
//
// and E(sum of h | y) is the sum of W_T^j tau_T^j. For h that are functions of one time's state this is a sum over the particles of
// that time, whose weights come backwards from the last: omega_{t-1}^i = sum over j, k with J_k^j = i of omega_t^j / K.
#include "infer/smc/paris.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/team.hpp"
#include "infer/smc/backward_weights.hpp"
#include "infer/smc/deal_blocks.hpp"

namespace credo::infer {
namespace {
using density::StateSpace;
using Particles32 = std::vector<std::int32_t>;

class Paris {
 public:
  Paris(const StateSpace& model, std::span<const Generation> generations,
        const ParisOptions& options, Index repeat)
      : generations_(generations),
        weights_(model, generations, "--method paris"),
        options_(options),
        repeat_(repeat),
        elements_(static_cast<std::size_t>(model.state().size())) {
    const Index threads = std::clamp<Index>(options.num_threads, 1, Team::kMost);
    for (Index k = 0; k < threads; ++k)
      movers_.push_back(model.make_mover(density::Kernel::bootstrap));
    if (threads > 1) team_ = std::make_unique<Team>(threads);
  }

  ParisResult run() {
    weights_.require_whole_density(*movers_[0]);
    begin();
    for (Index t = 1; t < ssize(generations_); ++t) {
      stop_if_asked();
      if (options_.on_time) options_.on_time("drawing ancestors", t);
      draw_backwards(t);
      carry_on(t);
    }
    return {.sums = expected_sums(), .times = distributions_of_times(), .paths = draw_paths()};
  }

 private:
  std::size_t num_statistics() const { return elements_ + 2 * elements_ * elements_; }
  double state(Index time, std::size_t element, std::int32_t particle) const {
    const Generation& g = generations_[static_cast<std::size_t>(time)];
    return g.states[element * g.weights.size() + static_cast<std::size_t>(particle)];
  }
  Index count(Index time) const {
    return ssize(generations_[static_cast<std::size_t>(time)].weights);
  }
  // Streams of the filter end before twice the number of times; those of backward draws follow, then those of paths.
  double uniform(Index time, Index number, bool of_paths) const {
    const Index times = ssize(generations_);
    Rng rng({.seed = options_.seed,
             .purpose = purpose::kFilter,
             .chain = static_cast<std::uint32_t>(repeat_ + 1),
             .iteration = static_cast<std::uint32_t>((of_paths ? 3 : 2) * times + time)},
            static_cast<std::uint64_t>(number));
    return rng.uniform();
  }

  void begin() {
    statistics_.assign(static_cast<std::size_t>(count(0)) * num_statistics(), 0.0);
    for (std::int32_t j = 0; j < count(0); ++j)
      add_state(0, j, statistics_.data() + static_cast<std::size_t>(j) * num_statistics());
  }
  void add_state(Index time, std::int32_t particle, double* to) const {
    for (std::size_t a = 0; a < elements_; ++a) {
      to[a] += state(time, a, particle);
      for (std::size_t b = 0; b < elements_; ++b)
        to[elements_ + a + b * elements_] += state(time, a, particle) * state(time, b, particle);
    }
  }

  void draw_backwards(Index time) {
    Particles32& drawn =
        draws_.emplace_back(static_cast<std::size_t>(count(time) * options_.num_draws));
    const Index group = std::max<Index>(1, BackwardWeights::kPairs / count(time - 1));
    deal_blocks(team_.get(), (count(time) + group - 1) / group, [&](Index block, Index member) {
      Particles32 some(static_cast<std::size_t>(std::min(group, count(time) - block * group)));
      std::iota(some.begin(), some.end(), static_cast<std::int32_t>(block * group));
      const auto cumulated =
          weights_.cumulated(time - 1, some, *movers_[static_cast<std::size_t>(member)]);
      for (std::size_t k = 0; k < some.size(); ++k)
        for (Index d = 0; d < options_.num_draws; ++d) {
          const Index place = some[k] * options_.num_draws + d;
          drawn[static_cast<std::size_t>(place)] =
              place_of_share(cumulated[k], uniform(time, place, false));
        }
    });
  }

  // Step 2.
  void carry_on(Index time) {
    const std::size_t size = num_statistics();
    std::vector<double> next(static_cast<std::size_t>(count(time)) * size, 0.0);
    const double share = 1.0 / static_cast<double>(options_.num_draws);
    for (std::int32_t j = 0; j < count(time); ++j) {
      double* const to = next.data() + static_cast<std::size_t>(j) * size;
      add_state(time, j, to);
      for (Index d = 0; d < options_.num_draws; ++d) {
        const std::int32_t i = draws_.back()[static_cast<std::size_t>(j * options_.num_draws + d)];
        const double* const from = statistics_.data() + static_cast<std::size_t>(i) * size;
        for (std::size_t k = 0; k < size; ++k) to[k] += share * from[k];
        double* const neighbours = to + elements_ + elements_ * elements_;
        for (std::size_t b = 0; b < elements_; ++b)
          for (std::size_t a = 0; a < elements_; ++a)
            neighbours[a + b * elements_] += share * state(time - 1, a, i) * state(time, b, j);
      }
    }
    statistics_ = std::move(next);
  }

  StateSums expected_sums() const {
    const std::vector<double>& weights = generations_.back().weights;
    std::vector<double> all(num_statistics(), 0.0);
    for (std::size_t j = 0; j < weights.size(); ++j)
      for (std::size_t k = 0; k < all.size(); ++k)
        all[k] += weights[j] * statistics_[j * all.size() + k];
    const auto squares = all.begin() + static_cast<Index>(elements_),
               neighbours = squares + static_cast<Index>(elements_ * elements_);
    return {{all.begin(), squares}, {squares, neighbours}, {neighbours, all.end()}};
  }

  std::vector<SmoothedTime> distributions_of_times() const {
    std::vector<SmoothedTime> times(generations_.size());
    std::vector<double> weights = generations_.back().weights;
    const double share = 1.0 / static_cast<double>(options_.num_draws);
    for (std::size_t t = generations_.size(); t-- > 0;) {
      Particles32 some;
      std::vector<double> theirs;
      for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i] > 0.0)
          some.push_back(static_cast<std::int32_t>(i)), theirs.push_back(weights[i]);
      times[t] = moments_at(generations_[t], some, theirs);
      if (t == 0) break;
      std::vector<double> before(generations_[t - 1].weights.size(), 0.0);
      for (std::size_t k = 0; k < draws_[t - 1].size(); ++k)
        before[static_cast<std::size_t>(draws_[t - 1][k])] +=
            share * weights[k / static_cast<std::size_t>(options_.num_draws)];
      weights = std::move(before);
    }
    return times;
  }

  ParticlePaths draw_paths() const {
    const auto paths = static_cast<std::size_t>(options_.num_paths);
    ParticlePaths result{
        .particles = std::vector<Particles32>(generations_.size(), Particles32(paths)),
        .weights = std::vector<double>(paths, 1.0 / static_cast<double>(paths))};
    const std::vector<double>& last = generations_.back().weights;
    std::vector<double> cumulated(last.size());
    std::partial_sum(last.begin(), last.end(), cumulated.begin());
    for (std::size_t p = 0; p < paths; ++p)
      for (std::size_t t = generations_.size(); t-- > 0;) {
        const double u = uniform(static_cast<Index>(t), static_cast<Index>(p), true);
        if (t + 1 == generations_.size()) {
          result.particles[t][p] = place_of_share(cumulated, u);
          continue;
        }
        const Index draw = static_cast<Index>(u * static_cast<double>(options_.num_draws));
        result.particles[t][p] = draws_[t][static_cast<std::size_t>(
            result.particles[t + 1][p] * options_.num_draws + draw)];
      }
    return result;
  }

  std::span<const Generation> generations_;
  BackwardWeights weights_;
  const ParisOptions& options_;
  Index repeat_;
  std::size_t elements_;
  std::vector<std::unique_ptr<density::StateMover>> movers_;  // one per thread
  std::unique_ptr<Team> team_;
  std::vector<Particles32> draws_;  // draws of times after the first: [particle][draw]
  std::vector<double> statistics_;  // tau: [particle], sums of states, squares, neighbours
};
}  // namespace

ParisResult paris(const StateSpace& model, std::span<const Generation> generations,
                  const ParisOptions& options, Index repeat) {
  const density::Capability capability = model.can_weigh_transitions();
  if (!capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  return Paris(model, generations, options, repeat).run();
}

}  // namespace credo::infer
