#include "filters/filter.hpp"

namespace credo::filters {

extern const FilterMethod auxiliary_filter, bootstrap_filter, ekf_filter, ensemble_filter,
    guided_filter, information_filter, kalman_filter, rao_blackwellised_filter, sqmc_filter,
    ukf_filter;
MethodTable<Filter> filter_methods() {
  static constexpr std::array kAll{
      &auxiliary_filter, &bootstrap_filter,   &ekf_filter,    &ensemble_filter,
      &guided_filter,    &information_filter, &kalman_filter, &rao_blackwellised_filter,
      &sqmc_filter,      &ukf_filter};
  return kAll;
}

}  // namespace credo::filters
