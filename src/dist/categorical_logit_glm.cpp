// Multi-logit regression: y ~ categorical_logit(alpha + (x beta)'), row by row. Arguments: x (N x
// M), alpha (K), beta (M x K).
#include "dist/formula.hpp"
#include "dist/linear_predictor.hpp"

namespace credo::dist::categorical_logit_glm_row {
namespace {

// alpha + x beta: N x K, column by column.
Expr log_odds(Args args) {
  const Expr &x = args[0], &alpha = args[1], &beta = args[2];
  const Index rows = x.shape().rows, categories = alpha.size();
  std::vector<std::int32_t> category(static_cast<std::size_t>(rows * categories));
  for (std::size_t i = 0; i < category.size(); ++i)
    category[i] = static_cast<std::int32_t>(static_cast<Index>(i) / rows);
  const auto shape = graph::matrix_shape(rows, categories);
  const Expr intercepts = gather(shape, alpha, std::move(category));
  return beta.size() == 0 ? intercepts : intercepts + matmul(x, beta);
}
// Row by row, one category after another.
Expr log_sums(const Expr& odds) {
  const Index rows = odds.shape().rows;
  Expr total = part(odds, 0, rows);
  for (Index k = 1; k < odds.shape().cols; ++k)
    total = log_sum_exp(total, part(odds, k * rows, rows));
  return total;
}
// The log odds of the observed category of each row.
Expr observed(const Expr& odds, const Expr& y) {
  const Index rows = odds.shape().rows;
  std::vector<double> numbers(static_cast<std::size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const Expr row = graph::constant(graph::vector_shape(rows), numbers);
  return pick(odds.reshaped(graph::vector_shape(odds.size())),
              static_cast<double>(rows) * (y - 1.0) + row);
}
Terms log_density(const Expr& y, Args args) {
  const Expr odds = log_odds(args);
  if (odds.shape().rows > 1) return {sum(observed(odds, y) - log_sums(odds))};
  const Expr one = odds.reshaped(graph::vector_shape(odds.size()));
  return {sum(pick(one, y)) - static_cast<double>(y.size()) * log_sum_exp(one)};
}
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  const Expr &x = args[0], &alpha = args[1], &beta = args[2];
  const auto equal_to = [&](double given, double wanted, const graph::Requirement& rule) {
    checks.greater_equal(given, wanted, rule);
    checks.less_equal(given, wanted, rule);
  };
  equal_to(x.shape().cols, beta.shape().rows,
           {function, "number of columns of the design", "the rows of the weight matrix"});
  equal_to(beta.shape().cols, static_cast<double>(alpha.size()),
           {function, "number of columns of the weight matrix", "the number of categories"});
  check_category(y, alpha.size(), function, checks);
  if (y.empty() || y.is_scalar() || x.shape().rows == 1) return;
  equal_to(x.shape().rows, static_cast<double>(y.size()),
           {function, "number of rows of the design", "the number of outcomes"});
}
std::vector<Part> parts(Args args) {
  const Expr odds = transpose(log_odds(args));
  const Index categories = odds.shape().rows;
  std::vector<Part> out;
  for (Index i = 0; i < odds.shape().cols; ++i)
    out.push_back({find("categorical_logit"), {part(odds, i * categories, categories)}});
  return out;
}
std::vector<double> draw_all(Rng& rng, Args args) { return draw_parts(rng, parts(args)); }
}  // namespace

extern const Distribution categorical_logit_glm{
    .name = "categorical_logit_glm",
    .kind = Kind::multivariate,
    .discrete = true,
    .args = {{"matrix of independent variables"}, {"intercept"}, {"weight matrix"}},
    .outcome = {"vector of dependent variables", Domain::integer},
    .reference = "mccullagh1989, ch. 5",
    .log_density = log_density,
    .check = check,
    .draw_all = draw_all,
    .parts = parts};

}  // namespace credo::dist::categorical_logit_glm_row
