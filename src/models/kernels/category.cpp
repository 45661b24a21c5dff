// Levels of a factor: 1 within a level, `share` between levels, which is a common part of that share and a part of each level.
#include "models/kernels/row_functions.hpp"

namespace credo::models {
namespace {
struct Category {
  static std::vector<KernelParameter> parameters(const KernelOptions&) {
    return {{"share", KernelUnit::none, 1.0, 1.5, KernelTransform::fraction}};
  }
  template <class X, class T>
  static auto value(const KernelOptions&, const X* x, const X* z, const T* t) {
    return value_of(x[0]) == value_of(z[0]) ? 0.0 * t[0] + 1.0 : 1.0 * t[0];
  }
};
}  // namespace

extern const KernelRow category_kernel;
const KernelRow category_kernel =
    with_functions<Category, 1>({.name = "category",
                                 .summary = "1 within a level of a factor, `share` between two: "
                                            "category(g) * se(x) is a curve for each level",
                                 .reference = "rasmussen2006",
                                 .words = "differences between levels",
                                 .most_columns = 1,
                                 .columns = KernelColumns::factor,
                                 .smoothness = smoothness_is<-1>});

}  // namespace credo::models
