#include "infer/latent/run_marginal.hpp"

#include <fmt/format.h>

#include "base/stream.hpp"
#include "infer/core/columns.hpp"
#include "infer/core/recorder.hpp"
#include "infer/core/table.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kInnerDraws = stream("latent.draws");
constexpr std::string_view kLogQName = "log_q", kNumTriesName = "num_tries";
constexpr Index kMostLiftedValues = 400;  // a covariance of all coordinates has their square

Divergence lifted_divergence(const CollapsedDensity& collapsed, Divergence divergence) {
  divergence.start = collapsed.lifted(divergence.start);
  divergence.end = collapsed.lifted(divergence.end);
  return divergence;
}

// D directions of the outer coordinates alone, one after another.
std::vector<double> lifted_directions(const LatentBlock& block,
                                      std::span<const double> directions) {
  const auto all = static_cast<std::size_t>(block.dimension());
  std::vector<double> lifted;
  for (std::size_t k = 0; (k + 1) * block.outer.size() <= directions.size(); ++k) {
    lifted.resize((k + 1) * all, 0.0);
    put_at(std::span(lifted).subspan(k * all, all), block.outer,
           directions.subspan(k * block.outer.size(), block.outer.size()));
  }
  return lifted;
}
}  // namespace

struct LiftedSink::Worker {
  explicit Worker(const LatentModel& model)
      : inner(model), evaluator(model.density.make_evaluator()) {}
  // log p(f, φ); -infinity where it is refused.
  double log_density(std::span<const double> x) const {
    density::Request request{.position = x, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    return request.status.ok() ? request.log_density : -kInfinity;
  }
  InnerMode inner;
  std::unique_ptr<density::Evaluator> evaluator;
};

// Working memory of an inner climb, lent to one call.
class LiftedSink::Borrowed {
 public:
  explicit Borrowed(LiftedSink& sink) : sink_(sink) {
    const std::lock_guard lock(sink_.mutex_);
    if (!sink_.spare_.empty()) {
      worker_ = std::move(sink_.spare_.back());
      sink_.spare_.pop_back();
    }
    if (worker_ == nullptr) worker_ = std::make_unique<Worker>(sink_.collapsed_.model());
  }
  ~Borrowed() {
    const std::lock_guard lock(sink_.mutex_);
    sink_.spare_.push_back(std::move(worker_));
  }
  // At outer values that the density has accepted.
  Worker& at(std::span<const double> outer) {
    const density::Status status = worker_->inner.find(outer);
    if (!status.ok())
      throw Error(ErrorCode::evaluation, sink_.collapsed_.describe(status), "marginal");
    return *worker_;
  }

 private:
  LiftedSink& sink_;
  std::unique_ptr<Worker> worker_;
};

LiftedSink::LiftedSink(const CollapsedDensity& collapsed, LiftOptions options, DrawSink& sink)
    : collapsed_(collapsed), options_(std::move(options)), sink_(sink) {}

LiftedSink::~LiftedSink() = default;

void LiftedSink::begin(const Sizes& sizes) {
  Sizes all = sizes;
  all.dimension = collapsed_.model().block.dimension();
  if (!options_.columns.empty()) all.columns = options_.columns;
  for (std::size_t k = 0; k < all.columns.size(); ++k) {
    const std::string_view name = all.columns[k].name;
    if (name == kLogDensityColumn.name) columns_.log_density = k;
    if (name == kLogQName) columns_.log_q = k;
    if (name == kLogWeightColumn.name) columns_.log_weight = k;
    if (name == kNumTriesName) columns_.num_tries = k;
  }
  sink_.begin(all);
}

std::vector<double> LiftedSink::at_mode(std::span<const double> outer) {
  Borrowed worker(*this);
  const std::span<const double> position = worker.at(outer).inner.normal().position();
  return {position.begin(), position.end()};
}

// Draws until the density accepts one, as approximations do. A column that isn't the run's own is the density of the outer values by
// Laplace's approximation.
std::vector<double> LiftedSink::draw_inner(Worker& worker, const DrawRecord& record,
                                           std::vector<double>& info) const {
  constexpr Index kMostTries = 10'000;
  const InnerNormal& inner = worker.inner.normal();
  const bool is_weighted = columns_.log_weight.has_value();
  Rng rng({.seed = options_.seed,
           .purpose = kInnerDraws,
           .chain = static_cast<std::uint32_t>(options_.first_chain + record.chain),
           .iteration = static_cast<std::uint32_t>(record.iteration)});
  std::vector<double> x;
  for (Index tries = 1; tries <= kMostTries; ++tries) {
    x.assign(inner.position().begin(), inner.position().end());
    if (!options_.draws) return x;
    inner.add_noise(rng, x);
    if (!is_weighted) return x;
    const double log_p = worker.log_density(x);
    if (log_p == -kInfinity) continue;
    const double outer_q =
        options_.columns.empty() && columns_.log_q ? info[*columns_.log_q] : inner.log_marginal();
    const double log_q = outer_q + inner.log_density(x);
    if (columns_.log_density) info[*columns_.log_density] = log_p;
    if (columns_.log_q) info[*columns_.log_q] = log_q;
    if (columns_.num_tries && !options_.columns.empty())
      info[*columns_.num_tries] = static_cast<double>(tries);
    info[*columns_.log_weight] = log_p - log_q;
    return x;
  }
  throw Error(
      ErrorCode::evaluation,
      fmt::format("of {} draws of the inner parameters the density refuses all", kMostTries),
      "marginal", "credo sample draws all parameters together");
}

void LiftedSink::draw(const DrawRecord& record) {
  DrawRecord all = record;
  std::vector<double> position, info(record.info.begin(), record.info.end());
  if (!options_.columns.empty()) info.assign(options_.columns.size(), 0.0);
  {
    Borrowed worker(*this);
    position = draw_inner(worker.at(record.position), record, info);
  }
  all.position = position;
  all.info = info;
  all.iteration -= options_.num_skipped;
  sink_.draw(all);
}

void LiftedSink::state(const StateRecord& record) {
  const ChainResult result = lifted(record.result);
  std::vector<Divergence> divergences;
  for (const Divergence& divergence : record.divergences)
    divergences.push_back(lifted_divergence(collapsed_, divergence));
  sink_.state({.chain = record.chain,
               .iteration = record.iteration,
               .finished = record.finished,
               .bytes = record.bytes,
               .result = result,
               .divergences = divergences,
               .refusals = record.refusals});
}

ChainResult LiftedSink::lifted(const ChainResult& result) {
  const LatentBlock& block = collapsed_.model().block;
  ChainResult all = result;
  if (!all.initial_point.empty()) all.initial_point = collapsed_.lifted(result.initial_point);
  all.inv_metric = options_.draws ? std::vector<double>() : lifted_covariance(result);
  if (options_.draws) {
    all.metric = MetricKind::unit;
    return all;
  }
  for (TunedSetting& setting : all.tuned) {
    if (setting.name == "mode")
      setting.values = at_mode(setting.values);
    else if (setting.name == "gradient" || setting.name == "limits")
      setting.values = lifted_directions(block, setting.values);
  }
  return all;
}

void LiftedSink::lift(RunResult& result) {
  for (ChainResult& chain : result.chains) chain = lifted(chain);
  for (Divergence& divergence : result.divergences)
    divergence = lifted_divergence(collapsed_, std::move(divergence));
}

// The covariance of φ and f by the curvature at the mode [kass1989]: C of φ, and with J = ∂f̂/∂φ
//   cov(f, φ) = J C,   cov(f) = H⁻¹ + J C J'.
// Empty where there are too many values.
std::vector<double> LiftedSink::lifted_covariance(const ChainResult& result) {
  const LatentBlock& block = collapsed_.model().block;
  const auto all = static_cast<std::size_t>(block.dimension()), m = block.outer.size(),
             d = block.inner.size();
  if (result.inv_metric.size() != m * m || block.dimension() > kMostLiftedValues) return {};
  const auto mode = std::ranges::find(result.tuned, "mode", &TunedSetting::name);
  if (mode == result.tuned.end()) return {};
  Borrowed worker(*this);
  InnerMode& inner = worker.at(mode->values).inner;
  std::vector<double> slopes, covariance(all * all, 0.0), given = inner.normal().covariance();
  if (!inner.sensitivity(slopes).ok()) return {};
  const auto outer_part = [&](std::size_t a, std::size_t b) {
    return result.inv_metric[a * m + b];
  };
  const auto put = [&](Index row, Index col, double value) {
    covariance[static_cast<std::size_t>(row) + all * static_cast<std::size_t>(col)] = value;
    covariance[static_cast<std::size_t>(col) + all * static_cast<std::size_t>(row)] = value;
  };
  std::vector<double> across(d * m, 0.0);  // J C
  for (std::size_t b = 0; b < m; ++b)
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t k = 0; k < d; ++k) across[b * d + k] += slopes[a * d + k] * outer_part(a, b);
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) put(block.outer[a], block.outer[b], outer_part(a, b));
    for (std::size_t k = 0; k < d; ++k) put(block.inner[k], block.outer[a], across[a * d + k]);
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double value = given[i * d + j];
      for (std::size_t a = 0; a < m; ++a) value += across[a * d + i] * slopes[a * d + j];
      put(block.inner[i], block.inner[j], value);
    }
  }
  return covariance;
}

namespace {
// The first climb begins at the reference, the others near 0: far out, scales that are near 0 or very large lead to the edges of the
// likelihoods of mixed models.
void start_near_reference(const CollapsedDensity& collapsed, SampleOptions& options) {
  constexpr double kNearRadius = 0.5;
  const LatentModel& model = collapsed.model();
  options.init.assign(static_cast<std::size_t>(options.num_chains),
                      std::vector<double>(model.block.outer.size(), kNaN));
  options.init.front() = values_at(model.reference.position, model.block.outer);
  options.init_radius = std::min(options.init_radius, kNearRadius);
}
}  // namespace

RunResult run_marginal(const density::LogDensity& density, const SampleOptions& options,
                       DrawSink& sink) {
  require_no_metric(options);
  SampleOptions own = options;
  own.marginal.clear();
  const LatentBlock block = latent_block(density, options.marginal);
  for (std::vector<double>& point : own.init)
    if (ssize(point) == density.dimension()) point = values_at(point, block.outer);
  std::vector<double> start = own.init.empty() ? std::vector<double>() : own.init.front();
  for (double& x : start) x = std::isnan(x) ? 0.0 : x;
  const CollapsedDensity collapsed(density, options.marginal, start);
  if (!is_sampler(find_sampler(options.sampler)) && own.init.empty())
    start_near_reference(collapsed, own);
  LiftedSink lifted(collapsed,
                    {.seed = options.seed,
                     .first_chain = options.first_chain,
                     .draws = is_sampler(find_sampler(options.sampler))},
                    sink);
  RunResult result = run_chains(collapsed, own, lifted);
  lifted.lift(result);
  return result;
}

}  // namespace credo::infer
