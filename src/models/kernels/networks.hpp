// Kernels of wide networks: a layer maps the covariances (kxx, kzz, kxz) of two inputs to those of the next layer.
#pragma once
#include "models/kernels/row_functions.hpp"

namespace credo::models {

template <class S>
struct LayerCovariances {
  S xx, zz, xz;
};

// E[relu(u) relu(v)] 2 / sqrt(kxx kzz) and 2 E[relu'(u) relu'(v)] of jointly normal u, v with correlation c [cho2009]:
// (sin a + (pi - a) cos a) / pi and (pi - a) / pi, a = acos c.
template <class S>
std::array<S, 2> relu_moments(const S& c) {
  using std::acos, std::sqrt;
  if (value_of(c) >= 1.0) return {c, S(1.0)};  // both are equal there, and the first has slope 1
  if (value_of(c) <= -1.0) return {S(0.0), S(0.0)};
  const S angle = acos(c), rest = (std::numbers::pi - angle) * (1.0 / std::numbers::pi);
  return {sqrt(1.0 - c * c) * (1.0 / std::numbers::pi) + rest * c, rest};
}

// Inputs as a first layer without activation: weights of variance w² / D, bias of variance b².
template <class X, class T>
auto input_layer(const KernelOptions& o, const X* x, const X* z, const T& w, const T& b) {
  const auto scale = w * w * (1.0 / static_cast<double>(o.dimension));
  using S = decltype(scale * x[0] + b);
  return LayerCovariances<S>{dot_product(o.dimension, x, x) * scale + b * b,
                             dot_product(o.dimension, z, z) * scale + b * b,
                             dot_product(o.dimension, x, z) * scale + b * b};
}

// The covariances behind a layer of rectified units, and the derivative of its kxz by the one before.
template <class S, class T>
S relu_layer(LayerCovariances<S>& k, const T& w, const T& b) {
  using std::sqrt;
  const S root = sqrt(k.xx * k.zz);
  const std::array<S, 2> moment = relu_moments(S(k.xz / root));
  const auto half = w * w * 0.5;
  k = {S(half * k.xx + b * b), S(half * k.zz + b * b), S(half * root * moment[0] + b * b)};
  return half * moment[1];
}

inline std::vector<KernelParameter> network_parameters() {
  return {{"weight", KernelUnit::weight, 1.0}, {"bias", KernelUnit::none, 1.0}};
}

}  // namespace credo::models
