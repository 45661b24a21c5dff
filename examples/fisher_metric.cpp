// The Fisher metric of a model by its second derivatives: of a normal, and as the leading term of
// the relative entropy (E20 and E22 of the catalogue's part 000).
#include <fmt/core.h>

#include "density/matrix_field.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/program.hpp"

namespace {
using namespace credo;
using examples::Experiment, examples::Table;
using Vector = std::vector<double>;

// A log likelihood averaged over outcomes y with weights w: what a Fisher metric is the curvature
// of. Constants count, so that differences of its values are relative entropies.
struct Family {
  std::string name, text, data;
  Vector at, direction;
  Vector information;  // in closed form
};

std::string averaged(const std::string& parameters, const std::string& log_density,
                     const std::string& outcome = "vector[K] y", const std::string& priors = "") {
  return "data { int K; " + outcome + "; vector[K] w; } parameters { " + parameters +
         " } model { for (k in 1:K) target += w[k] * " + log_density + "; " + priors + " }";
}

// ∫ N(y | m, s) g(y) dy of polynomials g up to degree 5 needs three nodes.
constexpr const char* kThreeNodes = R"({{"K": 3, "y": [{}, {}, {}], "w": [{}, {}, {}]}})";
std::string normal_nodes(double mean, double sd) {
  const double apart = std::sqrt(3.0) * sd, side = 1.0 / 6.0;
  return fmt::format(fmt::runtime(kThreeNodes), mean - apart, mean, mean + apart, side, 2.0 / 3.0,
                     side);
}

// All whole numbers that have a probability above rounding.
std::string poisson_nodes(double rate) {
  std::string y, w;
  double log_factorial = 0.0;
  for (int k = 0; k <= 60; ++k) {
    if (k > 0) log_factorial += std::log(k);
    y += fmt::format("{}{}", k > 0 ? ", " : "", k);
    w += fmt::format("{}{:.17g}", k > 0 ? ", " : "",
                     std::exp(k * std::log(rate) - rate - log_factorial));
  }
  return fmt::format(R"({{"K": 61, "y": [{}], "w": [{}]}})", y, w);
}

const std::string kNormal = averaged("real mu; real sigma;", "normal_lpdf(y[k] | mu, sigma)");
const std::string kNormalFree =
    averaged("real mu; real<lower=0> sigma;", "normal_lpdf(y[k] | mu, sigma)");

Family normal() {
  constexpr double kSigma = 1.5;
  return {"normal",      kNormal,    normal_nodes(0.7, kSigma),
          {0.7, kSigma}, {1.0, 1.0}, {1.0 / (kSigma * kSigma), 0.0, 0.0, 2.0 / (kSigma * kSigma)}};
}

Family bernoulli() {
  const double p = 1.0 / (1.0 + std::exp(-1.0));
  return {"Bernoulli, log odds",
          averaged("real eta;", "bernoulli_logit_lpmf(y[k] | eta)", "array[K] int y"),
          fmt::format(R"({{"K": 2, "y": [0, 1], "w": [{:.17g}, {:.17g}]}})", 1.0 - p, p),
          {1.0},
          {1.0},
          {p * (1.0 - p)}};
}

Family poisson() {
  return {"Poisson, log rate",
          averaged("real eta;", "poisson_log_lpmf(y[k] | eta)", "array[K] int y"),
          poisson_nodes(3.0),
          {std::log(3.0)},
          {1.0},
          {3.0}};
}

// log p is linear in y and log y: their means E y = a / b and E log y = ψ(a) - log b are enough.
Family gamma() {
  const double mean_log = 1.0 - std::numbers::egamma - std::log(3.0);
  const double trigamma = std::numbers::pi * std::numbers::pi / 6.0 - 1.0;  // ψ'(2)
  return {"gamma, shape and rate",
          "data { real y; real log_y; } parameters { real a; real b; } model {"
          "  target += a * log(b) - lgamma(a) + (a - 1) * log_y - b * y; }",
          fmt::format(R"({{"y": {:.17g}, "log_y": {:.17g}}})", 2.0 / 3.0, mean_log),
          {2.0, 3.0},
          {1.0, 1.0},
          {trigamma, -1.0 / 3.0, -1.0 / 3.0, 2.0 / 9.0}};
}

struct Derivatives {
  double log_density = 0.0;
  Vector gradient, hessian;
};

Derivatives derivatives(const model::Model& model, const Vector& at) {
  const auto evaluator = model.make_evaluator();
  Derivatives result{0.0, Vector(at.size()), Vector(at.size() * at.size())};
  density::Request plain{.position = at, .gradient = result.gradient, .status = {}};
  density::Request matrix{.position = at, .gradient = {}, .status = {}, .matrix = result.hessian};
  density::Request* batch[] = {&plain};
  evaluator->evaluate(density::Want::gradient, batch);
  batch[0] = &matrix;
  evaluator->evaluate(density::Want::hessian, batch);
  result.log_density = plain.log_density;
  return result;
}

double largest_gap(const Vector& a, const Vector& b) {
  double gap = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) gap = std::max(gap, std::fabs(a[k] - b[k]));
  return gap;
}

Vector negative(Vector a) {
  for (double& x : a) x = -x;
  return a;
}

// ---- E20 ----

// E[score scoreᵀ] of one outcome, over the three nodes.
Vector score_covariance(double mean, double sd) {
  Vector sum(4, 0.0);
  const double apart = std::sqrt(3.0) * sd;
  for (const auto& [y, w] : {std::pair(mean - apart, 1.0 / 6.0), std::pair(mean, 2.0 / 3.0),
                             std::pair(mean + apart, 1.0 / 6.0)}) {
    const auto one =
        examples::program(kNormal, fmt::format(R"({{"K": 1, "y": [{:.17g}], "w": [1]}})", y));
    const Vector score = derivatives(*one, {mean, sd}).gradient;
    for (std::size_t k = 0; k < 4; ++k) sum[k] += w * score[k % 2] * score[k / 2];
  }
  return sum;
}

void both_forms(Experiment& experiment) {
  for (const double sigma : {0.5, 1.5, 4.0}) {
    const auto model = examples::program(kNormal, normal_nodes(0.7, sigma));
    const Derivatives at = derivatives(*model, {0.7, sigma});
    const Vector expected = {1.0 / (sigma * sigma), 0.0, 0.0, 2.0 / (sigma * sigma)};
    const auto what = [&](std::string_view form) {
      return fmt::format("normal, sigma {}: {}", sigma, form);
    };
    experiment.at_most(what("E[score], largest"), largest_gap(at.gradient, {0.0, 0.0}), 1e-13);
    experiment.at_most(what("E[-Hessian] off diag(1, 2) / sigma^2"),
                       largest_gap(negative(at.hessian), expected), 1e-13);
    experiment.at_most(what("Cov(score) off it"),
                       largest_gap(score_covariance(0.7, sigma), expected), 1e-13);
  }
}

// N outcomes: minus the Hessian at the parameters that data were drawn with, on average.
void by_simulation(Experiment& experiment) {
  constexpr double kMu = -1.0, kSigma = 2.0, kN = 20.0;
  Rng rng({.seed = 20, .purpose = purpose::kTest});
  Vector location, scale, mixed;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::string y;
    for (int n = 0; n < 20; ++n)
      y += fmt::format("{}{:.17g}", n > 0 ? ", " : "", kMu + kSigma * rng.normal());
    const auto model = examples::program(
        "data { vector[20] y; } parameters { real mu; real sigma; } model { y ~ normal(mu, sigma); "
        "}",
        R"({"y": [)" + y + "]}");
    const Vector hessian = derivatives(*model, {kMu, kSigma}).hessian;
    location.push_back(-hessian[0]);
    mixed.push_back(-hessian[1]);
    scale.push_back(-hessian[3]);
  }
  experiment.within("20 outcomes: m_mu = N / sigma^2", examples::mean_of(location).mean,
                    kN / (kSigma * kSigma), 1e-12);
  const examples::Estimate m_sigma = examples::mean_of(scale), off = examples::mean_of(mixed);
  experiment.within("20 outcomes: m_sigma = 2 N / sigma^2", m_sigma.mean,
                    2.0 * kN / (kSigma * kSigma), 4.0 * m_sigma.error);
  experiment.within("20 outcomes: mixed", off.mean, 0.0, 4.0 * off.error);
}

// The metric in (mu, log sigma): Jᵀ G J with J = diag(1, sigma). A Hessian away from the mode
// doesn't transform so.
void transformed(Experiment& experiment) {
  constexpr double kSigma = 1.5;
  const Vector jacobian = {1.0, 0.0, 0.0, kSigma}, free = {0.7, std::log(kSigma)};
  const auto gap = [&](double mean, double sd) {
    const auto plain = examples::program(kNormal, normal_nodes(mean, sd));
    const auto on_log = examples::program(kNormalFree, normal_nodes(mean, sd));
    Vector there(4);
    density::transform_information(negative(derivatives(*plain, {0.7, kSigma}).hessian), jacobian,
                                   there);
    return largest_gap(negative(derivatives(*on_log, free).hessian), there);
  };
  experiment.at_most("metric in (mu, log sigma) off J' G J", gap(0.7, kSigma), 1e-13);
  experiment.at_least("Hessian with other outcomes off J' H J", gap(0.9, 2.0), 0.1);
}

// An informative prior adds its curvature, which may be negative: -∂² log σ^-3 = -3/σ².
void with_prior(Experiment& experiment) {
  const auto curvature = [](const std::string& priors) {
    const auto model =
        examples::program(averaged("real mu; real sigma;", "normal_lpdf(y[k] | mu, sigma)",
                                   "vector[K] y", "mu ~ normal(0, 0.5); " + priors),
                          normal_nodes(0.7, 1.5));
    return negative(derivatives(*model, {0.7, 1.5}).hessian);
  };
  const Vector normal = curvature("sigma ~ normal(0, 2);");
  experiment.within("with priors N(0, 0.5), N(0, 2): mu", normal[0], 1.0 / 2.25 + 4.0, 1e-13);
  experiment.within("with priors N(0, 0.5), N(0, 2): sigma", normal[3], 2.0 / 2.25 + 0.25, 1e-13);
  experiment.within("with a prior sigma^-3: sigma, negative",
                    curvature("target += -3 * log(sigma);")[3], -1.0 / 2.25, 1e-13);
}

// ---- E22 ----

Vector moved(const Family& family, double t) {
  Vector at = family.at;
  for (std::size_t d = 0; d < at.size(); ++d) at[d] += t * family.direction[d];
  return at;
}

double half_norm2(const Family& family, double t) {
  const std::size_t n = family.at.size();
  double sum = 0.0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      sum +=
          0.5 * t * t * family.direction[a] * family.direction[b] * family.information[a + b * n];
  return sum;
}

void entropies(Experiment& experiment) {
  Table& table = experiment.table("errors", {"t", "normal", "bernoulli", "poisson", "gamma"});
  Table& along = experiment.table("along", {"t", "entropy", "quadratic"});
  std::vector<Vector> rows;
  const std::array families{normal(), bernoulli(), poisson(), gamma()};
  for (const Family& family : families) {
    const auto model = examples::program(family.text, family.data);
    const Derivatives at = derivatives(*model, family.at);
    experiment.at_most(family.name + ": E[-Hessian] off its closed form",
                       largest_gap(negative(at.hessian), family.information), 1e-12);
    const auto entropy = [&](double t) {
      return at.log_density - derivatives(*model, moved(family, t)).log_density;
    };
    const auto error = [&](double t) { return std::fabs(entropy(t) - half_norm2(family, t)); };
    // The next term is t times the third order's and some: at t = 1/64 it moves the slope by 0.05.
    experiment.within(family.name + ": order of KL - D'GD/2",
                      std::log2(error(1.0 / 64.0) / error(1.0 / 128.0)), 3.0, 0.1);
    Vector row;
    for (int k = 0; k <= 8; ++k) row.push_back(error(std::ldexp(0.5, -k)));
    rows.push_back(row);
    if (family.name != "normal") continue;
    for (double t = -0.8; t <= 0.801; t += 0.05) along.row({t, entropy(t), half_norm2(family, t)});
  }
  for (int k = 0; k <= 8; ++k) {
    const auto i = static_cast<std::size_t>(k);
    table.row({std::ldexp(0.5, -k), rows[0][i], rows[1][i], rows[2][i], rows[3][i]});
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("The Fisher metric: curvature of the mean log likelihood", argc, argv);
  both_forms(experiment);
  by_simulation(experiment);
  transformed(experiment);
  with_prior(experiment);
  entropies(experiment);
  return experiment.finish();
}
