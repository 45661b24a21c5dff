// One suite over the table of kernels: symmetry, no negative eigenvalues, values at points by other formulas, derivatives by differences,
// spectra by quadrature, states against values. Each property has a kernel that breaks it and is rejected.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "models/kernels/covariance.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "support/test_seed.hpp"

namespace credo::models::kernel_rows_test {
namespace {
struct Case {
  const KernelRow* row;
  KernelOptions options;
  std::vector<double> theta;
};

// Orders that a row can have, with parameters around 1.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const KernelRow* row : kernel_rows()) {
    std::vector<Index> orders{0};
    for (const KernelArgument& argument : row->arguments)
      if (argument.is_order) {
        orders.clear();
        for (Index k = static_cast<Index>(argument.least);
             k <= std::min<Index>(3, static_cast<Index>(argument.most)); ++k)
          orders.push_back(k);
      }
    for (const Index order : orders) {
      Case one{.row = row,
               .options = {.dimension = std::max<Index>(1, row->least_columns), .order = order},
               .theta = {}};
      if (row->least_columns < 2 && row->most_columns > 1) one.options.dimension = 2;
      double value = 0.7;
      for (const KernelParameter& p : row->parameters(one.options)) {
        one.theta.push_back(p.transform == KernelTransform::fraction ? 0.3 : value);
        value += 0.2;
      }
      all.push_back(std::move(one));
    }
  }
  return all;
}
std::string name_of(const Case& c) {
  return std::string(c.row->name) + " of order " + std::to_string(c.options.order);
}
std::vector<double> point(const Case& c, Rng& rng) {
  std::vector<double> x;
  for (Index d = 0; d < c.options.dimension; ++d)
    x.push_back(c.row->columns == KernelColumns::factor
                    ? static_cast<double>(1 + rng.index_below(4))
                : c.row->columns == KernelColumns::degrees ? rng.uniform(-80.0, 80.0)
                                                           : rng.uniform(0.05, 2.0));
  return x;
}
double value(const Case& c, const std::vector<double>& x, const std::vector<double>& z) {
  double k = 0.0;
  c.row->values(c.options, c.theta.data(), x.data(), z.data(), 1, &k);
  return k;
}

// ---- the properties; each says whether a kernel has it

bool is_symmetric(const Case& c) {
  Rng rng({.seed = testing::test_seed(11)});
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> x = point(c, rng), z = point(c, rng);
    if (std::abs(value(c, x, z) - value(c, z, x)) > 1e-13 * (1.0 + std::abs(value(c, x, z))))
      return false;
  }
  return true;
}

bool is_positive(const Case& c) {
  Rng rng({.seed = testing::test_seed(12)});
  std::vector<std::vector<double>> x;
  for (int k = 0; k < 40; ++k) x.push_back(point(c, rng));
  numerics::DenseMatrix gram(40);
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j)
      gram(i, j) = value(c, x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
  const std::vector<double> values = numerics::SymmetricEigen(std::move(gram)).values;
  return values.front() > -1e-12 * values.back();
}

bool has_its_slopes(const Case& c) {
  Rng rng({.seed = testing::test_seed(13)});
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> x = point(c, rng), z = k == 0 ? x : point(c, rng);
    double at = 0.0;
    std::vector<double> slopes(c.theta.size() + 1, 0.0);
    c.row->slopes(c.options, c.theta.data(), x.data(), z.data(), 1, &at, slopes.data());
    if (std::abs(at - value(c, x, z)) > 1e-14 * (1.0 + std::abs(at))) return false;
    for (std::size_t p = 0; p < c.theta.size(); ++p) {
      Case up = c, down = c;
      const double h = 1e-5 * c.theta[p];
      up.theta[p] += h, down.theta[p] -= h;
      const double slope = (value(up, x, z) - value(down, x, z)) / (2.0 * h);
      if (std::abs(slope - slopes[p]) > 1e-7 * (1.0 + std::abs(slope))) return false;
    }
  }
  return true;
}

bool has_its_input_slopes(const Case& c) {
  Rng rng({.seed = testing::test_seed(14)});
  for (int k = 0; k < 20; ++k) {
    std::vector<double> x = point(c, rng), z = point(c, rng);
    if (std::abs(x[0] - z[0]) < 0.01) continue;
    std::array<double, 4> found{};
    c.row->by_input(c.options, c.theta.data(), x.data(), z.data(), 0, found);
    const double h = 1e-4;
    const auto at = [&](double a, double b) {
      std::vector<double> u = x, v = z;
      u[0] += a, v[0] += b;
      return value(c, u, v);
    };
    const double dx = (at(h, 0) - at(-h, 0)) / (2 * h), dz = (at(0, h) - at(0, -h)) / (2 * h);
    const double both = (at(h, h) - at(h, -h) - at(-h, h) + at(-h, -h)) / (4 * h * h);
    const double size = 1.0 + std::abs(dx) + std::abs(dz) + std::abs(both);
    if (std::abs(found[0] - at(0, 0)) > 1e-13 * (1.0 + std::abs(found[0]))) return false;
    if (std::abs(found[1] - dx) > 1e-5 * size || std::abs(found[2] - dz) > 1e-5 * size ||
        std::abs(found[3] - both) > 1e-4 * size)
      return false;
  }
  return true;
}

// k(r) = 1/pi int_0^inf S(w) cos(w r) dw, by Simpson's rule on w = tan(u); the spectrum isn't negative.
bool has_its_spectrum(const Case& c) {
  if (c.row->spectral_density == nullptr) return true;
  Case one = c;
  one.options.dimension = 1;
  one.theta.resize(one.row->parameters(one.options).size());
  constexpr int kCells = 400000;
  for (const double r : {0.0, 0.3, 1.1}) {
    double sum = 0.0;
    const double step = 400.0 / kCells;
    double least = 0.0;
    for (int k = 0; k <= kCells; ++k) {
      const double w = step * k,
                   density = one.row->spectral_density(one.options, one.theta.data(), w);
      least = std::min(least, density);
      sum += (k == 0 || k == kCells ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) * density * std::cos(w * r);
    }
    double found = sum * step / 3.0 / std::numbers::pi;
    const double allowed =
        one.row->smoothness(one.options) == 0 ? 5e-3 : 1e-5;  // tails beyond w = 400
    if (least < 0.0 || std::abs(found - value(one, {0.2}, {0.2 + r})) > allowed) return false;
  }
  return true;
}

// Characteristic function of the drawn frequencies.
bool has_its_frequencies(const Case& c) {
  if (c.row->draw_frequency == nullptr) return true;
  Rng rng({.seed = testing::test_seed(15)});
  const std::vector<double> x(static_cast<std::size_t>(c.options.dimension), 0.3);
  std::vector<double> z = x, w = x;
  z[0] += 0.8;
  if (z.size() > 1) z[1] -= 0.3;
  constexpr int kDraws = 40000;
  double sum = 0.0, squares = 0.0;
  for (int k = 0; k < kDraws; ++k) {
    c.row->draw_frequency(c.options, c.theta.data(), rng, w.data());
    double angle = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) angle += w[d] * (z[d] - x[d]);
    sum += std::cos(angle), squares += std::cos(angle) * std::cos(angle);
  }
  const double mean = sum / kDraws,
               error = std::sqrt(std::max(1e-12, squares / kDraws - mean * mean) / kDraws);
  return std::abs(mean - value(c, x, z)) < 4.5 * error + 1e-9;
}

// h(x)' A P(x) h(x + step) is the covariance, and P(x + step) = A P(x) A' + Q.
bool has_its_states(const Case& c) {
  if (c.row->states == nullptr) return true;
  const StateForm& form = *c.row->states;
  Case one = c;
  one.options.dimension = 1;
  const Index n = form.size(one.options);
  const double allowed = form.is_approximate ? 2e-5 : 1e-12;
  std::vector<double> h(static_cast<std::size_t>(n)), g(static_cast<std::size_t>(n));
  for (const double step : {0.01, 0.4, 1.7}) {
    const double x = 0.6;
    StateMatrices<double> start, next, move;
    form.start(one.options, one.theta.data(), x, start);
    form.start(one.options, one.theta.data(), x + step, next);
    form.move(one.options, one.theta.data(), step, move);
    const numerics::RowMatrix a(n, n, move.matrix), p(n, n, start.matrix);
    const numerics::RowMatrix ap = numerics::multiply(a, p),
                              apa = numerics::multiply(ap, numerics::transposed(a));
    form.observe(one.options, x, h.data());
    form.observe(one.options, x + step, g.data());
    double covariance = 0.0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        covariance += g[static_cast<std::size_t>(i)] * ap(i, j) * h[static_cast<std::size_t>(j)];
        const auto at = static_cast<std::size_t>(i * n + j);
        if (std::abs(apa(i, j) + move.noise[at] - next.matrix[at]) > 1e-12) return false;
      }
    if (std::abs(covariance - value(one, {x}, {x + step})) > allowed) return false;
    StateMatrices<StateDual> dual;
    std::vector<StateDual> t(kStateDerivatives);
    for (std::size_t k = 0; k < one.theta.size(); ++k)
      t[k] = StateDual::variable(one.theta[k], static_cast<int>(k));
    form.move_dual(one.options, t.data(), step, dual);
    for (std::size_t k = 0; k < one.theta.size(); ++k) {
      std::vector<double> up = one.theta, down = one.theta;
      up[k] += 1e-6, down[k] -= 1e-6;
      StateMatrices<double> high, low;
      form.move(one.options, up.data(), step, high);
      form.move(one.options, down.data(), step, low);
      for (std::size_t q = 0; q < high.matrix.size(); ++q)
        if (std::abs((high.matrix[q] - low.matrix[q]) / 2e-6 - dual.matrix[q].d[k]) > 1e-6)
          return false;
    }
  }
  return true;
}

using Property = bool (*)(const Case&);
void expect_all(Property property) {
  for (const Case& c : cases()) EXPECT_TRUE(property(c)) << name_of(c);
}
Case case_of(std::string_view name) {
  for (const Case& c : cases())
    if (c.row->name == name) return c;
  ADD_FAILURE() << name;
  return {};
}
// A row with one part replaced must be rejected.
void expect_rejected(Property property, std::string_view name,
                     const std::function<void(KernelRow&)>& change) {
  Case c = case_of(name);
  ASSERT_TRUE(property(c));
  KernelRow mutant = *c.row;
  change(mutant);
  c.row = &mutant;
  EXPECT_FALSE(property(c)) << name;
}

TEST(kernel_rows, are_symmetric) { expect_all(is_symmetric); }
TEST(kernel_rows, have_no_negative_eigenvalue) { expect_all(is_positive); }
TEST(kernel_rows, have_the_derivatives_of_their_parameters) { expect_all(has_its_slopes); }
TEST(kernel_rows, have_the_derivatives_of_their_inputs) {
  for (const Case& c : cases()) {
    if (c.row->smoothness(c.options) < 1 || c.row->columns != KernelColumns::numbers) continue;
    if (c.row->least_columns > 0) {
      EXPECT_TRUE(has_its_input_slopes(c)) << name_of(c);
    }
  }
}
TEST(kernel_rows, are_the_transforms_of_their_spectra) { expect_all(has_its_spectrum); }
TEST(kernel_rows, are_the_characteristic_functions_of_their_frequencies) {
  expect_all(has_its_frequencies);
}
TEST(kernel_rows, are_the_covariances_of_their_states) { expect_all(has_its_states); }
TEST(kernel_rows, are_listed_by_their_names) {
  for (const KernelRow* row : kernel_rows()) {
    EXPECT_EQ(find_kernel(row->name), row);
    EXPECT_FALSE(row->summary.empty());
  }
  EXPECT_EQ(find_kernel("sse"), nullptr);
}

TEST(kernel_suite, rejects_a_kernel_that_is_not_symmetric) {
  expect_rejected(is_symmetric, "se", [](KernelRow& row) {
    row.values = [](const KernelOptions&, const double*, const double* x, const double* z, Index,
                    double* k) { *k = std::exp(-x[0] * x[0] + x[0] * z[0]); };
  });
}
TEST(kernel_suite, rejects_a_box_as_a_kernel) {
  expect_rejected(is_positive, "wendland", [](KernelRow& row) {
    row.values = [](const KernelOptions&, const double*, const double* x, const double* z, Index,
                    double* k) { *k = std::abs(x[0] - z[0]) < 0.5 ? 1.0 : 0.0; };
  });
}
TEST(kernel_suite, rejects_derivatives_of_another_kernel) {
  expect_rejected(has_its_slopes, "matern32",
                  [](KernelRow& row) { row.slopes = find_kernel("matern52")->slopes; });
  expect_rejected(has_its_input_slopes, "se",
                  [](KernelRow& row) { row.by_input = find_kernel("matern52")->by_input; });
}
TEST(kernel_suite, rejects_a_spectrum_by_ordinary_frequency) {
  expect_rejected(has_its_spectrum, "se", [](KernelRow& row) {
    row.spectral_density = [](const KernelOptions&, const double* t, double w) {
      const double u = 2.0 * std::numbers::pi * w * t[0];
      return std::sqrt(2.0 * std::numbers::pi) * t[0] * std::exp(-0.5 * u * u);
    };
  });
  expect_rejected(has_its_frequencies, "se", [](KernelRow& row) {
    row.draw_frequency = [](const KernelOptions& o, const double* t, Rng& rng, double* w) {
      for (Index d = 0; d < o.dimension; ++d) w[d] = 1.05 * rng.normal() / t[0];
    };
  });
}
TEST(kernel_suite, rejects_states_of_another_kernel) {
  expect_rejected(has_its_states, "matern32",
                  [](KernelRow& row) { row.states = find_kernel("matern52")->states; });
}

// Values by formulas that are written another way, at r = 0.6 and parameters that are stated.
double at(std::string_view name, const std::vector<double>& theta, const std::vector<double>& x,
          const std::vector<double>& z, Index order = 0) {
  return value({.row = find_kernel(name),
                .options = {.dimension = ssize(x), .order = order},
                .theta = theta},
               x, z);
}
TEST(kernel_values, are_those_of_the_formulas) {
  const double r = 0.6, l = 0.8;
  EXPECT_NEAR(at("se", {l}, {0.1}, {0.7}), std::exp(-r * r / (2 * l * l)), 1e-15);
  EXPECT_NEAR(at("se_ard", {0.5, 2.0}, {0.0, 0.0}, {0.3, 1.0}), std::exp(-0.18) * std::exp(-0.125),
              1e-15);
  EXPECT_NEAR(at("matern12", {l}, {0.1}, {0.7}), std::exp(-r / l), 1e-15);
  const double s3 = std::sqrt(3.0) * r / l, s5 = std::sqrt(5.0) * r / l,
               s7 = std::sqrt(7.0) * r / l;
  EXPECT_NEAR(at("matern32", {l}, {0.1}, {0.7}), (1 + s3) * std::exp(-s3), 1e-15);
  EXPECT_NEAR(at("matern52", {l}, {0.1}, {0.7}), (1 + s5 + s5 * s5 / 3) * std::exp(-s5), 1e-15);
  // nu = 7/2 by the Bessel function of order 7/2: 2^(1-nu) / Gamma(nu) s^nu K_nu(s)
  EXPECT_NEAR(
      at("matern", {l}, {0.1}, {0.7}, 3),
      std::pow(2.0, -2.5) / std::tgamma(3.5) * std::pow(s7, 3.5) * std::cyl_bessel_k(3.5, s7),
      1e-13);
  EXPECT_NEAR(at("rq", {l, 1.7}, {0.1}, {0.7}), std::pow(1 + r * r / (2 * 1.7 * l * l), -1.7),
              1e-15);
  EXPECT_NEAR(at("periodic", {l, 2.5}, {0.1}, {0.7}),
              std::exp(-(1 - std::cos(2 * std::numbers::pi * r / 2.5)) / (l * l)), 1e-14);
  EXPECT_NEAR(at("cosine", {2.5}, {0.1}, {0.7}), std::cos(2 * std::numbers::pi * r / 2.5), 1e-15);
  EXPECT_NEAR(at("linear", {}, {1.0, 2.0}, {3.0, -0.5}), 2.0, 1e-15);
  // (x'z + c)^2 by its features x1², x2², sqrt(2) x1 x2, sqrt(2c) x1, sqrt(2c) x2, c
  EXPECT_NEAR(at("poly", {0.5}, {1.0, 2.0}, {3.0, -0.5}, 2),
              9.0 + 1.0 + 2 * 2.0 * -1.5 + 2 * 0.5 * 3.0 - 2 * 0.5 * 1.0 + 0.25, 1e-14);
  EXPECT_EQ(at("brownian", {}, {0.3}, {0.7}), 0.3);
  EXPECT_NEAR(at("wendland", {2.0}, {0.0}, {0.6}, 1), std::pow(0.7, 3) * (3 * 0.3 + 1), 1e-15);
  EXPECT_EQ(at("wendland", {2.0}, {0.0}, {2.1}, 1), 0.0);
  EXPECT_EQ(at("white", {}, {0.3}, {0.3}), 1.0);
  EXPECT_EQ(at("white", {}, {0.3}, {0.31}), 0.0);
  EXPECT_NEAR(at("category", {0.4}, {1.0}, {2.0}), 0.4, 1e-15);
  EXPECT_NEAR(at("deep_limit", {1.0}, {0.1}, {0.7}), std::exp(std::exp(-0.18) - 1), 1e-15);
  EXPECT_NEAR(
      at("sm", {0.4, 0.1, 0.9, 0.2, 0.5}, {0.1}, {0.7}, 2),
      (std::cos(0.48 * std::numbers::pi) * std::exp(-2 * std::pow(std::numbers::pi * 0.06, 2)) +
       0.5 * std::cos(1.08 * std::numbers::pi) *
           std::exp(-2 * std::pow(std::numbers::pi * 0.12, 2))) /
          1.5,
      1e-14);
}

// Legendre's generating function: with t small the heat kernel on the sphere is nearly exp(-angle² / (4t)).
TEST(kernel_values, of_the_sphere_are_those_of_the_plane_for_short_times) {
  const double t = 1e-3, angle = 3.0 * std::numbers::pi / 180.0;
  EXPECT_NEAR(at("sphere", {t}, {10.0, 0.0}, {13.0, 0.0}), std::exp(-angle * angle / (4 * t)),
              2e-3);
  EXPECT_NEAR(at("sphere", {t}, {10.0, 88.5}, {190.0, 88.5}), std::exp(-angle * angle / (4 * t)),
              2e-3);  // across the pole
  EXPECT_NEAR(at("sphere", {50.0}, {10.0, 0.0}, {100.0, 40.0}), 1.0, 1e-12);
}

// Kernels of wide networks are means over random weights.
struct Mean {
  double sum = 0.0, squares = 0.0;
  int count = 0;
  void add(double v) { sum += v, squares += v * v, ++count; }
  double mean() const { return sum / count; }
  double error() const { return std::sqrt((squares / count - mean() * mean()) / count); }
};
TEST(kernel_values, of_wide_networks_are_means_over_weights) {
  Rng rng({.seed = testing::test_seed(16)});
  const double w = 0.9, b = 0.6;
  const std::vector<double> x{0.4, -1.0}, z{1.3, 0.2};
  Mean steps, hinges, erfs, layer;
  for (int k = 0; k < 400000; ++k) {
    const double b0 = b * rng.normal(), w0 = w * rng.normal(), w1 = w * rng.normal();
    const double u = b0 + w0 * x[0] + w1 * x[1], v = b0 + w0 * z[0] + w1 * z[1];
    steps.add(u > 0 && v > 0 ? 2.0 : 0.0);
    hinges.add(2.0 * std::max(u, 0.0) * std::max(v, 0.0));
    erfs.add(std::erf(u) * std::erf(v));
    const double c0 = b * rng.normal(), c1 = w / std::sqrt(2.0) * rng.normal(),
                 c2 = w / std::sqrt(2.0) * rng.normal();
    layer.add(std::max(c0 + c1 * x[0] + c2 * x[1], 0.0) *
              std::max(c0 + c1 * z[0] + c2 * z[1], 0.0));
  }
  EXPECT_NEAR(at("arccos", {w, b}, x, z, 0), steps.mean(), 4.5 * steps.error());
  EXPECT_NEAR(at("arccos", {w, b}, x, z, 1), hinges.mean(), 4.5 * hinges.error());
  EXPECT_NEAR(at("neural", {w, b}, x, z), erfs.mean(), 4.5 * erfs.error());
  EXPECT_NEAR(at("nngp", {w, b}, x, z, 1), b * b + w * w * layer.mean(),
              4.5 * w * w * layer.error());
  EXPECT_GT(std::abs(at("nngp", {w, b}, x, z, 1) - b * b - 1.02 * w * w * layer.mean()),
            4.5 * w * w * layer.error());
}

// Two hidden layers of 400 units: the network's outputs, and the products of its gradients, averaged over 300 networks.
TEST(kernel_values, of_deep_networks_are_those_of_networks_of_finite_width) {
  Rng rng({.seed = testing::test_seed(17)});
  constexpr std::size_t kWidth = 400;
  const double w = 1.2, b = 0.4;
  const std::vector<std::vector<double>> inputs{{0.4, -1.0}, {1.3, 0.2}};
  Mean outputs, tangents;
  for (int net = 0; net < 300; ++net) {
    std::vector<double> w1(2 * kWidth), b1(kWidth), w2(kWidth * kWidth), b2(kWidth), w3(kWidth);
    for (auto* all : {&w1, &b1, &w2, &b2, &w3})
      for (double& v : *all) v = rng.normal();
    const double b3 = rng.normal();
    std::array<std::vector<double>, 2> u1, u2, back1;
    std::array<double, 2> out{};
    const double s1 = w / std::sqrt(2.0), s2 = w / std::sqrt(static_cast<double>(kWidth));
    for (std::size_t q = 0; q < 2; ++q) {
      for (std::size_t k = 0; k < kWidth; ++k)
        u1[q].push_back(s1 * (w1[2 * k] * inputs[q][0] + w1[2 * k + 1] * inputs[q][1]) + b * b1[k]);
      for (std::size_t k = 0; k < kWidth; ++k) {
        double sum = b * b2[k];
        for (std::size_t j = 0; j < kWidth; ++j)
          sum += s2 * w2[k * kWidth + j] * std::max(0.0, u1[q][j]);
        u2[q].push_back(sum);
      }
      out[q] = b * b3;
      for (std::size_t k = 0; k < kWidth; ++k) out[q] += s2 * w3[k] * std::max(0.0, u2[q][k]);
      back1[q].assign(kWidth, 0.0);
      for (std::size_t k = 0; k < kWidth; ++k)
        if (u2[q][k] > 0.0)
          for (std::size_t j = 0; j < kWidth; ++j)
            back1[q][j] += s2 * w3[k] * s2 * w2[k * kWidth + j];
    }
    double tangent = b * b;
    double h1 = 0.0, h2 = 0.0, d2 = 0.0, d1 = 0.0;
    for (std::size_t k = 0; k < kWidth; ++k) {
      h1 += std::max(0.0, u1[0][k]) * std::max(0.0, u1[1][k]);
      h2 += std::max(0.0, u2[0][k]) * std::max(0.0, u2[1][k]);
      if (u2[0][k] > 0.0 && u2[1][k] > 0.0) d2 += s2 * w3[k] * s2 * w3[k];
      if (u1[0][k] > 0.0 && u1[1][k] > 0.0) d1 += back1[0][k] * back1[1][k];
    }
    const double xz = inputs[0][0] * inputs[1][0] + inputs[0][1] * inputs[1][1];
    tangent += s2 * s2 * h2 + d2 * (b * b + s2 * s2 * h1) + d1 * (b * b + s1 * s1 * xz);
    outputs.add(out[0] * out[1]);
    tangents.add(tangent);
  }
  EXPECT_NEAR(at("nngp", {w, b}, inputs[0], inputs[1], 2), outputs.mean(), 4.5 * outputs.error());
  EXPECT_NEAR(at("ntk", {w, b}, inputs[0], inputs[1], 2), tangents.mean(),
              4.5 * tangents.error() + 0.01);
}

}  // namespace
}  // namespace credo::models::kernel_rows_test
