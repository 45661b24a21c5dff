// Gaussian processes by the values u at M inducing points Z [quinonero2005; snelson2006; titsias2009].
//
//   Q = K_xz K_zz^-1 K_zx = V'V,  V = L^-1 K_zx,  L L' = K_zz;   y ~ N(H beta, S),  S = Q + D
//   sor, dtc  D = sigma²;   fitc  D = diag(K - Q) + sigma²;   sgpr  D = sigma², and the bound has - tr(K - Q) / (2 sigma²)
//
// With B = 1 + V D^-1 V':  V S^-1 = B^-1 V D^-1,  log det S = log det B + log det D. Time N M², memory 3 N M.
#include <fmt/format.h>

#include "base/error.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/tiled_factor.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
constexpr Index kPadding = 32, kAtOnce = 64;

// Column-major, with room for kernels that read a vector past the end.
struct WideMatrix {
  Index rows, cols;
  std::vector<double> values;
  WideMatrix(Index rows_, Index cols_)
      : rows(rows_), cols(cols_), values(static_cast<std::size_t>(rows_ * cols_ + kPadding)) {}
  double* column(Index j) { return values.data() + j * rows; }
  const double* column(Index j) const { return values.data() + j * rows; }
};

// A = L^-1 A, or L'^-1 A.
void solve_in_place(WorkerTeam& team, const TiledFactor& l, WideMatrix& a, bool transposed) {
  const Index m = a.rows;
  team.for_each((a.cols + kAtOnce - 1) / kAtOnce, [&](Index piece, Index) {
    const Index first = piece * kAtOnce, count = std::min(kAtOnce, a.cols - first);
    std::vector<double> out(static_cast<std::size_t>(m * count + kPadding)),
        scratch(static_cast<std::size_t>(numerics::solve_lower_scratch(m, count) + kPadding));
    numerics::solve_lower(1, {m, count, transposed}, {l.at(0, 0), 1, m}, {a.column(first), 1, m},
                          out.data(), scratch.data());
    std::copy_n(out.data(), m * count, a.column(first));
  });
}
// The lower triangle of A diag(w) B', tile by tile.
void weighted_product(WorkerTeam& team, const WideMatrix& a, const WideMatrix& b, TiledFactor& to) {
  const Index num = to.num_tiles(), m = a.rows;
  team.for_each(num * (num + 1) / 2, [&](Index piece, Index) {
    Index j = 0;
    while (piece >= num - j) piece -= num - j, ++j;
    const Index i = j + piece;
    const numerics::ProductSizes sizes{to.count(i), a.cols, to.count(j)};
    std::vector<double> out(static_cast<std::size_t>(sizes.rows * sizes.cols + kPadding)),
        scratch(static_cast<std::size_t>(numerics::multiply_scratch(sizes) + kPadding));
    numerics::multiply(1, sizes, {a.values.data() + to.first(i), 1, m},
                       {b.values.data() + to.first(j), m, 1}, out.data(), scratch.data());
    for (Index c = 0; c < sizes.cols; ++c)
      std::copy_n(out.data() + c * sizes.rows, sizes.rows, to.at(to.first(i), to.first(j) + c));
  });
}

// Everything that evidence, derivatives and predictions need at one theta.
struct LowRankState {
  Index m = 0, n = 0, q = 0;
  std::unique_ptr<TiledFactor> l = {}, b = {};        // factors of K_zz and of B
  WideMatrix v{0, 0};                                 // V, M x N
  std::vector<double> d = {}, prior = {}, rest = {};  // D; k(x, x); k(x, x) - q(x, x)
  WideMatrix solved{0, 0};                            // S^-1 (y, H), N x (1 + q)
  WideMatrix coefficients{0, 0};                      // B^-1 V D^-1 (y, H), M x (1 + q)
  GpMean mean = {};
  double log_determinant = 0.0, trace = 0.0;
  bool failed = false;
};

class LowRankSolver final : public InducingSolver {
 public:
  LowRankSolver(const GpProblem& p, LowRank kind, const std::vector<Index>& inducing)
      : p_(p), kind_(kind), z_(points_of_rows(p.covariance, p.x, inducing)), team_(p.num_threads) {}

  GpEvidence evidence(std::span<const double> theta, bool with_slopes) override {
    LowRankState s = state(theta);
    if (s.failed || !s.mean.is_defined) return {};
    GpEvidence made{.value = gp_log_evidence(s.log_determinant, s.mean, s.n)};
    if (kind_ == LowRank::sgpr) made.value -= 0.5 * s.trace / p_.noise_variance(theta);
    if (with_slopes) made.slopes = slopes(theta, s);
    return made;
  }
  std::unique_ptr<GpPosterior> posterior(std::span<const double> theta) override;
  void place_points(std::span<const std::vector<double>> columns) override {
    z_ = p_.covariance.points(columns);
  }
  GpEvidence evidence_by_points(std::span<const double> theta, DenseMatrix& by_points) override {
    LowRankState s = state(theta);
    if (s.failed || !s.mean.is_defined) return {};
    GpEvidence made{.value = gp_log_evidence(s.log_determinant, s.mean, s.n)};
    if (kind_ == LowRank::sgpr) made.value -= 0.5 * s.trace / p_.noise_variance(theta);
    made.slopes = slopes(theta, s, &by_points);
    return made;
  }

  LowRankState state(std::span<const double> theta) {
    LowRankState s{.m = z_.count, .n = p_.num_rows(), .q = p_.mean_columns.cols};
    fill(theta, s);
    if (!s.l->factor()) {
      s.failed = true;
      return s;
    }
    solve_in_place(team_, *s.l, s.v, false);
    const double noise = p_.noise_variance(theta);
    s.d.assign(static_cast<std::size_t>(s.n), noise);
    for (Index i = 0; i < s.n; ++i) {
      double q = 0.0;
      for (Index k = 0; k < s.m; ++k) q += s.v.column(i)[k] * s.v.column(i)[k];
      const double rest = std::max(0.0, s.prior[static_cast<std::size_t>(i)] - q);
      s.rest.push_back(rest), s.trace += rest;
      if (kind_ == LowRank::fitc) s.d[static_cast<std::size_t>(i)] += rest;
    }
    for (const double d : s.d)
      if (!(d > 0.0)) s.failed = true;
    if (s.failed) return s;
    factor_b(s);
    if (!s.failed) solve_outcomes(s);
    return s;
  }

 private:
  friend class LowRankPosterior;

  void fill(std::span<const double> theta, LowRankState& s) {
    const KernelNode& root = p_.covariance.root();
    s.l = std::make_unique<TiledFactor>(s.m, team_);
    s.v = WideMatrix(s.m, s.n);
    s.prior.resize(static_cast<std::size_t>(s.n));
    std::vector<Covariance::Work> work(static_cast<std::size_t>(team_.size()));
    team_.for_each(s.n + s.m, [&](Index piece, Index member) {
      Covariance::Work& own = work[static_cast<std::size_t>(member)];
      const bool is_row = piece < s.n;
      const Index i = is_row ? piece : piece - s.n;
      for (Index first = is_row ? 0 : i; first < s.m; first += Covariance::kMostAtOnce)
        p_.covariance.values(root, theta, is_row ? p_.x : z_, i, z_, first,
                             std::min(Covariance::kMostAtOnce, s.m - first),
                             is_row ? s.v.column(i) + first : s.l->at(first, i), own);
      if (is_row)
        s.prior[static_cast<std::size_t>(i)] = p_.covariance.variance(root, theta, p_.x, i, own);
    });
    double sum = 0.0;
    for (Index k = 0; k < s.m; ++k) sum += *s.l->at(k, k);
    for (Index k = 0; k < s.m; ++k)
      *s.l->at(k, k) += kInducingJitter * sum / static_cast<double>(s.m);
  }
  // B = 1 + V D^-1 V'
  void factor_b(LowRankState& s) {
    WideMatrix scaled(s.m, s.n);
    for (Index i = 0; i < s.n; ++i)
      for (Index k = 0; k < s.m; ++k)
        scaled.column(i)[k] = s.v.column(i)[k] / s.d[static_cast<std::size_t>(i)];
    s.b = std::make_unique<TiledFactor>(s.m, team_);
    weighted_product(team_, scaled, s.v, *s.b);
    for (Index k = 0; k < s.m; ++k) *s.b->at(k, k) += 1.0;
    if (!s.b->factor())
      s.failed = true;
    else
      s.log_determinant = s.b->log_determinant();
    for (const double d : s.d) s.log_determinant += std::log(d);
  }
  double right(Index c, Index i) const {
    return c == 0 ? p_.y[static_cast<std::size_t>(i)] : p_.mean_columns(i, c - 1);
  }
  void solve_outcomes(LowRankState& s) {
    s.coefficients = WideMatrix(s.m, 1 + s.q);
    s.solved = WideMatrix(s.n, 1 + s.q);
    for (Index c = 0; c <= s.q; ++c) {
      double* u = s.coefficients.column(c);
      for (Index i = 0; i < s.n; ++i) {
        const double scaled = right(c, i) / s.d[static_cast<std::size_t>(i)];
        for (Index k = 0; k < s.m; ++k) u[k] += s.v.column(i)[k] * scaled;
      }
      s.b->solve({u, static_cast<std::size_t>(s.m)});
      s.b->solve_transposed({u, static_cast<std::size_t>(s.m)});
      for (Index i = 0; i < s.n; ++i) {
        double fitted = 0.0;
        for (Index k = 0; k < s.m; ++k) fitted += s.v.column(i)[k] * u[k];
        s.solved.column(c)[i] = (right(c, i) - fitted) / s.d[static_cast<std::size_t>(i)];
      }
    }
    DenseMatrix cross(s.q, s.q);
    std::vector<double> beside(static_cast<std::size_t>(s.q), 0.0);
    double square = 0.0;
    for (Index i = 0; i < s.n; ++i) {
      square += right(0, i) * s.solved.column(0)[i];
      for (Index a = 0; a < s.q; ++a) {
        beside[static_cast<std::size_t>(a)] += right(1 + a, i) * s.solved.column(0)[i];
        for (Index b = 0; b < s.q; ++b) cross(a, b) += right(1 + a, i) * s.solved.column(1 + b)[i];
      }
    }
    s.mean = solve_mean(cross, beside, square);
  }

  std::vector<double> slopes(std::span<const double> theta, LowRankState& s,
                             DenseMatrix* by_points = nullptr);
  void add_point_slopes(std::span<const double> theta, const WideMatrix& e, TiledFactor& zz,
                        DenseMatrix& by_points);

  const GpProblem& p_;
  LowRank kind_;
  CovariancePoints z_;
  WorkerTeam team_;
};

// G = 1/2 (alpha alpha' - P), P = S^-1 - U U'. Weights of K_zx are 2 E, those of K_zz are -E C', with E = L'^-1 V (G + diag), C = L'^-1 V.
std::vector<double> LowRankSolver::slopes(std::span<const double> theta, LowRankState& s,
                                          DenseMatrix* by_points) {
  const Index m = s.m, n = s.n, q = s.q, num = p_.covariance.num_parameters();
  const double noise = p_.noise_variance(theta);
  std::vector<double> alpha(s.solved.column(0), s.solved.column(0) + n);
  DenseMatrix u(n, q);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < q; ++c) {
      alpha[static_cast<std::size_t>(i)] -=
          s.solved.column(1 + c)[i] * s.mean.beta[static_cast<std::size_t>(c)];
      double x = s.solved.column(1 + c)[i];
      for (Index b = 0; b < c; ++b) x -= u(i, b) * s.mean.factor(b, c);
      u(i, c) = x / s.mean.factor(c, c);
    }
  std::vector<double> va(static_cast<std::size_t>(m), 0.0);
  DenseMatrix vu(m, q);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < m; ++k) {
      va[static_cast<std::size_t>(k)] += s.v.column(i)[k] * alpha[static_cast<std::size_t>(i)];
      for (Index c = 0; c < q; ++c) vu(k, c) += s.v.column(i)[k] * u(i, c);
    }
  WideMatrix e = s.v;
  solve_in_place(team_, *s.b, e, false);
  std::vector<double> diagonal(static_cast<std::size_t>(n), 0.0);  // g
  for (Index i = 0; i < n; ++i) {
    const double d = s.d[static_cast<std::size_t>(i)], a = alpha[static_cast<std::size_t>(i)];
    double own = 1.0 / d;
    for (Index k = 0; k < m; ++k) own -= e.column(i)[k] * e.column(i)[k] / (d * d);
    for (Index c = 0; c < q; ++c) own -= u(i, c) * u(i, c);
    diagonal[static_cast<std::size_t>(i)] = 0.5 * (a * a - own);
  }
  solve_in_place(team_, *s.b, e, true);
  double noise_weight = 0.0;
  std::vector<double> prior_weight(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    const double d = s.d[static_cast<std::size_t>(i)], a = alpha[static_cast<std::size_t>(i)],
                 g = diagonal[static_cast<std::size_t>(i)];
    const double added = kind_ == LowRank::fitc ? -g : kind_ == LowRank::sgpr ? 0.5 / noise : 0.0;
    prior_weight[static_cast<std::size_t>(i)] = -added;
    noise_weight += g;
    for (Index k = 0; k < m; ++k) {
      double x = 0.5 * va[static_cast<std::size_t>(k)] * a - 0.5 * e.column(i)[k] / d +
                 s.v.column(i)[k] * added;
      for (Index c = 0; c < q; ++c) x += 0.5 * vu(k, c) * u(i, c);
      e.column(i)[k] = x;
    }
  }
  if (kind_ == LowRank::sgpr) noise_weight += 0.5 * s.trace / (noise * noise);
  solve_in_place(team_, *s.l, e, true);
  solve_in_place(team_, *s.l, s.v, true);
  TiledFactor zz(m, team_);
  weighted_product(team_, e, s.v, zz);
  if (by_points != nullptr) add_point_slopes(theta, e, zz, *by_points);
  double jitter = 0.0;
  for (Index k = 0; k < m; ++k) jitter -= kInducingJitter / static_cast<double>(m) * *zz.at(k, k);
  std::vector<double> total(static_cast<std::size_t>(num), 0.0);
  std::vector<std::vector<double>> parts(static_cast<std::size_t>((n + kAtOnce - 1) / kAtOnce + m),
                                         total);
  std::vector<Covariance::Work> work(static_cast<std::size_t>(team_.size()));
  const Index row_pieces = (n + kAtOnce - 1) / kAtOnce;
  team_.for_each(row_pieces + m, [&](Index piece, Index member) {
    double* to = parts[static_cast<std::size_t>(piece)].data();
    Covariance::Work& own = work[static_cast<std::size_t>(member)];
    std::array<double, Covariance::kMostAtOnce> weights;
    if (piece < row_pieces) {
      for (Index i = piece * kAtOnce; i < std::min(n, (piece + 1) * kAtOnce); ++i) {
        for (Index first = 0; first < m; first += Covariance::kMostAtOnce) {
          const Index count = std::min(Covariance::kMostAtOnce, m - first);
          for (Index k = 0; k < count; ++k)
            weights[static_cast<std::size_t>(k)] = 2.0 * e.column(i)[first + k];
          p_.covariance.add_slopes(theta, p_.x, i, z_, first, count, weights.data(), to, own);
        }
        if (const double w = prior_weight[static_cast<std::size_t>(i)]; w != 0.0)
          p_.covariance.add_slopes(theta, p_.x, i, p_.x, i, 1, &w, to, own);
      }
      return;
    }
    const Index j = piece - row_pieces;
    for (Index first = j; first < m; first += Covariance::kMostAtOnce) {
      const Index count = std::min(Covariance::kMostAtOnce, m - first);
      for (Index k = 0; k < count; ++k)
        weights[static_cast<std::size_t>(k)] =
            first + k == j ? -*zz.at(j, j) + jitter : -2.0 * *zz.at(first + k, j);
      p_.covariance.add_slopes(theta, z_, j, z_, first, count, weights.data(), to, own);
    }
  });
  for (const std::vector<double>& part : parts)
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
  total[static_cast<std::size_t>(p_.noise)] +=
      2.0 * theta[static_cast<std::size_t>(p_.noise)] * noise_weight;
  return total;
}

// Each point k is the second argument of k(x_i, z_k), with the weight 2 e_ki, and of k(z_j, z_k), with -2 zz_jk.
void LowRankSolver::add_point_slopes(std::span<const double> theta, const WideMatrix& e,
                                     TiledFactor& zz, DenseMatrix& by_points) {
  const KernelNode& root = p_.covariance.root();
  const Index m = z_.count, n = p_.num_rows();
  team_.for_each(m, [&](Index k, Index) {
    for (Index c = 0; c < by_points.cols; ++c) {
      double sum = 0.0;
      for (Index i = 0; i < n; ++i)
        sum += 2.0 * e.column(i)[k] * p_.covariance.by_input(root, theta, p_.x, i, z_, k, c)[2];
      for (Index j = 0; j < m; ++j)  // the variance of a point depends on it through both arguments
        sum -= 2.0 * *zz.at(std::max(j, k), std::min(j, k)) *
               p_.covariance.by_input(root, theta, z_, j, z_, k, c)[2];
      by_points(k, c) = sum;
    }
  });
}

class LowRankPosterior final : public GpPosterior {
 public:
  LowRankPosterior(LowRankSolver& solver, std::span<const double> theta, LowRankState s)
      : o_(solver), theta_(theta.begin(), theta.end()), s_(std::move(s)) {
    weights_.assign(s_.coefficients.column(0), s_.coefficients.column(0) + s_.m);
    for (Index c = 0; c < s_.q; ++c)
      for (Index k = 0; k < s_.m; ++k)
        weights_[static_cast<std::size_t>(k)] -=
            s_.coefficients.column(1 + c)[k] * s_.mean.beta[static_cast<std::size_t>(c)];
  }

  GpMoments moments(const KernelNode& node, const CovariancePoints& at,
                    const DenseMatrix* h) const override {
    GpMoments made;
    Covariance::Work work;
    for (Index first = 0; first < at.count; first += 1024) {
      Part part = part_of(node, at, first, std::min<Index>(1024, at.count - first), h, -1);
      for (Index j = 0; j < part.v.cols; ++j) {
        made.mean.push_back(part.mean[static_cast<std::size_t>(j)]);
        const double prior = o_.kind_ == LowRank::sor
                                 ? 0.0
                                 : o_.p_.covariance.variance(node, theta_, at, first + j, work);
        made.variance.push_back(variance(part, j, j, prior));
      }
    }
    return made;
  }
  DenseMatrix covariance(const CovariancePoints& at, const DenseMatrix* h) const override {
    const KernelNode& root = o_.p_.covariance.root();
    const Part part = part_of(root, at, 0, at.count, h, -1);
    DenseMatrix made(at.count);
    Covariance::Work work;
    for (Index i = 0; i < at.count; ++i)
      for (Index j = 0; j <= i; ++j) {
        double prior = 0.0;
        if (o_.kind_ != LowRank::sor)
          o_.p_.covariance.values(root, theta_, at, i, at, j, 1, &prior, work);
        made(i, j) = made(j, i) = joint(part, i, j, prior);
      }
    return made;
  }
  GpMoments derivative(const CovariancePoints& at, Index column,
                       const DenseMatrix* h) const override {
    const KernelNode& root = o_.p_.covariance.root();
    const Part part = part_of(root, at, 0, at.count, h, column);
    GpMoments made{.mean = part.mean, .variance = {}};
    for (Index j = 0; j < at.count; ++j)
      made.variance.push_back(
          variance(part, j, j,
                   o_.kind_ == LowRank::sor
                       ? 0.0
                       : o_.p_.covariance.by_input(root, theta_, at, j, at, j, column)[3]));
    return made;
  }
  std::vector<double> coefficients() const override { return s_.mean.beta; }
  std::vector<double> coefficient_sds() const override {
    std::vector<double> sds;
    if (s_.q == 0) return sds;
    const DenseMatrix inverse = numerics::inverse_of_upper(s_.mean.factor);
    for (Index i = 0; i < s_.q; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < s_.q; ++j) sum += inverse(i, j) * inverse(i, j);
      sds.push_back(std::sqrt(sum));
    }
    return sds;
  }
  std::span<const double> weights() const override {
    throw Error(ErrorCode::usage, "a ridge regression has a weight for each row", "--solver",
                "--solver exact");
  }

 private:
  struct Part {
    WideMatrix v{0, 0}, w{0, 0};  // L^-1 k(Z, at), and its factor B's
    std::vector<double> mean;
    DenseMatrix rest;  // q x count
  };
  Part part_of(const KernelNode& node, const CovariancePoints& at, Index first, Index count,
               const DenseMatrix* h, Index column) const {
    Part part{.v = WideMatrix(s_.m, count),
              .mean = std::vector<double>(static_cast<std::size_t>(count), 0.0),
              .rest = DenseMatrix(s_.q, count)};
    Covariance::Work work;
    for (Index j = 0; j < count; ++j)
      for (Index k = 0; k < s_.m; k += Covariance::kMostAtOnce) {
        const Index num = std::min(Covariance::kMostAtOnce, s_.m - k);
        if (column < 0)
          o_.p_.covariance.values(node, theta_, at, first + j, o_.z_, k, num, part.v.column(j) + k,
                                  work);
        for (Index r = 0; column >= 0 && r < num; ++r)
          part.v.column(j)[k + r] =
              o_.p_.covariance.by_input(node, theta_, at, first + j, o_.z_, k + r, column)[1];
      }
    solve_in_place(o_.team_, *s_.l, part.v, false);
    part.w = part.v;
    solve_in_place(o_.team_, *s_.b, part.w, false);
    for (Index j = 0; j < count; ++j) {
      double& mean = part.mean[static_cast<std::size_t>(j)];
      for (Index k = 0; k < s_.m; ++k)
        mean += part.v.column(j)[k] * weights_[static_cast<std::size_t>(k)];
      for (Index c = 0; c < s_.q; ++c) {
        double off = h != nullptr ? (*h)(first + j, c) : 0.0;
        mean += off * s_.mean.beta[static_cast<std::size_t>(c)];
        for (Index k = 0; k < s_.m; ++k)
          off -= part.v.column(j)[k] * s_.coefficients.column(1 + c)[k];
        for (Index b = 0; b < c; ++b) off -= s_.mean.factor(b, c) * part.rest(b, j);
        part.rest(c, j) = off / s_.mean.factor(c, c);
      }
    }
    return part;
  }
  double joint(const Part& part, Index i, Index j, double prior) const {
    double sum = prior;
    for (Index k = 0; k < s_.m; ++k) {
      sum += part.w.column(i)[k] * part.w.column(j)[k];
      if (o_.kind_ != LowRank::sor) sum -= part.v.column(i)[k] * part.v.column(j)[k];
    }
    for (Index c = 0; c < s_.q; ++c) sum += part.rest(c, i) * part.rest(c, j);
    return sum;
  }
  double variance(const Part& part, Index i, Index j, double prior) const {
    return std::max(0.0, joint(part, i, j, prior));
  }

  LowRankSolver& o_;
  std::vector<double> theta_;
  LowRankState s_;
  std::vector<double> weights_;
};

std::unique_ptr<GpPosterior> LowRankSolver::posterior(std::span<const double> theta) {
  LowRankState s = state(theta);
  if (s.failed)
    throw Error(ErrorCode::evaluation,
                "the covariance of the inducing points isn't positive definite to rounding", "",
                "fewer of them: --inducing");
  if (!s.mean.is_defined)
    throw Error(ErrorCode::data, "the columns of the mean are collinear", "",
                "leave one of them out");
  return std::make_unique<LowRankPosterior>(*this, theta, std::move(s));
}

std::vector<double> centre(const Covariance& covariance) {
  std::vector<double> theta;
  for (const CovarianceParameter& p : covariance.parameters())
    theta.push_back(p.is_fixed                                      ? p.value
                    : p.kind.transform == KernelTransform::positive ? p.centre()
                                                                    : 0.5);
  return theta;
}
}  // namespace

// A pivoted Cholesky factor of the rows' covariance: O(N M²).
std::vector<Index> greedy_rows(const GpProblem& problem, Index count) {
  constexpr double kLeastVariance = 1e-10;
  const Index n = problem.num_rows();
  const Covariance& covariance = problem.covariance;
  const std::vector<double> theta = centre(covariance);
  Covariance::Work work;
  std::vector<double> left;
  for (Index i = 0; i < n; ++i)
    left.push_back(covariance.variance(covariance.root(), theta, problem.x, i, work));
  const double largest = std::ranges::max(left);
  std::vector<std::vector<double>> columns;
  std::vector<Index> rows;
  while (ssize(rows) < std::min(count, n)) {
    const Index next = std::ranges::max_element(left) - left.begin();
    const double variance = left[static_cast<std::size_t>(next)];
    if (!(variance > kLeastVariance * largest)) break;
    rows.push_back(next);
    std::vector<double> column(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; i += Covariance::kMostAtOnce)
      covariance.values(covariance.root(), theta, problem.x, next, problem.x, i,
                        std::min(Covariance::kMostAtOnce, n - i), column.data() + i, work);
    for (const std::vector<double>& before : columns) {
      const double factor = before[static_cast<std::size_t>(next)];
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= factor * before[i];
    }
    for (std::size_t i = 0; i < column.size(); ++i) {
      column[i] /= std::sqrt(variance);
      left[i] -= column[i] * column[i];
    }
    left[static_cast<std::size_t>(next)] = -1.0;
    columns.push_back(std::move(column));
  }
  return rows;
}

std::unique_ptr<InducingSolver> make_low_rank_solver(const GpProblem& problem, LowRank kind,
                                                     std::vector<Index> inducing) {
  return std::make_unique<LowRankSolver>(problem, kind, inducing);
}

}  // namespace credo::models
