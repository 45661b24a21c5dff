// Sparse priors of coefficients: the worked examples of the texts by the commands, beside quadrature, enumeration and the formulas' fixed
// points.
#include <fmt/format.h>

#include "text_examples.hpp"

namespace credo::cli::sparse_examples_test {
namespace {

// E[w | y] for y ~ N(w, 1) and a prior of w, by quadrature.
double shrunk(double y, const std::function<double(double)>& prior) {
  const auto weight = [&](double w) { return prior(w) * normal_density(y, w, 1.0); };
  const double mass = integral(weight, -30.0, 0.0, 6000) + integral(weight, 0.0, 30.0, 6000);
  const auto first = [&](double w) { return w * weight(w); };
  return (integral(first, -30.0, 0.0, 6000) + integral(first, 0.0, 30.0, 6000)) / mass;
}

class Sparse : public TextExamples {
 protected:
  Sparse() : TextExamples("sparse_examples") {}

  std::string draws_of(const std::string& program, const std::string& data,
                       std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--data", example("texts/" + data + ".json")});
    return draw(program, more);
  }
  static std::vector<double> shrinkage(const std::string& name) {
    return numbers(example_data("texts/shrinkage.json").at(name));
  }
};

// A normal distribution whose variance is exponential with the rate λ² / 2 is Laplace's, so the shrunk means are those of its density.
TEST_F(Sparse, the_mixture_of_the_bayesian_lasso_shrinks_as_a_laplace_prior) {
  const std::string file = draws_of("shrinkage_lasso", "shrinkage", {"--draws", "4000"});
  const std::vector<double> y = shrinkage("y");
  for (std::size_t j = 0; j < y.size(); ++j)
    expect_mean(file, fmt::format("w[{}]", j + 1),
                shrunk(y[j], [](double w) { return std::exp(-std::abs(w)); }));
  // Draws are never zero, unlike the mode.
  for (const double w : values_of(file, "w[1]")) EXPECT_NE(w, 0.0);
}

// Given its local scale λ a mean is shrunk by λ²τ² / (1 + λ²τ²); the scale's half-Cauchy distribution is uniform in its arc tangent.
TEST_F(Sparse, a_horseshoe_leaves_large_means_alone) {
  const std::string file = draws_of("shrinkage_horseshoe", "shrinkage",
                                    {"--draws", "4000", "--target-accept", "0.99"});
  const std::vector<double> y = shrinkage("y");
  for (std::size_t j = 0; j < y.size(); ++j) {
    const auto variance = [](double u) { return 0.25 * std::tan(u) * std::tan(u); };
    const auto weight = [&](double u) {
      return normal_density(y[j], 0.0, std::sqrt(1.0 + variance(u)));
    };
    const double end = 0.5 * std::numbers::pi - 1e-9;
    const double mass = integral(weight, 0.0, end, 20000);
    const double first = integral(
        [&](double u) { return y[j] * variance(u) / (1.0 + variance(u)) * weight(u); }, 0.0, end,
        20000);
    expect_mean(file, fmt::format("w[{}]", j + 1), first / mass);
  }
  EXPECT_LT(summary_of(file, "w[1]").at("mean").number, 0.35 * y[0]);
  EXPECT_GT(summary_of(file, "w[4]").at("mean").number, 0.9 * y[3]);
}

// Two means that share a variance, which is gamma(3/2) with the rate λ² / 2: their density is proportional to exp(-λ |w|).
TEST_F(Sparse, members_of_a_group_are_shrunk_together) {
  const std::string file = draws_of("shrinkage_group", "shrinkage", {"--draws", "4000"});
  const std::vector<double> pair = shrinkage("pair");
  std::array<double, 3> sums{};
  constexpr double kStep = 0.02;  // midpoints, from -10 to 12: to 1e-4
  for (int i = 0; i < 1100; ++i)
    for (int j = 0; j < 1100; ++j) {
      const double a = -10.0 + (i + 0.5) * kStep, b = -10.0 + (j + 0.5) * kStep;
      const double density = std::exp(-std::hypot(a, b) - 0.5 * (a - pair[0]) * (a - pair[0]) -
                                      0.5 * (b - pair[1]) * (b - pair[1]));
      sums[0] += density, sums[1] += a * density, sums[2] += b * density;
    }
  expect_mean(file, "w[1]", sums[1] / sums[0]);
  expect_mean(file, "w[2]", sums[2] / sums[0]);
  // Beside a large member the small one is shrunk less than alone.
  EXPECT_GT(sums[1] / sums[0], shrunk(pair[0], [](double w) { return std::exp(-std::abs(w)); }));
}

// The sums of three columns and the outcomes, in the order of the file.
struct Choice {
  std::array<std::array<double, 3>, 3> xx{};
  std::array<double, 3> xy{};
  double yy = 0.0, rows = 0.0;
};
Choice choice_sums() {
  const testing::Json data =
      testing::parse_json(io::read_file(CREDO_SOURCE_DIR "/examples/texts/spike_slab.json"));
  std::vector<double> x, y;
  data.at("X").flatten(x), data.at("y").flatten(y);
  Choice sums;
  for (std::size_t n = 0; n < y.size(); ++n) {
    sums.yy += y[n] * y[n], sums.rows += 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      sums.xy[i] += x[3 * n + i] * y[n];
      for (std::size_t j = 0; j < 3; ++j) sums.xx[i][j] += x[3 * n + i] * x[3 * n + j];
    }
  }
  return sums;
}
// log N(y; 0, I + 1.5² X_s X_s') by the matrix of the chosen columns: |I + v X'X| and y'y - v y'X (I + v X'X)⁻¹ X'y.
double log_evidence_of(const Choice& sums, unsigned chosen, double slab_variance) {
  std::array<std::array<double, 3>, 3> a{};
  std::array<double, 3> b{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const bool both = ((chosen >> i) & 1U) != 0 && ((chosen >> j) & 1U) != 0;
      a[i][j] = (i == j ? 1.0 : 0.0) + (both ? slab_variance * sums.xx[i][j] : 0.0);
      if (i == j) b[i] = both ? sums.xy[i] : 0.0;
    }
  double log_determinant = 0.0, explained = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {  // elimination; b becomes L⁻¹ b
    log_determinant += std::log(a[k][k]);
    explained += slab_variance * b[k] * b[k] / a[k][k];
    for (std::size_t i = k + 1; i < 3; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < 3; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  return -0.5 * (sums.rows * std::log(2.0 * std::numbers::pi) + log_determinant + sums.yy -
                 explained);
}

// The evidence of each choice of columns, and with it the probability that a column matters.
TEST_F(Sparse, choices_of_columns_have_their_evidence) {
  const Json found = json({"exact", example("texts/spike_slab.stan"), "--data",
                           example("texts/spike_slab.json")});
  const Choice sums = choice_sums();
  std::array<double, 3> inclusion{};
  double total = 0.0;
  for (unsigned chosen = 0; chosen < 8; ++chosen) {
    double weight = std::exp(log_evidence_of(sums, chosen, 2.25));
    for (unsigned k = 0; k < 3; ++k) weight *= ((chosen >> k) & 1U) != 0 ? 0.3 : 0.7;
    total += weight;
    for (unsigned k = 0; k < 3; ++k)
      if (((chosen >> k) & 1U) != 0) inclusion[k] += weight;
  }
  EXPECT_NEAR(found.at("log_sum").number, std::log(total), 1e-9);
  std::vector<double> marginals;
  for (const Json& one : found.at("parameters").items) one.at("probabilities").flatten(marginals);
  ASSERT_EQ(marginals.size(), 6U);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(marginals[2 * k + 1], inclusion[k] / total, 1e-9) << k;
}

// Uniform slabs: sums over a grid of the coefficients that are chosen.
TEST_F(Sparse, uniform_slabs_are_chosen_as_often_as_their_integrals_say) {
  const std::string file = draws_of("spike_slab_uniform", "spike_slab",
                                    {"--discrete", "sum", "--sampler", "smc", "--draws", "4000"});
  const Choice sums = choice_sums();
  constexpr int kPoints = 61;
  const auto value = [](int k) { return -3.0 + 6.0 * k / (kPoints - 1.0); };
  const auto share = [](int k) {  // Simpson's, of the prior's mass 1
    return (k == 0 || k == kPoints - 1 ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) / (3.0 * (kPoints - 1.0));
  };
  std::array<double, 3> inclusion{};
  double total = 0.0;
  for (unsigned chosen = 0; chosen < 8; ++chosen) {
    std::array<int, 3> ends{};
    double prior = 1.0, mass = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool in = ((chosen >> k) & 1U) != 0;
      ends[k] = in ? kPoints : 1, prior *= in ? 0.3 : 0.7;
    }
    for (int i = 0; i < ends[0]; ++i)
      for (int j = 0; j < ends[1]; ++j)
        for (int k = 0; k < ends[2]; ++k) {
          const std::array<int, 3> at{i, j, k};
          std::array<double, 3> w{};
          double weight = 1.0;
          for (std::size_t d = 0; d < 3; ++d)
            if (ends[d] > 1) w[d] = value(at[d]), weight *= share(at[d]);
          double distance = sums.yy;
          for (std::size_t a = 0; a < 3; ++a) {
            distance -= 2.0 * w[a] * sums.xy[a];
            for (std::size_t b = 0; b < 3; ++b) distance += w[a] * w[b] * sums.xx[a][b];
          }
          mass += weight * std::exp(-0.5 * distance);
        }
    total += prior * mass;
    for (std::size_t k = 0; k < 3; ++k)
      if (ends[k] > 1) inclusion[k] += prior * mass;
  }
  for (std::size_t k = 0; k < 3; ++k)
    expect_mean(file, fmt::format("s[{}]", k + 1), inclusion[k] / total);
}

// X'X and X'y of the four columns of ard.json, and the covariance (β X'X + diag α)⁻¹ with the mean β Σ X'y.
struct Ard {
  std::vector<double> xx, xy, covariance, mean;
  double yy = 0.0, rows = 0.0;
};
Ard ard_at(const std::vector<double>& alpha, double beta) {
  const testing::Json data =
      testing::parse_json(io::read_file(CREDO_SOURCE_DIR "/examples/texts/ard.json"));
  std::vector<double> x, y;
  data.at("X").flatten(x), data.at("y").flatten(y);
  constexpr std::size_t kD = 4;
  Ard at{std::vector<double>(kD * kD), std::vector<double>(kD), std::vector<double>(kD * kD),
         std::vector<double>(kD)};
  for (std::size_t n = 0; n < y.size(); ++n) {
    at.yy += y[n] * y[n], at.rows += 1.0;
    for (std::size_t i = 0; i < kD; ++i) {
      at.xy[i] += x[kD * n + i] * y[n];
      for (std::size_t j = 0; j < kD; ++j) at.xx[kD * i + j] += x[kD * n + i] * x[kD * n + j];
    }
  }
  // Gauss and Jordan, on a symmetric positive definite matrix.
  std::vector<double> a(kD * kD), inverse(kD * kD);
  for (std::size_t i = 0; i < kD; ++i)
    for (std::size_t j = 0; j < kD; ++j) {
      a[kD * i + j] = beta * at.xx[kD * i + j] + (i == j ? alpha[i] : 0.0);
      inverse[kD * i + j] = i == j ? 1.0 : 0.0;
    }
  for (std::size_t k = 0; k < kD; ++k) {
    const double pivot = a[kD * k + k];
    for (std::size_t j = 0; j < kD; ++j) a[kD * k + j] /= pivot, inverse[kD * k + j] /= pivot;
    for (std::size_t i = 0; i < kD; ++i) {
      if (i == k) continue;
      const double factor = a[kD * i + k];
      for (std::size_t j = 0; j < kD; ++j)
        a[kD * i + j] -= factor * a[kD * k + j], inverse[kD * i + j] -= factor * inverse[kD * k + j];
    }
  }
  at.covariance = inverse;
  for (std::size_t i = 0; i < kD; ++i)
    for (std::size_t j = 0; j < kD; ++j)
      at.mean[i] += beta * inverse[kD * i + j] * at.xy[j];
  return at;
}
double residual_squares(const Ard& at) {  // ‖y - X ŵ‖² + tr(X'X Σ)
  double sum = at.yy;
  for (std::size_t i = 0; i < 4; ++i) {
    sum -= 2.0 * at.mean[i] * at.xy[i];
    for (std::size_t j = 0; j < 4; ++j)
      sum += at.xx[4 * i + j] * (at.mean[i] * at.mean[j] + at.covariance[4 * i + j]);
  }
  return sum;
}

// The best precisions are a fixed point of EM: α_d = 1 / (ŵ_d² + Σ_dd) and 1 / β = (‖y - X ŵ‖² + tr(X'X Σ)) / N. Those of the two
// columns that don't matter go to infinity.
TEST_F(Sparse, the_evidence_prunes_columns_by_their_precision) {
  const Json found = json({"optimize", example("texts/ard.stan"), "--data", example("texts/ard.json"),
                           "--marginal", "w", "--seed", usual_seed()});
  std::map<std::string, double> best;
  for (const Json& row : found.at("mode").items)
    best[row.at("name").text] = row.at("value").value();
  const auto of = [&](const char* name, int d) { return best.at(fmt::format("{}.{}", name, d)); };
  const std::vector<double> alpha{of("alpha", 1), of("alpha", 2), of("alpha", 3), of("alpha", 4)};
  EXPECT_GT(alpha[1], 1e6);
  EXPECT_GT(alpha[3], 1e6);
  const Ard at = ard_at(alpha, best.at("beta"));
  for (const std::size_t d : {0U, 2U})
    EXPECT_NEAR(alpha[d], 1.0 / (at.mean[d] * at.mean[d] + at.covariance[5 * d]), 1e-4 * alpha[d]);
  EXPECT_NEAR(best.at("beta"), at.rows / residual_squares(at), 1e-4 * best.at("beta"));
  for (std::size_t d = 0; d < 4; ++d)
    EXPECT_NEAR(of("w", static_cast<int>(d) + 1), at.mean[d], 1e-5);
}

// With gamma(0.01, 0.01) priors coordinate ascent ends where q(w) = N(μ, Σ) at the mean precisions, α_d ~ gamma(0.51, 0.01 + E w_d² / 2)
// and β ~ gamma(0.01 + N / 2, 0.01 + E ‖y - X w‖² / 2).
TEST_F(Sparse, coordinate_ascent_has_the_updates_of_variational_ard) {
  const std::string file = at("ard.nc");
  ASSERT_EQ(run({"approximate", example("texts/ard_priors.stan"), "--data",
                 example("texts/ard.json"), "--method", "cavi", "--no-check", "--quiet", "-o", file}),
            0)
      << said();
  const auto fit = open(file);
  std::map<std::string, std::vector<double>> found;
  for (const infer::TunedSetting& one : fit->result().chains.at(0).tuned)
    found[one.name].assign(one.values.begin(), one.values.end());
  std::vector<double> alpha(4);
  for (std::size_t d = 0; d < 4; ++d)
    alpha[d] = found.at("alpha_shape").at(d) / found.at("alpha_rate").at(d);
  const Ard q = ard_at(alpha, found.at("beta_shape").at(0) / found.at("beta_rate").at(0));
  for (std::size_t d = 0; d < 4; ++d) {
    // The bound is level to 1e-8 where the sweeps end, so that parameters are known to 1e-4 of a standard deviation.
    const double sd = std::sqrt(q.covariance[5 * d]);
    EXPECT_NEAR(found.at("w_mean").at(d), q.mean[d], 1e-3 * sd);
    EXPECT_NEAR(found.at("w_sd").at(d), sd, 1e-3 * sd);
    EXPECT_NEAR(found.at("alpha_shape").at(d), 0.51, 1e-9);
    const double rate = 0.01 + 0.5 * (q.mean[d] * q.mean[d] + q.covariance[5 * d]);
    EXPECT_NEAR(found.at("alpha_rate").at(d), rate, 1e-3 * rate);
  }
  EXPECT_NEAR(found.at("beta_shape").at(0), 20.01, 1e-9);
  EXPECT_NEAR(found.at("beta_rate").at(0), 0.01 + 0.5 * residual_squares(q), 1e-2);
}

}  // namespace
}  // namespace credo::cli::sparse_examples_test
