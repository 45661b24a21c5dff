// A covariance or precision matrix, alone or with the real numbers whose covariance is a multiple of it or of its inverse: inverse Wishart and Wishart
// distributions, normal given the matrix [gelman2013, sec. 3.6].
#include "dist/families/matrix_form.hpp"
#include "infer/conjugate/blocks.hpp"

namespace credo::infer::conjugate {
namespace {
using dist::matrix_form::RowMatrix;
constexpr double kLog2Pi = 1.8378770664093454836;

// Natural parameters of a matrix by columns.
struct MatrixFit {
  const dist::ExponentialFamily* family = nullptr;
  std::vector<double> natural;
  bool is_linear = false, is_proper = false;

  bool is_covariance() const { return family->name == "inv_wishart"; }
  std::vector<double> args() const { return family->to_args(natural, {}); }
  double log_density(std::span<const double> x) const {
    return dist::log_density(*family, x, natural, {});
  }
};

// About the middle of the distribution: S / (nu + n + 1) or nu S.
std::vector<double> middle_of(const MatrixFit& fit) {
  const std::vector<double> args = fit.args();
  const double n = std::sqrt(static_cast<double>(args.size() - 1));
  std::vector<double> x(args.begin() + 1, args.end());
  for (double& value : x) value *= fit.is_covariance() ? 1.0 / (args[0] + n + 1.0) : args[0];
  return x;
}

class MatrixBlock final : public Block {
 public:
  // `factor`: that of the real numbers' precision.
  MatrixBlock(MatrixFit fit, std::vector<Index> matrix, Index num_values)
      : fit_(std::move(fit)), matrix_(std::move(matrix)), size_(num_values), side_(side()) {}
  void add_reals(std::vector<Index> reals, std::vector<double> mean, double factor) {
    reals_ = std::move(reals), mean_ = std::move(mean), factor_ = factor;
  }
  std::string_view family() const override {
    if (reals_.empty()) return fit_.family->name;
    return fit_.is_covariance() ? "normal_inv_wishart" : "normal_wishart";
  }
  BlockState state() const override {
    BlockState state{.kind = "matrix",
                     .places = reals_,
                     .mean = mean_,
                     .covariance = {},
                     .family = std::string(fit_.family->name),
                     .power = factor_,
                     .arguments = fit_.args()};
    state.places.insert(state.places.end(), matrix_.begin(), matrix_.end());
    return state;
  }
  double log_density(std::span<const double> values) const override {
    const std::vector<double> x = at_places(values, matrix_);
    double sum = fit_.log_density(x);
    if (reals_.empty()) return sum;
    const RowMatrix p = precision_of(x);
    double form = 0.0;
    for (Index i = 0; i < side_; ++i)
      for (Index j = 0; j < side_; ++j)
        form += p(i, j) * less_mean(values, i) * less_mean(values, j);
    const auto n = static_cast<double>(side_);
    return sum + 0.5 * (n * (std::log(factor_) - kLog2Pi) + dist::matrix_form::log_det(p) -
                        factor_ * form);
  }
  std::vector<Marginal> marginals() const override;
  void add_covariance(std::span<double> all) const override;
  void scatter(Rng& rng, double spread, std::span<double> values) const override;

 private:
  Index side() const {
    return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(matrix_.size()))));
  }
  double less_mean(std::span<const double> values, Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return values[static_cast<std::size_t>(reals_[k])] - mean_[k];
  }
  RowMatrix precision_of(std::span<const double> x) const {
    const RowMatrix square = dist::matrix_form::square_of(x);
    return fit_.is_covariance() ? dist::matrix_form::inverse(square) : square;
  }
  // nu - n + 1, and the scale matrix of the inverse Wishart distribution of the covariance.
  double freedom() const { return fit_.args()[0] - static_cast<double>(side_) + 1.0; }
  RowMatrix scale() const {
    const std::vector<double> args = fit_.args();
    const RowMatrix s = dist::matrix_form::square_of(std::span(args).subspan(1));
    return fit_.is_covariance() ? s : dist::matrix_form::inverse(s);
  }
  Marginal of_element(Index i, Index j, const dist::Moments& moments) const;

  MatrixFit fit_;
  std::vector<Index> matrix_, reals_ = {};
  std::vector<double> mean_ = {};
  double factor_ = 1.0;
  Index size_, side_;
};

// An element on the diagonal has a distribution of its own; one beside it that of the matrix.
Marginal MatrixBlock::of_element(Index i, Index j, const dist::Moments& moments) const {
  const std::vector<double> args = fit_.args();
  const auto k = static_cast<std::size_t>(j * side_ + i), count = matrix_.size();
  Marginal marginal{.place = matrix_[k],
                    .family = std::string(fit_.family->name),
                    .arguments = {{"nu", args[0]}},
                    .mean = moments.mean[k],
                    .sd = std::sqrt(moments.covariance[k * count + k])};
  if (i != j) return marginal;
  marginal.family = fit_.is_covariance() ? "inv_gamma" : "gamma";
  const double shape = 0.5 * (fit_.is_covariance() ? freedom() : args[0]), s = args[k + 1];
  marginal.arguments = {{"alpha", shape}, {"beta", fit_.is_covariance() ? 0.5 * s : 0.5 / s}};
  return marginal;
}

std::vector<Marginal> MatrixBlock::marginals() const {
  std::vector<Marginal> all;
  const RowMatrix s = scale();
  const double nu = freedom();
  for (std::size_t k = 0; k < reals_.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const double spread = std::sqrt(s(i, i) / (factor_ * nu));
    all.push_back({.place = reals_[k],
                   .family = "student_t",
                   .arguments = {{"nu", nu}, {"mu", mean_[k]}, {"sigma", spread}},
                   .mean = nu > 1.0 ? mean_[k] : kNaN,
                   .sd = nu > 2.0 ? spread * std::sqrt(nu / (nu - 2.0)) : kInfinity});
  }
  const dist::Moments moments = dist::moments(*dist::find(fit_.family->distribution),
                                              dist::shaped(*fit_.family, fit_.args()));
  for (Index j = 0; j < side_; ++j)
    for (Index i = 0; i < side_; ++i) all.push_back(of_element(i, j, moments));
  return all;
}

void MatrixBlock::add_covariance(std::span<double> all) const {
  const auto add = [&](Index a, Index b, double value) {
    all[static_cast<std::size_t>(a * size_ + b)] += value;
  };
  const dist::Moments moments = dist::moments(*dist::find(fit_.family->distribution),
                                              dist::shaped(*fit_.family, fit_.args()));
  for (std::size_t a = 0; a < matrix_.size(); ++a)
    for (std::size_t b = 0; b < matrix_.size(); ++b)
      add(matrix_[a], matrix_[b], moments.covariance[a * matrix_.size() + b]);
  const RowMatrix s = scale();
  const double rest = freedom() - 2.0;
  for (std::size_t a = 0; a < reals_.size(); ++a)
    for (std::size_t b = 0; b < reals_.size(); ++b)
      add(reals_[a], reals_[b],
          rest > 0.0 ? s(static_cast<Index>(a), static_cast<Index>(b)) / (factor_ * rest)
                     : kInfinity);
}

void MatrixBlock::scatter(Rng& rng, double spread, std::span<double> values) const {
  const double width = std::min(3.0, spread) / std::sqrt(std::max(10.0, fit_.args()[0]));
  const std::vector<double> x = near_matrix(middle_of(fit_), width, rng);
  for (std::size_t k = 0; k < matrix_.size(); ++k)
    values[static_cast<std::size_t>(matrix_[k])] = x[k];
  if (reals_.empty()) return;
  const RowMatrix root = numerics::lower_factor(dist::matrix_form::inverse(precision_of(x)));
  std::vector<double> z(reals_.size());
  for (double& one : z) one = spread * rng.normal() / std::sqrt(factor_);
  const std::vector<double> moved = numerics::times_factor(root, z);
  for (std::size_t k = 0; k < reals_.size(); ++k)
    values[static_cast<std::size_t>(reals_[k])] = mean_[k] + moved[k];
}

// ---- the fit

// Natural parameters from values of `f` at matrices near `centre`.
MatrixFit fit_near(const dist::ExponentialFamily& family, const std::vector<double>& centre,
                   const std::function<double(std::span<const double>)>& f) {
  Rng rng({.seed = 3});
  MatrixFit fit{.family = &family, .natural = {}};
  const std::size_t p = family.statistic(centre, {}).size(), points = 3 * p + 4;
  std::vector<double> columns(points * (p + 1), 1.0), b(points), sizes(p + 1, 0.0);
  double size = 0.0;
  for (std::size_t i = 0; i < points; ++i) {
    const std::vector<double> x = near_matrix(centre, 0.4, rng), t = family.statistic(x, {});
    for (std::size_t j = 0; j < p; ++j) columns[j * points + i] = t[j];
    b[i] = f(x);
    size = std::max(size, std::abs(b[i]));
  }
  for (std::size_t j = 0; j <= p; ++j) {
    for (std::size_t i = 0; i < points; ++i)
      sizes[j] = std::max(sizes[j], std::abs(columns[j * points + i]));
    for (std::size_t i = 0; i < points; ++i) columns[j * points + i] /= sizes[j];
  }
  fit.natural = least_squares(static_cast<Index>(points), static_cast<Index>(p + 1), columns, b);
  fit.is_linear = largest_residual(columns, fit.natural, b) <= 10.0 * rounding_of(size);
  fit.natural.pop_back();
  for (std::size_t j = 0; j < p; ++j) fit.natural[j] /= sizes[j];
  fit.is_proper = fit.is_linear && family.is_inside(fit.natural);
  return fit;
}

MatrixFit fit_matrix(std::string_view name, std::vector<double> centre,
                     const std::function<double(std::span<const double>)>& f) {
  MatrixFit fit;
  for (int round = 0; round < 2; ++round) {  // the second one near the middle of the posterior
    fit = fit_near(*dist::find_family(name), centre, f);
    if (!fit.is_proper) break;
    centre = middle_of(fit);
  }
  return fit;
}

Index matrix_of(const Meeting& meeting) {
  for (std::size_t k = 0; k < meeting.units.size(); ++k)
    if (meeting.unit(k).domain == Domain::covariance) return meeting.units[k];
  return -1;
}

bool is_matrix(const Meeting& meeting) {
  const Index reals = number_of(meeting, Domain::real);
  if (number_of(meeting, Domain::covariance) != 1 || reals + 1 != ssize(meeting.units))
    return false;
  const Unit& matrix = meeting.problem.units[static_cast<std::size_t>(matrix_of(meeting))];
  return reals == 0 || reals * reals == ssize(matrix.places);
}

// The factor c with precision = c P of the real numbers for this P; NaN if no factor fits.
double factor_of(const NormalFit& given, const RowMatrix& p) {
  const RowMatrix covariance{p.rows, p.cols, given.covariance()},
      inverse = dist::matrix_form::inverse(p);
  double product = 0.0, square = 0.0, gap = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < inverse.values.size(); ++k) {
    product += covariance.values[k] * inverse.values[k];
    square += inverse.values[k] * inverse.values[k];
  }
  const double share = product / square;
  for (std::size_t k = 0; k < inverse.values.size(); ++k) {
    gap = std::max(gap, std::abs(covariance.values[k] - share * inverse.values[k]));
    largest = std::max(largest, std::abs(covariance.values[k]));
  }
  return gap <= 1e-7 * largest ? 1.0 / share : kNaN;
}

Fitted fit_matrix_block(const Meeting& meeting) {
  const Unit& unit = meeting.problem.units[static_cast<std::size_t>(matrix_of(meeting))];
  const std::vector<Index> reals = real_places(meeting);
  Rng rng({.seed = 13});
  Centre centre = meeting.centre;
  shuffle(unit, meeting.centre, rng, centre.values);  // no multiple of the identity
  const std::vector<double> there = at_places(centre.values, unit.places);
  NormalFit given;
  if (!reals.empty()) given = fit_reals({meeting.problem, centre, meeting.units}, reals);
  Fitted fitted{.block = nullptr, .is_improper = !reals.empty() && !given.is_proper};
  if (fitted.is_improper) return fitted;
  std::vector<double> values = centre.values;
  for (std::size_t k = 0; k < reals.size(); ++k)
    values[static_cast<std::size_t>(reals[k])] = given.mean[k];
  for (const std::string_view family : {"inv_wishart", "wishart"}) {
    const double sign =
        family == "wishart" ? 1.0 : -1.0;  // sign of the log determinant in the normal's precision
    const RowMatrix x = dist::matrix_form::square_of(there);
    const double factor =
        reals.empty() ? 1.0 : factor_of(given, sign > 0.0 ? x : dist::matrix_form::inverse(x));
    if (std::isnan(factor)) continue;
    MatrixFit fit = fit_matrix(family, there, [&](std::span<const double> at) {
      for (std::size_t k = 0; k < at.size(); ++k)
        values[static_cast<std::size_t>(unit.places[k])] = at[k];
      const double f = meeting.problem.log_density(values);
      return reals.empty()
                 ? f
                 : f - 0.5 * sign * dist::matrix_form::log_det(dist::matrix_form::square_of(at));
    });
    fitted.is_improper = fitted.is_improper || (fit.is_linear && !fit.is_proper);
    if (!fit.is_proper) continue;
    auto block =
        std::make_unique<MatrixBlock>(std::move(fit), unit.places, meeting.problem.num_values);
    if (!reals.empty()) block->add_reals(reals, given.mean, factor);
    fitted.block = std::move(block);
    break;
  }
  return fitted;
}
}  // namespace

std::vector<double> near_matrix(std::vector<double> matrix, double width, Rng& rng) {
  const RowMatrix root = numerics::lower_factor(dist::matrix_form::square_of(matrix));
  RowMatrix b(root.rows);
  for (Index i = 0; i < b.rows; ++i)
    for (Index j = 0; j <= i; ++j) {
      const double by = width * rng.normal();
      b(i, j) = i == j ? std::exp(by) : by;
    }
  const RowMatrix lower = numerics::multiply(root, b);
  for (Index i = 0; i < b.rows; ++i)
    for (Index j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (Index k = 0; k <= j; ++k) sum += lower(i, k) * lower(j, k);
      matrix[static_cast<std::size_t>(j * b.rows + i)] =
          matrix[static_cast<std::size_t>(i * b.rows + j)] = sum;
    }
  return matrix;
}

std::unique_ptr<Block> matrix_of_state(const BlockState& state, Index num_values) {
  MatrixFit fit{.family = dist::find_family(state.family), .natural = {}};
  const std::size_t reals = state.mean.size();
  const auto begin = static_cast<std::ptrdiff_t>(reals);
  if (fit.family == nullptr || fit.family->shapes.size() != 2 || state.places.size() < reals ||
      state.arguments.size() != state.places.size() - reals + 1)
    return nullptr;
  fit.natural = fit.family->to_natural(state.arguments);
  if (!fit.family->is_inside(fit.natural) || !(state.power > 0.0)) return nullptr;
  auto block = std::make_unique<MatrixBlock>(
      std::move(fit), std::vector<Index>(state.places.begin() + begin, state.places.end()),
      num_values);
  if (reals > 0)
    block->add_reals({state.places.begin(), state.places.begin() + begin}, state.mean, state.power);
  return block;
}

extern const BlockKind matrix_block{"matrix", is_matrix, fit_matrix_block};

}  // namespace credo::infer::conjugate
