// The posterior of the tank's parameters without any sampling: the path is integrated out step by
// step on a grid of u, the parameters on a grid of their logarithms. The trapezoidal rule converges
// geometrically in the spacings for such smooth integrands [trefethen2014]; the tests check that
// a coarser grid agrees.
#pragma once
#include "models/paths/tank.hpp"

namespace credo::testing {

using models::TankData;
using models::TankScheme;

struct LogMoments {
  std::array<double, 3> mean{}, square{};  // of log ρ0, log γ, log σ
  double sd(std::size_t j) const { return std::sqrt(square[j] - mean[j] * mean[j]); }
};

struct ReferenceGrid {
  double lo = -2.6, hi = 2.6, spacing = 0.05;  // of u
  int num_parameters = 15;                     // for each parameter
  double width = 3.5;                          // of the prior, in its standard deviations
};

class TankReference {
 public:
  TankReference(const TankData& data, const ReferenceGrid& grid) : data_(data), grid_(grid) {
    for (double u = grid.lo; u <= grid.hi + 1e-9; u += grid.spacing) nodes_.push_back(u);
  }

  // For constant rain: one transition matrix for all steps.
  LogMoments moments() const {
    LogMoments sum;
    double total = 0.0;
    for (int i = 0; i < grid_.num_parameters; ++i)
      for (int j = 0; j < grid_.num_parameters; ++j) {
        const double log_rate = node(0, i), log_noise = node(1, j);
        const std::vector<double> matrix = transition(std::exp(log_rate), std::exp(log_noise));
        for (int k = 0; k < grid_.num_parameters; ++k) {
          const std::array<double, 3> at = {log_rate, log_noise, node(2, k)};
          const double weight = likelihood(matrix, std::exp(at[2])) * prior(at);
          total += weight;
          for (std::size_t p = 0; p < 3; ++p)
            sum.mean[p] += weight * at[p], sum.square[p] += weight * at[p] * at[p];
        }
      }
    for (std::size_t p = 0; p < 3; ++p) sum.mean[p] /= total, sum.square[p] /= total;
    return sum;
  }

 private:
  static double normal(double x, double mean, double sd) {
    const double z = (x - mean) / sd;
    return std::exp(-0.5 * z * z) / (sd * std::sqrt(2.0 * 3.14159265358979323846));
  }
  double node(std::size_t p, int i) const {
    const double place = 2.0 * double(i) / double(grid_.num_parameters - 1) - 1.0;
    return data_.prior[p].log_mean + grid_.width * data_.prior[p].log_sd * place;
  }
  double prior(const std::array<double, 3>& at) const {
    double product = 1.0;
    for (std::size_t p = 0; p < 3; ++p)
      product *= normal(at[p], data_.prior[p].log_mean, data_.prior[p].log_sd);
    return product;
  }
  // [to × from], times the spacing.
  std::vector<double> transition(double rate, double noise) const {
    const std::size_t n = nodes_.size();
    const double dt = data_.time_step, rain = data_.rain[0];
    std::vector<double> matrix(n * n);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) {
        const double u = nodes_[a], to = nodes_[b], x = std::exp(u);
        const double sd = std::sqrt(rate * noise * dt);
        const double p =
            data_.scheme == TankScheme::euler
                ? normal(std::exp(to), x + dt * (rain - rate * x), sd * x) * std::exp(to)
                : normal(to, u + dt * (rain / x - rate - 0.5 * rate * noise), sd);
        matrix[b * n + a] = p * grid_.spacing;
      }
    return matrix;
  }
  double likelihood(const std::vector<double>& matrix, double sd) const {
    const std::size_t n = nodes_.size();
    std::vector<double> mass(n), next(n);
    for (std::size_t a = 0; a < n; ++a)
      mass[a] = normal(nodes_[a], data_.initial.log_mean, data_.initial.log_sd);
    observe(0, sd, mass);
    for (std::size_t i = 0; i < data_.rain.size(); ++i) {
      for (std::size_t b = 0; b < n; ++b)
        next[b] = std::inner_product(mass.begin(), mass.end(),
                                     matrix.begin() + static_cast<std::ptrdiff_t>(b * n), 0.0);
      std::swap(mass, next);
      observe(static_cast<Index>(i) + 1, sd, mass);
    }
    return std::accumulate(mass.begin(), mass.end(), 0.0) * grid_.spacing;
  }
  void observe(Index step, double sd, std::vector<double>& mass) const {
    for (std::size_t k = 0; k < data_.observed_at.size(); ++k)
      if (data_.observed_at[k] == step)
        for (std::size_t a = 0; a < mass.size(); ++a)
          mass[a] *= normal(data_.observed[k], std::exp(nodes_[a]), sd);
  }

  TankData data_;
  ReferenceGrid grid_;
  std::vector<double> nodes_;
};

}  // namespace credo::testing
