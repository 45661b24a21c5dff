// What a run file says of its run beside the draws (docs/files.md).
#pragma once
#include "cli/fit.hpp"
#include "cli/load.hpp"
#include "io/run_file.hpp"

namespace credo::cli {

// `given`: the words behind `credo sample`. The files that `arguments` read are in it.
io::RunFile::Facts run_facts(const ModelArguments& arguments, const model::Model& model,
                             const infer::SampleOptions& options,
                             std::span<const std::string> given);

// What the bits of a draw depend on beside the program and its options (docs/determinism.md).
std::string arithmetic();

}  // namespace credo::cli
