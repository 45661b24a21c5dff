#include "models/kernels/matern.hpp"

#include "base/rng.hpp"

namespace credo::models {
namespace {
// For p = 0, 1, ...: N^k / k! of N = F + 1, F the companion matrix of (s + 1)^(p + 1), which is nilpotent, and the covariance of the states.
struct MaternTable {
  std::vector<std::vector<double>> powers;
  std::vector<double> covariance;
};
MaternTable make_table(Index p) {
  const Index n = p + 1;
  const auto at = [n](Index i, Index j) { return static_cast<std::size_t>(i * n + j); };
  const auto squared = static_cast<std::size_t>(n * n);
  std::vector<double> nilpotent(squared, 0.0), identity(squared, 0.0);
  double binomial = 1.0;
  for (Index j = 0; j < n; ++j) {
    if (j + 1 < n) nilpotent[at(j, j + 1)] = 1.0;
    identity[at(j, j)] = 1.0;
  }
  for (Index j = 0; j < n; ++j) {
    nilpotent[at(n - 1, j)] -= binomial;
    binomial *= static_cast<double>(n - j) / static_cast<double>(j + 1);
  }
  for (Index j = 0; j < n; ++j) nilpotent[at(j, j)] += 1.0;
  MaternTable table{.powers = {identity}, .covariance = std::vector<double>(squared, 0.0)};
  for (Index k = 1; k < n; ++k) {
    std::vector<double> next(squared, 0.0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index q = 0; q < n; ++q)
          next[at(i, j)] += table.powers.back()[at(i, q)] * nilpotent[at(q, j)];
    for (double& x : next) x /= static_cast<double>(k);
    table.powers.push_back(std::move(next));
  }
  // Even moments of the spectrum, a Student distribution with 2 nu degrees of freedom, in units of the rate.
  const double dof = static_cast<double>(2 * p + 1);
  std::vector<double> moment{1.0};
  for (Index m = 1; m <= p; ++m)
    moment.push_back(moment.back() * static_cast<double>(2 * m - 1) /
                     (dof - static_cast<double>(2 * m)));
  for (Index i = 0; i < n; ++i)
    for (Index j = i % 2; j < n; j += 2) {
      const Index m = (i + j) / 2;
      table.covariance[at(i, j)] =
          ((j + m) % 2 == 0 ? 1.0 : -1.0) * moment[static_cast<std::size_t>(m)];
    }
  return table;
}
const MaternTable& matern_table(Index p) {
  static const std::vector<MaternTable> tables = [] {
    std::vector<MaternTable> all;
    for (Index k = 0; k <= kMostMaternOrder; ++k) all.push_back(make_table(k));
    return all;
  }();
  return tables[static_cast<std::size_t>(p)];
}
}  // namespace

double matern_density(Index p, double length, double w) {
  const double nu = static_cast<double>(p) + 0.5, rate = 2.0 * nu / (length * length);
  return std::exp(std::log(2.0) + 0.5 * std::log(std::numbers::pi) + std::lgamma(nu + 0.5) -
                  std::lgamma(nu) + nu * std::log(rate) - (nu + 0.5) * std::log(rate + w * w));
}

// A Student distribution of 2 nu degrees of freedom: a normal one over the root of a gamma variate, here a sum of squares.
void draw_matern_frequency(Index dimension, Index p, double length, Rng& rng, double* w) {
  const Index dof = 2 * p + 1;
  double chi = 0.0;
  for (Index k = 0; k < dof; ++k) {
    const double z = rng.normal();
    chi += z * z;
  }
  const double scale = std::sqrt(static_cast<double>(dof) / chi) / length;
  for (Index d = 0; d < dimension; ++d) w[d] = rng.normal() * scale;
}

template <class T>
void matern_start(Index p, StateMatrices<T>& made) {
  const std::vector<double>& covariance = matern_table(p).covariance;
  made.size = p + 1;
  made.matrix.assign(covariance.begin(), covariance.end());
}

template <class T>
void matern_move(Index p, const T& length, double step, StateMatrices<T>& made) {
  using std::exp;
  const MaternTable& table = matern_table(p);
  const Index n = p + 1;
  const auto squared = static_cast<std::size_t>(n * n);
  const T u = std::sqrt(static_cast<double>(2 * p + 1)) * step / length, decay = exp(-u);
  made.size = n;
  made.matrix.assign(squared, T(0.0));
  made.noise.assign(squared, T(0.0));
  T power = decay;
  for (const std::vector<double>& term : table.powers) {
    for (std::size_t k = 0; k < squared; ++k)
      if (term[k] != 0.0) made.matrix[k] = made.matrix[k] + term[k] * power;
    power = power * u;
  }
  // Q = P - A P A'
  std::vector<T> product(squared, T(0.0));
  const auto at = [n](Index i, Index j) { return static_cast<std::size_t>(i * n + j); };
  for (Index i = 0; i < n; ++i)
    for (Index q = 0; q < n; ++q)
      for (Index j = 0; j < n; ++j)
        if (const double c = table.covariance[at(q, j)]; c != 0.0)
          product[at(i, j)] = product[at(i, j)] + c * made.matrix[at(i, q)];
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = table.covariance[at(i, j)];
      for (Index q = 0; q < n; ++q) sum = sum - product[at(i, q)] * made.matrix[at(j, q)];
      made.noise[at(i, j)] = sum;
    }
}

template void matern_start(Index, StateMatrices<double>&);
template void matern_start(Index, StateMatrices<StateDual>&);
template void matern_move(Index, const double&, double, StateMatrices<double>&);
template void matern_move(Index, const StateDual&, double, StateMatrices<StateDual>&);

namespace {
constexpr StateForm kAnyStates = state_form<Matern<-1>>();
}
extern const KernelRow matern_kernel;
const KernelRow matern_kernel = with_functions<Matern<-1>, 1>(
    {.name = "matern",
     .summary = "Matern of smoothness nu = 1/2, 3/2, ..., 13/2: matern(x, 2.5)",
     .reference = "rasmussen2006",
     .words = "a curve with nu - 1/2 derivatives",
     .arguments = {{"nu", "smoothness, a half-integer", true, 0.0, 6.0, 2.0, true}},
     .is_stationary = true,
     .smoothness = Matern<-1>::smoothness,
     .spectral_density = Matern<-1>::density,
     .draw_frequency = Matern<-1>::draw,
     .states = &kAnyStates});

}  // namespace credo::models
