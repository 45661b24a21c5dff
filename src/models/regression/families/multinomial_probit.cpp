// Categories without an order, chosen by the largest utility: u_k = eta_k + N(0, 1), independent, eta_1 = 0. Then
//
//   P(Y = k) = ∫ φ(z) Π_{j ≠ k} Φ(z + eta_k - eta_j) dz
//
// The integrand is log-concave with curvature of at least 1. It is summed at equal steps within 8 of its mode, which three of Newton's
// steps from the left find (the equation is concave). The sum of an entire function at steps h errs by exp(-(2 π / h)² / (2 K)), here e^-28, and its
// ends leave out e^-30.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFunctions =
    R"(  real multinomial_probit_lpmf(int y, vector eta) {
    int K = rows(eta);
    vector[K - 1] d = eta[y] - append_row(head(eta, y - 1), tail(eta, K - y));
    real mode = 0;
    for (step in 1:3) {
      real slope = -mode;
      real curvature = 1;
      for (j in 1:(K - 1)) {
        real x = mode + d[j];
        real ratio = exp(std_normal_lpdf(x) - std_normal_lcdf(x));
        slope += ratio;
        curvature += ratio * (x + ratio);
      }
      mode += slope / curvature;
    }
    real h = 2 * pi() / sqrt(56.0 * K);
    int last = 1;
    while (last * h < 8) last += 1;
    vector[2 * last + 1] terms;
    for (i in 1:(2 * last + 1)) {
      real z = mode + (i - 1 - last) * h;
      terms[i] = std_normal_lpdf(z) + std_normal_lcdf(z + d);
    }
    return log(h) + log_sum_exp(terms);
  }
  int multinomial_probit_rng(vector eta) {
    int best = 1;
    real most = negative_infinity();
    for (k in 1:rows(eta)) {
      real utility = normal_rng(eta[k], 1);
      if (utility > most) {
        best = k;
        most = utility;
      }
    }
    return best;
  }
  vector multinomial_probit_probabilities(vector eta) {
    vector[rows(eta)] p;
    for (k in 1:rows(eta)) p[k] = exp(multinomial_probit_lpmf(k | eta));
    return p;
  }
)";
}  // namespace

extern const FamilyRow multinomial_probit_family{
    .name = "multinomial_probit",
    .links = {"probit"},
    .role = ColumnRole::factor,
    .scale = PriorScale::unit,
    .parameters = {},
    .why_not = any_number,
    .distribution =
        [](const FamilyText& t) { return fmt::format("multinomial_probit({})", t.eta); },
    .draw = [](const FamilyText& t) { return fmt::format("multinomial_probit_rng({})", t.eta); },
    .expected = nullptr,
    .words = "categorical outcome",
    .functions = {{"multinomial_probit", kFunctions}},
    .is_by_row = true,
    .probabilities =
        [](const FamilyText& t) {
          return fmt::format("multinomial_probit_probabilities({})", t.eta);
        },
    .locations = Locations::but_first};
}  // namespace credo::models
