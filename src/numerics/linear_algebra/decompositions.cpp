#include "numerics/linear_algebra/decompositions.hpp"

#include "base/stop.hpp"

namespace credo::numerics {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Below this quotients of numbers lose digits; smaller numbers count as zero.
constexpr double kTiny = std::numeric_limits<double>::min() / kEpsilon;

bool all_finite(const double* x, Index count) {
  return std::all_of(x, x + count, [](double v) { return std::isfinite(v); });
}

// Divides by the largest magnitude, so that squares neither overflow nor vanish; returns it, or 1.
double scale_to_one(double* x, Index count) {
  double largest = 0.0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  if (largest == 0.0) return 1.0;
  for (Index i = 0; i < count; ++i) x[i] /= largest;
  return largest;
}

double dot(const double* a, const double* b, Index count) {
  double total = 0.0;
  for (Index i = 0; i < count; ++i) total += a[i] * b[i];
  return total;
}

// y += factor x
void add_scaled(Index count, double factor, const double* x, double* y) {
  for (Index i = 0; i < count; ++i) y[i] += factor * x[i];
}

// (x, y) <- (c x - s y, s x + c y)
void rotate(Index count, double c, double s, double* x, double* y) {
  for (Index i = 0; i < count; ++i) {
    const double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}
}  // namespace

// ---- LU

double lu_factor(Index n, double* a, double* pivots) {
  double sign = 1.0;
  for (Index j = 0; j < n; ++j) {
    stop_if_asked();
    Index pivot = j;
    for (Index i = j + 1; i < n; ++i) {
      if (std::fabs(a[i + j * n]) > std::fabs(a[pivot + j * n])) pivot = i;
    }
    pivots[j] = static_cast<double>(pivot);
    if (pivot != j) {
      sign = -sign;
      for (Index k = 0; k < n; ++k) std::swap(a[j + k * n], a[pivot + k * n]);
    }
    const double diagonal = a[j + j * n];
    if (diagonal == 0.0) continue;  // singular: the column below is zero as well
    for (Index i = j + 1; i < n; ++i) a[i + j * n] /= diagonal;
    for (Index k = j + 1; k < n; ++k)
      add_scaled(n - j - 1, -a[j + k * n], a + j + 1 + j * n, a + j + 1 + k * n);
  }
  return sign;
}

namespace {
void lu_solve_column(Index n, const double* lu, const double* pivots, double* x) {
  for (Index i = 0; i < n; ++i) std::swap(x[i], x[static_cast<Index>(pivots[i])]);
  for (Index j = 0; j < n; ++j) add_scaled(n - j - 1, -x[j], lu + j + 1 + j * n, x + j + 1);
  for (Index j = n - 1; j >= 0; --j) {
    x[j] /= lu[j + j * n];
    add_scaled(j, -x[j], lu + j * n, x);
  }
}
// A' = U' L' P
void lu_solve_column_transposed(Index n, const double* lu, const double* pivots, double* x) {
  for (Index j = 0; j < n; ++j) x[j] = (x[j] - dot(lu + j * n, x, j)) / lu[j + j * n];
  for (Index j = n - 1; j >= 0; --j) x[j] -= dot(lu + j + 1 + j * n, x + j + 1, n - j - 1);
  for (Index i = n - 1; i >= 0; --i) std::swap(x[i], x[static_cast<Index>(pivots[i])]);
}
}  // namespace

void lu_solve(const LuSizes& sizes, const double* lu, const double* pivots, double* b) {
  for (Index j = 0; j < sizes.cols; ++j) {
    stop_if_asked();
    if (sizes.transposed) {
      lu_solve_column_transposed(sizes.n, lu, pivots, b + j * sizes.n);
    } else {
      lu_solve_column(sizes.n, lu, pivots, b + j * sizes.n);
    }
  }
}

// ---- Householder reflections

namespace {

// Turns x (count >= 1) into the vector v of the reflection I - v v' that maps x to a multiple of
// the first unit vector, |v|^2 = 2 (or v = 0: no reflection is needed). Returns that multiple.
double make_reflection(Index count, double* x) {
  double scale = 0.0;
  for (Index i = 0; i < count; ++i) scale = std::max(scale, std::fabs(x[i]));
  double rest = 0.0;
  for (Index i = 1; i < count && scale >= kTiny; ++i) rest += (x[i] / scale) * (x[i] / scale);
  const double first = x[0];
  if (scale < kTiny || rest == 0.0) {
    std::fill_n(x, count, 0.0);
    return first;
  }
  const double leading = first / scale, length = std::sqrt(leading * leading + rest);
  const double image = leading > 0.0 ? -length : length;  // no cancellation in leading - image
  const double head = leading - image, norm = std::sqrt(0.5 * (head * head + rest));
  x[0] = head / norm;
  for (Index i = 1; i < count; ++i) x[i] = x[i] / scale / norm;
  return image * scale;
}

// x -= v (v' x)
void reflect(Index count, const double* v, double* x) {
  add_scaled(count, -dot(v, x, count), v, x);
}
}  // namespace

void qr(const QrSizes& sizes, double* a, double* q, double* work) {
  const Index rows = sizes.rows, steps = std::min(rows, sizes.cols);
  std::fill_n(work, rows * steps, 0.0);
  for (Index j = 0; j < steps; ++j) {
    stop_if_asked();
    double* column = a + j * rows;
    double* v = work + j * rows;  // the reflection's vector, zeros above
    std::copy(column + j, column + rows, v + j);
    column[j] = make_reflection(rows - j, v + j);
    std::fill(column + j + 1, column + rows, 0.0);
    for (Index k = j + 1; k < sizes.cols; ++k) reflect(rows - j, v + j, a + j + k * rows);
  }
  for (Index j = 0; j < sizes.q_cols; ++j) {
    stop_if_asked();
    double* column = q + j * rows;
    std::fill_n(column, rows, 0.0);
    column[j] = 1.0;
    for (Index k = steps - 1; k >= 0; --k) reflect(rows - k, work + k * rows + k, column + k);
  }
  for (Index i = 0; i < steps; ++i) {  // the diagonal of R not negative
    if (!(a[i + i * rows] < 0.0)) continue;
    for (Index k = i; k < sizes.cols; ++k) a[i + k * rows] = -a[i + k * rows];
    for (Index k = 0; k < rows; ++k) q[k + i * rows] = -q[k + i * rows];
  }
}

// ---- symmetric eigenvalues

namespace {

// A = Q T Q', T tridiagonal: its diagonal and the elements beside it (beside[i] between i and i +
// 1); A becomes Q. Column by column from the first, each reflection keeps the elements above it.
void tridiagonalise(Index n, double* a, double* diagonal, double* beside) {
  for (Index k = 0; k + 2 < n; ++k) {
    stop_if_asked();
    double* v = a + k + 1 + k * n;
    const Index count = n - k - 1;
    beside[k] = make_reflection(count, v);
    double* p =
        diagonal;  // scratch of this step: p = A v, then A -= v w' + w v', w = p - (v'p / 2) v
    for (Index i = 0; i < count; ++i) p[i] = 0.0;
    for (Index j = 0; j < count; ++j) add_scaled(count, v[j], a + k + 1 + (k + 1 + j) * n, p);
    add_scaled(count, -0.5 * dot(v, p, count), v, p);
    for (Index j = 0; j < count; ++j) {
      double* column = a + k + 1 + (k + 1 + j) * n;
      for (Index i = 0; i < count; ++i) column[i] -= v[i] * p[j] + p[i] * v[j];
    }
  }
  if (n > 1) beside[n - 2] = a[n - 1 + (n - 2) * n];
  for (Index i = 0; i < n; ++i) diagonal[i] = a[i + i * n];
}

// The vectors below the subdiagonal become Q, from the last reflection to the first.
void collect_reflections(Index n, double* a, double* v) {
  if (n > 0) std::fill_n(a + (n - 1) * n, n, 0.0), a[n * n - 1] = 1.0;
  if (n > 1) std::fill_n(a + (n - 2) * n, n, 0.0), a[n - 2 + (n - 2) * n] = 1.0;
  for (Index k = n - 3; k >= 0; --k) {
    stop_if_asked();
    const Index count = n - k - 1;
    std::copy_n(a + k + 1 + k * n, count, v);
    for (Index j = k + 1; j < n; ++j) reflect(count, v, a + k + 1 + j * n);
    std::fill_n(a + k * n, n, 0.0);
    a[k + k * n] = 1.0;
  }
}

// One implicit QL step on rows low ... high with Wilkinson's shift; the rotations go to the columns
// of q.
void ql_step(Index low, Index high, double* diagonal, double* beside, double* q, Index n) {
  const double half = 0.5 * (diagonal[low + 1] - diagonal[low]), e = beside[low];
  const double root = std::hypot(half, e);
  const double shift = diagonal[low] - e * (e / (half + (half < 0.0 ? -root : root)));
  double x = diagonal[high] - shift, z = beside[high - 1];  // the bulge to chase upwards
  for (Index k = high - 1; k >= low; --k) {
    const double length = std::hypot(x, z);
    const double c = length < kTiny ? 1.0 : x / length, s = length < kTiny ? 0.0 : z / length;
    if (k + 1 < high) beside[k + 1] = length;
    const double d0 = diagonal[k], d1 = diagonal[k + 1], b = beside[k];
    // rotation of rows k and k + 1: new k + 1 = c (k + 1) + s k, new k = c k - s (k + 1)
    diagonal[k + 1] = c * c * d1 + 2.0 * c * s * b + s * s * d0;
    diagonal[k] = s * s * d1 - 2.0 * c * s * b + c * c * d0;
    beside[k] = c * s * (d0 - d1) + (c * c - s * s) * b;
    if (k > low) {
      x = beside[k];
      z = s * beside[k - 1];
      beside[k - 1] = c * beside[k - 1];
    }
    rotate(n, c, s, q + k * n, q + (k + 1) * n);
  }
}

void sort_ascending(Index n, double* values, double* vectors, Index rows) {
  for (Index i = 0; i < n; ++i) {
    const Index least = std::min_element(values + i, values + n) - values;
    if (least == i) continue;
    std::swap(values[i], values[least]);
    std::swap_ranges(vectors + i * rows, vectors + (i + 1) * rows, vectors + least * rows);
  }
}
}  // namespace

void symmetric_eigen(Index n, double* a, double* values, double* work) {
  if (!all_finite(a, n * n)) {
    std::fill_n(a, n * n, kNaN);
    std::fill_n(values, n, kNaN);
    return;
  }
  double* beside = work;
  const double scale = scale_to_one(a, n * n);
  tridiagonalise(n, a, values, beside);
  collect_reflections(n, a, work + n);
  constexpr Index kStepsEach = 60;            // two or three do, whatever the matrix
  constexpr double kNoise = 1e-4 * kEpsilon;  // of a matrix whose largest element is 1
  Index steps = kStepsEach * n;
  for (Index high = n - 1; high > 0;) {
    stop_if_asked();
    const auto negligible = [&](Index k) {
      return std::fabs(beside[k]) <=
             std::max(kNoise, 0.5 * kEpsilon * (std::fabs(values[k]) + std::fabs(values[k + 1])));
    };
    if (negligible(high - 1) || steps == 0) {
      beside[--high] = 0.0;
      continue;
    }
    Index low = high - 1;
    while (low > 0 && !negligible(low - 1)) --low;
    if (low > 0) beside[low - 1] = 0.0;
    ql_step(low, high, values, beside, a, n);
    --steps;
  }
  for (Index i = 0; i < n; ++i) values[i] *= scale;
  sort_ascending(n, values, a, n);
}

// ---- singular values

namespace {

// One sweep of rotations that make pairs of columns orthogonal; whether any was needed.
bool jacobi_sweep(Index rows, Index cols, double* a, double* v) {
  bool any = false;
  const double tolerance = kEpsilon * (4.0 + static_cast<double>(rows));  // rounding of `dot`
  for (Index p = 0; p + 1 < cols; ++p) {
    stop_if_asked();
    for (Index q = p + 1; q < cols; ++q) {
      double* x = a + p * rows;
      double* y = a + q * rows;
      const double alpha = dot(x, x, rows), beta = dot(y, y, rows), gamma = dot(x, y, rows);
      if (std::fabs(gamma) <= tolerance * std::sqrt(alpha * beta)) continue;
      any = true;
      const double zeta = (beta - alpha) / (2.0 * gamma);
      const double t = (zeta < 0.0 ? -1.0 : 1.0) / (std::fabs(zeta) + std::hypot(1.0, zeta));
      const double c = 1.0 / std::hypot(1.0, t), s = c * t;
      rotate(rows, c, s, x, y);
      rotate(cols, c, s, v + p * cols, v + q * cols);
    }
  }
  return any;
}

// Fills column j, whose singular value is zero, with a unit vector orthogonal to those before it:
// the longest of the unit vectors' remainders.
void complete_column(Index rows, Index j, double* u) {
  double* column = u + j * rows;
  Index best = 0;
  double longest = -1.0;
  const auto remainder_of = [&](Index axis) {
    std::fill_n(column, rows, 0.0);
    column[axis] = 1.0;
    for (int twice = 0; twice < 2; ++twice) {
      for (Index k = 0; k < j; ++k)
        add_scaled(rows, -dot(u + k * rows, column, rows), u + k * rows, column);
    }
    return std::sqrt(dot(column, column, rows));
  };
  for (Index axis = 0; axis < rows; ++axis) {
    stop_if_asked();
    const double length = remainder_of(axis);
    if (length > longest) longest = length, best = axis;
  }
  const double length = remainder_of(best);
  for (Index i = 0; i < rows; ++i) column[i] /= length;
}
}  // namespace

void singular_values(Index rows, Index cols, double* a, double* values, double* v) {
  if (!all_finite(a, rows * cols)) {
    std::fill_n(a, rows * cols, kNaN);
    std::fill_n(values, cols, kNaN);
    std::fill_n(v, cols * cols, kNaN);
    return;
  }
  const double scale = scale_to_one(a, rows * cols);
  std::fill_n(v, cols * cols, 0.0);
  for (Index j = 0; j < cols; ++j) v[j + j * cols] = 1.0;
  constexpr int kSweeps = 60;  // six to ten do
  for (int sweep = 0; sweep < kSweeps && jacobi_sweep(rows, cols, a, v); ++sweep) continue;
  for (Index j = 0; j < cols; ++j) values[j] = std::sqrt(dot(a + j * rows, a + j * rows, rows));
  for (Index i = 0; i < cols; ++i) {
    const Index most = std::max_element(values + i, values + cols) - values;
    if (most == i) continue;
    std::swap(values[i], values[most]);
    std::swap_ranges(a + i * rows, a + (i + 1) * rows, a + most * rows);
    std::swap_ranges(v + i * cols, v + (i + 1) * cols, v + most * cols);
  }
  for (Index j = 0; j < cols; ++j) {
    if (values[j] > kEpsilon * values[0]) {
      for (Index i = 0; i < rows; ++i) a[i + j * rows] /= values[j];
    } else {
      complete_column(rows, j, a);
    }
    values[j] *= scale;
  }
}

// ---- exponential

namespace {

// out = A B
void product(Index n, const double* a, const double* b, double* out) {
  std::fill_n(out, n * n, 0.0);
  for (Index j = 0; j < n; ++j) {
    stop_if_asked();
    for (Index p = 0; p < n; ++p) add_scaled(n, b[p + j * n], a + p * n, out + j * n);
  }
}

// The largest sum of magnitudes of a column.
double one_norm(Index n, const double* a) {
  double largest = 0.0;
  for (Index j = 0; j < n; ++j) {
    double total = 0.0;
    for (Index i = 0; i < n; ++i) total += std::fabs(a[i + j * n]);
    largest = std::max(largest, total);
  }
  return largest;
}

// [higham2005, table 2.3 and eq. 2.6]
constexpr std::array<double, 14> kPade{64764752532480000.0,
                                       32382376266240000.0,
                                       7771770303897600.0,
                                       1187353796428800.0,
                                       129060195264000.0,
                                       10559470521600.0,
                                       670442572800.0,
                                       33522128640.0,
                                       1323241920.0,
                                       40840800.0,
                                       960960.0,
                                       16380.0,
                                       182.0,
                                       1.0};
constexpr double kLargestNorm = 5.371920351148152;

struct PadeWork {
  double *a, *a2, *a4, *a6, *u, *v, *t, *pivots;
};

// u = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1 I), v the same with even terms.
void pade_sides(Index n, const PadeWork& w) {
  const Index size = n * n;
  const auto combine = [&](const double* six, Index top, Index low, double* out) {
    for (Index e = 0; e < size; ++e) {
      w.t[e] = kPade[static_cast<std::size_t>(top)] * six[e] +
               kPade[static_cast<std::size_t>(top - 2)] * w.a4[e] +
               kPade[static_cast<std::size_t>(top - 4)] * w.a2[e];
    }
    product(n, w.a6, w.t, out);
    for (Index e = 0; e < size; ++e) {
      out[e] += kPade[static_cast<std::size_t>(low)] * w.a6[e] +
                kPade[static_cast<std::size_t>(low - 2)] * w.a4[e] +
                kPade[static_cast<std::size_t>(low - 4)] * w.a2[e];
    }
    for (Index i = 0; i < n; ++i) out[i + i * n] += kPade[static_cast<std::size_t>(low - 6)];
  };
  combine(w.a6, 13, 7, w.v);
  product(n, w.a, w.v, w.u);
  combine(w.a6, 12, 6, w.v);
}
}  // namespace

Index matrix_exp_work(Index n) { return 7 * n * n + n; }

void matrix_exp(Index n, const double* a, double* out, double* work) {
  const Index size = n * n;
  if (!all_finite(a, size)) return std::fill_n(out, size, kNaN), void();
  const PadeWork w{work,
                   work + size,
                   work + 2 * size,
                   work + 3 * size,
                   work + 4 * size,
                   work + 5 * size,
                   work + 6 * size,
                   work + 7 * size};
  int squarings = 0;
  double norm = one_norm(n, a), factor = 1.0;
  for (; norm > kLargestNorm && squarings < 1100; norm *= 0.5, factor *= 0.5) ++squarings;
  for (Index e = 0; e < size; ++e) w.a[e] = factor * a[e];
  product(n, w.a, w.a, w.a2);
  product(n, w.a2, w.a2, w.a4);
  product(n, w.a2, w.a4, w.a6);
  pade_sides(n, w);
  for (Index e = 0; e < size; ++e) {  // (v - u) out = v + u
    out[e] = w.v[e] + w.u[e];
    w.t[e] = w.v[e] - w.u[e];
  }
  lu_factor(n, w.t, w.pivots);
  lu_solve({n, n, false}, w.t, w.pivots, out);
  for (; squarings > 0; --squarings) {
    product(n, out, out, w.t);
    std::copy_n(w.t, size, out);
  }
}

}  // namespace credo::numerics
