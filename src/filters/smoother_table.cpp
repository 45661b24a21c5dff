#include "filters/smoother.hpp"

namespace credo::filters {

extern const SmootherMethod cvi_smoother, ekf_smoother, ep_smoother, ffbs_smoother,
    genealogy_smoother, kalman_smoother, paris_smoother, two_filter_smoother, ukf_smoother;
MethodTable<Smoother> smoother_methods() {
  static constexpr std::array kAll{&cvi_smoother,   &ekf_smoother,        &ep_smoother,
                                   &ffbs_smoother,  &genealogy_smoother,  &kalman_smoother,
                                   &paris_smoother, &two_filter_smoother, &ukf_smoother};
  return kAll;
}

}  // namespace credo::filters
