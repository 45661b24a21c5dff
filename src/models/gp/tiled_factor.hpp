// The Cholesky factor of a large dense matrix over several threads, and its inverse, by square tiles. Bits don't depend on the number of threads.
#pragma once
#include "models/gp/worker_team.hpp"

namespace credo::models {

class TiledFactor {
 public:
  TiledFactor(Index size, WorkerTeam& team);

  Index size() const { return n_; }
  Index tile() const { return tile_; }
  Index num_tiles() const { return (n_ + tile_ - 1) / tile_; }
  Index first(Index tile) const { return tile * tile_; }
  Index count(Index tile) const { return std::min(tile_, n_ - first(tile)); }

  // Column-major; the lower triangle is used. Before factor(): the matrix; then L; after invert(): the inverse of L L'.
  double* at(Index i, Index j) { return values_.data() + i + j * n_; }
  const double* at(Index i, Index j) const { return values_.data() + i + j * n_; }

  // L of A = L L' in place, n³/3. False, with failed(), at the first pivot that isn't positive.
  bool factor();
  Index failed() const { return failed_; }
  double log_determinant() const;                    // log determinant of L L'
  void solve(std::span<double> x) const;             // L^-1 x
  void solve_transposed(std::span<double> x) const;  // L'^-1 x
  // L^-1 B in place for B with `cols` columns of size() numbers, over the threads.
  void solve_columns(double* b, Index cols);
  // The inverse of L L' in place of L (lower triangle): 2/3 n³. Takes as much memory again while it lasts.
  void invert();

 private:
  void update_column(Index k);

  Index n_, tile_, failed_ = -1;
  WorkerTeam* team_;
  std::vector<double> values_;
};

}  // namespace credo::models
