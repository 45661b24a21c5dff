// The options of a selection: --keep and --drop.
#pragma once
#include "cli/options/arguments.hpp"
#include "results/files/selection.hpp"

namespace credo::cli {

inline constexpr double kMostDigits = 18;  // of --sig-figs; 17 tell all doubles apart

void describe(results::Selection& selection, Arguments& arguments);

}  // namespace credo::cli
