// Times of the sparse factor and of conjugate gradients for the precision of a grid of N x N points: kappa + the Laplacian.
//
// usage: credo_bench_sparse [N]      (300 if none is given; prints the least of three times, in seconds)
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/types.hpp"
#include "credo/sparse.hpp"

namespace credo::bench {
namespace {
using namespace credo::numerics;

SparseSymmetric grid(Index n, double kappa) {
  std::vector<SparseElement> elements;
  for (Index c = 0; c < n; ++c) {
    for (Index r = 0; r < n; ++r) {
      const Index k = r + c * n;
      elements.push_back({k, k, 4.0 + kappa});
      if (r > 0) elements.push_back({k, k - 1, -1.0});
      if (c > 0) elements.push_back({k, k - n, -1.0});
    }
  }
  return {n * n, elements};
}

void print_time(const char* name, const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  double best = kInfinity;
  for (int round = 0; round < 3; ++round) {
    const auto begin = Clock::now();
    f();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::printf("%-32s %8.4f s\n", name, best);
}

void gradients(const SparseSymmetric& matrix, const Preconditioner& row,
               std::span<const double> b) {
  const std::optional<LinearMap> map = row.make(matrix);
  if (!map) return;
  ConjugateGradientEnd end;
  const auto times = [&](std::span<const double> x, std::span<double> out) {
    matrix.multiply(x, out);
  };
  print_time(std::string(row.name).c_str(), [&] {
    std::vector<double> x(b.size(), 0.0);
    end = conjugate_gradients(times, b, x, {.tolerance = 1e-8}, *map);
  });
  std::printf("  %td iterations, residual %.1e\n", end.num_iterations, end.residual);
}

int run(Index n) {
  const SparseSymmetric matrix = grid(n, 0.01);
  const std::vector<double> ones(static_cast<std::size_t>(n * n), 1.0);
  print_time("ordering and pattern", [&] { SparseFactor first(matrix); });
  SparseFactor factor(matrix);
  bool is_factored = true;
  print_time("numbers", [&] { is_factored = !factor.refactor(matrix).has_value(); });
  if (!is_factored) return 1;
  std::printf("%td rows, %td elements in the factor\n", factor.size(), factor.num_values());
  double kept = 0.0;  // results are used, so that nothing is left out
  print_time("log determinant", [&] { kept += factor.log_determinant(); });
  print_time("its gradient", [&] { kept += factor.log_determinant_gradient().front(); });
  print_time("solve", [&] {
    std::vector<double> x = ones;
    factor.solve(x);
    kept += x.front();
  });
  std::printf("conjugate gradients to 1e-8 (sum of results %.6g)\n", kept);
  for (const Preconditioner& row : preconditioners()) gradients(matrix, row, ones);
  return 0;
}
}  // namespace
}  // namespace credo::bench

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 300;
  if (n < 2) {
    std::fputs("usage: credo_bench_sparse [N], with N at least 2\n", stderr);
    return 2;
  }
  return credo::bench::run(n);
}
