#include "models/information/entropy_estimator.hpp"

namespace credo::models {

#define CREDO_ENTROPY_ESTIMATORS(row)                                                           \
  row(plugin_entropy) row(miller_madow_entropy) row(grassberger_entropy) row(chao_shen_entropy) \
      row(dirichlet_row) row(nsb_entropy)

#define CREDO_DECLARE(name) extern const EntropyEstimator name;
CREDO_ENTROPY_ESTIMATORS(CREDO_DECLARE)
#undef CREDO_DECLARE

std::span<const EntropyEstimator* const> entropy_estimators() {
#define CREDO_PLACE(name) &name,
  static constexpr const EntropyEstimator* kRows[] = {CREDO_ENTROPY_ESTIMATORS(CREDO_PLACE)};
#undef CREDO_PLACE
  return kRows;
}

}  // namespace credo::models
