// Values that a program's functions read at one point: data unchanged, parameters as inputs of compiled programs, so that
// other parameters need no other program, and variables with an element for each time as the element of the time.
#include "model/states/state_model.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "model/statements/statements.hpp"
#include "model/states/state_program.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using From = StateArgument::From;
using lang::BaseType;
using lang::Dims;
using lang::Expr;
using lang::Value;

bool is_parameter(const typed::GlobalVariable& g) {
  return g.block == typed::BlockKind::parameters ||
         g.block == typed::BlockKind::transformed_parameters;
}

// The element of a value at a time, in storage order.
void append_at(const Value& value, Index time, Index num_times, std::vector<double>& out) {
  const Index size = lang::size_of(value) / num_times;
  const bool by_rows = lang::dims_of(value).count == 2 && lang::base_of(value) == BaseType::matrix;
  for (Index k = 0; k < size; ++k)
    out.push_back(lang::scalar_of(value, by_rows ? time + k * num_times : time * size + k).known);
}
}  // namespace

StateModel::StateModel(const Model& model, std::span<const double> position, Index num_more)
    : model_(model), functions_(state_functions(model.source())), num_more_(num_more) {
  take_values(position);
  take_times();
  require_parameters();
  take_observed();
  take_state();
  take_regimes();
}

StateModel::~StateModel() = default;

StateModel::Programs::Programs(const Programs& other) {
  const std::lock_guard lock(other.mutex);
  all = other.all;
  quadratic = other.quadratic;
}

// A program that could not be traced, because a function refused the particles, is traced at the next ones.
void StateModel::move_to(std::span<const double> position) {
  take_values(position);
  slices_.clear(), series_.clear(), whole_.clear(), parameters_.clear();
  take_times();
  require_parameters();
  take_regimes();
  std::erase_if(programs_.all, [](const auto& row) { return row.second->refused; });
}

void StateModel::require_parameters() const {
  for (const int global : globals_read()) {
    const auto& g = model_.source().program.globals[static_cast<std::size_t>(global)];
    if (!is_parameter(g)) continue;
    const Value& value = values_[static_cast<std::size_t>(global)];
    for (Index k = 0; k < lang::size_of(value); ++k)
      if (std::isnan(lang::scalar_of(value, k).known))
        throw Error(
            ErrorCode::data,
            fmt::format("{} is read by the functions of the state-space model, and has no value",
                        g.name),
            g.name, "give it, or the parameters that it is computed from, in --parameters");
  }
}

void StateModel::take_values(std::span<const double> position) {
  lang::Machine machine = model_.data().new_machine({});
  try {
    model_.parameters().set_numbers(machine, position);
    if (model_.source().program.transformed_parameters.present)
      machine.run(typed::BlockKind::transformed_parameters);
  } catch (const lang::Rejection& r) {
    throw Error(ErrorCode::evaluation, lang::message(r.failure, r.value),
                model_.source().where(r.failure.statement),
                "the parameters are refused by the program");
  }
  values_ = std::move(machine.globals());
  for (const Value& value : values_) lang::settle(value);
}

// Each once, in the order of the program.
std::vector<int> StateModel::globals_read() const {
  std::vector<int> all;
  for (const StateFunction& f : functions_.roles)
    for (const StateArgument& a : f.arguments)
      if (a.global >= 0) all.push_back(a.global);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::string> StateModel::parameters_read() const {
  std::vector<std::string> names;
  for (const int global : globals_read()) {
    const auto& g = model_.source().program.globals[static_cast<std::size_t>(global)];
    if (is_parameter(g)) names.push_back(g.name);
  }
  return names;
}

void StateModel::require_slices(int global) const {
  const Value& value = values_[static_cast<std::size_t>(global)];
  const auto& g = model_.source().program.globals[static_cast<std::size_t>(global)];
  const Dims all = lang::dims_of(value);
  if (all[0] != num_data_times())
    throw Error(ErrorCode::data,
                fmt::format("{} has elements for {} times, and the outcome {} for {}", g.name,
                            all[0], outcome_name(), num_data_times()),
                g.name, "give it as many elements as the outcome has times");
  if (num_more_ > 0 && global != functions_.outcome)
    throw Error(ErrorCode::data,
                fmt::format("{} has an element for each time, and none for the {} times after the "
                            "data that are to be forecast",
                            g.name, num_more_),
                g.name,
                fmt::format("add these times to the data, with {} and without {}, and leave out "
                            "--forecast",
                            g.name, outcome_name()));
}

// Numbers that stand for outcomes behind the data: they are missing, and read by nothing. Whole numbers keep their bounds.
void StateModel::add_more(Series& series) const {
  const std::size_t size = series.values.size() / static_cast<std::size_t>(num_data_times());
  const bool is_whole = series.base == BaseType::integer;
  for (Index t = 0; t < num_more_; ++t)
    for (std::size_t k = 0; k < size; ++k)
      series.values.push_back(is_whole ? series.values[k] : kNaN);
}

void StateModel::take_times() {
  num_times_ = lang::dims_of(values_[static_cast<std::size_t>(functions_.outcome)])[0] + num_more_;
  if (num_data_times() < 1)
    throw Error(ErrorCode::data, "the outcome has no time at all", "data", "give at least one");
  std::vector<char> is_slice(values_.size(), 0), is_whole(values_.size(), 0);
  for (const StateFunction& f : functions_.roles)
    for (const StateArgument& a : f.arguments) {
      if (a.global < 0) continue;
      (a.from == From::whole ? is_whole : is_slice)[static_cast<std::size_t>(a.global)] = 1;
    }
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto& g = model_.source().program.globals[k];
    if (is_slice[k] != 0) {
      require_slices(static_cast<int>(k));
      slices_.push_back(static_cast<int>(k));
      Series series{type_at_one_time(g.type)->base, {}, {}};
      const Dims all = lang::dims_of(values_[k]);
      for (int d = 1; d < all.count; ++d) series.dims.push(all[d]);
      for (Index t = 0; t < num_data_times(); ++t)
        append_at(values_[k], t, num_data_times(), series.values);
      add_more(series);
      if (series.base == BaseType::integer && !series.values.empty()) {
        const auto [least, most] = std::minmax_element(series.values.begin(), series.values.end());
        series.least = static_cast<std::int32_t>(*least);
        series.most = static_cast<std::int32_t>(*most);
      }
      series_.push_back(std::move(series));
    }
    if (is_whole[k] == 0 || !is_parameter(g)) continue;
    whole_.push_back(static_cast<int>(k));
    for (Index e = 0; e < lang::size_of(values_[k]); ++e)
      parameters_.push_back(lang::scalar_of(values_[k], e).known);
  }
}

// Missing: every number of the outcome is NaN, or data of its name with _observed say 0.
void StateModel::take_observed() {
  observed_.assign(static_cast<std::size_t>(num_times_), 1);
  const auto& globals = model_.source().program.globals;
  const std::string flag = globals[static_cast<std::size_t>(functions_.outcome)].name + "_observed";
  for (std::size_t k = 0; k < globals.size(); ++k) {
    if (globals[k].name != flag || globals[k].block > typed::BlockKind::transformed_data) continue;
    if (!lang::is_int_based(globals[k].type) || lang::dims_of(values_[k]).count != 1 ||
        lang::size_of(values_[k]) != num_data_times())
      throw Error(
          ErrorCode::data,
          fmt::format("{} says for each of {} times whether there is an outcome: array[{}] int",
                      flag, num_data_times(), num_data_times()),
          flag);
    for (Index t = 0; t < num_data_times(); ++t)
      observed_[static_cast<std::size_t>(t)] = lang::scalar_of(values_[k], t).known != 0.0 ? 1 : 0;
  }
  std::vector<double> numbers;
  std::fill(observed_.begin() + num_data_times(), observed_.end(), 0);
  for (Index t = 0; t < num_data_times(); ++t) {
    numbers.clear();
    append_at(values_[static_cast<std::size_t>(functions_.outcome)], t, num_data_times(), numbers);
    if (!numbers.empty() &&
        std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }))
      observed_[static_cast<std::size_t>(t)] = 0;
  }
}

// Its size is that of a draw of the first one.
void StateModel::take_state() {
  const StateFunction& f = functions_[StateRole::observation_density];
  const auto& function = model_.source().program.functions[static_cast<std::size_t>(f.function)];
  density::Variable variable{
      .name = function.variables[1].name,
      .kind = lang::is_int_based(functions_.state) ? density::Kind::whole : density::Kind::real};
  if (!functions_.state.is_scalar()) variable.dims = {size_of_first_state()};
  state_ = density::Layout({variable});
}

void StateModel::take_regimes() {
  num_regimes_ = 0;
  if (!functions_.have_regimes()) return;
  num_regimes_ = ssize(regime_probabilities(0, 0));
  regime_ = 1;
}

Index StateModel::place_of_outcome() const {
  Index place = lang::DrawSeed::kWords + 1;
  for (std::size_t k = 0; k < slices_.size() && slices_[k] != functions_.outcome; ++k)
    place += ssize(series_[k].values) / num_times_;
  return place;
}

// An outcome behind the data is missing: NaN.
std::vector<double> StateModel::outcome_at(Index time) const {
  const Value& all = values_[static_cast<std::size_t>(functions_.outcome)];
  if (time >= num_data_times())
    return std::vector<double>(static_cast<std::size_t>(lang::size_of(all) / num_data_times()),
                               kNaN);
  std::vector<double> numbers;
  append_at(all, time, num_data_times(), numbers);
  return numbers;
}

Index StateModel::first_forecast() const {
  Index first = num_times_;
  while (first > 0 && !is_observed(first - 1)) --first;
  return first;
}

density::Layout StateModel::outcome() const {
  const auto& g = model_.source().program.globals[static_cast<std::size_t>(functions_.outcome)];
  density::Variable variable{
      .name = g.name,
      .kind = lang::is_int_based(g.type) ? density::Kind::whole : density::Kind::real};
  if (!type_at_one_time(g.type)->is_scalar()) variable.dims = {ssize(outcome_at(0))};
  return density::Layout({variable});
}

density::Capability StateModel::can_draw_outcomes() const {
  const auto& g = model_.source().program.globals[static_cast<std::size_t>(functions_.outcome)];
  const auto one = *type_at_one_time(g.type);
  const bool is_list = one.is_scalar() || (one.depth == 0 && one.base != BaseType::matrix) ||
                       one == lang::UnsizedType(BaseType::real, 1) ||
                       one == lang::UnsizedType(BaseType::integer, 1);
  if (!is_list)
    return {.can = false,
            .reason = fmt::format("an outcome of one time is {}, not a number or a list of numbers",
                                  lang::with_article(one)),
            .where = model_.name(),
            .hint = "declare the outcome by vectors or arrays"};
  if (functions_[StateRole::observation_draw]) return {};
  return {.can = false,
          .reason = "the program has no function observation_rng",
          .where = model_.name(),
          .hint =
              "write observation_rng(x, ...), which draws an outcome as observation_lpdf "
              "weighs it, in its functions block"};
}

const std::string& StateModel::outcome_name() const {
  return model_.source().program.globals[static_cast<std::size_t>(functions_.outcome)].name;
}

std::vector<double> StateModel::input_at(Index time) const {
  std::vector<double> input(static_cast<std::size_t>(lang::DrawSeed::kWords), 0.0);
  input.push_back(static_cast<double>(time + 1));
  for (const Series& series : series_) {
    const std::size_t size = series.values.size() / static_cast<std::size_t>(num_times_);
    const auto begin = series.values.begin() + time * static_cast<Index>(size);
    input.insert(input.end(), begin, begin + static_cast<Index>(size));
  }
  input.insert(input.end(), parameters_.begin(), parameters_.end());
  return input;
}

std::vector<std::string> StateModel::other_distributions(StateRole role) const {
  const typed::Program& program = model_.source().program;
  const auto& function = program.functions[static_cast<std::size_t>(functions_[role].function)];
  std::vector<std::string> names;
  for (const ModelStatement& entry : function_statements(program, function)) {
    if (entry.distribution == nullptr || entry.is_tail) continue;
    const std::string_view name = entry.distribution->name;
    const bool is_normal =
        name == "std_normal" || name.starts_with("normal") || name.starts_with("multi_normal");
    if (!is_normal && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

density::Capability StateModel::can(density::Kernel kernel) const {
  using enum StateRole;
  if (kernel == density::Kernel::bootstrap) return {};
  if (!functions_[proposal_draw] && !functions_[initial_proposal_draw])
    return {.can = false,
            .reason = "the program has no proposal",
            .where = model_.name(),
            .hint =
                "write proposal_rng and proposal_lpdf in its functions block, or take --method "
                "bootstrap"};
  const auto lacks = [&](StateRole proposal, StateRole density) {
    return functions_[proposal] && !functions_[density];
  };
  if (lacks(proposal_draw, transition_density))
    return {.can = false,
            .reason =
                "draws of a proposal are weighed by the density of the transition, which the "
                "program lacks",
            .where = model_.name(),
            .hint = "write transition_lpdf in its functions block"};
  if (lacks(initial_proposal_draw, initial_density))
    return {.can = false,
            .reason =
                "draws of a proposal are weighed by the density of the first state, which the "
                "program lacks",
            .where = model_.name(),
            .hint = "write initial_lpdf in its functions block"};
  return {};
}

density::Capability StateModel::can_weigh_states() const {
  using enum StateRole;
  if (functions_[initial_density] && functions_[transition_density]) return {};
  return {.can = false,
          .reason = fmt::format("the program has no function {}",
                                functions_[initial_density] ? "transition_lpdf" : "initial_lpdf"),
          .where = model_.name(),
          .hint = "write it in its functions block; docs/algorithms/filters.md has the rules"};
}

density::Capability StateModel::can_weigh_transitions() const {
  if (functions_[StateRole::transition_density]) return {};
  return {.can = false,
          .reason =
              "paths are simulated backwards by the density of the transition, which the "
              "program lacks",
          .where = model_.name(),
          .hint = "write transition_lpdf in its functions block, or take --method genealogy"};
}

density::Capability StateModel::can_look_ahead() const {
  if (functions_[StateRole::look_ahead]) return {};
  return {.can = false,
          .reason = "the program has no function lookahead_lpdf",
          .where = model_.name(),
          .hint =
              "write lookahead_lpdf(y | previous, ...), near to the log density of y given the "
              "state of the time before, in its functions block"};
}

}  // namespace credo::model
