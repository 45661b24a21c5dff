// Matern kernel of smoothness 3/2 [rasmussen2006, section 4.2.1].
#include "models/kernels/matern.hpp"

namespace credo::models {
namespace {
constexpr StateForm kMatern32States = state_form<Matern<1>>();
}
extern const KernelRow matern32_kernel;
const KernelRow matern32_kernel = with_functions<Matern<1>, 1>(
    {.name = "matern32",
     .summary = "Matern of smoothness 3/2, (1 + s) exp(-s), s = sqrt(3) r / length",
     .reference = "rasmussen2006",
     .words = "a curve with one derivative",
     .is_stationary = true,
     .smoothness = Matern<1>::smoothness,
     .spectral_density = Matern<1>::density,
     .draw_frequency = Matern<1>::draw,
     .states = &kMatern32States});

}  // namespace credo::models
