// Simulated annealing [kirkpatrick1983] (infer/optimise/anneal.hpp), and from the best point that it visited a
// climb by L-BFGS: the walk chooses the peak, the climb goes to its top. An iteration of the walk is a
// stretch of steps.
#include "infer/optimise/anneal.hpp"
#include "infer/optimise/climb.hpp"

namespace credo::infer {
namespace {
constexpr Index kStretch = 100;

struct AnnealingOptions {
  ClimbOptions climb = {};
  Index history = 10, num_steps = AnnealOptions{}.num_steps;
  Cooling cooling = AnnealOptions{}.cooling;
  double temperature = AnnealOptions{}.temperature, rate = AnnealOptions{}.rate,
         scale = AnnealOptions{}.scale;
  bool polish = true;

  static void describe(auto& self, auto&& field) {
    AnnealOptions::describe_schedule(self, field);
    field(self.polish,
          FieldSpec{.name = "polish", .help = "climb to the top from the best point of the walk"});
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
    field(self.history, kHistoryField);
  }
};

AnnealOptions schedule_of(const AnnealingOptions& own) {
  return {.num_steps = own.num_steps,
          .cooling = own.cooling,
          .temperature = own.temperature,
          .rate = own.rate,
          .scale = own.scale};
}

class Annealing final : public Climb {
 public:
  Annealing(const ClimbSetup& setup, const AnnealingOptions& own)
      : Climb(setup, own.climb),
        schedule_(schedule_of(own)),
        polish_(own.polish),
        climb_({.history = own.history}) {}
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(climb_);
    if (walk_.num_steps > 0) check(walk_.position), check(walk_.best);
  }
  static void saved(auto& self, auto&& field) {
    Climb::saved(self, field);
    field(self.walk_);
    field(self.climb_);
  }

 private:
  Step<Nothing> iterate() override;
  Step<Nothing> walk();
  bool restart(std::span<const double> covariance) override {
    climb_.begin_from(covariance);
    return true;
  }

  const AnnealOptions schedule_;
  const bool polish_;
  AnnealState walk_;
  QuasiNewton climb_;
};

Step<Nothing> Annealing::iterate() {
  if (walk_.num_steps < schedule_.num_steps)
    co_await walk();
  else if (polish_)
    co_await climb_by(climb_);
  else
    finish(ClimbEnd::schedule);
  co_return Nothing{};
}

// The steps of a stretch. After the last one the climb begins at the best point.
Step<Nothing> Annealing::walk() {
  if (walk_.num_steps == 0) walk_.begin(here.position, here.log_density);
  for (Index k = 0; k < kStretch && walk_.num_steps < schedule_.num_steps; ++k) {
    const Rng rng = context.stream(purpose::kTransition, number, walk_.num_steps);
    co_await anneal_step(schedule_, walk_, rng);
  }
  const bool is_over = walk_.num_steps == schedule_.num_steps;
  here.position = is_over ? walk_.best : walk_.position;
  const Evaluation at = co_await evaluate(here.position, here.gradient);
  here.log_density = at.log_density;
  report_iteration(temperature_at(schedule_, walk_.num_steps));
  co_return Nothing{};
}

RunResult run_annealing(const density::LogDensity& density, const SampleOptions& options,
                        DrawSink& sink) {
  const auto own = options_for<AnnealingOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<Annealing>(setup, own);
  });
}
}  // namespace

extern const SamplerSpec kAnneal;
const SamplerSpec kAnneal{.name = "anneal",
                          .summary = "walks while a temperature falls, then climbs by L-BFGS",
                          .needs_gradient = true,
                          .reference = "kirkpatrick1983",
                          .biased = false,
                          .has_warmup = false,
                          .columns = columns_of<ClimbInfo>,
                          .groups = climb_groups,
                          .options = [] { return KernelOptions(AnnealingOptions{}); },
                          .make = nullptr,
                          .run = run_annealing,
                          .family = Family::optimum,
                          .fixed_length = kClimbLength};

}  // namespace credo::infer
