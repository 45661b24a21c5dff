// The options of a selection: --keep and --drop.
#pragma once
#include "cli/arguments.hpp"
#include "runs/selection.hpp"

namespace credo::cli {

void describe(runs::Selection& selection, Arguments& arguments);

}  // namespace credo::cli
