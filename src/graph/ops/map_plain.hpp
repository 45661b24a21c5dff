// Kernels of elementwise rows over functions of plain numbers, for those that take so long that
// vectors of them would not help.
#pragma once
#include "graph/core/kernel.hpp"

namespace credo::graph {

inline double operand(const Call& call, Index k, Index e, Index l) {
  return call.at(k, call.in_shape(k).is_scalar() ? 0 : e, l);
}

template <double (*kFunction)(double)>
void map_1(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) {
    for (Index l = 0; l < call.lanes; ++l)
      call.out[e * call.lanes + l] = kFunction(operand(call, 0, e, l));
  }
}
template <double (*kFunction)(double, double)>
void map_2(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) {
    for (Index l = 0; l < call.lanes; ++l)
      call.out[e * call.lanes + l] = kFunction(operand(call, 0, e, l), operand(call, 1, e, l));
  }
}
template <double (*kFunction)(double, double, double)>
void map_3(const Call& call) {
  for (Index e = 0; e < call.shape.size(); ++e) {
    for (Index l = 0; l < call.lanes; ++l) {
      call.out[e * call.lanes + l] =
          kFunction(operand(call, 0, e, l), operand(call, 1, e, l), operand(call, 2, e, l));
    }
  }
}

// A row over map_n.
template <double (*kFunction)(double)>
Kernel plain_1() {
  return map_1<kFunction>;
}
template <double (*kFunction)(double, double)>
Kernel plain_2() {
  return map_2<kFunction>;
}
template <double (*kFunction)(double, double, double)>
Kernel plain_3() {
  return map_3<kFunction>;
}

}  // namespace credo::graph
