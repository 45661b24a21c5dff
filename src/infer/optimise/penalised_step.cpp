// Coordinate ascent as in [friedman2010, sec. 2]: z_j = m_j + S(B_jj (z_j - m_j) + residual_j, r_j) / B_jj, where S moves its argument
// towards 0 by r_j, and residual = g - B (z - x).
#include "infer/optimise/penalised_step.hpp"

namespace credo::infer {
namespace {
constexpr int kRounds = 50, kSweeps = 40;
constexpr double kSettled = 1e-15;

double soft_threshold(double a, double width) {
  return a > width ? a - width : a < -width ? a + width : 0.0;
}

class CoordinateAscent {
 public:
  explicit CoordinateAscent(const PenalisedQuadratic& q) : q_(q), z_(q.x), residual_(q.g) {}

  std::vector<double> run() {
    for (int round = 0; round < kRounds; ++round) {
      bool is_settled = false;
      for (int k = 0; k < kSweeps && !is_settled; ++k) is_settled = sweep() <= kSettled;
      if (solve_signs() || is_settled) break;
    }
    return std::move(z_);
  }

 private:
  void move(std::size_t j, double to) {
    const double step = to - z_[j];
    if (step == 0.0) return;
    for (std::size_t i = 0; i < z_.size(); ++i)
      residual_[i] -= q_.b.values[j * z_.size() + i] * step;
    z_[j] = to;
  }
  // The largest change of q by a coordinate, relative to the changes' own scale.
  double sweep() {
    double most = 0.0;
    for (std::size_t j = 0; j < z_.size(); ++j) {
      const double curvature = q_.b.values[j * z_.size() + j], from = z_[j], m = q_.centres[j];
      const double to =
          q_.rates[j] > 0.0
              ? m + soft_threshold(curvature * (from - m) + residual_[j], q_.rates[j]) / curvature
              : from + residual_[j] / curvature;
      move(j, to);
      most = std::max(most, std::abs(to - from) / (1.0 + std::abs(to)));
    }
    return most;
  }
  // With the signs as they are: a linear equation. False if its solution has other signs, or a coordinate at a kink would leave it.
  bool solve_signs() {
    std::vector<Index> apart;
    for (std::size_t j = 0; j < z_.size(); ++j)
      if (q_.rates[j] == 0.0 || z_[j] != q_.centres[j]) apart.push_back(static_cast<Index>(j));
    const Index n = ssize(apart);
    numerics::DenseMatrix b(n, n), right(n, 1);
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(apart[static_cast<std::size_t>(i)]);
      const double side =
          q_.rates[at] == 0.0 ? 0.0 : std::copysign(q_.rates[at], z_[at] - q_.centres[at]);
      right(i, 0) = residual_[at] - side;
      for (Index j = 0; j < n; ++j)
        b(i, j) = q_.b(static_cast<Index>(at), apart[static_cast<std::size_t>(j)]);
    }
    const numerics::DenseMatrix root = numerics::cholesky_root(b);
    const numerics::DenseMatrix step = numerics::solve_upper(root, solve_lower(root, right));
    const std::vector<double> old = z_;
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(apart[static_cast<std::size_t>(i)]);
      if (!std::isfinite(step(i, 0))) return false;
      move(at, z_[at] + step(i, 0));
    }
    if (has_signs_of(old)) return true;
    for (std::size_t j = 0; j < z_.size(); ++j) move(j, old[j]);
    return false;
  }
  bool has_signs_of(const std::vector<double>& old) const {
    for (std::size_t j = 0; j < z_.size(); ++j) {
      if (q_.rates[j] == 0.0) continue;
      const double m = q_.centres[j];
      const bool is_held = old[j] == m;
      if (is_held && std::abs(residual_[j]) > q_.rates[j] * (1.0 + 1e-12)) return false;
      if (!is_held && (z_[j] - m) * (old[j] - m) <= 0.0) return false;
    }
    return true;
  }
  static numerics::DenseMatrix solve_lower(const numerics::DenseMatrix& root,
                                           numerics::DenseMatrix right) {
    for (Index i = 0; i < right.rows; ++i) {
      for (Index k = 0; k < i; ++k) right(i, 0) -= root(k, i) * right(k, 0);
      right(i, 0) /= root(i, i);
    }
    return right;
  }

  const PenalisedQuadratic& q_;
  std::vector<double> z_, residual_;
};
}  // namespace

double PenalisedQuadratic::linear(std::span<const double> z) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j)
    sum += g[j] * (z[j] - x[j]) -
           rates[j] * (std::abs(z[j] - centres[j]) - std::abs(x[j] - centres[j]));
  return sum;
}

double PenalisedQuadratic::gain(std::span<const double> z) const {
  double square = 0.0;
  for (Index i = 0; i < b.rows; ++i)
    for (Index j = 0; j < b.rows; ++j) {
      const auto a = static_cast<std::size_t>(i), c = static_cast<std::size_t>(j);
      square += (z[a] - x[a]) * b(i, j) * (z[c] - x[c]);
    }
  return linear(z) - 0.5 * square;
}

std::optional<std::vector<double>> maximised(const PenalisedQuadratic& q) {
  const numerics::DenseMatrix root = numerics::cholesky_root(q.b);
  for (Index i = 0; i < root.rows; ++i)
    if (!(root(i, i) > 0.0) || !std::isfinite(root(i, i))) return std::nullopt;
  return CoordinateAscent(q).run();
}

}  // namespace credo::infer
