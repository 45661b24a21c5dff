// Summary of a file of credo filter or credo smooth.
#pragma once
#include "results/estimates/state_file.hpp"

namespace credo::cli {

std::string state_summary_text(const results::StateFile& file);
std::string state_summary_json(const results::StateFile& file);

}  // namespace credo::cli
