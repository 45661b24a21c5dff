// Functions g(s) of one linear combination that are normal given a latent value:
//
//   g(s) = ∫ exp(shift(u) s - ½ precision(u) s²) p(u) du
//
// A Gibbs sampler draws u given s, and then all coefficients at once from a normal distribution; u needn't be kept [tanner1987]. EM has
// the expected factor in the place of the drawn one. A new form is a file with a row, and its name in augmentations.cpp.
#pragma once
#include "base/rng.hpp"

namespace credo::infer {

struct FormPoint {
  double s = 0.0, log_g = 0.0, slope = 0.0;  // slope: derivative of log g
};

// exp(shift s - ½ precision s²)
struct LatentFactor {
  double precision = 0.0, shift = 0.0;
};

// The numbers that a form has; their meaning is the form's.
using FormNumbers = std::array<double, 4>;

struct Augmentation {
  std::string_view name;  // "latent_normal"
  // True if the form, with numbers that are returned, goes through all points, which ascend.
  bool (*match)(std::span<const FormPoint> points, FormNumbers& numbers);
  // Places at which the numbers can be read to full precision, of a function that has changed a little since `numbers` were read.
  std::vector<double> (*places)(const FormNumbers& numbers);
  double (*log_g)(const FormNumbers& numbers, double s);
  LatentFactor (*draw)(const FormNumbers& numbers, double s, Rng& rng);  // given u, drawn given s
  LatentFactor (*expected)(const FormNumbers& numbers, double s);        // null: EM can't use it
  bool is_probability = false;       // g is one, which programs may round (rounding_of_tail)
  bool has_fixed_precision = false;  // the precision doesn't depend on u
};
// The error of log(1 - p) by a p that is rounded, where log(1 - p) is given: a program that has bernoulli(Phi(x)) loses the digits of
// outcomes of 0 from x = 5 on, and all of them at 8.3.
inline double rounding_of_tail(double log_g) {
  return std::numeric_limits<double>::epsilon() * std::exp(std::min(-log_g, 700.0));
}
std::span<const Augmentation* const> augmentations();
const Augmentation* match_augmentation(std::span<const FormPoint> points, FormNumbers& numbers);

// True if log_g of the form, up to a constant, goes through all points: to 1e-9 of the sizes of the terms.
bool is_through(double (*log_g)(const FormNumbers& numbers, double s), const FormNumbers& numbers,
                std::span<const FormPoint> points);
// The factor of s ~ N(centre, 1 / precision).
inline LatentFactor scale_factor(double precision, double centre) {
  return {.precision = precision, .shift = precision * centre};
}

}  // namespace credo::infer
