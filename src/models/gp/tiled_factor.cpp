#include "models/gp/tiled_factor.hpp"

#include "base/processors.hpp"
#include "base/stop.hpp"
#include "numerics/linear_algebra/dense.hpp"

namespace credo::models {
namespace {
using numerics::LaneOperand;
constexpr Index kPadding = 32;  // kernels read a vector past the end

std::vector<double> padded(Index size) {
  return std::vector<double>(static_cast<std::size_t>(size + kPadding));
}
Index tile_for(Index n) { return n <= 256 ? 64 : n <= 1024 ? 96 : 192; }
}  // namespace

WorkerTeam::WorkerTeam(Index num_threads)
    : team_(std::clamp<Index>(num_threads > 0 ? num_threads : num_processors(), 1, Team::kMost)) {}

TiledFactor::TiledFactor(Index size, WorkerTeam& team)
    : n_(size), tile_(tile_for(size)), team_(&team), values_(padded(size * size)) {}

// Tiles (i, k), i >= k, less the products of the finished columns; then the diagonal tile's factor, then the tiles below it.
bool TiledFactor::factor() {
  failed_ = -1;
  for (Index k = 0; k < num_tiles(); ++k) {
    stop_if_asked();
    update_column(k);
    const Index width = count(k);
    std::vector<double> diagonal = padded(width * width),
                        scratch = padded(numerics::cholesky_scratch(width));
    numerics::cholesky(1, width, {at(first(k), first(k)), 1, n_}, diagonal.data(), scratch.data());
    for (Index j = 0; j < width; ++j) {
      if (!(diagonal[static_cast<std::size_t>(j + j * width)] > 0.0)) {
        failed_ = first(k) + j;
        return false;
      }
      std::copy_n(diagonal.data() + j * width + j, width - j, at(first(k) + j, first(k) + j));
    }
    team_->for_each(num_tiles() - k - 1, [&](Index piece, Index) {
      const Index i = k + 1 + piece, rows = count(i);
      std::vector<double> solved = padded(width * rows),
                          own = padded(numerics::solve_lower_scratch(width, rows));
      numerics::solve_lower(1, {width, rows}, {at(first(k), first(k)), 1, n_},
                            {at(first(i), first(k)), n_, 1}, solved.data(), own.data());
      for (Index j = 0; j < width; ++j)
        for (Index r = 0; r < rows; ++r)
          *at(first(i) + r, first(k) + j) = solved[static_cast<std::size_t>(j + r * width)];
    });
  }
  return true;
}

void TiledFactor::update_column(Index k) {
  const Index inner = first(k), width = count(k);
  if (inner == 0) return;
  team_->for_each(num_tiles() - k, [&](Index piece, Index) {
    const Index i = k + piece, rows = count(i);
    const numerics::ProductSizes sizes{rows, inner, width};
    std::vector<double> product = padded(rows * width),
                        scratch = padded(numerics::multiply_scratch(sizes));
    numerics::multiply(1, sizes, {at(first(i), 0), 1, n_}, {at(first(k), 0), n_, 1}, product.data(),
                       scratch.data());
    for (Index j = 0; j < width; ++j) {
      double* to = at(first(i), first(k) + j);
      for (Index r = 0; r < rows; ++r) to[r] -= product[static_cast<std::size_t>(r + j * rows)];
    }
  });
}

double TiledFactor::log_determinant() const {
  double sum = 0.0;
  for (Index j = 0; j < n_; ++j) sum += 2.0 * std::log(*at(j, j));
  return sum;
}

void TiledFactor::solve(std::span<double> x) const {
  for (Index j = 0; j < n_; ++j) {
    const double value = x[static_cast<std::size_t>(j)] /= *at(j, j);
    const double* column = at(0, j);
    for (Index i = j + 1; i < n_; ++i) x[static_cast<std::size_t>(i)] -= column[i] * value;
  }
}
void TiledFactor::solve_transposed(std::span<double> x) const {
  for (Index j = n_ - 1; j >= 0; --j) {
    const double* column = at(0, j);
    double sum = x[static_cast<std::size_t>(j)];
    for (Index i = j + 1; i < n_; ++i) sum -= column[i] * x[static_cast<std::size_t>(i)];
    x[static_cast<std::size_t>(j)] = sum / column[j];
  }
}

void TiledFactor::solve_columns(double* b, Index cols) {
  constexpr Index kColumns = 32;
  team_->for_each((cols + kColumns - 1) / kColumns, [&](Index piece, Index) {
    const Index from = piece * kColumns, num = std::min(kColumns, cols - from);
    double* columns = b + from * n_;
    for (Index k = 0; k < num_tiles(); ++k) {
      const Index rows = count(k), inner = first(k);
      std::vector<double> rest = padded(rows * num);
      if (inner > 0) {
        const numerics::ProductSizes sizes{rows, inner, num};
        std::vector<double> scratch = padded(numerics::multiply_scratch(sizes));
        numerics::multiply(1, sizes, {at(first(k), 0), 1, n_}, {columns, 1, n_}, rest.data(),
                           scratch.data());
      }
      for (Index c = 0; c < num; ++c)
        for (Index r = 0; r < rows; ++r) {
          double& x = rest[static_cast<std::size_t>(r + c * rows)];
          x = columns[first(k) + r + c * n_] - x;
        }
      std::vector<double> solved = padded(rows * num),
                          scratch = padded(numerics::solve_lower_scratch(rows, num));
      numerics::solve_lower(1, {rows, num}, {at(first(k), first(k)), 1, n_}, {rest.data(), 1, rows},
                            solved.data(), scratch.data());
      for (Index c = 0; c < num; ++c)
        std::copy_n(solved.data() + c * rows, rows, columns + first(k) + c * n_);
    }
  });
}

// W = L^-1 by columns of tiles; then the tiles (i, j) of W' W.
void TiledFactor::invert() {
  std::vector<double> inverse = padded(n_ * n_);
  const auto w = [&](Index i, Index j) { return inverse.data() + i + j * n_; };
  team_->for_each(num_tiles(), [&](Index j, Index) {
    const Index width = count(j);
    for (Index i = j; i < num_tiles(); ++i) {
      const Index rows = count(i), inner = first(i) - first(j);
      std::vector<double> rest = padded(rows * width);
      if (i == j) {
        for (Index r = 0; r < rows; ++r) rest[static_cast<std::size_t>(r + r * rows)] = 1.0;
      } else {
        const numerics::ProductSizes sizes{rows, inner, width};
        std::vector<double> scratch = padded(numerics::multiply_scratch(sizes));
        numerics::multiply(1, sizes, {at(first(i), first(j)), 1, n_},
                           {w(first(j), first(j)), 1, n_}, rest.data(), scratch.data());
        for (double& x : rest) x = -x;
      }
      std::vector<double> solved = padded(rows * width),
                          scratch = padded(numerics::solve_lower_scratch(rows, width));
      numerics::solve_lower(1, {rows, width}, {at(first(i), first(i)), 1, n_},
                            {rest.data(), 1, rows}, solved.data(), scratch.data());
      for (Index c = 0; c < width; ++c)
        std::copy_n(solved.data() + c * rows, rows, w(first(i), first(j) + c));
    }
  });
  const Index num = num_tiles();
  team_->for_each(num * (num + 1) / 2, [&](Index piece, Index) {
    Index j = 0;  // columns with the longest products first
    while (piece >= num - j) piece -= num - j, ++j;
    const Index i = j + piece, rows = count(i), width = count(j), inner = n_ - first(i);
    const numerics::ProductSizes sizes{rows, inner, width};
    std::vector<double> product = padded(rows * width),
                        scratch = padded(numerics::multiply_scratch(sizes));
    numerics::multiply(1, sizes, {w(first(i), first(i)), n_, 1}, {w(first(i), first(j)), 1, n_},
                       product.data(), scratch.data());
    for (Index c = 0; c < width; ++c)
      std::copy_n(product.data() + c * rows, rows, at(first(i), first(j) + c));
  });
}

}  // namespace credo::models
