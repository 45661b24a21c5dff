// Commands speak of runs and their files in the words of the layer `runs`.
#pragma once
#include "runs/fit.hpp"

namespace credo::cli {
using namespace runs;
}
