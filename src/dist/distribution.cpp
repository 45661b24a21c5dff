// The driver: domain checks, support, zero length, dropped terms and sums, once for all
// distributions.
//
// Order (language rules 17.3 and 10): outcome and arguments are checked, then an empty container
// ends in 0; then the terms of the formula are summed, a scalar term times the number of elements.
#include "dist/distribution.hpp"

#include "base/error.hpp"
#include "dist/formula.hpp"
#include "dist/outcome_terms.hpp"

namespace credo::dist {
namespace {
// Input of a formula.
struct Checked {
  Expr y;
  std::vector<Expr> args;
  Expr there;  // 1 in the support, 0 outside
  bool everywhere = true, is_empty = false;
};
Checked checked(const Distribution& d, const Expr& outcome, Args given, std::string_view function,
                Checks& checks);
void check_domain(const Argument& argument, const Expr& x, std::string_view function,
                  Checks& checks);
void check_simplex(const Expr& x, const graph::Requirement& rule, Checks& checks);
Support support_of(const Distribution& d, Args args);
void check_support(const Distribution& d, const Expr& y, const Support& s,
                   std::string_view function, Checks& checks);
Support closed(Support s);
Support finite_part(Support s);
Expr inside(const Expr& y, const Support& s);
bool all_inside(const Expr& there);
Expr interior(const Distribution& d, const Support& s);
std::uint32_t mask_of(Args args);
std::vector<Expr> labelled(Args args);
Index common_size(const Expr& y, Args args);
bool has_empty(const Expr& y, Args args);
void add_term(Density& total, const Expr& term, Index size, const DensityRequest& request);
// Range in which a tail is computed by its formula.
struct Within {
  Expr above_lower, below_upper;  // empty: everywhere
  Expr both() const;
};
Within within(const Distribution& d, Tail which, const Expr& y, const Support& s);
Expr complete_tail(Tail which, const Expr& value, const Within& in);
bool is_dropped(const Expr& term, const DensityRequest& request);
}  // namespace

Density log_density(const Distribution& d, const Expr& outcome, Args given,
                    const DensityRequest& request, Checks& checks) {
  const Checked in = checked(d, outcome, given, request.function, checks);
  Density total{0.0, 0.0};
  if (in.is_empty) return total;
  const Index size = d.kind == Kind::univariate ? common_size(in.y, in.args) : 1;
  for (const Expr& term : d.log_density(in.y, in.args)) add_term(total, term, size, request);
  const bool contributes = !request.drop_constants || (request.autodiff & mask_of(in.args)) != 0;
  if (!in.everywhere && contributes) {
    const Expr all = in.there.is_scalar() ? in.there : min_element(in.there);
    total.value = select(all, total.value, -kInfinity);
  }
  total.value.arguments = 0;
  return total;
}

Expr log_density_each(const Distribution& d, const Expr& outcome, Args given,
                      std::string_view function, Checks& checks) {
  const Checked in = checked(d, outcome, given, function, checks);
  if (in.is_empty) return 0.0;
  Expr total;
  const OutcomeTerms each = outcome_terms_of(d);
  for (const Expr& term : each != nullptr ? each(in.y, in.args) : d.log_density(in.y, in.args))
    total = total.empty() ? term : total + term;
  if (!in.everywhere) total = select(in.there, total, -kInfinity);
  total.arguments = 0;
  return total;
}

DensityEach log_density_parts(const Distribution& d, const Expr& outcome, Args given,
                              const DensityRequest& request, Checks& checks) {
  const Checked in = checked(d, outcome, given, request.function, checks);
  DensityEach total{0.0, 0.0};
  if (in.is_empty) return total;
  for (const Expr& term : d.log_density(in.y, in.args)) {
    total.value = total.value + term;
    if (is_dropped(term, request)) total.dropped = total.dropped + term;
  }
  if (!in.everywhere) total.value = select(in.there, total.value, -kInfinity);
  total.value.arguments = total.dropped.arguments = 0;
  return total;
}

Expr tail_each(const Distribution& d, Tail which, const Expr& y, Args args,
               std::string_view function, Checks& checks) {
  check_domain(d.outcome, y, function, checks);
  for (std::size_t k = 0; k < args.size(); ++k) check_domain(d.args[k], args[k], function, checks);
  if (d.check != nullptr) d.check(y, args, function, checks);
  if (has_empty(y, args)) return which == Tail::cdf ? 1.0 : 0.0;
  Support s = support_of(d, args);
  const bool may_be_outside = d.support != nullptr && d.outside == Outside::minus_infinity;
  if (!d.discrete && !may_be_outside) check_support(d, y, closed(s), function, checks);
  if (!d.discrete) s = finite_part(s);
  const auto formula = which == Tail::cdf ? d.cdf : which == Tail::log_cdf ? d.log_cdf : d.log_ccdf;
  CREDO_ASSERT(formula != nullptr, "the distribution has this function");
  const Expr there = within(d, which, y, s).both();
  Expr value = all_inside(there)
                   ? formula(y, args)
                   : complete_tail(which, formula(select(there, y, interior(d, s)), args),
                                   within(d, which, y, s));
  value.arguments = 0;
  return value;
}

Expr tail(const Distribution& d, Tail which, const Expr& y, Args args, std::string_view function,
          Checks& checks) {
  Expr value = tail_each(d, which, y, args, function, checks);
  if (has_empty(y, args)) return value;
  const Index size = common_size(y, args);
  if (value.is_scalar() && size > 1) value = broadcast(graph::vector_shape(size), value);
  return which == Tail::cdf ? prod(value) : sum(value);
}

void check_parameters(const Distribution& d, Args args, std::string_view function, Checks& checks) {
  for (std::size_t k = 0; k < args.size(); ++k) check_domain(d.args[k], args[k], function, checks);
  if (d.check != nullptr) d.check({}, args, function, checks);
}

namespace {
// Remembers that something failed.
class Judge final : public Checks {
 public:
  bool holds = true;

 private:
  std::int32_t number(const graph::Requirement&) override { return 1; }
  void failed(const graph::Requirement&, double) override { holds = false; }
};

// check_domain of a number.
bool is_in(Domain domain, double x) {
  switch (domain) {
    case Domain::real:
      return !std::isnan(x);
    case Domain::finite:
      return std::isfinite(x);
    case Domain::positive_finite:
      return x > 0.0 && x < kInfinity;
    case Domain::nonnegative_finite:
      return x >= 0.0 && x < kInfinity;
    case Domain::positive:
      return x > 0.0;
    case Domain::probability:
      return x >= 0.0 && x <= 1.0;
    case Domain::count:
      return x >= 0.0;
    case Domain::unit_simplex:
    case Domain::integer:
    case Domain::custom:
      return true;
  }
  return true;
}
}  // namespace

bool parameters_hold(const Distribution& d, Params args) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (!is_in(d.args[k].domain, args[k])) return false;
  }
  if (d.check == nullptr) return true;
  const std::vector<Expr> in(args.begin(), args.end());
  Judge judge;
  d.check({}, in, d.name, judge);
  return judge.holds;
}

double draw(const Distribution& d, Rng& rng, Params args) {
  if (d.draw != nullptr) return d.draw(rng, args);
  return quantile(d, rng.uniform(), args);
}

// _rng may take a size that the outcome of the density has: the size of a matrix, before the other
// arguments, or of the number of counted things, behind them.
std::vector<double> draw_all(const Distribution& d, Rng& rng, Args args, std::string_view function,
                             Checks& checks) {
  CREDO_ASSERT(d.draw_all != nullptr, "the distribution has a sampler");
  const bool of_matrix = d.drawn == Drawn::square_matrix, has_size = args.size() > d.args.size();
  const Args own = args.subspan(has_size && of_matrix ? 1 : 0, d.args.size());
  for (std::size_t k = 0; k < own.size(); ++k) check_domain(d.args[k], own[k], function, checks);
  if (d.check != nullptr) d.check({}, own, function, checks);
  if (has_size && of_matrix)
    checks.greater(args.front(), 0.0, {function, "number of rows", "positive"});
  else if (has_size)
    checks.greater_equal(args.back(), 0.0, {function, "number of trials variable", "nonnegative"});
  return d.draw_all(rng, args);
}

namespace {
// The outcome's and the arguments' checks, and the outcome moved into the support: outside, the
// formula sees a point of the support, so that the gradient is 0 there and not NaN.
Checked checked(const Distribution& d, const Expr& outcome, Args given, std::string_view function,
                Checks& checks) {
  Checked in{outcome, labelled(given), 1.0};
  in.y.arguments = 1;
  check_domain(d.outcome, in.y, function, checks);
  for (std::size_t k = 0; k < in.args.size(); ++k)
    check_domain(d.args[k], in.args[k], function, checks);
  if (d.check != nullptr) d.check(in.y, in.args, function, checks);
  in.is_empty = in.y.size() == 0 || (d.kind == Kind::univariate && has_empty(in.y, in.args));
  if (in.is_empty) return in;
  const Support s = support_of(d, in.args);
  if (d.outside == Outside::error) {
    check_support(d, in.y, s, function, checks);
    return in;
  }
  in.there = inside(in.y, s);
  in.everywhere = all_inside(in.there);
  if (!in.everywhere) in.y = select(in.there, in.y, interior(d, s));
  return in;
}

// Known to be 1 everywhere.
bool all_inside(const Expr& there) {
  if (!there.is_constant()) return false;
  const auto values = there.values();
  return std::find(values.begin(), values.end(), 0.0) == values.end();
}

void check_domain(const Argument& argument, const Expr& x, std::string_view function,
                  Checks& checks) {
  const auto rule = [&](std::string_view words) {
    return graph::Requirement{function, argument.name, words};
  };
  switch (argument.domain) {
    case Domain::real:
      return checks.not_nan(x, rule("not nan"));
    case Domain::finite:
      return checks.finite(x, rule("finite"));
    case Domain::positive_finite:
      checks.greater(x, 0.0, rule("positive finite"));
      return checks.finite(x, rule("positive finite"));
    case Domain::nonnegative_finite:
      checks.greater_equal(x, 0.0, rule("nonnegative and finite"));
      return checks.finite(x, rule("nonnegative and finite"));
    case Domain::positive:
      return checks.greater(x, 0.0, rule("positive"));
    case Domain::probability:
      checks.greater_equal(x, 0.0, rule("in the interval [0, 1]"));
      return checks.less_equal(x, 1.0, rule("in the interval [0, 1]"));
    case Domain::count:
      return checks.greater_equal(x, 0.0, rule("nonnegative"));
    case Domain::unit_simplex:
      return check_simplex(x, rule("a simplex: nonnegative elements that sum to 1"), checks);
    case Domain::integer:
    case Domain::custom:
      return;
  }
}

// Within 1e-8, as the language's own check of a declared simplex.
void check_simplex(const Expr& x, const graph::Requirement& rule, Checks& checks) {
  constexpr double kTolerance = 1e-8;
  checks.greater_equal(x, 0.0, rule);
  const Index batch = x.shape().batch, size = batch == 0 ? 0 : x.size() / batch;
  const graph::Requirement sums{rule.function, rule.argument, "a simplex: its elements sum to 1"};
  for (Index b = 0; b < batch; ++b) {
    const Expr total = batch == 1 ? sum(x) : sum(part(x, b * size, size));
    checks.less_equal(abs(total - 1.0), kTolerance, sums);
  }
}

Support support_of(const Distribution& d, Args args) {
  return d.support == nullptr ? Support{d.lower, d.upper} : d.support(args);
}

bool is_infinite(const Expr& bound) {
  return bound.is_constant() && bound.is_scalar() && std::isinf(bound.value());
}
// A support that is open at 0 has tails of 0 and 1 there.
Support closed(Support s) {
  if (s.lower.is_constant() && s.lower.value() == kSmallest) s.lower = 0.0;
  return s;
}

// The tails at infinite outcomes are known, and with derivatives 0.
Support finite_part(Support s) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  if (is_infinite(s.lower)) s.lower = -kLargest;
  if (is_infinite(s.upper)) s.upper = kLargest;
  return s;
}

std::string_view rule_words(const Distribution& d) {
  if (!d.support_rule.empty()) return d.support_rule;
  if (d.upper == 1.0) return "in the interval [0, 1]";
  return d.lower > 0.0 ? "positive" : "nonnegative";
}

void check_support(const Distribution& d, const Expr& y, const Support& s,
                   std::string_view function, Checks& checks) {
  if (d.kind == Kind::multivariate && d.support == nullptr) return;
  const graph::Requirement rule{function, d.outcome.name, rule_words(d)};
  if (!is_infinite(s.lower)) checks.greater_equal(y, s.lower, rule);
  if (!is_infinite(s.upper)) checks.less_equal(y, s.upper, rule);
}

Expr inside(const Expr& y, const Support& s) {
  if (is_infinite(s.lower) && is_infinite(s.upper)) return 1.0;
  if (is_infinite(s.upper)) return less_equal(s.lower, y);
  if (is_infinite(s.lower)) return less_equal(y, s.upper);
  return less_equal(s.lower, y) * less_equal(y, s.upper);
}

// Some point of the support, away from its ends; a whole number for a discrete distribution.
Expr interior(const Distribution& d, const Support& s) {
  const auto bounded = [](const Expr& bound) {
    return !bound.is_constant() || !bound.is_scalar() || std::abs(bound.value()) < 1e300;
  };
  const bool above = bounded(s.lower), below = bounded(s.upper);
  if (!above) return below ? s.upper - 1.0 : Expr(0.0);
  if (!below) return s.lower + 1.0;
  const Expr centre = 0.5 * (s.lower + s.upper);
  return d.discrete ? floor(centre) : centre;
}

// The bits of the outcome and of all arguments.
std::uint32_t mask_of(Args args) { return (2u << args.size()) - 1u; }

std::vector<Expr> labelled(Args args) {
  std::vector<Expr> result(args.begin(), args.end());
  for (std::size_t k = 0; k < result.size(); ++k) result[k].arguments = 1u << (k + 1);
  return result;
}

Index common_size(const Expr& y, Args args) {
  Index size = y.size();
  for (const Expr& arg : args) size = std::max(size, arg.size());
  return size;
}

bool has_empty(const Expr& y, Args args) {
  return y.size() == 0 ||
         std::any_of(args.begin(), args.end(), [](const Expr& arg) { return arg.size() == 0; });
}

bool is_dropped(const Expr& term, const DensityRequest& request) {
  return request.drop_constants && (term.arguments & request.autodiff) == 0 && term.is_constant();
}

void add_term(Density& total, const Expr& term, Index size, const DensityRequest& request) {
  Expr value = term.is_scalar() ? (size == 1 ? term : static_cast<double>(size) * term) : sum(term);
  if (is_dropped(term, request)) {
    total.dropped += value.value();
    return;
  }
  const bool first = total.value.is_constant() && total.value.value() == 0.0;
  total.value = first ? value : total.value + value;
}

// Up to the ends of the support, but not at an end where the logarithm of a continuous tail is
// -infinity, whose derivatives would be infinite or no numbers.
Within within(const Distribution& d, Tail which, const Expr& y, const Support& s) {
  const auto before = [&](const Expr& a, const Expr& b, Tail open) {
    return which == open && !d.discrete ? less(a, b) : less_equal(a, b);
  };
  Within in;
  if (!is_infinite(s.lower)) in.above_lower = before(s.lower, y, Tail::log_cdf);
  if (!is_infinite(s.upper)) in.below_upper = before(y, s.upper, Tail::log_ccdf);
  return in;
}

Expr Within::both() const {
  if (above_lower.empty() && below_upper.empty()) return 1.0;
  if (above_lower.empty()) return below_upper;
  return below_upper.empty() ? above_lower : above_lower * below_upper;
}

// Below the support the cdf is 0, above it 1.
Expr complete_tail(Tail which, const Expr& value, const Within& in) {
  const double below = which == Tail::log_cdf ? -kInfinity : 0.0;
  const double above = which == Tail::cdf ? 1.0 : which == Tail::log_cdf ? 0.0 : -kInfinity;
  const Expr upper = in.below_upper.empty() ? value : select(in.below_upper, value, above);
  return in.above_lower.empty() ? upper : select(in.above_lower, upper, below);
}
}  // namespace

}  // namespace credo::dist
