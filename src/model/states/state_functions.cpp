#include "model/states/state_functions.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::BaseType;
using lang::UnsizedType;
using From = StateArgument::From;

struct RoleRow {
  StateRole role;
  std::string_view name;       // a density's may end in _lpmf
  std::vector<From> leading;   // its first arguments, by place; all others are found by name
  std::string_view signature;  // for messages
};

const std::vector<RoleRow>& role_rows() {
  static const std::vector<RoleRow> rows{
      {StateRole::initial_draw, "initial_rng", {}, "STATE initial_rng(...)"},
      {StateRole::initial_density,
       "initial_lpdf",
       {From::state},
       "real initial_lpdf(STATE x, ...)"},
      {StateRole::transition_draw,
       "transition_rng",
       {From::previous},
       "STATE transition_rng(STATE previous, ...)"},
      {StateRole::transition_density,
       "transition_lpdf",
       {From::state, From::previous},
       "real transition_lpdf(STATE x, STATE previous, ...)"},
      {StateRole::observation_density,
       "observation_lpdf",
       {From::outcome, From::state},
       "real observation_lpdf(OUTCOME y, STATE x, ...)"},
      {StateRole::proposal_draw,
       "proposal_rng",
       {From::previous},
       "STATE proposal_rng(STATE previous, ...)"},
      {StateRole::proposal_density,
       "proposal_lpdf",
       {From::state, From::previous},
       "real proposal_lpdf(STATE x, STATE previous, ...)"},
      {StateRole::initial_proposal_draw,
       "initial_proposal_rng",
       {},
       "STATE initial_proposal_rng(...)"},
      {StateRole::initial_proposal_density,
       "initial_proposal_lpdf",
       {From::state},
       "real initial_proposal_lpdf(STATE x, ...)"},
      {StateRole::look_ahead,
       "lookahead_lpdf",
       {From::outcome, From::previous},
       "real lookahead_lpdf(OUTCOME y, STATE previous, ...)"},
      {StateRole::initial_regimes, "initial_regimes", {}, "vector initial_regimes(...)"},
      {StateRole::next_regimes,
       "next_regimes",
       {From::regime},
       "vector next_regimes(int regime, ...)"},
      {StateRole::initial_map, "initial_map", {From::uniforms}, "STATE initial_map(vector u, ...)"},
      {StateRole::transition_map,
       "transition_map",
       {From::uniforms, From::previous},
       "STATE transition_map(vector u, STATE previous, ...)"},
      {StateRole::observation_draw,
       "observation_rng",
       {From::state},
       "OUTCOME observation_rng(STATE x, ...)"},
  };
  return rows;
}

bool has_role_name(const typed::Function& f, const RoleRow& row) {
  if (f.name == row.name) return true;
  return row.name.ends_with("_lpdf") &&
         f.name == std::string(row.name.substr(0, row.name.size() - 4)) + "lpmf";
}

constexpr const char* kPage = "docs/algorithms/filters.md has the rules";

class Binder {
 public:
  explicit Binder(const ProgramSource& source) : source_(source) {}

  StateFunctions bind() {
    find();
    require(StateRole::initial_draw);
    require(StateRole::transition_draw);
    require(StateRole::observation_density);
    take_state();
    for (const RoleRow& row : role_rows()) bind(row);
    require_pairs();
    return std::move(bound_);
  }

 private:
  const typed::Function& function(const StateFunction& f) const {
    return source_.program.functions[static_cast<std::size_t>(f.function)];
  }
  StateFunction& of(StateRole role) { return bound_.roles[static_cast<std::size_t>(role)]; }
  [[noreturn]] void fail(const typed::Function& f, std::string message,
                         std::string hint = {}) const {
    throw Error(ErrorCode::program, fmt::format("{}: {}", f.name, message),
                source_.source.where(f.declared), hint.empty() ? kPage : std::move(hint));
  }

  void find();
  void require(StateRole role) const;
  void require_pairs() const;
  void take_state();
  void bind(const RoleRow& row);
  UnsizedType type_of_outcome() const {  // type at one time; known once observation_lpdf is bound
    return *type_at_one_time(
        source_.program.globals[static_cast<std::size_t>(bound_.outcome)].type);
  }
  StateArgument lead(const typed::Function& f, From from, const typed::Variable& argument,
                     const RoleRow& row);
  StateArgument named(const typed::Function& f, const typed::Variable& argument) const;
  int variable_named(const std::string& name) const;
  std::vector<std::string> variable_names() const;

  const ProgramSource& source_;
  StateFunctions bound_;
};

void Binder::find() {
  const auto& functions = source_.program.functions;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    for (const RoleRow& row : role_rows()) {
      if (!has_role_name(functions[k], row) || functions[k].body == nullptr) continue;
      StateFunction& found = of(row.role);
      if (found)
        fail(functions[k],
             fmt::format("the program has two functions of this role, {} and {}", found.name,
                         functions[k].name),
             "rename the one that isn't meant");
      found.name = functions[k].name;
      found.function = static_cast<std::int32_t>(k);
      found.is_density = row.name.ends_with("_lpdf");
      found.is_of_regimes = row.name.ends_with("_regimes");
      found.is_of_outcome = row.role == StateRole::observation_draw;
    }
  }
}

void Binder::require(StateRole role) const {
  if (bound_[role]) return;
  const RoleRow& row = role_rows()[static_cast<std::size_t>(role)];
  std::vector<std::string> names;
  for (const typed::Function& f : source_.program.functions) names.push_back(f.name);
  std::string near = did_you_mean(row.name, names);
  throw Error(
      ErrorCode::program,
      fmt::format("the program states no state-space model: it has no function {}", row.name),
      source_.name,
      near.empty() ? fmt::format("write {} in the functions block; {}", row.signature, kPage)
                   : near);
}

void Binder::require_pairs() const {
  const auto both = [&](StateRole draw, StateRole density) {
    if (static_cast<bool>(bound_[draw]) == static_cast<bool>(bound_[density])) return;
    const StateFunction& there = bound_[draw] ? bound_[draw] : bound_[density];
    const StateRole other = bound_[draw] ? density : draw;
    fail(function(there),
         fmt::format("a proposal needs both functions, and {} is missing",
                     role_rows()[static_cast<std::size_t>(other)].name),
         fmt::format("write {}", role_rows()[static_cast<std::size_t>(other)].signature));
  };
  both(StateRole::proposal_draw, StateRole::proposal_density);
  both(StateRole::initial_proposal_draw, StateRole::initial_proposal_density);
  const StateFunction &begins = bound_[StateRole::initial_map],
                      &moves = bound_[StateRole::transition_map];
  if (static_cast<bool>(begins) != static_cast<bool>(moves))
    fail(
        function(begins ? begins : moves),
        fmt::format("maps of uniform numbers need both functions, and {} is missing",
                    begins ? "transition_map" : "initial_map"),
        "write STATE initial_map(vector u, ...) and STATE transition_map(vector u, STATE previous, "
        "...)");
  if (begins && lang::is_int_based(bound_.state))
    fail(function(begins), "a map of uniform numbers has a state of real numbers",
         "leave the maps out");
  const StateFunction &first = bound_[StateRole::initial_regimes],
                      &next = bound_[StateRole::next_regimes];
  if (static_cast<bool>(first) != static_cast<bool>(next))
    fail(function(first ? first : next),
         "regimes need both functions, initial_regimes and next_regimes",
         "write vector initial_regimes(...) and vector next_regimes(int regime, ...)");
}

void Binder::take_state() {
  const typed::Function& f = function(of(StateRole::transition_draw));
  const UnsizedType& state = f.result;
  const bool is_known = state.is_real() || state.is_int() || state.is(BaseType::vector) ||
                        state.is(BaseType::row_vector) || state == UnsizedType(BaseType::real, 1) ||
                        state == UnsizedType(BaseType::integer, 1);
  if (!is_known)
    fail(f,
         fmt::format("a state is a real, an int, a vector, a row_vector, array[] real or array[] "
                     "int, not {}",
                     with_article(state)),
         "put its parts one behind the other into a vector");
  bound_.state = state;
}

void Binder::bind(const RoleRow& row) {
  StateFunction& bound = of(row.role);
  if (!bound) return;
  const typed::Function& f = function(bound);
  const UnsizedType expected = bound.is_density      ? UnsizedType(BaseType::real)
                               : bound.is_of_regimes ? UnsizedType(BaseType::vector)
                               : bound.is_of_outcome ? type_of_outcome()
                                                     : bound_.state;
  if (f.result != expected)
    fail(f, fmt::format("its result is {}, and must be {}", with_article(f.result),
                        with_article(expected)));
  if (f.num_parameters() < row.leading.size())
    fail(f,
         fmt::format("it has {} arguments, and begins with {}", f.num_parameters(),
                     row.leading.size()),
         fmt::format("write {}", row.signature));
  for (std::size_t k = 0; k < f.num_parameters(); ++k) {
    const typed::Variable& argument = f.variables[k];
    bound.arguments.push_back(k < row.leading.size() ? lead(f, row.leading[k], argument, row)
                                                     : named(f, argument));
  }
}

StateArgument Binder::lead(const typed::Function& f, From from, const typed::Variable& argument,
                           const RoleRow& row) {
  if (from == From::regime) {
    if (!argument.type.is_int())
      fail(f, fmt::format("its first argument, {}, is the regime before, an int", argument.name),
           fmt::format("write {}", row.signature));
    return {from};
  }
  if (from == From::uniforms) {
    if (!argument.type.is(BaseType::vector))
      fail(f, fmt::format("its first argument, {}, are uniform numbers, a vector", argument.name),
           fmt::format("write {}", row.signature));
    return {from};
  }
  if (from != From::outcome) {
    if (argument.type != bound_.state)
      fail(f,
           fmt::format("argument {} is {}, and must be a state, {}", argument.name,
                       with_article(argument.type), with_article(bound_.state)),
           fmt::format("write {}", row.signature));
    return {from};
  }
  StateArgument bound = named(f, argument);
  const auto& global = source_.program.globals[static_cast<std::size_t>(std::max(bound.global, 0))];
  const bool is_data = bound.global >= 0 && (global.block == typed::BlockKind::data ||
                                             global.block == typed::BlockKind::transformed_data);
  if (bound.from != From::element || !is_data)
    fail(f,
         fmt::format("its first argument, {}, is the outcome of one time, and must be named as "
                     "data that have "
                     "an element for each time",
                     argument.name),
         fmt::format("declare data such as: vector[T] {}", argument.name));
  bound.from = From::outcome;
  if (bound_.outcome >= 0 && bound_.outcome != bound.global)
    fail(f, fmt::format("its outcome is {}, that of observation_lpdf another", argument.name));
  bound_.outcome = bound.global;
  return bound;
}

int Binder::variable_named(const std::string& name) const {
  const auto& globals = source_.program.globals;
  for (std::size_t k = 0; k < globals.size(); ++k)
    if (globals[k].name == name && globals[k].block < typed::BlockKind::model)
      return static_cast<int>(k);
  return -1;
}

std::vector<std::string> Binder::variable_names() const {
  std::vector<std::string> names;
  for (const typed::GlobalVariable& g : source_.program.globals)
    if (g.block < typed::BlockKind::model) names.push_back(g.name);
  return names;
}

StateArgument Binder::named(const typed::Function& f, const typed::Variable& argument) const {
  const int global = variable_named(argument.name);
  if (argument.name == "t") {
    if (global >= 0)
      fail(f, "t is the time, from 1, and the program has a variable of this name, too",
           "rename the variable");
    if (!argument.type.is_int())
      fail(f, fmt::format("t is the time, an int, not {}", with_article(argument.type)));
    return {From::time};
  }
  if (argument.name == "regime" && bound_.have_regimes()) {
    if (global >= 0)
      fail(f,
           "regime is that of the time, from 1, and the program has a variable of this name, too",
           "rename the variable");
    if (!argument.type.is_int())
      fail(f,
           fmt::format("regime is that of the time, an int, not {}", with_article(argument.type)));
    return {From::regime};
  }
  if (global < 0) {
    std::string near = did_you_mean(argument.name, variable_names());
    fail(f, fmt::format("argument {} is named as no variable of data or parameters", argument.name),
         near.empty() ? "arguments are found by their names; t is the time" : near);
  }
  const typed::GlobalVariable& variable = source_.program.globals[static_cast<std::size_t>(global)];
  const UnsizedType& type = variable.type;
  const bool is_data = variable.block <= typed::BlockKind::transformed_data;
  if (type.base == BaseType::tuple && !(is_data && lang::promotes(type, argument.type)))
    fail(f, fmt::format("argument {} is a tuple: they are read whole, and from data alone",
                        argument.name));
  if (lang::promotes(type, argument.type)) return {From::whole, global};
  const auto element = type_at_one_time(type);
  if (element && lang::promotes(*element, argument.type)) return {From::element, global};
  fail(f, fmt::format("argument {} is {}, and the variable of this name {}: neither the variable "
                      "nor its element at one time",
                      argument.name, with_article(argument.type), with_article(type)));
}
}  // namespace

std::optional<UnsizedType> type_at_one_time(const UnsizedType& type) {
  if (type.depth > 0) return lang::array_of(type, -1);
  if (type.base == BaseType::vector || type.base == BaseType::row_vector) return BaseType::real;
  if (type.base == BaseType::matrix) return BaseType::row_vector;
  return std::nullopt;
}

StateFunctions state_functions(const ProgramSource& source) { return Binder(source).bind(); }

}  // namespace credo::model
