// Tasks that rank 0 sends to the others, and their work: base/ranks.hpp, docs/mpi.md.
#pragma once
#include "base/ranks.hpp"
#include "cli/command.hpp"

namespace credo::cli {

// A run, with everything that it reads; or the words of a command.
struct RankTask {
  std::string spec = {};                             // output of to_json(RunSpec)
  std::vector<std::vector<std::string>> files = {};  // path, content
  std::vector<std::string> words = {};

  static void saved(auto& self, auto&& field) {
    field(self.spec);
    field(self.files);
    field(self.words);
  }
};

// Rank 0.
void give_task(Ranks& ranks, const RankTask& task);
void dismiss_ranks(Ranks& ranks);
// Throws Error(usage) for a command that runs in one process.
void go_over_ranks(const CommandRow& row, std::span<const std::string> words, Ranks& ranks);

// Every other rank: does its tasks, in silence, until it is dismissed. Returns the exit status, 0: errors are
// reported to rank 0, whose status is the job's.
int serve_rank(Ranks& ranks);

}  // namespace credo::cli
