#include "results/draws/kept_run.hpp"

#include <mutex>
#include <set>

namespace credo::results {
namespace {

// Draws after warm-up and other rows of one chain, in their order.
struct ReportedRows {
  std::vector<Index> labels = {};  // each draw's chain, walkers apart, and its iteration
  std::vector<double> draws = {};  // each draw's position and columns of the sampler
  std::vector<Index> groups = {};  // each row's group
  std::vector<double> rows = {};
  static void saved(auto& self, auto&& field) {
    field(self.labels);
    field(self.draws);
    field(self.groups);
    field(self.rows);
  }
  void add(const infer::DrawRecord& draw) {
    labels.insert(labels.end(), {draw.chain, draw.iteration});
    draws.insert(draws.end(), draw.position.begin(), draw.position.end());
    draws.insert(draws.end(), draw.info.begin(), draw.info.end());
  }
  void add(const infer::RowRecord& row) {
    groups.push_back(row.group);
    rows.insert(rows.end(), row.values.begin(), row.values.end());
  }
  // Moves the others behind these.
  void take(ReportedRows& others) {
    const auto move = [](auto& to, auto& from) {
      to.insert(to.end(), from.begin(), from.end());
      from.clear();
    };
    move(labels, others.labels), move(draws, others.draws);
    move(groups, others.groups), move(rows, others.rows);
  }
  void hand_to(infer::DrawSink& sink, const infer::DrawSink::Sizes& sizes, Index chain) const {
    const auto dimension = static_cast<std::size_t>(sizes.dimension);
    const std::size_t num_columns = sizes.columns.size();
    std::span<const double> rest(draws);
    for (std::size_t k = 0; k + 1 < labels.size(); k += 2) {
      sink.draw({.chain = labels[k],
                 .iteration = labels[k + 1],
                 .warmup = false,
                 .position = rest.first(dimension),
                 .info = rest.subspan(dimension, num_columns)});
      rest = rest.subspan(dimension + num_columns);
    }
    rest = rows;
    for (const Index group : groups) {
      const std::size_t size = sizes.groups[static_cast<std::size_t>(group)].columns.size();
      sink.row({.chain = chain, .group = group, .values = rest.first(size)});
      rest = rest.subspan(size);
    }
  }
};

struct KeptChain {
  std::string bytes = {};  // empty before the first state
  Index num_steps = 0;
  bool finished = false;
  ReportedRows rows = {};  // up to the state, where a sink takes them
  static void saved(auto& self, auto&& field) {
    field(self.bytes);
    field(self.num_steps);
    field(self.finished);
    field(self.rows);
  }
};

struct KeptChains {
  std::string sampler = {};  // a piece may have several runs
  std::string fit = {};      // state of the fit before the draws
  std::vector<KeptChain> chains = {};
  static void saved(auto& self, auto&& field) {
    field(self.sampler);
    field(self.fit);
    field(self.chains);
  }
};

// When the piece is due, each chain that isn't done gives its next state. They are kept when all have given theirs, or one gives
// another: it may be that chains run one after another.
class StateSink final : public infer::DrawSink, public infer::FitKeeper {
 public:
  StateSink(KeptChains kept, const StopFlag* stop, const PieceInProgress& piece,
            infer::DrawSink* sink)
      : piece_(piece), stop_(stop), sink_(sink), kept_(std::move(kept)) {
    since_.resize(kept_.chains.size());
    for (Index c = 0; c < ssize(kept_.chains); ++c)
      if (!kept_.chains[static_cast<std::size_t>(c)].finished) going_.insert(c);
  }
  std::string kept_fit() override { return kept_.fit; }
  bool is_fit_due() override { return is_stopped() || piece_.states->is_due(piece_.number); }
  void keep_fit(const std::string& state) override {
    kept_.fit = state;
    piece_.states->keep(piece_.number, archived(kept_));
  }
  // Hands over the draws and rows that were reported before the states.
  void begin(const Sizes& sizes) override {
    if (sink_ == nullptr) return;
    num_walkers_ = std::max<Index>(sizes.num_chains / ssize(kept_.chains), 1);
    sink_->begin(sizes);
    for (Index c = 0; c < ssize(kept_.chains); ++c) {
      const KeptChain& chain = kept_.chains[static_cast<std::size_t>(c)];
      if (chain.bytes.empty()) continue;
      chain.rows.hand_to(*sink_, sizes, c);
      (void)sink_->wants_state(c, chain.num_steps, chain.finished);
    }
  }
  void draw(const infer::DrawRecord& record) override {
    if (sink_ == nullptr) return;
    since_[static_cast<std::size_t>(record.chain / num_walkers_)].add(record);
    sink_->draw(record);
  }
  void row(const infer::RowRecord& record) override {
    if (sink_ == nullptr) return;
    since_[static_cast<std::size_t>(record.chain)].add(record);
    sink_->row(record);
  }
  bool wants_state(Index chain, Index num_steps, bool finished) override {
    const bool is_for_sink = sink_ != nullptr && sink_->wants_state(chain, num_steps, finished);
    const std::lock_guard lock(mutex_);
    const bool is_due = piece_.states->is_due(piece_.number);
    if (is_due && !collects_) waiting_ = going_, collects_ = true;
    return is_for_sink || finished || is_stopped() || is_due || waiting_.contains(chain);
  }
  void state(const infer::StateRecord& record) override {
    if (sink_ != nullptr) sink_->state(record);
    std::unique_lock lock(mutex_);
    KeptChain& chain = kept_.chains[static_cast<std::size_t>(record.chain)];
    chain.bytes = record.bytes;
    chain.num_steps = record.iteration;
    chain.finished = record.finished;
    chain.rows.take(since_[static_cast<std::size_t>(record.chain)]);
    if (record.finished) going_.erase(record.chain);
    const bool is_another = waiting_.erase(record.chain) == 0;
    if (!is_stopped() && !(collects_ && (waiting_.empty() || is_another))) return;
    collects_ = false;
    const std::string bytes = archived(kept_);
    const std::lock_guard order(keeping_);
    lock.unlock();  // other chains don't wait for the file
    piece_.states->keep(piece_.number, bytes);
  }

 private:
  bool is_stopped() const { return stop_ != nullptr && stop_->load(); }

  const PieceInProgress& piece_;
  const StopFlag* const stop_;
  infer::DrawSink* const sink_;
  Index num_walkers_ = 1;
  std::vector<ReportedRows> since_;  // by chain: reported after its state
  std::mutex mutex_, keeping_;       // the second one keeps states in their order
  KeptChains kept_;
  std::set<Index> going_, waiting_;  // chains that aren't done; those whose state is due
  bool collects_ = false;
};

class NoStates final : public infer::DrawSink {
 public:
  void draw(const infer::DrawRecord&) override {}
};

KeptChains chains_of(const PieceInProgress& piece, const infer::SampleOptions& options) {
  KeptChains chains{.sampler = options.sampler};
  if (const std::string kept = piece.states->kept(piece.number); !kept.empty())
    if (auto found = from_archive<KeptChains>(kept, "the state of a run");
        found.sampler == options.sampler)
      chains = std::move(found);
  chains.chains.resize(static_cast<std::size_t>(options.num_chains));
  return chains;
}
}  // namespace

infer::RunResult run_of_piece(const density::LogDensity& density, infer::SampleOptions options,
                              const PieceInProgress& piece, infer::DrawSink* sink) {
  options.save_warmup = false;
  if (piece.states == nullptr) {
    NoStates none;
    const infer::FitScope nowhere(nullptr);
    return infer::run_chains(density, options, sink == nullptr ? none : *sink);
  }
  KeptChains chains = chains_of(piece, options);
  options.states.clear();
  for (const KeptChain& chain : chains.chains) options.states.push_back(chain.bytes);
  StateSink states(std::move(chains), options.stop, piece, sink);
  const infer::FitScope fit(&states);
  return infer::run_chains(density, options, states);
}

}  // namespace credo::results
