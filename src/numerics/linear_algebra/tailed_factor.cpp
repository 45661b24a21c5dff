#include "numerics/linear_algebra/tailed_factor.hpp"

#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::numerics {
namespace {
auto place(Index k) { return static_cast<std::size_t>(k); }

// The parents of columns in the elimination tree, and the number of elements of each column of L below its diagonal
// [davis2006, sec. 4.1]. O(elements of L).
struct ColumnCounts {
  std::vector<Index> parent, count;
  explicit ColumnCounts(const UpperColumns& a)
      : parent(place(a.size), -1), count(place(a.size), 0) {
    std::vector<Index> mark(place(a.size), -1);
    for (Index k = 0; k < a.size; ++k) {
      mark[place(k)] = k;
      for (Index p = a.starts[k]; p < a.starts[k + 1]; ++p) {
        for (Index i = a.rows[p]; i < k && mark[place(i)] != k; i = parent[place(i)]) {
          if (parent[place(i)] < 0) parent[place(i)] = k;
          ++count[place(i)];
          mark[place(i)] = k;
        }
      }
    }
  }
};

// A lower triangle within a column-major matrix whose columns are `stride` apart.
struct LowerPart {
  double* data;
  Index n, stride;
  LowerPart part(Index row, Index col, Index size) const {
    return {data + row + col * stride, size, stride};
  }
  LaneOperand read(Index row, Index col) const {
    return {data + row + col * stride, 1, stride, true};
  }
};
constexpr Index kSmallTriangle = 32;
constexpr Index kReadBeyond = 16;  // products read up to a SIMD vector past the end

using Memory = std::array<TailedFactor::ProductMemory, 2>;

std::span<const double> product(const LaneOperand& a, const LaneOperand& b,
                                const ProductSizes& sizes, TailedFactor::ProductMemory& memory) {
  memory.out.resize(place(sizes.rows * sizes.cols + kReadBeyond));
  memory.scratch.resize(place(multiply_scratch(sizes)));
  multiply(1, sizes, a, b, memory.out.data(), memory.scratch.data());
  return memory.out;
}

void copy_block(std::span<const double> from, Index rows, Index cols, double factor,
                const LowerPart& to) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      to.data[i + j * to.stride] = factor * from[place(i + j * rows)];
}

void invert_small(const LowerPart& x) {
  for (Index j = 0; j < x.n; ++j) {
    double* const col = x.data + j * x.stride;
    col[j] = 1.0 / col[j];
    for (Index i = j + 1; i < x.n; ++i) {  // columns behind j are still those of the factor
      double sum = 0.0;
      for (Index k = j; k < i; ++k) sum += x.data[i + k * x.stride] * col[k];
      col[i] = -sum / x.data[i + i * x.stride];
    }
  }
}

// The inverse in the place of a lower triangle, with zeros above. [A 0; B D] has the inverse [A⁻¹ 0; -D⁻¹ B A⁻¹ D⁻¹].
void invert_lower(const LowerPart& x, Memory& memory) {
  if (x.n <= kSmallTriangle) return invert_small(x);
  const Index n = x.n / 2, rest = x.n - n;
  invert_lower(x.part(0, 0, n), memory);
  invert_lower(x.part(n, n, rest), memory);
  const std::span<const double> half = product(
      x.read(n, n), x.read(n, 0), {.rows = rest, .inner = rest, .cols = n}, memory[0]);
  copy_block(product({half.data(), 1, rest, true}, x.read(0, 0),
                     {.rows = rest, .inner = n, .cols = n}, memory[1]),
             rest, n, -1.0, x.part(n, 0, rest));
}

// The lower triangle of Z = X' X, X lower triangular with zeros above.
void gram_of_lower(const LowerPart& x, const LowerPart& z, Memory& memory) {
  if (x.n <= kSmallTriangle) {
    for (Index j = 0; j < x.n; ++j) {
      for (Index i = j; i < x.n; ++i) {
        double sum = 0.0;
        for (Index k = i; k < x.n; ++k) sum += x.data[k + i * x.stride] * x.data[k + j * x.stride];
        z.data[i + j * z.stride] = sum;
      }
    }
    return;
  }
  const Index n = x.n / 2, rest = x.n - n;
  gram_of_lower(x.part(0, 0, n), z.part(0, 0, n), memory);
  gram_of_lower(x.part(n, n, rest), z.part(n, n, rest), memory);
  const std::span<const double> added =
      product(x.read(n, 0).transposed(), x.read(n, 0), {.rows = n, .inner = rest, .cols = n},
              memory[0]);
  for (Index j = 0; j < n; ++j)
    for (Index i = j; i < n; ++i) z.data[i + j * z.stride] += added[place(i + j * n)];
  copy_block(product(x.read(n, n).transposed(), x.read(n, 0),
                     {.rows = rest, .inner = rest, .cols = n}, memory[0]),
             rest, n, 1.0, z.part(n, 0, rest));
}
}  // namespace

// Dense arithmetic is some 16 times as fast as that of single elements, and does n³ / 3 in the place of Σ count².
DenseTail find_dense_tail(const UpperColumns& pattern) {
  constexpr Index kLeastTail = 96;
  constexpr double kFaster = 16.0, kLargestTail = 20'000.0;  // its matrix takes 3 GB
  const std::vector<Index> count = ColumnCounts(pattern).count;
  double sparse = 0.0, best = 0.0;
  Index first = pattern.size;
  for (Index j = pattern.size; j-- > 0;) {
    const double c = static_cast<double>(count[place(j)]),
                 n = static_cast<double>(pattern.size - j);
    sparse += c * c;
    const double gain = sparse - n * n * n / (3.0 * kFaster);
    if (pattern.size - j >= kLeastTail && n <= kLargestTail && gain > best) best = gain, first = j;
  }
  return {.first = first, .cost = sparse - best};
}

TailedFactor::TailedFactor(const UpperColumns& pattern, Index first_of_tail)
    : size_(pattern.size),
      first_(first_of_tail),
      starts_(pattern.starts, pattern.starts + pattern.size + 1),
      rows_(pattern.rows, pattern.rows + pattern.starts[pattern.size]),
      count_(place(first_), 0),
      split_(place(first_), 0),
      pivots_(place(first_), 0.0),
      work_(place(size_), 0.0),
      stack_(place(size_), 0),
      mark_(place(size_), -1) {
  ColumnCounts columns(pattern);
  parent_ = std::move(columns.parent);
  begin_.assign(1, 0);
  for (Index j = 0; j < first_; ++j) begin_.push_back(begin_.back() + columns.count[place(j)]);
  l_rows_.resize(place(begin_.back()));
  l_values_.resize(place(begin_.back()));
  const Index n = size_ - first_;
  schur_.resize(place(n * n + kReadBeyond));
  tail_.resize(place(n * n + kReadBeyond));
  scratch_.resize(place(cholesky_scratch(n)));
}

std::span<const std::int32_t> TailedFactor::rows_of(Index col) const {
  return std::span(l_rows_).subspan(place(begin_[place(col)]), place(count_[place(col)]));
}
std::span<const double> TailedFactor::values_of(Index col) const {
  return std::span(l_values_).subspan(place(begin_[place(col)]), place(count_[place(col)]));
}

// Scatters row k of A, and finds the leading columns of row k of L in the order in which they are eliminated: stack_[result, ...).
Index TailedFactor::reach(Index k, std::span<const double> values) {
  const Index n = size_ - first_;
  Index top = size_;
  mark_[place(k)] = k;
  for (Index p = starts_[place(k)]; p < starts_[place(k + 1)]; ++p) {
    Index i = rows_[place(p)];
    if (i >= first_) {
      schur_[place((k - first_) + (i - first_) * n)] += values[place(p)];
      continue;
    }
    work_[place(i)] += values[place(p)];
    Index length = 0;
    for (; i >= 0 && i < first_ && mark_[place(i)] != k; i = parent_[place(i)]) {
      stack_[place(length++)] = i;
      mark_[place(i)] = k;
    }
    while (length > 0) stack_[place(--top)] = stack_[place(--length)];
  }
  return top;
}

// Row by row; rows of the tail have leading columns only.
std::optional<TailedFactor::Failed> TailedFactor::eliminate_leading(
    std::span<const double> values) {
  for (Index k = 0; k < size_; ++k) {
    const bool is_leading = k < first_;
    if (k == first_) split_ = count_;
    Index top = reach(k, values);
    double pivot = is_leading ? std::exchange(work_[place(k)], 0.0) : 0.0;
    for (; top < size_; ++top) {
      const Index i = stack_[place(top)];
      const double y = std::exchange(work_[place(i)], 0.0);
      const Index first = begin_[place(i)],
                  last = first + (is_leading ? count_[place(i)] : split_[place(i)]);
      for (Index p = first; p < last; ++p)
        work_[place(l_rows_[place(p)])] -= l_values_[place(p)] * y;
      const double l = y / pivots_[place(i)];
      pivot -= l * y;
      const Index next = first + count_[place(i)]++;
      l_rows_[place(next)] = static_cast<std::int32_t>(k);
      l_values_[place(next)] = l;
    }
    if (!is_leading) continue;
    pivots_[place(k)] = pivot;
    if (!(pivot > 0.0) || !std::isfinite(pivot)) return Failed{k, pivot};
  }
  if (first_ == size_) split_ = count_;
  return std::nullopt;
}

// S -= L21 D1 L21'.
void TailedFactor::subtract_leading() {
  const Index n = size_ - first_;
  for (Index j = 0; j < first_; ++j) {
    const auto rows = rows_of(j).subspan(place(split_[place(j)]));
    const auto values = values_of(j).subspan(place(split_[place(j)]));
    for (std::size_t b = 0; b < rows.size(); ++b) {
      double* const col = schur_.data() + (rows[b] - first_) * n - first_;
      const double scaled = pivots_[place(j)] * values[b];
      for (std::size_t a = b; a < rows.size(); ++a) col[rows[a]] -= scaled * values[a];
    }
  }
}

std::optional<TailedFactor::Failed> TailedFactor::factor_tail() {
  const Index n = size_ - first_;
  if (n == 0) return std::nullopt;
  cholesky(1, n, {schur_.data(), 1, n, false}, tail_.data(), scratch_.data());
  for (Index k = 0; k < n; ++k) {
    const double root = tail_[place(k + k * n)];
    if (!(root > 0.0) || !std::isfinite(root)) return Failed{first_ + k, root};
  }
  return std::nullopt;
}

std::optional<TailedFactor::Failed> TailedFactor::refactor(std::span<const double> values) {
  std::ranges::fill(count_, 0);
  std::ranges::fill(schur_, 0.0);
  std::ranges::fill(work_, 0.0);
  std::ranges::fill(mark_, -1);
  if (auto failed = eliminate_leading(values)) return failed;
  subtract_leading();
  return factor_tail();
}

Index TailedFactor::num_values() const {
  const Index n = size_ - first_;
  return begin_.back() + n * (n - 1) / 2;
}

double TailedFactor::log_determinant() const {
  const Index n = size_ - first_;
  double sum = 0.0;
  for (const double d : pivots_) sum += numerics::log(d);
  for (Index k = 0; k < n; ++k) sum += 2.0 * numerics::log(tail_[place(k + k * n)]);
  return sum;
}

// L^-1 b, with C as the tail's part of L.
void TailedFactor::forward(std::span<double> b) const {
  const Index n = size_ - first_;
  for (Index j = 0; j < first_; ++j) {
    const auto rows = rows_of(j);
    const auto values = values_of(j);
    for (std::size_t p = 0; p < rows.size(); ++p) b[place(rows[p])] -= values[p] * b[place(j)];
  }
  double* const tail = b.data() + first_;
  for (Index j = 0; j < n; ++j) {
    const double* const col = tail_.data() + j * n;
    tail[j] /= col[j];
    for (Index i = j + 1; i < n; ++i) tail[i] -= col[i] * tail[j];
  }
}

void TailedFactor::backward(std::span<double> b) const {
  const Index n = size_ - first_;
  double* const tail = b.data() + first_;
  for (Index j = n; j-- > 0;) {
    const double* const col = tail_.data() + j * n;
    double sum = tail[j];
    for (Index i = j + 1; i < n; ++i) sum -= col[i] * tail[i];
    tail[j] = sum / col[j];
  }
  for (Index j = first_; j-- > 0;) {
    const auto rows = rows_of(j);
    const auto values = values_of(j);
    for (std::size_t p = 0; p < rows.size(); ++p) b[place(j)] -= values[p] * b[place(rows[p])];
  }
}

void TailedFactor::solve(std::span<double> b) const {
  forward(b);
  for (Index j = 0; j < first_; ++j) b[place(j)] /= pivots_[place(j)];
  backward(b);
}

void TailedFactor::half_solve(std::span<double> b) const {
  forward(b);
  for (Index j = 0; j < first_; ++j) b[place(j)] /= std::sqrt(pivots_[place(j)]);
}

void TailedFactor::half_solve_transposed(std::span<double> b) const {
  for (Index j = 0; j < first_; ++j) b[place(j)] /= std::sqrt(pivots_[place(j)]);
  backward(b);
}

// Z = A^-1 on the pattern of L: dense in the tail, S^-1; then from the last leading column on, over the rows R of column j,
//   z_ij = -Σ_k∈R l_kj z_ik,   z_jj = 1 / d_j - Σ_k∈R l_kj z_kj      [takahashi1973]
struct TailedFactor::Inverse {
  const TailedFactor& factor;
  Index n;
  std::vector<double>&tail, &diagonal, &below;
  std::vector<Index>& slot;

  Inverse(const TailedFactor& from, InverseMemory& memory)
      : factor(from),
        n(from.size_ - from.first_),
        tail(memory.tail),
        diagonal(memory.diagonal),
        below(memory.below),
        slot(memory.slot) {
    tail.assign(from.schur_.size(), 0.0);
    diagonal.assign(place(from.first_), 0.0);
    below.assign(from.l_values_.size(), 0.0);
    slot.assign(place(from.size_), -1);
    memory.factor = from.tail_;
    invert_lower({memory.factor.data(), n, n}, memory.products);
    gram_of_lower({memory.factor.data(), n, n}, {tail.data(), n, n}, memory.products);
    for (Index j = from.first_; j-- > 0;) add_column(j);
  }
  double of_tail(Index row, Index col) const {
    const Index low = std::min(row, col) - factor.first_, high = std::max(row, col) - factor.first_;
    return tail[place(high + low * n)];
  }

 private:
  void add_column(Index j) {
    const auto rows = factor.rows_of(j);
    const auto values = factor.values_of(j);
    const Index begin = factor.begin_[place(j)];
    const auto split = place(factor.split_[place(j)]);
    for (std::size_t p = 0; p < rows.size(); ++p) slot[place(rows[p])] = static_cast<Index>(p);
    double* const out = below.data() + begin;
    for (std::size_t p = 0; p < split; ++p) add_leading_row(rows, values, p, out);
    for (std::size_t p = split; p < rows.size(); ++p)
      for (std::size_t q = split; q < rows.size(); ++q)
        out[p] -= values[q] * of_tail(rows[p], rows[q]);
    double d = 1.0 / factor.pivots_[place(j)];
    for (std::size_t p = 0; p < rows.size(); ++p) {
      d -= values[p] * out[p];
      slot[place(rows[p])] = -1;
    }
    diagonal[place(j)] = d;
  }
  // The terms of row k = rows[p], a leading column, and of it for the rows below.
  void add_leading_row(std::span<const std::int32_t> rows, std::span<const double> values,
                       std::size_t p, double* out) const {
    const Index k = rows[p], first = factor.begin_[place(k)];
    const auto below_rows = factor.rows_of(k);
    double sum = values[p] * diagonal[place(k)];
    for (std::size_t q = 0; q < below_rows.size(); ++q) {
      const Index t = slot[place(below_rows[q])];
      if (t < 0) continue;
      const double z = below[place(first) + q];
      out[t] -= values[p] * z;
      sum += values[place(t)] * z;
    }
    out[p] -= sum;
  }
};

void TailedFactor::inverse_on_pattern(std::span<double> found, InverseMemory& memory) const {
  const Inverse inverse(*this, memory);
  for (Index k = 0; k < size_; ++k) {
    for (Index p = starts_[place(k)]; p < starts_[place(k + 1)]; ++p) {
      const Index i = rows_[place(p)];
      if (i >= first_) {
        found[place(p)] = inverse.of_tail(i, k);
      } else if (i == k) {
        found[place(p)] = inverse.diagonal[place(k)];
      } else {
        const auto rows = rows_of(i);
        const auto at = std::ranges::lower_bound(rows, static_cast<std::int32_t>(k)) - rows.begin();
        found[place(p)] = inverse.below[place(begin_[place(i)] + at)];
      }
    }
  }
}

}  // namespace credo::numerics
