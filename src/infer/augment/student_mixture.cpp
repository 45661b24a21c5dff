// Student's function as a scale mixture of normal ones [andrews1974]:
//
//   log g = -½ A log(1 + (s - m)² / B);   1 / t² ~ gamma with shape A / 2 and rate (B + (s - m)²) / 2;  s ~ N(m, t²)
//
// The density of Student's t with nu degrees of freedom has A = nu + 1 and B = nu times its squared scale.
#include "dist/samplers.hpp"
#include "infer/augment/augmentation.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
double log_student_form(const FormNumbers& numbers, double s) {
  const double d = s - numbers[2];
  return -0.5 * numbers[0] * numerics::log1p(d * d / numbers[1]);
}
// slope (B + (s - m)²) = -A (s - m), an equation that is linear in B + m², m, A and A m.
std::optional<FormNumbers> student_through(std::span<const FormPoint> points) {
  numerics::RowMatrix a(4, 5);
  for (Index i = 0; i < 4; ++i) {
    const FormPoint& p = points[static_cast<std::size_t>(i)];
    a(i, 0) = p.slope, a(i, 1) = -2.0 * p.slope * p.s, a(i, 2) = p.s, a(i, 3) = -1.0;
    a(i, 4) = -p.slope * p.s * p.s;
  }
  for (Index k = 0; k < 4; ++k) {  // Gauss–Jordan, largest pivots
    Index best = k;
    for (Index i = k; i < 4; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    if (a(best, k) == 0.0) return std::nullopt;
    std::ranges::swap_ranges(a.row(k), a.row(best));
    for (Index i = 0; i < 4; ++i) {
      const double factor = i == k ? 0.0 : a(i, k) / a(k, k);
      for (Index j = k; j < 5; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  const double m = a(1, 4) / a(1, 1), b = a(0, 4) / a(0, 0) - m * m, power = a(2, 4) / a(2, 2);
  return FormNumbers{power, b, m, 0.0};
}
bool match_student_form(std::span<const FormPoint> points, FormNumbers& numbers) {
  if (points.size() < 4) return false;
  const std::size_t n = points.size(), quarter = n / 4;
  const std::array<FormPoint, 4> four{points[quarter / 2], points[quarter + quarter / 2],
                                      points[n - 1 - quarter - quarter / 2],
                                      points[n - 1 - quarter / 2]};
  const auto found = student_through(four);
  if (!found || !((*found)[0] > 1.0) || !((*found)[1] > 0.0)) return false;
  numbers = *found;
  return is_through(log_student_form, numbers, points);
}
std::vector<double> student_places(const FormNumbers& numbers) {
  const double width = std::sqrt(numbers[1]);
  return {numbers[2] - 2.0 * width, numbers[2] - 0.5 * width, numbers[2] + 0.7 * width,
          numbers[2] + 3.0 * width};
}
LatentFactor draw_student_scale(const FormNumbers& numbers, double s, Rng& rng) {
  const double d = s - numbers[2], rate = 0.5 * (numbers[1] + d * d);
  return scale_factor(numerics::exp(dist::draw_log_gamma(rng, 0.5 * numbers[0])) / rate,
                      numbers[2]);
}
LatentFactor expected_student_scale(const FormNumbers& numbers, double s) {
  const double d = s - numbers[2];
  return scale_factor(numbers[0] / (numbers[1] + d * d), numbers[2]);
}
}  // namespace

extern const Augmentation kStudentMixture;
const Augmentation kStudentMixture{.name = "student_mixture",
                                   .match = match_student_form,
                                   .places = student_places,
                                   .log_g = log_student_form,
                                   .draw = draw_student_scale,
                                   .expected = expected_student_scale};

}  // namespace credo::infer
