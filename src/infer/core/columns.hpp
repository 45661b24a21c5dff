// Columns of draws that samplers of any family report.
#pragma once
#include "infer/core/fields.hpp"

namespace credo::infer {

inline constexpr FieldSpec kLogDensityColumn{.name = "log_density",
                                             .help = "log density at the draw, unconstrained space",
                                             .stan_name = "lp__",
                                             .arviz_name = "lp"};
// Column of weighted draws: the weight in summaries, up to a common factor.
inline constexpr FieldSpec kLogWeightColumn{.name = "log_weight",
                                            .help = "logarithm of the weight of the draw",
                                            .stan_name = "log_weight__"};

}  // namespace credo::infer
