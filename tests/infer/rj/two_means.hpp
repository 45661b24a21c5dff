// Two models of six numbers with unit noise: A, their mean is 0; B, it is uniform on (-L, L).
#pragma once
#include "density/function_density.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "numerics/special.hpp"

namespace credo::testing {

struct TwoMeans {
  double half_width = 10.0;                                               // L
  std::vector<double> data = {1.343, 1.343, 1.343, 0.657, 0.657, 0.657};  // mean 1

  double log_likelihood(double mean) const {
    double sum = 0.0;
    for (const double y : data) sum -= 0.5 * (y - mean) * (y - mean);
    return sum - 0.91893853320467274 * static_cast<double>(data.size());
  }
  infer::rj::Family family(infer::KernelMaker update) const {
    auto a = density::make_density(
        0, [*this](std::span<const double>, std::span<double>) { return log_likelihood(0.0); });
    auto b =
        density::make_density(1, [*this](std::span<const double> x, std::span<double> gradient) {
          gradient[0] = 0.0;
          if (std::fabs(x[0]) > half_width) return -kInfinity;
          for (const double y : data) gradient[0] += y - x[0];
          return log_likelihood(x[0]) - std::log(2.0 * half_width);
        });
    return infer::rj::Family({{.name = "A", .density = std::move(a)},
                              {.name = "B", .density = std::move(b), .update = std::move(update)}});
  }
  // log Z_B / Z_A: the likelihood ratio at the estimate 1 times a normal integral.
  double log_bayes_factor() const {
    const double root = std::sqrt(static_cast<double>(data.size()));
    const double mass =
        numerics::phi((half_width - 1.0) * root) - numerics::phi((-half_width - 1.0) * root);
    return 0.5 * root * root +
           std::log(std::sqrt(2.0 * 3.14159265358979324) / root * mass / (2.0 * half_width));
  }
};

// B's mean is sinh(u), u normal.
inline std::vector<infer::rj::Jump> two_means_jumps(double there = 0.5, double back = 0.3) {
  using infer::rj::Scalars, infer::rj::Expr;
  const auto map = std::make_shared<const infer::rj::SmoothMap>(
      infer::rj::MapFormulas{.size = 1,
                             .forward = [](Scalars x) { return std::vector<Expr>{sinh(x[0])}; },
                             .inverse = [](Scalars y) { return std::vector<Expr>{asinh(y[0])}; }});
  return {{.name = "birth",
           .back_name = "death",
           .from = 0,
           .to = 1,
           .map = map,
           .there = {.probability = there, .auxiliary = infer::rj::normal_auxiliary(1, 0.8, 0.5)},
           .back = {.probability = back}}};
}

}  // namespace credo::testing
