// The specification of a command's work: the question and digests of all files that it read.
#pragma once
#include "cli/command.hpp"
#include "io/input_files.hpp"
#include "results/arrays/arrays.hpp"
#include "results/draws/work.hpp"

namespace credo::cli {

// `read`: files that were read, includes among them. Files that options name are read here if they aren't in it. `points`:
// positions of a fit that the pieces are about. Call it when the model is there: the arithmetic is known then.
results::WorkSpec work_spec(const CommandSpec& asked, const io::InputFiles::Contents& read,
                            const std::vector<std::vector<double>>& points = {});

// Writes messages of a work as notes; empty if there are to be none.
std::function<void(const std::string&)> notes_of(Output& output, bool is_quiet);

// The answer with the specification as an attribute, for --like.
results::ArrayList with_spec(results::ArrayList answer, const results::WorkSpec& spec);

}  // namespace credo::cli
