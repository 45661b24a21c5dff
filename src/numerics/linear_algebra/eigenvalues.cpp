// Eigenvalues of a real matrix: Hessenberg form, then Francis steps [golub2013, sections 7.4, 7.5].
//
//   A -> H = Q' A Q, zero below the first subdiagonal (alg. 7.4.2)
//   repeat: zero the negligible subdiagonals; take the last block that isn't split;
//           if its size is 1 or 2: its eigenvalues are done; else one double shift on it (alg. 7.5.1)
//
// Differs from alg. 7.5.2: only eigenvalues are needed, so a step touches its block alone; every
// tenth step on a block takes a shift that doesn't come from it, because a matrix of a cycle is
// left as it is by its own shifts.
#include "base/error.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::numerics {
namespace {
using Complex = std::complex<double>;
constexpr Index kMaxStepsPerBlock = 300, kForeignShift = 10;

struct Block {
  Index first = 0, last = 0;
  Index size() const { return last - first + 1; }
};

// I - beta v v', v[0] = 1, takes x to a multiple of the first unit vector.
struct Reflector {
  std::array<double, 3> v{};
  double beta = 0.0;
  Index size = 0;
};

void to_hessenberg(RowMatrix& a);
Reflector reflector_of(std::array<double, 3> x, Index size);
void from_left(RowMatrix& h, const Reflector& p, Index row, Block columns);
void from_right(RowMatrix& h, const Reflector& p, Index column, Block rows);
double largest_row_sum(const RowMatrix& a);
Index split(RowMatrix& h, Index last, double negligible);
std::array<double, 3> first_column(const RowMatrix& h, Block block, bool foreign);
void francis_step(RowMatrix& h, Block block, bool foreign);
std::array<Complex, 2> eigenvalues_of_two(double a, double b, double c, double d);
}  // namespace

std::vector<Complex> eigenvalues(RowMatrix a) {
  to_hessenberg(a);
  const double negligible = std::numeric_limits<double>::epsilon() * largest_row_sum(a);
  std::vector<Complex> values;
  Index num_steps = 0;
  for (Index last = a.rows - 1; last >= 0;) {
    const Block block{split(a, last, negligible), last};
    if (block.size() > 2) {
      if (++num_steps > kMaxStepsPerBlock)
        throw Error(ErrorCode::evaluation, "the eigenvalues of the matrix were not found");
      francis_step(a, block, num_steps % kForeignShift == 0);
      continue;
    }
    if (block.size() == 1) {
      values.emplace_back(a(last, last));
    } else {
      const Index i = last - 1;
      const auto two = eigenvalues_of_two(a(i, i), a(i, last), a(last, i), a(last, last));
      values.insert(values.end(), two.begin(), two.end());
    }
    last = block.first - 1;
    num_steps = 0;
  }
  return values;
}

namespace {

// Householder reflections of whole columns, alg. 7.4.2.
void to_hessenberg(RowMatrix& a) {
  const Index n = a.rows;
  std::vector<double> v(n), sums(n);
  for (Index k = 0; k + 2 < n; ++k) {
    double below = 0.0;
    for (Index i = k + 2; i < n; ++i) below += a(i, k) * a(i, k);
    if (below == 0.0) continue;
    const double head = a(k + 1, k), norm = std::sqrt(head * head + below);
    const double top = head > 0.0 ? -norm : norm;
    for (Index i = k + 1; i < n; ++i) v[i] = a(i, k);
    v[k + 1] = head - top;
    const double beta = 2.0 / (v[k + 1] * v[k + 1] + below);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (Index i = k + 1; i < n; ++i) {
      for (Index j = k; j < n; ++j) sums[j] += v[i] * a(i, j);
    }
    for (Index i = k + 1; i < n; ++i) {
      for (Index j = k; j < n; ++j) a(i, j) -= beta * v[i] * sums[j];
    }
    for (Index i = 0; i < n; ++i) {
      double sum = 0.0;
      for (Index j = k + 1; j < n; ++j) sum += a(i, j) * v[j];
      for (Index j = k + 1; j < n; ++j) a(i, j) -= beta * sum * v[j];
    }
    for (Index i = k + 2; i < n; ++i) a(i, k) = 0.0;
  }
}

Reflector reflector_of(std::array<double, 3> x, Index size) {
  Reflector p{.size = size};
  double scale = 0.0, below = 0.0;
  for (Index i = 0; i < size; ++i) scale = std::max(scale, std::fabs(x[i]));
  if (scale == 0.0) return p;
  for (double& value : x) value /= scale;
  for (Index i = 1; i < size; ++i) below += x[i] * x[i];
  if (below == 0.0) return p;
  const double norm = std::sqrt(x[0] * x[0] + below);
  const double head = x[0] > 0.0 ? x[0] + norm : x[0] - norm;
  p.v[0] = 1.0;
  for (Index i = 1; i < size; ++i) p.v[i] = x[i] / head;
  p.beta = 2.0 * head * head / (head * head + below);
  return p;
}

void from_left(RowMatrix& h, const Reflector& p, Index row, Block columns) {
  for (Index j = columns.first; j <= columns.last; ++j) {
    double sum = 0.0;
    for (Index i = 0; i < p.size; ++i) sum += p.v[i] * h(row + i, j);
    for (Index i = 0; i < p.size; ++i) h(row + i, j) -= p.beta * sum * p.v[i];
  }
}

void from_right(RowMatrix& h, const Reflector& p, Index column, Block rows) {
  for (Index i = rows.first; i <= rows.last; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < p.size; ++j) sum += h(i, column + j) * p.v[j];
    for (Index j = 0; j < p.size; ++j) h(i, column + j) -= p.beta * sum * p.v[j];
  }
}

double largest_row_sum(const RowMatrix& a) {
  double largest = 0.0;
  for (Index i = 0; i < a.rows; ++i) {
    double sum = 0.0;
    for (const double x : a.row(i)) sum += std::fabs(x);
    largest = std::max(largest, sum);
  }
  return largest;
}

// The first row of the block that ends at `last`: above it the subdiagonal is as small as the
// rounding of the whole. (Measured against its neighbours alone, an eigenvalue of many vectors
// leaves a block of rounding that no step makes smaller.)
Index split(RowMatrix& h, Index last, double negligible) {
  for (Index i = last; i > 0; --i) {
    if (std::fabs(h(i, i - 1)) > negligible) continue;
    h(i, i - 1) = 0.0;
    return i;
  }
  return 0;
}

// First column of (H - a)(H - b), with a and b the eigenvalues of the last two rows.
std::array<double, 3> first_column(const RowMatrix& h, Block block, bool foreign) {
  const Index l = block.first, e = block.last, m = e - 1;
  double sum = h(m, m) + h(e, e), product = h(m, m) * h(e, e) - h(m, e) * h(e, m);
  if (foreign) {  // a pair with modulus of the size of the last entries, off the real axis
    const double size = std::fabs(h(e, m)) + std::fabs(h(m, m - 1));
    sum = 1.5 * size;
    product = size * size;
  }
  return {h(l, l) * (h(l, l) - sum) + h(l, l + 1) * h(l + 1, l) + product,
          h(l + 1, l) * (h(l, l) + h(l + 1, l + 1) - sum), h(l + 1, l) * h(l + 2, l + 1)};
}

// alg. 7.5.1: chases the bulge that the shift makes down the block.
void francis_step(RowMatrix& h, Block block, bool foreign) {
  std::array<double, 3> x = first_column(h, block, foreign);
  for (Index k = block.first; k < block.last; ++k) {
    const Index size = std::min<Index>(3, block.last - k + 1);
    const Reflector p = reflector_of(x, size);
    from_left(h, p, k, {std::max(block.first, k - 1), block.last});
    from_right(h, p, k, {block.first, std::min(k + 3, block.last)});
    for (Index i = 1; k > block.first && i < size; ++i) h(k + i, k - 1) = 0.0;
    for (Index i = 0; i < 3; ++i) x[i] = k + 1 + i <= block.last ? h(k + 1 + i, k) : 0.0;
  }
}

std::array<Complex, 2> eigenvalues_of_two(double a, double b, double c, double d) {
  const double half = 0.5 * (a - d), inside = half * half + b * c, mean = 0.5 * (a + d);
  if (inside < 0.0) {
    const Complex value(mean, std::sqrt(-inside));
    return {value, std::conj(value)};
  }
  const double z = half < 0.0 ? half - std::sqrt(inside) : half + std::sqrt(inside);
  return {Complex(d + z), Complex(z == 0.0 ? d : d - b * c / z)};
}
}  // namespace

}  // namespace credo::numerics
