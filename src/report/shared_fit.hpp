// A fit that several threads read at once.
#pragma once
#include "results/files/fit.hpp"

namespace credo::report {

// Its draws after warm-up are read once and kept where they take at most `most_bytes`; beyond that one thread reads the
// file at a time. The fit must live as long.
std::unique_ptr<results::Fit> share(const results::Fit& fit, Index most_bytes = Index{1} << 30);

}  // namespace credo::report
