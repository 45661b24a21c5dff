// Conjugate gradients for several right-hand sides [golub2013, alg. 11.5.1], each with its own steps; products are shared.
//
//   r = b, z = P^-1 r, p = z;   repeat  w = A p;  a = r'z / p'w;  x += a p;  r -= a w;  z = P^-1 r;  b = r'z / (old r'z);  p = z + b p
//
// The coefficients of a column are those of Lanczos's algorithm on P^-1/2 A P^-1/2 from P^-1/2 b:
//   T_jj = 1 / a_j + b_(j-1) / a_(j-1),   T_j,j+1 = sqrt(b_j) / a_j.
#include "models/gp/solvers/krylov.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::models {
namespace {
constexpr Index kRowsAtOnce = 1024;

Index num_row_pieces(Index rows) { return (rows + kRowsAtOnce - 1) / kRowsAtOnce; }

// visit(first, last, piece) for pieces of the rows.
template <class Visit>
void for_rows(WorkerTeam& team, Index rows, Visit&& visit) {
  team.for_each(num_row_pieces(rows), [&](Index piece, Index) {
    visit(piece * kRowsAtOnce, std::min(rows, (piece + 1) * kRowsAtOnce), piece);
  });
}

// The columns of a block that are still solved for, with the place of each in the whole.
struct ActiveColumns {
  std::vector<Index> place;
  RowMatrix r, p;
  std::vector<double> rz;
};

// Keeps the columns `kept` of a block.
void keep_columns(RowMatrix& a, std::span<const Index> kept) {
  RowMatrix made(a.rows, ssize(kept));
  for (Index i = 0; i < a.rows; ++i)
    for (Index c = 0; c < made.cols; ++c) made(i, c) = a(i, kept[static_cast<std::size_t>(c)]);
  a = std::move(made);
}

// x += a p in the whole, r -= a w.
void take_krylov_step(WorkerTeam& team, const RowMatrix& w, std::span<const double> step,
                      ActiveColumns& active, RowMatrix& x) {
  for_rows(team, w.rows, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < w.cols; ++c) {
        const double a = step[static_cast<std::size_t>(c)];
        x(i, active.place[static_cast<std::size_t>(c)]) += a * active.p(i, c);
        active.r(i, c) -= a * w(i, c);
      }
  });
}
void turn_directions(WorkerTeam& team, const RowMatrix& z, std::span<const double> turn,
                     ActiveColumns& active) {
  for_rows(team, z.rows, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < z.cols; ++c)
        active.p(i, c) = z(i, c) + turn[static_cast<std::size_t>(c)] * active.p(i, c);
  });
}
}  // namespace

std::vector<double> column_products(WorkerTeam& team, const RowMatrix& a, const RowMatrix& b) {
  RowMatrix parts(num_row_pieces(a.rows), a.cols);
  for_rows(team, a.rows, [&](Index first, Index last, Index piece) {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < a.cols; ++c) parts(piece, c) += a(i, c) * b(i, c);
  });
  std::vector<double> sums(static_cast<std::size_t>(a.cols), 0.0);
  for (Index piece = 0; piece < parts.rows; ++piece)
    for (Index c = 0; c < a.cols; ++c) sums[static_cast<std::size_t>(c)] += parts(piece, c);
  return sums;
}

PivotedFactor::PivotedFactor(KrylovMatrix& k, double s, Index rank, WorkerTeam& team)
    : s_(s), team_(team), factor_(k.size(), std::min(rank, k.size())) {
  const Index n = k.size();
  constexpr double kLeastPivot = 1e-12;
  std::vector<double> left = k.diagonal(), row(static_cast<std::size_t>(n));
  const double largest = *std::ranges::max_element(left);
  Index used = 0;
  for (; used < factor_.cols; ++used) {
    const Index pivot = std::ranges::max_element(left) - left.begin();
    const double variance = left[static_cast<std::size_t>(pivot)];
    if (!(variance > kLeastPivot * largest)) break;
    k.row(pivot, row);
    const double root = std::sqrt(variance);
    for_rows(team, n, [&](Index first, Index last, Index) {
      for (Index i = first; i < last; ++i) {
        double x = row[static_cast<std::size_t>(i)];
        for (Index m = 0; m < used; ++m) x -= factor_(i, m) * factor_(pivot, m);
        factor_(i, used) = i == pivot ? root : x / root;
        left[static_cast<std::size_t>(i)] -= factor_(i, used) * factor_(i, used);
      }
    });
    left[static_cast<std::size_t>(pivot)] = 0.0;
  }
  if (used < factor_.cols) {
    std::vector<Index> kept(static_cast<std::size_t>(used));
    std::iota(kept.begin(), kept.end(), Index{0});
    keep_columns(factor_, kept);
  }
  RowMatrix inner(used, used);
  // each element of L'L is a sum over the rows in order
  team.for_each(used, [&](Index a, Index) {
    double* const to = inner.row(a).data();
    for (Index i = 0; i < n; ++i) {
      const double* const from = factor_.row(i).data();
      for (Index b = 0; b <= a; ++b) to[b] += from[a] * from[b];
    }
    to[a] += s_;
  });
  inner_ = used > 0 ? numerics::lower_factor(inner) : inner;
  log_determinant_ = static_cast<double>(n - used) * std::log(s_);
  if (used > 0) log_determinant_ += numerics::log_determinant_of_factor(inner_);
}

// P^-1 v = (v - L (s + L'L)^-1 L'v) / s
void PivotedFactor::solve(const RowMatrix& v, RowMatrix& out) const {
  const Index n = v.rows, c = v.cols, r = rank();
  const Index pieces = num_row_pieces(n);
  std::vector<RowMatrix> parts(static_cast<std::size_t>(pieces));
  for_rows(team_, n, [&](Index first, Index last, Index piece) {
    RowMatrix& part = parts[static_cast<std::size_t>(piece)] = RowMatrix(r, c);
    for (Index i = first; i < last; ++i) {
      const double* const own = factor_.row(i).data();
      const double* const from = v.row(i).data();
      for (Index m = 0; m < r; ++m) {
        double* const to = part.row(m).data();
        for (Index k = 0; k < c; ++k) to[k] += own[m] * from[k];
      }
    }
  });
  RowMatrix inner(r, c);
  for (const RowMatrix& part : parts)
    for (std::size_t k = 0; k < inner.values.size(); ++k) inner.values[k] += part.values[k];
  std::vector<double> column(static_cast<std::size_t>(r));
  for (Index k = 0; k < c && r > 0; ++k) {
    for (Index m = 0; m < r; ++m) column[static_cast<std::size_t>(m)] = inner(m, k);
    numerics::solve_factor(inner_, column);
    numerics::solve_factor_transposed(inner_, column);
    for (Index m = 0; m < r; ++m) inner(m, k) = column[static_cast<std::size_t>(m)];
  }
  for_rows(team_, n, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) {
      const double* const own = factor_.row(i).data();
      double* const to = out.row(i).data();
      std::copy_n(v.row(i).data(), c, to);
      for (Index m = 0; m < r; ++m) {
        const double* const from = inner.row(m).data();
        for (Index k = 0; k < c; ++k) to[k] -= own[m] * from[k];
      }
      for (Index k = 0; k < c; ++k) to[k] /= s_;
    }
  });
}

RowMatrix PivotedFactor::colour(const RowMatrix& low, const RowMatrix& rest) const {
  RowMatrix made(rest.rows, rest.cols);
  const double root = std::sqrt(s_);
  for_rows(team_, rest.rows, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i)
      for (Index c = 0; c < rest.cols; ++c) {
        double x = root * rest(i, c);
        for (Index m = 0; m < rank(); ++m) x += factor_(i, m) * low(m, c);
        made(i, c) = x;
      }
  });
  return made;
}

namespace {
// Columns whose residuals are small leave the block.
void drop_converged(WorkerTeam& team, std::span<const double> norms, double tolerance,
                    KrylovSolution& made, ActiveColumns& active) {
  const std::vector<double> squares = column_products(team, active.r, active.r);
  std::vector<Index> kept, place;
  for (std::size_t c = 0; c < active.place.size(); ++c) {
    const auto whole = static_cast<std::size_t>(active.place[c]);
    made.residual[whole] = norms[whole] > 0.0 ? std::sqrt(squares[c]) / norms[whole] : 0.0;
    if (made.residual[whole] <= tolerance) continue;
    kept.push_back(static_cast<Index>(c)), place.push_back(active.place[c]);
  }
  if (kept.size() == active.place.size()) return;
  keep_columns(active.r, kept);
  if (active.p.cols > 0) keep_columns(active.p, kept);
  std::vector<double> rz;
  for (const Index c : kept)
    if (!active.rz.empty()) rz.push_back(active.rz[static_cast<std::size_t>(c)]);
  active.rz = std::move(rz), active.place = std::move(place);
}
}  // namespace

KrylovSolution solve_krylov(KrylovMatrix& k, double s, const PivotedFactor& p, const RowMatrix& b,
                            const KrylovOptions& options, WorkerTeam& team) {
  const auto num = static_cast<std::size_t>(b.cols);
  KrylovSolution made{.x = RowMatrix(b.rows, b.cols)};
  made.num_iterations.assign(num, 0), made.residual.assign(num, 1.0);
  made.alpha.resize(num), made.beta.resize(num);
  std::vector<double> norms = column_products(team, b, b);
  for (double& norm : norms) norm = std::sqrt(norm);
  ActiveColumns active{.place = std::vector<Index>(num), .r = b, .p = {}, .rz = {}};
  std::iota(active.place.begin(), active.place.end(), Index{0});
  drop_converged(team, norms, options.tolerance, made, active);
  for (Index iteration = 0; !active.place.empty(); ++iteration) {
    stop_if_asked();
    if (iteration == options.max_iterations) {
      made.has_converged = false;
      break;
    }
    RowMatrix z(b.rows, active.r.cols);
    p.solve(active.r, z);
    const std::vector<double> rz = column_products(team, active.r, z);
    if (iteration == 0) {
      active.p = std::move(z);
    } else {
      std::vector<double> turn;
      for (std::size_t c = 0; c < rz.size(); ++c) {
        turn.push_back(rz[c] / active.rz[c]);
        made.beta[static_cast<std::size_t>(active.place[c])].push_back(turn.back());
      }
      turn_directions(team, z, turn, active);
    }
    active.rz = rz;
    RowMatrix w(b.rows, active.p.cols);
    k.multiply(active.p, w);
    for (std::size_t e = 0; e < w.values.size(); ++e) w.values[e] += s * active.p.values[e];
    std::vector<double> step = column_products(team, active.p, w);
    for (std::size_t c = 0; c < step.size(); ++c) {
      if (!(step[c] > 0.0)) {
        made.is_positive = made.has_converged = false;
        return made;
      }
      step[c] = active.rz[c] / step[c];
      made.alpha[static_cast<std::size_t>(active.place[c])].push_back(step[c]);
      ++made.num_iterations[static_cast<std::size_t>(active.place[c])];
    }
    take_krylov_step(team, w, step, active, made.x);
    drop_converged(team, norms, options.tolerance, made, active);
  }
  return made;
}

// Eigenvalues of T with the squared first components of their vectors, by QL steps with shifts that carry the first row of the vectors
// alone [golub2013, section 8.3.5].
double tridiagonal_log(std::span<const double> alpha, std::span<const double> beta) {
  constexpr int kMostSteps = 100;
  const std::size_t n = alpha.size();
  if (n == 0) return 0.0;
  std::vector<double> d(n), e(n, 0.0), first(n, 0.0);
  first[0] = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    d[j] = 1.0 / alpha[j] + (j > 0 ? beta[j - 1] / alpha[j - 1] : 0.0);
    if (j + 1 < n) e[j] = std::sqrt(beta[j]) / alpha[j];
  }
  for (std::size_t l = 0; l < n; ++l)
    for (int steps = 0;; ++steps) {
      std::size_t m = l;
      while (m + 1 < n && std::abs(e[m]) > 1e-16 * (std::abs(d[m]) + std::abs(d[m + 1]))) ++m;
      if (m == l) break;
      if (steps == kMostSteps) return std::numeric_limits<double>::quiet_NaN();
      double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = std::hypot(g, 1.0);
      g = d[m] - d[l] + e[l] / (g + std::copysign(r, g));
      double s = 1.0, c = 1.0, p = 0.0;
      bool has_split = false;  // a zero came up in the middle: T falls into two parts
      for (std::size_t i = m; i-- > l;) {
        const double f = s * e[i], b = c * e[i];
        r = std::hypot(f, g);
        e[i + 1] = r;
        if (r == 0.0) {
          d[i + 1] -= p, e[m] = 0.0;
          has_split = true;
          break;
        }
        s = f / r, c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        const double old = first[i + 1];
        first[i + 1] = s * first[i] + c * old;
        first[i] = c * first[i] - s * old;
      }
      if (has_split) continue;
      d[l] -= p, e[l] = g, e[m] = 0.0;
    }
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    if (!(d[k] > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    sum += first[k] * first[k] * std::log(d[k]);
  }
  return sum;
}

}  // namespace credo::models
