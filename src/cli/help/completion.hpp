// Completion of command lines: scripts for shells, made from the table of commands.
#pragma once
#include "base/types.hpp"

namespace credo::cli {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace credo::cli
