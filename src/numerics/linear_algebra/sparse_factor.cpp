// Positive definite matrices are factored by TailedFactor, whose tail is empty for most patterns, since its factorisations allocate nothing.
// The library's are for indefinite ones, and it permutes nothing itself: it gets the upper triangle of P A P', into which values
// are written at stored places.
#include "credo/sparse.hpp"

#include <fmt/format.h>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/sizes.hpp"
#include "numerics/linear_algebra/tailed_factor.hpp"

namespace credo::numerics {
namespace {
using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, Index>;
using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index>;
using Ldlt = Eigen::SimplicialLDLT<Matrix, Eigen::Upper, Eigen::NaturalOrdering<Index>>;

auto at(Index i) { return static_cast<std::size_t>(i); }

// Row and column k of P A P' are row and column order[k] of A.
std::vector<Index> minimum_degree(const SparsePattern& pattern) {
  Matrix lower(pattern.size, pattern.size), whole;
  std::vector<Eigen::Triplet<double, Index>> ones;
  for (Index j = 0; j < pattern.size; ++j)
    for (Index k = pattern.starts[at(j)]; k < pattern.starts[at(j + 1)]; ++k)
      ones.emplace_back(pattern.rows[at(k)], j, 1.0);
  lower.setFromTriplets(ones.begin(), ones.end());
  whole = lower.selfadjointView<Eigen::Lower>();
  Permutation inverse;
  Eigen::AMDOrdering<Index>()(whole, inverse);
  const Index* const indices = inverse.indices().data();
  return {indices, indices + inverse.size()};
}

// Rows that aren't connected with each other, as `wanted` lists them, before all others, which have the order of `order`: better if
// eliminating the levels of one factor leaves a dense matrix of another factor's levels.
std::vector<Index> independent_first(const SparsePattern& pattern, std::span<const Index> wanted,
                                     std::span<const Index> order) {
  std::vector<std::vector<Index>> neighbours(at(pattern.size));
  for (Index j = 0; j < pattern.size; ++j) {
    for (Index k = pattern.starts[at(j)] + 1; k < pattern.starts[at(j + 1)]; ++k) {
      neighbours[at(j)].push_back(pattern.rows[at(k)]);
      neighbours[at(pattern.rows[at(k)])].push_back(j);
    }
  }
  std::vector<char> is_first(at(pattern.size), 0), is_taken(at(pattern.size), 0);
  std::vector<Index> result;
  for (const Index i : wanted) {
    if (is_taken[at(i)] != 0) continue;
    is_first[at(i)] = 1;
    result.push_back(i);
    for (const Index j : neighbours[at(i)]) is_taken[at(j)] = 1;
  }
  for (const Index i : order)
    if (is_first[at(i)] == 0) result.push_back(i);
  return result;
}

// The upper triangle of P A P'; the value of each element is the place in A that it comes from.
Matrix permuted_places(const SparsePattern& pattern, std::span<const Index> order) {
  std::vector<Index> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[at(order[k])] = static_cast<Index>(k);
  std::vector<Eigen::Triplet<double, Index>> sources;
  for (Index j = 0; j < pattern.size; ++j) {
    for (Index k = pattern.starts[at(j)]; k < pattern.starts[at(j + 1)]; ++k) {
      const auto [row, col] = std::minmax(rank[at(pattern.rows[at(k)])], rank[at(j)]);
      sources.emplace_back(row, col, static_cast<double>(k));
    }
  }
  Matrix permuted(pattern.size, pattern.size);
  permuted.setFromTriplets(sources.begin(), sources.end());
  return permuted;
}

UpperColumns upper_columns(const Matrix& upper) {
  return {upper.cols(), upper.outerIndexPtr(), upper.innerIndexPtr()};
}
}  // namespace

struct SparseFactor::Impl {
  std::shared_ptr<const SparsePattern> pattern;
  std::vector<Index> order, rank;  // rank[order[k]] = k
  Matrix permuted;                 // upper triangle
  std::vector<Index> place;        // place of each value of A in `permuted`
  Ldlt ldlt;
  Eigen::VectorXd pivots;
  bool is_factored = false, is_analysed = false;
  Index first_of_tail = 0;
  std::optional<TailedFactor> tailed;  // made with the first positive definite matrix
  bool by_tail = false;                // the last factor is that one

  explicit Impl(const SparseSymmetric& matrix);
  const Impl& factored(
      const char* function) const;  // throws Error(usage) if the last refactor failed
  const Matrix& lower() const { return ldlt.matrixL().nestedExpression(); }
  Eigen::MatrixXd permuted_rows(std::span<const double> b, Index cols) const;
  void put_back(const Eigen::MatrixXd& x, std::span<double> b) const;
  Eigen::VectorXd root_pivots(const char* function) const;
  static std::vector<std::span<double>> columns_of(Eigen::MatrixXd& x);
};

// The order of minimum degree; or, if its tail is dense, one that begins with the rows of one factor, where that is much faster.
SparseFactor::Impl::Impl(const SparseSymmetric& matrix)
    : pattern(matrix.shared_pattern()), order(minimum_degree(*pattern)) {
  constexpr double kWorthAnotherOrder = 0.8;
  permuted = permuted_places(*pattern, order);
  DenseTail tail = find_dense_tail(upper_columns(permuted));
  if (tail.first < pattern->size) {
    const std::vector<Index> by_degree = order;
    std::vector<Index> wanted(order.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    for (int side = 0; side < 2; ++side) {
      std::vector<Index> other = independent_first(*pattern, wanted, by_degree);
      Matrix places = permuted_places(*pattern, other);
      const DenseTail of_other = find_dense_tail(upper_columns(places));
      std::ranges::reverse(wanted);
      if (of_other.first == pattern->size || of_other.cost > kWorthAnotherOrder * tail.cost)
        continue;
      order = std::move(other), tail = of_other;
      permuted = std::move(places);
    }
  }
  first_of_tail = tail.first;
  rank.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[at(order[k])] = static_cast<Index>(k);
  place.resize(pattern->rows.size());
  for (Index k = 0; k < permuted.nonZeros(); ++k)
    place[static_cast<std::size_t>(permuted.valuePtr()[k])] = k;
}

Eigen::MatrixXd SparseFactor::Impl::permuted_rows(std::span<const double> b, Index cols) const {
  Eigen::MatrixXd x(pattern->size, cols);
  for (Index c = 0; c < cols; ++c)
    for (Index k = 0; k < pattern->size; ++k) x(k, c) = b[at(order[at(k)] + c * pattern->size)];
  return x;
}

void SparseFactor::Impl::put_back(const Eigen::MatrixXd& x, std::span<double> b) const {
  for (Index c = 0; c < x.cols(); ++c)
    for (Index k = 0; k < pattern->size; ++k) b[at(order[at(k)] + c * pattern->size)] = x(k, c);
}

std::vector<std::span<double>> SparseFactor::Impl::columns_of(Eigen::MatrixXd& x) {
  std::vector<std::span<double>> columns;
  for (Index c = 0; c < x.cols(); ++c) columns.emplace_back(x.col(c).data(), at(x.rows()));
  return columns;
}

Eigen::VectorXd SparseFactor::Impl::root_pivots(const char* function) const {
  if (pivots.size() > 0 && !(pivots.minCoeff() > 0.0))
    throw Error(
        ErrorCode::usage,
        fmt::format("the matrix must be positive definite, has a pivot {}", pivots.minCoeff()),
        function, "use solve");
  return pivots.cwiseSqrt();
}

const SparseFactor::Impl& SparseFactor::Impl::factored(const char* function) const {
  if (!is_factored)
    throw Error(ErrorCode::usage, "the matrix isn't factored", function,
                "call refactor, and check that it returns no FailedPivot");
  return *this;
}

SparseFactor::SparseFactor(const SparseSymmetric& matrix) : impl_(std::make_unique<Impl>(matrix)) {}
SparseFactor::~SparseFactor() = default;
SparseFactor::SparseFactor(SparseFactor&&) noexcept = default;
SparseFactor& SparseFactor::operator=(SparseFactor&&) noexcept = default;

std::optional<FailedPivot> SparseFactor::refactor(const SparseSymmetric& matrix,
                                                  Definiteness required) {
  impl_->is_factored = false;
  if (matrix.pattern().rows != impl_->pattern->rows ||
      matrix.pattern().starts != impl_->pattern->starts)
    throw Error(ErrorCode::usage, "the pattern of the matrix isn't that of the factor", "refactor",
                "make a factor for each pattern");
  double* const values = impl_->permuted.valuePtr();
  for (std::size_t k = 0; k < impl_->place.size(); ++k)
    values[impl_->place[k]] = matrix.values()[k];
  impl_->by_tail = required == Definiteness::positive;
  if (impl_->by_tail) {
    if (!impl_->tailed)
      impl_->tailed.emplace(upper_columns(impl_->permuted), impl_->first_of_tail);
    const auto failed = impl_->tailed->refactor({values, impl_->place.size()});
    impl_->is_factored = !failed;
    if (failed) return FailedPivot{impl_->order[at(failed->row)], failed->pivot};
    return std::nullopt;
  }
  if (!std::exchange(impl_->is_analysed, true)) impl_->ldlt.analyzePattern(impl_->permuted);
  impl_->ldlt.factorize(impl_->permuted);
  impl_->pivots = impl_->ldlt.vectorD();
  for (Index k = 0; k < size(); ++k) {  // the library stops at a pivot of 0: later pivots are old
    const double d = impl_->pivots[k];
    if (!std::isfinite(d) || d == 0.0) return FailedPivot{impl_->order[at(k)], d};
  }
  impl_->is_factored = true;
  return std::nullopt;
}

Index SparseFactor::size() const { return impl_->pattern->size; }
Index SparseFactor::num_values() const {
  const Impl& impl = impl_->factored("num_values");
  return impl.by_tail ? impl.tailed->num_values() : impl.lower().nonZeros();
}

double SparseFactor::log_determinant() const {
  const Impl& impl = impl_->factored("log_determinant");
  if (impl.by_tail) return impl.tailed->log_determinant();
  double sum = 0.0;
  for (const double d : impl.pivots) sum += numerics::log(std::fabs(d));
  return sum;
}

Index SparseFactor::num_negative() const {
  const Impl& impl = impl_->factored("num_negative");
  return impl.by_tail ? 0 : (impl.pivots.array() < 0.0).count();
}

void SparseFactor::solve(std::span<double> b, Index cols) const {
  require_size(b, size() * cols, "solve", "b");
  Eigen::MatrixXd x = impl_->factored("solve").permuted_rows(b, cols);
  if (impl_->by_tail) {
    for (const std::span<double> column : impl_->columns_of(x)) impl_->tailed->solve(column);
    return impl_->put_back(x, b);
  }
  impl_->ldlt.matrixL().solveInPlace(x);
  x.array().colwise() /= impl_->pivots.array();
  impl_->ldlt.matrixU().solveInPlace(x);
  impl_->put_back(x, b);
}

struct SparseWorkspace::Impl {
  std::vector<double> column, elements;
  TailedFactor::InverseMemory inverse;
};
SparseWorkspace::SparseWorkspace() : impl_(std::make_unique<Impl>()) {}
SparseWorkspace::~SparseWorkspace() = default;
SparseWorkspace::SparseWorkspace(SparseWorkspace&&) noexcept = default;
SparseWorkspace& SparseWorkspace::operator=(SparseWorkspace&&) noexcept = default;

void SparseFactor::solve(std::span<double> b, SparseWorkspace& workspace) const {
  if (!impl_->factored("solve").by_tail) return solve(b);
  require_size(b, size(), "solve", "b");
  std::vector<double>& x = workspace.impl_->column;
  x.resize(b.size());
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = b[at(impl_->order[k])];
  impl_->tailed->solve(x);
  for (std::size_t k = 0; k < x.size(); ++k) b[at(impl_->order[k])] = x[k];
}

// The halves are in the order of the factor, which no caller sees: b' A^-1 b and the distribution of C'^-1 z need no order of z.
void SparseFactor::half_solve(std::span<double> b, Index cols) const {
  require_size(b, size() * cols, "half_solve", "b");
  Eigen::MatrixXd x = impl_->factored("half_solve").permuted_rows(b, cols);
  if (impl_->by_tail) {
    for (const std::span<double> column : impl_->columns_of(x)) impl_->tailed->half_solve(column);
    return std::ranges::copy(std::span(x.data(), b.size()), b.begin()), void();
  }
  impl_->ldlt.matrixL().solveInPlace(x);
  x.array().colwise() /= impl_->root_pivots("half_solve").array();
  std::ranges::copy(std::span(x.data(), b.size()), b.begin());
}

void SparseFactor::half_solve_transposed(std::span<double> b, Index cols) const {
  require_size(b, size() * cols, "half_solve_transposed", "b");
  Eigen::MatrixXd x = Eigen::Map<const Eigen::MatrixXd>(b.data(), size(), cols);
  if (impl_->factored("half_solve_transposed").by_tail) {
    for (const std::span<double> column : impl_->columns_of(x))
      impl_->tailed->half_solve_transposed(column);
    return impl_->put_back(x, b);
  }
  x.array().colwise() /=
      impl_->factored("half_solve_transposed").root_pivots("half_solve_transposed").array();
  impl_->ldlt.matrixU().solveInPlace(x);
  impl_->put_back(x, b);
}

namespace {
// Z = (L D L')^-1 on the pattern of L: its diagonal, and below it at the places of L. From the last column on
//   Z_ij = -Σ_k L_kj Z_ik   (i > j, over the rows k > j of column j),   Z_jj = 1 / D_j - Σ_k L_kj Z_kj;
// the elements on the right are on the pattern, since the rows of a column of L are connected with each other.
struct InverseElements {
  Eigen::VectorXd diagonal, below;
  InverseElements(const Matrix& l, const Eigen::VectorXd& pivots);

 private:
  // Adds the terms of row k, at place p of column j, to the rows below it in this column, and returns the sum for row k itself.
  double add_row(const Matrix& l, Index p, Index end);
  std::vector<Index> slot_;  // the place of a row in column j
};

double InverseElements::add_row(const Matrix& l, Index p, Index end) {
  const Index *starts = l.outerIndexPtr(), *rows = l.innerIndexPtr();
  const double* values = l.valuePtr();
  const Index first = starts[rows[p]], count = starts[rows[p] + 1] - first, left = end - p - 1;
  if (count == left) {  // column k has the rows of column j that are left, and they are in order
    const auto inverse = below.segment(first, count);
    below.segment(p + 1, count) -= values[p] * inverse;
    return Eigen::Map<const Eigen::VectorXd>(values + p + 1, count).dot(inverse);
  }
  double sum = 0.0;
  for (Index q = first; q < first + count; ++q) {
    const Index t = slot_[at(rows[q])];
    if (t < 0) continue;
    below[t] -= values[p] * below[q];
    sum += values[t] * below[q];
  }
  return sum;
}

InverseElements::InverseElements(const Matrix& l, const Eigen::VectorXd& pivots)
    : diagonal(l.cols()), below(Eigen::VectorXd::Zero(l.nonZeros())), slot_(at(l.cols()), -1) {
  const Index *starts = l.outerIndexPtr(), *rows = l.innerIndexPtr();
  const double* values = l.valuePtr();
  for (Index j = l.cols(); j-- > 0;) {
    const Index first = starts[j], end = starts[j + 1];
    for (Index p = first; p < end; ++p) slot_[at(rows[p])] = p;
    for (Index p = first; p < end; ++p)
      below[p] -= values[p] * diagonal[rows[p]] + add_row(l, p, end);
    double d = 1.0 / pivots[j];
    for (Index p = first; p < end; ++p) {
      d -= values[p] * below[p];
      slot_[at(rows[p])] = -1;
    }
    diagonal[j] = d;
  }
}
}  // namespace

std::vector<double> SparseFactor::inverse_on_pattern() const {
  const Impl& impl = impl_->factored("inverse_on_pattern");
  if (impl.by_tail) {
    TailedFactor::InverseMemory memory;
    std::vector<double> found(impl.place.size()), ordered(impl.place.size());
    impl.tailed->inverse_on_pattern(found, memory);
    for (std::size_t k = 0; k < ordered.size(); ++k) ordered[k] = found[at(impl.place[k])];
    return ordered;
  }
  const Matrix& l = impl_->lower();
  const InverseElements inverse(l, impl_->pivots);
  const SparsePattern& pattern = *impl_->pattern;
  std::vector<double> found(pattern.rows.size());
  for (Index j = 0; j < pattern.size; ++j) {
    for (Index k = pattern.starts[at(j)]; k < pattern.starts[at(j + 1)]; ++k) {
      const auto [col, row] = std::minmax(impl_->rank[at(pattern.rows[at(k)])], impl_->rank[at(j)]);
      const Index *first = l.innerIndexPtr() + l.outerIndexPtr()[col],
                  *last = l.innerIndexPtr() + l.outerIndexPtr()[col + 1];
      const Index p = std::lower_bound(first, last, row) - l.innerIndexPtr();
      found[at(k)] = row == col ? inverse.diagonal[row] : inverse.below[p];
    }
  }
  return found;
}

std::vector<double> SparseFactor::log_determinant_gradient() const {
  std::vector<double> gradient(impl_->place.size());
  SparseWorkspace workspace;
  log_determinant_gradient(gradient, workspace);
  return gradient;
}

void SparseFactor::log_determinant_gradient(std::span<double> into,
                                            SparseWorkspace& workspace) const {
  const Impl& impl = impl_->factored("log_determinant_gradient");
  require_size(into, impl.pattern->num_values(), "log_determinant_gradient", "into");
  if (impl.by_tail) {
    std::vector<double>& found = workspace.impl_->elements;
    found.resize(into.size());
    impl.tailed->inverse_on_pattern(found, workspace.impl_->inverse);
    for (std::size_t k = 0; k < into.size(); ++k) into[k] = found[at(impl.place[k])];
  } else {
    std::ranges::copy(inverse_on_pattern(), into.begin());
  }
  for (double& x : into) x *= 2.0;
  for (Index j = 0; j < size(); ++j) into[at(impl.pattern->starts[at(j)])] *= 0.5;
}

std::vector<double> SparseFactor::inverse_form_gradient(std::span<const double> x,
                                                        std::span<const double> y) const {
  std::vector<double> u(x.begin(), x.end()), w(y.begin(), y.end());
  solve(u);
  solve(w);
  std::vector<double> gradient = bilinear_gradient(*impl_->pattern, u, w);
  for (double& g : gradient) g = -g;
  return gradient;
}

}  // namespace credo::numerics
