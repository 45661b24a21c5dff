// Report on a finite chain, as text and JSON: pure functions of the analysis.
#pragma once
#include "cli/chain/chain_start.hpp"

namespace credo::cli {

struct ChainReport {
  const infer::finite::FiniteChain& chain;
  const infer::finite::AnalysisOptions& options;
  const infer::finite::Analysis& analysis;
  // The distribution after num_steps steps from a start, if requested.
  Index num_steps = 0;
  std::vector<double> distribution_after = {};
  std::optional<ChainLimit> limit = {};  // if requested
  std::optional<ChainCoupling> coupling = {};
  bool show_matrix = false;
};

std::string chain_text(const ChainReport& report);
std::string chain_json(const ChainReport& report);

// The chain converges to one distribution, and to the target if there is one.
bool is_good(const infer::finite::Analysis& analysis);

}  // namespace credo::cli
