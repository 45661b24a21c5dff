#include "models/gp/outcomes/svgp_bound.hpp"

#include "models/gp/gp_solver_table.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
using Numbers = std::vector<double>;
constexpr Index kRowsOfPiece = 128, kBehind = 32;  // kernels read a vector past the end

Numbers room(Index size) { return Numbers(static_cast<std::size_t>(size + kBehind)); }

// out = A B for column-major A (rows x inner) and B as an operand.
void product(Index rows, Index inner, Index cols, const double* a, const numerics::LaneOperand& b,
             double* out) {
  const numerics::ProductSizes sizes{rows, inner, cols};
  Numbers scratch = room(numerics::multiply_scratch(sizes));
  numerics::multiply(1, sizes, {a, 1, rows}, b, out, scratch.data());
}
// L^-1 B or L'^-1 B in place.
void solve_columns_in_place(const TiledFactor& l, Index cols, bool transposed, Numbers& b) {
  const Index m = l.size();
  Numbers out = room(m * cols), scratch = room(numerics::solve_lower_scratch(m, cols));
  numerics::solve_lower(1, {m, cols, transposed}, {l.at(0, 0), 1, m}, {b.data(), 1, m}, out.data(),
                        scratch.data());
  std::copy_n(out.data(), m * cols, b.data());
}
}  // namespace

// Sums over the rows of a piece.
struct SvgpBound::Piece {
  double value = 0.0;
  Numbers precision, shift;  // size x size, size
  Numbers slopes, product;   // by parameters; (slopes of a) a', m x m
  InputColumns input_slopes;
  Covariance::Work work;
};

SvgpBound::SvgpBound(const GpProblem& problem, const GpOutcome& outcome,
                     const InputColumns& columns)
    : problem_(problem),
      outcome_(outcome),
      columns_(columns),
      mean_(problem.mean_columns, outcome.has_intercept, outcome.scale),
      h_(mean_.scaled(problem.mean_columns)),
      team_(problem.num_threads) {}

bool SvgpBound::set_place(std::span<const double> theta, const InputColumns& z) {
  const Covariance& covariance = problem_.covariance;
  const CovariancePoints points = covariance.points(z);
  auto factor = std::make_unique<TiledFactor>(points.count, team_);
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team_.size()));
  team_.for_each(points.count, [&](Index j, Index member) {
    for (Index i = j; i < points.count; i += Covariance::kMostAtOnce)
      covariance.values(covariance.root(), theta, points, j, points, i,
                        std::min(Covariance::kMostAtOnce, points.count - i), factor->at(i, j),
                        work[static_cast<std::size_t>(member)]);
  });
  double sum = 0.0;
  for (Index k = 0; k < points.count; ++k) sum += *factor->at(k, k);
  for (Index k = 0; k < points.count; ++k)
    *factor->at(k, k) += kInducingJitter * sum / static_cast<double>(points.count);
  if (!factor->factor()) return false;
  const bool is_first = l_ == nullptr;
  l_ = std::move(factor), z_ = points, m_ = points.count;
  theta_.assign(theta.begin(), theta.end());
  if (!is_first) return true;
  // concentrated: under the prior E exp(f) may be huge
  constexpr double kFirstPrecision = 100.0;
  DenseMatrix first(size());
  for (Index k = 0; k < size(); ++k) first(k, k) = kFirstPrecision;
  return set_q(first, Numbers(static_cast<std::size_t>(size()), 0.0));
}

bool SvgpBound::set_q(const DenseMatrix& precision, Numbers shift) {
  const Index n = size();
  TiledFactor factor(n, team_);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) *factor.at(i, j) = precision(i, j);
  if (!factor.factor()) return false;
  const double log_determinant = factor.log_determinant();
  Numbers mean = shift;
  factor.solve(mean), factor.solve_transposed(mean);
  factor.invert();
  DenseMatrix covariance(n);
  double trace = 0.0, square = 0.0;
  for (Index j = 0; j < n; ++j) {
    trace += *factor.at(j, j);
    square += mean[static_cast<std::size_t>(j)] * mean[static_cast<std::size_t>(j)];
    for (Index i = j; i < n; ++i) covariance(i, j) = covariance(j, i) = *factor.at(i, j);
  }
  const double divergence = 0.5 * (trace + square - static_cast<double>(n) + log_determinant);
  if (!std::isfinite(divergence)) return false;
  divergence_ = divergence;
  precision_ = precision, shift_ = std::move(shift);
  covariance_ = std::move(covariance), m_of_q_ = std::move(mean);
  covariance_.values.resize(covariance_.values.size() + static_cast<std::size_t>(kBehind));
  return true;
}

SvgpSums SvgpBound::sums(std::span<const Index> rows, double scale, Slopes slopes) const {
  const Index n = size(), num = ssize(rows), count = (num + kRowsOfPiece - 1) / kRowsOfPiece;
  const Index at_once = std::max<Index>(16, 2 * team_.size());
  SvgpSums made{.value = 0.0, .precision = DenseMatrix(n)};
  made.shift.assign(static_cast<std::size_t>(n), 0.0);
  Numbers product_sum(static_cast<std::size_t>(m_ * m_), 0.0);
  if (slopes != Slopes::none) made.slopes.assign(theta_.size(), 0.0);
  if (slopes == Slopes::parameters_and_inputs)
    made.input_slopes.assign(columns_.size(), Numbers(static_cast<std::size_t>(m_), 0.0));
  const auto add = [scale](Numbers& to, const Numbers& from) {
    for (std::size_t k = 0; k < std::min(to.size(), from.size()); ++k) to[k] += scale * from[k];
  };
  // some pieces at a time, whose sums are added in their order
  for (Index first = 0; first < count; first += at_once) {
    std::vector<Piece> pieces(static_cast<std::size_t>(std::min(at_once, count - first)));
    team_.for_each(ssize(pieces), [&](Index k, Index) {
      const Index from = (first + k) * kRowsOfPiece;
      add_piece(rows.subspan(static_cast<std::size_t>(from),
                             static_cast<std::size_t>(std::min(kRowsOfPiece, num - from))),
                slopes, pieces[static_cast<std::size_t>(k)]);
    });
    for (const Piece& piece : pieces) {
      made.value += scale * piece.value;
      add(made.precision.values, piece.precision), add(made.shift, piece.shift);
      add(made.slopes, piece.slopes), add(product_sum, piece.product);
      for (std::size_t c = 0; c < made.input_slopes.size(); ++c)
        add(made.input_slopes[c], piece.input_slopes[c]);
    }
  }
  if (slopes != Slopes::none) add_factor_slopes(product_sum, slopes, made);
  return made;
}

void SvgpBound::add_piece(std::span<const Index> rows, Slopes slopes, Piece& piece) const {
  const Covariance& covariance = problem_.covariance;
  const Index n = size(), num = ssize(rows);
  const double* phi = outcome_.phi(theta_);
  Numbers kernel = room(m_ * num), a = room(n * num), sa = room(n * num);
  for (Index i = 0; i < num; ++i)
    for (Index first = 0; first < m_; first += Covariance::kMostAtOnce)
      covariance.values(covariance.root(), theta_, problem_.x, rows[static_cast<std::size_t>(i)],
                        z_, first, std::min(Covariance::kMostAtOnce, m_ - first),
                        kernel.data() + i * m_ + first, piece.work);
  solve_columns_in_place(*l_, num, false, kernel);
  for (Index i = 0; i < num; ++i) {
    std::copy_n(kernel.data() + i * m_, m_, a.data() + i * n);
    for (Index c = m_; c < n; ++c)
      a[static_cast<std::size_t>(i * n + c)] = h_(rows[static_cast<std::size_t>(i)], c - m_);
  }
  product(n, n, num, covariance_.values.data(), {a.data(), 1, n}, sa.data());
  piece.shift.assign(static_cast<std::size_t>(n), 0.0);
  if (slopes != Slopes::none) piece.slopes.assign(theta_.size(), 0.0);
  Numbers weighted = room(n * num), slope_of_a = room(m_ * num);
  for (Index i = 0; i < num; ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    const double *own = a.data() + i * n, *moved = sa.data() + i * n;
    double mean = 0.0,
           variance = covariance.variance(covariance.root(), theta_, problem_.x, row, piece.work);
    for (Index k = 0; k < n; ++k) {
      mean += own[k] * m_of_q_[static_cast<std::size_t>(k)];
      variance += own[k] * (moved[k] - (k < m_ ? own[k] : 0.0));
    }
    variance = std::max(variance, 0.0);
    const OutcomeSite& site = outcome_.sites[static_cast<std::size_t>(row)];
    const auto at = expected_log_likelihood(*outcome_.family, site, phi, mean, variance);
    piece.value += at.value;
    const double right = at.slope - at.curvature * mean;
    for (Index k = 0; k < n; ++k) {
      weighted[static_cast<std::size_t>(i * n + k)] = -at.curvature * own[k];
      piece.shift[static_cast<std::size_t>(k)] += right * own[k];
    }
    if (slopes == Slopes::none) continue;
    for (Index k = 0; k < m_; ++k)
      slope_of_a[static_cast<std::size_t>(i * m_ + k)] =
          at.slope * m_of_q_[static_cast<std::size_t>(k)] + at.curvature * (moved[k] - own[k]);
    add_own_slopes(row, mean, variance, 0.5 * at.curvature, piece);
  }
  piece.precision = room(n * n);
  product(n, num, n, weighted.data(), {a.data(), n, 1}, piece.precision.data());
  if (slopes == Slopes::none) return;
  piece.product = room(m_ * m_);
  product(m_, num, m_, slope_of_a.data(), {kernel.data(), m_, 1}, piece.product.data());
  add_cross_slopes(rows, slopes, std::move(slope_of_a), piece);
}

// Slopes through k(x, x), with the weight `half`, and by the family's parameters.
void SvgpBound::add_own_slopes(Index row, double mean, double variance, double half,
                               Piece& piece) const {
  problem_.covariance.add_slopes(theta_, problem_.x, row, problem_.x, row, 1, &half,
                                 piece.slopes.data(), piece.work);
  const std::size_t num = outcome_.family->parameters.size();
  if (num == 0) return;
  const auto by_family =
      expected_parameter_slopes(*outcome_.family, outcome_.sites[static_cast<std::size_t>(row)],
                                outcome_.phi(theta_), mean, variance);
  for (std::size_t p = 0; p < num; ++p)
    piece.slopes[static_cast<std::size_t>(outcome_.first_parameter) + p] += by_family[p];
}

// Slopes through k(Z, x).
void SvgpBound::add_cross_slopes(std::span<const Index> rows, Slopes slopes, Numbers slope_of_a,
                                 Piece& piece) const {
  const Covariance& covariance = problem_.covariance;
  const Index num = ssize(rows);
  solve_columns_in_place(*l_, num, true, slope_of_a);
  for (Index i = 0; i < num; ++i)
    for (Index first = 0; first < m_; first += Covariance::kMostAtOnce)
      covariance.add_slopes(theta_, problem_.x, rows[static_cast<std::size_t>(i)], z_, first,
                            std::min(Covariance::kMostAtOnce, m_ - first),
                            slope_of_a.data() + i * m_ + first, piece.slopes.data(), piece.work);
  if (slopes == Slopes::parameters_and_inputs) add_input_slopes(rows, slope_of_a, piece);
}

void SvgpBound::add_input_slopes(std::span<const Index> rows, const Numbers& weights,
                                 Piece& piece) const {
  const Covariance& covariance = problem_.covariance;
  piece.input_slopes.assign(columns_.size(), Numbers(static_cast<std::size_t>(m_), 0.0));
  for (std::size_t c = 0; c < columns_.size(); ++c)
    for (Index i = 0; i < ssize(rows); ++i)
      for (Index k = 0; k < m_; ++k)
        piece.input_slopes[c][static_cast<std::size_t>(k)] +=
            weights[static_cast<std::size_t>(i * m_ + k)] *
            covariance.by_input(covariance.root(), theta_, z_, k, problem_.x,
                                rows[static_cast<std::size_t>(i)], static_cast<Index>(c))[1];
}

// With P the lower triangle of -(slopes of a) a', its diagonal halved: slopes of K_zz are the symmetric part of L'^-1 P L^-1 [murray2016].
void SvgpBound::add_factor_slopes(const Numbers& product_sum, Slopes slopes, SvgpSums& made) const {
  const Covariance& covariance = problem_.covariance;
  Numbers p = room(m_ * m_), turned = room(m_ * m_);
  for (Index j = 0; j < m_; ++j)
    for (Index i = j; i < m_; ++i)
      p[static_cast<std::size_t>(i + j * m_)] =
          -(i == j ? 0.5 : 1.0) * product_sum[static_cast<std::size_t>(i + j * m_)];
  solve_columns_in_place(*l_, m_, true, p);
  for (Index j = 0; j < m_; ++j)
    for (Index i = 0; i < m_; ++i)
      turned[static_cast<std::size_t>(j + i * m_)] = p[static_cast<std::size_t>(i + j * m_)];
  solve_columns_in_place(*l_, m_, true, turned);
  const auto weight = [&](Index i, Index j) {
    return 0.5 * (turned[static_cast<std::size_t>(i + j * m_)] +
                  turned[static_cast<std::size_t>(j + i * m_)]);
  };
  double trace = 0.0;
  for (Index k = 0; k < m_; ++k) trace += weight(k, k);
  const double jitter = kInducingJitter / static_cast<double>(m_) * trace;
  Covariance::Work work;
  Numbers weights(static_cast<std::size_t>(m_));
  for (Index j = 0; j < m_; ++j) {
    for (Index i = j; i < m_; ++i)
      weights[static_cast<std::size_t>(i)] = i == j ? weight(i, i) + jitter : 2.0 * weight(i, j);
    for (Index first = j; first < m_; first += Covariance::kMostAtOnce)
      covariance.add_slopes(theta_, z_, j, z_, first, std::min(Covariance::kMostAtOnce, m_ - first),
                            weights.data() + first, made.slopes.data(), work);
  }
  if (slopes != Slopes::parameters_and_inputs) return;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    team_.for_each(m_, [&](Index k, Index) {
      double sum = 0.0;
      for (Index j = 0; j < m_; ++j)
        sum +=
            2.0 * (weight(k, j) + (j == k ? jitter : 0.0)) *
            covariance.by_input(covariance.root(), theta_, z_, k, z_, j, static_cast<Index>(c))[1];
      made.input_slopes[c][static_cast<std::size_t>(k)] += sum;
    });
}

// Predictions of q at one place.
class SvgpPosterior final : public GpPosterior {
 public:
  explicit SvgpPosterior(const SvgpBound& bound) : b_(bound) {
    const Index q = b_.mean_.size();
    DenseMatrix covariance(q);
    Numbers mean;
    for (Index c = 0; c < q; ++c) {
      mean.push_back(b_.m_of_q_[static_cast<std::size_t>(b_.m_ + c)]);
      for (Index d = 0; d < q; ++d) covariance(c, d) = b_.covariance_(b_.m_ + c, b_.m_ + d);
    }
    coefficients_ = b_.mean_.coefficients(mean, covariance);
  }

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    constexpr Index kPointsAtOnce = 512;
    const DenseMatrix own = h == nullptr ? DenseMatrix() : b_.mean_.scaled(*h);
    GpMoments made;
    Covariance::Work work;
    for (Index first = 0; first < at.count; first += kPointsAtOnce) {
      const Index count = std::min(kPointsAtOnce, at.count - first);
      const Loads loads = loads_at(node, at, first, count, h == nullptr ? nullptr : &own, -1);
      for (Index j = 0; j < count; ++j) {
        made.mean.push_back(mean_of(loads, j));
        made.variance.push_back(std::max(
            0.0, joint(loads, j, j,
                       b_.problem_.covariance.variance(node, b_.theta_, at, first + j, work))));
      }
    }
    return made;
  }
  DenseMatrix covariance(const CovariancePoints& at, const DenseMatrix* h) const override {
    const KernelNode& root = b_.problem_.covariance.root();
    const DenseMatrix own = h == nullptr ? DenseMatrix() : b_.mean_.scaled(*h);
    const Loads loads = loads_at(root, at, 0, at.count, h == nullptr ? nullptr : &own, -1);
    DenseMatrix made(at.count);
    Covariance::Work work;
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double k = 0.0;
        b_.problem_.covariance.values(root, b_.theta_, at, i, at, j, 1, &k, work);
        made(i, j) = made(j, i) = joint(loads, i, j, k);
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const DenseMatrix* h) const override {
    const Covariance& covariance = b_.problem_.covariance;
    DenseMatrix own;
    if (h != nullptr) own = b_.mean_.scaled(*h) - b_.mean_.scaled(DenseMatrix(h->rows, h->cols));
    const Loads loads =
        loads_at(covariance.root(), at, 0, at.count, h == nullptr ? nullptr : &own, column);
    GpMoments made;
    for (Index j = 0; j < at.count; ++j) {
      made.mean.push_back(mean_of(loads, j));
      made.variance.push_back(std::max(
          0.0, joint(loads, j, j,
                     covariance.by_input(covariance.root(), b_.theta_, at, j, at, j, column)[3])));
    }
    return made;
  }
  std::vector<std::vector<double>> outcomes(const CovariancePoints& at,
                                            const DenseMatrix* h) const override {
    if (b_.outcome_.family->is_normal) return {};
    const GpMoments f = moments(b_.problem_.covariance.root(), at, h);
    return {outcome_means(b_.outcome_, f)};
  }
  std::vector<double> coefficients() const override { return coefficients_.mean; }
  std::vector<double> coefficient_sds() const override { return sds_of(coefficients_); }
  std::span<const double> weights() const override { return b_.m_of_q_; }

 private:
  struct Loads {
    Index count = 0;
    Numbers a = {}, sa = {};  // size x count
  };
  // a(x), or its derivative by an input.
  Loads loads_at(const KernelNode& node, const CovariancePoints& at, Index first, Index count,
                 const DenseMatrix* h, Index column) const {
    const Index m = b_.m_, n = b_.size();
    Numbers kernel = room(m * count);
    Covariance::Work work;
    const Covariance& covariance = b_.problem_.covariance;
    for (Index j = 0; j < count; ++j)
      for (Index k = 0; k < m; k += Covariance::kMostAtOnce) {
        const Index num = std::min(Covariance::kMostAtOnce, m - k);
        if (column < 0)
          covariance.values(node, b_.theta_, at, first + j, b_.z_, k, num,
                            kernel.data() + j * m + k, work);
        for (Index r = 0; column >= 0 && r < num; ++r)
          kernel[static_cast<std::size_t>(j * m + k + r)] =
              covariance.by_input(node, b_.theta_, at, first + j, b_.z_, k + r, column)[1];
      }
    solve_columns_in_place(*b_.l_, count, false, kernel);
    Loads made{.count = count, .a = room(n * count), .sa = room(n * count)};
    for (Index j = 0; j < count; ++j) {
      std::copy_n(kernel.data() + j * m, m, made.a.data() + j * n);
      for (Index c = m; c < n && h != nullptr; ++c)
        made.a[static_cast<std::size_t>(j * n + c)] = (*h)(first + j, c - m);
    }
    product(n, n, count, b_.covariance_.values.data(), {made.a.data(), 1, n}, made.sa.data());
    return made;
  }
  double mean_of(const Loads& loads, Index j) const {
    const double* a = loads.a.data() + j * b_.size();
    return std::inner_product(a, a + b_.size(), b_.m_of_q_.begin(), 0.0);
  }
  double joint(const Loads& loads, Index i, Index j, double prior) const {
    const Index n = b_.size();
    const double *a = loads.a.data() + i * n, *b = loads.a.data() + j * n,
                 *sb = loads.sa.data() + j * n;
    for (Index k = 0; k < n; ++k) prior += a[k] * (sb[k] - (k < b_.m_ ? b[k] : 0.0));
    return prior;
  }

  const SvgpBound& b_;
  GpMoments coefficients_;
};

std::unique_ptr<GpPosterior> SvgpBound::posterior() const {
  return std::make_unique<SvgpPosterior>(*this);
}

}  // namespace credo::models
