#include "infer/core/batch_dealer.hpp"

#include <atomic>
#include <chrono>

#include "infer/core/far_evaluators.hpp"

namespace credo::infer {
namespace {
constexpr Index kPointsPerDeal = 8, kEnough = 3;
// Handing out takes a microsecond while the helpers are awake, and more where they sleep.
constexpr double kWorthDealing = 20e-6;  // seconds of one evaluator
// A question to another rank and its answer take some 10 us in one machine and 50 us in a network.
constexpr double kWorthSending = 200e-6;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

// Work that members take in its order.
struct BatchDealer::Piece {
  Index count;
  Work work;
  void* context;
  std::span<const std::unique_ptr<density::Evaluator>> members;
  const StopFlag* stop;
  const MemoryUse& memory_use;
  std::atomic<Index> next = 0;
  std::atomic<bool> has_failed = false;
  std::exception_ptr failure = nullptr;  // error of the member that set has_failed

  static void take_some(void* piece, Index member) noexcept {
    static_cast<Piece*>(piece)->take(
        *static_cast<Piece*>(piece)->members[static_cast<std::size_t>(member)]);
  }
  void take(density::Evaluator& evaluator) noexcept {
    const StopScope scope(stop);
    const MemoryScope memory(memory_use);
    try {
      while (!has_failed.load(std::memory_order_relaxed)) {
        const Index k = next.fetch_add(1, std::memory_order_relaxed);
        if (k >= count) return;
        work(context, k, evaluator);
      }
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
};

BatchDealer::BatchDealer(const density::LogDensity& density, Index num_threads, FarEvaluators* far)
    : density_(density),
      num_threads_(std::min(num_threads, Team::kMost)),
      far_(far != nullptr && far->count() > 0 ? far : nullptr),
      alone_(density.make_evaluator()) {
  alone_->use_threads(num_threads);
}

void BatchDealer::evaluate(density::Want want, Batch batch) {
  if (far_ != nullptr && ssize(batch) > 1 && FarEvaluators::can_ask(want, batch) &&
      costs_more(want, batch, kWorthSending))
    return deal_over_ranks(want, batch);
  evaluate_here(want, batch);
}

void BatchDealer::evaluate_here(density::Want want, Batch batch) {
  const bool is_for_threads = num_threads_ > 1 && ssize(batch) >= 2 * kPointsPerDeal;
  const bool is_for_ranks = far_ != nullptr && ssize(batch) > 1;
  if (!is_for_threads && !is_for_ranks) return alone_->evaluate(want, batch);
  const Index& num_seen = costs_[static_cast<std::size_t>(want)].num_seen;
  for (; num_seen < kEnough && ssize(batch) > kPointsPerDeal; batch = batch.subspan(kPointsPerDeal))
    evaluate_alone(want, batch.first(kPointsPerDeal));  // a little, for the cost of the rest
  is_for_threads&& costs_more(want, batch, kWorthDealing) ? deal(want, batch)
                                                          : evaluate_alone(want, batch);
}

// Answers are waited for whatever happens here, or the next ones would be taken for them.
void BatchDealer::deal_over_ranks(density::Want want, Batch batch) {
  const Batch own = far_->send(want, batch);
  std::exception_ptr failure;
  try {
    if (!own.empty()) evaluate_here(want, own);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<density::Request*> refused = far_->receive();
  if (failure) std::rethrow_exception(failure);
  if (!refused.empty()) evaluate_here(want, refused);
}

bool BatchDealer::costs_more(density::Want want, Batch batch, double seconds) const {
  const Cost& cost = costs_[static_cast<std::size_t>(want)];
  return cost.num_seen >= kEnough &&
         cost.seconds_a_point * static_cast<double>(batch.size()) > seconds;
}

void BatchDealer::evaluate_alone(density::Want want, Batch batch) {
  Cost& cost = costs_[static_cast<std::size_t>(want)];
  const double begin = now();
  alone_->evaluate(want, batch);
  const double seconds = (now() - begin) / static_cast<double>(batch.size());
  cost.seconds_a_point = std::min(cost.seconds_a_point, seconds);
  ++cost.num_seen;
}

void BatchDealer::deal(density::Want want, Batch batch) {
  struct Slices {
    density::Want want;
    Batch batch;
  } slices{want, batch};
  const Work evaluate_slice = [](void* context, Index k, density::Evaluator& evaluator) {
    const auto& all = *static_cast<const Slices*>(context);
    const Index first = kPointsPerDeal * k;
    const Index size = std::min(kPointsPerDeal, ssize(all.batch) - first);
    evaluator.evaluate(all.want, all.batch.subspan(static_cast<std::size_t>(first),
                                                   static_cast<std::size_t>(size)));
  };
  share_out((ssize(batch) + kPointsPerDeal - 1) / kPointsPerDeal, evaluate_slice, &slices);
}

void BatchDealer::share_out(Index count, Work work, void* context) {
  if (num_threads_ == 1 || count == 1) {
    for (Index k = 0; k < count; ++k) work(context, k, *alone_);
    return;
  }
  if (team_ == nullptr) {
    for (Index k = 0; k < num_threads_; ++k) members_.push_back(density_.make_evaluator());
    team_ = std::make_unique<Team>(num_threads_);
  }
  Piece piece{.count = count,
              .work = work,
              .context = context,
              .members = members_,
              .stop = current_stop(),
              .memory_use = *current_memory_use()};
  team_->run(Piece::take_some, &piece);
  if (piece.failure) std::rethrow_exception(piece.failure);
}

}  // namespace credo::infer
