// What dense linear algebra costs, beside Eigen and OpenBLAS.
//
// For n = 10, 32, 64, 128, 256: value and gradient, by the matrix K, of -sum(log L_ii) - |L^-1 y|^2
// / 2 with K = L L', as the graph runs them with one and with eight lanes, per matrix; the same
// with Eigen (factor, two solves, the adjoint by the formula of [murray2016, eq. 8] and, cheaper,
// through the inverse) and with OpenBLAS (dpotrf, two dtrsv, dpotri). Times are the least of
// several repetitions, in microseconds. Build the target credo_bench_linear_algebra; -march=native
// for the Eigen part with -DCREDO_BENCH_NATIVE=ON.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <chrono>
#include <cstdio>

#include "base/aligned.hpp"
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"
#include "numerics/arithmetic.hpp"
#include "numerics/linear_algebra/dense.hpp"

extern "C" {
void openblas_set_num_threads(int threads);
char* openblas_get_corename();
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
            const int* lda, double* x, const int* step);
}

namespace credo::bench {
namespace {

double microseconds(const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  Index repeats = 1;
  for (int round = 0; round < 12; ++round) {
    const auto begin = Clock::now();
    for (Index r = 0; r < repeats; ++r) f();
    const double time = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    if (time < 5000.0) {
      repeats = std::max(repeats + 1, static_cast<Index>(static_cast<double>(repeats) * 6000.0 /
                                                         std::max(time, 1.0)));
      if (round < 3) continue;
    }
    best = std::min(best, time / static_cast<double>(repeats));
  }
  return best;
}

std::vector<double> positive_definite(Index n) {
  std::vector<double> k(static_cast<std::size_t>(n * n));
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      const double d = static_cast<double>(i - j) / 3.0;
      k[static_cast<std::size_t>(i + j * n)] = std::exp(-0.5 * d * d) + (i == j ? 0.1 : 0.0);
    }
  }
  return k;
}
std::vector<double> outcome(Index n) {
  std::vector<double> y(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) y[static_cast<std::size_t>(i)] = std::sin(static_cast<double>(i));
  return y;
}

// ---- ours

graph::Traced log_density(Index n) {
  graph::Traced t{std::make_unique<graph::Graph>(), {}, {}};
  t.input = t.graph->add_input(graph::matrix_shape(n, n));
  const graph::Expr k(*t.graph, graph::Ref{t.input, -1});
  const graph::Expr l = graph::cholesky(k);
  std::vector<std::int32_t> diagonal;
  for (Index i = 0; i < n; ++i) diagonal.push_back(static_cast<std::int32_t>(i + i * n));
  const graph::Expr pivots = graph::gather(graph::vector_shape(n), l, diagonal);
  const graph::Expr z = graph::solve_lower(l, graph::constant(graph::vector_shape(n), outcome(n)));
  const graph::Expr f = -graph::sum(graph::log(pivots)) - 0.5 * graph::sum(graph::square(z));
  t.outputs = {f, graph::gradient(*t.graph, f, std::array{t.input})[0]};
  return graph::Passes("all").run(std::move(t));
}

struct Ours {
  double gradient, factor, adjoint, value, slope;
};

Ours measure_ours(Index n, Index lanes) {
  const graph::Traced t = log_density(n);
  const graph::Program program(*t.graph, t.input, t.outputs);
  graph::Workspace workspace(program, lanes);
  workspace.set_lanes(lanes);
  const std::vector<double> k = positive_definite(n);
  for (Index l = 0; l < lanes; ++l) workspace.set_input(l, k);
  const double per = 1.0 / static_cast<double>(lanes);
  Ours ours{};
  ours.gradient = per * microseconds([&] { workspace.run(); });
  ours.value = workspace.output(0, 0, 0), ours.slope = workspace.output(1, n - 1, 0);
  AlignedArray a(n * n * lanes), l(n * n * lanes), g(n * n * lanes),
      scratch(numerics::cholesky_adjoint_scratch(n) * lanes);
  for (Index e = 0; e < n * n * lanes; ++e) a[e] = k[static_cast<std::size_t>(e / lanes)];
  const auto operand = [&](const AlignedArray& m) {
    return numerics::LaneOperand{m.data(), 1, n, false};
  };
  ours.factor = per * microseconds([&] {
                  numerics::cholesky(lanes, n, operand(a), l.data(), scratch.data());
                });
  ours.adjoint =
      per * microseconds([&] {
        numerics::cholesky_adjoint(lanes, n, operand(l), operand(a), g.data(), scratch.data());
      });
  return ours;
}

// ---- Eigen

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

struct Peer {
  double time, value, slope;
};

// The adjoint of the factor by [murray2016, eq. 8].
Peer eigen_by_formula(Index n) {
  const std::vector<double> k = positive_definite(n), y = outcome(n);
  const Matrix a = Eigen::Map<const Matrix>(k.data(), n, n);
  const Vector b = Eigen::Map<const Vector>(y.data(), n);
  Matrix grad(n, n), adjoint(n, n), p(n, n);
  Peer peer{};
  Eigen::LLT<Matrix> llt(n);
  peer.time = microseconds([&] {
    llt.compute(a);
    const auto l = llt.matrixL();
    const Vector z = l.solve(b), w = l.transpose().solve(z);
    peer.value = -llt.matrixLLT().diagonal().array().log().sum() - 0.5 * z.squaredNorm();
    grad.setZero();
    grad.triangularView<Eigen::Lower>() = w * z.transpose();
    grad.diagonal().array() -= llt.matrixLLT().diagonal().array().inverse();
    p.noalias() = llt.matrixLLT().triangularView<Eigen::Lower>().transpose() * grad;
    p.triangularView<Eigen::StrictlyUpper>().setZero();
    p.diagonal() *= 0.5;
    l.transpose().solveInPlace(p);
    llt.matrixLLT().triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(p);
    adjoint = p + p.transpose();
    adjoint.diagonal() *= 0.5;
  });
  peer.slope = adjoint(n - 1, 0);
  return peer;
}

// dK = (w w' - K^-1) / 2, both triangles, with w = K^-1 y.
Peer eigen_by_inverse(Index n) {
  const std::vector<double> k = positive_definite(n), y = outcome(n);
  const Matrix a = Eigen::Map<const Matrix>(k.data(), n, n);
  const Vector b = Eigen::Map<const Vector>(y.data(), n);
  Matrix inverse(n, n);
  Peer peer{};
  Eigen::LLT<Matrix> llt(n);
  peer.time = microseconds([&] {
    llt.compute(a);
    const Vector z = llt.matrixL().solve(b), w = llt.matrixL().transpose().solve(z);
    peer.value = -llt.matrixLLT().diagonal().array().log().sum() - 0.5 * z.squaredNorm();
    inverse.setIdentity();
    llt.solveInPlace(inverse);
    inverse = 0.5 * (w * w.transpose() - inverse);
  });
  peer.slope = 2.0 * inverse(n - 1, 0);
  return peer;
}

Peer openblas(Index n) {
  const std::vector<double> k = positive_definite(n), y = outcome(n);
  std::vector<double> a(k.size()), z(y.size()), w(y.size());
  const int size = static_cast<int>(n), one = 1;
  int info = 0;
  Peer peer{};
  peer.time = microseconds([&] {
    a = k;
    dpotrf_("L", &size, a.data(), &size, &info);
    z = y;
    dtrsv_("L", "N", "N", &size, a.data(), &size, z.data(), &one);
    w = z;
    dtrsv_("L", "T", "N", &size, a.data(), &size, w.data(), &one);
    peer.value = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i)
      peer.value -= std::log(a[i + i * z.size()]) + 0.5 * z[i] * z[i];
    dpotri_("L", &size, a.data(), &size, &info);
    for (std::size_t j = 0; j < z.size(); ++j) {
      for (std::size_t i = j; i < z.size(); ++i)
        a[i + j * z.size()] = (i == j ? 0.5 : 1.0) * (w[i] * w[j] - a[i + j * z.size()]);
    }
  });
  peer.slope = a[z.size() - 1];
  return peer;
}
double openblas_factor(Index n) {
  const std::vector<double> k = positive_definite(n);
  std::vector<double> a(k.size());
  const int size = static_cast<int>(n);
  int info = 0;
  return microseconds([&] {
    a = k;
    dpotrf_("L", &size, a.data(), &size, &info);
  });
}

void factors() {
  std::printf(
      "gradient of a multivariate normal by its covariance, us per matrix (ratio to ours at 8 "
      "lanes)\n");
  std::printf("%5s %9s %9s %18s %18s %18s | %9s %9s %8s %9s\n", "n", "1 lane", "8 lanes",
              "Eigen formula", "Eigen inverse", "OpenBLAS", "factor 8", "adjoint 8", "adj/fac",
              "dpotrf");
  for (const Index n : {Index{3}, Index{10}, Index{32}, Index{64}, Index{128}, Index{256}}) {
    const Ours one = measure_ours(n, 1), eight = measure_ours(n, 8);
    const Peer formula = eigen_by_formula(n), inverse = eigen_by_inverse(n), blas = openblas(n);
    for (const Peer& peer : {formula, inverse, blas}) {
      if (std::fabs(peer.value - one.value) > 1e-9 * std::fabs(one.value) ||
          std::fabs(peer.slope - one.slope) > 1e-7 * (1.0 + std::fabs(one.slope)))
        std::printf("  differs: value %.12g %.12g slope %.12g %.12g\n", peer.value, one.value,
                    peer.slope, one.slope);
    }
    std::printf(
        "%5td %9.3f %9.3f %9.3f (%6.2f) %9.3f (%6.2f) %9.3f (%6.2f) | %9.3f %9.3f %8.2f %9.3f\n", n,
        one.gradient, eight.gradient, formula.time, formula.time / eight.gradient, inverse.time,
        inverse.time / eight.gradient, blas.time, blas.time / eight.gradient, eight.factor,
        eight.adjoint, eight.adjoint / eight.factor, openblas_factor(n));
  }
}

// A matrix of data times a vector of each lane, and its transpose.
void matrix_vector(Index rows, Index cols) {
  std::printf(
      "\ndata %td x %td: A x and A' r, us per lane (GB/s if the matrix came from memory each "
      "time)\n",
      rows, cols);
  AlignedArray a(rows * cols), x(cols * 8), r(rows * 8), out(rows * 8);
  for (Index i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(i));
  for (const Index lanes : {1, 2, 4, 8}) {
    const numerics::LaneOperand matrix{a.data(), 1, rows, lanes > 1};
    const double times = microseconds([&] {
      numerics::multiply_vector(lanes, rows, cols, matrix, {x.data(), 1, cols, false}, out.data());
    });
    const double transposed = microseconds([&] {
      numerics::multiply_vector_transposed(lanes, rows, cols, matrix, {r.data(), 1, rows, false},
                                           out.data());
    });
    const double bytes = 8e-3 * static_cast<double>(rows * cols);
    std::printf("%5td lanes: %8.2f (%6.1f)  %8.2f (%6.1f)\n", lanes,
                times / static_cast<double>(lanes), bytes / times,
                transposed / static_cast<double>(lanes), bytes / transposed);
  }
}

void products(Index n) {
  AlignedArray a(n * n * 8), b(n * n * 8), out(n * n * 8),
      scratch(numerics::multiply_scratch({n, n, n}));
  for (Index i = 0; i < a.size(); ++i) a[i] = b[i] = std::sin(static_cast<double>(i));
  std::printf("product n = %4td, us per lane (Gflop/s):", n);
  for (const Index lanes : {1, 2, 4, 8}) {
    const double time = microseconds([&] {
                          numerics::multiply(lanes, {n, n, n}, {a.data(), 1, n, false},
                                             {b.data(), 1, n, false}, out.data(), scratch.data());
                        }) /
                        static_cast<double>(lanes);
    std::printf("  %td: %8.2f (%5.1f)", lanes, time, 2e-3 * static_cast<double>(n * n * n) / time);
  }
  std::printf("\n");
}

}  // namespace

void run() {
  openblas_set_num_threads(1);
  std::printf("SIMD %s, OpenBLAS kernel %s\n",
              std::string(numerics::target_name(numerics::active_target())).c_str(),
              openblas_get_corename());
  factors();
  matrix_vector(5000, 24);
  matrix_vector(100, 5);
  for (const Index n : {4, 10, 32, 64, 128, 256}) products(n);
}

}  // namespace credo::bench

int main() { credo::bench::run(); }
