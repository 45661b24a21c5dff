// One transition: each replica is moved by the kernel of its rung, the reference's by an exact
// draw; then neighbours are exchanged with probability
//
//   min(1, exp((β' - β) (V - V'))),   V = log p - log q at the replicas of β < β'.
//
// Non-reversible: even and odd pairs take turns, so that a replica that moves continues in its
// direction [syed2022, sec. 3]. Reversible: which of the two is a coin's choice.
#include "infer/ensemble/tempering.hpp"

#include "infer/core/chain.hpp"
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kFirstRound = 32;  // transitions before the ladder is tuned first; rounds double
constexpr Index kNumBatches = 32;

// Powers of a geometric-like ladder, denser near the reference.
std::vector<double> first_ladder(Index num_rungs) {
  std::vector<double> ladder;
  for (Index k = 0; k < num_rungs; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(num_rungs - 1);
    ladder.push_back(share * share * share);
  }
  return ladder;
}

Index batch_length_of(Index num_draws) { return std::max<Index>(1, num_draws / kNumBatches); }
}  // namespace

Step<TemperingInfo> Tempering::step(TemperedState& state, Rng& rng) {
  TemperingInfo info;
  if (num_done_++ == num_warmup_) statistics_.restart(batch_length_);
  co_await explore(state, rng);
  co_await look(state);
  weigh(state);
  exchange(state, rng, info);
  set_rungs(state);
  note_ends(state, info);
  info.log_density = state.target.back();
  co_return info;
}

Tempering::Tempering(const TemperingOptions& options_, Index dimension)
    : options(options_),
      settings{first_ladder(options_.num_rungs)},
      dimension_(dimension),
      streams_(static_cast<std::size_t>(options_.num_rungs), Rng({})),
      team_(options_.num_rungs),
      searches_(options_.num_rungs),
      statistics_(options_.num_rungs),
      requests_(streams_.size()),
      log_weights_(streams_.size() - 1) {
  if (!options.reference) options.reference = normal_reference(options.reference_sd);
  for (density::Request& request : requests_) batch_.push_back(&request);
  statistics_.restart(1);
}

void Tempering::make_explorers(const SampleOptions& run) {
  const KernelMaker make =
      options.explorer_kernel ? options.explorer_kernel : kernel(options.explorer);
  for (Index k = 1; k < options.num_rungs; ++k)
    explorers_.push_back(make({.run = run, .dimension = dimension_}));
  num_warmup_ = run.num_warmup;
  batch_length_ = batch_length_of(run.num_draws);
}

TemperedState Tempering::make_state() const {
  TemperedState state;
  const std::size_t n = streams_.size();
  state.replicas.assign(n, make_point(dimension_, false));
  state.target.assign(n, -kInfinity);
  state.reference.assign(n, -kInfinity);
  state.names.resize(n);
  std::iota(state.names.begin(), state.names.end(), Index{0});
  state.last_ends.assign(n, -1);
  return state;
}

void TemperedState::set(Index k, const PointState& point) {
  const auto i = static_cast<std::size_t>(k);
  replicas[i].position = point.position;
  target[i] = point.log_density;
}

Step<Nothing> Tempering::explore(TemperedState& state, Rng& rng) {
  if (state.reference.back() == -kInfinity) {  // the first time: where the replicas start
    co_await look(state);
    set_rungs(state);
  }
  options.reference->draw(rng, state.replicas[0].position);
  team_.clear();
  for (std::size_t k = 1; k < state.replicas.size(); ++k) {
    StreamKey key = rng.key();
    key.purpose = purpose::kWalker;
    key.chain = static_cast<std::uint32_t>(key.chain * state.replicas.size() + k);
    streams_[k] = Rng(key);
    team_.add(explorers_[k - 1]->step(state.replicas[k], streams_[k]));
  }
  const auto on_rung = [this](Index i, density::Request& request) {
    temper(*options.reference, beta(static_cast<std::size_t>(i) + 1), request);
  };
  co_await team_.run(on_rung);
  co_return Nothing{};
}

// The two ends' log densities at all replicas.
Step<Nothing> Tempering::look(TemperedState& state) {
  for (std::size_t k = 0; k < requests_.size(); ++k)
    requests_[k] = {.position = state.replicas[k].position, .gradient = {}, .status = {}};
  co_await evaluate_all(density::Want::value, std::span<density::Request* const>(batch_));
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    state.target[k] = requests_[k].log_density;
    state.reference[k] = options.reference->log_density(state.replicas[k].position);
  }
  co_return Nothing{};
}

void Tempering::exchange(TemperedState& state, Rng& rng, TemperingInfo& info) {
  if (options.swaps == SwapOrder::reversible) state.parity = rng.index_below(2);
  double sum = 0.0, tried = 0.0;
  for (auto k = static_cast<std::size_t>(state.parity); k + 1 < state.replicas.size(); k += 2) {
    const double here = state.target[k] - state.reference[k],
                 above = state.target[k + 1] - state.reference[k + 1];
    const double accept_prob = metropolis_prob((beta(k + 1) - beta(k)) * (here - above));
    statistics_.add_swap(static_cast<Index>(k), accept_prob);
    sum += accept_prob, tried += 1.0;
    if (rng.uniform() < accept_prob) swap_replicas(state, k);
  }
  info.swap_stat = tried > 0.0 ? sum / tried : 1.0;
  state.parity = 1 - state.parity;
}

void Tempering::swap_replicas(TemperedState& state, std::size_t k) const {
  std::swap(state.replicas[k], state.replicas[k + 1]);
  std::swap(state.target[k], state.target[k + 1]);
  std::swap(state.reference[k], state.reference[k + 1]);
  std::swap(state.names[k], state.names[k + 1]);
}

void Tempering::set_rungs(TemperedState& state) const {
  for (std::size_t k = 0; k < state.replicas.size(); ++k)
    state.replicas[k].log_density =
        k == 0 ? state.reference[k]
               : (1.0 - beta(k)) * state.reference[k] + beta(k) * state.target[k];
}

// A round trip ends where a replica that came from the reference is back there from the target.
void Tempering::note_ends(TemperedState& state, TemperingInfo& info) const {
  const auto bottom = static_cast<std::size_t>(state.names.front()),
             top = static_cast<std::size_t>(state.names.back());
  if (state.last_ends[bottom] == 1) ++info.num_round_trips;
  state.last_ends[bottom] = 0;
  if (state.last_ends[top] == 0) state.last_ends[top] = 1;
}

void Tempering::weigh(const TemperedState& state) {
  for (std::size_t k = 0; k < log_weights_.size(); ++k)
    log_weights_[k] = (beta(k + 1) - beta(k)) * (state.target[k] - state.reference[k]);
  statistics_.add_weights(log_weights_);
}

// ---- warm-up ----

Step<Nothing> Tempering::search(TemperedState& state, Rng& rng) {
  if (state.reference.back() == -kInfinity) {
    co_await look(state);
    set_rungs(state);
  }
  searches_.clear();
  std::vector<Index> rungs;
  for (std::size_t k = 1; k < state.replicas.size(); ++k) {
    if (searched_ && !wants_search_[k]) continue;
    StreamKey key = rng.key();
    key.chain = static_cast<std::uint32_t>(key.chain * state.replicas.size() + k);
    key.purpose = purpose::kStepSizeSearch;
    streams_[k] = Rng(key);
    rungs.push_back(static_cast<Index>(k));
    searches_.add(explorers_[k - 1]->search(state.replicas[k], streams_[k]));
  }
  const auto on_rung = [&](Index i, density::Request& request) {
    temper(*options.reference, beta(static_cast<std::size_t>(rungs[static_cast<std::size_t>(i)])),
           request);
  };
  co_await searches_.run(on_rung);
  searched_ = true;
  co_return Nothing{};
}

bool Tempering::learn() {
  wants_search_.assign(explorers_.size() + 1, false);
  bool any = false;
  for (std::size_t k = 1; k <= explorers_.size(); ++k)
    any |= wants_search_[k] = explorers_[k - 1]->learn();
  return any;
}

void Tempering::tune_ladder(TemperedState& state) {
  settings.ladder = equal_rejection_ladder(settings.ladder, statistics_.rejections());
  statistics_.restart(1);
  set_rungs(state);
  for (const auto& explorer : explorers_) explorer->forget();
}

void Tempering::finish() {
  for (const auto& explorer : explorers_) explorer->finish();
}

void Tempering::conclude(ChainResult& result) const {
  const LadderStatistics::Evidence evidence = statistics_.evidence();
  result.tuned.push_back({"rejections", statistics_.rejections()});
  result.tuned.push_back({"log_evidence", {evidence.log_evidence}});
  result.tuned.push_back({"log_evidence_error", {evidence.error}});
}

void report_settings(const TemperingSettings& settings, ChainResult& result) {
  result.tuned = {{"ladder", settings.ladder}};
}

TemperingAdaptation::TemperingAdaptation(const SampleOptions& options, Tempering& kernel)
    : num_warmup_(options.num_warmup), round_end_(kFirstRound) {
  kernel.make_explorers(options);
}

bool TemperingAdaptation::learn(Index iteration, const TemperingInfo&, TemperedState& state,
                                Tempering& kernel) {
  const bool any = kernel.learn();
  if (iteration + 1 == round_end_ && 2 * round_end_ <= num_warmup_ + kFirstRound) {
    kernel.tune_ladder(state);
    round_end_ = 2 * round_end_ + kFirstRound;
  }
  return any;
}

Step<Nothing> TemperingAdaptation::search(Tempering& kernel, TemperedState& state, Rng rng) {
  co_await kernel.search(state, rng);
  co_return Nothing{};
}

// ---- statistics ----

LadderStatistics::LadderStatistics(Index num_rungs)
    : num_steps_(static_cast<std::size_t>(num_rungs - 1)) {}

void LadderStatistics::restart(Index batch_length) {
  batch_length_ = batch_length;
  in_batch_ = 0;
  rejected_.assign(num_steps_, 0.0);
  tried_.assign(num_steps_, 0.0);
  open_.assign(num_steps_, -kInfinity);
  batches_.clear();
  batches_.reserve(2 * static_cast<std::size_t>(kNumBatches) * num_steps_);
}

void LadderStatistics::add_swap(Index rung, double accept_prob) {
  rejected_[static_cast<std::size_t>(rung)] += 1.0 - accept_prob;
  tried_[static_cast<std::size_t>(rung)] += 1.0;
}

void LadderStatistics::add_weights(std::span<const double> log_weights) {
  for (std::size_t k = 0; k < num_steps_; ++k)
    open_[k] = numerics::log_sum_exp(open_[k], log_weights[k]);
  if (++in_batch_ < batch_length_) return;
  for (double& sum : open_)
    batches_.push_back(sum - numerics::log(static_cast<double>(batch_length_))), sum = -kInfinity;
  in_batch_ = 0;
}

std::vector<double> LadderStatistics::rejections() const {
  std::vector<double> means;
  for (std::size_t k = 0; k < num_steps_; ++k)
    means.push_back(tried_[k] > 0.0 ? rejected_[k] / tried_[k] : 0.0);
  return means;
}

// log Z = Σ_k log mean w_k; with m_bk the mean of batch b, its relative deviation summed over k has
// the standard error of the sum to first order.
LadderStatistics::Evidence LadderStatistics::evidence() const {
  const std::size_t num_batches = batches_.size() / std::max<std::size_t>(num_steps_, 1);
  if (num_batches < 2) return {kNaN, kNaN};
  const double count = static_cast<double>(num_batches);
  double log_evidence = 0.0;
  std::vector<double> deviations(num_batches, 0.0);
  for (std::size_t k = 0; k < num_steps_; ++k) {
    double log_total = -kInfinity;
    for (std::size_t b = 0; b < num_batches; ++b)
      log_total = numerics::log_sum_exp(log_total, batches_[b * num_steps_ + k]);
    const double log_mean = log_total - numerics::log(count);
    log_evidence += log_mean;
    for (std::size_t b = 0; b < num_batches; ++b)
      deviations[b] += numerics::exp(batches_[b * num_steps_ + k] - log_mean) - 1.0;
  }
  double squares = 0.0;
  for (const double deviation : deviations) squares += deviation * deviation;
  return {log_evidence, std::sqrt(squares / (count - 1.0) / count)};
}

std::vector<double> equal_rejection_ladder(std::span<const double> ladder,
                                           std::span<const double> rejections) {
  constexpr double kLeast = 1e-3;  // rejection of two rungs that never meet
  std::vector<double> barrier = {0.0};
  for (const double rejection : rejections)
    barrier.push_back(barrier.back() + std::max(rejection, kLeast));
  std::vector<double> tuned;
  std::size_t k = 0;
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(ladder.size() - 1);
    const double goal = share * barrier.back();
    while (k + 2 < barrier.size() && barrier[k + 1] < goal) ++k;
    const double part = (goal - barrier[k]) / (barrier[k + 1] - barrier[k]);
    tuned.push_back(ladder[k] + part * (ladder[k + 1] - ladder[k]));
  }
  tuned.front() = 0.0;
  tuned.back() = 1.0;
  return tuned;
}

extern const SamplerSpec kTempering;
const SamplerSpec kTempering = sampler_row<Tempering, TemperingAdaptation>(
    {.name = "tempering",
     .summary = "parallel tempering from a normal reference; also estimates the log evidence",
     .reference = "syed2022",
     .fixed_length = "the error of its evidence is computed from batches, whose length is a part "
                     "of all draws"});

}  // namespace credo::infer
