#include "results/draws/kept_run.hpp"

#include <mutex>
#include <set>

namespace credo::results {
namespace {

struct ChainStates {
  std::string sampler = {};  // a piece may have several runs
  std::vector<std::string> chains = {};
  static void saved(auto& self, auto&& field) {
    field(self.sampler);
    field(self.chains);
  }
};

// When the piece is due, each chain that isn't done gives its next state; then all of them are kept.
class StateSink final : public infer::DrawSink {
 public:
  StateSink(const infer::SampleOptions& options, const PieceInProgress& piece)
      : piece_(piece),
        stop_(options.stop),
        states_{.sampler = options.sampler, .chains = options.states} {
    states_.chains.resize(static_cast<std::size_t>(options.num_chains));
    for (Index c = 0; c < options.num_chains; ++c) going_.insert(c);
  }
  void draw(const infer::DrawRecord&) override {}
  bool wants_state(Index chain, Index, bool finished) override {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() && piece_.states->is_due(piece_.number)) waiting_ = going_;
    return finished || is_stopped() || waiting_.contains(chain);
  }
  void state(const infer::StateRecord& record) override {
    const std::lock_guard lock(mutex_);
    states_.chains[static_cast<std::size_t>(record.chain)] = record.bytes;
    waiting_.erase(record.chain);
    if (record.finished) going_.erase(record.chain);
    if (waiting_.empty() || is_stopped()) piece_.states->keep(piece_.number, archived(states_));
  }

 private:
  bool is_stopped() const { return stop_ != nullptr && stop_->load(); }

  const PieceInProgress& piece_;
  const StopFlag* const stop_;
  std::mutex mutex_;
  ChainStates states_;
  std::set<Index> going_, waiting_;  // chains that aren't done; those whose state is due
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
  if (const std::string kept = piece.states->kept(piece.number); !kept.empty())
    if (auto found = from_archive<ChainStates>(kept, "the state of a run");
        found.sampler == options.sampler)
      options.states = std::move(found.chains);
  StateSink sink(options, piece);
  return infer::run_chains(density, options, sink);
}

}  // namespace credo::results
