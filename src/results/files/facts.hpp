// Description of a run in its result, beside the draws, as facts of a run file (docs/files.md).
#pragma once
#include "infer/core/sample.hpp"
#include "io/input_files.hpp"
#include "io/run_file.hpp"
#include "results/files/run_spec.hpp"

namespace credo::density {
class Model;
}

namespace credo::results {

// A setting of draws that another command than `sample` made: its specification (results/files/specification.hpp).
inline constexpr const char* kCommandSetting = "command_spec";

// How the run is begun, the program's name, its unconstrained values and data, the sampler, every setting.
io::RunFile::Facts facts_of_run(const density::Model& model, const RunSpec& spec);

// Sources of a model: the paths of program and data among the files.
struct ModelFiles {
  io::InputFiles::Contents files;
  std::string model, data;
};
void add_files(io::RunFile::Facts& facts, const ModelFiles& made_of);

// FNV-1a, "fnv1a64:" and 16 digits: to tell data apart, not to protect them.
std::string hash_of(std::string_view text);

// Arithmetic that the bits of a draw depend on beside the program and its options (docs/determinism.md).
std::string arithmetic();

}  // namespace credo::results
