// The work of a command as numbered pieces: over threads and ranks, with progress, and kept beside the command's output until
// the answer is complete, in the run file OUTPUT.run: the results of whole pieces, and the states of pieces in progress, which are written
// anew every second, or less often where that would cost more than a twentieth of the time. A command that was killed resumes
// from it to the same bits.
#pragma once
#include <atomic>

#include "infer/smc/filter_checkpoints.hpp"
#include "io/lock_file.hpp"
#include "results/draws/share_out.hpp"
#include "results/files/block_queue.hpp"
#include "results/files/specification.hpp"

namespace credo::results {

struct WorkOptions {
  std::string file = {};  // the answer; empty: no pieces are kept
  Specification spec = {};
  std::string what = "fits";                          // the pieces, in messages
  Index count = 0;                                    // of all pieces
  std::function<void(const std::string&)> note = {};  // receives messages; may be empty
  bool reports_progress = true;
};

class Work final : public infer::FilterCheckpoints {
 public:
  // Takes the kept pieces of the same work. Throws Error(usage) if the file is of other work, with what differs, and Error(io)
  // if another process writes it or it is damaged.
  explicit Work(WorkOptions options);

  bool keeps() const { return lock_.has_value(); }
  Index num_done() const { return num_done_; }

  // Whole pieces by number, and the function that receives each new one, one call at a time.
  template <Saved Result>
  std::map<Index, Result> done() const {
    std::map<Index, Result> all;
    for (const auto& [piece, bytes] : done_)
      all.emplace(piece, from_archive<Result>(bytes, io::run_file_of(options_.file)));
    return all;
  }
  template <Saved Result>
  std::function<void(Index, const Result&)> on_done() {
    return [this](Index piece, const Result& result) {
      add(piece, keeps() ? archived(result) : std::string());
    };
  }
  // All pieces, over threads, and over ranks where the caller works over ranks (results/draws/share_out.hpp).
  template <Saved Result, class MakeWorker>
  std::vector<Result> run(Index num_threads, const MakeWorker& make_worker) {
    return share_out_results<Result>(options_.count, num_threads, done<Result>(), on_done<Result>(),
                                     make_worker);
  }

  // States of pieces in progress, which a thread of its own writes. An empty one removes the piece's; numbers below 0 aren't those of
  // whole pieces.
  infer::FilterCheckpoints* states() { return keeps() ? this : nullptr; }  // null: none is kept
  std::string kept(Index piece) override;
  bool is_due(Index piece) override;
  void keep(Index piece, const std::string& state) override;

  void end();  // the answer is complete: removes the kept pieces

 private:
  void take(const std::string& path);
  void push(Index piece, const std::string& state, const std::string& result, bool finished);
  io::RunFile::Facts facts() const;
  void commit(std::span<const io::RunBlock> blocks);
  void add(Index piece, const std::string& result);
  void note(const std::string& text) const;
  std::function<void(const std::string&)> warn() const;

  WorkOptions options_;
  std::optional<io::LockFile> lock_;
  std::optional<io::RunFile> file_;            // once something is kept
  std::map<Index, std::string> done_, found_;  // results and states that were there at first
  Index num_done_ = 0, tenths_noted_ = 0;

  std::mutex mutex_;                    // pieces ask from threads of their own
  std::map<Index, double> written_;     // when states were written
  std::map<Index, Index> num_written_;  // blocks of each piece
  double begin_ = 0.0;                  // seconds
  std::atomic<double> cost_ = 0.0;      // of the last block, seconds
  // The last member: its thread uses the others. Work that is broken off ends with its blocks written.
  BlockQueue queue_{[this](std::span<const io::RunBlock> blocks) { commit(blocks); }};
};

}  // namespace credo::results
