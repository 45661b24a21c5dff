// Particles are columns of one program where its loop can be one (docs/design/columns.md): 512 at once, in blocks of vectors.
// If it can't (decisions on a state, draws of whole vectors), the program is for one particle and runs eight at once. The
// first block that a stage meets decides, so that results don't depend on threads.
#include "model/states/state_program.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/passes/differentiate.hpp"
#include "model/states/quadratic.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using density::ParticleBlock;
using density::StateSpace;
using From = StateArgument::From;
using lang::BaseType;
using lang::Dims;
using lang::Expr;
using lang::Value;

constexpr Index kBlock = StateSpace::kBlock;

// Numbers of the input from `first` on as a value.
Value value_from(const Expr& input, Index first, BaseType base, const Dims& dims,
                 lang::Whole bounds = {}) {
  const Index size = dims.count == 0 ? 1 : dims.total();
  if (base != BaseType::integer) {
    if (dims.count == 0) return lang::Scalar(input.element(first));
    std::vector<std::int32_t> places(static_cast<std::size_t>(size));
    std::iota(places.begin(), places.end(), static_cast<std::int32_t>(first));
    return lang::from_expr(graph::gather(lang::shape_of(base, dims), input, std::move(places)),
                           base, dims);
  }
  const auto whole = [&](Index k) -> Value {
    const Expr x = input.element(first + k);
    if (x.is_constant()) return static_cast<std::int32_t>(x.value());
    return lang::Whole{x.ref(), bounds.least, bounds.most};
  };
  if (dims.count == 0) return whole(0);
  Value all = lang::make_ints(dims, std::vector<std::int32_t>(static_cast<std::size_t>(size)));
  for (Index k = 0; k < size; ++k) all.ints()->set(k, whole(k));
  return all;
}

[[noreturn]] void refused(const ProgramSource& source, const lang::Rejection& r, Index time) {
  throw Error(ErrorCode::evaluation,
              fmt::format("at time {}: {}", time + 1, lang::message(r.failure, r.value)),
              source.where(r.failure.statement),
              "a function of the state-space model refuses a particle: return negative_infinity() "
              "where a state has no density");
}

// Outputs of a run of generated quantities.
std::vector<Expr> results_of(lang::Machine& machine, const StateProgram& program) {
  std::vector<Expr> results;
  for (const int slot : program.code.results) {
    std::vector<Expr> elements;
    const Value& value = machine.global(slot);
    if (value.is_reals()) {
      results.push_back(machine.expr(value));
      continue;
    }
    for (Index k = 0; k < lang::size_of(value); ++k)
      elements.push_back(lang::to_expr(lang::scalar_of(value, k), machine.graph()));
    results.push_back(graph::pack(graph::vector_shape(ssize(elements)), elements));
  }
  return results;
}

// Behind the log densities of particles, their gradients: a vector for each element of the state that they are derivatives with
// respect to, whose columns begin at `first` in the input. A log density depends on its own particle alone.
void add_derivatives(graph::Traced& traced, Index first, Index elements, Index particles) {
  const Expr all =
      graph::gradient(*traced.graph, graph::sum(traced.outputs[0]), std::array{traced.input})[0];
  for (Index e = 0; e < elements; ++e) {
    std::vector<std::int32_t> places(static_cast<std::size_t>(particles));
    std::iota(places.begin(), places.end(), static_cast<std::int32_t>(first + e * particles));
    traced.outputs.push_back(graph::gather(graph::vector_shape(particles), all, std::move(places)));
  }
}
}  // namespace

// ---- compiling

std::shared_ptr<StateProgram> StateModel::compiled(const StateStage& stage, Index particles) const {
  auto result = std::make_shared<StateProgram>();
  result->stage = stage;
  result->particles = particles;
  result->code = stage_program(model_.source(), functions_,
                               {.stage = stage,
                                .state_size = state_.size(),
                                .particles = particles,
                                .outcome_size = ssize(outcome_at(0)),
                                .slices = slices_});
  return result;
}

lang::Machine StateModel::machine_of(const StateProgram& program,
                                     lang::MachineOptions options) const {
  options.limits = model_.options().limits;
  options.solvers = program.solvers;
  lang::Machine machine(program.code.program, std::move(options));
  const ProgramSource& source = model_.source();
  machine.locate = [&source](std::int32_t statement) { return source.where(statement); };
  machine.locate_range = [&source](lang::SourceRange range) { return source.source.where(range); };
  machine.text_of_range = [&source](lang::SourceRange range) {
    return std::string(source.source.text(range));
  };
  return machine;
}

void StateModel::set_globals(lang::Machine& machine, const StateProgram& program,
                             const Expr& input) const {
  const auto& globals = model_.source().program.globals;
  for (std::size_t g = 0; g < values_.size(); ++g)
    if (globals[g].block <= typed::BlockKind::transformed_data)
      machine.global(static_cast<int>(g)) = values_[g];
  const StageProgram& code = program.code;
  machine.global(code.time) = value_from(input, lang::DrawSeed::kWords, BaseType::integer, {},
                                         {{}, 1, static_cast<std::int32_t>(num_times_)});
  if (code.regime >= 0) machine.global(code.regime) = program.stage.regime;
  Index next = lang::DrawSeed::kWords + 1;
  for (std::size_t k = 0; k < slices_.size(); ++k) {
    const Series& s = series_[k];
    machine.global(code.slices[k]) = value_from(input, next, s.base, s.dims, {{}, s.least, s.most});
    next += s.dims.count == 0 ? 1 : s.dims.total();
  }
  for (std::size_t k = 0; k < whole_.size(); ++k) {
    const Value& value = values_[static_cast<std::size_t>(whole_[k])];
    machine.global(whole_[k]) = value_from(input, next, lang::base_of(value), lang::dims_of(value));
    next += lang::size_of(value);
  }
  const bool whole = lang::is_int_based(functions_.state);
  for (const std::vector<int>* columns : {&code.previous, &code.given})
    for (const int slot : *columns) {
      machine.global(slot) = value_from(input, next, whole ? BaseType::integer : BaseType::vector,
                                        {program.particles});
      next += program.particles;
    }
}

namespace {
bool ran_by_columns(const lang::Machine& machine, Index particles, std::string& reason) {
  bool found = false;
  for (const lang::LoopReport& loop : machine.loops) {
    if (loop.rounds != particles) continue;
    if (loop.by_columns) return true;
    found = true;
    reason = loop.reason;
  }
  if (!found) reason = "the loop wasn't reached";
  return false;
}
}  // namespace

StateModel::Trace StateModel::trace(const StateProgram& program,
                                    std::span<const double> example) const {
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  traced.input = traced.graph->add_input(graph::vector_shape(ssize(example)));
  const graph::Passes passes(model_.options().passes);
  lang::MachineOptions options;
  if (passes.has("selects")) options.selects = lang::Selects::all;
  options.differentiable = program.stage.derivatives;
  options.columns = passes.has("columns");
  const Expr all(*traced.graph, {traced.input, -1});
  options.seed = {all.element(0), all.element(1)};
  lang::Machine machine = machine_of(program, std::move(options));
  machine.trace_into(*traced.graph, traced.input, example);
  set_globals(machine, program, all);
  machine.run(typed::BlockKind::generated_quantities);
  traced.outputs = results_of(machine, program);
  return {std::move(traced), std::move(machine)};
}

std::shared_ptr<const StateProgram> StateModel::program(const StateStage& stage,
                                                        std::span<const double> example,
                                                        bool columns) const {
  const std::shared_ptr<StateProgram> result = compiled(stage, columns ? kBlock : 1);
  std::optional<Trace> found;
  try {
    found.emplace(trace(*result, example));
  } catch (const lang::Rejection&) {  // interpreting the particles reports the error
    result->reason = "a function refuses a particle";
    result->refused = true;
    return result;
  } catch (const Error& error) {
    result->reason = error.message();
    return result;
  }
  if (columns && !ran_by_columns(found->machine, kBlock, result->reason)) return result;
  graph::Traced& traced = found->traced;
  const graph::Passes passes(model_.options().passes);
  if (stage.derivatives) {
    const Index held = ssize(result->code.previous) + ssize(result->code.given);
    traced = passes.run(std::move(traced), model_.options().observe);
    try {
      add_derivatives(traced, ssize(example) - held * result->particles, state_.size(),
                      result->particles);
    } catch (const graph::NotDifferentiable& e) {
      throw Error(ErrorCode::program, fmt::format("{} can't be differentiated", e.op),
                  model_.source().where(e.statement), "take a filter that needs no derivative");
    }
  }
  traced = passes.run_last(passes.run(std::move(traced), model_.options().observe),
                           model_.options().observe);
  result->program =
      std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs,
                                       graph::ProgramOptions{.fuse = passes.has("fuse")});
  if (model_.options().observe_program) model_.options().observe_program(*result->program);
  return result;
}

bool StateModel::is_quadratic(StateRole role) const {
  const bool of_outcome = role == StateRole::observation_density;
  const StateStage stage{.task = of_outcome ? StateTask::observation : StateTask::transition,
                         .initial = role == StateRole::initial_density,
                         .regime = regime_};
  const std::lock_guard lock(programs_.mutex);
  if (const auto known = programs_.quadratic.find(stage); known != programs_.quadratic.end())
    return known->second;
  // An answer is kept once it is found: an error on the way leaves none.
  const bool found = finds_quadratic(stage);
  programs_.quadratic.emplace(stage, found);
  return found;
}

// A decision of the program, or a check that not all states pass, leaves the answer open: false.
bool StateModel::finds_quadratic(const StateStage& stage) const {
  const std::shared_ptr<StateProgram> one = compiled(stage, 1);
  std::vector<double> example = input_at(0);
  const Index held = ssize(one->code.previous) + ssize(one->code.given);
  std::vector<char> is_variable(example.size(), 0);
  if (stage.task == StateTask::observation)
    std::fill_n(is_variable.begin() + place_of_outcome(), outcome_at(0).size(), char{1});
  example.resize(example.size() + static_cast<std::size_t>(held), 0.0);
  is_variable.resize(example.size(), 1);
  for (double& x : example) x = std::isnan(x) ? 0.0 : x;
  try {
    const Trace found = trace(*one, example);
    const bool decides = std::ranges::any_of(found.machine.failures, [](const lang::Failure& f) {
      return f.kind == lang::FailureKind::guard;
    });
    const PolynomialDegrees degrees(*found.traced.graph, found.traced.input, is_variable);
    return !decides && degrees.checks_are_fixed() &&
           degrees.of(found.traced.outputs[0].ref()) < PolynomialDegrees::kHigher;
  } catch (const lang::Rejection&) {
    return false;
  } catch (const Error&) {
    return false;
  }
}

// A function without states, with numbers.
Value StateModel::called(StateRole role, Index time, std::int32_t regime) const {
  const StateFunction& f = functions_[role];
  lang::Machine machine = model_.data().new_machine({.limits = {}, .seed = lang::DrawSeed::of(1)});
  const std::vector<double> numbers = input_at(time);
  const Expr input = graph::constant(graph::vector_shape(ssize(numbers)), numbers);
  std::vector<Value> arguments;
  for (const StateArgument& a : f.arguments) {
    if (a.from == From::time) arguments.emplace_back(static_cast<std::int32_t>(time + 1));
    if (a.from == From::regime) arguments.emplace_back(regime);
    if (a.from == From::whole) arguments.push_back(values_[static_cast<std::size_t>(a.global)]);
    Index first = lang::DrawSeed::kWords + 1;
    for (std::size_t k = 0; k < slices_.size(); ++k) {
      const Series& s = series_[k];
      if (a.from == From::element && slices_[k] == a.global)
        arguments.push_back(value_from(input, first, s.base, s.dims));
      first += s.dims.count == 0 ? 1 : s.dims.total();
    }
  }
  const auto& function = model_.source().program.functions[static_cast<std::size_t>(f.function)];
  for (std::size_t k = 0; k < arguments.size(); ++k)
    if (!lang::is_int_based(function.variables[k].type))
      arguments[k] = lang::promoted_to_real(arguments[k]);
  try {
    const typed::FunctionRef name{.user = f.function, .name = function.name};
    return machine.call_user(name, std::move(arguments), 0, false);
  } catch (const lang::Rejection& r) {
    throw Error(ErrorCode::evaluation, lang::message(r.failure, r.value),
                model_.source().where(r.failure.statement),
                fmt::format("{} refuses the parameters", f.name));
  }
}

// How many elements a draw of the first state has.
Index StateModel::size_of_first_state() const {
  return lang::size_of(called(StateRole::initial_draw, 0, 1));
}

std::vector<double> StateModel::regime_probabilities(Index time, std::int32_t before) const {
  const StateRole role = time == 0 ? StateRole::initial_regimes : StateRole::next_regimes;
  const Value value = called(role, time, before);
  std::vector<double> all;
  double sum = 0.0;
  for (Index k = 0; k < lang::size_of(value); ++k) {
    all.push_back(lang::scalar_of(value, k).known);
    sum += all.back();
  }
  constexpr double kRounding = 1e-8;
  const bool are_right = std::abs(sum - 1.0) < kRounding &&
                         std::ranges::all_of(all, [](double p) { return p >= 0.0; }) &&
                         (num_regimes_ == 0 || ssize(all) == num_regimes_);
  if (are_right) return all;
  throw Error(ErrorCode::evaluation,
              fmt::format("at time {}, {} gives {} numbers that add up to {}", time + 1,
                          functions_[role].name, all.size(), sum),
              model_.name(), "it gives the probability of each regime, as many at all times");
}

// ---- running

std::uint64_t StateProgramRun::seed_of(const ParticleBlock& block, Index particle) const {
  const Index number =
      program_->particles == kBlock ? block.first / kBlock : block.first + particle;
  Rng rng({.seed = block.seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 0},
          static_cast<std::uint64_t>(number));
  return rng.bits();
}

// The input of one point, whose numbers lie `stride` apart.
void StateProgramRun::fill(const ParticleBlock& block, const double* given, Index particle,
                           double* input, Index stride) const {
  const lang::DrawSeed seed = lang::DrawSeed::of(seed_of(block, particle));
  input[0] = seed.high.value();
  input[stride] = seed.low.value();
  Index next = lang::DrawSeed::kWords;
  for (; next < ssize(prefix_); ++next)
    input[next * stride] = prefix_[static_cast<std::size_t>(next)];
  const Index elements = model_.state().size(), particles = program_->particles;
  for (const double* states : {program_->code.previous.empty() ? nullptr : block.previous, given}) {
    if (states == nullptr) continue;
    for (Index e = 0; e < elements; ++e)
      for (Index p = 0; p < particles; ++p, ++next)
        input[next * stride] = states[e * kBlock + particle + p];
  }
}

std::size_t StateProgramRun::num_results() const {
  return program_->code.results.size() +
         (stage_.derivatives ? static_cast<std::size_t>(model_.state().size()) : 0);
}

void StateProgramRun::show(Index time, std::span<const double> outcome) {
  time_ = time;
  prefix_ = model_.input_at(time);
  std::copy(outcome.begin(), outcome.end(), prefix_.begin() + model_.place_of_outcome());
}

void StateProgramRun::prepare(const ParticleBlock& block, const double* given) {
  if (time_ != block.time) {
    time_ = block.time;
    prefix_ = model_.input_at(block.time);
  }
  if (program_ != nullptr) return;
  const std::lock_guard lock(model_.programs_.mutex);
  std::shared_ptr<const StateProgram>& known = model_.programs_.all[stage_];
  for (const bool columns : {true, false}) {
    if (known != nullptr && (known->program != nullptr || known->particles == 1)) break;
    auto trial = model_.compiled(stage_, columns ? kBlock : 1);
    program_ = trial;
    const Index elements = model_.state().size();
    const Index states =
        (ssize(trial->code.previous) + ssize(trial->code.given)) / std::max<Index>(elements, 1);
    std::vector<double> example(prefix_.size() +
                                static_cast<std::size_t>(states * elements * trial->particles));
    fill(block, given, 0, example.data(), 1);
    const std::string reason = known == nullptr ? "" : known->reason;
    auto made = std::const_pointer_cast<StateProgram>(model_.program(stage_, example, columns));
    if (!columns && made->reason.empty()) made->reason = reason;
    if (known != nullptr && known->refused) made->refused = true;
    known = made;
  }
  program_ = known;
  if (program_->program != nullptr)
    workspace_ = std::make_unique<graph::Workspace>(
        *program_->program, program_->particles == kBlock ? 1 : graph::kMaxLanes);
}

void StateProgramRun::run(const ParticleBlock& block, const double* given, double* results) {
  prepare(block, given);
  program_->particles == kBlock ? run_columns(block, given, results)
                                : run_lanes(block, given, results);
}

void StateProgramRun::run_columns(const ParticleBlock& block, const double* given,
                                  double* results) {
  input_.resize(static_cast<std::size_t>(program_->program->input_size()));
  fill(block, given, 0, input_.data(), 1);
  workspace_->set_lanes(1);
  workspace_->set_input(0, input_);
  workspace_->run();
  if (workspace_->status(0).check != 0) return interpret(input_, block.time, results, kBlock);
  for (std::size_t k = 0; k < num_results(); ++k)
    workspace_->copy_output(k, 0, std::span(results + static_cast<Index>(k) * kBlock, kBlock));
}

void StateProgramRun::run_lanes(const ParticleBlock& block, const double* given, double* results) {
  constexpr Index kLanes = graph::kMaxLanes;
  const Index elements = model_.state().size();
  const Index states = (ssize(program_->code.previous) + ssize(program_->code.given)) / elements;
  const Index size = ssize(prefix_) + states * elements;
  input_.resize(static_cast<std::size_t>(size));
  lane_input_.resize(static_cast<std::size_t>(size * kLanes));
  for (Index p = 0; p < block.count; p += kLanes) {
    for (Index l = 0; l < kLanes; ++l) fill(block, given, p + l, lane_input_.data() + l, kLanes);
    if (workspace_ != nullptr) {
      workspace_->set_lanes(kLanes);
      workspace_->set_inputs(lane_input_.data());
      workspace_->run();
    }
    for (Index l = 0; l < kLanes; ++l) {
      if (workspace_ == nullptr || workspace_->status(l).check != 0) {
        for (Index e = 0; e < size; ++e)
          input_[static_cast<std::size_t>(e)] =
              lane_input_[static_cast<std::size_t>(e * kLanes + l)];
        interpret(input_, block.time, results + p + l, kBlock);
        continue;
      }
      for (std::size_t k = 0; k < num_results(); ++k)
        results[static_cast<Index>(k) * kBlock + p + l] = workspace_->output(k, 0, l);
    }
  }
}

// With numbers: where a decision comes out otherwise than where the program was traced, or to say what fails.
void StateProgramRun::interpret(std::span<const double> input, Index time, double* results,
                                Index stride) const {
  if (stage_.derivatives)
    throw Error(ErrorCode::program,
                fmt::format("at time {}: the derivative of a log density isn't known, since the "
                            "program decides by the state, or refuses it",
                            time + 1),
                model_.model_.source().name, "take a filter that needs none: --method ukf");
  const Expr all = graph::constant(graph::vector_shape(ssize(input)), input);
  lang::Machine machine =
      model_.machine_of(*program_, {.limits = {}, .seed = lang::DrawSeed{input[0], input[1]}});
  try {
    model_.set_globals(machine, *program_, all);
    machine.run(typed::BlockKind::generated_quantities);
  } catch (const lang::Rejection& r) {
    refused(model_.model_.source(), r, time);
  }
  for (std::size_t k = 0; k < program_->code.results.size(); ++k) {
    const Value& value = machine.global(program_->code.results[k]);
    for (Index p = 0; p < lang::size_of(value); ++p)
      results[static_cast<Index>(k) * stride + p] = lang::scalar_of(value, p).known;
  }
}

// ---- the mover

namespace {
class StateProgramMover final : public density::StateMover {
 public:
  StateProgramMover(const StateModel& model, density::Kernel kernel)
      : model_(model), guided_(kernel == density::Kernel::guided) {}

  void move(const ParticleBlock& block) override {
    const bool begins = block.time == 0;
    StateProgramRun& stage = run_of({.task = begins ? StateTask::begin : StateTask::move,
                                     .guided = guided_,
                                     .observed = model_.is_observed(block.time)});
    stage.run(block, nullptr, results_.data());
    const Index states = model_.state().size() * kBlock;
    std::copy_n(results_.begin(), states, block.next);
    std::copy_n(results_.begin() + states, kBlock, block.log_weights);
  }
  void look_ahead(const ParticleBlock& block) override {
    run_of({.task = StateTask::look_ahead}).run(block, nullptr, block.log_weights);
  }
  void transitions(const ParticleBlock& block) override {
    run_of({.task = StateTask::transition, .initial = block.time == 0})
        .run(block, block.next, block.log_weights);
  }
  void weigh(std::span<const density::GivenState> states, std::span<double> log_transitions,
             std::span<double> log_weights) override;

 private:
  StateProgramRun& run_of(const StateStage& stage) {
    results_.resize(static_cast<std::size_t>((model_.state().size() + 1) * kBlock));
    auto& run = runs_[stage];
    if (run == nullptr) run = std::make_unique<StateProgramRun>(model_, stage);
    return *run;
  }

  const StateModel& model_;
  bool guided_;
  std::map<StateStage, std::unique_ptr<StateProgramRun>> runs_;
  std::vector<double> results_;
};

// States of one stage together: the first one, or others, with or without an outcome.
void StateProgramMover::weigh(std::span<const density::GivenState> states,
                              std::span<double> log_transitions, std::span<double> log_weights) {
  for (const int kind : {0, 1, 2, 3}) {
    const bool initial = kind < 2, observed = kind % 2 == 0;
    std::vector<density::GivenState> some;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < states.size(); ++k) {
      if ((states[k].time == 0) != initial || model_.is_observed(states[k].time) != observed)
        continue;
      some.push_back(states[k]);
      places.push_back(k);
    }
    if (some.empty()) continue;
    std::vector<double> results(2 * some.size());
    run_of({.task = StateTask::weigh, .guided = guided_, .observed = observed, .initial = initial})
        .run_states(some, results);
    for (std::size_t k = 0; k < places.size(); ++k) {
      log_transitions[places[k]] = results[2 * k];
      log_weights[places[k]] = results[2 * k + 1];
    }
  }
}
}  // namespace

namespace {
class ProgramOutcomes final : public density::OutcomeDraws {
 public:
  explicit ProgramOutcomes(const StateModel& model)
      : model_(model), run_(model, {.task = StateTask::outcome}) {}

  Index size() const override { return ssize(model_.outcome_at(0)); }
  bool is_asked(Index time) const override { return time >= model_.first_forecast(); }
  void draw(const ParticleBlock& block, double* outcomes) override {
    run_.run(block, block.next, outcomes);
  }

 private:
  const StateModel& model_;
  StateProgramRun run_;
};
}  // namespace

std::unique_ptr<density::OutcomeDraws> StateModel::make_outcome_draws() const {
  return std::make_unique<ProgramOutcomes>(*this);
}

std::unique_ptr<density::StateMover> StateModel::make_mover(density::Kernel kernel) const {
  const density::Capability capability = can(kernel);
  if (!capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  if (num_regimes_ > 0)
    throw Error(ErrorCode::program,
                "the program switches between regimes, which no particle of this method has",
                model_.name(), "take --method rao-blackwellised");
  return std::make_unique<StateProgramMover>(*this, kernel);
}

std::string StateModel::how_it_moves() const {
  const std::lock_guard lock(programs_.mutex);
  for (const auto& [stage, program] : programs_.all) {
    if (stage.task != StateTask::move) continue;
    if (program->particles == kBlock) return "columns of 512 particles";
    return (program->program != nullptr ? "eight particles at once: "
                                        : "one particle at a time: ") +
           program->reason;
  }
  return "";
}

}  // namespace credo::model
