// The exponential families, in alphabetical order.
#include "base/row_list.hpp"
#include "base/row_of_file.hpp"
#include "dist/families/family.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(bernoulli) \
  row(beta) \
  row(binomial) \
  row(categorical) \
  row(chi_square) \
  row(dirichlet) \
  row(double_exponential) \
  row(exponential) \
  row(gamma) \
  row(gen_inv_gaussian) \
  row(geometric) \
  row(inv_chi_square) \
  row(inv_gamma) \
  row(inv_wishart) \
  row(lognormal) \
  row(multi_normal) \
  row(multinomial) \
  row(neg_binomial) \
  row(normal) \
  row(normal_location) \
  row(normal_scale) \
  row(pareto) \
  row(poisson) \
  row(rayleigh) \
  row(von_mises) \
  row(weibull) \
  row(wishart)
// clang-format on

namespace credo::dist {
namespace families {
#define CREDO_DECLARE_FAMILY(name) CREDO_ROW_OF_FILE(ExponentialFamily, name##_family, name)
CREDO_ROWS(CREDO_DECLARE_FAMILY)
constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
}  // namespace families

std::span<const ExponentialFamily* const> exponential_families() { return families::kRows; }

const ExponentialFamily* find_family(std::string_view name) {
  for (const ExponentialFamily* family : families::kRows) {
    if (family->name == name) return family;
  }
  return nullptr;
}

}  // namespace credo::dist
