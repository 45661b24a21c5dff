#include "infer/messages/factors.hpp"

#include "base/error.hpp"
#include "dist/families/family.hpp"
#include "dist/samplers.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
using density::MomentFamily;
using numerics::RowMatrix;
using Numbers = std::vector<double>;
using Natural = std::span<const double>;
constexpr double kLogTwoPiOfFactors = 1.83787706640934548356;

std::size_t size_of(const MomentBlock& block) { return block.values.size(); }

// ---- normal: h and G = -P / 2

// -(G + G') of n x n numbers.
RowMatrix precision_of(Natural g, Index n) {
  RowMatrix p(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      p(i, j) = -(g[static_cast<std::size_t>(i + n * j)] + g[static_cast<std::size_t>(j + n * i)]);
  return p;
}

bool is_factored(const RowMatrix& factor) {
  for (Index i = 0; i < factor.rows; ++i)
    if (!(factor(i, i) > 0.0)) return false;
  return true;
}

struct NormalShape {
  RowMatrix factor;  // lower factor of the precision
  Numbers mean;
  NormalShape(Natural h, Natural g)
      : factor(numerics::lower_factor(precision_of(g, ssize(h)))), mean(h.begin(), h.end()) {
    numerics::solve_factor(factor, mean);
    numerics::solve_factor_transposed(factor, mean);
  }
  double log_root() const {
    double sum = 0.0;
    for (Index i = 0; i < factor.rows; ++i) sum += numerics::log(factor(i, i));
    return sum;
  }
  double product(Natural h) const {
    return std::inner_product(h.begin(), h.end(), mean.begin(), 0.0);
  }
};

NormalShape normal_of(Natural natural, const MomentBlock& block) {
  const std::size_t n = size_of(block);
  return {natural.first(n), natural.subspan(n)};
}
bool normal_is_proper(Natural natural, const MomentBlock& block) {
  const auto n = static_cast<Index>(size_of(block));
  return is_factored(numerics::lower_factor(precision_of(natural.subspan(size_of(block)), n)));
}
double normal_log_partition(Natural natural, const MomentBlock& block) {
  const NormalShape shape = normal_of(natural, block);
  return 0.5 * shape.product(natural.first(size_of(block))) - shape.log_root() +
         0.5 * static_cast<double>(size_of(block)) * kLogTwoPiOfFactors;
}
void normal_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const NormalShape shape = normal_of(natural, block);
  const std::size_t n = size_of(block);
  const RowMatrix covariance = numerics::inverse_from_factor(shape.factor);
  for (std::size_t i = 0; i < n; ++i) {
    statistics[i] = shape.mean[i];
    for (std::size_t j = 0; j < n; ++j)
      statistics[n + i + n * j] =
          covariance(static_cast<Index>(i), static_cast<Index>(j)) + shape.mean[i] * shape.mean[j];
  }
}
void add_noise(const NormalShape& shape, double scale, Rng& rng, std::span<double> values) {
  Numbers noise(shape.mean.size());
  for (double& z : noise) z = rng.normal();
  numerics::solve_factor_transposed(shape.factor, noise);
  for (std::size_t i = 0; i < noise.size(); ++i) values[i] = shape.mean[i] + scale * noise[i];
}
void normal_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  add_noise(normal_of(natural, block), 1.0, rng, values);
}
bool normal_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  std::ranges::copy(normal_of(natural, block).mean, values.begin());
  return true;
}
std::vector<FactorArgument> normal_arguments(Natural natural, const MomentBlock& block) {
  const NormalShape shape = normal_of(natural, block);
  const RowMatrix covariance = numerics::inverse_from_factor(shape.factor);
  Numbers sds;
  for (Index i = 0; i < covariance.rows; ++i) sds.push_back(std::sqrt(covariance(i, i)));
  return {{"mean", shape.mean}, {"sd", sds}};
}

// ---- powers of gamma: x^a exp(c x^p)

struct GammaShape {
  double alpha, beta;
};
GammaShape gamma_of(Natural natural, const MomentBlock& block) {
  return {(natural[0] + 1.0) / block.power, -natural[1]};
}
bool gamma_is_proper(Natural natural, const MomentBlock& block) {
  const auto [alpha, beta] = gamma_of(natural, block);
  return alpha > 0.0 && beta > 0.0 && std::isfinite(alpha) && std::isfinite(beta);
}
double gamma_log_partition(Natural natural, const MomentBlock& block) {
  const auto [alpha, beta] = gamma_of(natural, block);
  return numerics::lgamma(alpha) - alpha * numerics::log(beta) -
         numerics::log(std::fabs(block.power));
}
void gamma_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const auto [alpha, beta] = gamma_of(natural, block);
  statistics[0] = (numerics::digamma(alpha) - numerics::log(beta)) / block.power;
  statistics[1] = alpha / beta;
}
void gamma_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  const auto [alpha, beta] = gamma_of(natural, block);
  values[0] = numerics::exp((dist::draw_log_gamma(rng, alpha) - numerics::log(beta)) / block.power);
}
bool gamma_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  const double power = natural[0] / (-natural[1] * block.power);
  values[0] = std::pow(power, 1.0 / block.power);
  return power > 0.0;
}
std::vector<FactorArgument> gamma_arguments(Natural natural, const MomentBlock& block) {
  const auto [alpha, beta] = gamma_of(natural, block);
  std::vector<FactorArgument> all{{"shape", {alpha}},
                                  {block.power == 1.0    ? "rate"
                                   : block.power == -1.0 ? "scale"
                                                         : "rate",
                                   {beta}}};
  if (std::fabs(block.power) != 1.0) all.push_back({"power", {block.power}});
  return all;
}

// ---- powers of generalised inverse Gaussian values: x^a exp(c x^p + d x^-p)

const dist::ExponentialFamily& inverse_gaussian_family() {
  static const dist::ExponentialFamily* const family = dist::find_family("gen_inv_gaussian");
  return *family;
}
// Natural parameters of x^p.
Numbers gig_of(Natural natural, const MomentBlock& block) {
  return {(natural[0] + 1.0) / block.power - 1.0, natural[1], natural[2]};
}
bool gig_is_proper(Natural natural, const MomentBlock& block) {
  return inverse_gaussian_family().is_inside(gig_of(natural, block));
}
double gig_log_partition(Natural natural, const MomentBlock& block) {
  return inverse_gaussian_family().log_partition(gig_of(natural, block), {}) -
         numerics::log(std::fabs(block.power));
}
void gig_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const Numbers mean = inverse_gaussian_family().mean(gig_of(natural, block), {});
  statistics[0] = mean[0] / block.power;
  statistics[1] = mean[1];
  statistics[2] = mean[2];
}
void gig_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  const Numbers y = dist::draw(inverse_gaussian_family(), rng, gig_of(natural, block), {});
  values[0] = std::pow(y[0], 1.0 / block.power);
}
// a + c p y - d p / y = 0 for y = x^p.
bool gig_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  const double c = natural[1] * block.power, d = natural[2] * block.power, a = natural[0];
  const double root = std::sqrt(a * a + 4.0 * c * d);
  const double y = block.power > 0.0 ? (-a - root) / (2.0 * c) : (-a + root) / (2.0 * c);
  values[0] = std::pow(y, 1.0 / block.power);
  return y > 0.0;
}
std::vector<FactorArgument> gig_arguments(Natural natural, const MomentBlock& block) {
  const Numbers eta = gig_of(natural, block);
  return {{"order", {eta[0] + 1.0}},
          {"rate", {-2.0 * eta[1]}},
          {"scale", {-2.0 * eta[2]}},
          {"power", {block.power}}};
}

// ---- beta and Dirichlet

Numbers shapes_of(Natural natural) {
  Numbers shapes;
  for (const double a : natural) shapes.push_back(a + 1.0);
  return shapes;
}
bool dirichlet_is_proper(Natural natural, const MomentBlock&) {
  return std::ranges::all_of(natural, [](double a) { return a > -1.0 && std::isfinite(a); });
}
double dirichlet_log_partition(Natural natural, const MomentBlock&) {
  double total = 0.0, sum = 0.0;
  for (const double a : shapes_of(natural)) total += a, sum += numerics::lgamma(a);
  return sum - numerics::lgamma(total);
}
void dirichlet_mean(Natural natural, const MomentBlock&, std::span<double> statistics) {
  const Numbers shapes = shapes_of(natural);
  const double both = numerics::digamma(std::accumulate(shapes.begin(), shapes.end(), 0.0));
  for (std::size_t k = 0; k < shapes.size(); ++k)
    statistics[k] = numerics::digamma(shapes[k]) - both;
}
void dirichlet_draw(Natural natural, const MomentBlock&, Rng& rng, std::span<double> values) {
  Numbers logs;
  for (const double a : shapes_of(natural)) logs.push_back(dist::draw_log_gamma(rng, a));
  const double total = numerics::log_sum_exp(logs);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = numerics::exp(logs[k] - total);
}
bool dirichlet_mode(Natural natural, const MomentBlock&, std::span<double> values) {
  const double total = std::accumulate(natural.begin(), natural.end(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = natural[k] / total;
  return std::ranges::all_of(natural, [](double a) { return a > 0.0; });
}
std::vector<FactorArgument> dirichlet_arguments(Natural natural, const MomentBlock&) {
  return {{"alpha", shapes_of(natural)}};
}
std::vector<FactorArgument> beta_arguments(Natural natural, const MomentBlock&) {
  return {{"alpha", {natural[0] + 1.0}}, {"beta", {natural[1] + 1.0}}};
}

// ---- Wishart and its inverse: |X|^a exp(tr G Y), Y = X or X^-1

const dist::ExponentialFamily& matrix_family(const MomentBlock& block) {
  static const dist::ExponentialFamily *const wishart = dist::find_family("wishart"),
                                              *const inverse = dist::find_family("inv_wishart");
  return block.family == MomentFamily::wishart ? *wishart : *inverse;
}
Index side_of(const MomentBlock& block) {
  return static_cast<Index>(std::sqrt(static_cast<double>(size_of(block))) + 0.5);
}
// In the order of the family: the elements on the diagonal and above it.
Numbers packed_natural(Natural natural, const MomentBlock& block) {
  const Index n = side_of(block);
  Numbers packed{natural[0]};
  const auto g = [&](Index i, Index j) { return natural[static_cast<std::size_t>(1 + i + n * j)]; };
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i) packed.push_back(i == j ? g(i, i) : g(i, j) + g(j, i));
  return packed;
}
bool matrix_is_proper(Natural natural, const MomentBlock& block) {
  return matrix_family(block).is_inside(packed_natural(natural, block));
}
double matrix_log_partition(Natural natural, const MomentBlock& block) {
  return matrix_family(block).log_partition(packed_natural(natural, block), {});
}
void matrix_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const Numbers mean = matrix_family(block).mean(packed_natural(natural, block), {});
  const Index n = side_of(block);
  statistics[0] = mean[0];
  std::size_t k = 1;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i, ++k)
      statistics[static_cast<std::size_t>(1 + i + n * j)] =
          statistics[static_cast<std::size_t>(1 + j + n * i)] = mean[k];
}
void matrix_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  std::ranges::copy(dist::draw(matrix_family(block), rng, packed_natural(natural, block), {}),
                    values.begin());
}
// a X^-1 + G = 0, or a X - G = 0 after multiplication by X on both sides.
bool matrix_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  const Index n = side_of(block);
  const bool is_wishart = block.family == MomentFamily::wishart;
  RowMatrix minus = precision_of(natural.subspan(1), n);
  for (double& x : minus.values) x *= 0.5;  // -G
  if (is_wishart ? !(natural[0] > 0.0) : !(natural[0] < 0.0)) return false;
  const RowMatrix result =
      is_wishart ? numerics::inverse_from_factor(numerics::lower_factor(minus)) : minus;
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = result.values[k] * (is_wishart ? natural[0] : -1.0 / natural[0]);
  return true;
}
std::vector<FactorArgument> matrix_arguments(Natural natural, const MomentBlock& block) {
  const Numbers args = matrix_family(block).to_args(packed_natural(natural, block), {});
  return {{"dof", {args[0]}}, {"scale", Numbers(args.begin() + 1, args.end())}};
}

// ---- normal values given a gamma scale: s^a exp(s (c + h'x + x'G x))

struct ScaledShape {
  NormalShape normal;
  double alpha, beta;
};
ScaledShape scaled_of(Natural natural, const MomentBlock& block) {
  const std::size_t n = size_of(block) - 1;
  NormalShape normal(natural.subspan(2, n), natural.subspan(2 + n));
  const double half = 0.5 * normal.product(natural.subspan(2, n));
  return {std::move(normal), natural[0] - 0.5 * static_cast<double>(n) + 1.0, -(natural[1] + half)};
}
bool scaled_is_proper(Natural natural, const MomentBlock& block) {
  const ScaledShape shape = scaled_of(natural, block);
  return is_factored(shape.normal.factor) && shape.alpha > 0.0 && shape.beta > 0.0;
}
double scaled_log_partition(Natural natural, const MomentBlock& block) {
  const ScaledShape shape = scaled_of(natural, block);
  return 0.5 * static_cast<double>(size_of(block) - 1) * kLogTwoPiOfFactors -
         shape.normal.log_root() + numerics::lgamma(shape.alpha) -
         shape.alpha * numerics::log(shape.beta);
}
void scaled_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const ScaledShape shape = scaled_of(natural, block);
  const std::size_t n = size_of(block) - 1;
  const double scale = shape.alpha / shape.beta;
  const RowMatrix covariance = numerics::inverse_from_factor(shape.normal.factor);
  statistics[0] = numerics::digamma(shape.alpha) - numerics::log(shape.beta);
  statistics[1] = scale;
  for (std::size_t i = 0; i < n; ++i) {
    statistics[2 + i] = scale * shape.normal.mean[i];
    for (std::size_t j = 0; j < n; ++j)
      statistics[2 + n + i + n * j] = covariance(static_cast<Index>(i), static_cast<Index>(j)) +
                                      scale * shape.normal.mean[i] * shape.normal.mean[j];
  }
}
void scaled_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  const ScaledShape shape = scaled_of(natural, block);
  const double scale = dist::draw_gamma(rng, shape.alpha) / shape.beta;
  add_noise(shape.normal, 1.0 / std::sqrt(scale), rng, values.first(values.size() - 1));
  values.back() = scale;
}
bool scaled_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  const ScaledShape shape = scaled_of(natural, block);
  std::ranges::copy(shape.normal.mean, values.begin());
  values.back() = natural[0] / shape.beta;
  return natural[0] > 0.0;
}
std::vector<FactorArgument> scaled_arguments(Natural natural, const MomentBlock& block) {
  const ScaledShape shape = scaled_of(natural, block);
  const RowMatrix covariance = numerics::inverse_from_factor(shape.normal.factor);
  return {{"mean", shape.normal.mean},
          {"inverse_precision", covariance.values},
          {"shape", {shape.alpha}},
          {"rate", {shape.beta}}};
}

// ---- normal values given a Wishart precision: |X|^a exp(tr C X + b'X x + g x'X x)

struct JointShape {
  Index n = 0;
  double a = 0.0, kappa = 0.0;
  Numbers mean = {};
  Numbers natural = {};  // parameters of X alone: a - 1/2, and C + kappa m m' / 2
  bool is_consistent = true;
};
Index dimension_of(const MomentBlock& block) {
  Index n = 1;
  while (n + n * n < ssize(block.values)) ++n;
  return n;
}
// The gradients by X_ij x_j are b_i for all j, those by X_ij x_i x_j are g.
JointShape joint_of(Natural natural, const MomentBlock& block) {
  const Index n = dimension_of(block);
  const auto size = static_cast<std::size_t>(n), square = size * size;
  JointShape shape{.n = n, .a = natural[0]};
  const Natural c = natural.subspan(1, square), b = natural.subspan(1 + square, square),
                g = natural.subspan(1 + 2 * square, square);
  shape.kappa = -2.0 * g[0];
  double largest = 0.0;
  for (const double x : natural) largest = std::max(largest, std::fabs(x));
  const auto is_near = [&](double x, double y) {
    return std::fabs(x - y) <= 1e-9 * (1.0 + largest);
  };
  for (std::size_t i = 0; i < size; ++i) {
    shape.mean.push_back(b[i + size * i] / shape.kappa);
    for (std::size_t j = 0; j < size; ++j)
      shape.is_consistent = shape.is_consistent && is_near(b[i + size * j], b[i + size * i]) &&
                            is_near(g[i + size * j] + g[j + size * i], 2.0 * g[0]);
  }
  shape.natural.push_back(natural[0] - 0.5);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = 0; i < size; ++i)
      shape.natural.push_back(0.5 * (c[i + size * j] + c[j + size * i]) +
                              0.5 * shape.kappa * shape.mean[i] * shape.mean[j]);
  return shape;
}
// The precision as a block of its own.
MomentBlock matrix_of(const MomentBlock& block) {
  const auto n = static_cast<std::size_t>(dimension_of(block));
  MomentBlock matrix;
  matrix.family = MomentFamily::wishart;
  matrix.values.assign(block.values.begin() + static_cast<std::ptrdiff_t>(n), block.values.end());
  return matrix;
}
bool joint_is_proper(Natural natural, const MomentBlock& block) {
  const JointShape shape = joint_of(natural, block);
  return shape.is_consistent && shape.kappa > 0.0 &&
         matrix_is_proper(shape.natural, matrix_of(block));
}
double joint_log_partition(Natural natural, const MomentBlock& block) {
  const JointShape shape = joint_of(natural, block);
  return 0.5 * static_cast<double>(shape.n) * (kLogTwoPiOfFactors - numerics::log(shape.kappa)) +
         matrix_log_partition(shape.natural, matrix_of(block));
}
// Σ_ij E X_ij (X^-1)_ij = n: the share of each X_ij x_i x_j in it doesn't matter, since all have one gradient.
void joint_mean(Natural natural, const MomentBlock& block, std::span<double> statistics) {
  const JointShape shape = joint_of(natural, block);
  const auto n = static_cast<std::size_t>(shape.n), square = n * n;
  matrix_mean(shape.natural, matrix_of(block), statistics.first(1 + square));
  for (std::size_t k = 0; k < square; ++k) {
    const double x = statistics[1 + k], mean = shape.mean[k / n];
    statistics[1 + square + k] = x * mean;
    statistics[1 + 2 * square + k] =
        x * mean * shape.mean[k % n] + (k / n == k % n ? 1.0 / shape.kappa : 0.0);
  }
}
void joint_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  const JointShape shape = joint_of(natural, block);
  const auto n = static_cast<std::size_t>(shape.n);
  matrix_draw(shape.natural, matrix_of(block), rng, values.subspan(n));
  Numbers noise(n);
  for (double& z : noise) z = rng.normal();
  numerics::solve_factor_transposed(
      numerics::lower_factor(RowMatrix(shape.n, shape.n, Natural(values.subspan(n)))), noise);
  for (std::size_t i = 0; i < n; ++i) values[i] = shape.mean[i] + noise[i] / std::sqrt(shape.kappa);
}
bool joint_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  JointShape shape = joint_of(natural, block);
  std::ranges::copy(shape.mean, values.begin());
  shape.natural[0] = shape.a;
  return matrix_mode(shape.natural, matrix_of(block), values.subspan(shape.mean.size()));
}
std::vector<FactorArgument> joint_arguments(Natural natural, const MomentBlock& block) {
  const JointShape shape = joint_of(natural, block);
  std::vector<FactorArgument> all = matrix_arguments(shape.natural, matrix_of(block));
  all.insert(all.begin(), {{"mean", shape.mean}, {"kappa", {shape.kappa}}});
  return all;
}

// ---- categories

bool category_is_proper(Natural natural, const MomentBlock&) {
  return std::ranges::all_of(natural, [](double a) { return a < kInfinity && !std::isnan(a); }) &&
         std::isfinite(numerics::log_sum_exp(natural));
}
double category_log_partition(Natural natural, const MomentBlock&) {
  return numerics::log_sum_exp(natural);
}
void category_mean(Natural natural, const MomentBlock&, std::span<double> statistics) {
  const double total = numerics::log_sum_exp(natural);
  for (std::size_t k = 0; k < natural.size(); ++k)
    statistics[k] = numerics::exp(natural[k] - total);
}
void category_draw(Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
  Numbers weights(natural.size());
  category_mean(natural, block, weights);
  values[0] = static_cast<double>(block.lower + dist::draw_category(rng, weights));
}
bool category_mode(Natural natural, const MomentBlock& block, std::span<double> values) {
  values[0] =
      static_cast<double>(block.lower + (std::ranges::max_element(natural) - natural.begin()));
  return true;
}
std::vector<FactorArgument> category_arguments(Natural natural, const MomentBlock& block) {
  Numbers weights(natural.size());
  category_mean(natural, block, weights);
  return {{"probability", weights}};
}

constexpr FactorFamily kFactorFamilies[] = {
    {MomentFamily::normal, "normal", normal_is_proper, normal_log_partition, normal_mean,
     normal_draw, normal_mode, normal_arguments},
    {MomentFamily::power_gamma, "gamma", gamma_is_proper, gamma_log_partition, gamma_mean,
     gamma_draw, gamma_mode, gamma_arguments},
    {MomentFamily::power_gig, "gen_inv_gaussian", gig_is_proper, gig_log_partition, gig_mean,
     gig_draw, gig_mode, gig_arguments},
    {MomentFamily::beta, "beta", dirichlet_is_proper, dirichlet_log_partition, dirichlet_mean,
     [](Natural natural, const MomentBlock& block, Rng& rng, std::span<double> values) {
       Numbers both(2);
       dirichlet_draw(natural, block, rng, both);
       values[0] = both[0];
     },
     [](Natural natural, const MomentBlock& block, std::span<double> values) {
       Numbers both(2);
       const bool is_inside = dirichlet_mode(natural, block, both);
       values[0] = both[0];
       return is_inside;
     },
     beta_arguments},
    {MomentFamily::dirichlet, "dirichlet", dirichlet_is_proper, dirichlet_log_partition,
     dirichlet_mean, dirichlet_draw, dirichlet_mode, dirichlet_arguments},
    {MomentFamily::wishart, "wishart", matrix_is_proper, matrix_log_partition, matrix_mean,
     matrix_draw, matrix_mode, matrix_arguments},
    {MomentFamily::inv_wishart, "inv_wishart", matrix_is_proper, matrix_log_partition, matrix_mean,
     matrix_draw, matrix_mode, matrix_arguments},
    {MomentFamily::normal_gamma, "normal_gamma", scaled_is_proper, scaled_log_partition,
     scaled_mean, scaled_draw, scaled_mode, scaled_arguments},
    {MomentFamily::normal_wishart, "normal_wishart", joint_is_proper, joint_log_partition,
     joint_mean, joint_draw, joint_mode, joint_arguments},
    {MomentFamily::categorical, "categorical", category_is_proper, category_log_partition,
     category_mean, category_draw, category_mode, category_arguments},
};
}  // namespace

std::span<const FactorFamily> factor_families() { return kFactorFamilies; }

const FactorFamily& family_of(const MomentBlock& block) {
  const FactorFamily& row = kFactorFamilies[static_cast<std::size_t>(block.family)];
  CREDO_ASSERT(row.family == block.family, "rows are in the order of the families");
  return row;
}

double log_factor(Natural natural, const MomentBlock& block, std::span<const double> statistics) {
  return std::inner_product(natural.begin(), natural.end(), statistics.begin(), 0.0) -
         family_of(block).log_partition(natural, block);
}

}  // namespace credo::infer
