#include "models/selection/projection.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/tasks.hpp"
#include "diagnose/psis.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/special.hpp"

namespace credo::models {
namespace {
constexpr int kMostSteps = 50;
constexpr double kConverged = 1e-12;  // relative change of the objective
constexpr double kHalfLog2Pi = 0.91893853320467274178;

double square(double x) { return x * x; }
double x_log(double x, double ratio) { return x > 0.0 ? x * std::log(ratio) : 0.0; }

double binomial_divergence(double from, double to) {
  return x_log(from, from / to) + x_log(1.0 - from, (1.0 - from) / (1.0 - to));
}
double binomial_log_density(double y, double mean, double trials, double) {
  return numerics::lchoose(trials, y) + (y > 0.0 ? y * std::log(mean) : 0.0) +
         (y < trials ? (trials - y) * std::log1p(-mean) : 0.0);
}
double logistic(double eta) { return 1.0 / (1.0 + std::exp(-eta)); }
double bernoulli_variance(double mean) { return mean * (1.0 - mean); }

constexpr std::array<ProjectedFamily, 4> kFamilies{{
    {"bernoulli", "logit", logistic, bernoulli_variance, binomial_divergence, binomial_log_density,
     false},
    {"binomial", "logit", logistic, bernoulli_variance, binomial_divergence, binomial_log_density,
     false},
    {"normal", "identity", [](double eta) { return eta; }, [](double) { return 1.0; },
     [](double from, double to) { return square(from - to); },
     [](double y, double mean, double, double sigma) {
       return -kHalfLog2Pi - std::log(sigma) - 0.5 * square((y - mean) / sigma);
     },
     true},
    {"poisson", "log", [](double eta) { return std::exp(eta); }, [](double mean) { return mean; },
     [](double from, double to) { return x_log(from, from / to) - from + to; },
     [](double y, double mean, double, double) {
       return y * std::log(mean) - mean - numerics::lgamma(y + 1.0);
     },
     false},
}};

// A submodel: an intercept, and centred columns.
class Submodel {
 public:
  Submodel(const ProjectionProblem& problem, std::span<const Index> terms) : problem_(problem) {
    columns_.emplace_back(problem.y.size(), 1.0);
    for (const Index t : terms)
      for (const std::vector<double>& column : problem.terms[static_cast<std::size_t>(t)].columns) {
        double mean = 0.0;
        for (const double x : column) mean += x / static_cast<double>(column.size());
        columns_.push_back(column);
        for (double& x : columns_.back()) x -= mean;
      }
  }

  Projected project(Index draw) {
    const std::vector<double>& target = problem_.means[static_cast<std::size_t>(draw)];
    begin(target);
    double last = objective(target);
    for (int k = 0; k < kMostSteps; ++k) {
      const std::vector<double> before = coefficients_;
      const std::vector<double> step = newton_step(target);
      double now = kInfinity;
      for (double length = 1.0; length > 1e-6 && !(now <= last); length /= 2.0) {
        for (std::size_t c = 0; c < step.size(); ++c)
          coefficients_[c] = before[c] + length * step[c];
        now = objective(target);
      }
      if (!(now <= last)) {
        coefficients_ = before;
        objective(target);
        break;
      }
      const bool is_done = last - now <= kConverged * (std::abs(now) + kConverged);
      last = now;
      if (is_done) break;
    }
    return result(draw, last);
  }

 private:
  // All coefficients 0, the intercept at the mean of the target.
  void begin(const std::vector<double>& target) {
    coefficients_.assign(columns_.size(), 0.0);
    double sum = 0.0, total = 0.0;
    for (std::size_t n = 0; n < target.size(); ++n)
      sum += problem_.trials[n] * target[n], total += problem_.trials[n];
    const double mean = sum / total;
    const std::string_view link = problem_.family->link;
    coefficients_[0] = link == "logit" ? std::log(mean / (1.0 - mean))
                       : link == "log" ? std::log(mean)
                                       : mean;
    mean_.resize(target.size());
  }
  // Sets the means; returns the divergence.
  double objective(const std::vector<double>& target) {
    double sum = 0.0;
    for (std::size_t n = 0; n < target.size(); ++n) {
      double eta = 0.0;
      for (std::size_t c = 0; c < columns_.size(); ++c) eta += coefficients_[c] * columns_[c][n];
      mean_[n] = problem_.family->mean(eta);
      sum += problem_.trials[n] * problem_.family->divergence(target[n], mean_[n]);
    }
    return sum / static_cast<double>(target.size());
  }
  // (Z'WZ)^-1 Z'(target - mean); columns that follow from others get no step.
  std::vector<double> newton_step(const std::vector<double>& target) {
    const std::size_t p = columns_.size();
    std::vector<double> l(p * p, 0.0), step(p, 0.0);
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t n = 0; n < target.size(); ++n)
        step[i] += problem_.trials[n] * columns_[i][n] * (target[n] - mean_[n]);
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t n = 0; n < target.size(); ++n)
          l[i * p + j] += problem_.trials[n] * problem_.family->variance(mean_[n]) *
                          columns_[i][n] * columns_[j][n];
    }
    for (std::size_t i = 0; i < p; ++i) {
      const double own = l[i * p + i];
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = l[i * p + j];
        for (std::size_t k = 0; k < j; ++k) sum -= l[i * p + k] * l[j * p + k];
        if (i == j)
          l[i * p + i] = sum > 1e-12 * own ? std::sqrt(sum) : 0.0;
        else
          l[i * p + j] = l[j * p + j] > 0.0 ? sum / l[j * p + j] : 0.0;
      }
      for (std::size_t k = 0; k < i; ++k) step[i] -= l[i * p + k] * step[k];
      step[i] = l[i * p + i] > 0.0 ? step[i] / l[i * p + i] : 0.0;
    }
    for (std::size_t i = p; i-- > 0;) {
      for (std::size_t k = i + 1; k < p; ++k) step[i] -= l[k * p + i] * step[k];
      step[i] = l[i * p + i] > 0.0 ? step[i] / l[i * p + i] : 0.0;
    }
    return step;
  }
  // The noise of a submodel contains the part that it misses: sigma^2 + mean squared distance, and the divergence is log(noise / sigma).
  Projected result(Index draw, double divergence) const {
    Projected made{.mean = mean_, .sigma = 0.0, .divergence = divergence};
    if (!problem_.family->has_sigma) return made;
    const double sigma = problem_.sigma[static_cast<std::size_t>(draw)];
    made.sigma = std::sqrt(sigma * sigma + divergence);
    made.divergence = std::log(made.sigma / sigma);
    return made;
  }

  const ProjectionProblem& problem_;
  std::vector<std::vector<double>> columns_;
  std::vector<double> coefficients_, mean_;
};

// Mean divergence over the draws that decide the order.
double mean_divergence(const ProjectionProblem& problem, std::span<const Index> terms) {
  const Index num_draws = ssize(problem.means);
  const Index count = std::min(problem.num_search, num_draws);
  Submodel submodel(problem, terms);
  double sum = 0.0;
  for (Index k = 0; k < count; ++k) {
    stop_if_asked();
    sum += submodel.project(k * num_draws / count).divergence / static_cast<double>(count);
  }
  return sum;
}

// Forward search: numbers of the terms in the order in which they enter.
std::vector<Index> order_of_terms(const ProjectionProblem& problem) {
  std::vector<Index> order;
  while (order.size() < problem.terms.size()) {
    std::vector<Index> candidates;
    for (Index t = 0; t < ssize(problem.terms); ++t)
      if (std::ranges::find(order, t) == order.end()) candidates.push_back(t);
    std::vector<double> divergences(candidates.size());
    std::vector<std::function<void()>> tasks;
    for (std::size_t c = 0; c < candidates.size(); ++c)
      tasks.emplace_back([&, c] {
        std::vector<Index> terms = order;
        terms.push_back(candidates[c]);
        divergences[c] = mean_divergence(problem, terms);
      });
    do_all(tasks);
    const auto best = std::ranges::min_element(divergences) - divergences.begin();
    order.push_back(candidates[static_cast<std::size_t>(best)]);
  }
  return order;
}

struct Elpd {
  std::vector<double> rows;
  double sum = 0.0, error = 0.0;
};
// The sum over rows, and its standard error.
Elpd summed(std::vector<double> rows) {
  Elpd elpd{.rows = std::move(rows)};
  const auto n = static_cast<double>(elpd.rows.size());
  for (const double row : elpd.rows) elpd.sum += row;
  double squares = 0.0;
  for (const double row : elpd.rows) squares += square(row - elpd.sum / n);
  elpd.error = std::sqrt(n * squares / (n - 1.0));
  return elpd;
}

// Log densities by row, then draw.
using Densities = std::vector<std::vector<double>>;

class LeftOut {
 public:
  explicit LeftOut(const ProjectionProblem& problem) : problem_(problem) {
    std::vector<Projected> reference;
    for (std::size_t s = 0; s < problem.means.size(); ++s)
      reference.push_back(
          {problem.means[s], problem.family->has_sigma ? problem.sigma[s] : 0.0, 0.0});
    const Densities own = densities(reference);
    const double limit = diagnose::pareto_k_limit(ssize(problem.means));
    for (const std::vector<double>& row : own) {
      std::vector<double> weights;
      for (const double density : row) weights.push_back(-density);
      if (!(diagnose::smooth_weights(weights) <= limit)) ++num_unreliable;
      weights_.push_back(std::move(weights));
    }
    reference_ = elpd(own);
  }

  Elpd elpd_of(const std::vector<Projected>& draws) const { return elpd(densities(draws)); }
  const Elpd& reference() const { return reference_; }
  Index num_unreliable = 0;

 private:
  Densities densities(const std::vector<Projected>& draws) const {
    Densities all(problem_.y.size());
    for (const Projected& draw : draws)
      for (std::size_t n = 0; n < all.size(); ++n)
        all[n].push_back(problem_.family->log_density(problem_.y[n], draw.mean[n],
                                                      problem_.trials[n], draw.sigma));
    return all;
  }
  Elpd elpd(const Densities& densities) const {
    std::vector<double> rows;
    for (std::size_t n = 0; n < densities.size(); ++n) {
      std::vector<double> terms = densities[n];
      for (std::size_t s = 0; s < terms.size(); ++s) terms[s] += weights_[n][s];
      rows.push_back(numerics::log_sum_exp(terms));
    }
    return summed(std::move(rows));
  }

  const ProjectionProblem& problem_;
  std::vector<std::vector<double>> weights_;
  Elpd reference_;
};
}  // namespace

const ProjectedFamily* find_projected_family(std::string_view name, std::string_view link) {
  for (const ProjectedFamily& family : kFamilies)
    if (family.name == name && family.link == link) return &family;
  return nullptr;
}

std::string projected_family_names() {
  std::string names;
  for (const ProjectedFamily& family : kFamilies)
    names += (names.empty() ? "" : ", ") + std::string(family.name) + " (" +
             std::string(family.link) + ")";
  return names;
}

Projected project_draw(const ProjectionProblem& problem, std::span<const Index> terms, Index draw) {
  return Submodel(problem, terms).project(draw);
}

Projection project_steps(const ProjectionProblem& problem) {
  const LeftOut left_out(problem);
  const std::vector<Index> order = order_of_terms(problem);
  Projection found{.steps = {},
                   .elpd = left_out.reference().sum,
                   .elpd_error = left_out.reference().error,
                   .num_unreliable = left_out.num_unreliable};
  for (std::size_t k = 0; k <= order.size(); ++k) {
    const std::vector<Index> terms(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    Submodel submodel(problem, terms);
    std::vector<Projected> draws;
    ProjectionStep step;
    if (k > 0) step.term = problem.terms[static_cast<std::size_t>(order[k - 1])].name;
    for (Index s = 0; s < ssize(problem.means); ++s) {
      stop_if_asked();
      draws.push_back(submodel.project(s));
      step.divergence += draws.back().divergence / static_cast<double>(problem.means.size());
    }
    const Elpd own = left_out.elpd_of(draws);
    std::vector<double> differences;
    for (std::size_t n = 0; n < own.rows.size(); ++n)
      differences.push_back(own.rows[n] - left_out.reference().rows[n]);
    const Elpd difference = summed(std::move(differences));
    step.elpd = own.sum, step.elpd_error = own.error;
    step.difference = difference.sum, step.difference_error = difference.error;
    if (found.num_suggested < 0 && step.difference + step.difference_error >= 0.0)
      found.num_suggested = static_cast<Index>(k);
    found.steps.push_back(std::move(step));
  }
  return found;
}

}  // namespace credo::models
