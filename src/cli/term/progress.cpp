#include "cli/term/progress.hpp"

namespace credo::cli {
namespace {
constexpr double kLastSeconds = 5.0;  // window over which warm-up's pace is measured
constexpr double kBetweenMarks = 0.5;

template <class Of>
Index sum_of(std::span<const ChainProgress> chains, const Of& of) {
  Index sum = 0;
  for (const ChainProgress& chain : chains) sum += of(chain);
  return sum;
}
}  // namespace

std::string_view to_string(Phase phase) {
  constexpr std::array<std::string_view, 4> names{"waiting", "warmup", "sampling", "done"};
  return names[static_cast<std::size_t>(phase)];
}

// ---- pace ----

void Pace::begin(double now, Index done) {
  earlier_ = seconds_per_transition();
  marks_.assign(1, {now, done});
  last_ = marks_.front();
}

void Pace::note(double now, Index done, bool only_last_seconds) {
  last_ = {now, done};
  if (!only_last_seconds) return;
  if (now - marks_.back().time >= kBetweenMarks) marks_.push_back(last_);
  while (marks_.size() > 2 && now - marks_[1].time >= kLastSeconds) marks_.erase(marks_.begin());
}

double Pace::seconds_per_transition() const {
  if (marks_.empty() || last_.done <= marks_.front().done) return earlier_;
  return (last_.time - marks_.front().time) / static_cast<double>(last_.done - marks_.front().done);
}

// ---- the run ----

Index RunState::num_in(Phase phase) const {
  return sum_of(chains, [&](const ChainProgress& chain) { return chain.phase == phase ? 1 : 0; });
}

Index RunState::num_done() const {
  return sum_of(chains, [](const ChainProgress& chain) { return chain.done; });
}

Index RunState::num_divergent() const {
  return sum_of(chains, [](const ChainProgress& chain) { return chain.num_divergent; });
}

double RunState::seconds_left() const {
  double most = 0.0;
  for (const ChainProgress& chain : chains) {
    if (std::isnan(chain.seconds_left)) return kNaN;
    most = std::max(most, chain.seconds_left);
  }
  return most;
}

Phase Progress::phase_after(Index done) const {
  if (done >= state_.num_transitions()) return Phase::done;
  return done < state_.plan.num_warmup ? Phase::warmup : Phase::sampling;
}

void Progress::with_view(const std::function<void(ProgressView&)>& what) {
  if (!view_) return;
  const std::lock_guard lock(busy_);
  const double now = clock_();
  state_.seconds = now - start_;
  estimate(now);
  what(*view_);
}

// The time since a chain's last transition is part of the next one.
void Progress::estimate(double now) {
  for (ChainProgress& chain : state_.chains) {
    if (chain.phase == Phase::waiting || chain.phase == Phase::done) continue;
    const double whole = static_cast<double>(state_.num_transitions() - chain.done) *
                         chain.pace.seconds_per_transition();
    chain.seconds_left = std::isnan(whole) ? kNaN : std::max(0.0, whole - (now - chain.updated));
  }
}

void Progress::begin(const RunPlan& plan) {
  if (!view_) return;
  {
    const std::lock_guard lock(busy_);
    start_ = clock_();
    state_ = {.plan = plan,
              .chains = std::vector<ChainProgress>(static_cast<std::size_t>(plan.num_chains))};
    for (std::size_t c = 0; c < state_.chains.size(); ++c) {
      ChainProgress& chain = state_.chains[c];
      if (c < plan.done.size()) chain.done = plan.done[c];
      if (chain.done > 0 && chain.done >= state_.num_transitions()) chain.phase = Phase::done;
      if (chain.phase == Phase::done) chain.seconds_left = 0.0;
      chain.pace.begin(start_, chain.done);
    }
  }
  with_view([this](ProgressView& view) { view.begin(state_); });
  if (period_ > 0.0)
    ticker_.emplace(period_,
                    [this] { with_view([this](ProgressView& view) { view.update(state_); }); });
}

void Progress::update(const infer::Progress& progress) {
  with_view([&](ProgressView& view) { take(progress, view); });
}

void Progress::update(const infer::FitProgress& progress) {
  with_view([&](ProgressView& view) {
    state_.fit = progress;
    view.update(state_);
  });
}

void Progress::take(const infer::Progress& progress, ProgressView& view) {
  const double now = start_ + state_.seconds;
  ChainProgress& chain = state_.chains[static_cast<std::size_t>(progress.chain)];
  const Phase before = std::exchange(chain.phase, phase_after(progress.iteration));
  chain.done = progress.iteration;
  chain.num_divergent = progress.num_divergent;
  chain.step_size = progress.step_size;
  chain.updated = now;
  chain.pace.note(now, chain.done, chain.phase == Phase::warmup);
  estimate(now);
  if (chain.phase == Phase::done) chain.seconds_left = 0.0;
  if (chain.phase != before) view.phase(state_, progress.chain);
  view.update(state_);
  if (chain.phase == Phase::sampling && before != chain.phase) chain.pace.begin(now, chain.done);
}

void Progress::note(std::string_view text) {
  with_view([&](ProgressView& view) { view.note(text); });
}
void Progress::warn(std::string_view text) {
  with_view([&](ProgressView& view) { view.warn(text); });
}
void Progress::stop(std::string_view reason) {
  with_view([&](ProgressView& view) { view.stop(state_, reason); });
}
void Progress::rest() {
  ticker_.reset();
  with_view([](ProgressView& view) { view.rest(); });
}
void Progress::end(int status) {
  rest();
  with_view([&](ProgressView& view) { view.end(state_, status); });
}

}  // namespace credo::cli
