#include "numerics/hypergeometric.hpp"

namespace credo::numerics {
namespace {

constexpr Index kMostTerms = 200000;
constexpr int kQuietTerms = 3;  // in a row, before the sum counts as complete

// A term and its derivative by one shape.
struct Term {
  double value = 1.0, slope = 0.0;
};

// Term n + 1 over term n; its derivative is formed without dividing by a factor that may be 0.
Term ratio(const HypergeometricShapes& s, double z, Index n, Index by) {
  const auto at = static_cast<double>(n);
  const Index num_upper = ssize(s.upper);
  Term r{z / (at + 1.0), by >= 0 && by < num_upper ? z / (at + 1.0) : 0.0};
  for (Index k = 0; k < num_upper; ++k) {
    const double factor = s.upper[static_cast<std::size_t>(k)] + at;
    r.value *= factor;
    if (k != by) r.slope *= factor;
  }
  for (const double b : s.lower) {
    r.value /= b + at;
    r.slope /= b + at;
  }
  if (by >= num_upper)
    r.slope = -r.value / (s.lower[static_cast<std::size_t>(by - num_upper)] + at);
  return r;
}

double summed(const HypergeometricShapes& s, double z, Index by) {
  Term term, sum = term;
  int quiet = 0;
  for (Index n = 0; n < kMostTerms && quiet < kQuietTerms; ++n) {
    const Term r = ratio(s, z, n, by);
    term = {term.value * r.value, term.slope * r.value + term.value * r.slope};
    sum = {sum.value + term.value, sum.slope + term.slope};
    const bool is_small = std::abs(term.value) <= 1e-17 * std::abs(sum.value) &&
                          std::abs(term.slope) <= 1e-17 * std::abs(sum.slope);
    quiet = is_small ? quiet + 1 : 0;
    if (!std::isfinite(sum.value)) return kNaN;
  }
  if (quiet < kQuietTerms) return kNaN;
  return by < 0 ? sum.value : sum.slope;
}
}  // namespace

double hypergeometric(const HypergeometricShapes& shapes, double z) {
  return summed(shapes, z, -1);
}

double hypergeometric_by(const HypergeometricShapes& shapes, double z, Index k) {
  return summed(shapes, z, k);
}

}  // namespace credo::numerics
