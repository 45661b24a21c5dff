// The log likelihood of a series against the density of the multivariate normal that its outcomes have, its gradient against
// differences, and the diffuse start against the augmented filter by square roots.
#include "numerics/series_likelihood.hpp"

#include <gtest/gtest.h>

#include <random>

#include "numerics/kalman.hpp"

namespace credo::numerics::series_likelihood_test {
namespace {
using Numbers = std::vector<double>;
constexpr double kLogTwoPi = 1.83787706640934548356;

class Series {
 public:
  Series(unsigned seed, const SeriesSizes& sizes_in) : sizes(sizes_in), engine_(seed) {
    for (std::size_t part = 0; part < kSeriesParts; ++part)
      parts[part] = normals(series_part_size(sizes, part));
    for (double& x : parts[kSeriesTransition]) x *= 0.9 / std::sqrt(static_cast<double>(states()));
    for (const std::size_t part : {kSeriesStateNoise, kSeriesNoise})
      for (double& x : parts[part]) x = 0.1 + x * x;
    parts[kSeriesCovariance] = covariance(states());
    for (std::size_t t = 0; t < parts[kSeriesKinds].size(); ++t)
      parts[kSeriesKinds][t] = static_cast<double>(1 + static_cast<Index>(t) % sizes.kinds);
  }
  Index states() const { return sizes.states; }
  void leave_out(Index t) { parts[kSeriesOutcomes][static_cast<std::size_t>(t)] = kNaN; }
  SeriesInputs inputs() const {
    SeriesInputs in{};
    for (std::size_t part = 0; part < kSeriesParts; ++part) in[part] = parts[part].data();
    return in;
  }
  double log_density() const {
    Numbers scratch(static_cast<std::size_t>(series_log_density_scratch(sizes)), kNaN);
    return series_log_density(sizes, inputs(), scratch.data());
  }
  Numbers score() const {
    Numbers scratch(static_cast<std::size_t>(series_score_scratch(sizes)), kNaN), gradient;
    for (std::size_t part = 0; part < kSeriesParts; ++part)
      gradient.resize(gradient.size() + parts[part].size(), kNaN);
    series_score(sizes, inputs(), gradient.data(), scratch.data());
    return gradient;
  }
  double difference(std::size_t part, std::size_t k) {
    double& x = parts[part][k];
    const double at = x, h = 2e-4;
    const auto value = [&](double step) {
      x = at + step;
      return log_density();
    };
    const double slope =
        (8.0 * (value(h) - value(-h)) - (value(2 * h) - value(-2 * h))) / (12.0 * h);
    x = at;
    return slope;
  }
  double element(std::size_t part, Index rows, Index i, Index j) const {
    return parts[part][static_cast<std::size_t>(i + j * rows)];
  }

  SeriesSizes sizes;
  std::array<Numbers, kSeriesParts> parts;

 private:
  Numbers normals(Index count) {
    Numbers x(static_cast<std::size_t>(count));
    for (double& value : x) value = distribution_(engine_);
    return x;
  }
  Numbers covariance(Index n) {
    const Numbers a = normals(n * n);
    Numbers c(a.size(), 0.0);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < n; ++k)
          c[static_cast<std::size_t>(i + j * n)] += a[static_cast<std::size_t>(i + k * n)] *
                                                        a[static_cast<std::size_t>(j + k * n)] /
                                                        static_cast<double>(n) +
                                                    (i == j ? 0.2 / static_cast<double>(n) : 0.0);
    return c;
  }
  std::mt19937 engine_;
  std::normal_distribution<double> distribution_;
};

// log |C| and y' C^-1 y by elimination.
double dense_log_density(std::vector<Numbers> c, Numbers y) {
  double total = 0.0;
  const std::size_t n = y.size();
  for (std::size_t k = 0; k < n; ++k) {
    total -= 0.5 * (kLogTwoPi + std::log(c[k][k]) + y[k] * y[k] / c[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double by = c[i][k] / c[k][k];
      for (std::size_t j = k; j < n; ++j) c[i][j] -= by * c[k][j];
      y[i] -= by * y[k];
    }
  }
  return total;
}

// Mean and covariance of all outcomes, from the states of all times as sums of the noises: cov(x_t, x_s) = A ... A cov(x_s). The
// unknowns have the variance kappa.
double by_dense_algebra(const Series& e, double kappa) {
  const Index n = e.states(), times = e.sizes.times;
  const auto at = [](Numbers& x, Index i, Index j, Index rows) -> double& {
    return x[static_cast<std::size_t>(i + j * rows)];
  };
  Numbers mean = e.parts[kSeriesMean], p = e.parts[kSeriesCovariance];
  for (Index u = 0; u < e.sizes.unknowns; ++u)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        at(p, i, j, n) +=
            kappa * e.element(kSeriesUnknown, n, i, u) * e.element(kSeriesUnknown, n, j, u);
  std::vector<Numbers> cross;  // cov(x_t, x_s) of the s until now
  std::vector<Numbers> c(static_cast<std::size_t>(times), Numbers(static_cast<std::size_t>(times)));
  Numbers y(static_cast<std::size_t>(times));
  const auto moved = [&](const Numbers& x, Index kind) {
    Numbers out(x.size(), 0.0);
    const Index cols = ssize(x) / n;
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < n; ++i)
        for (Index k = 0; k < n; ++k)
          out[static_cast<std::size_t>(i + j * n)] +=
              e.element(kSeriesTransition, n, i, k + kind * n) *
              x[static_cast<std::size_t>(k + j * n)];
    return out;
  };
  for (Index t = 0; t < times; ++t) {
    if (t > 0) {
      const Index kind = t % e.sizes.kinds;
      mean = moved(mean, kind);
      for (Numbers& x : cross) x = moved(x, kind);
      Numbers half = moved(p, kind), turned(half.size());
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) at(turned, j, i, n) = at(half, i, j, n);
      p = moved(turned, kind);
      for (Index i = 0; i < n; ++i) at(p, i, i, n) += e.element(kSeriesStateNoise, n, i, kind);
    }
    cross.push_back(p);
    const auto design = [&](Index time, Index i) {
      return e.element(kSeriesDesign, n, i, e.sizes.design_varies ? time : 0);
    };
    y[static_cast<std::size_t>(t)] = e.parts[kSeriesOutcomes][static_cast<std::size_t>(t)];
    for (Index i = 0; i < n; ++i)
      y[static_cast<std::size_t>(t)] -= design(t, i) * mean[static_cast<std::size_t>(i)];
    for (Index s = 0; s <= t; ++s) {
      double sum = 0.0;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
          sum += design(t, i) * at(cross[static_cast<std::size_t>(s)], i, j, n) * design(s, j);
      c[static_cast<std::size_t>(t)][static_cast<std::size_t>(s)] = sum;
      c[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)] = sum;
    }
    c[static_cast<std::size_t>(t)][static_cast<std::size_t>(t)] +=
        e.parts[kSeriesNoise][e.sizes.noise_varies ? static_cast<std::size_t>(t) : 0];
  }
  std::vector<std::size_t> seen;
  for (std::size_t t = 0; t < y.size(); ++t)
    if (!std::isnan(y[t])) seen.push_back(t);
  std::vector<Numbers> part(seen.size(), Numbers(seen.size()));
  Numbers outcomes;
  for (std::size_t a = 0; a < seen.size(); ++a) {
    outcomes.push_back(y[seen[a]]);
    for (std::size_t b = 0; b < seen.size(); ++b) part[a][b] = c[seen[a]][seen[b]];
  }
  return dense_log_density(part, outcomes);
}

std::vector<Series> examples(Index unknowns) {
  std::vector<Series> all;
  unsigned seed = 1;
  for (const Index n : {1, 2, 5})
    for (const Index kinds : {1, 2})
      for (const bool varies : {false, true}) {
        if (unknowns > n) continue;
        Series e(++seed, {.times = 9,
                          .states = n,
                          .unknowns = unknowns,
                          .kinds = kinds,
                          .design_varies = varies,
                          .noise_varies = varies});
        for (const Index t : {0, 4, 5})
          if (varies || t > 0) e.leave_out(t);
        all.push_back(e);
      }
  return all;
}

TEST(series_likelihood, is_the_density_of_the_outcomes_that_are_there) {
  for (const Series& e : examples(0)) {
    const double expected = by_dense_algebra(e, 0.0);
    EXPECT_NEAR(e.log_density(), expected, 1e-10 * (1.0 + std::fabs(expected)));
    Series wrong = e;  // a missing outcome isn't one of 0
    wrong.parts[kSeriesOutcomes][4] = 0.0;
    EXPECT_GT(std::fabs(wrong.log_density() - expected), 1e-6);
  }
}

// The limit's error is O(1 / kappa), and that of dense algebra about 1e-16 kappa.
TEST(series_likelihood, is_the_limit_of_wide_starts) {
  constexpr double kappa = 1e6;
  for (const Index u : {1, 2})
    for (const Series& e : examples(u)) {
      const double expected =
          by_dense_algebra(e, kappa) + 0.5 * static_cast<double>(u) * (kLogTwoPi + std::log(kappa));
      EXPECT_NEAR(e.log_density(), expected, 1e-3 * (1.0 + std::fabs(expected)));
    }
}

double by_square_roots(const Series& e) {
  const Index n = e.states();
  std::vector<LinearGaussianStep> steps;
  for (Index t = 0; t < e.sizes.times; ++t) {
    const Index kind = t % e.sizes.kinds;
    LinearGaussianStep step;
    if (t == 0) {
      step.offset = e.parts[kSeriesMean], step.noise = e.parts[kSeriesCovariance];
    } else {
      const auto first = e.parts[kSeriesTransition].begin() + kind * n * n;
      step.matrix.assign(first, first + n * n);
      step.offset.assign(static_cast<std::size_t>(n), 0.0);
      step.noise.assign(static_cast<std::size_t>(n * n), 0.0);
      for (Index i = 0; i < n; ++i)
        step.noise[static_cast<std::size_t>(i + i * n)] = e.element(kSeriesStateNoise, n, i, kind);
    }
    for (Index i = 0; i < n; ++i)
      step.observation.push_back(e.element(kSeriesDesign, n, i, e.sizes.design_varies ? t : 0));
    step.observation_offset = {0.0};
    step.observation_noise = {
        e.parts[kSeriesNoise][e.sizes.noise_varies ? static_cast<std::size_t>(t) : 0]};
    step.outcome = {e.parts[kSeriesOutcomes][static_cast<std::size_t>(t)]};
    steps.push_back(step);
  }
  return diffuse_kalman_filter(steps, e.parts[kSeriesUnknown]).log_likelihood;
}

TEST(series_likelihood, of_a_diffuse_start_is_that_of_the_filter_by_square_roots) {
  for (const Index u : {1, 2})
    for (const Series& e : examples(u)) {
      const double expected = by_square_roots(e);
      EXPECT_NEAR(e.log_density(), expected, 1e-10 * (1.0 + std::fabs(expected)));
    }
}

TEST(series_likelihood, is_nan_if_the_outcomes_leave_an_unknown_open) {
  Series e(3, {.times = 4, .states = 2, .unknowns = 2});
  for (const Index t : {1, 2, 3}) e.leave_out(t);
  EXPECT_TRUE(std::isnan(e.log_density()));
  EXPECT_TRUE(std::isnan(e.score()[0]));
}

// The four-point formula errs by O(h^4), about 1e-11 here, and by rounding of about 1e-14 |f| / h = 1e-9.
double worst_difference(Series e, const Numbers& score) {
  double worst = 0.0;
  std::size_t next = 0;
  for (std::size_t part = 0; part < kSeriesParts; ++part)
    for (std::size_t k = 0; k < e.parts[part].size(); ++k, ++next) {
      if (part == kSeriesKinds) continue;
      const bool is_missing = part == kSeriesOutcomes && std::isnan(e.parts[part][k]);
      const double expected = is_missing ? 0.0 : e.difference(part, k);
      worst = std::max(worst, std::fabs(score[next] - expected) / (1.0 + std::fabs(score[next])));
    }
  return worst;
}
TEST(series_likelihood, has_the_gradient_of_its_log_density) {
  for (const Index u : {0, 1, 2})
    for (const Series& e : examples(u)) {
      const Numbers score = e.score();
      EXPECT_LT(worst_difference(e, score), 3e-8)
          << e.states() << " " << u << " " << e.sizes.kinds << " " << e.sizes.design_varies;
      Numbers wrong = score;
      wrong[wrong.size() / 2] += 1e-6 * (1.0 + std::fabs(wrong[wrong.size() / 2]));
      EXPECT_GT(worst_difference(e, wrong), 3e-8);
    }
}
}  // namespace
}  // namespace credo::numerics::series_likelihood_test
