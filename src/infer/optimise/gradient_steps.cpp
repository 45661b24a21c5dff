// Steps of first-order optimisers (credo/optimiser.hpp) by the gradient of all rows, or by that of a batch of rows, which is an unbiased estimate
// [robbins1951]. Without --polish false a climb by L-BFGS over all rows ends the run. An iteration is a stretch of steps.
#include "base/stream.hpp"
#include "credo/optimiser.hpp"
#include "density/model.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/climb.hpp"

namespace credo::infer {
namespace {
// Steps of an iteration, after which batches are followed by an evaluation of all rows; steps with the same information.
constexpr Index kStepsTogether = 50, kInformation = 10;
constexpr Index kMaxHalvings = 60;  // halvings of the step size
constexpr std::uint32_t kRows = stream("optimise.rows");

struct StepsOptions {
  std::string step = "adam", schedule = "cosine";
  double rate = 0.1;
  Index num_steps = 2000, batch = 0;
  bool polish = true;
  ClimbOptions climb = {};
  Index history = 10;

  static void describe_all(auto& self, auto&& field) {
    field(self.rate, FieldSpec{.name = "rate",
                               .help = "first step size, in unconstrained units; halved where "
                                       "steps lead out of the support or far down",
                               .range = positive()});
    field(self.schedule,
          FieldSpec{.name = "schedule",
                    .help = "how step sizes fall over the steps",
                    .values = "constant|cosine|exponential|hold|polynomial|robbins_monro|stairs|"
                              "warm_up"});
    field(self.num_steps, FieldSpec{.name = "num_steps", .help = "steps", .range = at_least(1)});
    field(self.batch,
          FieldSpec{.name = "batch",
                    .help = "rows of the likelihood in each step's gradient, drawn without "
                            "replacement until all were used; 0: all rows",
                    .range = at_least(0)});
    field(self.polish,
          FieldSpec{.name = "polish", .help = "climb to the top by L-BFGS after the last step"});
    field(self.climb, FieldSpec{.name = "climb", .help = "when a climb ends"});
    field(self.history, kHistoryField);
  }
};

// The rows are set by `sgd`, whose objective is the log density by row; other steps don't depend on its scale.
struct SgdOptions : StepsOptions {
  SgdOptions() { step = "momentum"; }
  static void describe(auto& self, auto&& field) {
    field(self.step,
          FieldSpec{.name = "step",
                    .help = "form of a step; `gradient` is the plain one",
                    .values = "adagrad|adam|adamax|adamw|amsgrad|gradient|lion|momentum|nadam|"
                              "nesterov|rmsprop"});
    describe_all(self, field);
  }
};
struct AdamOptions : StepsOptions {
  static void describe(auto& self, auto&& field) { describe_all(self, field); }
};
struct NaturalOptions : StepsOptions {
  NaturalOptions() {
    step = "natural";
    rate = 0.5;
    num_steps = 200;
  }
  static void describe(auto& self, auto&& field) { describe_all(self, field); }
};

// The density with batches of rows, shared by all climbs; without a model: all rows.
struct Rows {
  std::unique_ptr<density::Model> model;
  Index size = 0;  // rows of each statement
};

Rows rows_of(const density::LogDensity& density, const StepsOptions& own, std::string_view method) {
  if (own.batch == 0) return {};
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw Error(ErrorCode::usage, "the log density has no batches of rows: " + why,
                std::string(method), hint);
  };
  const density::Model* model = density.as_model();
  if (model == nullptr)
    refuse("it doesn't report its rows", "leave out --batch, or write it as a Stan program");
  const std::vector<double> origin(static_cast<std::size_t>(density.dimension()), 0.0);
  density::Query query = model->query();
  query.batch = 1;
  if (const density::Capability can = model->can(query, origin); !can.can)
    refuse(can.reason, can.hint);
  density::Query one = query;
  one.terms = density::Terms::likelihood;
  const Index statements = model->asking(one)->num_rows(), all = model->num_rows();
  Rows rows{.model = nullptr, .size = statements > 0 ? all / statements : 0};
  if (rows.size == 0) refuse("it has none", "state how the data are distributed: y ~ ...");
  query.batch = std::min(own.batch, rows.size);
  rows.model = model->asking(query);
  return rows;
}

class GradientSteps final : public Climb {
 public:
  GradientSteps(const ClimbSetup& setup, const StepsOptions& own, const Rows& rows)
      : Climb(setup, own.climb),
        own_(own),
        rows_(rows),
        row_(numerics::optimiser_step(own.step)),
        size_(numerics::rate_rule(own.schedule), own.rate, own.num_steps),
        optimiser_(row_, setup.context.density.dimension()),
        polish_({.history = own.history}) {
    if (rows.model != nullptr) evaluator_ = rows.model->make_evaluator();
    const Index all = setup.context.density.num_rows();
    if (!row_.is_scale_free && all > 0) unit_ = 1.0 / static_cast<double>(all);
  }
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override {
    saved(*this, from);
    check(polish_);
  }
  static void saved(auto& self, auto&& field) {
    Climb::saved(self, field);
    field(self.optimiser_);
    field(self.num_steps_);
    field(self.num_halvings_);
    field(self.information_);
    field(self.polish_);
  }

 private:
  Step<Nothing> iterate() override;
  Step<bool> step();
  Step<bool> find_information();
  void estimate_gradient(const PointState& at);
  bool is_lost() const;
  void halve();
  void end_steps();
  bool restart(std::span<const double> covariance) override {
    if (!own_.polish) return false;
    polish_.begin_from(covariance);
    return true;
  }

  const StepsOptions own_;
  const Rows& rows_;
  const numerics::StepRow& row_;
  const numerics::StepSize size_;
  numerics::Optimiser optimiser_;
  QuasiNewton polish_;
  std::unique_ptr<density::Evaluator> evaluator_;
  double unit_ = 1.0;  // factor of gradients
  Index num_steps_ = 0, num_halvings_ = 0;
  std::vector<double> information_, gradient_, batch_, order_;
};

Step<Nothing> GradientSteps::iterate() {
  if (num_steps_ == own_.num_steps) {
    if (own_.polish)
      co_await climb_by(polish_);
    else
      finish(ClimbEnd::steps);
    co_return Nothing{};
  }
  ++num_iterations;
  before = here;
  bool goes_on = true;
  for (Index k = 0; k < kStepsTogether && num_steps_ < own_.num_steps && goes_on; ++k)
    goes_on = co_await step();
  if (evaluator_ != nullptr) {
    const Evaluation all = co_await evaluate(here.position, here.gradient);
    here.log_density = all.log_density;
    if (!all.status.ok() || is_lost()) halve();
  }
  report_iteration(size_.at(std::max<Index>(1, num_steps_)));
  const double change = std::fabs(here.log_density - before.log_density);
  const bool is_level = evaluator_ == nullptr && goes_on &&
                        change <= options.tolerance_change * (1.0 + std::fabs(here.log_density));
  num_level = is_level ? num_level + 1 : 0;
  constexpr Index kLevelStretches = 3;
  if (num_level >= kLevelStretches)
    num_steps_ = own_.num_steps;  // the rest of the steps changes nothing
  if (num_halvings_ >= kMaxHalvings) end_steps();
  co_return Nothing{};
}

// Steps lead nowhere. L-BFGS climbs by line searches, and says itself where no point is higher.
void GradientSteps::end_steps() {
  num_halvings_ = 0;
  num_steps_ = own_.num_steps;
  if (!own_.polish) finish(ClimbEnd::line_search);
}

// True if the log density has fallen far below that of the beginning of the stretch: the steps are too long to come back.
bool GradientSteps::is_lost() const {
  const double least = before.log_density - 100.0 - 10.0 * std::fabs(before.log_density);
  return !(here.log_density >= least);
}

// Back to where the stretch began, and half the step size from now on.
void GradientSteps::halve() {
  here = before;
  ++num_halvings_;
  optimiser_ = numerics::Optimiser(row_, context.density.dimension());
}

// Moves `here`. False where the step was taken back.
Step<bool> GradientSteps::step() {
  if (row_.needs_information && (information_.empty() || num_steps_ % kInformation == 0)) {
    const bool is_known = co_await find_information();
    if (!is_known) {
      num_halvings_ = kMaxHalvings;
      co_return false;
    }
  }
  estimate_gradient(here);
  const double rate = std::ldexp(size_.at(num_steps_ + 1), -static_cast<int>(num_halvings_));
  bool moved = optimiser_.climb(here.position, gradient_, rate, information_);
  ++num_steps_;
  if (!moved && row_.needs_information)
    num_halvings_ = kMaxHalvings;  // it is singular, for any step size
  if (moved && evaluator_ == nullptr) {
    const Evaluation at = co_await evaluate(here.position, here.gradient);
    here.log_density = at.log_density;
    moved = at.status.ok() && !is_lost();
  }
  if (!moved) halve();
  co_return moved;
}

Step<bool> GradientSteps::find_information() {
  information_.resize(here.position.size() * here.position.size());
  const Evaluation answer =
      co_await evaluate_matrix(density::Want::information, here.position, information_);
  co_return answer.status.ok();
}

// The gradient of all rows is known; that of a batch is one of the next rows of this epoch's order, with the prior in full.
void GradientSteps::estimate_gradient(const PointState& at) {
  gradient_ = at.gradient;
  if (evaluator_ != nullptr) {
    const Index m = rows_.model->query().batch, steps_of_epoch = std::max<Index>(1, rows_.size / m);
    const Index epoch = num_steps_ / steps_of_epoch, within = num_steps_ % steps_of_epoch;
    if (within == 0 || order_.empty()) {
      Rng rng = context.stream(kRows, number, epoch);
      order_.resize(static_cast<std::size_t>(rows_.size));
      std::iota(order_.begin(), order_.end(), 0.0);
      for (std::size_t k = order_.size(); k > 1; --k)
        std::swap(order_[k - 1],
                  order_[static_cast<std::size_t>(rng.index_below(static_cast<Index>(k)))]);
    }
    density::Request request{.position = at.position,
                             .gradient = gradient_,
                             .status = {},
                             .rows = std::span(order_).subspan(static_cast<std::size_t>(within * m),
                                                               static_cast<std::size_t>(m)),
                             .weight = static_cast<double>(rows_.size) / static_cast<double>(m)};
    evaluator_->evaluate(density::Want::gradient, std::array{&request});
    if (!request.status.ok()) std::ranges::fill(gradient_, kNaN);  // the step is taken back
  }
  for (double& slope : gradient_) slope *= unit_;
}

template <class Options>
RunResult run_steps(const density::LogDensity& density, const SampleOptions& options,
                    DrawSink& sink) {
  const auto own = options_for<Options>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  if (numerics::optimiser_step(own.step).needs_information)
    require_information(density, options.sampler);
  const Rows rows = rows_of(density, own, options.sampler);
  return run_climbs(density, options, sink, own.climb, [&](const ClimbSetup& setup) {
    return std::make_unique<GradientSteps>(setup, own, rows);
  });
}

template <class Options>
constexpr SamplerSpec row_of(std::string_view name, std::string_view summary,
                             std::string_view reference) {
  return {.name = name,
          .summary = summary,
          .needs_gradient = true,
          .reference = reference,
          .biased = false,
          .has_warmup = false,
          .columns = columns_of<ClimbInfo>,
          .groups = climb_groups,
          .options = [] { return KernelOptions(Options{}); },
          .make = nullptr,
          .run = run_steps<Options>,
          .family = Family::optimum,
          .fixed_length = kClimbLength};
}
}  // namespace

extern const SamplerSpec kAdam, kSgd, kNatural;
const SamplerSpec kAdam = row_of<AdamOptions>(
    "adam", "steps of Adam, also by batches of rows, then climbs by L-BFGS", "kingma2015");
const SamplerSpec kSgd = row_of<SgdOptions>(
    "sgd", "gradient steps with momentum and others, also by batches of rows, then L-BFGS",
    "robbins1951");
const SamplerSpec kNatural = row_of<NaturalOptions>(
    "natural", "steps of the gradient divided by the Fisher information, then L-BFGS", "amari1998");

}  // namespace credo::infer
