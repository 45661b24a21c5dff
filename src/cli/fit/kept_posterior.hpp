// A conjugate posterior in a result file, from which the next inference starts (credo exact --after).
#pragma once
#include "infer/conjugate/conjugate.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct KeptPosterior {
  std::string source;              // the file, for messages
  std::vector<std::string> names;  // of the parameters' elements; places of blocks are places here
  std::vector<infer::conjugate::BlockState> blocks;
  std::vector<std::string> data;  // digests of all data that it has seen, one for each part
};

void add_kept(results::ArrayList& arrays, const KeptPosterior& posterior);
// Throws Error(usage) for a file without a conjugate posterior, Error(data) for a damaged one.
KeptPosterior read_kept(const std::string& path);

}  // namespace credo::cli
