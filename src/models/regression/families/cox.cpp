// Times whose hazards are proportional: exp(eta) times a baseline that is a sum of M-splines of degree 3 with shares bhaz, whose sum is
// 1 [ramsay1988, doi 10.1214/ss/1177012761]; its integral is a sum of I-splines. Knots are those of brms: the range of the times, 2 % wider
// at either end and not below 0, and the median. Before the first knot the hazard is 0; behind the last one it stays as it is there.
#include <fmt/format.h>

#include "models/formula/bases.hpp"
#include "models/regression/families/family_parts.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kSplines =
    R"(  // B-splines of a degree at x, between the first and the last knot.
  vector bhaz_b_splines(real x, vector knots, int degree) {
    int inner = rows(knots) - 2;
    vector[inner + 2 * degree + 2] t = append_row(
      append_row(rep_vector(knots[1], degree), knots), rep_vector(knots[inner + 2], degree));
    int span = degree + 1;
    while (span < inner + degree + 1 && x >= t[span + 1]) span += 1;
    vector[inner + degree + 1] b = rep_vector(0, inner + degree + 1);
    b[span] = 1;
    for (d in 1:degree) {
      real saved = 0;
      for (r in (span - d + 1):span) {
        real share = b[r] / (t[r + d] - t[r]);
        b[r - 1] = saved + (t[r + d] - x) * share;
        saved = (x - t[r]) * share;
      }
      b[span] = saved;
    }
    return b;
  }
)";
constexpr std::string_view kHazard = R"(  // M-splines at x, whose integrals are 1.
  row_vector bhaz_m_splines(real x, vector knots) {
    int last = rows(knots) + 2;
    if (x < knots[1]) return rep_row_vector(0, last);
    vector[last] b = bhaz_b_splines(fmin(x, knots[rows(knots)]), knots, 3);
    row_vector[last] m;
    for (k in 1:last)
      m[k] = 4 * b[k] / (knots[min({k + 1, rows(knots)})] - knots[max({1, k - 3})]);
    return m;
  }
)";
constexpr std::string_view kIntegrals = R"(  // Integrals of the M-splines up to x.
  row_vector bhaz_i_splines(real x, vector knots) {
    int last = rows(knots) + 2;
    if (x < knots[1]) return rep_row_vector(0, last);
    real end = knots[rows(knots)];
    if (x > end) return rep_row_vector(1, last) + (x - end) * bhaz_m_splines(end, knots);
    vector[last + 1] b = bhaz_b_splines(x, knots, 4);
    row_vector[last] sums;
    real sum = 0;
    for (k in 1:last) {
      sum += b[last + 2 - k];
      sums[last + 1 - k] = sum;
    }
    return sums;
  }
)";
constexpr std::string_view kAllIntegrals =
    R"(  matrix bhaz_all_integrals(vector x, vector knots) {
    matrix[rows(x), rows(knots) + 2] sums;
    for (k in 1:rows(x)) sums[k] = bhaz_i_splines(x[k], knots);
    return sums;
  }
)";
constexpr std::string_view kPolynomials =
    R"(  // Coefficients of the integrals of the splines between the knots, as polynomials of the share of the way to the next knot: five rows for
  // each piece.
  matrix bhaz_polynomials(vector knots) {
    matrix[10, rows(knots) + 2] made;
    vector[5] share = [0, 0.25, 0.5, 0.75, 1]';
    matrix[5, 5] powers;
    for (j in 1:5) powers[, j] = j == 1 ? rep_vector(1, 5) : share .^ (j - 1);
    for (p in 1:2)
      made[(5 * p - 4):(5 * p)] =
        powers \ bhaz_all_integrals(knots[p] + (knots[p + 1] - knots[p]) * share, knots);
    return made;
  }
  // The baseline hazard behind the last knot.
  real bhaz_last(vector bhaz, vector knots, matrix pieces) {
    return [1, 2, 3, 4] * (pieces[7:10] * bhaz) / (knots[3] - knots[2]);
  }
)";
constexpr std::string_view kDensity =
    R"(  real cox_lpdf(real y, real eta, vector bhaz, vector knots, matrix pieces) {
    return eta + log(bhaz_m_splines(y, knots) * bhaz)
           - exp(eta) * (bhaz_i_splines(y, knots) * bhaz);
  }
  real cox_lccdf(real y, real eta, vector bhaz, vector knots, matrix pieces) {
    if (is_inf(y)) return negative_infinity();
    return -exp(eta) * (bhaz_i_splines(y, knots) * bhaz);
  }
  real cox_lcdf(real y, real eta, vector bhaz, vector knots, matrix pieces) {
    if (is_inf(y)) return 0;
    return log1m_exp(-exp(eta) * (bhaz_i_splines(y, knots) * bhaz));
  }
  // The time at which the integral of the baseline is -log(u) / exp(eta): Newton's steps within a bracket.
  real cox_rng(real eta, vector bhaz, vector knots, matrix pieces) {
    real target_hazard = -log(uniform_rng(0, 1)) / exp(eta);
    if (target_hazard >= 1) return knots[3] + (target_hazard - 1) / bhaz_last(bhaz, knots, pieces);
    vector[10] all = pieces * bhaz;
    int piece = target_hazard >= all[6] ? 2 : 1;
    vector[5] c = all[(5 * piece - 4):(5 * piece)];
    real low = 0;
    real high = 1;
    real t = (target_hazard - c[1]) / sum(c[2:5]);
    for (step in 1:100) {
      real miss = c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))) - target_hazard;
      real slope = c[2] + t * (2 * c[3] + t * (3 * c[4] + t * 4 * c[5]));
      real next = t - miss / slope;
      if (miss > 0) high = t;
      else low = t;
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (abs(next - t) <= 1e-13) break;
      t = next;
    }
    return knots[piece] + t * (knots[piece + 1] - knots[piece]);
  }
)";
// Gauss-Legendre places between the knots, then the time behind the last one.
constexpr std::string_view kMean =
    R"(  real cox_mean(real eta, vector bhaz, vector knots, matrix pieces, matrix grid, vector shares) {
    real rate = exp(eta);
    return knots[1] + dot_product(shares, exp(-rate * (grid * bhaz)))
           + exp(-rate) / (rate * bhaz_last(bhaz, knots, pieces));
  }
)";
constexpr Index kSplineCount = 5, kPlaces = 24;

std::string call(const FamilyText& t, const char* name) {
  return fmt::format("{}({}, {}, bhaz_knots, bhaz_pieces)", name, t.eta, t["bhaz"]);
}

FamilyParameter shares() {
  FamilyParameter made{.name = "bhaz",
                       .declaration = fmt::format("simplex[{}] bhaz", kSplineCount),
                       .prior = fmt::format("dirichlet(rep_vector(1, {}))", kSplineCount),
                       .brms = fmt::format("dirichlet(rep_vector(1, {}))", kSplineCount),
                       .rstanarm = {}};
  for (Index k = 1; k <= kSplineCount; ++k)
    made.rows.emplace_back(fmt::format("bhaz.{}", k), fmt::format("bhaz{}", k));
  return made;
}

struct LegendreRule {
  std::vector<double> places, weights;  // on (-1, 1)
};
// Zeros of the Legendre polynomial by Newton's method.
LegendreRule legendre_rule(Index size) {
  LegendreRule rule;
  const auto n = static_cast<double>(size);
  for (Index k = 0; k < size; ++k) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(k) + 0.75) / (n + 0.5)), slope = 0.0;
    for (int step = 0; step < 8; ++step) {
      double before = 1.0, value = x;
      for (Index j = 2; j <= size; ++j) {
        const auto m = static_cast<double>(j);
        before = std::exchange(value, ((2.0 * m - 1.0) * x * value - (m - 1.0) * before) / m);
      }
      slope = n * (x * value - before) / (x * x - 1.0);
      x -= value / slope;
    }
    rule.places.push_back(x);
    rule.weights.push_back(2.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

std::string prepare(const std::vector<double>& times, StanParts& parts) {
  const auto [least, greatest] = std::ranges::minmax(times);
  const double margin = (greatest - least) / 50.0;
  const std::vector<double> knots{std::max(least - margin, 0.0), sample_quantile(times, 0.5),
                                  greatest + margin};
  if (!(knots[0] < knots[1] && knots[1] < knots[2]))
    return "the baseline hazard needs times that differ, of which less than half are 0";
  const LegendreRule rule = legendre_rule(kPlaces);
  ProgramConstant places{.name = "bhaz_places",
                         .dims = {2 * kPlaces},
                         .comment = "of the integral of the survival function"},
      weights{.name = "bhaz_shares", .dims = {2 * kPlaces}, .comment = "weights of these"};
  for (std::size_t piece = 0; piece < 2; ++piece) {
    const double half = 0.5 * (knots[piece + 1] - knots[piece]);
    for (std::size_t k = 0; k < rule.places.size(); ++k) {
      places.values.push_back(knots[piece] + half * (1.0 + rule.places[k]));
      weights.values.push_back(half * rule.weights[k]);
    }
  }
  parts.constants.push_back({.name = "bhaz_knots",
                             .dims = {ssize(knots)},
                             .values = knots,
                             .comment = "of the baseline hazard"});
  parts.constants.push_back(std::move(places));
  parts.constants.push_back(std::move(weights));
  parts.prepared.push_back(fmt::format(
      "matrix[{}, {}] bhaz_grid = bhaz_all_integrals(bhaz_places, bhaz_knots);", 2 * kPlaces,
      kSplineCount));
  parts.prepared.push_back(
      fmt::format("matrix[10, {}] bhaz_pieces = bhaz_polynomials(bhaz_knots);", kSplineCount));
  return {};
}
}  // namespace

extern const FamilyRow cox_family{
    .name = "cox",
    .links = {"log"},
    .role = ColumnRole::number,
    .scale = PriorScale::none,
    .parameters = {shares()},
    .why_not = only_at_least_0,
    .distribution = [](const FamilyText& t) { return call(t, "cox"); },
    .draw = [](const FamilyText& t) { return call(t, "cox_rng"); },
    .expected =
        [](const FamilyText& t) {
          return fmt::format("cox_mean({}, {}, bhaz_knots, bhaz_pieces, bhaz_grid, bhaz_shares)", t.eta,
                             t["bhaz"]);
        },
    .words = "times with proportional hazards",
    .functions = {{"bhaz_all_integrals", kAllIntegrals},
                  {"bhaz_b_splines", kSplines},
                  {"bhaz_i_splines", kIntegrals},
                  {"bhaz_m_splines", kHazard},
                  {"bhaz_polynomials", kPolynomials},
                  {"cox", kDensity},
                  {"cox_mean", kMean}},
    .is_by_row = true,
    .tail = [](const FamilyText& t) { return call(t, "cox"); },
    .prepare = prepare};
}  // namespace credo::models
