// The work of a command as numbered pieces: over threads and ranks, with progress, and kept beside the command's output until
// the answer is complete. OUTPUT.run has the specification of the work and a line for each whole piece, OUTPUT.run.state the
// states of pieces in progress, written anew every second, or less often where that would cost more than a twentieth of the
// time. A command that was killed resumes from both files to the same bits.
#pragma once
#include "infer/smc/filter_checkpoints.hpp"
#include "io/json_value.hpp"
#include "io/lock_file.hpp"
#include "results/draws/share_out.hpp"

namespace credo::results {

// The specification from which the pieces follow.
struct WorkSpec {
  std::string text = {};      // one JSON object in one line: question, options, amounts, inputs
  std::string identity = {};  // two works with the same identity have the same pieces
};

struct WorkOptions {
  std::string file = {};  // the answer; empty: no pieces are kept
  WorkSpec spec = {};
  std::string what = "fits";                          // the pieces, in messages
  Index count = 0;                                    // of all pieces
  std::function<void(const std::string&)> note = {};  // receives messages; may be empty
  bool reports_progress = true;
};

std::string work_file_of(const std::string& answer);  // OUTPUT.run
// The specification in the first line of a work file. Nothing if it is a file of another kind.
std::optional<io::JsonValue> read_work_spec(const std::string& path);

class Work final : public infer::FilterCheckpoints {
 public:
  // Takes the kept pieces of the same work. Throws Error(usage) if the file is of other work, with what differs, and Error(io)
  // if another process writes it or its lines are damaged.
  explicit Work(WorkOptions options);
  ~Work() override;  // files without a piece are removed

  bool keeps() const { return descriptor_.number() >= 0; }
  Index num_done() const { return num_done_; }

  // Whole pieces by number, and the function that receives each new one, one call at a time.
  template <Saved Result>
  std::map<Index, Result> done() const {
    std::map<Index, Result> all;
    for (const auto& [piece, bytes] : done_)
      all.emplace(piece, from_archive<Result>(bytes, work_file_of(options_.file)));
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

  // States of pieces in progress. A thread that gives one while another thread writes leaves it to that one, and doesn't
  // wait. An empty one removes the piece's; numbers below 0 aren't those of whole pieces.
  infer::FilterCheckpoints* states() { return keeps() ? this : nullptr; }  // null: none is kept
  std::string kept(Index piece) override;
  bool is_due(Index piece) override;
  void keep(Index piece, const std::string& state) override;

  void end();  // the answer is complete: removes the kept pieces

 private:
  std::size_t take(const std::string& text);
  std::size_t take_pieces(const std::string& text, std::size_t begin);
  void take_states();
  void write_states(const std::string& text);
  std::string states_text() const;
  void add(Index piece, const std::string& result);
  void append(std::string_view line) const;
  void note(const std::string& text) const;
  void remove(const std::string& path) const;
  std::string state_file() const { return work_file_of(options_.file) + ".state"; }

  WorkOptions options_;
  std::optional<io::LockFile> lock_;
  io::Descriptor descriptor_;
  std::map<Index, std::string> done_;
  Index num_done_ = 0, tenths_noted_ = 0;

  std::mutex mutex_;                             // pieces ask from threads of their own
  std::map<Index, std::string> found_, states_;  // states that were there at first; those of now
  std::map<Index, double> written_;              // when they were written
  double begin_ = 0.0, cost_ = 0.0;              // seconds
  bool is_writing_ = false, has_new_ = false;    // a thread writes states; others came since
};

}  // namespace credo::results
