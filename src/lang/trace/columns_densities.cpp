// Densities over columns: summed at once where a statement adds them to the target, row by row
// where they enter an expression.
#include "dist/outcome_terms.hpp"
#include "lang/trace/columns.hpp"
#include "lang/trace/draw_call.hpp"

namespace credo::lang {
namespace {
std::span<const Expr> rest(const std::vector<Expr>& in) { return std::span(in).subspan(1); }
bool all_scalar(std::span<const Expr> in) {
  return std::all_of(in.begin(), in.end(), [](const Expr& x) { return x.is_scalar(); });
}
}  // namespace

dist::Density Columns::summed_density(const typed::Call& c, std::span<const Value> arguments,
                                      bool drop) {
  const double width = static_cast<double>(at_->width);
  if (!any_column(arguments)) {  // all rounds have the same value
    const dist::Density one = density_of(m_, c, arguments, drop);
    return {width * one.value, width * one.dropped};
  }
  const std::string_view name = c.function.name;
  const auto function = distribution_function(name);
  if (!function) abandon(std::string(name) + " of the round's values");
  const dist::Distribution& d = *function->distribution;
  const dist::DensityRequest request{
      .function = name, .drop_constants = drop, .autodiff = m_.autodiff_bits(c.arguments)};
  dist::Density total{0.0, 0.0};
  if (d.kind == dist::Kind::multivariate) {
    total = joint_density(c, arguments, request);
  } else {
    const Index count = common_elements(arguments);
    for (Index k = 0; k < count; ++k) {
      const std::vector<Expr> in = elements(arguments, k);
      const double repeats = all_scalar(in) ? width : 1.0;
      const dist::Density one = dist::log_density(d, in[0], rest(in), request, m_.checks());
      total.value = k == 0 ? repeats * one.value : total.value + repeats * one.value;
      total.dropped += repeats * one.dropped;
    }
  }
  m_.mark_density(total.value, known_of(arguments[0], request.autodiff));
  return total;
}

// The arguments of a distribution whose formula takes many outcomes at once. Columns are the outcome or the location.
std::vector<Expr> Columns::joint_arguments(const typed::Call& c, std::span<const Value> arguments) {
  const dist::Distribution& d = *distribution_function(c.function.name)->distribution;
  const auto is = [&](std::string_view name) { return d.name == name; };
  std::vector<bool> by_row(arguments.size(), false);  // true for arguments that may be columns
  by_row[0] = true;
  bool vectors = false;
  if (is("ordered_logistic")) {
    by_row[1] = true;
  } else if (is("multi_normal") || is("multi_normal_cholesky") || is("multi_normal_prec")) {
    by_row[1] = vectors = true;
  } else if (is("multi_student_t")) {
    by_row[2] = vectors = true;
  } else if (!is("categorical") && !is("categorical_logit")) {
    abandon(std::string(c.function.name) + " of the round's values");
  }
  std::vector<Expr> in;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Value& v = arguments[k];
    if (!v.is_column()) {
      if (vectors && by_row[k] && row_dims(v).count > 1) abandon("arrays in every round");
      in.push_back(m_.expr(v));
      continue;
    }
    if (!by_row[k]) abandon(std::string(c.function.name) + " with parameters of the round");
    if (row_dims(v).count != (vectors ? 1 : 0)) abandon("arrays in every round");
    in.push_back(vectors ? as_array(v.column()) : element(v, 0));
  }
  if (!arguments[0].is_column() && !vectors && in[0].is_scalar() && !in[1].is_scalar() &&
      !is("ordered_logistic"))
    abandon("one outcome for all rounds");
  return in;
}

dist::Density Columns::joint_density(const typed::Call& c, std::span<const Value> arguments,
                                     const dist::DensityRequest& request) {
  const dist::Distribution& d = *distribution_function(c.function.name)->distribution;
  const std::vector<Expr> in = joint_arguments(c, arguments);
  return dist::log_density(d, in[0], rest(in), request, m_.checks());
}

// A number a row, of distributions whose formula has one for each outcome.
Expr Columns::joint_density_each(const typed::Call& c, const dist::Distribution& d,
                                 std::span<const Value> arguments) {
  if (d.name == "categorical") {
    if (arguments[1].is_column() || row_dims(arguments[0]).count > 0)
      abandon("categorical in an expression");
  } else if (dist::outcome_terms_of(d) == nullptr || is_exact()) {
    abandon(std::string(c.function.name) + " in an expression");
  }
  const std::vector<Expr> in = joint_arguments(c, arguments);
  return dist::log_density_each(d, in[0], rest(in), c.function.name, m_.checks());
}

// One log density a row.
Value Columns::density(const typed::Call& c, std::span<const Value> arguments) {
  const std::string_view name = c.function.name;
  if (m_.drops_constants(c.drops_constants)) abandon("a density without constants");
  const dist::Distribution& d = *distribution_function(name)->distribution;
  Expr total;
  if (d.kind == dist::Kind::multivariate) {
    total = joint_density_each(c, d, arguments);
  } else {
    const Index count = common_elements(arguments);
    for (Index k = 0; k < count; ++k) {
      const std::vector<Expr> in = elements(arguments, k);
      const Expr one = dist::log_density_each(d, in[0], rest(in), name, m_.checks());
      total = k == 0 ? one : total + one;
    }
    if (count == 0) abandon("an empty container in every round");
    if (count > 1 && is_exact()) abandon_reordered();
  }
  m_.mark_density(total, known_of(arguments[0], m_.autodiff_bits(c.arguments)));
  return scalar_value(total);
}

// A number of each row, with parameters of the row or of all.
Value Columns::draw(const typed::Call& c, std::span<const Value> arguments) {
  const auto function = distribution_function(c.function.name);
  if (!function || function->distribution->kind != dist::Kind::univariate)
    abandon("random numbers that are drawn together");
  const dist::Distribution& d = *function->distribution;
  std::vector<Expr> parameters;
  for (const Value& argument : arguments) {
    if (row_dims(argument).count > 0) abandon("arrays of random numbers in every round");
    parameters.push_back(element(argument, 0));
  }
  dist::check_parameters(d, parameters, c.function.name, m_.checks());
  std::vector<DrawPath> paths = at_->paths;
  for (DrawPath& path : paths) path = deeper(deeper(path, static_cast<std::uint64_t>(c.site)), 0);
  const Expr draws = draws_of(d, m_.draw_seed(c.function.name), std::move(paths), parameters);
  if (!d.discrete) return scalar_value(draws);
  check_whole_draws(m_, d, c.function.name, draws);
  return drawn_value(draws);
}

Value Columns::tail(const typed::Call& c, std::span<const Value> arguments) {
  const DistributionFunction f = *distribution_function(c.function.name);
  const dist::Tail which = tail_of(f.role);
  const Index count = common_elements(arguments);
  if (count == 0) abandon("an empty container in every round");
  Expr total;
  for (Index k = 0; k < count; ++k) {
    const std::vector<Expr> in = elements(arguments, k);
    const Expr one =
        dist::tail_each(*f.distribution, which, in[0], rest(in), c.function.name, m_.checks());
    total = k == 0 ? one : which == dist::Tail::cdf ? total * one : total + one;
  }
  m_.mark_tail(total, known_of(arguments[0], m_.autodiff_bits(c.arguments)));
  return scalar_value(total);
}

}  // namespace credo::lang
