// Matern kernel of smoothness 1/2 [rasmussen2006, section 4.2.1].
#include "models/kernels/matern.hpp"

namespace credo::models {
namespace {
constexpr StateForm kMatern12States = state_form<Matern<0>>();
}
extern const KernelRow matern12_kernel;
const KernelRow matern12_kernel = with_functions<Matern<0>, 1>(
    {.name = "matern12",
     .summary = "Matern of smoothness 1/2, exp(-r / length), the Ornstein-Uhlenbeck process",
     .reference = "rasmussen2006",
     .words = "a rough curve, an Ornstein-Uhlenbeck process",
     .is_stationary = true,
     .smoothness = Matern<0>::smoothness,
     .spectral_density = Matern<0>::density,
     .draw_frequency = Matern<0>::draw,
     .states = &kMatern12States});

}  // namespace credo::models
