#include "infer/variational/approximation.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostRefusedDraws = 10'000;
constexpr double kLogOfPiOfParts = 1.14472988584940017414,
                 kLogOfTwoOfParts = 0.69314718055994530942;

// log of the normalising constant of N(0, I) or of Student's t, D values.
double log_constant_of(Index dimension, Index dof) {
  const double n = static_cast<double>(dimension), nu = static_cast<double>(dof);
  if (dof == 0) return -0.5 * n * (kLogOfTwoOfParts + kLogOfPiOfParts);
  return numerics::lgamma(0.5 * (nu + n)) - numerics::lgamma(0.5 * nu) -
         0.5 * n * (numerics::log(nu) + kLogOfPiOfParts);
}

struct PlacedPart {
  std::vector<double> mean;
  Metric metric;
  double log_root = 0.0;  // log |L|
};

class MixtureOfNormals final : public Approximation {
 public:
  MixtureOfNormals(std::span<const MixturePartSpec> parts, Index dof)
      : dof_(dof), log_constant_(log_constant_of(ssize(parts.front().mean), dof)) {
    for (const MixturePartSpec& part : parts) add_part(part);
  }
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<MixtureOfNormals>(*this);
  }

  double draw(Rng& rng, std::span<double> x) override {
    const double k = std::floor(rng.uniform() * static_cast<double>(parts_.size()));
    const PlacedPart& part = parts_[std::min(parts_.size() - 1, static_cast<std::size_t>(k))];
    std::vector<double> noise(x.size());
    for (double& n : noise) n = rng.normal();
    double chi_square = 0.0;
    for (Index c = 0; c < dof_; ++c) chi_square += std::pow(rng.normal(), 2);
    const double stretch = dof_ == 0 ? 1.0 : std::sqrt(static_cast<double>(dof_) / chi_square);
    part.metric.shape_move(noise, x);
    for (std::size_t d = 0; d < x.size(); ++d) x[d] = part.mean[d] + stretch * x[d];
    return log_density(x);
  }

 private:
  void add_part(const MixturePartSpec& part) {
    const Index dimension = ssize(part.mean);
    Metric metric(MetricKind::dense, dimension);
    if (!metric.set_inverse(part.covariance))
      throw Error(ErrorCode::evaluation, "a covariance isn't positive definite", "approximation",
                  "credo sample draws from any density with a gradient");
    const double log_root = log_root_of(metric);
    parts_.push_back({part.mean, std::move(metric), log_root});
  }
  double log_density(std::span<const double> x) const {
    std::vector<double> terms, z(x.size());
    for (const PlacedPart& part : parts_) {
      for (std::size_t d = 0; d < x.size(); ++d) z[d] = x[d] - part.mean[d];
      part.metric.unshape_move(z);
      terms.push_back(log_constant_ - part.log_root + log_kernel(z));
    }
    return numerics::log_sum_exp(terms) - numerics::log(static_cast<double>(terms.size()));
  }
  double log_kernel(std::span<const double> z) const {
    double square = 0.0;
    for (const double v : z) square += v * v;
    if (dof_ == 0) return -0.5 * square;
    const double nu = static_cast<double>(dof_), n = static_cast<double>(z.size());
    return -0.5 * (nu + n) * numerics::log1p(square / nu);
  }

  Index dof_;
  double log_constant_;
  std::vector<PlacedPart> parts_;
};

// ---- draws

struct ApproximationInfo {
  double log_density = 0.0, log_q = 0.0, log_weight = 0.0;
  Index num_tries = 0;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.log_q, FieldSpec{.name = "log_q", .help = "log density of the approximation"});
    field(self.log_weight, kLogWeightColumn);
    field(self.num_tries,
          FieldSpec{
              .name = "num_tries",
              .help = "draws up to the first one that the target doesn't refuse, itself included"});
  }
};

struct FittedOptions {
  FittedApproximation fitted;
  static void describe(auto&, auto&&) {}
};

class ApproximationDraws final : public PooledKernel {
 public:
  using Options = FittedOptions;
  using State = PointState;
  using Info = ApproximationInfo;
  static constexpr bool kNeedsGradient = false, kIsIndependent = true;

  ApproximationDraws(const FittedOptions& options, Index)
      : figures_(options.fitted.figures),
        course_(options.fitted.course),
        own_rows_(options.fitted.own_rows),
        has_weights_(options.fitted.has_weights),
        from_(options.fitted.distribution->clone()) {}

  static std::vector<RowGroup> groups(const FittedOptions& options) {
    return options.fitted.has_course ? bound_groups() : options.fitted.own_groups;
  }
  // The fit is one for all chains.
  void report_rows(ChainRecorder& recorder, Index number) const {
    if (number > 0) return;
    for (std::size_t k = 0; k < course_.size(); ++k) {
      BoundRow row = course_[k];
      if (k > 0) row.gain = row.bound - course_[k - 1].bound;
      recorder.row(0, row);
    }
    for (const std::vector<double>& row : own_rows_) recorder.row(0, std::span<const double>(row));
  }

  Step<ApproximationInfo> step(PointState& current, Rng& rng) {
    for (Index tries = 1; tries <= kMostRefusedDraws; ++tries) {
      const double log_q = from_->draw(rng, current.position);
      const Evaluation at = co_await evaluate(current.position);
      if (!at.status.ok()) continue;
      current.log_density = at.log_density;
      co_return ApproximationInfo{.log_density = at.log_density,
                                  .log_q = log_q,
                                  .log_weight = has_weights_ ? at.log_density - log_q : 0.0,
                                  .num_tries = tries};
    }
    throw Error(ErrorCode::evaluation,
                fmt::format("of {} draws the density refuses all", kMostRefusedDraws),
                "approximation", "declare the ranges of the parameters, or use credo sample");
  }
  void conclude(ChainResult& result) const { result.tuned = figures_; }
  static void saved(auto&, auto&&) {}

  NoSettings settings;

 private:
  std::vector<TunedSetting> figures_;
  std::vector<BoundRow> course_;
  std::vector<std::vector<double>> own_rows_;
  bool has_weights_;
  std::unique_ptr<Approximation> from_;
};
}  // namespace

double log_root_of(const Metric& metric) {
  std::vector<double> unit(static_cast<std::size_t>(metric.dimension()), 0.0), column(unit.size());
  double sum = 0.0;
  for (std::size_t d = 0; d < unit.size(); ++d) {
    unit[d] = 1.0;
    metric.shape_move(unit, column);
    sum += numerics::log(column[d]);
    unit[d] = 0.0;
  }
  return sum;
}

std::shared_ptr<const Approximation> mixture_of_normals(std::span<const MixturePartSpec> parts,
                                                        Index dof) {
  CREDO_ASSERT(!parts.empty(), "a mixture has parts");
  return std::make_shared<MixtureOfNormals>(parts, dof);
}

void require_approximable(const density::LogDensity& density, std::string_view method, Index most) {
  require_continuous(density, method);
  if (!density.has_gradient())
    throw Error(ErrorCode::usage,
                fmt::format("{} needs a gradient, the log density has none", method), "sampler",
                "credo sample --sampler slice needs none");
  if (density.dimension() > most)
    throw Error(ErrorCode::usage,
                fmt::format("{} of {} unconstrained values needs too large matrices, at most {}",
                            method, density.dimension(), most),
                "sampler",
                "credo approximate --method normal --covariance diagonal takes any number, and "
                "credo sample");
}

RunResult draw_approximation(const density::LogDensity& density, const SampleOptions& options,
                             FittedApproximation fitted, DrawSink& sink) {
  end_fit();
  std::vector<std::string> warnings = std::move(fitted.warnings);
  RunResult result = run_sampler<ApproximationDraws, NoAdaptation>(
      density, options, FittedOptions{std::move(fitted)}, sink);
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

std::vector<RowGroup> bound_groups() {
  return {{.name = "bound", .row = "iteration", .columns = columns_of<BoundRow>()}};
}

std::vector<FieldSpec> approximation_columns() { return columns_of<ApproximationInfo>(); }

std::span<const std::string_view> approximations() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const SamplerSpec* row : samplers())
      if (row->columns == approximation_columns) names.push_back(row->name);
    return names;
  }();
  return kNames;
}

bool is_approximation(std::string_view name) {
  return std::ranges::find(approximations(), name) != approximations().end();
}

}  // namespace credo::infer
