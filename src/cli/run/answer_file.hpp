// Files of answers that aren't draws: arrays in NetCDF-4 files, or text.
#pragma once
#include "cli/command.hpp"
#include "results/files/fit_arrays.hpp"

namespace credo::cli {

// Writes the arrays if `file` ends with .nc, otherwise the command's JSON. Complete under its name or not there. Throws
// Error(io) and Stopped.
void write_answer(const std::string& file, const results::ArrayList& answer);

// The answer with the specification as an attribute, for --like.
results::ArrayList with_spec(results::ArrayList answer, const Specification& spec);

// Help of --output.
inline constexpr const char* kAnswerFile = "the result: FILE.nc (NetCDF-4) or FILE.json";
// Writes the answer if a file is named, and prints it as JSON, or the text.
void print_answer(const results::ArrayList& answer, const std::string& text,
                  const std::string& file, bool json, Output& output);

// Writes messages of a work as notes; empty if there are to be none.
std::function<void(const std::string&)> notes_of(Output& output, bool is_quiet);

using results::open_answer;
bool has_draws(const results::ArrayResult& answer);

// Attributes and tables, made from the descriptions of the arrays. Long tables are cut.
std::string answer_text(const results::ArrayResult& answer, const std::string& path);

}  // namespace credo::cli
