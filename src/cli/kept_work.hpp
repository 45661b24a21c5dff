// A command's pieces of work, many fits for example: progress, and with --output results that the same command goes on from.
#pragma once
#include <fmt/format.h>

#include "cli/command.hpp"
#include "io/file.hpp"
#include "results/work_log.hpp"

namespace credo::cli {

struct KeptWorkOptions {
  std::string file = {};      // the result; empty: nothing is kept
  std::string identity = {};  // what the results follow from
  std::string what = "fits";
  Index count = 0;  // of all
  bool is_quiet = false;
};

template <class Result>
class KeptWork {
 public:
  KeptWork(KeptWorkOptions options, Output& output)
      : options_(std::move(options)), output_(output) {
    if (options_.file.empty()) return;
    log_.emplace(options_.file + ".run", options_.identity);
    num_done_ = ssize(log_->done());
    if (num_done_ > 0 && !options_.is_quiet)
      output_.note(
          fmt::format("goes on with {} {} of {}.run\n", num_done_, options_.what, options_.file));
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
      output_.note(fmt::format("{} of {} {}\n", num_done_, options_.count, options_.what));
    };
  }
  // Writes the result and removes what was kept of its pieces.
  void finish(const std::string& text) {
    if (!log_) return;
    io::OutputFile result(options_.file);
    result.write(text);
    result.commit();
    log_->remove();
  }

 private:
  KeptWorkOptions options_;
  Output& output_;
  std::optional<results::WorkLog<Result>> log_;
  Index num_done_ = 0, told_ = 0;
};

}  // namespace credo::cli
