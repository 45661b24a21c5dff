#include "numerics/com_poisson.hpp"

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::numerics {
namespace {
constexpr double kLogTwoPi = 1.83787706640934548356;
constexpr ComPoisson kNone{kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};

// ---- the asymptotic series

constexpr std::size_t kSeriesTerms = 8;
using Coefficients = std::array<double, kSeriesTerms>;
// Row k: the polynomial c_k in nu^2, lowest power first. Z is the leading term times sum_k c_k (nu mu)^-k [gaunt2019, theorem 1].
constexpr std::array<Coefficients, kSeriesTerms> kSeries{{
    {1.0},
    {-1.0 / 24.0, 1.0 / 24.0},
    {-23.0 / 1152.0, 11.0 / 576.0, 1.0 / 1152.0},
    {-11237.0 / 414720.0, 769.0 / 27648.0, -101.0 / 138240.0, 1.0 / 82944.0},
    {-2482411.0 / 39813120.0, 680863.0 / 9953280.0, -39859.0 / 6635520.0, -473.0 / 9953280.0,
     1.0 / 7962624.0},
    {-272785979.0 / 1337720832.0, 226287557.0 / 955514880.0, -15823877.0 / 477757440.0,
     729347.0 / 3344302080.0, -1061.0 / 955514880.0, 1.0 / 955514880.0},
    {-4175309343349.0 / 4815794995200.0, 169709463197.0 / 160526499840.0,
     -44816473367.0 / 229323571200.0, 1254754441.0 / 240789749760.0, 25459207.0 / 1605264998400.0,
     -373.0 / 22932357120.0, 1.0 / 137594142720.0},
    {-525035501918789.0 / 115579079884800.0, 667874164916771.0 / 115579079884800.0,
     -49990965054179.0 / 38526359961600.0, 7154188282543.0 / 115579079884800.0,
     -20001818479.0 / 115579079884800.0, 15240227.0 / 38526359961600.0, -577.0 / 3302259425280.0,
     1.0 / 23115815976960.0},
}};

struct Polynomial {
  double value, first, second;
};
Polynomial evaluate(const Coefficients& c, std::size_t degree, double x) {
  Polynomial p{c[degree], 0.0, 0.0};
  for (std::size_t k = degree; k-- > 0;) {
    p.second = p.second * x + 2.0 * p.first;
    p.first = p.first * x + p.value;
    p.value = p.value * x + c[k];
  }
  return p;
}

// S - 1 for the series S, and the derivatives of S by eta (e) and nu (n).
struct SeriesSum {
  double rest = 0.0, e = 0.0, n = 0.0, ee = 0.0, en = 0.0, nn = 0.0;
};
SeriesSum series_sum(double nu, double mu) {
  const double square = nu * nu, inverse = 1.0 / (nu * mu);
  SeriesSum s;
  double power = 1.0;
  for (std::size_t k = 1; k < kSeriesTerms; ++k) {
    power *= inverse;
    const auto order = static_cast<double>(k);
    const Polynomial p = evaluate(kSeries[k], k, square);
    const double by_nu = 2.0 * nu * p.first, twice = 2.0 * p.first + 4.0 * square * p.second;
    const double slope = by_nu - order * p.value / nu;  // derivative of c_k nu^-k by nu, times nu^k
    s.rest += power * p.value;
    s.e -= power * order * p.value;
    s.n += power * slope;
    s.ee += power * order * order * p.value;
    s.en -= power * order * slope;
    s.nn += power * (twice - 2.0 * order * by_nu / nu + order * (order + 1.0) * p.value / square);
  }
  return s;
}

ComPoisson by_series(double eta, double nu, double mu) {
  const SeriesSum s = series_sum(nu, mu);
  const double size = 1.0 + s.rest, e = s.e / size, n = s.n / size;  // derivatives of log S
  const double ee = s.ee / size - e * e, en = s.en / size - e * n, nn = s.nn / size - n * n;
  return {.log_sum = nu * mu - 0.5 * (nu - 1.0) * (kLogTwoPi + eta) - 0.5 * log(nu) + log1p(s.rest),
          .mean = mu - 0.5 * (nu - 1.0) / nu + e / nu,
          .mean_log = mu - 0.5 * (kLogTwoPi + eta) - 0.5 / nu + n,
          .variance = (mu + ee / nu) / nu,
          .covariance = (-0.5 / nu + en - e / nu) / nu,
          .variance_log = 0.5 / (nu * nu) + nn};
}

// ---- the sum itself

// Sums of terms relative to the one at the mode m: t, and t times powers of j = k - m and g = T(k) - T(m). The mode's own
// term, 1, is left out.
struct Moments {
  double one = 0.0, j = 0.0, g = 0.0, jj = 0.0, jg = 0.0, gg = 0.0;
};

// log k! for k below its size.
constexpr std::size_t kTabled = 1024;
const std::array<double, kTabled>& log_factorials() {
  static const std::array<double, kTabled> table = [] {
    std::array<double, kTabled> made{};
    for (std::size_t k = 2; k < kTabled; ++k) made[k] = lgamma(static_cast<double>(k) + 1.0);
    return made;
  }();
  return table;
}
double log_factorial(double k) {
  return k < static_cast<double>(kTabled) ? log_factorials()[static_cast<std::size_t>(k)]
                                          : lgamma(k + 1.0);
}

class DirectSum {
 public:
  DirectSum(double eta, double nu, double mu, double mode)
      : eta_(eta), nu_(nu), mu_(mu), mode_(mode) {}

  // Adds the terms of k = mode + 1 ... to, or of mode - 1 ... to downwards. False if there are too many.
  bool add_side(double to) {
    const double direction = to > mode_ ? 1.0 : -1.0;
    double left = std::abs(to - mode_);
    last_g_ = 0.0;
    for (double offset = 0.0; left > 0.0; offset += kBlock, left -= kBlock) {
      if (offset >= kMostComPoissonTerms) return false;
      const auto size = static_cast<std::size_t>(std::min(left, kBlock));
      fill(direction, offset, size);
      for (std::size_t i = 0; i < size; ++i) terms_[i] = nu_ * g_[i];
      function(Unary::exp).array(terms_.data(), terms_.data(), size);
      for (std::size_t i = 0; i < size; ++i)
        add(terms_[i], direction * (offset + 1.0 + static_cast<double>(i)), g_[i]);
      if (size > 1 && is_rest_small(terms_[size - 2], terms_[size - 1])) return true;
    }
    return true;
  }
  const Moments& moments() const { return sums_; }

 private:
  static constexpr double kBlock = 16.0, kSmallRest = 1e-22;

  // T(k) - T(mode) of the counts behind `offset`: by a table where its rounding, nu T times 1e-16, is small; else as sums of
  // logarithms of ratios, which are near 1.
  void fill(double direction, double offset, std::size_t size) {
    constexpr double kTabledShape = 8.0, kLargestPlainEta = 600.0;
    const double first = mode_ + direction * (offset + 1.0);
    if (nu_ <= kTabledShape && std::max(first, mode_) + kBlock < static_cast<double>(kTabled))
      return fill_by_table(first, direction, size);
    const bool plain = std::abs(eta_) < kLargestPlainEta;
    for (std::size_t i = 0; i < size; ++i) {
      const double k = first + direction * static_cast<double>(i);
      g_[i] = direction > 0.0 ? (plain ? mu_ / k : k) : (plain ? (k + 1.0) / mu_ : k + 1.0);
    }
    function(Unary::log).array(g_.data(), g_.data(), size);
    for (std::size_t i = 0; i < size; ++i) {
      last_g_ += plain ? g_[i] : direction * (eta_ - g_[i]);
      g_[i] = last_g_;
    }
  }
  void fill_by_table(double first, double direction, std::size_t size) {
    const std::array<double, kTabled>& table = log_factorials();
    const double at_mode = table[static_cast<std::size_t>(mode_)];
    for (std::size_t i = 0; i < size; ++i) {
      const double k = first + direction * static_cast<double>(i);
      g_[i] = (k - mode_) * eta_ - (table[static_cast<std::size_t>(k)] - at_mode);
    }
    last_g_ = g_[size - 1];
  }
  void add(double t, double j, double g) {
    sums_.one += t;
    sums_.j += t * j;
    sums_.g += t * g;
    sums_.jj += t * j * j;
    sums_.jg += t * j * g;
    sums_.gg += t * g * g;
  }
  // Ratios of later terms are smaller than the last one, so the rest is below that of a geometric series.
  bool is_rest_small(double before, double last) const {
    if (last == 0.0) return true;
    const double ratio = last / before;
    return ratio < 1.0 && last * ratio <= kSmallRest * (1.0 + sums_.one) * (1.0 - ratio);
  }

  double eta_, nu_, mu_, mode_, last_g_ = 0.0;
  std::array<double, static_cast<std::size_t>(kBlock)> g_{}, terms_{};
  Moments sums_;
};

// True if the term kMostComPoissonTerms above the mode isn't small yet: saves the sum that would find it out.
bool is_too_long(double eta, double nu, double mode, double to) {
  constexpr double kSmallShape = 0.01;  // above, no sum is
  if (nu >= kSmallShape || to - mode < kMostComPoissonTerms) return false;
  const double far = kMostComPoissonTerms;
  return nu * (far * eta - lgamma_delta(mode + 1.0, far)) > -50.0;
}

ComPoisson by_terms(double eta, double nu, double mu, double from, double to) {
  constexpr double kMostExact = 4503599627370496.0;  // 2^52
  const double mode = std::clamp(std::floor(mu), from, to);
  if (!(mode < kMostExact) || is_too_long(eta, nu, mode, to)) return kNone;
  DirectSum sum(eta, nu, mu, mode);
  if (!(sum.add_side(to) && sum.add_side(from))) return kNone;
  const Moments& m = sum.moments();
  const double top = mode * eta - log_factorial(mode), total = 1.0 + m.one;
  const double j = m.j / total, g = m.g / total;
  return {.log_sum = nu * top + log1p(m.one),
          .mean = mode + j,
          .mean_log = top + g,
          .variance = m.jj / total - j * j,
          .covariance = m.jg / total - j * g,
          .variance_log = m.gg / total - g * g};
}
}  // namespace

ComPoisson com_poisson(double eta, double nu, double from, double to) {
  constexpr double kSeriesFrom = 60.0, kSeriesShape = 8.0;
  if (!std::isfinite(eta) || !(nu > 0.0 && nu < kInfinity)) return kNone;
  if (to < from) return {-kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN};
  const double mu = exp(eta);
  if (from <= 0.0 && to == kInfinity && mu < kInfinity && nu * mu >= kSeriesFrom &&
      mu >= kSeriesShape * nu)
    return by_series(eta, nu, mu);
  return by_terms(eta, nu, mu, std::max(from, 0.0), to);
}

}  // namespace credo::numerics
