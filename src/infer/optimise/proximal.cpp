// Modes of densities with double-exponential priors (the lasso): a proximal Newton method [lee2014, alg. 1; friedman2010].
//
//   log p(x) = f(x) - Σ r_d |x_d - m_d|
//   working set   coordinates without a kink, away from their kink, or with |∂f| > r at it
//   z             top of the quadratic model of f less the kinks, with B = -∇²f there, made positive definite if need be
//   x             x + t (z - x), t halved until log p rises enough; t = 1 puts coordinates at their kinks exactly
//
// Larger working sets than --max-curvature take the coordinates with the largest subgradients (a block at a time). It ends where the model
// would gain less than the tolerance. The gradients that it reports are the smallest subgradients: 0 where the conditions of a maximum hold.
#include "infer/core/vectors.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/optimise/climb.hpp"
#include "infer/optimise/kinks.hpp"
#include "infer/optimise/penalised_step.hpp"

namespace credo::infer {
namespace {
constexpr double kFirstDamping = 1e-4, kMostDamping = 1e12;

struct ProximalOptions {
  ClimbOptions climb = {};
  static void describe(auto& self, auto&& field) {
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
  }
};

class Proximal final : public Climb {
 public:
  Proximal(const ClimbSetup& setup, const ProximalOptions& own, const Kinks& kinks)
      : Climb(setup, own.climb), kinks_(kinks), is_exact_(setup.exact) {}
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(here.position);
    if (!smooth_.empty()) check(smooth_);
  }
  static void saved(auto& self, auto&& field) {
    Climb::saved(self, field);
    field(self.smooth_);
    field(self.first_);
    field(self.damping_);
  }

 private:
  Step<Nothing> iterate() override;
  std::vector<double> kinks_held() const override;
  Step<Nothing> prepare();
  Step<bool> find_model(std::span<const Index> working, PenalisedQuadratic& model);
  Step<bool> find_columns(std::span<const Index> working, PenalisedQuadratic& model);
  Step<double> search(std::span<const Index> working, const PenalisedQuadratic& model,
                      std::span<const double> top);
  std::vector<Index> working_set() const;
  std::optional<std::vector<double>> top_of(PenalisedQuadratic& model);
  void take(PointState found);
  std::vector<double> smooth_part(const PointState& at) const;

  const Kinks& kinks_;
  const bool is_exact_;
  std::vector<double> smooth_;  // ∇f here
  Index first_ = 0;             // place of the block in the working set
  double damping_ = 0.0;        // added to B, relative to its diagonal
};

// Gradient of f.
std::vector<double> Proximal::smooth_part(const PointState& at) const {
  std::vector<double> smooth = at.gradient;
  for (std::size_t d = 0; d < smooth.size(); ++d) smooth[d] -= kinks_.slope(d, at.position[d]);
  return smooth;
}

// The point that was evaluated becomes the present one; its gradient, the subgradient.
void Proximal::take(PointState found) {
  smooth_ = smooth_part(found);
  for (std::size_t d = 0; d < smooth_.size(); ++d)
    found.gradient[d] = kinks_.subgradient(d, found.position[d], smooth_[d]);
  here = std::move(found);
}

// Many values begin at their kinks, so that the working set is small from the start.
Step<Nothing> Proximal::prepare() {
  PointState start = here;
  if (ssize(here.position) > options.max_curvature)
    for (std::size_t d = 0; d < start.position.size(); ++d)
      if (kinks_.is_there(d)) start.position[d] = kinks_.centres[d];
  Evaluation at = co_await evaluate(start.position, start.gradient);
  if (!at.status.ok()) {
    start.position = here.position;
    at = co_await evaluate(start.position, start.gradient);
  }
  start.log_density = at.log_density;
  take(std::move(start));
}

std::vector<Index> Proximal::working_set() const {
  std::vector<Index> working;
  for (std::size_t d = 0; d < smooth_.size(); ++d)
    if (!kinks_.holds(d, here.position[d]) || here.gradient[d] != 0.0)
      working.push_back(static_cast<Index>(d));
  const Index most = std::max<Index>(1, options.max_curvature);
  if (ssize(working) <= most) return working;
  std::ranges::stable_sort(working, std::greater{}, [&](Index d) {
    return std::abs(here.gradient[static_cast<std::size_t>(d)]);
  });
  const Index first = std::min(first_, ssize(working) - 1),
              last = std::min(first + most, ssize(working));
  std::vector<Index> block(working.begin() + first, working.begin() + last);
  std::ranges::sort(block);
  return block;
}

Step<bool> Proximal::find_model(std::span<const Index> working, PenalisedQuadratic& model) {
  for (const Index d : working) {
    const auto at = static_cast<std::size_t>(d);
    model.x.push_back(here.position[at]);
    model.g.push_back(smooth_[at]);
    model.centres.push_back(kinks_.centres[at]);
    model.rates.push_back(kinks_.rates[at]);
  }
  const Index n = ssize(working);
  model.b = numerics::DenseMatrix(n, n);
  if (!is_exact_) {
    const bool is_known = co_await find_columns(working, model);
    co_return is_known;
  }
  const Index all = ssize(here.position);
  std::vector<double> hessian(static_cast<std::size_t>(all * all));
  const bool is_known = co_await find_hessian(here, true, hessian);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Index row = working[static_cast<std::size_t>(i)],
                  column = working[static_cast<std::size_t>(j)];
      model.b(i, j) = -0.5 * (hessian[static_cast<std::size_t>(row * all + column)] +
                              hessian[static_cast<std::size_t>(column * all + row)]);
    }
  co_return is_known&& std::ranges::all_of(model.b.values,
                                           [](double x) { return std::isfinite(x); });
}

// By central differences of ∇f.
Step<bool> Proximal::find_columns(std::span<const Index> working, PenalisedQuadratic& model) {
  PointState up = here, down = here;
  for (Index j = 0; j < ssize(working); ++j) {
    const auto at = static_cast<std::size_t>(working[static_cast<std::size_t>(j)]);
    const double h = 6e-6 * std::max(1.0, std::fabs(here.position[at]));
    up.position[at] = here.position[at] + h;
    down.position[at] = here.position[at] - h;
    const Evaluation above = co_await evaluate(up.position, up.gradient);
    const Evaluation below = co_await evaluate(down.position, down.gradient);
    if (!above.status.ok() || !below.status.ok()) co_return false;
    const std::vector<double> high = smooth_part(up), low = smooth_part(down);
    for (Index i = 0; i < ssize(working); ++i) {
      const auto row = static_cast<std::size_t>(working[static_cast<std::size_t>(i)]);
      const double entry = -0.25 * (high[row] - low[row]) / h;
      model.b(i, j) += entry;
      model.b(j, i) += entry;
    }
    up.position[at] = down.position[at] = here.position[at];
  }
  co_return true;
}

// B with as much of its diagonal added as makes it positive definite.
std::optional<std::vector<double>> Proximal::top_of(PenalisedQuadratic& model) {
  const numerics::DenseMatrix b = model.b;
  for (double damping = damping_; damping <= kMostDamping;
       damping = std::max(kFirstDamping, 10.0 * damping)) {
    model.b = b;
    for (Index i = 0; i < b.rows; ++i)
      if (damping > 0.0) model.b(i, i) += damping * std::max(std::abs(b(i, i)), 1e-8);
    if (auto top = maximised(model)) return top;
  }
  return std::nullopt;
}

// The step length that was taken; 0 if none climbs.
Step<double> Proximal::search(std::span<const Index> working, const PenalisedQuadratic& model,
                              std::span<const double> top) {
  constexpr double kClimb = 1e-4, kShortest = 1e-12, kUnseenRise = 1e-14;
  const double slope = model.linear(top),
               rounding = kUnseenRise * (1.0 + std::abs(here.log_density));
  for (double t = 1.0; t >= kShortest; t *= t > 0.1 ? 0.5 : 0.1) {
    PointState next = here;
    for (std::size_t k = 0; k < working.size(); ++k) {
      const auto d = static_cast<std::size_t>(working[k]);
      next.position[d] = t == 1.0 ? top[k] : here.position[d] + t * (top[k] - here.position[d]);
    }
    const Evaluation at = co_await evaluate(next.position, next.gradient);
    next.log_density = at.log_density;
    const double rise = next.log_density - here.log_density;
    const bool is_unseen = t == 1.0 && slope <= 10.0 * rounding && rise >= -rounding;
    if (!at.status.ok() || !(rise >= kClimb * t * slope || is_unseen)) continue;
    before = here;
    take(std::move(next));
    co_return t;
  }
  co_return 0.0;
}

Step<Nothing> Proximal::iterate() {
  if (smooth_.empty()) co_await prepare();
  const std::vector<Index> working = working_set();
  PenalisedQuadratic model;
  const bool is_known = co_await find_model(working, model);
  if (!is_known) {
    finish(ClimbEnd::line_search);
    co_return Nothing{};
  }
  const auto top = top_of(model);
  if (!top) {
    finish(ClimbEnd::line_search);
    co_return Nothing{};
  }
  ++num_iterations;
  const double gain = model.gain(*top), height = here.log_density;
  const bool is_top = gain <= options.tolerance;
  const double taken = co_await search(working, model, *top);
  if (taken > 0.0) report_iteration(taken);
  if (is_top) {
    first_ += std::max<Index>(1, options.max_curvature);
    if (first_ >= ssize(here.position)) finish(ClimbEnd::gain);
    co_return Nothing{};
  }
  first_ = 0;
  if (taken == 0.0) {
    damping_ = std::max(kFirstDamping, 100.0 * damping_);
    if (damping_ > kMostDamping) finish(ClimbEnd::line_search);
    co_return Nothing{};
  }
  damping_ = taken == 1.0 ? 0.0 : damping_;
  const bool is_level =
      here.log_density - height <= options.tolerance_change * (1.0 + std::abs(height));
  num_level = is_level ? num_level + 1 : 0;
  if (num_level >= 3) finish(ClimbEnd::change);
  if (largest(here.position) > 1e10) finish(ClimbEnd::unbounded);
}

// Group "adaptation", tuned_kinks: 0 no kink, 1 away from its kink, 2 at it.
std::vector<double> Proximal::kinks_held() const {
  std::vector<double> held(here.position.size(), 0.0);
  for (std::size_t d = 0; d < held.size(); ++d)
    if (kinks_.is_there(d)) held[d] = kinks_.holds(d, here.position[d]) ? 2.0 : 1.0;
  return held;
}

RunResult run_proximal(const density::LogDensity& density, const SampleOptions& options,
                       DrawSink& sink) {
  const auto own = options_for<ProximalOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_continuous(density, "the search for a mode");
  const Kinks kinks = find_kinks(density, options.sampler);
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<Proximal>(setup, own, kinks);
  });
}
}  // namespace

extern const SamplerSpec kProximal;
const SamplerSpec kProximal{
    .name = "proximal",
    .summary =
        "climbs by proximal Newton steps where priors are double-exponential (the lasso): "
        "coefficients without use are exactly 0",
    .needs_gradient = true,
    .reference = "lee2014",
    .biased = false,
    .has_warmup = false,
    .columns = columns_of<ClimbInfo>,
    .groups = climb_groups,
    .options = [] { return KernelOptions(ProximalOptions{}); },
    .make = nullptr,
    .run = run_proximal,
    .family = Family::optimum,
    .fixed_length = kClimbLength,
    .needs_program = true,
    .no_part = {}};

}  // namespace credo::infer
