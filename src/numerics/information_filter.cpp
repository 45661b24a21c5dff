// A function exp(c - |R x - z|^2 / 2) is kept as rows [R z]. With U' U = Q^-1 and V' V = (noise of the outcome)^-1,
//
//   the transition is the rows  [ -U A   U   U b ]  of (x_t, x_{t+1}),     the outcome the rows  [ V C   V (y - d) ].
//
// A QR decomposition of rows of (w, x) leaves [ R_w  *  * ; 0  R_x  z ; 0  0  e ]: the integral over w is
// (2 pi)^(d/2) / |R_w| times the function of x in the second rows, and e is the rest of the square.
#include "numerics/information_filter.hpp"

#include "numerics/elementary.hpp"

namespace credo::numerics {
namespace {
constexpr double kLogRoot2Pi = 0.91893853320467274178;

double log_abs_determinant(const DenseMatrix& triangular) {
  double sum = 0.0;
  for (Index i = 0; i < triangular.rows; ++i) sum += log(std::fabs(triangular(i, i)));
  return sum;
}
// True if the state is determined up to rounding, in any units of its elements.
bool is_determined(const DenseMatrix& triangular) {
  constexpr double kRounding = 1e-11, kRoundingOfAll = 1e-14;
  double largest = 0.0;
  for (const double x : triangular.values) largest = std::max(largest, std::fabs(x));
  for (Index i = 0; i < triangular.rows; ++i) {
    double in_column = 0.0;
    for (Index k = 0; k <= i; ++k) in_column = std::max(in_column, std::fabs(triangular(k, i)));
    if (!(std::fabs(triangular(i, i)) > std::max(kRounding * in_column, kRoundingOfAll * largest)))
      return false;
  }
  return true;
}

// U with U' U = A^-1, lower triangular, of a positive definite A; NaN where it isn't.
DenseMatrix information_root(const DenseMatrix& a) {
  return transposed(inverse_of_upper(cholesky_root(a)));
}

// Information about x with d elements.
struct Knowledge {
  explicit Knowledge(Index d) : rows(d, d + 1) {}
  DenseMatrix rows;  // [R z], as many as there are elements
  double log_factor = 0.0;

  Index size() const { return rows.rows; }
  DenseMatrix root() const { return block(rows, 0, 0, size(), size()); }
  DenseMatrix right() const { return block(rows, 0, size(), size(), 1); }

  // Times the function of other rows.
  void multiply(const DenseMatrix& others) {
    const DenseMatrix r = triangular_factor(above(rows, others));
    rows = block(r, 0, 0, size(), size() + 1);
    log_factor -= 0.5 * r(size(), size()) * r(size(), size());
  }
  // log of the integral; NaN where it isn't finite.
  double log_integral() const {
    if (!is_determined(root())) return kNaN;
    return log_factor + static_cast<double>(size()) * kLogRoot2Pi - log_abs_determinant(root());
  }
  GaussianState state() const {
    const Index d = size();
    if (!is_determined(root()))
      return {std::vector<double>(static_cast<std::size_t>(d), kNaN),
              std::vector<double>(static_cast<std::size_t>(d * d), kNaN)};
    return {solve_upper(root(), right()).values,
            triangular_factor(transposed(inverse_of_upper(root()))).values};
  }
};

DenseMatrix column(std::span<const double> values) { return {ssize(values), 1, values}; }

// Information at the start: the normal distribution of known elements, and none about the others.
Knowledge start_of(const LinearGaussianStep& first, std::span<const double> unknown) {
  const Index d = ssize(first.offset);
  std::vector<Index> known;
  for (Index e = 0; e < d; ++e) {
    bool is_known = true;
    for (std::size_t k = static_cast<std::size_t>(e); k < unknown.size();
         k += static_cast<std::size_t>(d))
      is_known = is_known && unknown[k] == 0.0;
    if (is_known) known.push_back(e);
  }
  const Index m = ssize(known);
  const DenseMatrix noise(d, d, first.noise);
  DenseMatrix of_known(m, m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j)
      of_known(i, j) =
          noise(known[static_cast<std::size_t>(i)], known[static_cast<std::size_t>(j)]);
  const DenseMatrix root = information_root(of_known);
  DenseMatrix distribution(m, d + 1);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j) {
      const Index e = known[static_cast<std::size_t>(j)];
      distribution(i, e) = root(i, j);
      distribution(i, d) += root(i, j) * first.offset[static_cast<std::size_t>(e)];
    }
  Knowledge start(d);
  start.multiply(distribution);
  start.log_factor += log_abs_determinant(root) - static_cast<double>(m) * kLogRoot2Pi;
  return start;
}

// The rows of the present elements of an outcome, and the logarithm of its density's factor.
struct Seen {
  DenseMatrix rows;
  double log_factor = 0.0;
};
Seen seen_of(const LinearGaussianStep& step, Index d) {
  const Index m = ssize(step.outcome);
  std::vector<Index> there;
  for (Index i = 0; i < m; ++i)
    if (!std::isnan(step.outcome[static_cast<std::size_t>(i)])) there.push_back(i);
  const Index n = ssize(there);
  if (n == 0) return {DenseMatrix(0, d + 1)};
  const DenseMatrix all(m, d, step.observation), noise(m, m, step.observation_noise);
  DenseMatrix rows(n, d + 1), of_there(n, n);
  for (Index i = 0; i < n; ++i) {
    const Index row = there[static_cast<std::size_t>(i)];
    const auto place = static_cast<std::size_t>(row);
    for (Index j = 0; j < d; ++j) rows(i, j) = all(row, j);
    rows(i, d) = step.outcome[place] - step.observation_offset[place];
    for (Index j = 0; j < n; ++j) of_there(i, j) = noise(row, there[static_cast<std::size_t>(j)]);
  }
  const DenseMatrix root = information_root(of_there);
  return {root * rows, log_abs_determinant(root) - static_cast<double>(n) * kLogRoot2Pi};
}
void take_in(Knowledge& knowledge, const Seen& seen) {
  if (seen.rows.rows == 0) return;
  knowledge.multiply(seen.rows);
  knowledge.log_factor += seen.log_factor;
}

// The rows of a transition, split by the states before and after it.
struct Moves {
  explicit Moves(const LinearGaussianStep& step)
      : root(information_root(DenseMatrix(ssize(step.offset), ssize(step.offset), step.noise))),
        before(-1.0 * (root * DenseMatrix(root.rows, root.rows, step.matrix))),
        right(root * column(step.offset)) {}
  double log_factor() const {
    return log_abs_determinant(root) - static_cast<double>(root.rows) * kLogRoot2Pi;
  }
  DenseMatrix root, before, right;  // U, -U A, U b
};

// Rows of (one, other), from the information about one, [R 0 z], and from a transition between them.
DenseMatrix joint_rows(const Knowledge& of_one, const DenseMatrix& one, const DenseMatrix& other,
                       const DenseMatrix& right) {
  const Index d = of_one.size();
  return above(beside(beside(of_one.root(), DenseMatrix(d, d)), of_one.right()),
               beside(beside(one, other), right));
}

// Information about the other state, by the integral over the one.
struct Eliminated {
  Knowledge other;
  DenseMatrix factor;  // [R_one  *  *], for the distribution of the one given the other
};
Eliminated eliminate(const Knowledge& of_one, const DenseMatrix& rows, double log_factor) {
  const Index d = of_one.size();
  const DenseMatrix r = triangular_factor(rows);
  Eliminated result{.other = Knowledge(d), .factor = block(r, 0, 0, d, 2 * d + 1)};
  result.other.rows = block(r, d, d, d, d + 1);
  const DenseMatrix own = block(r, 0, 0, d, d);
  const double left = r(2 * d, 2 * d);
  result.other.log_factor =
      is_determined(own) ? of_one.log_factor + log_factor - 0.5 * left * left +
                               static_cast<double>(d) * kLogRoot2Pi - log_abs_determinant(own)
                         : kNaN;
  return result;
}
Knowledge predicted(const Knowledge& before, const Moves& moves) {
  return eliminate(before, joint_rows(before, moves.before, moves.root, moves.right),
                   moves.log_factor())
      .other;
}

// Information about each state from the outcomes up to its time; `visit` gets it before and after the time's outcome.
std::vector<Knowledge> filtered_knowledge(
    std::span<const LinearGaussianStep> steps, std::span<const double> unknown,
    const std::function<void(const Knowledge& before, const Knowledge& with)>& visit) {
  std::vector<Knowledge> all;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    const Knowledge before =
        t == 0 ? start_of(steps[0], unknown) : predicted(all.back(), Moves(steps[t]));
    all.push_back(before);
    take_in(all.back(), seen_of(steps[t], before.size()));
    visit(before, all.back());
  }
  return all;
}
}  // namespace

KalmanResult information_filter(std::span<const LinearGaussianStep> steps,
                                std::span<const double> unknown) {
  KalmanResult result;
  double known_before = unknown.empty() ? 0.0 : kNaN;
  filtered_knowledge(steps, unknown, [&](const Knowledge& before, const Knowledge& with) {
    const double log_likelihood = with.log_integral();
    result.log_increments.push_back(log_likelihood - known_before);
    known_before = result.log_likelihood = log_likelihood;
    result.predicted.push_back(before.state());
    result.filtered.push_back(with.state());
  });
  return result;
}

// Goes backwards with the information of later outcomes about a time's state; the last time has none.
TwoFilterSmoothing two_filter_smoother(std::span<const LinearGaussianStep> steps,
                                       std::span<const double> unknown) {
  TwoFilterSmoothing result;
  if (steps.empty()) return result;
  const std::vector<Knowledge> filtered =
      filtered_knowledge(steps, unknown, [](const Knowledge&, const Knowledge&) {});
  result.log_likelihood = filtered.back().log_integral();
  const Index d = filtered[0].size();
  Knowledge later(d);
  for (std::size_t t = steps.size(); t-- > 0;) {
    Knowledge all = filtered[t];
    all.multiply(later.rows);
    result.smoothed.push_back(all.state());
    if (t == 0) break;
    take_in(later, seen_of(steps[t], d));
    const Moves moves(steps[t]);
    const Eliminated back = eliminate(
        later, joint_rows(later, moves.root, moves.before, moves.right), moves.log_factor());
    const DenseMatrix own = block(back.factor, 0, 0, d, d);
    result.forward.push_back(
        {.matrix = -1.0 * solve_upper(own, block(back.factor, 0, d, d, d)),
         .root = triangular_factor(transposed(inverse_of_upper(own))),
         .offset = solve_upper(own, block(back.factor, 0, 2 * d, d, 1)).values});
    later = back.other;
  }
  std::ranges::reverse(result.smoothed);
  std::ranges::reverse(result.forward);
  return result;
}

std::vector<double> smoothed_path(const TwoFilterSmoothing& smoothing,
                                  std::span<const double> normals) {
  const Index d = ssize(smoothing.smoothed[0].mean);
  std::vector<double> path;
  DenseMatrix x;
  for (std::size_t t = 0; t < smoothing.smoothed.size(); ++t) {
    const DenseMatrix z =
        column(normals.subspan(t * static_cast<std::size_t>(d), static_cast<std::size_t>(d)));
    if (t == 0) {
      const GaussianState& first = smoothing.smoothed[0];
      x = column(first.mean) + transposed(DenseMatrix(d, d, first.root)) * z;
    } else {
      const auto& distribution = smoothing.forward[t - 1];
      x = distribution.matrix * x + column(distribution.offset) + transposed(distribution.root) * z;
    }
    path.insert(path.end(), x.values.begin(), x.values.end());
  }
  return path;
}

}  // namespace credo::numerics
