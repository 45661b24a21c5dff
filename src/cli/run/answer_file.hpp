// Files of answers that aren't draws: arrays in NetCDF-4 files, or text.
#pragma once
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// Writes the arrays if `file` ends with .nc, otherwise `json`. Complete under its name or not there. Throws Error(io)
// and Stopped.
void write_answer(const std::string& file, const results::ArrayResult& arrays,
                  const std::string& json);

// Recognises a NetCDF-4 file that states its question and has no draws; false if it can't be read.
bool is_answer_file(const std::string& path);

// Attributes and tables, made from the descriptions of the arrays. Long tables are cut.
std::string answer_text(const results::ArrayResult& answer, const std::string& path);

}  // namespace credo::cli
