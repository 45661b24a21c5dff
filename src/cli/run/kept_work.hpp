// A command's pieces of work, many fits for example: progress, and with --output results that the same command goes on from.
#pragma once
#include "cli/command.hpp"
#include "cli/run/answer_file.hpp"
#include "results/draws/work_log.hpp"

namespace credo::cli {

struct KeptWorkOptions {
  std::string file = {};      // the result; empty: nothing is kept
  std::string identity = {};  // what the results follow from
  std::string what = "fits";
  Index count = 0;  // of all
  bool is_quiet = false;
};

// "goes on with 3 fits of loo.json.run", "4 of 10 fits".
std::string going_on(const KeptWorkOptions& options, Index num_done);
std::string progress(const KeptWorkOptions& options, Index num_done);

template <class Result>
class KeptWork {
 public:
  KeptWork(KeptWorkOptions options, Output& output)
      : options_(std::move(options)), output_(output) {
    if (options_.file.empty()) return;
    log_.emplace(options_.file + ".run", options_.identity);
    num_done_ = ssize(log_->done());
    if (num_done_ > 0 && !options_.is_quiet) output_.note(going_on(options_, num_done_));
  }
  std::map<Index, Result> done() const { return log_ ? log_->done() : std::map<Index, Result>(); }
  // To be told of each result as it comes, one call at a time.
  std::function<void(Index, const Result&)> on_done() {
    return [this](Index number, const Result& result) {
      if (log_) log_->add(number, result);
      ++num_done_;
      const Index tenth = 10 * num_done_ / options_.count;
      if (options_.is_quiet || tenth == told_) return;
      told_ = tenth;
      output_.note(progress(options_, num_done_));
    };
  }
  // Writes the result and removes what was kept of its pieces.
  void finish(const results::ArrayList& answer) {
    if (!log_) return;
    write_answer(options_.file, answer);
    forget();
  }
  // Removes what was kept of the pieces.
  void forget() {
    if (!log_) return;
    if (const std::string left = log_->remove(); !left.empty()) output_.note(left);
  }

 private:
  KeptWorkOptions options_;
  Output& output_;
  std::optional<results::WorkLog<Result>> log_;
  Index num_done_ = 0, told_ = 0;
};

}  // namespace credo::cli
