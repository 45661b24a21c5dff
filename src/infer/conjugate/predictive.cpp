// A rule for each distribution of outcomes [bernardo1994, app. A; gelman2013, ch. 2, 3].
#include "infer/conjugate/predictive.hpp"

#include "dist/distribution.hpp"
#include "infer/conjugate/outcome_links.hpp"
#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::infer::conjugate {
namespace {

// A posterior as rules read it.
class Posterior {
 public:
  Posterior(const Problem& problem, const Answer& answer) : problem_(problem) {
    const auto size = static_cast<std::size_t>(problem.num_values);
    block_of_.resize(size, 0);
    mean_.resize(size, 0.0);
    for (const auto& block : answer.blocks) {
      const std::size_t number = states_.size();
      states_.push_back(block->state());
      for (const Marginal& marginal : block->marginals())
        block_of_[static_cast<std::size_t>(marginal.place)] = number;
      const BlockState& state = states_.back();
      for (std::size_t i = 0; i < state.mean.size(); ++i)
        mean_[static_cast<std::size_t>(state.places[i])] = state.mean[i];
    }
  }
  const BlockState& block(Index place) const {
    return states_[block_of_[static_cast<std::size_t>(place)]];
  }
  const Unit& unit(Index u) const { return problem_.units[static_cast<std::size_t>(u)]; }
  double mean(const AffineLink& link) const {
    double sum = link.at_zero;
    for (const auto& [place, slope] : link.slopes)
      sum += slope * mean_[static_cast<std::size_t>(place)];
    return sum;
  }
  // Variance of an affine function of real numbers; for a block with a scale: where the precision is 1.
  double variance(const AffineLink& link) const {
    double sum = 0.0;
    for (const auto& [i, c] : link.slopes)
      for (const auto& [j, d] : link.slopes) sum += c * d * covariance(i, j);
    return sum;
  }

 private:
  double covariance(Index i, Index j) const {
    const BlockState& state = block(i);
    if (block_of_[static_cast<std::size_t>(i)] != block_of_[static_cast<std::size_t>(j)])
      return 0.0;
    const auto size = ssize(state.places);
    const auto at = [&](Index place) {
      return std::ranges::find(state.places, place) - state.places.begin();
    };
    return state.covariance[static_cast<std::size_t>(at(i) * size + at(j))];
  }

  const Problem& problem_;
  std::vector<BlockState> states_;
  std::vector<std::size_t> block_of_;  // by places
  std::vector<double> mean_;
};

struct Question {
  const OutcomeLinks& links;
  const Posterior& posterior;
  Index outcome;
};

// A gamma variate g with density parameters shape and rate, and an argument that is factor * g^power.
struct OfGamma {
  const BlockState* block;
  double shape, rate, factor, power;
};
std::optional<OfGamma> of_gamma(const Question& q, std::size_t a) {
  const auto link = q.links.power(q.outcome, a);
  if (!link) return std::nullopt;
  const BlockState& state = q.posterior.block(link->place);
  const bool inverse = state.family == "inv_gamma";
  if (!inverse && state.family != "gamma") return std::nullopt;
  return OfGamma{&state, state.arguments[0], state.arguments[1], link->factor,
                 (inverse ? -1.0 : 1.0) * link->power / state.power};
}

Predictive named(std::string family, std::vector<Argument> arguments) {
  Predictive one;
  one.family = std::move(family);
  one.arguments = std::move(arguments);
  return one;
}

using Found = std::vector<Predictive>;  // by elements; empty without a closed form

// ---- normal outcomes

// True if all real numbers of the function are in blocks of this kind, and with `only` in this block.
bool are_in(const Question& q, const AffineLink& link, std::string_view kind,
            const BlockState* only = nullptr) {
  return std::ranges::all_of(link.slopes, [&](const auto& slope) {
    const BlockState& block = q.posterior.block(slope.first);
    return block.kind == kind && (only == nullptr || &block == only);
  });
}

Found normal(const Question& q) {
  const auto location = q.links.affine(q.outcome, 0);
  if (!location) return {};
  const double mu = q.posterior.mean(*location), spread = q.posterior.variance(*location);
  if (const auto sigma = q.links.constant(q.outcome, 1)) {
    if (!are_in(q, *location, "normal")) return {};
    return {named("normal", {{"mu", mu}, {"sigma", std::sqrt(*sigma * *sigma + spread)}})};
  }
  const auto scale = of_gamma(q, 1);
  if (!scale || scale->power != -0.5 || !are_in(q, *location, "normal_scale", scale->block))
    return {};
  const double unit = scale->factor * scale->factor + spread;
  return {named("student_t", {{"nu", 2.0 * scale->shape},
                              {"mu", mu},
                              {"sigma", std::sqrt(scale->rate / scale->shape * unit)}})};
}

Found lognormal(const Question& q) {
  Found found = normal(q);
  if (found.empty() || found.front().family != "normal") return {};
  found.front().family = "lognormal";
  return found;
}

// The diagonal of the covariance matrix that the last argument states.
using Diagonal = std::vector<double> (*)(std::vector<double> matrix, Index n);
std::vector<double> of_covariance(std::vector<double> matrix, Index n) {
  std::vector<double> all;
  for (Index k = 0; k < n; ++k) all.push_back(matrix[static_cast<std::size_t>(k * n + k)]);
  return all;
}
std::vector<double> of_factor(std::vector<double> matrix, Index n) {
  std::vector<double> all(static_cast<std::size_t>(n), 0.0);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) {
      const double entry = matrix[static_cast<std::size_t>(j * n + i)];
      all[static_cast<std::size_t>(i)] += entry * entry;
    }
  return all;
}
std::vector<double> diagonal_of_inverse(std::vector<double> matrix, Index n) {
  std::vector<double> all, pivots(static_cast<std::size_t>(n));
  numerics::lu_factor(n, matrix.data(), pivots.data());
  for (Index k = 0; k < n; ++k) {
    std::vector<double> column(static_cast<std::size_t>(n), 0.0);
    column[static_cast<std::size_t>(k)] = 1.0;
    numerics::lu_solve({.n = n, .cols = 1}, matrix.data(), pivots.data(), column.data());
    all.push_back(column[static_cast<std::size_t>(k)]);
  }
  return all;
}

// The covariance or precision is the matrix of a block, and the location its real numbers or constants: multivariate Student t. `of_precision`: the argument
// is a precision.
Found multi_student_t(const Question& q, bool of_precision) {
  const Outcome& outcome = q.links.outcome(q.outcome);
  const auto unit = q.links.container(q.outcome, 1, Domain::covariance);
  if (!unit) return {};
  const BlockState& state = q.posterior.block(q.posterior.unit(*unit).places.front());
  if ((state.family == "wishart") != of_precision) return {};
  const auto n = static_cast<double>(outcome.size);
  const double nu = state.arguments[0] - n + 1.0;
  const std::vector<double> scale(state.arguments.begin() + 1, state.arguments.end());
  const std::vector<double> variances =
      (of_precision ? diagonal_of_inverse : of_covariance)(scale, outcome.size);
  Found all;
  for (std::size_t e = 0; e < variances.size(); ++e) {
    const auto fixed = q.links.constant(q.outcome, 0, e);
    const auto place = fixed ? std::nullopt : q.links.number(q.outcome, 0, e);
    const bool is_own = place && !state.mean.empty() && *place == state.places[e];
    if (!fixed && !is_own) return {};
    const double factor = fixed ? 1.0 : 1.0 + 1.0 / state.power;
    all.push_back(named("student_t", {{"nu", nu},
                                      {"mu", fixed ? *fixed : state.mean[e]},
                                      {"sigma", std::sqrt(variances[e] * factor / nu)}}));
    all.back().joint = "multi_student_t";
  }
  return all;
}

template <Diagonal diagonal_of>
Found multi_normal(const Question& q) {
  const Outcome& outcome = q.links.outcome(q.outcome);
  if (!q.links.is_constant(q.outcome, 1))
    return diagonal_of == of_factor ? Found{}
                                    : multi_student_t(q, diagonal_of == diagonal_of_inverse);
  const std::vector<double> variances = diagonal_of(outcome.arguments[1], outcome.size);
  Found all;
  for (std::size_t e = 0; e < variances.size(); ++e) {
    const auto location = q.links.affine(q.outcome, 0, e);
    if (!location || !are_in(q, *location, "normal")) return {};
    const double sd = std::sqrt(variances[e] + q.posterior.variance(*location));
    all.push_back(named("normal", {{"mu", q.posterior.mean(*location)}, {"sigma", sd}}));
    all.back().joint = "multi_normal";
  }
  return all;
}

// ---- counts and times

Found poisson(const Question& q) {
  const auto rate = of_gamma(q, 0);
  if (!rate || rate->power != 1.0) return {};
  return {named("neg_binomial", {{"alpha", rate->shape}, {"beta", rate->rate / rate->factor}})};
}

Found exponential(const Question& q) {
  const auto rate = of_gamma(q, 0);
  if (!rate || rate->power != 1.0) return {};
  return {named("pareto_type_2",
                {{"mu", 0.0}, {"lambda", rate->rate / rate->factor}, {"alpha", rate->shape}})};
}

// ---- probabilities

// The beta distribution of the probability that the argument is.
std::optional<std::array<double, 2>> beta_of(const Question& q, std::size_t a) {
  const auto link = q.links.probability(q.outcome, a);
  if (!link) return std::nullopt;
  const BlockState& state = q.posterior.block(link->place);
  std::array<double, 2> beta{};
  if (state.family == "beta") {
    beta = {state.arguments[0], state.arguments[1]};
  } else {
    const auto k = std::ranges::find(state.places, link->place) - state.places.begin();
    const double total = std::accumulate(state.arguments.begin(), state.arguments.end(), 0.0);
    beta = {state.arguments[static_cast<std::size_t>(k)],
            total - state.arguments[static_cast<std::size_t>(k)]};
  }
  if (link->is_complement) std::swap(beta[0], beta[1]);
  return beta;
}

Found bernoulli(const Question& q) {
  const auto beta = beta_of(q, 0);
  if (!beta) return {};
  return {named("bernoulli", {{"theta", (*beta)[0] / ((*beta)[0] + (*beta)[1])}})};
}

Found binomial(const Question& q) {
  const auto size = q.links.constant(q.outcome, 0);
  const auto beta = beta_of(q, 1);
  if (!size || !beta) return {};
  return {named("beta_binomial", {{"N", *size}, {"alpha", (*beta)[0]}, {"beta", (*beta)[1]}})};
}

std::vector<double> dirichlet_of(const Question& q) {
  const auto unit = q.links.container(q.outcome, 0, Domain::simplex);
  return unit ? q.posterior.block(q.posterior.unit(*unit).places.front()).arguments
              : std::vector<double>{};
}

Found categorical(const Question& q) {
  const std::vector<double> alpha = dirichlet_of(q);
  if (alpha.empty()) return {};
  const double total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  std::vector<Argument> arguments;
  for (std::size_t k = 0; k < alpha.size(); ++k)
    arguments.push_back({"theta[" + std::to_string(k + 1) + "]", alpha[k] / total});
  return {named("categorical", std::move(arguments))};
}

Found multinomial(const Question& q) {
  const std::vector<double> alpha = dirichlet_of(q);
  const double total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  Found all;
  for (const double a : alpha) {
    all.push_back(
        named("beta_binomial",
              {{"N", q.links.outcome(q.outcome).total}, {"alpha", a}, {"beta", total - a}}));
    all.back().joint = "dirichlet_multinomial";
  }
  return all;
}

struct Rule {
  std::string_view distribution;
  Found (*find)(const Question& question);
};
constexpr std::array kRules{Rule{"bernoulli", bernoulli},
                            Rule{"binomial", binomial},
                            Rule{"categorical", categorical},
                            Rule{"exponential", exponential},
                            Rule{"lognormal", lognormal},
                            Rule{"multi_normal", multi_normal<of_covariance>},
                            Rule{"multi_normal_cholesky", multi_normal<of_factor>},
                            Rule{"multi_normal_prec", multi_normal<diagonal_of_inverse>},
                            Rule{"multinomial", multinomial},
                            Rule{"normal", normal},
                            Rule{"poisson", poisson}};

// The outcome's own distribution, if no parameter enters it.
Found without_parameters(const Question& q) {
  const Outcome& outcome = q.links.outcome(q.outcome);
  if (outcome.size != 1) return {};
  std::vector<Argument> arguments;
  for (std::size_t a = 0; a < outcome.arguments.size(); ++a) {
    if (outcome.arguments[a].size() != 1 || !q.links.is_constant(q.outcome, a)) return {};
    arguments.push_back({std::string(dist::find(outcome.distribution)->args[a].name),
                         outcome.arguments[a].front()});
  }
  return {named(std::string(outcome.distribution), std::move(arguments))};
}

std::vector<double> values_of(const Predictive& predictive) {
  std::vector<double> values;
  for (const Argument& argument : predictive.arguments) values.push_back(argument.value);
  return values;
}

void set_moments(Predictive& one) {
  const std::vector<double> values = values_of(one);
  if (one.family != "categorical") {
    const dist::Distribution& d = *dist::find(one.family);
    one.mean = dist::mean(d, values);
    one.sd = std::sqrt(dist::variance(d, values));
    return;
  }
  double first = 0.0, second = 0.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto category = static_cast<double>(k + 1);
    first += values[k] * category;
    second += values[k] * category * category;
  }
  one.mean = first;
  one.sd = std::sqrt(std::max(0.0, second - first * first));
}

Found found_for(const Question& question) {
  const Outcome& outcome = question.links.outcome(question.outcome);
  if (outcome.is_truncated) return {};
  const auto rule = std::ranges::find(kRules, outcome.distribution, &Rule::distribution);
  Found found = rule == kRules.end() ? Found{} : rule->find(question);
  return found.empty() ? without_parameters(question) : found;
}
}  // namespace

std::vector<Predictive> predictives(const Problem& problem, const Answer& answer,
                                    const OutcomesAt& outcomes) {
  const OutcomeLinks links(problem, answer, outcomes);
  const Posterior posterior(problem, answer);
  std::vector<Predictive> all;
  for (Index k = 0; k < links.num_outcomes(); ++k) {
    Found found = found_for({links, posterior, k});
    found.resize(static_cast<std::size_t>(links.outcome(k).size));
    for (std::size_t e = 0; e < found.size(); ++e) {
      found[e].outcome = k;
      found[e].element = static_cast<Index>(e);
      if (!found[e].family.empty()) set_moments(found[e]);
      all.push_back(std::move(found[e]));
    }
  }
  return all;
}

double quantile(const Predictive& predictive, double p) {
  if (predictive.family.empty()) return kNaN;
  const std::vector<double> values = values_of(predictive);
  if (predictive.family != "categorical")
    return dist::quantile(*dist::find(predictive.family), p, values);
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < values.size(); ++k)
    if ((sum += values[k]) >= p) return static_cast<double>(k + 1);
  return static_cast<double>(values.size());
}

}  // namespace credo::infer::conjugate
