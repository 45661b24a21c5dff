// Commands speak of runs and their files in the words of the layer `results`.
#pragma once
#include "results/files/fit.hpp"

namespace credo::cli {
using namespace results;
}
