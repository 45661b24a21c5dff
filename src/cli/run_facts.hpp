// What a run file says of its run beside the draws (docs/files.md).
#pragma once
#include "cli/load.hpp"
#include "cli/runs.hpp"
#include "runs/facts.hpp"

namespace credo::cli {

// The words behind `credo sample`: all, and those that the draws depend on.
struct RunWords {
  std::vector<std::string> given, repeat;
};
RunWords run_words(const Arguments& stated, std::span<const std::string> given);

// With the files that `arguments` read.
io::RunFile::Facts run_facts(const ModelArguments& arguments, const model::Model& model,
                             const infer::SampleOptions& options, const RunWords& words);

// Before a run goes on: throws Error(usage) where it was begun with other arithmetic, unless that
// is `allowed`; then the file says so.
void check_arithmetic(io::RunFile& file, bool allowed);

}  // namespace credo::cli
