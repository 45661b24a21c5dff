// Response times of decisions: the first passage of a Wiener process with drift mu through one of two boundaries bs apart, from the
// share bias of the way to the upper one, after the time ndt [navarro2009].
//
// Draws are exact: the process leaves the largest interval about its place within the boundaries, until it reaches one of these. The time
// in which it leaves an interval has the distribution J* of Polya-gamma numbers [polson2013, doi 10.1080/01621459.2013.829001], and
// doesn't depend on the side. Given the boundary, times don't depend on the sign of the drift, so that draws whose boundary is stated
// drift towards it.
#include <fmt/format.h>

#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kDensity =
    R"(  // response: 1 if the process left through the upper boundary, else 0.
  real wiener_response_lpdf(real y, real response, real bs, real ndt, real bias, real drift) {
    if (response == 1) return wiener_lpdf(y | bs, ndt, bias, drift);
    return wiener_lpdf(y | bs, ndt, 1 - bias, -drift);
  }
  real wiener_response_rng(real response, real bs, real ndt, real bias, real drift) {
    real towards = response == 1 ? abs(drift) : -abs(drift);
    vector[2] made = wiener_passage_rng(bs, bias, towards);
    while (made[2] != response) made = wiener_passage_rng(bs, bias, towards);
    return ndt + made[1];
  }
)";
constexpr std::string_view kMean = R"(  real wiener_mean(real bs, real ndt, real bias, real drift) {
    real x = bs * bias;
    if (abs(drift * bs) < 1e-5) return ndt + x * (bs - x) * (1 + drift * (bs - 2 * x) / 3);
    return ndt + (bs * expm1(-2 * drift * x) / expm1(-2 * drift * bs) - x) / drift;
  }
)";
constexpr std::string_view kPassage =
    R"(  // Time of the passage, and 1 for the upper boundary or 0 for the lower one.
  vector wiener_passage_rng(real bs, real bias, real drift) {
    real x = bs * bias;
    real time = 0;
    int side = -1;
    while (side < 0) {
      real way = fmin(x, bs - x);
      int is_up = bernoulli_logit_rng(2 * drift * way);
      time += square(way) * wiener_exit_rng(way * abs(drift));
      if (is_up == 1 && way == bs - x) side = 1;
      if (is_up == 0 && way == x) side = 0;
      x += is_up == 1 ? way : -way;
    }
    return [time, side]';
  }
)";
constexpr std::string_view kExit = R"(  // Time in which a process with drift z leaves (-1, 1) from 0.
  real wiener_exit_rng(real z) {
    real cut = 0.64;
    real rate = square(pi()) / 8 + square(z) / 2;
    real beyond = pi() / (2 * rate) * exp(-rate * cut);
    real before = 2 * (exp(-z + std_normal_lcdf((cut * z - 1) / sqrt(cut)))
                       + exp(z + std_normal_lcdf(-(cut * z + 1) / sqrt(cut))));
    real x = 0;
    int is_found = 0;
    while (is_found == 0) {
      x = bernoulli_rng(beyond / (beyond + before)) == 1
            ? cut + exponential_rng(rate)
            : wiener_early_rng(z, cut);
      real sum = wiener_exit_term(x, 0, cut);
      real u = uniform_rng(0, 1) * sum;
      int k = 0;
      int is_open = 1;
      while (is_open == 1) {
        k += 1;
        sum -= wiener_exit_term(x, k, cut);
        is_found = u <= sum;
        k += 1;
        sum += wiener_exit_term(x, k, cut);
        is_open = is_found == 0 && u <= sum;
      }
    }
    return x;
  }
  // Term k of the alternating series of the density without drift.
  real wiener_exit_term(real x, int k, real cut) {
    real h = k + 0.5;
    if (x > cut) return pi() * h * exp(-square(h * pi()) * x / 2);
    return pi() * h * (2 / (pi() * x)) ^ 1.5 * exp(-2 * square(h) / x);
  }
  // An inverse Gaussian number of mean 1 / z and shape 1 that is below the cut.
  real wiener_early_rng(real z, real cut) {
    real x = 2 * cut;
    if (z * cut < 1) {
      while (x > cut) {
        real e = exponential_rng(1);
        if (square(e) * cut <= 2 * exponential_rng(1)) {
          real nearer = cut / square(1 + cut * e);
          if (uniform_rng(0, 1) <= exp(-square(z) * nearer / 2)) x = nearer;
        }
      }
      return x;
    }
    while (x > cut) {
      real m = 1 / z;
      real v = square(normal_rng(0, 1));
      x = m + 0.5 * square(m) * v - 0.5 * m * sqrt(4 * m * v + square(m * v));
      if (uniform_rng(0, 1) > m / (m + x)) x = square(m) / x;
    }
    return x;
  }
)";

std::string arguments(const FamilyText& t) {
  return fmt::format("{}, {}, {}, {})", t["bs"], t["ndt"], t["bias"], t.mean);
}
FamilyParameter separation() {
  FamilyParameter made = shape_parameter("bs", "gamma(1, 1)");
  made.brms = "gamma(1, 1)";
  made.intercept_prior = "normal(0.5, 1)";
  return made;
}
FamilyParameter delay() {
  return {.name = "ndt",
          .declaration = "real<lower=0, upper=least_outcome> ndt",
          .prior = "uniform(0, least_outcome)",
          .brms = "uniform(0, least_outcome)",
          .rstanarm = {},
          .why_no_formula = "it lies below all outcomes"};
}
std::string prepare(const std::vector<double>& outcomes, StanParts& parts) {
  parts.constants.push_back({.name = "least_outcome", .values = {std::ranges::min(outcomes)}});
  return {};
}
}  // namespace

extern const FamilyRow wiener_family{
    .name = "wiener",
    .links = {"identity", "log", "softplus"},
    .role = ColumnRole::number,
    .scale = PriorScale::none,
    .parameters = {separation(), delay(), share_parameter("bias")},
    .why_not = only_positive,
    .distribution =
        [](const FamilyText& t) {
          return fmt::format("wiener_response({}, {}", t.decision, arguments(t));
        },
    .draw =
        [](const FamilyText& t) {
          return fmt::format("{} + wiener_passage_rng({}, {}, {})[1]", t["ndt"], t["bs"], t["bias"],
                             t.mean);
        },
    .expected = [](const FamilyText& t) { return "wiener_mean(" + arguments(t); },
    .words = "response times of a Wiener process",
    .functions = {{"wiener_exit_rng", kExit},
                  {"wiener_mean", kMean},
                  {"wiener_passage_rng", kPassage},
                  {"wiener_response", kDensity}},
    .is_by_row = true,
    .needs_decision = true,
    .prepare = prepare};
}  // namespace credo::models
