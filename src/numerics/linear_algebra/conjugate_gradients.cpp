#include "credo/sparse.hpp"

#include <fmt/format.h>

#include "numerics/linear_algebra/sizes.hpp"

namespace credo::numerics {
namespace {
using ResidualVector = std::vector<double>;

double inner_of(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
void add_multiple(double factor, std::span<const double> x, std::span<double> to) {
  for (std::size_t i = 0; i < x.size(); ++i) to[i] += factor * x[i];
}
ResidualVector residual_of(const LinearMap& a, std::span<const double> b,
                           std::span<const double> x) {
  ResidualVector r(b.size());
  a(x, r);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
  return r;
}
}  // namespace

ConjugateGradientEnd conjugate_gradients(const LinearMap& a, std::span<const double> b,
                                         std::span<double> x,
                                         const ConjugateGradientOptions& options,
                                         const LinearMap& preconditioner) {
  require_size(x, ssize(b), "conjugate_gradients", "x");
  if (!(options.tolerance > 0.0))
    throw Error(ErrorCode::usage, fmt::format("tolerance is {}, must be > 0", options.tolerance),
                "conjugate_gradients");
  ConjugateGradientEnd end;
  const double scale = std::sqrt(inner_of(b, b)), limit = options.tolerance * scale;
  ResidualVector r = residual_of(a, b, x), z = r, product(b.size());
  if (preconditioner) preconditioner(r, z);
  ResidualVector p = z;
  double rz = inner_of(r, z);
  while (!(std::sqrt(inner_of(r, r)) <= limit)) {
    if (end.num_iterations == options.max_iterations) {
      end.reason = ConjugateGradientEnd::Reason::max_iterations;
      break;
    }
    a(p, product);
    const double curvature = inner_of(p, product);
    if (!(curvature > 0.0 && rz > 0.0)) {
      end.reason = ConjugateGradientEnd::Reason::not_positive;
      break;
    }
    ++end.num_iterations;
    const double step = rz / curvature;
    add_multiple(step, p, x);
    add_multiple(-step, product, r);
    if (preconditioner)
      preconditioner(r, z);
    else
      z = r;
    const double next = inner_of(r, z), share = next / rz;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + share * p[i];
    rz = next;
  }
  r = residual_of(a, b, x);
  end.residual = scale > 0.0 ? std::sqrt(inner_of(r, r)) / scale : 0.0;
  return end;
}

}  // namespace credo::numerics
