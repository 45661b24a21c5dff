#include "models/kernels/kernel_row.hpp"

namespace credo::models {

extern const KernelRow arccos_kernel, brownian_kernel, category_kernel, constant_kernel,
    cosine_kernel, deep_limit_kernel, heat_kernel, linear_kernel, matern_kernel, matern12_kernel,
    matern32_kernel, matern52_kernel, neural_kernel, nngp_kernel, ntk_kernel, periodic_kernel,
    poly_kernel, rq_kernel, se_kernel, se_ard_kernel, sm_kernel, sphere_kernel, wendland_kernel,
    white_kernel;

std::span<const KernelRow* const> kernel_rows() {
  static constexpr std::array kAll{
      &arccos_kernel,     &brownian_kernel, &category_kernel, &constant_kernel, &cosine_kernel,
      &deep_limit_kernel, &heat_kernel,     &linear_kernel,   &matern_kernel,   &matern12_kernel,
      &matern32_kernel,   &matern52_kernel, &neural_kernel,   &nngp_kernel,     &ntk_kernel,
      &periodic_kernel,   &poly_kernel,     &rq_kernel,       &se_kernel,       &se_ard_kernel,
      &sm_kernel,         &sphere_kernel,   &wendland_kernel, &white_kernel};
  return kAll;
}

const KernelRow* find_kernel(std::string_view name) {
  for (const KernelRow* row : kernel_rows())
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace credo::models
