#include "infer/variational/families/factors.hpp"

#include "base/error.hpp"
#include "density/model.hpp"
#include "density/program_facts.hpp"
#include "infer/variational/families/normal_family.hpp"
#include "numerics/elementary.hpp"
#include "numerics/incomplete_beta.hpp"
#include "numerics/incomplete_gamma.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {

// A draw of a factor, with derivatives by its parameters.
struct FactorDraw {
  std::span<const double> z, quantiles;
  std::span<double> x;
  double log_q = 0.0;
  // If requested: slopes of x, size × number of parameters, and of log q along the draw.
  std::span<double> x_slope = {}, log_q_slope = {};
};

class Factor {
 public:
  virtual ~Factor() = default;
  virtual Index num_base() const = 0;
  virtual Index num_parameters() const = 0;
  virtual void move_to(std::span<const double> parameters) = 0;
  // The quantiles of Φ(z) from which x is made, as many as variates: they take most of the time.
  virtual void solve(std::span<const double> z, std::span<double> quantiles) const = 0;
  // x, log q and the slopes, by `z` and `quantiles`.
  virtual void finish(FactorDraw& at) const = 0;
  virtual double log_density(std::span<const double> x) const = 0;
  virtual std::vector<double> own_parameters() const = 0;  // on their own scales
};

// ---- normal: x = m + s (λ1 + exp(λ2) z)

class NormalFactor final : public Factor {
 public:
  NormalFactor(double mean, double variance) : start_(mean), unit_(std::sqrt(variance)) {}
  Index num_base() const override { return 1; }
  Index num_parameters() const override { return 2; }
  void move_to(std::span<const double> parameters) override {
    mean_ = start_ + unit_ * parameters[0];
    sd_ = unit_ * numerics::exp(parameters[1]);
  }
  void solve(std::span<const double> z, std::span<double> quantiles) const override {
    quantiles[0] = z[0];
  }
  void finish(FactorDraw& at) const override {
    const double z = at.z[0];
    at.x[0] = mean_ + sd_ * z;
    at.log_q = -0.5 * z * z - kNormalConstant - numerics::log(sd_);
    if (at.x_slope.empty()) return;
    at.x_slope[0] = unit_, at.x_slope[1] = sd_ * z;
    at.log_q_slope[0] = 0.0, at.log_q_slope[1] = -1.0;
  }
  double log_density(std::span<const double> x) const override {
    const double off = (x[0] - mean_) / sd_;
    return -0.5 * off * off - kNormalConstant - numerics::log(sd_);
  }
  std::vector<double> own_parameters() const override { return {mean_, sd_}; }

 private:
  double start_, unit_, mean_ = 0.0, sd_ = 1.0;
};

// ---- logarithms of gamma variates

constexpr double kTinyGamma = 1e-290;  // P(a, g) = g^a / Γ(a + 1) below

// log g of Gamma(a, 1) at Φ(z)
double log_gamma_quantile(double shape, double z) {
  const double log_p = numerics::log_phi(z), log_q = numerics::log_phi(-z);
  const double g = log_p < log_q ? numerics::inv_log_gamma_p(shape, log_p)
                                 : numerics::inv_log_gamma_q(shape, log_q);
  if (!(g > kTinyGamma)) return (log_p + numerics::lgamma(shape + 1.0)) / shape;
  return numerics::log(g);
}

// Its derivative by a.
double log_gamma_slope(double shape, double z, double log_g) {
  const double g = numerics::exp(log_g);
  if (!(g > kTinyGamma)) return (numerics::digamma(shape + 1.0) - log_g) / shape;
  const double log_p = numerics::log_phi(z), log_q = numerics::log_phi(-z);
  const double log_density = shape * log_g - g - numerics::lgamma(shape);  // density of log g
  return log_p < log_q ? -numerics::exp(log_p - log_density) * numerics::log_gamma_p_shape(shape, g)
                       : numerics::exp(log_q - log_density) * numerics::log_gamma_q_shape(shape, g);
}

// a with trigamma(a) = variance, by Newton's method on the logarithm: trigamma is between 1/a + 1/(2 a²) and 1/a + 1/a².
double shape_with_log_variance(double variance) {
  double log_shape =
      numerics::log(0.5 / variance + 0.5 * std::sqrt(1.0 / (variance * variance) + 4.0 / variance));
  for (int step = 0; step < 50; ++step) {
    const double a = numerics::exp(log_shape);
    const double miss = numerics::log(numerics::trigamma(a) / variance);
    log_shape -= miss * numerics::trigamma(a) / (a * numerics::tetragamma(a));
    if (std::fabs(miss) < 1e-12) break;
  }
  return numerics::exp(log_shape);
}

// ---- gamma: exp x ~ Gamma(a, b), a = a0 exp(-2 λ2), log b = log b0 - s λ1: x has a unit of s, and its spread one of a factor of e

class GammaFactor final : public Factor {
 public:
  GammaFactor(double mean, double variance)
      : unit_(std::sqrt(variance)), shape_start_(shape_with_log_variance(variance)) {
    log_rate_start_ = numerics::digamma(shape_start_) - mean;
  }
  Index num_base() const override { return 1; }
  Index num_parameters() const override { return 2; }
  void move_to(std::span<const double> parameters) override {
    shape_ = shape_start_ * numerics::exp(-2.0 * parameters[1]);
    log_rate_ = log_rate_start_ - unit_ * parameters[0];
  }
  // The draw moves with the shape, and x + log b = log g.
  void solve(std::span<const double> z, std::span<double> quantiles) const override {
    quantiles[0] = log_gamma_quantile(shape_, z[0]);
  }
  void finish(FactorDraw& at) const override {
    const double log_g = at.quantiles[0];
    at.x[0] = log_g - log_rate_;
    at.log_q = log_of(log_g);
    if (at.x_slope.empty()) return;
    const double by_log_shape = -2.0 * shape_, slope = log_gamma_slope(shape_, at.z[0], log_g);
    at.x_slope[0] = unit_, at.x_slope[1] = slope * by_log_shape;
    at.log_q_slope[0] = 0.0;
    at.log_q_slope[1] = by_log_shape * (log_g - numerics::digamma(shape_) +
                                        (shape_ - numerics::exp(log_g)) * slope);
  }
  double log_density(std::span<const double> x) const override { return log_of(x[0] + log_rate_); }
  std::vector<double> own_parameters() const override { return {shape_, numerics::exp(log_rate_)}; }

 private:
  double log_of(double log_g) const {
    return shape_ * log_g - numerics::exp(log_g) - numerics::lgamma(shape_);
  }
  double unit_, shape_start_, log_rate_start_ = 0.0, shape_ = 1.0, log_rate_ = 0.0;
};

// ---- beta: inv_logit x ~ Beta(a, b), log a = log a0 + λ1, log b = log b0 + λ2

class BetaFactor final : public Factor {
 public:
  BetaFactor(double mean, double variance);
  Index num_base() const override { return 1; }
  Index num_parameters() const override { return 2; }
  void move_to(std::span<const double> parameters) override {
    a_ = a_start_ * numerics::exp(parameters[0]);
    b_ = b_start_ * numerics::exp(parameters[1]);
  }
  void solve(std::span<const double> z, std::span<double> quantiles) const override;
  void finish(FactorDraw& at) const override;
  double log_density(std::span<const double> x) const override {
    return -a_ * numerics::log1p(numerics::exp(-x[0])) -
           b_ * (x[0] + numerics::log1p(numerics::exp(-x[0]))) - numerics::lbeta(a_, b_);
  }
  std::vector<double> own_parameters() const override { return {a_, b_}; }

 private:
  double a_start_ = 1.0, b_start_ = 1.0, a_ = 1.0, b_ = 1.0;
};

// digamma(a) - digamma(b) = mean, trigamma(a) + trigamma(b) = variance: a and b are those of gamma variates with shares of the variance, which
// alternate with the difference.
BetaFactor::BetaFactor(double mean, double variance) {
  double share =
      1.0 / (1.0 + numerics::exp(std::clamp(mean, -30.0, 30.0)));  // share of a in the variance
  for (int round = 0; round < 100; ++round) {
    a_start_ = shape_with_log_variance(variance * std::clamp(share, 1e-6, 1.0 - 1e-6));
    b_start_ = shape_with_log_variance(variance * std::clamp(1.0 - share, 1e-6, 1.0 - 1e-6));
    const double miss = numerics::digamma(a_start_) - numerics::digamma(b_start_) - mean;
    const double logit = numerics::log(share / (1.0 - share)) + 0.5 * miss;
    share = 1.0 / (1.0 + numerics::exp(-std::clamp(logit, -13.0, 13.0)));
    if (std::fabs(miss) < 1e-9) break;
  }
  a_ = a_start_, b_ = b_start_;
}

// With l = log F or log(1 - F), the smaller one: ∂x/∂a = ∓ exp(l - log q) ∂l/∂a.
void BetaFactor::solve(std::span<const double> z, std::span<double> quantiles) const {
  const double log_p = numerics::log_phi(z[0]), log_q = numerics::log_phi(-z[0]);
  quantiles[0] = log_p < log_q ? numerics::inv_log_inc_beta_logit(a_, b_, log_p)
                               : -numerics::inv_log_inc_beta_logit(b_, a_, log_q);
}

void BetaFactor::finish(FactorDraw& at) const {
  const double log_p = numerics::log_phi(at.z[0]), log_q = numerics::log_phi(-at.z[0]);
  const bool is_low = log_p < log_q;
  at.x[0] = at.quantiles[0];
  at.log_q = log_density(at.x);
  if (at.x_slope.empty()) return;
  const double weight = numerics::exp((is_low ? log_p : log_q) - at.log_q) * (is_low ? -1.0 : 1.0);
  const double tail = numerics::exp(-std::fabs(at.x[0]));
  const double theta = (at.x[0] > 0.0 ? 1.0 : tail) / (1.0 + tail);
  const double log_theta = -numerics::log1p(numerics::exp(-at.x[0])),
               log_rest = log_theta - at.x[0];
  const double along = a_ * (1.0 - theta) - b_ * theta;  // ∂ log q / ∂x
  const double both = numerics::digamma(a_ + b_);
  const std::array<numerics::ShapeDirection, 2> ways{numerics::kAlongA, numerics::kAlongB};
  const std::array<double, 2> shapes{a_, b_}, logs{log_theta, log_rest};
  for (std::size_t k = 0; k < 2; ++k) {
    const numerics::BetaTails tails = numerics::beta_tails_logit(a_, b_, at.x[0], ways[k]);
    const double by_shape = weight * (is_low ? tails.log_p : tails.log_q).derivative(1);
    at.x_slope[k] = shapes[k] * by_shape;
    at.log_q_slope[k] =
        shapes[k] * (logs[k] - numerics::digamma(shapes[k]) + both + along * by_shape);
  }
}

// ---- dirichlet: θ_k ∝ g_k ~ Gamma(α_k, 1), log α_k = log α0_k + λ_k. Unconstrained values are the contrasts of log θ that the language
// has (isometric log ratios), of which log |∂θ/∂x| = Σ log θ + ½ log K

class DirichletFactor final : public Factor {
 public:
  DirichletFactor(std::span<const double> mean, std::span<const double> variances);
  Index num_base() const override { return ssize(start_); }
  Index num_parameters() const override { return ssize(start_); }
  void move_to(std::span<const double> parameters) override {
    for (std::size_t k = 0; k < start_.size(); ++k)
      shapes_[k] = start_[k] * numerics::exp(parameters[k]);
  }
  void solve(std::span<const double> z, std::span<double> quantiles) const override {
    for (std::size_t k = 0; k < shapes_.size(); ++k)
      quantiles[k] = log_gamma_quantile(shapes_[k], z[k]);
  }
  void finish(FactorDraw& at) const override;
  double log_density(std::span<const double> x) const override { return log_of(logs_of(x)); }
  std::vector<double> own_parameters() const override { return shapes_; }

 private:
  static double scale(std::size_t i) {
    return 1.0 / std::sqrt(static_cast<double>(i) * static_cast<double>(i + 1));
  }
  std::vector<double> logs_of(std::span<const double> x) const;  // log θ
  double log_of(std::span<const double> log_theta) const;
  std::vector<double> start_, shapes_;
};

std::vector<double> normalised_logs(std::vector<double> logs) {
  const double top = *std::ranges::max_element(logs);
  double sum = 0.0;
  for (const double v : logs) sum += numerics::exp(v - top);
  for (double& v : logs) v -= top + numerics::log(sum);
  return logs;
}

std::vector<double> DirichletFactor::logs_of(std::span<const double> x) const {
  std::vector<double> logs(start_.size(), 0.0);
  for (std::size_t i = 1; i < logs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) logs[k] += scale(i) * x[i - 1];
    logs[i] -= scale(i) * static_cast<double>(i) * x[i - 1];
  }
  return normalised_logs(std::move(logs));
}

double DirichletFactor::log_of(std::span<const double> log_theta) const {
  double sum = 0.0, value = 0.5 * numerics::log(static_cast<double>(shapes_.size()));
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    sum += shapes_[k];
    value += shapes_[k] * log_theta[k] - numerics::lgamma(shapes_[k]);
  }
  return value + numerics::lgamma(sum);
}

// Shares of the mean, and a sum whose mean variance of log θ is the given one.
DirichletFactor::DirichletFactor(std::span<const double> mean, std::span<const double> variances)
    : start_(mean.size() + 1, 1.0), shapes_(start_) {
  const std::vector<double> logs = logs_of(mean);
  const double spread = std::accumulate(variances.begin(), variances.end(), 0.0) /
                        static_cast<double>(variances.size());
  const double each = shape_with_log_variance(spread), count = static_cast<double>(start_.size());
  for (std::size_t k = 0; k < start_.size(); ++k)
    start_[k] = std::max(1e-3, each * count * numerics::exp(logs[k]));
  shapes_ = start_;
}

void DirichletFactor::finish(FactorDraw& at) const {
  const std::size_t count = shapes_.size();
  std::vector<double> logs(at.quantiles.begin(), at.quantiles.end());
  double before = 0.0;
  for (std::size_t i = 1; i < count; ++i) {
    before += logs[i - 1];
    at.x[i - 1] = scale(i) * (before - static_cast<double>(i) * logs[i]);
  }
  const std::vector<double> log_theta = normalised_logs(std::move(logs));
  at.log_q = log_of(log_theta);
  if (at.x_slope.empty()) return;
  const double sum = std::accumulate(shapes_.begin(), shapes_.end(), 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const double slope = log_gamma_slope(shapes_[k], at.z[k], at.quantiles[k]);
    const double moves = shapes_[k] * slope;  // ∂ log g_k / ∂ log α_k
    for (std::size_t i = 1; i < count; ++i) {
      double contrast = 0.0;
      if (k < i) contrast = scale(i);
      if (k == i) contrast = -scale(i) * static_cast<double>(i);
      at.x_slope[(i - 1) * count + k] = contrast * moves;
    }
    at.log_q_slope[k] =
        shapes_[k] * (log_theta[k] - numerics::digamma(shapes_[k]) + numerics::digamma(sum)) +
        moves * (shapes_[k] - sum * numerics::exp(log_theta[k]));
  }
}

// ---- the product

std::unique_ptr<Factor> make_factor(const FactorSpec& spec, std::span<const double> mean,
                                    std::span<const double> variances) {
  const auto first = static_cast<std::size_t>(spec.first),
             size = static_cast<std::size_t>(spec.size);
  switch (spec.kind) {
    case FactorKind::gamma:
      return std::make_unique<GammaFactor>(mean[first], variances[first]);
    case FactorKind::beta:
      return std::make_unique<BetaFactor>(mean[first], variances[first]);
    case FactorKind::dirichlet:
      return std::make_unique<DirichletFactor>(mean.subspan(first, size),
                                               variances.subspan(first, size));
    default:
      return std::make_unique<NormalFactor>(mean[first], variances[first]);
  }
}

class FactorFamily final : public DistributionFamily {
 public:
  FactorFamily(std::span<const FactorSpec> specs, std::span<const double> mean,
               std::span<const double> variances)
      : specs_(specs.begin(), specs.end()),
        mean_(mean.begin(), mean.end()),
        variances_(variances.begin(), variances.end()) {
    make();
    parameters_ = start();
    move_to(parameters_);
  }
  FactorFamily(const FactorFamily& other)
      : DistributionFamily(other),
        specs_(other.specs_),
        mean_(other.mean_),
        variances_(other.variances_) {
    make();
    move_to(other.parameters_);
  }
  FactorFamily& operator=(const FactorFamily&) = delete;
  std::unique_ptr<DistributionFamily> clone_family() const override {
    return std::make_unique<FactorFamily>(*this);
  }
  Index dimension() const override { return ssize(mean_); }
  Index num_base() const override { return num_base_; }
  Index num_parameters() const override { return num_parameters_; }
  std::vector<double> start() const override {
    return std::vector<double>(static_cast<std::size_t>(num_parameters_), 0.0);
  }
  void move_to(std::span<const double> parameters) override {
    parameters_.assign(parameters.begin(), parameters.end());
    solved_.clear();
    std::size_t used = 0;
    for (const auto& factor : factors_) {
      const auto size = static_cast<std::size_t>(factor->num_parameters());
      factor->move_to(std::span(parameters_).subspan(used, size));
      used += size;
    }
  }
  void place_draws(std::span<const double> z, std::span<double> x,
                   std::span<double> log_q) override {
    solve(z);
    std::fill(log_q.begin(), log_q.end(), 0.0);
    for (std::size_t s = 0; s < log_q.size(); ++s)
      for_each_factor([&](std::size_t k, std::size_t base, std::size_t) {
        FactorDraw at{.z = own_base(z, s, k, base),
                      .quantiles = own_base(std::span(quantiles_), s, k, base),
                      .x = x.subspan(s * mean_.size() + place(k), size(k))};
        factors_[k]->finish(at);
        log_q[s] += at.log_q;
      });
  }
  void pull_back_draws(std::span<const double> z, std::span<const double> v,
                       std::span<const double> w, std::span<double> into) override;
  bool has_log_density() const override { return true; }
  double log_density(std::span<const double> x) override {
    double sum = 0.0;
    for (std::size_t k = 0; k < factors_.size(); ++k)
      sum += factors_[k]->log_density(x.subspan(place(k), size(k)));
    return sum;
  }
  std::vector<double> own_parameters() const {
    std::vector<double> all;
    for (const auto& factor : factors_) {
      const std::vector<double> own = factor->own_parameters();
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

 private:
  void make() {
    for (const FactorSpec& spec : specs_) {
      factors_.push_back(make_factor(spec, mean_, variances_));
      num_base_ += factors_.back()->num_base();
      num_parameters_ += factors_.back()->num_parameters();
    }
  }
  // The quantiles of all draws, unless they are those of the last call: slopes follow values at the same draws.
  void solve(std::span<const double> z) {
    if (!solved_.empty() && std::ranges::equal(solved_, z)) return;
    solved_.assign(z.begin(), z.end());
    quantiles_.resize(z.size());
    for (std::size_t s = 0; s * static_cast<std::size_t>(num_base_) < z.size(); ++s)
      for_each_factor([&](std::size_t k, std::size_t base, std::size_t) {
        factors_[k]->solve(own_base(z, s, k, base), own_base(std::span(quantiles_), s, k, base));
      });
  }
  std::size_t place(std::size_t k) const { return static_cast<std::size_t>(specs_[k].first); }
  std::size_t size(std::size_t k) const { return static_cast<std::size_t>(specs_[k].size); }
  template <typename Value>
  std::span<Value> own_base(std::span<Value> z, std::size_t s, std::size_t k,
                            std::size_t base) const {
    return z.subspan(s * static_cast<std::size_t>(num_base_) + base,
                     static_cast<std::size_t>(factors_[k]->num_base()));
  }
  // visit(factor, first value of the base, first parameter)
  void for_each_factor(const auto& visit) const {
    std::size_t base = 0, parameter = 0;
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      visit(k, base, parameter);
      base += static_cast<std::size_t>(factors_[k]->num_base());
      parameter += static_cast<std::size_t>(factors_[k]->num_parameters());
    }
  }

  std::vector<FactorSpec> specs_;
  std::vector<double> mean_, variances_, parameters_;
  std::vector<std::unique_ptr<Factor>> factors_;
  Index num_base_ = 0, num_parameters_ = 0;
  std::vector<double> x_, x_slope_, log_q_slope_;  // work of one factor
  std::vector<double> solved_, quantiles_;         // draws, and their quantiles at the parameters
};

void FactorFamily::pull_back_draws(std::span<const double> z, std::span<const double> v,
                                   std::span<const double> w, std::span<double> into) {
  solve(z);
  for (std::size_t s = 0; s < w.size(); ++s)
    for_each_factor([&](std::size_t k, std::size_t base, std::size_t parameter) {
      const auto count = static_cast<std::size_t>(factors_[k]->num_parameters());
      x_.resize(size(k)), x_slope_.resize(size(k) * count), log_q_slope_.resize(count);
      FactorDraw at{.z = own_base(z, s, k, base),
                    .quantiles = own_base(std::span(quantiles_), s, k, base),
                    .x = x_,
                    .log_q = 0.0,
                    .x_slope = x_slope_,
                    .log_q_slope = log_q_slope_};
      factors_[k]->finish(at);
      for (std::size_t p = 0; p < count; ++p) {
        double slope = -w[s] * log_q_slope_[p];
        for (std::size_t d = 0; d < size(k); ++d)
          slope += v[s * mean_.size() + place(k) + d] * x_slope_[d * count + p];
        into[parameter + p] += slope;
      }
    });
}

FactorKind kind_of_parameter(const density::StatedVariable* stated) {
  using Constraint = density::ConstraintKind;
  if (stated == nullptr) return FactorKind::normal;
  if (stated->constraint == Constraint::simplex) return FactorKind::dirichlet;
  if (stated->constraint != Constraint::bounds) return FactorKind::normal;
  if (stated->lower.is_stated && stated->upper.is_stated) return FactorKind::beta;
  return FactorKind::gamma;
}
}  // namespace

std::vector<FactorSpec> factors_of(const density::LogDensity& density) {
  std::vector<FactorSpec> factors;
  const density::Model* model = density.as_model();
  const auto facts = model == nullptr ? nullptr : model->program_facts();
  if (facts == nullptr) {
    for (Index d = 0; d < density.dimension(); ++d) factors.push_back({.first = d});
    return factors;
  }
  const density::Layout layout = model->unconstrained();
  for (Index k = 0; k < ssize(layout.variables()); ++k) {
    const density::Variable& free = layout.variables()[static_cast<std::size_t>(k)];
    const FactorKind kind = kind_of_parameter(facts->find_parameter(free.name));
    const Index each = free.dims.empty() ? 1 : free.dims.back();  // size of one simplex of an array
    for (Index d = 0; kind == FactorKind::dirichlet && d < free.size(); d += each)
      factors.push_back({kind, layout.first(k) + d, each});
    for (Index d = 0; kind != FactorKind::dirichlet && d < free.size(); ++d)
      factors.push_back({kind, layout.first(k) + d, 1});
  }
  return factors;
}

std::unique_ptr<DistributionFamily> make_factors(std::span<const FactorSpec> factors,
                                                 std::span<const double> mean,
                                                 std::span<const double> variances) {
  return std::make_unique<FactorFamily>(factors, mean, variances);
}

std::vector<double> factor_parameters(const DistributionFamily& family) {
  return static_cast<const FactorFamily&>(family).own_parameters();
}

}  // namespace credo::infer
