// Commands speak of runs and their files in the words of the layer `results`.
#pragma once
#include "results/fit.hpp"

namespace credo::cli {
using namespace results;
}
