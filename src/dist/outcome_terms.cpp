// The multivariate normals and t: sums over the elements of each outcome, in the place of sums over all.
#include "dist/outcome_terms.hpp"

#include "dist/batch.hpp"
#include "graph/core/special.hpp"

namespace credo::dist {
namespace {

double length_of(const Expr& factor) { return static_cast<double>(factor.shape().rows); }

// The squared lengths of the columns.
Expr squares_of_columns(const Expr& columns) {
  const Expr ones = graph::fill(graph::row_vector_shape(columns.shape().rows), 1.0);
  return matmul(ones, square(columns)).reshaped(graph::vector_shape(columns.shape().cols));
}

Terms normal_terms(const Expr& factor, const Expr& log_root, const Expr& standardised) {
  return {-kHalfLog2Pi * length_of(factor), log_root, -0.5 * squares_of_columns(standardised)};
}
Terms by_covariance_factor(const Expr& y, const Expr& mu, const Expr& factor) {
  return normal_terms(factor, -sum(log(diagonal(factor))), solve_lower(factor, differences(y, mu)));
}
Terms by_precision_factor(const Expr& y, const Expr& mu, const Expr& factor) {
  return normal_terms(factor, sum(log(diagonal(factor))), matmul(factor, differences(y, mu), true));
}
Terms t_terms(const Expr& y, const Expr& nu, const Expr& mu, const Expr& factor) {
  const double length = length_of(factor);
  const Expr lengths = squares_of_columns(solve_lower(factor, differences(y, mu)));
  return {-kHalfLog2Pi * length, lgamma_excess(0.5 * nu, 0.5 * length), -sum(log(diagonal(factor))),
          -0.5 * (nu + length) * log1p(lengths / nu)};
}

struct OutcomeRow {
  std::string_view name;
  OutcomeTerms terms;
};
constexpr OutcomeRow kOutcomeRows[] = {
    {"multi_normal",
     [](const Expr& y, Args a) { return by_covariance_factor(y, a[0], cholesky(a[1])); }},
    {"multi_normal_cholesky",
     [](const Expr& y, Args a) { return by_covariance_factor(y, a[0], a[1]); }},
    {"multi_normal_prec",
     [](const Expr& y, Args a) { return by_precision_factor(y, a[0], cholesky(a[1])); }},
    {"multi_student_t",
     [](const Expr& y, Args a) { return t_terms(y, a[0], a[1], cholesky(a[2])); }},
    {"multi_student_t_cholesky",
     [](const Expr& y, Args a) { return t_terms(y, a[0], a[1], a[2]); }},
};
}  // namespace

OutcomeTerms outcome_terms_of(const Distribution& d) {
  for (const OutcomeRow& row : kOutcomeRows)
    if (row.name == d.name) return row.terms;
  return nullptr;
}

}  // namespace credo::dist
