#include "dist/linear_predictor.hpp"

namespace credo::dist {

Expr linear_predictor(const Expr& x, const Expr& alpha, const Expr& beta) {
  const Index rows = x.shape().rows;
  if (beta.size() == 0) return alpha + graph::fill(graph::vector_shape(rows), 0.0);
  const Expr effects = matmul(x, beta.reshaped(graph::vector_shape(beta.size())));
  return (rows == 1 ? effects.element(0) : effects.reshaped(graph::vector_shape(rows))) + alpha;
}

void check_design(const Expr& y, const Expr& x, const Expr& beta, std::string_view function,
                  Checks& checks) {
  const double cols = x.shape().cols, rows = x.shape().rows,
               wanted = static_cast<double>(beta.size());
  const graph::Requirement columns{function, "number of columns of the design",
                                   "the number of weights"};
  checks.greater_equal(cols, wanted, columns);
  checks.less_equal(cols, wanted, columns);
  if (y.empty() || y.is_scalar() || rows == 1.0) return;
  const graph::Requirement sizes{function, "number of rows of the design",
                                 "the number of outcomes"};
  checks.greater_equal(rows, static_cast<double>(y.size()), sizes);
  checks.less_equal(rows, static_cast<double>(y.size()), sizes);
}

Index num_outcomes(const Expr& y, const Expr& x, const Expr& alpha) {
  return std::max({y.size(), Index{x.shape().rows}, alpha.size()});
}

std::vector<Part> parts_by_rows(const Part& rows, Index count) {
  std::vector<Part> parts;
  for (const Expr& arg : rows.args)
    if (arg.size() == 0) return parts;
  for (Index i = 0; i < count; ++i) {
    std::vector<Expr> one;
    for (const Expr& arg : rows.args) one.push_back(arg.is_scalar() ? arg : arg.element(i));
    parts.push_back({rows.distribution, std::move(one)});
  }
  return parts;
}

std::vector<double> draw_parts(Rng& rng, std::span<const Part> parts) {
  std::vector<double> out;
  for (const auto& [base, args] : parts) {
    if (base->kind == Kind::multivariate) {
      out.push_back(base->draw_all(rng, args)[0]);
      continue;
    }
    std::vector<double> params;
    for (const Expr& arg : args) params.push_back(arg.value());
    out.push_back(draw(*base, rng, params));
  }
  return out;
}

Expr per_outcome(const Expr& term, Index count) {
  return term.is_scalar() ? static_cast<double>(count) * term : sum(term);
}

}  // namespace credo::dist
