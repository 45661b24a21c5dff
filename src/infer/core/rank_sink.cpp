#include "infer/core/rank_sink.hpp"

#include <atomic>
#include <chrono>

#include "base/archive.hpp"

namespace credo::infer {
namespace {
// A message: the chain, then records, each with its kind; the last one is the end, with the steps that are done.
enum class RankRecord { end, draw, row, state, progress };
constexpr std::size_t kMostRecordBytes = std::size_t{1} << 16;
constexpr double kLongestWait = 0.1;  // seconds that records wait for others

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct SentState {
  Index num_steps = 0;
  bool finished = false;
  std::string bytes = {};
  ChainResult result = {};
  std::vector<Divergence> divergences = {};
  std::vector<Refusal> refusals = {};
  static void saved(auto& self, auto&& field) {
    field(self.num_steps);
    field(self.finished);
    field(self.bytes);
    field(self.result);
    field(self.divergences);
    field(self.refusals);
  }
};

std::vector<double> numbers(std::span<const double> all) { return {all.begin(), all.end()}; }
}  // namespace

struct RankSink::Waiting {
  explicit Waiting(Index number) : chain(number) { records(chain); }
  Index chain;
  ArchiveWriter records = {};
  Index num_steps = 0;
  double since = 0.0;
  std::atomic<bool> is_asked = false;
};

RankSink::RankSink(Ranks& ranks, const SampleOptions& options, Index walkers)
    : ranks_(ranks), options_(options), num_walkers_(walkers) {
  for (Index c = 0; c < options.num_chains; ++c) waiting_.push_back(std::make_unique<Waiting>(c));
}

RankSink::~RankSink() = default;

RankSink::Waiting& RankSink::of(Index chain) { return *waiting_[static_cast<std::size_t>(chain)]; }

void RankSink::send(Waiting& waiting) {
  waiting.records(RankRecord::end)(waiting.num_steps);
  ranks_.send(0, RankTag::records, waiting.records.take());
  waiting.records = {};
  waiting.records(waiting.chain);
  waiting.since = seconds_now();
}

void RankSink::flush() {
  for (const auto& waiting : waiting_) send(*waiting);
}

void RankSink::draw(const DrawRecord& record) {
  Waiting& waiting = of(record.chain / num_walkers_);
  waiting.num_steps = std::max(waiting.num_steps, record.iteration + 1);  // with the one that draws
  waiting.records(RankRecord::draw)(record.chain)(record.iteration)(record.warmup);
  waiting.records(numbers(record.position))(numbers(record.info));
  if (waiting.records.bytes().size() > kMostRecordBytes) send(waiting);
}

void RankSink::row(const RowRecord& record) {
  of(record.chain).records(RankRecord::row)(record.group)(numbers(record.values));
}

bool RankSink::wants_state(Index chain, Index num_steps, bool finished) {
  Waiting& waiting = of(chain);
  waiting.num_steps = num_steps;
  if (finished || num_steps == options_.num_warmup) return true;
  if (waiting.is_asked.exchange(false)) return true;
  if (seconds_now() - waiting.since > kLongestWait) send(waiting);
  return false;
}

void RankSink::state(const StateRecord& record) {
  Waiting& waiting = of(record.chain);
  waiting.records(RankRecord::state)(
      SentState{.num_steps = record.iteration,
                .finished = record.finished,
                .bytes = std::string(record.bytes),
                .result = record.result,
                .divergences = {record.divergences.begin(), record.divergences.end()},
                .refusals = {record.refusals.begin(), record.refusals.end()}});
  send(waiting);
}

void RankSink::progress(const Progress& progress) {
  Waiting& waiting = of(progress.chain);
  waiting.records(RankRecord::progress)(progress.iteration)(progress.num_iterations);
  waiting.records(progress.warmup)(progress.num_divergent)(progress.step_size);
}

void RankSink::ask_for_state(Index chain) { of(chain).is_asked = true; }

RankRecords::RankRecords(DrawSink& sink, Index num_chains,
                         std::function<void(const Progress&)> report)
    : sink_(sink),
      report_(std::move(report)),
      num_steps_(static_cast<std::size_t>(num_chains), 0),
      is_asked_(static_cast<std::size_t>(num_chains), false) {}

void RankRecords::put(std::string_view bytes) {
  ArchiveReader from(bytes, "records of a rank");
  Index chain = 0;
  from(chain);
  for (RankRecord kind = RankRecord::end;;) {
    from(kind);
    std::vector<double> values, info;
    if (kind == RankRecord::end) {
      return note_steps(chain, from);
    } else if (kind == RankRecord::draw) {
      DrawRecord record{};
      from(record.chain)(record.iteration)(record.warmup)(values)(info);
      record.position = values;
      record.info = info;
      sink_.draw(record);
    } else if (kind == RankRecord::row) {
      RowRecord record{.chain = chain, .group = 0, .values = {}};
      from(record.group)(values);
      record.values = values;
      sink_.row(record);
    } else if (kind == RankRecord::progress) {
      Progress progress{.chain = chain, .iteration = 0, .num_iterations = 0, .warmup = false};
      from(progress.iteration)(progress.num_iterations)(progress.warmup);
      from(progress.num_divergent)(progress.step_size);
      report_(progress);
    } else {
      put_state(chain, from);
    }
  }
}

// The sink hears of every step, as of a chain of this process: it counts a chain's rows by the steps done.
void RankRecords::note_steps(Index chain, ArchiveReader& from) {
  Index& num_steps = num_steps_[static_cast<std::size_t>(chain)];
  from(num_steps).finish();
  sink_.wants_state(chain, num_steps, false);
}

void RankRecords::put_state(Index chain, ArchiveReader& from) {
  SentState state;
  from(state);
  const auto c = static_cast<std::size_t>(chain);
  num_steps_[c] = state.num_steps;
  is_asked_[c] = false;
  if (!sink_.wants_state(chain, state.num_steps, state.finished)) return;
  sink_.state({.chain = chain,
               .iteration = state.num_steps,
               .finished = state.finished,
               .bytes = state.bytes,
               .result = state.result,
               .divergences = state.divergences,
               .refusals = state.refusals});
}

std::vector<Index> RankRecords::wanted(Index first, Index end) {
  std::vector<Index> chains;
  for (Index c = first; c < end; ++c) {
    const auto place = static_cast<std::size_t>(c);
    if (is_asked_[place] || !sink_.wants_state(c, num_steps_[place], false)) continue;
    is_asked_[place] = true;
    chains.push_back(c);
  }
  return chains;
}

}  // namespace credo::infer
