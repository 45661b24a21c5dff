// A step, with u_i = log weights from the time before (0 after resampling), N particles:
//
//   1  if the effective number of exp(u) (with eta, exp(u + log eta)) is below its share: parents by the scheme, u = 0
//   2  x_i ~ M(. | x_parent),  u_i += log G(x_parent, x_i)  (- log eta(x_parent) where step 1 weighed by it)
//   3  log Z += log sum exp(u) - log of the sum of step 1's weights
//
// With eta, step 1 adds log of (sum of exp(u + log eta) over sum of exp(u)) to log Z [chopin2020, sec. 10.3.3]. Blocks of
// kBlock particles are dealt over threads; each has sums of its own, which are joined in the order of the blocks.
//
// Sequential quasi-Monte Carlo is the same with resampling at every time, numbers of step 1 that are the first coordinate of a set of
// points, and x_i made of the other coordinates.
#include "infer/smc/particle_filter.hpp"

#include <fmt/format.h>

#include <set>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "infer/smc/deal_blocks.hpp"
#include "infer/smc/filter_checkpoints.hpp"
#include "infer/smc/quasi_points.hpp"
#include "infer/smc/resampling.hpp"
#include "infer/smc/weighted_distribution.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/points/hilbert.hpp"

namespace credo::infer {
namespace {
using density::ParticleBlock;
using density::StateMover;
using density::StateSpace;
constexpr Index kBlock = StateSpace::kBlock;

// Block's weights exp(u - scale): their sum, the sum of their squares, the largest; per element the weighted mean and
// the weighted sum of squares about it.
struct BlockSums {
  double scale = -kInfinity, sum = 0.0, squares = 0.0;
  std::vector<double> mean, deviation;

  static void saved(auto& self, auto&& field) {
    field(self.scale);
    field(self.sum);
    field(self.squares);
    field(self.mean);
    field(self.deviation);
  }
};

// A model's operations at a time differ by these kinds.
Index kind_of_time(const StateSpace& model, Index time) {
  return (time == 0 ? 2 : 0) + (model.is_observed(time) ? 1 : 0);
}

class Filter {
 public:
  Filter(const StateSpace& model, const FilterOptions& options, Index repeat);
  FilterResult run();
  void step(Index time);
  double advance_to(Index end);
  Index next_time = 0;

  // The state with which a step begins.
  static void saved(auto& self, auto&& field) {
    field(self.next_time);
    field(self.states_);
    field(self.log_weights_);
    field(self.weights_);
    field(self.roots_);
    field(self.sums_);
    field(self.log_before_);
    field(self.log_total_);
    field(self.ess_);
    field(self.result_);
    field(self.waiting_values_);
    field(self.waiting_weights_);
    field(self.waiting_place_);
  }

 private:
  Index size() const { return options_.num_particles; }
  double* states(std::vector<double>& of, Index block) {
    return of.data() + block * elements_ * kBlock;
  }
  Index count(Index block) const { return std::min(kBlock, size() - block * kBlock); }
  std::uint64_t seed_at(Index time, bool resampling) const;
  bool choose_parents(Index time);
  void draw_parents(std::span<const double> weights, double total, Rng& rng);
  std::vector<Index> order_of_states();
  void look_ahead(Index time);
  void gather_roots();
  FirstBlock first_of(std::set<Index>& met, Index time) const;
  void move_all(Index time);
  void move(Index time, Index block, Index thread);
  const double* previous_of(Index block, std::vector<double>& gathered);
  void weigh(Index block, double* increments);
  void sum_block(Index block);
  void join(Index time);
  void take_moments(FilteredTime& at, double scale, double total) const;
  void note_values(double scale);
  void take_quantiles();
  WeightedDistribution forecast_outcome(Index time, double scale);
  void keep(double scale, double total);

  const StateSpace& model_;
  const FilterOptions& options_;
  const ResamplingScheme& scheme_;
  Index repeat_, elements_, num_blocks_;
  std::vector<std::unique_ptr<StateMover>> movers_;  // one per thread
  std::vector<std::vector<double>> gathered_;
  std::unique_ptr<Team> team_;
  std::set<Index> moves_met_, looks_met_;  // kinds of times that the model has met
  std::vector<double> states_, next_;      // [block][element][kBlock]
  std::vector<double> log_weights_,
      weights_;  // u; exp(u - the block's scale); places behind size() are 0
  std::vector<double> look_ahead_, first_stage_;
  std::vector<std::int32_t> parents_, roots_;
  std::vector<BlockSums> sums_;
  std::optional<QuasiPoints> points_;  // points of the time
  // Values of the last time, element by element, and weights; its quantiles are taken while the next time moves.
  std::vector<double> waiting_values_, waiting_weights_;
  Index waiting_place_ = 0;  // place of that time in the result
  bool resampled_ = false, weighed_ahead_ = false;
  double log_before_ = 0.0;  // log of the sum of the weights before step 2
  double log_total_ = 0.0, ess_ = 0.0;
  FilterResult result_;
};

Filter::Filter(const StateSpace& model, const FilterOptions& options, Index repeat)
    : model_(model),
      options_(options),
      scheme_(options.scheme != nullptr ? *options.scheme : resampling_scheme(options.resampling)),
      repeat_(repeat),
      elements_(model.state().size()),
      num_blocks_((options.num_particles + kBlock - 1) / kBlock) {
  const bool auxiliary = options.method == FilterMethod::auxiliary;
  const bool proposes = options.method == FilterMethod::guided ||
                        (auxiliary && model.can(density::Kernel::guided).can);
  if (auxiliary && !model.can_look_ahead().can) {
    const density::Capability no = model.can_look_ahead();
    throw Error(ErrorCode::program, no.reason, no.where, no.hint);
  }
  const Index threads =
      std::clamp<Index>(options.num_threads, 1, std::min(num_blocks_, Team::kMost));
  for (Index k = 0; k < threads; ++k)
    movers_.push_back(
        model.make_mover(proposes ? density::Kernel::guided : density::Kernel::bootstrap));
  gathered_.resize(static_cast<std::size_t>(threads));
  if (threads > 1) team_ = std::make_unique<Team>(threads);
  const auto padded = static_cast<std::size_t>(num_blocks_ * kBlock);
  states_.resize(padded * static_cast<std::size_t>(elements_));
  next_ = states_;
  log_weights_.assign(padded, 0.0);
  weights_.assign(padded, 0.0);
  parents_.resize(static_cast<std::size_t>(size()));
  roots_.resize(parents_.size());
  std::iota(roots_.begin(), roots_.end(), 0);
  sums_.resize(static_cast<std::size_t>(num_blocks_));
  if (auxiliary) look_ahead_.resize(padded), first_stage_.resize(padded);
}

// Seeds of moves are even, seeds of resampling odd.
std::uint64_t Filter::seed_at(Index time, bool resampling) const {
  const bool by_time = !options_.time_seeds.empty();
  Rng rng({.seed = by_time ? options_.time_seeds[static_cast<std::size_t>(time)] : options_.seed,
           .purpose = purpose::kFilter,
           .chain = static_cast<std::uint32_t>(repeat_ + 1),
           .iteration = static_cast<std::uint32_t>(2 * time + (resampling ? 1 : 0))});
  return rng.bits();
}

// A model compiles its functions at the first block of a kind of time, so that one runs before the others.
FirstBlock Filter::first_of(std::set<Index>& met, Index time) const {
  const bool is_new = met.insert(kind_of_time(model_, time)).second;
  return is_new ? FirstBlock::alone : FirstBlock::with_others;
}

FilterResult Filter::run() {
  run_times(*this, model_.num_times(), repeat_, options_.checkpoints);
  take_quantiles();
  return std::move(result_);
}

// Only the sum of the times' increments is kept.
double Filter::advance_to(Index end) {
  double sum = 0.0;
  for (; next_time < end; ++next_time) {
    stop_if_asked();
    step(next_time);
    sum += result_.times.back().log_increment;
    take_quantiles();
    result_.times.clear();
  }
  return sum;
}

// The quantiles of the time before are taken beside.
void Filter::move_all(Index time) {
  const FirstBlock first = first_of(moves_met_, time);
  if (first == FirstBlock::alone) take_quantiles();
  const Index others = waiting_weights_.empty() ? 0 : 1;
  const auto work = [&](Index k, Index thread) {
    k < others ? take_quantiles() : move(time, k - others, thread);
  };
  deal_blocks(team_.get(), others + num_blocks_, work, first);
}

void Filter::step(Index time) {
  if (options_.on_time) options_.on_time("filtering", time);
  result_.times.emplace_back();
  weighed_ahead_ = false;
  if (options_.quasi) points_.emplace(size(), elements_, time > 0, seed_at(time, false));
  resampled_ = time > 0 && choose_parents(time);
  if (time == 0 || resampled_) log_before_ = numerics::log(static_cast<double>(size()));
  move_all(time);
  std::swap(states_, next_);
  join(time);
}

void Filter::look_ahead(Index time) {
  const auto look = [&](Index block, Index thread) {
    movers_[static_cast<std::size_t>(thread)]->look_ahead(
        {.time = time,
         .first = block * kBlock,
         .count = count(block),
         .previous = states(states_, block),
         .log_weights = look_ahead_.data() + block * kBlock});
  };
  deal_blocks(team_.get(), num_blocks_, look, first_of(looks_met_, time));
}

// True if the particles are resampled; the sums of weights are those of the join before, or, with eta, made here.
bool Filter::choose_parents(Index time) {
  const auto n = static_cast<std::size_t>(size());
  Rng rng({.seed = seed_at(time, true), .purpose = purpose::kFilter, .chain = 0, .iteration = 1});
  const double least = options_.resample_below * static_cast<double>(size());
  const bool always = options_.resample_below >= 1.0 || options_.quasi;
  std::vector<double>& shares = weights_;
  if (options_.method != FilterMethod::auxiliary || !model_.is_observed(time)) {
    if (!always && ess_ >= least) return false;
    double total = 0.0, scale = log_total_ - numerics::log(static_cast<double>(size()));
    for (Index b = 0; b < num_blocks_; ++b) {
      const double factor = numerics::exp(sums_[static_cast<std::size_t>(b)].scale - scale);
      for (Index i = 0; i < count(b); ++i)
        shares[static_cast<std::size_t>(b * kBlock + i)] *= factor;
      total += factor * sums_[static_cast<std::size_t>(b)].sum;
    }
    draw_parents(std::span(shares).first(n), total, rng);
    return true;
  }
  look_ahead(time);
  for (std::size_t i = 0; i < n; ++i) first_stage_[i] = log_weights_[i] + look_ahead_[i];
  const double log_sum = numerics::log_sum_exp(std::span(first_stage_).first(n));
  if (!(log_sum > -kInfinity && log_sum < kInfinity))
    throw Error(
        ErrorCode::evaluation,
        fmt::format("at time {}: lookahead_lpdf gives no particle a finite weight", time + 1),
        "lookahead_lpdf", "an approximation that is too narrow loses every particle: widen it");
  double total = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = numerics::exp(first_stage_[i] - log_sum);
    first_stage_[i] = w;
    total += w;
    squares += w * w;
  }
  if (!always && total * total >= least * squares) return false;
  result_.log_likelihood += log_sum - log_total_;
  result_.times.back().log_increment += log_sum - log_total_;
  weighed_ahead_ = true;
  draw_parents(std::span(first_stage_).first(n), total, rng);
  return true;
}

void Filter::draw_parents(std::span<const double> weights, double total, Rng& rng) {
  if (!options_.sorted && !options_.quasi) {
    scheme_.draw({weights, total}, rng, parents_);
    return gather_roots();
  }
  const std::vector<Index> order = order_of_states();
  std::vector<double> sorted;
  for (const Index i : order) sorted.push_back(weights[static_cast<std::size_t>(i)]);
  if (options_.quasi)
    invert_cumulated(
        {sorted, total}, [&](std::size_t k) { return points_->ascending()[k]; },
        std::span(parents_));
  else
    scheme_.draw({sorted, total}, rng, parents_);
  for (std::int32_t& parent : parents_)
    parent = static_cast<std::int32_t>(order[static_cast<std::size_t>(parent)]);
  gather_roots();
}

// Neighbours of this order are alike: by the state where it is one number, else along a Hilbert curve through it [gerber2015].
std::vector<Index> Filter::order_of_states() {
  std::vector<double> points(static_cast<std::size_t>(size() * elements_));
  for (Index i = 0; i < size(); ++i)
    for (Index e = 0; e < elements_; ++e)
      points[static_cast<std::size_t>(i * elements_ + e)] =
          (states(states_, i / kBlock) + e * kBlock)[i % kBlock];
  return numerics::order_along_curve(points, elements_);
}

void Filter::gather_roots() {
  const std::vector<std::int32_t> before = roots_;
  for (std::size_t i = 0; i < roots_.size(); ++i)
    roots_[i] = before[static_cast<std::size_t>(parents_[i])];
}

const double* Filter::previous_of(Index block, std::vector<double>& gathered) {
  if (!resampled_) return states(states_, block);
  gathered.resize(static_cast<std::size_t>(elements_ * kBlock));
  for (Index i = 0; i < kBlock; ++i) {
    const Index particle = std::min(block * kBlock + i, size() - 1);
    const Index parent = parents_[static_cast<std::size_t>(particle)];
    const double* from = states(states_, parent / kBlock) + parent % kBlock;
    for (Index e = 0; e < elements_; ++e)
      gathered[static_cast<std::size_t>(e * kBlock + i)] = from[e * kBlock];
  }
  return gathered.data();
}

void Filter::move(Index time, Index block, Index thread) {
  std::array<double, kBlock> increments;
  const double* previous =
      time == 0 ? nullptr : previous_of(block, gathered_[static_cast<std::size_t>(thread)]);
  movers_[static_cast<std::size_t>(thread)]->move(
      {.time = time,
       .first = block * kBlock,
       .count = count(block),
       .seed = seed_at(time, false),
       .previous = previous,
       .next = states(next_, block),
       .log_weights = increments.data(),
       .uniforms = points_ ? points_->block(block) : nullptr});
  weigh(block, increments.data());
  sum_block(block);
}

void Filter::weigh(Index block, double* increments) {
  double* log_weights = log_weights_.data() + block * kBlock;
  const Index n = count(block);
  if (weighed_ahead_)
    for (Index i = 0; i < n; ++i)
      increments[i] -= look_ahead_[static_cast<std::size_t>(
          parents_[static_cast<std::size_t>(block * kBlock + i)])];
  const bool begins = resampled_ || next_time == 0;
  double scale = -kInfinity;
  for (Index i = 0; i < n; ++i) {
    log_weights[i] = begins ? increments[i] : log_weights[i] + increments[i];
    if (!(log_weights[i] < kInfinity))
      throw Error(ErrorCode::evaluation,
                  fmt::format("at time {}: the log weight of a particle is {}", next_time + 1,
                              log_weights[i]),
                  "observation_lpdf",
                  "densities are finite numbers, or negative_infinity(): check the functions of "
                  "the program");
    scale = std::max(scale, log_weights[i]);
  }
  sums_[static_cast<std::size_t>(block)].scale = scale;
}

void Filter::sum_block(Index block) {
  BlockSums& sums = sums_[static_cast<std::size_t>(block)];
  const Index n = count(block);
  const double* log_weights = log_weights_.data() + block * kBlock;
  double* weights = weights_.data() + block * kBlock;
  const double scale = sums.scale == -kInfinity ? 0.0 : sums.scale;
  for (Index i = 0; i < n; ++i) weights[i] = log_weights[i] - scale;
  std::fill(weights + n, weights + kBlock, -kInfinity);
  numerics::function(numerics::Unary::exp)
      .array(weights, weights, static_cast<std::size_t>(kBlock));
  const auto sum_over =
      [&](auto term) {  // eight partial sums, so that the compiler may use vectors
        std::array<double, 8> part{};
        for (Index i = 0; i < kBlock; i += 8)
          for (Index l = 0; l < 8; ++l) part[static_cast<std::size_t>(l)] += term(i + l);
        return ((part[0] + part[4]) + (part[1] + part[5])) +
               ((part[2] + part[6]) + (part[3] + part[7]));
      };
  sums.sum = sum_over([&](Index i) { return weights[i]; });
  sums.squares = sum_over([&](Index i) { return weights[i] * weights[i]; });
  sums.mean.assign(static_cast<std::size_t>(elements_), 0.0);
  sums.deviation.assign(static_cast<std::size_t>(elements_), 0.0);
  if (!(sums.sum > 0.0)) return;
  for (Index e = 0; e < elements_; ++e) {
    const double* x = states(next_, block) + e * kBlock;
    const double mean =
        sum_over([&](Index i) { return weights[i] * (weights[i] > 0.0 ? x[i] : 0.0); }) / sums.sum;
    sums.mean[static_cast<std::size_t>(e)] = mean;
    sums.deviation[static_cast<std::size_t>(e)] = sum_over([&](Index i) {
      return weights[i] > 0.0 ? weights[i] * (x[i] - mean) * (x[i] - mean) : 0.0;
    });
  }
}

void Filter::join(Index time) {
  FilteredTime& at = result_.times.back();
  double scale = -kInfinity, total = 0.0, squares = 0.0;
  for (const BlockSums& b : sums_) scale = std::max(scale, b.scale);
  if (scale == -kInfinity)
    throw Error(ErrorCode::evaluation,
                fmt::format("at time {}: no particle has a weight above 0", time + 1), "filter",
                "more particles, a proposal that sees the outcome, or other parameters: the "
                "outcome is impossible for every particle");
  for (const BlockSums& b : sums_) {
    const double factor = numerics::exp(b.scale - scale);
    total += factor * b.sum;
    squares += factor * factor * b.squares;
  }
  log_total_ = scale + numerics::log(total);
  ess_ = total * total / squares;
  at.ess = ess_;
  at.max_weight = 1.0 / total;
  at.resampled = resampled_;
  at.log_increment += log_total_ - log_before_;
  result_.log_likelihood += log_total_ - log_before_;
  log_before_ = log_total_;
  std::vector<std::int32_t> roots = roots_;
  if (options_.sorted || options_.quasi) std::ranges::sort(roots);  // else they ascend
  at.num_roots = std::unique(roots.begin(), roots.end()) - roots.begin();
  take_moments(at, scale, total);
  if (options_.quantiles) note_values(scale);
  if (options_.quantiles && options_.outcomes != nullptr && options_.outcomes->is_asked(time))
    at.outcome = forecast_outcome(time, scale);
  if (options_.keep_ancestry) keep(scale, total);
}

// Means and sums of squares of blocks, joined one after the other [chan1983].
void Filter::take_moments(FilteredTime& at, double scale, double total) const {
  at.mean.assign(static_cast<std::size_t>(elements_), 0.0);
  at.sd.assign(static_cast<std::size_t>(elements_), 0.0);
  for (std::size_t e = 0; e < at.mean.size(); ++e) {
    double weight = 0.0, mean = 0.0, deviation = 0.0;
    for (const BlockSums& b : sums_) {
      const double factor = numerics::exp(b.scale - scale), added = factor * b.sum;
      if (!(added > 0.0)) continue;
      const double apart = b.mean[e] - mean, joined = weight + added;
      mean += apart * (added / joined);
      deviation += factor * b.deviation[e] + apart * apart * (weight * added / joined);
      weight = joined;
    }
    at.mean[e] = mean;
    at.sd[e] = std::sqrt(deviation / total);
  }
}

void Filter::note_values(double scale) {
  const auto n = static_cast<std::size_t>(size());
  waiting_place_ = ssize(result_.times) - 1;
  waiting_weights_.resize(n);
  waiting_values_.resize(n * static_cast<std::size_t>(elements_));
  for (Index b = 0; b < num_blocks_; ++b) {
    const double factor = numerics::exp(sums_[static_cast<std::size_t>(b)].scale - scale);
    const auto first = static_cast<std::size_t>(b * kBlock);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count(b)); ++i)
      waiting_weights_[first + i] = weights_[first + i] * factor;
    for (Index e = 0; e < elements_; ++e)
      std::copy_n(states(states_, b) + e * kBlock, count(b),
                  waiting_values_.begin() + (e * size() + b * kBlock));
  }
}

// The smallest value at which the cumulated weight reaches the level. No sort: halves that hold no level are left as they are.
void Filter::take_quantiles() {
  if (waiting_weights_.empty()) return;
  const auto n = waiting_weights_.size();
  const double total = std::accumulate(waiting_weights_.begin(), waiting_weights_.end(), 0.0);
  std::vector<double> weights;
  for (const double level : options_.levels) weights.push_back(level * total * (1.0 - 1e-12));
  std::vector<double> values(weights.size());
  std::vector<WeightedValue> values_of(n);
  std::vector<double>& all = result_.times[static_cast<std::size_t>(waiting_place_)].quantiles;
  all.resize(weights.size() * static_cast<std::size_t>(elements_));
  for (std::size_t e = 0; e < static_cast<std::size_t>(elements_); ++e) {
    for (std::size_t i = 0; i < n; ++i)
      values_of[i] = {waiting_values_[e * n + i], waiting_weights_[i]};
    select_quantiles(values_of, 0.0, weights, values);
    for (std::size_t level = 0; level < values.size(); ++level)
      all[level * static_cast<std::size_t>(elements_) + e] = values[level];
  }
  waiting_weights_.clear();
}

// With random numbers of its own, by one thread: few times are forecast.
WeightedDistribution Filter::forecast_outcome(Index time, double scale) {
  Rng rng({.seed = seed_at(time, false), .purpose = purpose::kFilter, .chain = 1, .iteration = 0});
  std::vector<double> weights;
  for (Index i = 0; i < size(); ++i)
    weights.push_back(weights_[static_cast<std::size_t>(i)] *
                      numerics::exp(sums_[static_cast<std::size_t>(i / kBlock)].scale - scale));
  return forecast_distribution(
      {.draws = *options_.outcomes, .time = time, .seed = rng.bits(), .num_elements = elements_},
      [&](Index i, Index e) { return (states(states_, i / kBlock) + e * kBlock)[i % kBlock]; },
      weights, options_.levels);
}

void Filter::keep(double scale, double total) {
  Generation g;
  const auto n = static_cast<std::size_t>(size());
  g.weights.resize(n);
  g.states.resize(n * static_cast<std::size_t>(elements_));
  for (std::size_t i = 0; i < n; ++i) {
    const Index block = static_cast<Index>(i) / kBlock;
    g.weights[i] =
        weights_[i] * numerics::exp(sums_[static_cast<std::size_t>(block)].scale - scale) / total;
    for (Index e = 0; e < elements_; ++e)
      g.states[static_cast<std::size_t>(e) * n + i] =
          (states(states_, block) + e * kBlock)[static_cast<Index>(i) % kBlock];
  }
  g.parents.resize(n);
  if (resampled_)
    g.parents = parents_;
  else
    std::iota(g.parents.begin(), g.parents.end(), 0);
  result_.generations.push_back(std::move(g));
}
}  // namespace

FilterResult run_filter(const density::StateSpace& model, const FilterOptions& options,
                        Index repeat) {
  validate(options);
  return Filter(model, options, repeat).run();
}

void settle_model(const StateSpace& model, const FilterOptions& options) {
  Index end = 0;
  std::set<Index> met;
  for (Index t = 0; t < model.num_times(); ++t)
    if (met.insert(kind_of_time(model, t)).second) end = t + 1;
  std::string none;
  advance_filter(model, options, end, none);
}

double advance_filter(const StateSpace& model, const FilterOptions& options, Index end,
                      std::string& state) {
  Filter filter(model, options, 0);
  if (!state.empty()) ArchiveReader(state, "the state of a filter")(filter).finish();
  const double log_increment = filter.advance_to(end);
  state = archived(filter);
  return log_increment;
}

namespace {
// If the likelihoods of the runs differ by factors, their mean depends on the largest of them, and the error
// estimated from their spread can't exceed 1. The log likelihood of a filter is then nearly normal with mean log Z -
// s^2/2 and variance s^2 [berard2014]. This gives a second estimate of log Z, with its own error; the difference of
// the two estimates is added to the error.
double error_of_few(const LikelihoodEstimate& e, double n) {
  const double variance = e.sd * e.sd;
  const double of_normal = std::sqrt(variance / n + variance * variance / (2.0 * (n - 1.0)));
  return std::hypot(std::max(e.error, of_normal),
                    e.mean_of_logs + 0.5 * variance - e.log_likelihood);
}
}  // namespace

LikelihoodEstimate combined_likelihood(std::span<const double> log_likelihoods) {
  const double n = static_cast<double>(log_likelihoods.size());
  const double log_mean = numerics::log_sum_exp(log_likelihoods) - numerics::log(n);
  LikelihoodEstimate estimate{.log_likelihood = log_mean};
  if (log_likelihoods.size() < 2) return estimate;
  double squares = 0.0, mean = 0.0, deviation = 0.0;
  for (const double x : log_likelihoods) mean += x / n;
  for (const double x : log_likelihoods) {
    const double ratio = numerics::exp(x - log_mean) - 1.0;
    squares += ratio * ratio;
    deviation += (x - mean) * (x - mean);
  }
  estimate.mean_of_logs = mean;
  estimate.error = std::sqrt(squares / (n - 1.0) / n);
  estimate.sd = std::sqrt(deviation / (n - 1.0));
  if (estimate.sd > 1.0) estimate.error = error_of_few(estimate, n);
  return estimate;
}

std::vector<std::vector<Index>> lines_of(std::span<const Generation> generations,
                                         std::span<const Index> last) {
  std::vector<std::vector<Index>> lines;
  for (Index particle : last) {
    std::vector<Index> line(generations.size());
    for (std::size_t t = generations.size(); t-- > 0;) {
      line[t] = particle;
      particle = generations[t].parents[static_cast<std::size_t>(particle)];
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace credo::infer
