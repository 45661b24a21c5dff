// A time's filter, of a state N(m, C), in blocks of outcomes: all together, or some at a time where V is diagonal and they are many:
//
//   a = G m,  R = G C G' + W;   of a block with columns F:  U = R F,  Q = F' U + V = L L',  e = y - F' a,
//   u = L^-1 e,  B = U L^-T,  log p = -|u|^2 / 2 - sum log L_ii,   m = a + B u,  C = R - B B'
//
// and its adjoints, of g = dlogp/dm and H = dlogp/dC (symmetric), with K = B L^-1 the gain, w = Q^-1 e, P = Q^-1:
//
//   X = H K,  Y = K' X,  z = K' g:   dy = z - w,   dV = Y - P/2 + w w'/2 - (z w' + w z')/2,
//   da = g - F dy,   dR = H - Z F' - F Z'   with   Z = X - F (Y/2 + (w w' - P)/4) - (g - F z) w'/2,
//   dF = R (2 F dV + g w' - 2 X) - a dy',
//   dW = dR,   dG = 2 dR G C + da m',   dC = G' dR G,   dm = G' da.
//
// Matrices lie in columns that are filled up with zeros to whole vectors.
#include "numerics/kalman_score.hpp"

#include "base/stop.hpp"
#include "numerics/elementary.hpp"
#include "numerics/simd/highway.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/kalman_score.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#include "numerics/simd/dense-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace credo::numerics::HWY_NAMESPACE {
namespace {

using One = hn::CappedTag<double, 1>;

// Hands out contiguous doubles; without memory it only counts them.
struct Arena {
  double* memory = nullptr;
  Index used = 0;
  double* take(Index count) {
    double* at = memory == nullptr ? nullptr : memory + used;
    used += count;
    return at;
  }
};

// Outcomes of variances V that are taken together: a block costs its cube, each block by itself some calls. Measured with 10 states.
constexpr Index kMostTogether = 12, kBlockSize = 8;
Index block_size(const KalmanSizes& s) {
  return s.variances && s.outcomes > kMostTogether ? kBlockSize : s.outcomes;
}

// Sizes: n states, T times, q outcomes of a block, which is `stride` outcomes behind the one before; n and q filled up to np and qp.
struct Layout {
  Index n, r, times, stride, blocks, q, np, qp;
  bool variances;
  Layout(const KalmanSizes& s, Index width)
      : n(s.states),
        r(s.outcomes),
        times(s.times),
        stride(block_size(s)),
        blocks(stride == 0 ? 0 : (r + stride - 1) / stride),
        q(stride),
        np((n + width - 1) / width * width),
        qp((q + width - 1) / width * width),
        variances(s.variances) {}
  Layout of_block(Index b) const {
    Layout own = *this;
    own.q = std::min(stride, r - b * stride);
    return own;
  }
};

// The model; F and F' block by block.
struct Given {
  const double* outcomes;
  double *g, *g_turned, *f, *f_turned, *v, *w;
  Given(const Layout& l, Arena& arena)
      : outcomes(nullptr),
        g(arena.take(l.np * l.n)),
        g_turned(arena.take(l.np * l.n)),
        f(arena.take(l.np * l.r)),
        f_turned(arena.take(l.qp * l.n * l.blocks)),
        v(arena.take(l.qp * l.stride * l.blocks)),
        w(arena.take(l.np * l.n)) {}
};

// Values that the adjoints need from a time, and from a block of it.
struct TimeTrace {
  double *moved, *half_mean;  // [G C, G m], m / 2
};
struct BlockTrace {
  double *gain_turned, *solved, *inverse, *predicted;  // K', w, P, [R, a]
};
struct Trace {
  Index np, n, qp, q, blocks, per_block, per_time;
  double* at;
  Trace(const Layout& l, bool by_design, Index times, Arena& arena)
      : np(l.np),
        n(l.n),
        qp(l.qp),
        q(l.q),
        blocks(l.blocks),
        per_block(qp * (n + q + 1) + (by_design ? np * (n + 1) : 0)),
        per_time(np * (n + 2) + per_block * l.blocks),
        at(arena.take(per_time * times)) {}
  TimeTrace time(Index t) const {
    double* first = at + t * per_time;
    return {first, first + np * (n + 1)};
  }
  BlockTrace block(Index t, Index b) const {
    double* first = at + t * per_time + np * (n + 2) + b * per_block;
    return {first, first + qp * n, first + qp * (n + 1), first + qp * (n + 1 + q)};
  }
};

// [C, m] of the state or its adjoints, and what a block works with.
struct Work {
  double *belief, *seen, *factor, *turned, *error, *u, *spread, *left, *noise;
  Work(const Layout& l, Arena& arena)
      : belief(arena.take(l.np * (l.n + 1))),
        seen(arena.take(l.np * (l.q + 1))),
        factor(arena.take(l.qp * (l.q + 1))),
        turned(arena.take(l.qp * l.q)),
        error(arena.take(l.qp)),
        u(arena.take(l.qp)),
        spread(arena.take(l.np * (3 * l.q + 1))),
        left(arena.take(l.np * (std::max(l.n, l.q) + 1))),
        noise(arena.take(l.qp * l.q)) {}
};

enum class From { zero, out };

// out = A B, out + A B or out - A B, of columns of `rows` doubles (whole vectors), over `depth` in order. B's element (k, j) is
// b.at[k * b.step + j * b.line].
template <From kFrom, bool kSubtract = false>
void product(Index rows, const double* a, Index depth, Walk b, Index cols, double* out) {
  const AlongTag d;
  for (Index j = 0; j < cols; j += kAlongCols) {
    with_count<kAlongCols>(std::min<Index>(kAlongCols, cols - j), [&](auto nr) HWY_ATTR {
      for (Index i = 0; i < rows; i += kPanel) {
        with_count<kAlongVectors>(std::min<Index>(kAlongVectors, (rows - i) / kWidth),
                                  [&](auto mr) HWY_ATTR {
                                    Tile<AlongTag, decltype(mr)::value, decltype(nr)::value> tile;
                                    double* to = out + i + j * rows;
                                    if constexpr (kFrom == From::out) {
                                      load<Read::vector>(d, to, kWidth, rows, tile);
                                    } else {
                                      clear(d, tile);
                                    }
                                    accumulate<Read::vector, Read::spread, kSubtract>(
                                        d, depth, Walk{a + i, kWidth, rows},
                                        Walk{b.at + j * b.line, b.line, b.step}, tile);
                                    store(d, tile, to, kWidth, rows);
                                  });
      }
    });
  }
}
constexpr From kZero = From::zero, kOut = From::out;

// Walks for the right operand of a product: a matrix of columns of `rows` doubles, and its transpose.
Walk as_it_is(const double* x, Index rows) { return {x, rows, 1}; }
Walk turned(const double* x, Index rows) { return {x, 1, rows}; }
Walk outer(const double* x) { return {x, 1, 0}; }  // one row

double fused(double a, double b, double c) {
  const One d;
  return hn::GetLane(hn::MulAdd(hn::Set(d, a), hn::Set(d, b), hn::Set(d, c)));
}

// The lower triangle to the upper one, so that rounding doesn't grow where G does.
void make_symmetric(Index n, Index rows, double* a) {
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i) a[j + i * rows] = a[i + j * rows];
}

void take_columns(Index from_rows, Index cols, const double* from, Index rows, double* to) {
  std::fill_n(to, rows * cols, 0.0);
  for (Index j = 0; j < cols; ++j) std::copy_n(from + j * from_rows, from_rows, to + j * rows);
}
void take_symmetric(Index n, const double* from, Index rows, double* to) {
  std::fill_n(to, rows * n, 0.0);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) to[i + j * rows] = 0.5 * (from[i + j * n] + from[j + i * n]);
}

void take_model(const Layout& l, const KalmanInputs& in, Given& to) {
  to.outcomes = in[kOutcomes];
  take_columns(l.n, l.n, in[kTransition], l.np, to.g);
  std::fill_n(to.g_turned, l.np * l.n, 0.0);
  for (Index j = 0; j < l.n; ++j)
    for (Index i = 0; i < l.n; ++i) to.g_turned[j + i * l.np] = in[kTransition][i + j * l.n];
  take_columns(l.n, l.r, in[kDesign], l.np, to.f);
  std::fill_n(to.f_turned, l.qp * l.n * l.blocks, 0.0);
  for (Index k = 0; k < l.r; ++k)
    for (Index i = 0; i < l.n; ++i)
      to.f_turned[(k / l.stride * l.n + i) * l.qp + k % l.stride] = in[kDesign][i + k * l.n];
  if (!l.variances) {
    take_symmetric(l.q, in[kObservationNoise], l.qp, to.v);
  } else {
    std::fill_n(to.v, l.qp * l.stride * l.blocks, 0.0);
    for (Index k = 0; k < l.r; ++k) to.v[k % l.stride + k * l.qp] = in[kObservationNoise][k];
  }
  take_symmetric(l.n, in[kStateNoise], l.np, to.w);
}

// In place: the lower factor L of `a` below and on the diagonal, and its inverse, transposed, in `turned`. False where `a` isn't
// positive definite.
bool factor_in_place(Index q, Index rows, double* a, double* inverse_turned, double& log_root) {
  const AlongTag d;
  std::fill_n(inverse_turned, rows * q, 0.0);
  for (Index j = 0; j < q; ++j) {
    double* column = a + j * rows;
    if (!(column[j] > 0.0)) return false;
    const double pivot = std::sqrt(column[j]), reciprocal = 1.0 / pivot;
    log_root += log(pivot);
    column[j] = pivot;
    for (Index i = j + 1; i < q; ++i) column[i] *= reciprocal;
    for (Index k = j + 1; k < q; ++k) {
      const auto by = hn::Set(d, column[k]);
      for (Index i = k / kWidth * kWidth; i < rows; i += kWidth)
        hn::StoreU(hn::NegMulAdd(hn::LoadU(d, column + i), by, hn::LoadU(d, a + k * rows + i)), d,
                   a + k * rows + i);
    }
    double* row =
        inverse_turned + j * rows;  // row j of the inverse: (e_j - its part before) / L_jj
    row[j] = 1.0;
    product<kOut, true>(rows, inverse_turned, j, {a + j, 0, rows}, 1, row);
    for (Index i = 0; i <= j; ++i) row[i] *= reciprocal;
  }
  return true;
}

// From [C, m] to [R, a]; the moved values stay in `moved`: [G C, G m].
void predict(const Layout& l, const Given& model, double* belief, double* moved) {
  product<kZero>(l.np, model.g, l.n, as_it_is(belief, l.np), l.n + 1, moved);
  std::copy_n(model.w, l.np * l.n, belief);
  product<kOut>(l.np, moved, l.n, turned(model.g, l.np), l.n, belief);
  make_symmetric(l.n, l.np, belief);
  std::copy_n(moved + l.np * l.n, l.np, belief + l.np * l.n);
}

// From [R, a] to [C, m] by a block; adds to the log density.
bool update(const Layout& l, const Given& model, Index t, Index b, Work& work,
            double& log_density) {
  const double* f = model.f + b * l.stride * l.np;
  double *mean = work.belief + l.np * l.n, log_root = 0.0, squares = 0.0;
  product<kZero>(l.np, work.belief, l.n, as_it_is(f, l.np), l.q, work.seen);
  std::copy_n(mean, l.np, work.seen + l.np * l.q);
  std::copy_n(model.v + b * l.stride * l.qp, l.qp * l.q, work.factor);
  std::fill_n(work.factor + l.qp * l.q, l.qp, 0.0);
  product<kOut>(l.qp, model.f_turned + b * l.n * l.qp, l.n, as_it_is(work.seen, l.np), l.q + 1,
                work.factor);
  for (Index i = 0; i < l.q; ++i)
    work.error[i] = model.outcomes[i + b * l.stride + t * l.r] - work.factor[i + l.qp * l.q];
  if (!factor_in_place(l.q, l.qp, work.factor, work.turned, log_root)) return false;
  for (Index j = 0; j < l.q; ++j) {
    double sum = 0.0;
    for (Index k = 0; k <= j; ++k) sum = fused(work.turned[k + j * l.qp], work.error[k], sum);
    work.u[j] = sum;
    squares = fused(sum, sum, squares);
  }
  product<kZero>(l.np, work.seen, l.q, as_it_is(work.turned, l.qp), l.q, work.spread);
  product<kOut, true>(l.np, work.spread, l.q, turned(work.spread, l.np), l.n, work.belief);
  product<kOut>(l.np, work.spread, l.q, as_it_is(work.u, l.qp), 1, mean);
  log_density -= log_root + 0.5 * squares;
  return true;
}

// K', w and P of the block that was just taken.
void keep(const Layout& l, const Work& work, const BlockTrace& to) {
  product<kZero>(l.qp, work.turned, l.q, turned(work.spread, l.np), l.n, to.gain_turned);
  product<kZero>(l.qp, work.turned, l.q, as_it_is(work.u, l.qp), 1, to.solved);
  product<kZero>(l.qp, work.turned, l.q, turned(work.turned, l.qp), l.q, to.inverse);
}

void begin(const Layout& l, const KalmanInputs& in, Work& work) {
  take_symmetric(l.n, in[kCovariance], l.np, work.belief);
  take_columns(l.n, 1, in[kMean], l.np, work.belief + l.np * l.n);
}

double log_density_kernel(const KalmanSizes& sizes, const KalmanInputs& in, double* scratch) {
  const Layout l(sizes, kWidth);
  Arena arena{scratch};
  Given model(l, arena);
  Work work(l, arena);
  take_model(l, in, model);
  begin(l, in, work);
  double sum = 0.0;
  for (Index t = 0; t < l.times; ++t) {
    stop_if_asked();
    predict(l, model, work.belief, work.left);
    for (Index b = 0; b < l.blocks; ++b)
      if (!update(l.of_block(b), model, t, b, work, sum))
        return std::numeric_limits<double>::quiet_NaN();
  }
  return sum;
}

bool filter_with_trace(const Layout& l, const KalmanSizes& sizes, const Given& model, Work& work,
                       const Trace& trace) {
  double sum = 0.0;
  for (Index t = 0; t < l.times; ++t) {
    stop_if_asked();
    const TimeTrace at = trace.time(t);
    for (Index i = 0; i < l.np; ++i) at.half_mean[i] = 0.5 * work.belief[l.np * l.n + i];
    predict(l, model, work.belief, at.moved);
    for (Index b = 0; b < l.blocks; ++b) {
      const BlockTrace block = trace.block(t, b);
      if (sizes.by_design) std::copy_n(work.belief, l.np * (l.n + 1), block.predicted);
      if (!update(l.of_block(b), model, t, b, work, sum)) return false;
      keep(l.of_block(b), work, block);
    }
  }
  return true;
}

// Sums over the times, of filled columns.
struct Sums {
  double *f, *g, *v, *w;
  Index size;
  Sums(const Layout& l, Arena& arena)
      : f(arena.take(l.np * l.r)),
        g(arena.take(l.np * l.n)),
        v(arena.take(l.qp * l.stride * l.blocks)),
        w(arena.take(l.np * l.n)),
        size(l.np * (l.r + 2 * l.n) + l.qp * l.stride * l.blocks) {}
};

// dV, and in its place in the formulas Y/2 + (w w' - P)/4.
void noise_adjoint(const Layout& l, const BlockTrace& block, const double* overlap, double* noise,
                   double* middle) {
  const double* z = overlap + l.qp * l.q;
  for (Index j = 0; j < l.q; ++j)
    for (Index i = 0; i < l.q; ++i) {
      const Index e = i + j * l.qp;
      const double score = 0.5 * (block.solved[i] * block.solved[j] - block.inverse[e]);
      middle[e] = 0.5 * (overlap[e] + score);
      noise[e] = (overlap[e] + score) - 0.5 * (z[i] * block.solved[j] + block.solved[i] * z[j]);
    }
}

// dF += R (2 F dV + g w' - 2 X) - a dy'; `seen` holds [X, g].
void add_design(const Layout& l, const double* f, const BlockTrace& block, const Work& work,
                const double* noise, double* sum) {
  double* inner = work.left;
  product<kZero>(l.np, f, l.q, as_it_is(noise, l.qp), l.q, inner);
  for (Index k = 0; k < l.np * l.q; ++k) inner[k] = 2.0 * (inner[k] - work.seen[k]);
  product<kOut>(l.np, work.seen + l.np * l.q, 1, outer(block.solved), l.q, inner);
  product<kOut>(l.np, block.predicted, l.n, as_it_is(inner, l.np), l.q, sum);
  product<kOut, true>(l.np, block.predicted + l.np * l.n, 1, outer(work.error), l.q, sum);
}

// `belief` holds [H, g] of the state behind the block and then [dR, da] of the one before it; `error` holds dy.
void block_backwards(const Layout& l, const KalmanSizes& sizes, const Given& model, Index b,
                     const BlockTrace& block, Work& work, const Sums& sums) {
  const double* f = model.f + b * l.stride * l.np;
  double *slope = work.belief + l.np * l.n, *middle = work.turned, *z = work.spread;
  product<kZero>(l.np, work.belief, l.n, turned(block.gain_turned, l.qp), l.q, work.seen);
  std::copy_n(slope, l.np, work.seen + l.np * l.q);
  product<kZero>(l.qp, block.gain_turned, l.n, as_it_is(work.seen, l.np), l.q + 1, work.factor);
  const double* overlap_mean = work.factor + l.qp * l.q;
  std::fill_n(middle, l.qp * l.q, 0.0);
  double* noise = work.noise;
  noise_adjoint(l, block, work.factor, noise, middle);
  for (Index i = 0; i < l.q; ++i) work.error[i] = overlap_mean[i] - block.solved[i];
  for (Index i = 0; i < l.q; ++i) work.u[i] = 0.5 * block.solved[i];
  double* sum_v = sums.v + b * l.stride * l.qp;
  for (Index k = 0; k < l.qp * l.q; ++k) sum_v[k] += noise[k];
  if (sizes.by_design) add_design(l, f, block, work, noise, sums.f + b * l.stride * l.np);
  // [Z, F, Z]
  double* rest = z + 3 * l.np * l.q;  // g - F z
  std::copy_n(slope, l.np, rest);
  product<kOut, true>(l.np, f, l.q, as_it_is(overlap_mean, l.qp), 1, rest);
  std::copy_n(work.seen, l.np * l.q, z);
  product<kOut, true>(l.np, f, l.q, as_it_is(middle, l.qp), l.q, z);
  product<kOut, true>(l.np, rest, 1, outer(work.u), l.q, z);
  std::copy_n(f, l.np * l.q, z + l.np * l.q);
  std::copy_n(z, l.np * l.q, z + 2 * l.np * l.q);
  product<kOut, true>(l.np, z, 2 * l.q, turned(z + l.np * l.q, l.np), l.n, work.belief);
  product<kOut, true>(l.np, f, l.q, as_it_is(work.error, l.qp), 1, slope);
}

// From [dR, da] to [dC, dm] of the time before.
void transition_backwards(const Layout& l, const KalmanSizes& sizes, const Given& model,
                          const TimeTrace& at, Work& work, const Sums& sums) {
  const double* slope = work.belief + l.np * l.n;
  make_symmetric(l.n, l.np, work.belief);
  for (Index k = 0; k < l.np * l.n; ++k) sums.w[k] += work.belief[k];
  if (sizes.by_transition) {  // half of it
    product<kOut>(l.np, work.belief, l.n, as_it_is(at.moved, l.np), l.n, sums.g);
    product<kOut>(l.np, slope, 1, outer(at.half_mean), l.n, sums.g);
  }
  product<kZero>(l.np, work.belief, l.n, as_it_is(model.g, l.np), l.n, work.left);
  std::copy_n(slope, l.np, work.left + l.np * l.n);
  product<kZero>(l.np, model.g_turned, l.n, as_it_is(work.left, l.np), l.n + 1, work.belief);
}

double* give(Index rows, Index cols, const double* from, Index from_rows, double scale,
             double* to) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) *to++ = scale * from[i + j * from_rows];
  return to;
}

void score_kernel(const KalmanSizes& sizes, const KalmanInputs& in, double* gradient,
                  double* scratch) {
  const Layout l(sizes, kWidth);
  Arena arena{scratch};
  Given model(l, arena);
  Work work(l, arena);
  const Sums sums(l, arena);
  const Trace trace(l, sizes.by_design, l.times, arena);
  take_model(l, in, model);
  begin(l, in, work);
  std::fill_n(sums.f, sums.size, 0.0);
  if (!filter_with_trace(l, sizes, model, work, trace)) {
    Index size = 0;
    for (std::size_t part = 0; part < kKalmanParts; ++part) size += kalman_part_size(sizes, part);
    std::fill_n(gradient, size, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  std::fill_n(work.belief, l.np * (l.n + 1), 0.0);
  for (Index t = l.times; t-- > 0;) {
    stop_if_asked();
    for (Index b = l.blocks; b-- > 0;) {
      block_backwards(l.of_block(b), sizes, model, b, trace.block(t, b), work, sums);
      std::copy_n(work.error, l.of_block(b).q, gradient + t * l.r + b * l.stride);
    }
    transition_backwards(l, sizes, model, trace.time(t), work, sums);
  }
  double* to = gradient + l.r * l.times;
  to = give(l.n, l.r, sums.f, l.np, 1.0, to);
  to = give(l.n, l.n, sums.g, l.np, 2.0, to);
  if (l.variances)
    for (Index k = 0; k < l.r; ++k) *to++ = sums.v[k % l.stride + k * l.qp];
  else
    to = give(l.q, l.q, sums.v, l.qp, 1.0, to);
  to = give(l.n, l.n, sums.w, l.np, 1.0, to);
  to = give(l.n, 1, work.belief + l.np * l.n, l.np, 1.0, to);
  give(l.n, l.n, work.belief, l.np, 1.0, to);
}

constexpr Index kWidestVector = 8;  // widest of all targets

Index log_density_scratch_kernel(const KalmanSizes& sizes) {
  const Layout l(sizes, kWidestVector);
  Arena arena;
  (void)Given(l, arena), (void)Work(l, arena);
  return arena.used;
}
Index score_scratch_kernel(const KalmanSizes& sizes) {
  const Layout l(sizes, kWidestVector);
  Arena arena;
  (void)Given(l, arena), (void)Work(l, arena), (void)Sums(l, arena);
  (void)Trace(l, sizes.by_design, l.times, arena);
  return arena.used;
}

}  // namespace
}  // namespace credo::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credo::numerics {
namespace {
HWY_EXPORT(log_density_kernel);
HWY_EXPORT(log_density_scratch_kernel);
HWY_EXPORT(score_kernel);
HWY_EXPORT(score_scratch_kernel);
}  // namespace

Index kalman_part_size(const KalmanSizes& s, std::size_t part) {
  switch (part) {
    case kOutcomes:
      return s.outcomes * s.times;
    case kDesign:
      return s.states * s.outcomes;
    case kObservationNoise:
      return s.variances ? s.outcomes : s.outcomes * s.outcomes;
    case kMean:
      return s.states;
    default:
      return s.states * s.states;
  }
}

double kalman_log_density(const KalmanSizes& sizes, const KalmanInputs& in, double* scratch) {
  return HWY_DYNAMIC_DISPATCH(log_density_kernel)(sizes, in, scratch);
}
Index kalman_log_density_scratch(const KalmanSizes& sizes) {
  return HWY_DYNAMIC_DISPATCH(log_density_scratch_kernel)(sizes);
}
void kalman_score(const KalmanSizes& sizes, const KalmanInputs& in, double* gradient,
                  double* scratch) {
  HWY_DYNAMIC_DISPATCH(score_kernel)(sizes, in, gradient, scratch);
}
Index kalman_score_scratch(const KalmanSizes& sizes) {
  return HWY_DYNAMIC_DISPATCH(score_scratch_kernel)(sizes);
}

}  // namespace credo::numerics
#endif
