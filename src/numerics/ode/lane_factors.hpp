// Factors of I - gamma J, a matrix a lane, for solving with blocks of columns. Rows of states
// without derivatives have 0 instead of I.
#pragma once
#include "base/aligned.hpp"
#include "base/types.hpp"

namespace credo::numerics {

class LaneFactors {
 public:
  LaneFactors(Index rows, Index max_lanes);

  void set_lanes(Index lanes) { lanes_ = lanes; }
  void set_algebraic(Index rows) { algebraic_ = rows; }  // the last ones
  // LU with partial pivoting (Golub and Van Loan 2013, 3.4) of a lane's matrix; jacobian as
  // [column][row][lane]. False if it is singular or not finite.
  bool factor(Index lane, double gamma, const double* jacobian);
  // Overwrites b, [row][column][lane], with the solutions of lanes that are factored.
  void solve(double* b, Index columns);

 private:
  double& at(Index row, Index column) {
    return matrix_[static_cast<std::size_t>(row * rows_ + column)];
  }
  bool eliminate(Index column, Index lane);
  void keep(Index lane);
  void permute(double* b, Index columns, Index lane);

  Index rows_, lanes_ = 1, algebraic_ = 0;
  AlignedArray factors_;        // [row][column] groups of eight
  std::vector<double> matrix_;  // of one lane, rows
  std::vector<double> column_;
  std::vector<Index> order_;    // [lane][row]: which row of b comes here
  std::vector<char> permuted_;  // [lane]
};

}  // namespace credo::numerics
