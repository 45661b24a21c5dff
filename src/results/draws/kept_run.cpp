#include "results/draws/kept_run.hpp"

#include <mutex>
#include <set>

namespace credo::results {
namespace {

struct ChainStates {
  std::string sampler = {};  // a piece may have several runs
  std::vector<std::string> chains = {};
  std::vector<Index> finished = {};
  static void saved(auto& self, auto&& field) {
    field(self.sampler);
    field(self.chains);
    field(self.finished);
  }
};

// When the piece is due, each chain that isn't done gives its next state. They are kept when all have given theirs, or one gives
// another: it may be that chains run one after another.
class StateSink final : public infer::DrawSink {
 public:
  StateSink(ChainStates states, const StopFlag* stop, const PieceInProgress& piece)
      : piece_(piece), stop_(stop), states_(std::move(states)) {
    for (Index c = 0; c < ssize(states_.chains); ++c) going_.insert(c);
    for (const Index c : states_.finished) going_.erase(c);
  }
  void draw(const infer::DrawRecord&) override {}
  bool wants_state(Index chain, Index, bool finished) override {
    const std::lock_guard lock(mutex_);
    const bool is_due = piece_.states->is_due(piece_.number);
    if (is_due && !collects_) waiting_ = going_, collects_ = true;
    return finished || is_stopped() || is_due || waiting_.contains(chain);
  }
  void state(const infer::StateRecord& record) override {
    const std::lock_guard lock(mutex_);
    states_.chains[static_cast<std::size_t>(record.chain)] = record.bytes;
    const bool is_another = waiting_.erase(record.chain) == 0;
    if (record.finished) going_.erase(record.chain), states_.finished.push_back(record.chain);
    const bool is_over = collects_ && (waiting_.empty() || is_another);
    if (!is_over && !record.finished && !is_stopped()) return;
    collects_ = false;
    piece_.states->keep(piece_.number, archived(states_));
  }

 private:
  bool is_stopped() const { return stop_ != nullptr && stop_->load(); }

  const PieceInProgress& piece_;
  const StopFlag* const stop_;
  std::mutex mutex_;
  ChainStates states_;
  std::set<Index> going_, waiting_;  // chains that aren't done; those whose state is due
  bool collects_ = false;
};

class NoStates final : public infer::DrawSink {
 public:
  void draw(const infer::DrawRecord&) override {}
};
}  // namespace

infer::RunResult run_of_piece(const density::LogDensity& density, infer::SampleOptions options,
                              const PieceInProgress& piece) {
  if (piece.states == nullptr) {
    NoStates none;
    return infer::run_chains(density, options, none);
  }
  ChainStates states{.sampler = options.sampler};
  if (const std::string kept = piece.states->kept(piece.number); !kept.empty())
    if (auto found = from_archive<ChainStates>(kept, "the state of a run");
        found.sampler == options.sampler)
      states = std::move(found);
  states.chains.resize(static_cast<std::size_t>(options.num_chains));
  options.states = states.chains;
  StateSink sink(std::move(states), options.stop, piece);
  return infer::run_chains(density, options, sink);
}

}  // namespace credo::results
