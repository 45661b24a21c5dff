#include "infer/variational/families/graph_family.hpp"

#include <mutex>

namespace credo::infer {
namespace {
constexpr Index kDrawLanes = graph::kMaxLanes;
enum FamilyProgram { kPlacing, kPulling, kDensity, kDensitySlope };

std::shared_ptr<const graph::Program> make_program(const GraphMap& map, int which) {
  switch (which) {
    case kPlacing:
      return placing_program(map, {});
    case kPulling:
      return pulling_program(map, {});
    default:
      return density_program(map, which == kDensitySlope);
  }
}

std::span<const double> part_of(std::span<const double> all, std::size_t s, std::size_t size) {
  return all.subspan(s * size, size);
}
}  // namespace

struct GraphFamily::Programs {
  std::mutex mutex;
  std::array<std::shared_ptr<const graph::Program>, 4> made = {};
};

GraphFamily::GraphFamily(std::shared_ptr<const GraphMap> map)
    : map_(std::move(map)), programs_(std::make_shared<Programs>()), parameters_(map_->start()) {}

GraphRunner& GraphFamily::runner(std::optional<GraphRunner>& own, int which, Index max_lanes) {
  if (!own) {
    const std::lock_guard lock(programs_->mutex);
    auto& program = programs_->made[static_cast<std::size_t>(which)];
    if (program == nullptr) program = make_program(*map_, which);
    own.emplace(program, max_lanes);
  }
  own->set_common(parameters_, version_);
  return *own;
}

void GraphFamily::move_to(std::span<const double> parameters) {
  if (std::ranges::equal(parameters, parameters_)) return;
  parameters_.assign(parameters.begin(), parameters.end());
  ++version_;
}

void GraphFamily::place_draws(std::span<const double> z, std::span<double> x,
                              std::span<double> log_q) {
  const bool is_one = log_q.size() == 1;
  GraphRunner& run =
      is_one ? runner(forward_one_, kPlacing, 1) : runner(forward_, kPlacing, kDrawLanes);
  const auto base = static_cast<std::size_t>(num_base()), n = static_cast<std::size_t>(dimension()),
             lanes = static_cast<std::size_t>(run.max_lanes());
  for (std::size_t first = 0; first < log_q.size(); first += lanes) {
    const std::size_t count = std::min(lanes, log_q.size() - first);
    inputs_.clear();
    for (std::size_t s = first; s < first + count; ++s) {
      const auto own = part_of(z, s, base);
      inputs_.insert(inputs_.end(), own.begin(), own.end());
    }
    run.run(inputs_, static_cast<Index>(count));
    for (std::size_t s = first; s < first + count; ++s) {
      const auto lane = static_cast<Index>(s - first);
      double log_jacobian = 0.0;
      run.copy(0, lane, x.subspan(s * n, n));
      run.copy(1, lane, std::span(&log_jacobian, 1));
      log_q[s] = log_normal_density(part_of(z, s, base)) - log_jacobian;
    }
  }
}

// log q(x) = log N(z) - log |∂x/∂z| at fixed z, so that -w log q has the slope of w log |∂x/∂z|.
void GraphFamily::pull_back_draws(std::span<const double> z, std::span<const double> v,
                                  std::span<const double> w, std::span<double> into) {
  GraphRunner& run = runner(backward_, kPulling, kDrawLanes);
  constexpr auto kOnes = [] {
    std::array<double, kDrawLanes> all;
    all.fill(1.0);
    return all;
  }();
  const auto base = static_cast<std::size_t>(num_base()), n = static_cast<std::size_t>(dimension()),
             lanes = static_cast<std::size_t>(run.max_lanes());
  for (std::size_t first = 0; first < w.size(); first += lanes) {
    const std::size_t count = std::min(lanes, w.size() - first);
    inputs_.clear();
    for (std::size_t s = first; s < first + count; ++s) {
      for (const auto own : {part_of(z, s, base), part_of(v, s, n)})
        inputs_.insert(inputs_.end(), own.begin(), own.end());
      inputs_.push_back(w[s]);
    }
    run.run(inputs_, static_cast<Index>(count));
    run.add(0, std::span(kOnes).first(count), into);
  }
}

std::size_t GraphFamily::run_at(GraphRunner& run, std::span<const double> points,
                                std::size_t first) {
  const auto n = static_cast<std::size_t>(dimension());
  const std::size_t count =
      std::min(static_cast<std::size_t>(run.max_lanes()), points.size() / n - first);
  inputs_.clear();
  for (std::size_t s = first; s < first + count; ++s) {
    const auto own = part_of(points, s, n);
    inputs_.insert(inputs_.end(), own.begin(), own.end());
  }
  run.run(inputs_, static_cast<Index>(count));
  return count;
}

double GraphFamily::log_density(std::span<const double> x) {
  GraphRunner& run = runner(inverse_one_, kDensity, 1);
  run_at(run, x, 0);
  double value = 0.0;
  run.copy(0, 0, std::span(&value, 1));
  return value;
}

void GraphFamily::log_densities(std::span<const double> points, std::span<double> log_q) {
  GraphRunner& run = runner(inverse_, kDensity, kDrawLanes);
  for (std::size_t first = 0; first < log_q.size();) {
    const std::size_t count = run_at(run, points, first);
    for (std::size_t lane = 0; lane < count; ++lane)
      run.copy(0, static_cast<Index>(lane), log_q.subspan(first + lane, 1));
    first += count;
  }
}

void GraphFamily::add_parameter_scores(std::span<const double> points,
                                       std::span<const double> weights, std::span<double> into) {
  GraphRunner& run = runner(inverse_slope_, kDensitySlope, kDrawLanes);
  for (std::size_t first = 0; first < weights.size();) {
    const std::size_t count = run_at(run, points, first);
    run.add(1, weights.subspan(first, count), into);
    first += count;
  }
}

}  // namespace credo::infer
