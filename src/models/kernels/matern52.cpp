// Matern kernel of smoothness 5/2 [rasmussen2006, section 4.2.1].
#include "models/kernels/matern.hpp"

namespace credo::models {
namespace {
constexpr StateForm kMatern52States = state_form<Matern<2>>();
}
extern const KernelRow matern52_kernel;
const KernelRow matern52_kernel = with_functions<Matern<2>, 1>(
    {.name = "matern52",
     .summary = "Matern of smoothness 5/2, (1 + s + s^2 / 3) exp(-s), s = sqrt(5) r / length",
     .reference = "rasmussen2006",
     .words = "a curve with two derivatives",
     .is_stationary = true,
     .smoothness = Matern<2>::smoothness,
     .spectral_density = Matern<2>::density,
     .draw_frequency = Matern<2>::draw,
     .states = &kMatern52States});

}  // namespace credo::models
