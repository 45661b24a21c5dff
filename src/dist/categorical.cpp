// Categorical on 1..K with a simplex theta: log p = log theta[y].
#include "dist/formula.hpp"
#include "dist/samplers.hpp"

namespace credo::dist::categorical_row {
namespace {

Terms log_density(const Expr& y, Args args) { return {log(pick(args[0], y))}; }
void check(const Expr& y, Args args, std::string_view function, Checks& checks) {
  check_category(y, args[0].size(), function, checks);
}
std::vector<double> draw_all(Rng& rng, Args args) {
  return {1.0 + static_cast<double>(draw_category(rng, args[0].values()))};
}
Index num_categories(Args args) { return args[0].size(); }
}  // namespace

extern const Distribution categorical{.name = "categorical",
                                      .kind = Kind::multivariate,
                                      .discrete = true,
                                      .args = {{"probabilities parameter", Domain::unit_simplex}},
                                      .outcome = {"number of categories", Domain::integer},
                                      .reference = "johnson1997, ch. 35",
                                      .log_density = log_density,
                                      .check = check,
                                      .draw_all = draw_all,
                                      .drawn = Drawn::number,
                                      .num_categories = num_categories};

}  // namespace credo::dist::categorical_row
