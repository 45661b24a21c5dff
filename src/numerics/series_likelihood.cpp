// A time of the filter, of a state whose predicted distribution is N(a + B delta, P):
//
//   g = P z,  F = z' g + r,  v = y - z' a,  V = -B' z,  log p += -(log(2 pi F) + v^2 / F) / 2,
//   S += V V' / F,  s += V v / F;   a += g v / F,  B += g V' / F,  P -= g g' / F;   then  a = A a,  B = A B,  P = A P A' + Q
//
// and at the end  log p += (s' S^-1 s - log |S| + u log 2 pi) / 2. The adjoints, with c = S^-1 s and D = -(c c' + S^-1) / 2:
//
//   dv = (c' V - v + g' da) / F,   dV = (2 D V + c v + dB' g) / F,
//   dF = ((v^2 - F) / 2 - V' D V - c' V v - v g' da - V' dB' g + g' dP g) / F^2,
//   dg = (da v + dB V - 2 dP g) / F + z dF,
//
// after which y, r get dv, dF; a, B, P get da - z dv, dB - z dV', dP + (dg z' + z dg') / 2, and z gets g dF + P dg - a dv - B dV.
#include "numerics/series_likelihood.hpp"

#include "base/stop.hpp"
#include "numerics/elementary.hpp"

namespace credo::numerics {
namespace {
constexpr double kLogTwoPi = 1.83787706640934548356;

// Hands out contiguous doubles; without memory it only counts them.
class SeriesMemory {
 public:
  explicit SeriesMemory(double* memory) : memory_(memory) {}
  double* take(Index count) {
    double* at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += count;
    return at;
  }
  Index used() const { return used_; }

 private:
  double* memory_;
  Index used_ = 0;
};

// Predicted state of a time, and the results of its outcome; F is 0 without one.
struct SeriesTime {
  double *p, *a, *b, *g, *innovations;  // innovations: F, v, V
  static Index size(const SeriesSizes& s) {
    return s.states * (s.states + 2 + s.unknowns) + 2 + s.unknowns;
  }
  SeriesTime(const SeriesSizes& s, double* at)
      : p(at),
        a(p + s.states * s.states),
        b(a + s.states),
        g(b + s.states * s.unknowns),
        innovations(g + s.states) {}
};

struct SeriesWork {
  double *first, *second;             // n x n
  double *sums, *factor, *inverse;    // S, its Cholesky factor, S^-1
  double *sum, *solved, *unknown_of;  // s, c, u numbers
  SeriesWork(const SeriesSizes& s, SeriesMemory& memory)
      : first(memory.take(s.states * s.states)),
        second(memory.take(s.states * s.states)),
        sums(memory.take(s.unknowns * s.unknowns)),
        factor(memory.take(s.unknowns * s.unknowns)),
        inverse(memory.take(s.unknowns * s.unknowns)),
        sum(memory.take(s.unknowns)),
        solved(memory.take(s.unknowns)),
        unknown_of(memory.take(s.unknowns)) {}
};

double product_of(Index n, const double* x, const double* y) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}
void add_multiple(Index n, double by, const double* x, double* to) {
  for (Index i = 0; i < n; ++i) to[i] += by * x[i];
}
const double* transition_at(const SeriesSizes& s, const SeriesInputs& in, Index t) {
  return in[kSeriesTransition] +
         (static_cast<Index>(in[kSeriesKinds][t]) - 1) * s.states * s.states;
}
const double* design_at(const SeriesSizes& s, const SeriesInputs& in, Index t) {
  return in[kSeriesDesign] + (s.design_varies ? t * s.states : 0);
}

// out = A x, for columns of x; most elements of transitions are 0.
void transform_columns(Index n, const double* a, const double* x, Index cols, double* out) {
  std::fill_n(out, n * cols, 0.0);
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i) {
      const double by = a[i + k * n];
      if (by == 0.0) continue;
      for (Index j = 0; j < cols; ++j) out[i + j * n] += by * x[k + j * n];
    }
}
void transform_columns_turned(Index n, const double* a, const double* x, Index cols, double* out) {
  for (Index j = 0; j < cols; ++j)
    for (Index k = 0; k < n; ++k) out[k + j * n] = product_of(n, a + k * n, x + j * n);
}
void turn(Index n, const double* x, double* out) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) out[j + i * n] = x[i + j * n];
}
// out = A P of a symmetric P; `work`: n x n.
void left_product(Index n, const double* a, const double* p, double* work, double* out) {
  std::fill_n(work, n * n, 0.0);  // P A'
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      if (a[i + k * n] != 0.0) add_multiple(n, a[i + k * n], p + k * n, work + i * n);
  turn(n, work, out);
}
// out = A P A'. `first`: n x n.
void both_products(Index n, const double* a, const double* p, double* first, double* out) {
  left_product(n, a, p, out, first);
  std::fill_n(out, n * n, 0.0);
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      if (a[i + k * n] != 0.0) add_multiple(n, a[i + k * n], first + k * n, out + i * n);
}
// out = A' P A of a symmetric P. `first`: n x n.
void both_products_turned(Index n, const double* a, const double* p, double* first, double* out) {
  std::fill_n(out, n * n, 0.0);  // P A
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      if (a[i + k * n] != 0.0) add_multiple(n, a[i + k * n], p + i * n, out + k * n);
  turn(n, out, first);  // A' P
  std::fill_n(out, n * n, 0.0);
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < n; ++i)
      if (a[i + k * n] != 0.0) add_multiple(n, a[i + k * n], first + i * n, out + k * n);
}

void take_symmetric_part(Index n, const double* from, double* to) {
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) to[i + j * n] = 0.5 * (from[i + j * n] + from[j + i * n]);
}

class SeriesPass {
 public:
  SeriesPass(const SeriesSizes& sizes, const SeriesInputs& in, SeriesWork& work)
      : s_(sizes), in_(in), work_(work), n_(sizes.states), u_(sizes.unknowns) {}

  // The state of time t lies at memory + stride * (t modulo cycle). NaN if there is no density.
  double forwards(double* memory, Index cycle) {
    const auto at = [&](Index t) {
      return SeriesTime(s_, memory + SeriesTime::size(s_) * (t % cycle));
    };
    SeriesTime time = at(0);
    take_symmetric_part(n_, in_[kSeriesCovariance], time.p);
    std::copy_n(in_[kSeriesMean], n_, time.a);
    std::copy_n(in_[kSeriesUnknown], n_ * u_, time.b);
    std::fill_n(work_.sums, u_ * u_, 0.0);
    std::fill_n(work_.sum, u_, 0.0);
    double total = 0.0;
    for (Index t = 0; t < s_.times; ++t) {
      stop_if_asked();
      if (!take_outcome(t, time, total)) return std::numeric_limits<double>::quiet_NaN();
      if (t + 1 == s_.times) break;
      const SeriesTime next = at(t + 1);
      move(t + 1, time, next);
      time = next;
    }
    return total + of_unknowns();
  }

  // After forwards() with a cycle of all times.
  void backwards(double* memory, double* adjoints, double* gradient) {
    SeriesTime dual(s_, adjoints);  // da, dB, dP; g: dg
    std::fill_n(adjoints, SeriesTime::size(s_), 0.0);
    set_parts(gradient);
    for (Index t = s_.times; t-- > 0;) {
      stop_if_asked();
      const SeriesTime time(s_, memory + SeriesTime::size(s_) * t);
      if (time.innovations[0] > 0.0) outcome_backwards(t, time, dual);
      if (t > 0) move_backwards(t, SeriesTime(s_, memory + SeriesTime::size(s_) * (t - 1)), dual);
    }
    std::copy_n(dual.a, n_, part_[kSeriesMean]);
    std::copy_n(dual.p, n_ * n_, part_[kSeriesCovariance]);
    std::copy_n(dual.b, n_ * u_, part_[kSeriesUnknown]);
  }

 private:
  bool take_outcome(Index t, const SeriesTime& time, double& total) {
    const double y = in_[kSeriesOutcomes][t];
    double* const found = time.innovations;
    found[0] = 0.0;
    if (std::isnan(y)) return true;
    const double* z = design_at(s_, in_, t);
    std::fill_n(time.g, n_, 0.0);
    for (Index k = 0; k < n_; ++k)
      if (z[k] != 0.0) add_multiple(n_, z[k], time.p + k * n_, time.g);
    const double variance = product_of(n_, z, time.g) + in_[kSeriesNoise][s_.noise_varies ? t : 0];
    if (!(variance > 0.0)) return false;
    const double v = y - product_of(n_, z, time.a);
    found[0] = variance, found[1] = v;
    for (Index j = 0; j < u_; ++j) found[2 + j] = -product_of(n_, z, time.b + j * n_);
    total -= 0.5 * (kLogTwoPi + log(variance) + v * v / variance);
    for (Index j = 0; j < u_; ++j) {
      work_.sum[j] += found[2 + j] * v / variance;
      for (Index i = 0; i < u_; ++i)
        work_.sums[i + j * u_] += found[2 + i] * found[2 + j] / variance;
    }
    return true;
  }

  // P and a with the outcome of the time, in `second` and in `to.a` (or both as they are, without one).
  void move(Index t, const SeriesTime& time, const SeriesTime& to) {
    const double* matrix = transition_at(s_, in_, t);
    filter_covariance(time);
    both_products(n_, matrix, work_.second, work_.first, to.p);
    const double* q = in_[kSeriesStateNoise] + (static_cast<Index>(in_[kSeriesKinds][t]) - 1) * n_;
    for (Index i = 0; i < n_; ++i) to.p[i + i * n_] += q[i];
    for (Index j = 0; j < n_; ++j)  // rounding doesn't grow
      for (Index i = j + 1; i < n_; ++i) to.p[j + i * n_] = to.p[i + j * n_];
    filter_means(time, work_.first);
    transform_columns(n_, matrix, work_.first, 1, to.a);
    for (Index j = 0; j < u_; ++j) {
      filter_unknown(time, j, work_.first);
      transform_columns(n_, matrix, work_.first, 1, to.b + j * n_);
    }
  }
  void filter_covariance(const SeriesTime& time) {
    std::copy_n(time.p, n_ * n_, work_.second);
    if (const double f = time.innovations[0]; f > 0.0)
      for (Index j = 0; j < n_; ++j)
        add_multiple(n_, -time.g[j] / f, time.g, work_.second + j * n_);
  }
  void filter_means(const SeriesTime& time, double* to) const {
    std::copy_n(time.a, n_, to);
    if (const double f = time.innovations[0]; f > 0.0)
      add_multiple(n_, time.innovations[1] / f, time.g, to);
  }
  void filter_unknown(const SeriesTime& time, Index j, double* to) const {
    std::copy_n(time.b + j * n_, n_, to);
    if (const double f = time.innovations[0]; f > 0.0)
      add_multiple(n_, time.innovations[2 + j] / f, time.g, to);
  }

  // The terms of the unknowns, with c = S^-1 s and S^-1 left in the work.
  double of_unknowns() {
    if (u_ == 0) return 0.0;
    double log_root = 0.0;
    double* l = work_.factor;
    std::copy_n(work_.sums, u_ * u_, l);
    for (Index j = 0; j < u_; ++j) {
      for (Index k = 0; k < j; ++k)
        for (Index i = j; i < u_; ++i) l[i + j * u_] -= l[i + k * u_] * l[j + k * u_];
      // An unknown that outcomes don't determine leaves rounding alone.
      if (!(l[j + j * u_] > kLeastUnknownShare * work_.sums[j + j * u_]))
        return std::numeric_limits<double>::quiet_NaN();
      const double root = std::sqrt(l[j + j * u_]);
      log_root += log(root);
      for (Index i = j; i < u_; ++i) l[i + j * u_] /= root;
    }
    for (Index k = 0; k < u_; ++k) {
      double* column = work_.inverse + k * u_;
      for (Index i = 0; i < u_; ++i) column[i] = i == k ? 1.0 : 0.0;
      solve(column);
    }
    std::copy_n(work_.sum, u_, work_.solved);
    solve(work_.solved);
    return 0.5 * product_of(u_, work_.sum, work_.solved) - log_root +
           0.5 * static_cast<double>(u_) * kLogTwoPi;
  }
  void solve(double* x) const {
    const double* l = work_.factor;
    for (Index i = 0; i < u_; ++i) {
      for (Index k = 0; k < i; ++k) x[i] -= l[i + k * u_] * x[k];
      x[i] /= l[i + i * u_];
    }
    for (Index i = u_; i-- > 0;) {
      for (Index k = i + 1; k < u_; ++k) x[i] -= l[k + i * u_] * x[k];
      x[i] /= l[i + i * u_];
    }
  }

  void set_parts(double* gradient) {
    for (std::size_t part = 0; part < kSeriesParts; ++part) {
      const Index size = series_part_size(s_, part);
      part_[part] = gradient;
      std::fill_n(gradient, size, 0.0);
      gradient += size;
    }
  }

  void outcome_backwards(Index t, const SeriesTime& time, const SeriesTime& dual) {
    const double *z = design_at(s_, in_, t), *c = work_.solved;
    const double f = time.innovations[0], v = time.innovations[1], *unknown = time.innovations + 2;
    double* du = work_.unknown_of;  // dV
    const double g_da = product_of(n_, time.g, dual.a), c_v = product_of(u_, c, unknown);
    double* pg = work_.first;  // dP g
    std::fill_n(pg, n_, 0.0);
    for (Index k = 0; k < n_; ++k) add_multiple(n_, time.g[k], dual.p + k * n_, pg);
    const double dv = (c_v - v + g_da) / f;
    double of_variance = 0.5 * (v * v - f) - c_v * v - v * g_da + product_of(n_, time.g, pg);
    for (Index i = 0; i < n_; ++i) dual.g[i] = (dual.a[i] * v - 2.0 * pg[i]) / f;
    for (Index j = 0; j < u_; ++j) {
      const double twice =
          -(c[j] * c_v + product_of(u_, work_.inverse + j * u_, unknown));  // 2 D V
      const double g_db = product_of(n_, time.g, dual.b + j * n_);
      du[j] = (twice + c[j] * v + g_db) / f;
      of_variance -= unknown[j] * (0.5 * twice + g_db);
      add_multiple(n_, unknown[j] / f, dual.b + j * n_, dual.g);
    }
    const double df = of_variance / (f * f);
    add_multiple(n_, df, z, dual.g);
    part_[kSeriesOutcomes][t] = dv;
    part_[kSeriesNoise][s_.noise_varies ? t : 0] += df;
    if (s_.by_design) {
      double* dz = part_[kSeriesDesign] + (s_.design_varies ? t * n_ : 0);
      add_multiple(n_, df, time.g, dz);
      for (Index k = 0; k < n_; ++k) add_multiple(n_, dual.g[k], time.p + k * n_, dz);
      add_multiple(n_, -dv, time.a, dz);
      for (Index j = 0; j < u_; ++j) add_multiple(n_, -du[j], time.b + j * n_, dz);
    }
    add_multiple(n_, -dv, z, dual.a);
    for (Index j = 0; j < u_; ++j) add_multiple(n_, -du[j], z, dual.b + j * n_);
    for (Index j = 0; j < n_; ++j)
      for (Index i = 0; i < n_; ++i)
        dual.p[i + j * n_] += 0.5 * (dual.g[i] * z[j] + z[i] * dual.g[j]);
  }

  // From the adjoints of time t to those of the filtered state before it.
  void move_backwards(Index t, const SeriesTime& before, const SeriesTime& dual) {
    const double* matrix = transition_at(s_, in_, t);
    const Index kind = static_cast<Index>(in_[kSeriesKinds][t]) - 1;
    for (Index i = 0; i < n_; ++i) part_[kSeriesStateNoise][i + kind * n_] += dual.p[i + i * n_];
    if (s_.by_transition) {
      double* da = part_[kSeriesTransition] + kind * n_ * n_;
      filter_covariance(before);
      left_product(n_, matrix, work_.second, scratch_of(dual), work_.first);  // A P
      for (Index j = 0; j < n_; ++j)
        for (Index k = 0; k < n_; ++k)
          add_multiple(n_, 2.0 * work_.first[k + j * n_], dual.p + k * n_, da + j * n_);
      filter_means(before, work_.first);
      for (Index j = 0; j < n_; ++j) add_multiple(n_, work_.first[j], dual.a, da + j * n_);
      for (Index l = 0; l < u_; ++l) {
        filter_unknown(before, l, work_.first);
        for (Index j = 0; j < n_; ++j)
          add_multiple(n_, work_.first[j], dual.b + l * n_, da + j * n_);
      }
    }
    both_products_turned(n_, matrix, dual.p, work_.first, work_.second);
    take_symmetric_part(n_, work_.second, dual.p);
    transform_columns_turned(n_, matrix, dual.a, 1, work_.first);
    std::copy_n(work_.first, n_, dual.a);
    for (Index j = 0; j < u_; ++j) {
      transform_columns_turned(n_, matrix, dual.b + j * n_, 1, work_.first);
      std::copy_n(work_.first, n_, dual.b + j * n_);
    }
  }
  // Memory for a matrix behind the adjoints.
  double* scratch_of(const SeriesTime& dual) const { return dual.p + SeriesTime::size(s_); }

  const SeriesSizes& s_;
  const SeriesInputs& in_;
  SeriesWork& work_;
  const Index n_, u_;
  std::array<double*, kSeriesParts> part_{};
};
}  // namespace

Index series_part_size(const SeriesSizes& s, std::size_t part) {
  switch (part) {
    case kSeriesOutcomes:
    case kSeriesKinds:
      return s.times;
    case kSeriesDesign:
      return s.states * (s.design_varies ? s.times : 1);
    case kSeriesTransition:
      return s.states * s.states * s.kinds;
    case kSeriesStateNoise:
      return s.states * s.kinds;
    case kSeriesNoise:
      return s.noise_varies ? s.times : 1;
    case kSeriesMean:
      return s.states;
    case kSeriesCovariance:
      return s.states * s.states;
    default:
      return s.states * s.unknowns;
  }
}

double series_log_density(const SeriesSizes& sizes, const SeriesInputs& in, double* scratch) {
  SeriesMemory memory(scratch);
  SeriesWork work(sizes, memory);
  return SeriesPass(sizes, in, work).forwards(memory.take(2 * SeriesTime::size(sizes)), 2);
}
Index series_log_density_scratch(const SeriesSizes& sizes) {
  SeriesMemory memory(nullptr);
  (void)SeriesWork(sizes, memory);
  memory.take(2 * SeriesTime::size(sizes));
  return memory.used();
}

void series_score(const SeriesSizes& sizes, const SeriesInputs& in, double* gradient,
                  double* scratch) {
  SeriesMemory memory(scratch);
  SeriesWork work(sizes, memory);
  double* const adjoints = memory.take(SeriesTime::size(sizes) + sizes.states * sizes.states);
  double* const times = memory.take(SeriesTime::size(sizes) * sizes.times);
  SeriesPass pass(sizes, in, work);
  if (std::isnan(pass.forwards(times, sizes.times))) {
    Index size = 0;
    for (std::size_t part = 0; part < kSeriesParts; ++part) size += series_part_size(sizes, part);
    std::fill_n(gradient, size, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  pass.backwards(times, adjoints, gradient);
}
Index series_score_scratch(const SeriesSizes& sizes) {
  SeriesMemory memory(nullptr);
  (void)SeriesWork(sizes, memory);
  memory.take(SeriesTime::size(sizes) + sizes.states * sizes.states);
  memory.take(SeriesTime::size(sizes) * sizes.times);
  return memory.used();
}

double series_filter(const SeriesSizes& sizes, const SeriesInputs& in, double* trace,
                     double* scratch) {
  SeriesMemory memory(scratch);
  SeriesWork work(sizes, memory);
  return SeriesPass(sizes, in, work).forwards(trace, sizes.times);
}
Index series_trace_size(const SeriesSizes& sizes) { return SeriesTime::size(sizes); }
Index series_filter_scratch(const SeriesSizes& sizes) {
  SeriesMemory memory(nullptr);
  (void)SeriesWork(sizes, memory);
  return memory.used();
}

}  // namespace credo::numerics
