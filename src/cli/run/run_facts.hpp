// What a run file says of its run beside the draws (docs/files.md).
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {

// With the files that `arguments` read.
io::RunFile::Facts run_facts(const ModelArguments& arguments, const density::Model& model,
                             const RunSpec& spec);

// Before a run goes on: throws Error(usage) where it was begun with other arithmetic, unless that
// is `allowed`; then the file says so.
void check_arithmetic(io::RunFile& file, bool allowed);

}  // namespace credo::cli
