// Priors of a regression: on the scale of the data, those of other packages, and those that a user states.
#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "models/regression/nonlinear.hpp"

namespace credo::models {
namespace {

double median_of(const std::vector<double>& x) { return sample_quantile(x, 0.5); }
// Median absolute deviation, scaled to the sd of a normal distribution.
double mad_of(const std::vector<double>& x) {
  const double centre = median_of(x);
  std::vector<double> distances;
  for (const double v : x) distances.push_back(std::abs(v - centre));
  return 1.4826 * median_of(distances);
}

std::string number(double x) { return fmt::format("{:.3g}", x); }

// Location and size of the outcome on the scale of its linear predictor.
struct OutcomeScale {
  double median = 0.0, mad = 1.0, mean = 0.0, sd = 1.0;
};

std::vector<double> linked(const Regression& made, const Predictor& own) {
  std::vector<double> all;
  for (double y : made.values_of(own.column)) {
    if (made.family->scale == PriorScale::logarithm) y = std::log(y);
    if ((own.link == "log" || own.link == "inverse" || own.link == "softplus") && y == 0.0) y = 0.1;
    all.push_back(own.link == "identity" ? y : link_value(own.link, y));
  }
  return all;
}

// Links of probabilities have no values for outcomes of 0 and 1: their unit is 1.
bool is_of_probability(const Predictor& own) {
  return own.link == "logit" || own.link == "probit" || own.link == "cloglog" ||
         own.link == "cauchit";
}

// Outcomes of rows that subset() leaves out aren't numbers.
std::vector<double> finite_of(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  return values;
}

OutcomeScale scale_of(const std::vector<double>& y) {
  if (y.empty()) return {};
  return {.median = median_of(y), .mad = mad_of(y), .mean = sample_mean(y), .sd = sample_sd(y)};
}

// The predictor's values have a scale of the data: it is a location, or the mean of a column with gaps.
bool has_scale(const Predictor& own) { return own.is_location() || !own.observed.empty(); }

// Offsets are known, so that the intercept stands for the rest. Presets of other packages leave them in.
OutcomeScale scale_of(const Regression& made, const Predictor& own,
                      std::span<const double> offsets) {
  const bool has_offsets = !offsets.empty();
  if (made.family->scale == PriorScale::none)
    return {.median = has_offsets ? -sample_mean(offsets) : 0.0};
  if (is_of_probability(own)) return {.median = has_offsets ? -sample_mean(offsets) : 0.0};
  std::vector<double> y = linked(made, own);
  for (std::size_t k = 0; has_offsets && k < y.size(); ++k) y[k] -= offsets[k];
  return scale_of(finite_of(std::move(y)));
}

// The prior with the number in the place of {}.
std::string filled(std::string_view prior, const std::string& value) {
  std::string text(prior);
  const std::size_t at = text.find("{}");
  return at == text.npos ? text : text.replace(at, 2, value);
}

}  // namespace

// Slopes and sds of groups are on the scale of the linear predictor, whose unit is 1 behind a link.
double predictor_unit(const Regression& made, std::size_t predictor) {
  const Predictor& own = made.predictors[predictor];
  if (!has_scale(own)) return own.unit;
  if (own.link != "identity" || (own.is_location() && made.family->scale == PriorScale::none))
    return 1.0;
  const double sd =
      own.observed.empty() ? scale_of(made, own, own.offset_values).sd : scale_of(own.observed).sd;
  return sd > 0.0 ? sd : 1.0;
}

namespace {
class Priors {
 public:
  Priors(Regression& made, const std::string& preset) : made_(made), preset_(preset) {
    for (const Predictor& own : made.predictors) {
      scales_.push_back(
          own.is_location()
              ? scale_of(made, own, preset == "default" ? own.offset_values : std::vector<double>())
              : scale_of(own.observed));
      const double sd = scales_.back().sd;
      units_.push_back(!has_scale(own) ? own.unit : own.link == "identity" && sd > 0.0 ? sd : 1.0);
    }
  }

  void set() {
    for (std::size_t k = 0; k < made_.predictors.size(); ++k) {
      Predictor& predictor = made_.predictors[k];
      predictor.intercept_prior =
          predictor.is_location() ? intercept(k) : intercept_of_parameter(k);
      for (TermBlock& block : predictor.terms)
        for (Coefficient& slope : block.coefficients) set_slope(slope);
      for (SpecialBlock& block : predictor.specials) set_special(block, k);
    }
    for (GroupBlock& block : made_.groups) set_group(block);
    set_parameters();
  }

 private:
  bool is(std::string_view preset) const { return preset_ == preset; }

  std::string intercept(std::size_t k) const {
    const Predictor& own = made_.predictors[k];
    const OutcomeScale& scale = scales_[k];
    if (is("flat")) return "";
    if (is("brms")) return brms_intercept(k);
    if (is("rstanarm"))
      return own.link == "identity" && made_.family->scale == PriorScale::outcome
                 ? fmt::format("normal({}, {})", number(scale.mean), number(2.5 * units_[k]))
                 : "normal(0, 2.5)";
    if (made_.family->is_ordinal) return "student_t(3, 0, 2.5)";
    if (is_of_probability(own))
      return fmt::format("normal({}, {})", number(scale.median),
                         own.link == "probit" ? "1" : "1.5");
    return wide_intercept(k);
  }
  std::string wide_intercept(std::size_t k) const {
    return fmt::format("student_t(3, {}, {})", number(scales_[k].median),
                       number(std::max(2.5, scales_[k].mad)));
  }
  double brms_scale(std::size_t k) const {
    if (!has_scale(made_.predictors[k])) return 2.5;
    return std::max(2.5, std::round(scales_[k].mad * 10.0) / 10.0);
  }
  std::string brms_intercept(std::size_t k) const {
    if (is_of_probability(made_.predictors[k])) return "student_t(3, 0, 2.5)";
    return fmt::format("student_t(3, {:.1f}, {:.1f})", scales_[k].median, brms_scale(k));
  }
  // The outcome's sd, for parameters such as sigma.
  double outcome_sd(std::size_t column) const {
    const double sd = made_.family->scale == PriorScale::outcome
                          ? sample_sd(finite_of(made_.values_of(column)))
                          : units_[0];
    return sd > 0.0 ? sd : 1.0;
  }
  // A parameter with a formula of its own.
  std::string intercept_of_parameter(std::size_t k) const {
    const Predictor& predictor = made_.predictors[k];
    if (is("flat") || predictor.is_nonlinear) return "";
    if (!predictor.observed.empty()) return is("brms") ? brms_intercept(k) : wide_intercept(k);
    const FamilyParameter& own =
        *std::ranges::find(made_.family->parameters, predictor.parameter, &FamilyParameter::name);
    if (is("brms")) return std::string(own.brms_intercept);
    return filled(own.intercept_prior, number(std::log(outcome_sd(own.column))));
  }

  void set_slope(Coefficient& slope) const {
    const bool is_nonlinear = made_.predictors[slope.predictor].is_nonlinear;
    if (is("flat") || (is("brms") && !is_nonlinear)) return;
    // A parameter changes by a factor of e, and not of twelve, with one sd of a column.
    const Predictor& own = made_.predictors[slope.predictor];
    double width = (has_scale(own) ? 2.5 : 1.0) * units_[slope.predictor];
    std::size_t num_slopes = 0;
    for (const TermBlock& term : own.terms) num_slopes += term.coefficients.size();
    if (is("default") && own.is_location() && is_of_probability(own) && num_slopes > 10)
      width = 2.5 / std::sqrt(static_cast<double>(num_slopes));
    slope.prior = fmt::format("normal(0, {})",
                              number(slope.column_sd > 0.0 ? width / slope.column_sd : width));
  }

  // rstanarm's decov(1, 1, 1, 1): a trace of the covariance, in units of the residual variance, that is divided at random.
  void set_decov(GroupBlock& block) const {
    const Index q = block.num_columns();
    const std::string trace = "root_trace_" + block.sd, shares = "shares_" + block.sd,
                      unit = made_.family->name == "normal" ? "sigma * " : "";
    block.scale_parameters = {fmt::format("real<lower=0> {}", trace)};
    block.scale_statements = {fmt::format("{} ~ exponential(1)", trace)};
    block.scale_line = fmt::format("real {} = {}{}", block.sd, unit, trace);
    for (Coefficient& deviation : block.deviations) deviation.prior = unit + "exponential(1)";
    if (q == 1) return;
    block.scale_parameters.push_back(fmt::format("simplex[{}] {}", q, shares));
    block.scale_line =
        fmt::format("vector[{0}] {1} = {2}{3} * sqrt({0} * {4})", q, block.sd, unit, trace, shares);
    for (Coefficient& deviation : block.deviations)
      deviation.prior = unit + "exponential(1) sqrt(share of trace)";
  }

  void set_group(GroupBlock& block) {
    if (is("flat")) return;
    block.correlation_prior = fmt::format("lkj_corr_cholesky({})", is("default") ? 2 : 1);
    if (block.freedom) block.freedom->prior = "gamma(2, 0.1)";
    if (is("rstanarm")) return set_decov(block);
    for (Coefficient& deviation : block.deviations) {
      const double unit = units_[deviation.predictor],
                   column = deviation.column_sd > 0.0 ? deviation.column_sd : 1.0;
      deviation.prior =
          is("brms") ? fmt::format("student_t(3, 0, {:.1f})", brms_scale(deviation.predictor))
                     : fmt::format("exponential({})", number(column / unit));
    }
  }

  std::string brms_special(const SpecialPrior& p, std::size_t k) const {
    const double scale = brms_scale(k);
    return filled(
        p.brms, p.brms_units == 1.0 ? fmt::format("{:.1f}", scale) : number(p.brms_units * scale));
  }
  // Texts with "1 / {}" or "{}" for the sd; those of brms have its own scale there.
  std::string scaled(const std::string& prior, double sd, std::size_t predictor) const {
    const std::size_t at = prior.find("1 / {}");
    if (at != prior.npos) return std::string(prior).replace(at, 6, number(1.0 / sd));
    return filled(prior, is("brms") ? fmt::format("{:.1f}", brms_scale(predictor)) : number(sd));
  }
  void set_special(SpecialBlock& block, std::size_t k) const {
    for (SpecialPrior& p : block.priors)
      if (p.is_slope)
        set_slope(p.coefficient);
      else
        p.coefficient.prior = is("flat") ? ""
                              : is("brms")
                                  ? brms_special(p, k)
                                  : scaled(is("rstanarm") ? p.rstanarm : p.prior, units_[k], k);
  }

  void set_parameters() {
    for (const MissingColumn& missing : made_.missing) {
      const std::size_t k = missing.predictor;
      const std::string prior = is("flat") ? ""
                                : is("brms")
                                    ? fmt::format("student_t(3, 0, {:.1f})", brms_scale(k))
                                    : fmt::format("exponential({})", number(1.0 / units_[k]));
      made_.parameters.push_back({.name = missing.sigma, .element = missing.sigma, .prior = prior});
    }
    for (const FamilyParameter& parameter : made_.family->parameters) {
      if (!made_.is_single(parameter.name)) continue;
      const std::string prior = is("flat")       ? ""
                                : is("brms")     ? parameter.brms
                                : is("rstanarm") ? parameter.rstanarm
                                                 : parameter.prior;
      made_.parameters.push_back({parameter.name, parameter.in_program(),
                                  scaled(prior, outcome_sd(parameter.column), parameter.column)});
    }
  }

  Regression& made_;
  const std::string preset_;
  std::vector<OutcomeScale> scales_;  // by predictor
  std::vector<double> units_;
};

// ---- priors of a user

bool is_distribution(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == text.npos || open == 0 || !text.ends_with(')')) return false;
  Index depth = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool is_known = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                          std::string_view("_.,()+-*/ ").find(c) != std::string_view::npos;
    if (!is_known || depth < 0 || (depth == 0 && k > open && k + 1 < text.size())) return false;
  }
  return depth == 0;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == text.npos ? "" : std::string(text.substr(first, last - first + 1));
}

// Every prior that there is, by the name under which a user states it.
class NamedPriors {
 public:
  explicit NamedPriors(Regression& made) {
    for (Predictor& predictor : made.predictors) add_predictor(predictor, made.family->is_ordinal);
    for (GroupBlock& block : made.groups) {
      for (Coefficient& c : block.deviations) {
        if (!block.scale_line.empty()) break;
        add(fmt::format("sd({})", block.label), c.prior);
        add(fmt::format("sd({}, {})", block.label, c.name), c.prior);
      }
      if (block.freedom) add(block.freedom->name, block.freedom->prior);
      if (block.is_correlated) add(fmt::format("cor({})", block.label), block.correlation_prior);
    }
    for (Coefficient& c : made.parameters) add(c.name, c.prior);
  }
  bool replace(const std::string& name, const std::string& prior) {
    const auto found = all_.find(name);
    if (found == all_.end()) return false;
    for (std::string* target : found->second) *target = prior;
    return true;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : all_) names.push_back(entry.first);
    return names;
  }

 private:
  void add_predictor(Predictor& predictor, bool is_ordinal) {
    const std::string prefix = predictor.prefix();
    if (predictor.is_location() && is_ordinal)
      add("threshold", predictor.intercept_prior);
    else if (predictor.has_intercept)
      add(prefix + "intercept", predictor.intercept_prior);
    if (predictor.is_nonlinear && predictor.has_intercept)
      add(predictor.parameter, predictor.intercept_prior);
    for (TermBlock& block : predictor.terms) {
      if (block.has_shared_prior) continue;
      if (predictor.is_nonlinear && !predictor.has_intercept)
        for (Coefficient& c : block.coefficients) add(predictor.parameter, c.prior);
      for (Coefficient& c : block.coefficients) add(c.name, c.prior), add(prefix + "b", c.prior);
      if (block.coefficients.size() > 1 || block.text != block.coefficients[0].name)
        for (Coefficient& c : block.coefficients) add(block.text, c.prior);
    }
    for (SpecialBlock& block : predictor.specials)
      for (SpecialPrior& p : block.priors) add(p.coefficient.name, p.coefficient.prior);
  }
  void add(const std::string& name, std::string& prior) { all_[name].push_back(&prior); }
  std::map<std::string, std::vector<std::string*>> all_;
};
}  // namespace

namespace {
// Families and terms whose priors in rstanarm have another form.
void check_rstanarm(const Regression& made, FormulaFaults& faults) {
  static constexpr std::array<std::string_view, 6> kFamilies{"normal",  "bernoulli", "binomial",
                                                             "poisson", "gamma",     "negbinomial"};
  if (std::ranges::find(kFamilies, made.family->name) == kFamilies.end())
    faults.add_of_table(
        "--priors",
        fmt::format("priors of rstanarm for the family {} are not there yet", made.family->name),
        "use default, brms or flat");
  if (!made.groups.empty() && made.family->name == "gamma")
    faults.add_of_table("--priors",
                        "rstanarm's prior of groups is in units of the shape for the family gamma, "
                        "which is not there",
                        "use default, brms or flat");
  for (const GroupBlock& block : made.groups)
    if (!block.is_plain())
      faults.add_of_table("--priors", fmt::format("rstanarm has no groups as {}", block.call),
                          "use default, brms or flat");
  for (const SpecialBlock& block : made.location().specials)
    faults.add_of_table("--priors", fmt::format("rstanarm's prior of {} is not there", block.text),
                        "use default, brms or flat");
  if (made.predictors.size() > 1)
    faults.add_of_table("--priors", "rstanarm has no formulas for other parameters",
                        "use default, brms or flat");
}
}  // namespace

namespace {
void replace_prior(const std::string& text, const std::vector<std::string>& known,
                   NamedPriors& named, FormulaFaults& faults) {
  const std::size_t at = text.find('~');
  const std::string name = trimmed(text.substr(0, at)),
                    prior = at == text.npos ? "" : trimmed(text.substr(at + 1));
  if (!is_distribution(prior))
    return faults.add_of_table(
        "--prior", fmt::format("'{}' is no prior", text),
        "write NAME ~ DISTRIBUTION(...): --prior 'sigma ~ exponential(0.1)'");
  const bool is_correlation = name.starts_with("cor(") || name == "rescor";
  const std::string density =
      is_correlation && prior.starts_with("lkj(") ? "lkj_corr_cholesky" + prior.substr(3) : prior;
  const std::string distribution = trimmed(density.substr(0, density.find('(')));
  if (!known.empty() && std::ranges::find(known, distribution) == known.end())
    return faults.add_of_table("--prior", fmt::format("there is no distribution {}", distribution),
                               did_you_mean(distribution, known).empty()
                                   ? "as normal(0, 1), student_t(3, 0, 2.5), exponential(1)"
                                   : did_you_mean(distribution, known));
  if (named.replace(name, density)) return;
  const std::string near = did_you_mean(name, named.names());
  faults.add_of_table(
      "--prior", fmt::format("nothing here is called {}", name),
      near.empty() ? fmt::format("there are {}", fmt::join(named.names(), ", ")) : near);
}

// A vector of coefficients has one bound, and an intercept or thresholds have none.
void check_bounds(const Regression& made, FormulaFaults& faults) {
  for (const Predictor& predictor : made.predictors) {
    if (!predictor.is_nonlinear && is_of_positive_numbers(predictor.intercept_prior))
      faults.add_of_table("--prior",
                          fmt::format("{} is a prior of positive numbers, and the intercept may "
                                      "have any sign",
                                      predictor.intercept_prior),
                          "state a prior of all numbers");
    for (const TermBlock& term : predictor.terms) {
      if (term.is_positive()) continue;
      for (const Coefficient& c : term.coefficients)
        if (is_of_positive_numbers(c.prior))
          faults.add_of_table(
              "--prior",
              fmt::format("{} has the prior {}, of positive numbers, and other coefficients of {} "
                          "have not",
                          c.name, c.prior, term.text),
              fmt::format("state one for all: --prior '{} ~ {}'", term.text, c.prior));
    }
  }
}
}  // namespace

void set_priors(Regression& made, const RegressionRequest& request, FormulaFaults& faults) {
  if (request.preset == "rstanarm") check_rstanarm(made, faults);
  Priors(made, request.preset).set();
  NamedPriors named(made);
  for (const std::string& text : request.priors)
    replace_prior(text, request.distributions, named, faults);
  check_bounds(made, faults);
}

namespace {
struct PriorList {
  std::vector<std::string> parts = {};
  void add(const std::string& name, std::string prior) {
    if (prior.starts_with("lkj_corr_cholesky")) prior.replace(0, 17, "lkj");
    parts.push_back(fmt::format("{} {}", name, prior.empty() ? "flat" : prior));
  }
};
bool are_equal(const std::vector<Coefficient>& all) {
  return std::ranges::all_of(all, [&](const Coefficient& c) { return c.prior == all[0].prior; });
}
}  // namespace

std::string prior_words(const Regression& made) {
  PriorList list;
  for (const Predictor& predictor : made.predictors) {
    if (predictor.is_location() && made.family->is_ordinal)
      list.add("thresholds at the means", predictor.intercept_prior);
    else if (predictor.has_intercept)
      list.add(predictor.prefix() + "intercept at the means", predictor.intercept_prior);
    for (const TermBlock& block : predictor.terms) {
      if (block.has_shared_prior) continue;
      if (are_equal(block.coefficients)) {
        list.add(block.text, block.coefficients[0].prior);
        continue;
      }
      for (const Coefficient& c : block.coefficients) list.add(c.name, c.prior);
    }
    for (const SpecialBlock& block : predictor.specials) {
      if (block.priors.empty()) list.parts.push_back(block.text);
      for (const SpecialPrior& p : block.priors) list.add(p.coefficient.name, p.coefficient.prior);
    }
  }
  for (const GroupBlock& block : made.groups) {
    for (const Coefficient& c : block.deviations) list.add(block.name_of(c), c.prior);
    if (block.freedom) list.add(block.freedom->name, block.freedom->prior);
    if (block.is_correlated) {
      list.add(fmt::format("cor({})", block.label), block.correlation_prior);
    }
  }
  for (const Coefficient& c : made.parameters) list.add(c.name, c.prior);
  return fmt::format("priors: {}\n", fmt::join(list.parts, "; "));
}

}  // namespace credo::models
