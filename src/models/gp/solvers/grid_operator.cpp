// Structured kernel interpolation [wilson2015]: the function at the rows is W u, with u its values at a regular grid and W cubic weights of 4
// points for each input [keys1981]; the error falls with the third power of the grid's step.
//
// The covariance of u is a Toeplitz matrix in each input, for every stationary kernel, so products with it are convolutions: grids of two or
// three inputs are Fourier transformed along each of them. Points are no part of the approximation: cov(f(x), u) and var f(x) are exact.
#include <fmt/format.h>

#include "models/gp/inducing_points.hpp"
#include "models/gp/solvers/iterative.hpp"
#include "numerics/fft.hpp"

namespace credo::models {
namespace {
using Complex = std::complex<double>;
constexpr Index kGridGroups = 8, kTaps = 4, kMostInputs = 3;

// Weights of the points at -1, 0, 1 and 2 for a place t in [0, 1] [keys1981, eq. 15].
std::array<double, kTaps> cubic_weights(double t) {
  const double u = 1.0 - t;
  const auto near = [](double s) { return (1.5 * s - 2.5) * s * s + 1.0; };
  const auto far = [](double s) { return ((-0.5 * s + 2.5) * s - 4.0) * s + 2.0; };
  return {far(1.0 + t), near(t), near(u), far(1.0 + u)};
}

struct GridAxis {
  Index points = 0, padded = 0;  // padded: size of the transform
  double low = 0.0, step = 1.0;
};

class GridOperator final : public GpOperator {
 public:
  GridOperator(const GpProblem& p, Index points)
      : p_(p),
        team_(p.num_threads),
        n_(p.num_rows()),
        work_(static_cast<std::size_t>(team_.size())) {
    const std::vector<std::vector<double>> columns = input_columns(p);
    for (const std::vector<double>& x : columns) add_axis(x, points);
    place_rows(columns);
    make_points();
    if (num_grid_ > 0)
      for (const GridAxis& axis : axes_) transforms_.emplace_back(axis.padded);
  }

  Index size() const override { return n_; }
  void set(std::span<const double> theta) override {
    if (std::ranges::equal(theta, theta_)) return;
    theta_.assign(theta.begin(), theta.end());
    std::vector<double> values(static_cast<std::size_t>(num_lags_));
    const Index pieces = (num_lags_ + Covariance::kMostAtOnce - 1) / Covariance::kMostAtOnce;
    team_.for_each(pieces, [&](Index piece, Index member) {
      const Index first = piece * Covariance::kMostAtOnce;
      p_.covariance.values(p_.covariance.root(), theta_, origin_, 0, lags_, first,
                           std::min(Covariance::kMostAtOnce, num_lags_ - first),
                           values.data() + first, work_[static_cast<std::size_t>(member)]);
    });
    lag_values_ = values;
    spectrum_.assign(values.begin(), values.end());
    transform(spectrum_, true);
  }
  void multiply(const RowMatrix& v, RowMatrix& out) override {
    RowMatrix grid = to_grid(v);
    const Index pairs = (v.cols + 1) / 2;
    team_.for_each(pairs, [&](Index pair, Index) {  // two columns are one complex vector
      const Index a = 2 * pair, b = a + 1 < v.cols ? a + 1 : -1;
      std::vector<Complex> x = padded(grid, a, b);
      transform(x, true);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] *= spectrum_[k];
      transform(x, false);
      const double scale = 1.0 / static_cast<double>(num_lags_);
      for (Index g = 0; g < num_grid_; ++g) {
        const Complex value =
            x[static_cast<std::size_t>(padded_place_[static_cast<std::size_t>(g)])];
        grid(g, a) = value.real() * scale;
        if (b >= 0) grid(g, b) = value.imag() * scale;
      }
    });
    to_rows(grid, out);
  }
  std::vector<double> diagonal() override {
    std::vector<double> made(static_cast<std::size_t>(n_));
    const Index taps = num_taps();
    team_.for_each(kGridGroups, [&](Index group, Index) {
      std::vector<double> weights(static_cast<std::size_t>(taps));
      std::vector<Index> places(static_cast<std::size_t>(taps));
      for (Index i = group * n_ / kGridGroups; i < (group + 1) * n_ / kGridGroups; ++i) {
        taps_of(i, places.data(), weights.data());
        double sum = 0.0;
        for (Index a = 0; a < taps; ++a)
          for (Index b = 0; b < taps; ++b)
            sum += weights[static_cast<std::size_t>(a)] * weights[static_cast<std::size_t>(b)] *
                   lag_values_[static_cast<std::size_t>(lag_of_taps(a, b))];
        made[static_cast<std::size_t>(i)] = sum;
      }
    });
    return made;
  }
  void row(Index i, std::span<double> out) override {
    std::vector<double> weights(static_cast<std::size_t>(num_taps()));
    std::vector<Index> places(static_cast<std::size_t>(num_taps()));
    taps_of(i, places.data(), weights.data());
    std::vector<Complex> x(static_cast<std::size_t>(num_lags_), 0.0);
    for (std::size_t a = 0; a < places.size(); ++a)
      x[static_cast<std::size_t>(padded_place_[static_cast<std::size_t>(places[a])])] += weights[a];
    transform(x, true);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] *= spectrum_[k];
    transform(x, false);
    RowMatrix grid(num_grid_, 1), rows(n_, 1);
    for (Index g = 0; g < num_grid_; ++g)
      grid(g, 0) = x[static_cast<std::size_t>(padded_place_[static_cast<std::size_t>(g)])].real() /
                   static_cast<double>(num_lags_);
    to_rows(grid, rows);
    std::ranges::copy(rows.values, out.begin());
  }
  // sum_c a_c' K_UU b_c with a = W'left, b = W'right: the weight of a lag is the sum over pairs of grid points at this distance.
  void add_slopes(const RowMatrix& left, const RowMatrix& right,
                  std::span<double> gradient) override {
    const RowMatrix a = to_grid(left), b = to_grid(right);
    std::vector<Complex> total(static_cast<std::size_t>(num_lags_), 0.0);
    std::vector<std::vector<Complex>> parts(static_cast<std::size_t>(left.cols));
    team_.for_each(left.cols, [&](Index c, Index) {
      std::vector<Complex> x = padded(a, c, -1), y = padded(b, c, -1);
      transform(x, true), transform(y, true);
      for (std::size_t k = 0; k < x.size(); ++k) y[k] *= std::conj(x[k]);
      parts[static_cast<std::size_t>(c)] = std::move(y);
    });
    for (const std::vector<Complex>& part : parts)
      for (std::size_t k = 0; k < total.size(); ++k) total[k] += part[k];
    transform(total, false);
    Covariance::Work& work = work_[0];
    std::array<double, Covariance::kMostAtOnce> weights;
    for (Index first = 0; first < num_lags_; first += Covariance::kMostAtOnce) {
      const Index count = std::min(Covariance::kMostAtOnce, num_lags_ - first);
      for (Index k = 0; k < count; ++k)
        weights[static_cast<std::size_t>(k)] =
            total[static_cast<std::size_t>(first + k)].real() / static_cast<double>(num_lags_);
      p_.covariance.add_slopes(theta_, origin_, 0, lags_, first, count, weights.data(),
                               gradient.data(), work);
    }
  }
  RowMatrix cross(const KernelNode& node, const CovariancePoints& at, Index first,
                  Index count) override {
    RowMatrix grid(num_grid_, count), made(n_, count);
    team_.for_each(count, [&](Index j, Index member) {
      std::array<double, Covariance::kMostAtOnce> k;
      for (Index g = 0; g < num_grid_; g += Covariance::kMostAtOnce) {
        const Index here = std::min(Covariance::kMostAtOnce, num_grid_ - g);
        p_.covariance.values(node, theta_, at, first + j, grid_, g, here, k.data(),
                             work_[static_cast<std::size_t>(member)]);
        for (Index e = 0; e < here; ++e) grid(g + e, j) = k[static_cast<std::size_t>(e)];
      }
    });
    to_rows(grid, made);
    return made;
  }
  RowMatrix slope_cross(const CovariancePoints& at, Index point, Index column) override {
    RowMatrix grid(num_grid_, 1), made(n_, 1);
    for (Index g = 0; g < num_grid_; ++g)
      grid(g, 0) =
          p_.covariance.by_input(p_.covariance.root(), theta_, at, point, grid_, g, column)[1];
    to_rows(grid, made);
    return made;
  }
  std::vector<std::string> remarks() override;

 private:
  void add_axis(std::span<const double> x, Index points) {
    const auto [low, high] = std::ranges::minmax(x);
    GridAxis axis{.points = points};
    axis.step = (high > low ? high - low : 1.0) / static_cast<double>(points - kTaps);
    axis.low = low - 1.5 * axis.step;
    axis.padded = static_cast<Index>(std::bit_ceil(static_cast<std::size_t>(2 * points)));
    num_grid_ = axes_.empty() ? points : num_grid_ * points;
    num_lags_ = axes_.empty() ? axis.padded : num_lags_ * axis.padded;
    axes_.push_back(axis);
  }
  // The grid's first point that a row uses, for each input, and the weights.
  void place_rows(const std::vector<std::vector<double>>& columns) {
    const std::size_t d = axes_.size();
    first_.resize(static_cast<std::size_t>(n_) * d);
    weights_.resize(first_.size() * kTaps);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_); ++i)
      for (std::size_t c = 0; c < d; ++c) {
        const double at = (columns[c][i] - axes_[c].low) / axes_[c].step;
        const Index cell =
            std::clamp<Index>(static_cast<Index>(std::floor(at)), 1, axes_[c].points - kTaps + 1);
        first_[i * d + c] = cell - 1;
        const auto w = cubic_weights(at - static_cast<double>(cell));
        std::ranges::copy(w, weights_.begin() + static_cast<std::ptrdiff_t>((i * d + c) * kTaps));
      }
  }
  // Points of the grid, and differences of two of them as the transform orders them; the last input runs fastest.
  void make_points() {
    std::vector<std::vector<double>> grid(axes_.size()), lags(axes_.size()),
        zero(axes_.size(), {0.0});
    for (Index g = 0; g < num_grid_; ++g) {
      Index left = g, place = 0, stride = 1;
      for (std::size_t c = axes_.size(); c-- > 0;) {
        const Index k = left % axes_[c].points;
        left /= axes_[c].points;
        grid[c].push_back(axes_[c].low + axes_[c].step * static_cast<double>(k));
        place += k * stride, stride *= axes_[c].padded;
      }
      padded_place_.push_back(place);
    }
    for (Index g = 0; g < num_lags_; ++g) {
      Index left = g;
      for (std::size_t c = axes_.size(); c-- > 0;) {
        const Index k = left % axes_[c].padded;
        left /= axes_[c].padded;
        lags[c].push_back(axes_[c].step *
                          static_cast<double>(2 * k > axes_[c].padded ? k - axes_[c].padded : k));
      }
    }
    grid_ = p_.covariance.points(grid), lags_ = p_.covariance.points(lags);
    origin_ = p_.covariance.points(zero);
  }
  Index num_taps() const {
    Index taps = 1;
    for (std::size_t c = 0; c < axes_.size(); ++c) taps *= kTaps;
    return taps;
  }
  void taps_of(Index i, Index* places, double* weights) const {
    const std::size_t d = axes_.size(), row = static_cast<std::size_t>(i) * d;
    const Index taps = num_taps();
    for (Index t = 0; t < taps; ++t) {
      Index left = t, place = 0, stride = 1;
      double w = 1.0;
      for (std::size_t c = d; c-- > 0;) {
        const Index k = left % kTaps;
        left /= kTaps;
        place += (first_[row + c] + k) * stride, stride *= axes_[c].points;
        w *= weights_[(row + c) * kTaps + static_cast<std::size_t>(k)];
      }
      places[t] = place, weights[t] = w;
    }
  }
  // Place among the lags of the difference of two taps of one row.
  Index lag_of_taps(Index a, Index b) const {
    Index place = 0, stride = 1;
    for (std::size_t c = axes_.size(); c-- > 0;) {
      const Index off = b % kTaps - a % kTaps;
      a /= kTaps, b /= kTaps;
      place += (off < 0 ? off + axes_[c].padded : off) * stride, stride *= axes_[c].padded;
    }
    return place;
  }
  // W'v: groups of rows have sums of their own, which are added in order.
  RowMatrix to_grid(const RowMatrix& v) {
    std::vector<RowMatrix> sums(static_cast<std::size_t>(kGridGroups));
    team_.for_each(kGridGroups, [&](Index group, Index) {
      RowMatrix& sum = sums[static_cast<std::size_t>(group)] = RowMatrix(num_grid_, v.cols);
      std::vector<double> weights(static_cast<std::size_t>(num_taps()));
      std::vector<Index> places(static_cast<std::size_t>(num_taps()));
      for (Index i = group * n_ / kGridGroups; i < (group + 1) * n_ / kGridGroups; ++i) {
        taps_of(i, places.data(), weights.data());
        const double* const from = v.row(i).data();
        for (std::size_t t = 0; t < places.size(); ++t) {
          double* const to = sum.row(places[t]).data();
          for (Index c = 0; c < v.cols; ++c) to[c] += weights[t] * from[c];
        }
      }
    });
    for (std::size_t g = 1; g < sums.size(); ++g)
      for (std::size_t e = 0; e < sums[0].values.size(); ++e)
        sums[0].values[e] += sums[g].values[e];
    return std::move(sums[0]);
  }
  void to_rows(const RowMatrix& grid, RowMatrix& out) {
    team_.for_each(kGridGroups, [&](Index group, Index) {
      std::vector<double> weights(static_cast<std::size_t>(num_taps()));
      std::vector<Index> places(static_cast<std::size_t>(num_taps()));
      for (Index i = group * n_ / kGridGroups; i < (group + 1) * n_ / kGridGroups; ++i) {
        taps_of(i, places.data(), weights.data());
        double* const to = out.row(i).data();
        std::fill_n(to, grid.cols, 0.0);
        for (std::size_t t = 0; t < places.size(); ++t) {
          const double* const from = grid.row(places[t]).data();
          for (Index c = 0; c < grid.cols; ++c) to[c] += weights[t] * from[c];
        }
      }
    });
  }
  // Column a of a grid as real parts, b as imaginary ones, with zeros behind.
  std::vector<Complex> padded(const RowMatrix& grid, Index a, Index b) const {
    std::vector<Complex> x(static_cast<std::size_t>(num_lags_), 0.0);
    for (Index g = 0; g < num_grid_; ++g)
      x[static_cast<std::size_t>(padded_place_[static_cast<std::size_t>(g)])] = {
          grid(g, a), b >= 0 ? grid(g, b) : 0.0};
    return x;
  }
  // Along each input; backwards without the factor 1 / num_lags_.
  void transform(std::vector<Complex>& x, bool is_forward) const {
    Index stride = 1;
    for (std::size_t c = axes_.size(); c-- > 0;) {
      const Index size = axes_[c].padded;
      std::vector<Complex> line(static_cast<std::size_t>(size));
      for (Index first = 0; first < num_lags_ / size; ++first) {
        const Index at = first / stride * stride * size + first % stride;
        for (Index k = 0; k < size; ++k)
          line[static_cast<std::size_t>(k)] = x[static_cast<std::size_t>(at + k * stride)];
        is_forward ? transforms_[c].forward(line) : transforms_[c].backward(line);
        for (Index k = 0; k < size; ++k)
          x[static_cast<std::size_t>(at + k * stride)] = line[static_cast<std::size_t>(k)];
      }
      stride *= size;
    }
  }

  const GpProblem& p_;
  WorkerTeam team_;
  Index n_, num_grid_ = 0, num_lags_ = 0;
  std::vector<GridAxis> axes_;
  std::vector<numerics::Fft> transforms_;
  std::vector<Index> first_, padded_place_;
  std::vector<double> weights_, theta_, lag_values_;
  std::vector<Complex> spectrum_;
  CovariancePoints grid_, lags_, origin_;
  std::vector<Covariance::Work> work_;
};

// The largest error of the interpolated covariance over pairs of rows that are spread over the table, relative to the variance.
std::vector<std::string> GridOperator::remarks() {
  constexpr Index kRows = 8;
  double most = 0.0;
  std::vector<double> own(static_cast<std::size_t>(n_)), exact(static_cast<std::size_t>(n_));
  const double variance =
      p_.covariance.variance(p_.covariance.root(), theta_, origin_, 0, work_[0]);
  for (Index r = 0; r < std::min(kRows, n_); ++r) {
    const Index i = r * n_ / std::min(kRows, n_);
    row(i, own);
    for (Index first = 0; first < n_; first += Covariance::kMostAtOnce)
      p_.covariance.values(p_.covariance.root(), theta_, p_.x, i, p_.x, first,
                           std::min(Covariance::kMostAtOnce, n_ - first), exact.data() + first,
                           work_[0]);
    for (std::size_t j = 0; j < own.size(); ++j)
      most = std::max(most, std::abs(own[j] - exact[j]) / variance);
  }
  std::vector<std::string> made{
      fmt::format("Interpolation on the grid changes covariances by at most {:.1e} of the variance "
                  "(from {} rows "
                  "to all).",
                  most, std::min(kRows, n_))};
  if (most > 1e-2)
    made.emplace_back(
        "That is much: the grid is too coarse for the length scale. --grid takes more points.");
  return made;
}
}  // namespace

std::string why_no_grid(const GpProblem& problem) {
  for (const KernelNode* atom : problem.covariance.atoms()) {
    if (!atom->row->is_stationary || !atom->projection.empty())
      return fmt::format("{} isn't a function of differences of inputs", atom->text);
    if (atom->row->smoothness(atom->options) < 0)
      return fmt::format("{} isn't continuous", atom->text);
  }
  const Index inputs = num_grid_inputs(problem);
  if (inputs < 1 || inputs > kMostInputs)
    return fmt::format("a grid has 1 to {} inputs, and there are {}", kMostInputs, inputs);
  return "";
}

Index num_grid_inputs(const GpProblem& problem) { return ssize(input_columns(problem)); }

std::unique_ptr<GpOperator> make_grid_operator(const GpProblem& problem, Index points) {
  return std::make_unique<GridOperator>(problem, points);
}

}  // namespace credo::models
