// L-BFGS [nocedal2006, algs. 7.4 and 7.5] on f = -log p: the direction H ∇log p from the last pairs
// s = x' - x, y = ∇f' - ∇f by the two-loop recursion, H of no pairs being s·y / y·y of the last one, or a
// given inverse metric; the step by a strong Wolfe search, so that s·y > 0.
#include "infer/optimise/lbfgs.hpp"

#include "infer/core/vectors.hpp"
#include "infer/mcmc/hamiltonian/metric.hpp"
#include "infer/optimise/climb.hpp"

namespace credo::infer {

std::vector<double> QuasiNewton::direction(std::span<const double> gradient) const {
  std::vector<double> q(gradient.begin(), gradient.end()), alpha(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    alpha[i] = dot(pairs[i].s, q) / pairs[i].curvature;
    add(q, -alpha[i], pairs[i].y);
  }
  q = begun(q);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    add(q, alpha[i] - dot(pairs[i].y, q) / pairs[i].curvature, pairs[i].s);
  return q;
}

// Beginning of the recursion.
std::vector<double> QuasiNewton::begun(std::vector<double> q) const {
  if (first.size() == q.size() * q.size() && q.size() > 1) return product(first, q);
  double scale = 1.0;
  if (first.empty() && !pairs.empty())
    scale = pairs.back().curvature / dot(pairs.back().y, pairs.back().y);
  for (std::size_t d = 0; d < q.size(); ++d) q[d] *= first.empty() ? scale : first[d];
  return q;
}

void QuasiNewton::begin_from(std::span<const double> covariance) {
  first.assign(covariance.begin(), covariance.end());
  pairs.clear();
}

bool QuasiNewton::fits(std::size_t dimension) const {
  const std::size_t n = first.size();
  return (n == 0 || n == dimension || n == dimension * dimension) &&
         std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
           return pair.s.size() == dimension && pair.y.size() == dimension;
         });
}

void QuasiNewton::learn(const PointState& from, const PointState& to) {
  Pair pair{.s = to.position, .y = from.gradient, .curvature = 0.0};
  add(pair.s, -1.0, from.position);
  add(pair.y, -1.0, to.gradient);  // gradient of -log p
  pair.curvature = dot(pair.s, pair.y);
  if (pair.curvature > 0.0) pairs.push_back(std::move(pair));
  if (ssize(pairs) > history) pairs.erase(pairs.begin());
}

namespace {

struct LbfgsOptions {
  ClimbOptions climb = {};
  Index history = 10;

  static void describe(auto& self, auto&& field) {
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
    field(self.history, kHistoryField);
  }
};

// The form that a metric takes: D variances or D × D covariances.
void require_covariance(std::span<const double> values, Index dimension) {
  const bool is_dense = ssize(values) == dimension * dimension && dimension > 1;
  Metric metric(is_dense ? MetricKind::dense : MetricKind::diagonal, dimension);
  if (metric.set_inverse(values)) return;
  throw Error(ErrorCode::usage,
              "the inverse metric must be variances that are positive, or a covariance matrix that "
              "is positive definite, of the unconstrained values",
              "inv_metric", "leave it out: L-BFGS begins with a multiple of the identity");
}

class Lbfgs final : public Climb {
 public:
  Lbfgs(const ClimbSetup& setup, const LbfgsOptions& own)
      : Climb(setup, own.climb),
        matrix_({.history = own.history, .first = setup.context.options.inv_metric}) {}
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(matrix_);
  }
  static void saved(auto& self, auto&& field) {
    Climb::saved(self, field);
    field(self.matrix_);
  }

 private:
  Step<Nothing> iterate() override { return climb_by(matrix_); }
  bool restart(std::span<const double> covariance) override {
    matrix_.begin_from(covariance);
    return true;
  }

  QuasiNewton matrix_;
};

RunResult run_lbfgs(const density::LogDensity& density, const SampleOptions& options,
                    DrawSink& sink) {
  const auto own = options_for<LbfgsOptions>(options.kernel, options.sampler);
  validate(own);
  if (!options.inv_metric.empty()) require_covariance(options.inv_metric, density.dimension());
  return run_climbs(density, options, sink, own.climb,
                    [&](const ClimbSetup& setup) { return std::make_unique<Lbfgs>(setup, own); });
}
}  // namespace

extern const SamplerSpec kLbfgs;
const SamplerSpec kLbfgs{.name = "lbfgs",
                         .summary = "climbs by limited-memory BFGS with a strong Wolfe search",
                         .needs_gradient = true,
                         .reference = "nocedal2006",
                         .biased = false,
                         .has_warmup = false,
                         .columns = columns_of<ClimbInfo>,
                         .groups = climb_groups,
                         .options = [] { return KernelOptions(LbfgsOptions{}); },
                         .make = nullptr,
                         .run = run_lbfgs,
                         .family = Family::optimum,
                         .fixed_length = kClimbLength};

}  // namespace credo::infer
