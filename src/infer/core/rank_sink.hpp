// The sink of a rank other than 0: sends what its jobs yield to rank 0, which puts it into the sink of the run. And what
// rank 0 does with it.
#pragma once
#include "base/ranks.hpp"
#include "infer/core/sample.hpp"

namespace credo {
class ArchiveReader;
}

namespace credo::infer {

class RankSink final : public DrawSink {
 public:
  // `walkers`: chains of draws that each chain yields.
  RankSink(Ranks& ranks, const SampleOptions& options, Index walkers);
  ~RankSink() override;
  void draw(const DrawRecord& record) override;
  void row(const RowRecord& record) override;
  // After warm-up and at the end, where blocks of a run file end, and where rank 0 has asked.
  bool wants_state(Index chain, Index num_steps, bool finished) override;
  void state(const StateRecord& record) override;
  void progress(const Progress& progress);

  void begin(const Sizes&) override {}
  void ask_for_state(Index chain);  // any thread
  void flush();                     // sends the rest

 private:
  struct Waiting;
  Waiting& of(Index chain);
  void send(Waiting& waiting);

  Ranks& ranks_;
  const SampleOptions& options_;
  const Index num_walkers_;
  std::vector<std::unique_ptr<Waiting>> waiting_;  // by chain
};

// Puts the records of a message into a sink; `report` receives progress.
class RankRecords {
 public:
  RankRecords(DrawSink& sink, Index num_chains, std::function<void(const Progress&)> report);
  void put(std::string_view bytes);
  // Chains among [first, end) whose next state the sink requests, each once until it has come.
  std::vector<Index> wanted(Index first, Index end);

 private:
  void put_state(Index chain, ArchiveReader& from);
  void note_steps(Index chain, ArchiveReader& from);

  DrawSink& sink_;
  std::function<void(const Progress&)> report_;
  std::vector<Index> num_steps_;
  std::vector<bool> is_asked_;
};

}  // namespace credo::infer
