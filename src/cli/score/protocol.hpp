// Scores of a sequence of approximations: a table says which data are learned and which are predicted, in what order
// [murphy2023, 20.7.5]. The posterior of each learned part is the prior of the next (credo approximate --after).
#pragma once
#include "cli/command.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct ProtocolQuestion {
  std::string program, protocol;           // paths
  std::string method = "normal";           // a row of credo approximate
  std::vector<std::string> settings = {};  // its options, as "covariance=diagonal"
  std::uint64_t seed = 1;
  Index num_draws = 1000;
};

// A line of the table, done. The score of a row is the log of the mean over draws of its likelihood.
struct ProtocolStep {
  std::string data;
  bool is_learned = false;
  Index num_rows = 0;
  double log_score = kNaN,
         error = kNaN;  // mean by row before the data are learned; NaN before the first are learned
};

// Data that are predicted more than once: what later parts cost them.
struct ProtocolLoss {
  std::string data;
  double first = kNaN, best = kNaN, last = kNaN;
  double forgotten = 0.0;  // best - last
};

struct ProtocolScores {
  std::vector<ProtocolStep> steps;
  std::vector<ProtocolLoss> losses;
};
// Throws Error(data) at the line of the table that is wrong, and as the approximation does.
ProtocolScores score_by_protocol(const ProtocolQuestion& question, Output& output, bool json);

results::ArrayList arrays_of(const ProtocolScores& scores, const ProtocolQuestion& question);
std::string text_of(const ProtocolScores& scores);

}  // namespace credo::cli
