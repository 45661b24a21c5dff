// Facts about a run in its run file, beside the draws (docs/files.md).
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {

// With the files that `arguments` read.
io::RunFile::Facts run_facts(const ModelArguments& arguments, const density::Model& model,
                             const RunSpec& spec);

// Called before a run is resumed: throws Error(usage) if it was begun with other arithmetic, unless that
// is `allowed`; then the file records it.
void check_arithmetic(io::RunFile& file, bool allowed);

}  // namespace credo::cli
