// The options of a selection: --keep and --drop.
#pragma once
#include "cli/options/arguments.hpp"
#include "results/files/selection.hpp"

namespace credo::cli {

inline constexpr double kMostDigits = 18;  // limit of --sig-figs; 17 distinguish all doubles

void describe(results::Selection& selection, Arguments& arguments);

}  // namespace credo::cli
