// Dense linear algebra: every element is the chain of (fused) multiply-adds that dense.hpp states,
// to the bit, for every size, number of lanes and SIMD target; and the chains are right.
#include "numerics/linear_algebra/dense.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/aligned.hpp"
#include "numerics/arithmetic.hpp"
#include "support/ulp.hpp"

namespace credo::numerics::dense_test {
namespace {

const std::vector<Index> kSizes{0,  1,  2,  3,  4,  5,  7,  8,  9,  11, 12,
                                13, 16, 17, 24, 25, 31, 40, 64, 65, 97, 150};
const std::vector<Index> kLanes{1, 2, 4, 8};

bool fused = true;  // the arithmetic of the target under test
double step(double a, double b, double c) { return fused ? std::fma(a, b, c) : a * b + c; }

// One matrix a lane, [element][lane]; shared: one for all.
struct Lanes {
  Lanes(Index rows_in, Index cols_in, Index lanes_in, bool shared_in = false)
      : rows(rows_in),
        cols(cols_in),
        lanes(shared_in ? 1 : lanes_in),
        shared(shared_in && lanes_in > 1),
        data(rows * cols * lanes) {}
  double& at(Index i, Index j, Index l) { return data[(i + j * rows) * lanes + (shared ? 0 : l)]; }
  double at(Index i, Index j, Index l) const {
    return data[(i + j * rows) * lanes + (shared ? 0 : l)];
  }
  LaneOperand operand() const { return {data.data(), 1, rows, shared}; }
  Index rows, cols, lanes;
  bool shared;
  AlignedArray data;
};

Lanes numbers(Index rows, Index cols, Index lanes, bool shared, std::uint64_t seed) {
  Lanes m(rows, cols, lanes, shared);
  for (Index l = 0; l < m.lanes; ++l) {
    test::SplitMix random{seed + 1000 * static_cast<std::uint64_t>(l)};
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) m.at(i, j, l) = 2.0 * random.uniform() - 1.0;
  }
  return m;
}
// Diagonally dominant, so that factors exist and solves don't grow.
Lanes dominant(Index n, Index lanes, bool shared, std::uint64_t seed) {
  Lanes m = numbers(n, n, lanes, shared, seed);
  for (Index l = 0; l < m.lanes; ++l)
    for (Index i = 0; i < n; ++i) m.at(i, i, l) = 0.6 * static_cast<double>(n) + 1.0;
  return m;
}

// The number of elements that differ in a bit from exact(i, j, lane).
template <class Exact>
Index wrong(const Lanes& found, Index lanes, Exact exact) {
  Index count = 0;
  for (Index l = 0; l < lanes; ++l) {
    for (Index j = 0; j < found.cols; ++j) {
      for (Index i = 0; i < found.rows; ++i) {
        const double a = found.at(i, j, l), b = exact(i, j, l);
        count += std::memcmp(&a, &b, sizeof a) != 0;
      }
    }
  }
  return count;
}

template <class F>
void on_every_target(F f) {
  const SimdTarget before = active_target();
  for (const SimdTarget target : supported_targets()) {
    force_target(target);
    fused = target != SimdTarget::sse4;
    f();
  }
  force_target(before);
  fused = true;
}

double dot_in_blocks(Index n, const std::function<double(Index)>& a,
                     const std::function<double(Index)>& b) {
  double total = 0.0;
  for (Index begin = 0; begin < n; begin += 1024) {
    std::array<double, 8> p{};
    const Index count = std::min<Index>(1024, n - begin);
    for (Index i = 0; i < (count + 7) / 8 * 8; ++i) {
      double& partial = p[static_cast<std::size_t>(i % 8)];
      partial = i < count ? step(a(begin + i), b(begin + i), partial) : step(0.0, 0.0, partial);
    }
    total += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
  }
  return total;
}

TEST(dense, products_are_chains_in_index_order) {
  on_every_target([] {
    for (const auto& [m, k, n] : std::vector<std::array<Index, 3>>{{2, 2, 2},
                                                                   {3, 0, 2},
                                                                   {0, 3, 2},
                                                                   {5, 7, 9},
                                                                   {24, 24, 24},
                                                                   {65, 33, 18},
                                                                   {30, 600, 25}}) {
      for (const Index lanes : kLanes) {
        for (int flags = 0; flags < 8; ++flags) {
          const bool ta = (flags & 4) != 0;
          const Lanes a = numbers(ta ? k : m, ta ? m : k, lanes, (flags & 1) != 0, 1),
                      b = numbers(k, n, lanes, (flags & 2) != 0, 2);
          Lanes out(m, n, lanes);
          AlignedArray scratch(multiply_scratch({m, k, n}));
          multiply(lanes, {m, k, n}, ta ? a.operand().transposed() : a.operand(), b.operand(),
                   out.data.data(), scratch.data());
          EXPECT_EQ(wrong(out, lanes,
                          [&, k = k](Index i, Index j, Index l) {
                            double total = 0.0;
                            for (Index p = 0; p < k; ++p)
                              total =
                                  step(ta ? a.at(p, i, l) : a.at(i, p, l), b.at(p, j, l), total);
                            return total;
                          }),
                    0)
              << m << " " << k << " " << n << " lanes " << lanes << " flags " << flags;
        }
      }
    }
  });
}

TEST(dense, matrix_times_vector_adds_columns_in_order_and_its_transpose_sums_like_dot) {
  on_every_target([] {
    for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{
             {0, 3}, {3, 0}, {1, 1}, {5, 3}, {8, 8}, {300, 11}, {1027, 5}, {2500, 2}}) {
      for (const Index lanes : kLanes) {
        for (int flags = 0; flags < 4; ++flags) {
          const Lanes a = numbers(rows, cols, lanes, (flags & 1) != 0, 1),
                      x = numbers(cols, 1, lanes, (flags & 2) != 0, 2),
                      y = numbers(rows, 1, lanes, (flags & 2) != 0, 3);
          Lanes ax(rows, 1, lanes), aty(cols, 1, lanes);
          multiply_vector(lanes, rows, cols, a.operand(), x.operand(), ax.data.data());
          multiply_vector_transposed(lanes, rows, cols, a.operand(), y.operand(), aty.data.data());
          EXPECT_EQ(wrong(ax, lanes,
                          [&, cols = cols](Index i, Index, Index l) {
                            double total = 0.0;
                            for (Index p = 0; p < cols; ++p)
                              total = step(a.at(i, p, l), x.at(p, 0, l), total);
                            return total;
                          }),
                    0)
              << rows << " " << cols << " lanes " << lanes << " flags " << flags;
          EXPECT_EQ(wrong(aty, lanes,
                          [&, rows = rows](Index j, Index, Index l) {
                            return dot_in_blocks(
                                rows, [&](Index i) { return a.at(i, j, l); },
                                [&](Index i) { return y.at(i, 0, l); });
                          }),
                    0)
              << rows << " " << cols << " lanes " << lanes << " flags " << flags;
        }
      }
    }
  });
}

// A product over some rows at a time, as a fused group runs it.
TEST(dense, parts_of_a_matrix_times_vector_give_the_bits_of_the_whole) {
  on_every_target([] {
    for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{
             {1, 1}, {5, 3}, {8, 8}, {300, 11}, {1024, 33}, {1027, 5}, {2500, 2}}) {
      for (const Index lanes : kLanes) {
        for (const Index step : {8, 64, 512, 1024}) {
          for (const bool shared : {false, true}) {
            const Lanes a = numbers(rows, cols, lanes, shared, 1),
                        x = numbers(cols, 1, lanes, false, 2),
                        y = numbers(rows, 1, lanes, false, 3);
            Lanes ax(rows, 1, lanes), aty(cols, 1, lanes);
            Lanes whole_ax(rows, 1, lanes), whole_aty(cols, 1, lanes);
            multiply_vector(lanes, rows, cols, a.operand(), x.operand(), whole_ax.data.data());
            multiply_vector_transposed(lanes, rows, cols, a.operand(), y.operand(),
                                       whole_aty.data.data());
            AlignedArray partials(8 * cols * lanes), block(cols * lanes);
            for (Index first = 0; first < rows; first += step) {
              const RowRange range{rows, first, std::min(step, rows - first)};
              multiply_vector_rows(lanes, range, cols, a.operand(), x.operand(),
                                   ax.data.data() + first * lanes);
              LaneOperand part = y.operand();
              part.data += first * lanes;
              multiply_vector_transposed_rows(lanes, range, cols, a.operand(), part,
                                              {partials.data(), block.data()});
              if ((first + step) % 1024 != 0 && first + step < rows) continue;
              for (Index k = 0; k < cols * lanes; ++k) aty.data[k] += block[k];
            }
            const auto differs = [&](const Lanes& p, const Lanes& q, Index count) {
              return std::memcmp(p.data.data(), q.data.data(),
                                 static_cast<std::size_t>(count * lanes) * sizeof(double));
            };
            EXPECT_EQ(differs(ax, whole_ax, rows), 0) << rows << " " << cols << " by " << step;
            EXPECT_EQ(differs(aty, whole_aty, cols), 0) << rows << " " << cols << " by " << step;
          }
        }
      }
    }
  });
}

// The same of a matrix in panels of eight rows.
TEST(dense, panels_of_a_matrix_times_vector_give_the_bits_of_the_whole) {
  on_every_target([] {
    for (const auto& [rows, cols] : std::vector<std::pair<Index, Index>>{
             {1, 1}, {5, 3}, {8, 8}, {300, 11}, {1024, 33}, {1027, 5}, {2500, 2}}) {
      const Lanes a = numbers(rows, cols, 1, true, 1);
      AlignedArray panels(panels_size(rows, cols) + 8);
      pack_panels(rows, cols, a.data.data(), panels.data());
      const LaneOperand packed{panels.data(), 1, 0, true};
      for (const Index lanes : kLanes) {
        const Lanes x = numbers(cols, 1, lanes, false, 2), y = numbers(rows, 1, lanes, false, 3);
        Lanes whole_ax(rows, 1, lanes), whole_aty(cols, 1, lanes);
        const LaneOperand matrix{a.data.data(), 1, rows, true};
        multiply_vector(lanes, rows, cols, matrix, x.operand(), whole_ax.data.data());
        multiply_vector_transposed(lanes, rows, cols, matrix, y.operand(), whole_aty.data.data());
        for (const Index step : {8, 64, 512, 1024}) {
          Lanes ax(rows, 1, lanes), aty(cols, 1, lanes);
          AlignedArray partials(8 * cols * lanes), block(cols * lanes);
          for (Index first = 0; first < rows; first += step) {
            const RowRange range{rows, first, std::min(step, rows - first), true};
            multiply_vector_rows(lanes, range, cols, packed, x.operand(),
                                 ax.data.data() + first * lanes);
            LaneOperand part = y.operand();
            part.data += first * lanes;
            multiply_vector_transposed_rows(lanes, range, cols, packed, part,
                                            {partials.data(), block.data()});
            if ((first + step) % 1024 != 0 && first + step < rows) continue;
            for (Index k = 0; k < cols * lanes; ++k) aty.data[k] += block[k];
          }
          const auto differs = [&](const Lanes& p, const Lanes& q, Index count) {
            return std::memcmp(p.data.data(), q.data.data(),
                               static_cast<std::size_t>(count * lanes) * sizeof(double));
          };
          EXPECT_EQ(differs(ax, whole_ax, rows), 0) << rows << " " << cols << " by " << step;
          EXPECT_EQ(differs(aty, whole_aty, cols), 0) << rows << " " << cols << " by " << step;
        }
      }
    }
  });
}

// The factor by the words of dense.hpp.
std::vector<double> plain_cholesky(const Lanes& a, Index l) {
  const Index n = a.rows;
  std::vector<double> out(static_cast<std::size_t>(n * n), 0.0), inverse(out.size());
  const auto at = [&](Index i, Index j) -> double& {
    return out[static_cast<std::size_t>(i + j * n)];
  };
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      double rest = a.at(i, j, l);
      for (Index p = 0; p < j; ++p) rest = step(-at(i, p), at(j, p), rest);
      if (i == j) {
        at(j, j) = rest > 0.0 ? std::sqrt(rest) : std::numeric_limits<double>::quiet_NaN();
      } else {
        at(i, j) = rest * (1.0 / at(j, j));
      }
    }
  }
  return out;
}

TEST(dense, cholesky_is_a_chain_for_each_element) {
  on_every_target([] {
    for (const Index n : kSizes) {
      for (const Index lanes : kLanes) {
        for (const bool shared : {false, true}) {
          const Lanes a = dominant(n, lanes, shared, 4);
          Lanes out(n, n, lanes);
          AlignedArray scratch(cholesky_scratch(n));
          cholesky(lanes, n, a.operand(), out.data.data(), scratch.data());
          std::vector<std::vector<double>> plain;
          for (Index l = 0; l < lanes; ++l) plain.push_back(plain_cholesky(a, l));
          EXPECT_EQ(
              wrong(
                  out, lanes,
                  [&](Index i, Index j, Index l) {
                    return plain[static_cast<std::size_t>(l)][static_cast<std::size_t>(i + j * n)];
                  }),
              0)
              << n << " lanes " << lanes << " shared " << shared;
        }
      }
    }
  });
}

// S of dense.hpp, then its lower triangle with half the diagonal.
std::vector<double> plain_adjoint(const Lanes& lower, const Lanes& grad, Index l) {
  const Index n = lower.rows;
  std::vector<double> s(static_cast<std::size_t>(n * n), 0.0);
  const auto at = [&](Index i, Index j) -> double& {
    return s[static_cast<std::size_t>(i + j * n)];
  };
  for (Index j = n - 1; j >= 0; --j) {
    for (Index turn = 1; turn <= n - j; ++turn) {
      const Index i = turn < n - j ? j + turn : j;  // the diagonal last
      double rest = grad.at(i, j, l);
      for (Index k = n - 1; k > j; --k) rest = step(-at(i, k), lower.at(k, j, l), rest);
      at(i, j) = at(j, i) = rest * (1.0 / lower.at(j, j, l));
    }
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < j; ++i) at(i, j) = 0.0;
    at(j, j) *= 0.5;
  }
  return s;
}

TEST(dense, adjoint_of_cholesky_is_a_chain_for_each_element) {
  on_every_target([] {
    for (const Index n : kSizes) {
      for (const Index lanes : kLanes) {
        for (int flags = 0; flags < 4; ++flags) {
          const Lanes lower = dominant(n, lanes, (flags & 1) != 0, 5),
                      grad = numbers(n, n, lanes, (flags & 2) != 0, 6);
          Lanes out(n, n, lanes);
          AlignedArray scratch(cholesky_adjoint_scratch(n) * lanes);
          cholesky_adjoint(lanes, n, lower.operand(), grad.operand(), out.data.data(),
                           scratch.data());
          std::vector<std::vector<double>> plain;
          for (Index l = 0; l < lanes; ++l) plain.push_back(plain_adjoint(lower, grad, l));
          EXPECT_EQ(
              wrong(
                  out, lanes,
                  [&](Index i, Index j, Index l) {
                    return plain[static_cast<std::size_t>(l)][static_cast<std::size_t>(i + j * n)];
                  }),
              0)
              << n << " lanes " << lanes << " flags " << flags;
        }
      }
    }
  });
}

std::vector<double> plain_solve(const Lanes& lower, const Lanes& b, Index column, bool transposed,
                                Index l) {
  const Index n = lower.rows;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (Index turn = 0; turn < n; ++turn) {
    const Index i = transposed ? n - 1 - turn : turn;
    double rest = b.at(i, column, l);
    for (Index before = 0; before < turn; ++before) {
      const Index p = transposed ? n - 1 - before : before;
      const double factor = transposed ? lower.at(p, i, l) : lower.at(i, p, l);
      rest = step(-x[static_cast<std::size_t>(p)], factor, rest);
    }
    x[static_cast<std::size_t>(i)] = rest * (1.0 / lower.at(i, i, l));
  }
  return x;
}

TEST(dense, triangular_solves_are_chains_for_each_element) {
  on_every_target([] {
    for (const Index n : kSizes) {
      for (const Index cols : {Index{1}, Index{3}, Index{30}}) {
        for (const Index lanes : kLanes) {
          for (int flags = 0; flags < 8; ++flags) {
            const bool transposed = (flags & 4) != 0;
            const Lanes lower = dominant(n, lanes, (flags & 1) != 0, 7),
                        b = numbers(n, cols, lanes, (flags & 2) != 0, 8);
            Lanes out(n, cols, lanes);
            AlignedArray scratch(solve_lower_scratch(n, cols) * lanes);
            solve_lower(lanes, {n, cols, transposed}, lower.operand(), b.operand(), out.data.data(),
                        scratch.data());
            std::vector<double> plain;
            EXPECT_EQ(wrong(out, lanes,
                            [&](Index i, Index j, Index l) {
                              if (i == 0) plain = plain_solve(lower, b, j, transposed, l);
                              return plain[static_cast<std::size_t>(i)];
                            }),
                      0)
                << n << " x " << cols << " lanes " << lanes << " flags " << flags;
          }
        }
      }
    }
  });
}

TEST(dense, lower_outer_is_the_lower_triangle_of_minus_the_product) {
  on_every_target([] {
    for (const Index n : {Index{0}, Index{1}, Index{5}, Index{33}}) {
      for (const Index inner : {Index{0}, Index{1}, Index{6}}) {
        for (const Index lanes : kLanes) {
          for (int flags = 0; flags < 4; ++flags) {
            const Lanes a = numbers(n, inner, lanes, (flags & 1) != 0, 9),
                        b = numbers(n, inner, lanes, (flags & 2) != 0, 10);
            Lanes out(n, n, lanes);
            lower_outer(lanes, n, inner, a.operand(), b.operand(), out.data.data());
            EXPECT_EQ(wrong(out, lanes,
                            [&](Index i, Index j, Index l) {
                              double total = 0.0;
                              for (Index p = 0; p < inner && i >= j; ++p)
                                total = step(-a.at(i, p, l), b.at(j, p, l), total);
                              return total;
                            }),
                      0)
                << n << " " << inner << " lanes " << lanes << " flags " << flags;
          }
        }
      }
    }
  });
}

TEST(dense, a_matrix_that_is_not_positive_definite_gives_nan_from_the_first_bad_pivot_on) {
  for (const Index n : {Index{5}, Index{30}, Index{80}}) {
    for (const Index lanes : kLanes) {
      Lanes a = dominant(n, lanes, false, 11);
      const Index bad = n / 2;
      a.at(bad, bad, lanes - 1) = -1.0;
      Lanes out(n, n, lanes);
      AlignedArray scratch(cholesky_scratch(n));
      cholesky(lanes, n, a.operand(), out.data.data(), scratch.data());
      for (Index j = 0; j < n; ++j) {
        EXPECT_EQ(std::isnan(out.at(n - 1, j, lanes - 1)), j >= bad) << n << " " << j;
        EXPECT_EQ(std::isnan(out.at(j, j, lanes - 1)), j >= bad) << n << " " << j;
        if (lanes > 1) {
          EXPECT_FALSE(std::isnan(out.at(n - 1, j, 0)));
        }
      }
    }
  }
}

// Power: the comparison sees the last bit.
TEST(dense, a_result_that_is_off_by_a_bit_is_rejected) {
  const Lanes a = dominant(9, 2, false, 4);
  Lanes out(9, 9, 2);
  AlignedArray scratch(cholesky_scratch(9));
  cholesky(2, 9, a.operand(), out.data.data(), scratch.data());
  out.at(8, 3, 1) = std::nextafter(out.at(8, 3, 1), 10.0);
  const std::vector<double> plain = plain_cholesky(a, 1);
  EXPECT_EQ(wrong(out, 2,
                  [&](Index i, Index j, Index l) {
                    return l == 1 ? plain[static_cast<std::size_t>(i + j * 9)] : out.at(i, j, 0);
                  }),
            1);
}

}  // namespace
}  // namespace credo::numerics::dense_test
