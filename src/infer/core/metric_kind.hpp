// Shapes of a Euclidean metric (infer/mcmc/hamiltonian/metric.hpp), as options and results name them.
#pragma once
#include "base/std.hpp"

namespace credo::infer {

enum class MetricKind { unit, diagonal, dense, lbfgs };

// Their names in options and files, CmdStan's where it has them.
inline constexpr std::array<std::string_view, 4> kMetricNames = {"unit_e", "diag_e", "dense_e",
                                                                 "lbfgs"};
inline constexpr std::span<const std::string_view> enum_names(MetricKind) { return kMetricNames; }

}  // namespace credo::infer
