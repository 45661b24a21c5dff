// Elementwise rows over the sums of the Conway-Maxwell-Poisson distribution (numerics/com_poisson.hpp) by eta = log mu and nu:
// the normaliser and its derivatives,
//   d log Z / d eta = nu E K,            d log Z / d nu = E T(K),
//   d E K / d eta = nu Var K,            d E K / d nu = Cov(K, T),
//   d E T / d eta = E K + nu Cov(K, T),  d E T / d nu = Var T,
// and the same for sums over the counts up to y, or above it, for tails.
#include "numerics/com_poisson.hpp"
#include "graph/core/ops.hpp"
#include "graph/core/special.hpp"
#include "graph/ops/map_plain.hpp"

namespace credo::graph {
namespace {
using numerics::ComPoisson;
using ComPoissonPart = double ComPoisson::*;

template <ComPoissonPart part>
double over_all(double eta, double nu) {
  return numerics::com_poisson(eta, nu, 0.0, kInfinity).*part;
}
template <ComPoissonPart part>
double up_to(double y, double eta, double nu) {
  if (std::isnan(y)) return kNaN;
  return numerics::com_poisson(eta, nu, 0.0, std::floor(y)).*part;
}
template <ComPoissonPart part>
double above(double y, double eta, double nu) {
  if (std::isnan(y)) return kNaN;
  return numerics::com_poisson(eta, nu, std::floor(y) + 1.0, kInfinity).*part;
}

// ---- over all counts

const Op com_poisson_variance_row{.name = "com_poisson_variance",
                                  .arity = 2,
                                  .order = 0,
                                  .kernel = plain_2<over_all<&ComPoisson::variance>>};
const Op com_poisson_covariance_row{.name = "com_poisson_covariance",
                                    .arity = 2,
                                    .order = 0,
                                    .kernel = plain_2<over_all<&ComPoisson::covariance>>};
const Op com_poisson_variance_log_row{.name = "com_poisson_variance_log",
                                      .arity = 2,
                                      .order = 0,
                                      .kernel = plain_2<over_all<&ComPoisson::variance_log>>};
const Op com_poisson_mean_row{.name = "com_poisson_mean",
                              .arity = 2,
                              .order = 1,
                              .rule = [](const RuleArgs& r) -> std::vector<Expr> {
                                return {r.in[1] * apply(com_poisson_variance_row, r.in),
                                        apply(com_poisson_covariance_row, r.in)};
                              },
                              .kernel = plain_2<over_all<&ComPoisson::mean>>};
const Op com_poisson_mean_log_row{
    .name = "com_poisson_mean_log",
    .arity = 2,
    .order = 1,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {apply(com_poisson_mean_row, r.in) + r.in[1] * apply(com_poisson_covariance_row, r.in),
              apply(com_poisson_variance_log_row, r.in)};
    },
    .kernel = plain_2<over_all<&ComPoisson::mean_log>>};
const Op com_poisson_log_sum_row{
    .name = "com_poisson_log_sum",
    .arity = 2,
    .order = 2,
    .rule = [](const RuleArgs& r) -> std::vector<Expr> {
      return {r.in[1] * apply(com_poisson_mean_row, r.in), apply(com_poisson_mean_log_row, r.in)};
    },
    .kernel = plain_2<over_all<&ComPoisson::log_sum>>};

// ---- over the counts up to y, and above it

std::vector<Expr> tail_rule(const RuleArgs& r, const Op& mean, const Op& mean_log) {
  return {{}, r.in[2] * apply(mean, r.in), apply(mean_log, r.in)};
}
const Op com_poisson_mean_up_to_row{.name = "com_poisson_mean_up_to",
                                    .arity = 3,
                                    .order = 0,
                                    .kernel = plain_3<up_to<&ComPoisson::mean>>};
const Op com_poisson_mean_log_up_to_row{.name = "com_poisson_mean_log_up_to",
                                        .arity = 3,
                                        .order = 0,
                                        .kernel = plain_3<up_to<&ComPoisson::mean_log>>};
const Op com_poisson_log_sum_up_to_row{.name = "com_poisson_log_sum_up_to",
                                       .arity = 3,
                                       .order = 1,
                                       .rule =
                                           [](const RuleArgs& r) {
                                             return tail_rule(r, com_poisson_mean_up_to_row,
                                                              com_poisson_mean_log_up_to_row);
                                           },
                                       .kernel = plain_3<up_to<&ComPoisson::log_sum>>};
const Op com_poisson_mean_above_row{.name = "com_poisson_mean_above",
                                    .arity = 3,
                                    .order = 0,
                                    .kernel = plain_3<above<&ComPoisson::mean>>};
const Op com_poisson_mean_log_above_row{.name = "com_poisson_mean_log_above",
                                        .arity = 3,
                                        .order = 0,
                                        .kernel = plain_3<above<&ComPoisson::mean_log>>};
const Op com_poisson_log_sum_above_row{.name = "com_poisson_log_sum_above",
                                       .arity = 3,
                                       .order = 1,
                                       .rule =
                                           [](const RuleArgs& r) {
                                             return tail_rule(r, com_poisson_mean_above_row,
                                                              com_poisson_mean_log_above_row);
                                           },
                                       .kernel = plain_3<above<&ComPoisson::log_sum>>};
}  // namespace

Expr com_poisson_log_sum(const Expr& eta, const Expr& nu) {
  return apply(com_poisson_log_sum_row, {eta, nu});
}
Expr com_poisson_log_sum_above(const Expr& y, const Expr& eta, const Expr& nu) {
  return apply(com_poisson_log_sum_above_row, {y, eta, nu});
}
Expr com_poisson_log_sum_up_to(const Expr& y, const Expr& eta, const Expr& nu) {
  return apply(com_poisson_log_sum_up_to_row, {y, eta, nu});
}
Expr com_poisson_mean(const Expr& eta, const Expr& nu) {
  return apply(com_poisson_mean_row, {eta, nu});
}
Expr com_poisson_variance(const Expr& eta, const Expr& nu) {
  return apply(com_poisson_variance_row, {eta, nu});
}

std::span<const Op* const> ops::com_poisson_rows() {
  static const std::array<const Op*, 12> rows{
      &com_poisson_covariance_row,   &com_poisson_log_sum_above_row,
      &com_poisson_log_sum_row,      &com_poisson_log_sum_up_to_row,
      &com_poisson_mean_above_row,   &com_poisson_mean_log_above_row,
      &com_poisson_mean_log_row,     &com_poisson_mean_log_up_to_row,
      &com_poisson_mean_row,         &com_poisson_mean_up_to_row,
      &com_poisson_variance_log_row, &com_poisson_variance_row};
  return rows;
}

}  // namespace credo::graph
