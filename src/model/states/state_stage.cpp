#include "model/states/state_stage.hpp"

#include <fmt/format.h>

#include "lang/typed/signatures.hpp"
#include "lang/typed/walk.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using From = StateArgument::From;
using lang::BaseType;
using lang::UnsizedType;
using Expressions = std::vector<typed::Expression>;

// The last site of a call that draws, among functions and transformed data.
class LastSite : public lang::Walk<LastSite> {
 public:
  using Walk::look;
  void look(const typed::Call& call) {
    site = std::max(site, call.site);
    Walk::look(call);
  }
  std::int32_t site = 0;
};
std::int32_t last_site(const typed::Program& program) {
  LastSite last;
  for (const typed::Function& f : program.functions)
    if (f.body != nullptr) last.statement(*f.body);
  last.statements(program.transformed_data.statements);
  return last.site;
}

UnsizedType column_type(bool whole) {
  return whole ? UnsizedType(BaseType::integer, 1) : UnsizedType(BaseType::vector);
}

// Expressions and statements count as those of `statement`.
class TypedWriter {
 public:
  std::int32_t statement = 0;
  lang::SourceRange range = {};

  template <class Node>
  typed::Expression expression(UnsizedType type, Node node) const {
    typed::Expression e;
    e.type = std::move(type);
    e.statement = statement;
    e.range = range;
    e.node = std::move(node);
    return e;
  }
  typed::Expression number(Index value) const {
    return expression(BaseType::integer, typed::IntLiteral{static_cast<int>(value)});
  }
  typed::Expression variable(typed::Slot slot, UnsizedType type) const {
    return expression(std::move(type), typed::VariableUse{slot});
  }
  typed::Expression promoted(typed::Expression e, const UnsizedType& type) const {
    if (e.type == type) return e;
    return expression(type, typed::Promotion{std::make_unique<typed::Expression>(std::move(e))});
  }
  typed::Expression operation(std::string_view name, Expressions operands) const {
    std::vector<UnsizedType> types;
    for (const typed::Expression& e : operands) types.push_back(e.type);
    const int builtin = lang::find_builtin(name);
    const lang::Match match = lang::match_builtin(builtin, types).front();
    typed::Call call;
    call.is_operator = true;
    call.function = {
        .builtin = builtin, .signature = match.signature, .name = lang::builtin_name(builtin)};
    call.arguments = std::move(operands);
    return expression(match.result, std::move(call));
  }
  std::vector<typed::IndexArgument> at(typed::Expression index) const {
    std::vector<typed::IndexArgument> indices(1);
    indices[0].kind = typed::IndexKind::single;
    indices[0].first = std::make_unique<typed::Expression>(std::move(index));
    return indices;
  }
  typed::Expression element(typed::Expression of, typed::Expression index) const {
    const bool whole = lang::is_int_based(of.type);
    return expression(
        whole ? BaseType::integer : BaseType::real,
        typed::Indexed{std::make_unique<typed::Expression>(std::move(of)), at(std::move(index))});
  }
  template <class Node>
  typed::Statement made(Node node) const {
    typed::Statement s;
    s.id = statement;
    s.range = range;
    s.node = std::move(node);
    return s;
  }
};

class StageBuilder : TypedWriter {
 public:
  StageBuilder(const ProgramSource& source, const StateFunctions& functions,
               const StageRequest& request)
      : source_(source),
        functions_(functions),
        request_(request),
        site_(last_site(source.program)) {}

  StageProgram build() {
    take_program();
    const std::vector<StateRole> roles = roles_of(request_.stage, functions_);
    if (!roles.empty()) at_function(roles[0]);
    add_inputs();
    add_results();
    typed::Block& block = made_.program.generated_quantities;
    block.present = true;
    block.statements = std::move(declarations_);
    particle_ = add_local("particle", BaseType::integer);
    add_body(roles);
    block.statements.push_back(made(typed::ForRange{
        .slot = particle_,
        .first = number(1),
        .last = number(request_.particles),
        .body = std::make_unique<typed::Statement>(made(typed::Sequence{std::move(body_)}))}));
    block.locals = std::move(locals_);
    return std::move(made_);
  }

 private:
  // All but generated quantities, which are declared last.
  void take_program() {
    const typed::Program& from = source_.program;
    made_.program.functions = from.functions;
    made_.program.statement_ranges = from.statement_ranges;
    made_.program.has_print = from.has_print;
    for (const typed::GlobalVariable& g : from.globals)
      if (g.block < typed::BlockKind::model) made_.program.globals.push_back(g);
  }
  void at_function(StateRole role) {
    const typed::Function& f = function(role);
    statement = f.body->id;
    range = f.declared;
  }
  const typed::Function& function(StateRole role) const {
    return made_.program.functions[static_cast<std::size_t>(functions_[role].function)];
  }

  // ---- variables

  int add_global(std::string name, UnsizedType type, typed::BlockKind block) {
    typed::GlobalVariable g;
    g.name = std::move(name);
    g.type = std::move(type);
    g.block = block;
    made_.program.globals.push_back(std::move(g));
    return static_cast<int>(made_.program.globals.size()) - 1;
  }
  typed::Slot add_local(std::string name, UnsizedType type) {
    typed::Variable v;
    v.name = std::move(name);
    v.type = std::move(type);
    locals_.push_back(std::move(v));
    return {.local = true, .index = static_cast<int>(locals_.size()) - 1};
  }
  std::shared_ptr<const typed::SizedType> sized(const UnsizedType& type, Index size) const {
    auto made = std::make_shared<typed::SizedType>();
    made->type = type;
    if (type.depth > 0)
      made->array_sizes.push_back(number(size));
    else if (!type.is_scalar())
      made->sizes.push_back(number(size));
    return made;
  }

  bool has_whole_states() const { return lang::is_int_based(functions_.state); }
  UnsizedType type_of_outcome() const { return *type_at_one_time(global(functions_.outcome).type); }
  const typed::GlobalVariable& global(int slot) const {
    return source_.program.globals[static_cast<std::size_t>(slot)];
  }
  bool takes_previous() const {
    const StateStage& s = request_.stage;
    return s.task == StateTask::move || s.task == StateTask::look_ahead ||
           (is_given() && s.task != StateTask::observation && s.task != StateTask::outcome &&
            !s.initial);
  }
  bool is_given() const {
    const StateTask task = request_.stage.task;
    return task == StateTask::densities || task == StateTask::transition ||
           task == StateTask::weigh || task == StateTask::observation || task == StateTask::map ||
           task == StateTask::outcome;
  }
  bool draws() const {
    const StateTask task = request_.stage.task;
    return task == StateTask::begin || task == StateTask::move || task == StateTask::map;
  }

  void add_inputs() {
    const auto input = [&](std::string name, UnsizedType type) {
      return add_global(std::move(name), std::move(type), typed::BlockKind::data);
    };
    made_.time = input("time", BaseType::integer);
    if (functions_.have_regimes()) made_.regime = input("regime", BaseType::integer);
    for (const int slot : request_.slices)
      made_.slices.push_back(input(global(slot).name, *type_at_one_time(global(slot).type)));
    for (Index k = 1; k <= request_.state_size; ++k) {
      const UnsizedType type = column_type(has_whole_states());
      if (takes_previous())
        made_.previous.push_back(input(fmt::format("previous state {}", k), type));
      if (is_given()) made_.given.push_back(input(fmt::format("state {}", k), type));
    }
  }
  int add_result(std::string name, bool whole) {
    const UnsizedType type = column_type(whole);
    const int slot = add_global(name, type, typed::BlockKind::generated_quantities);
    const auto declared = sized(type, request_.particles);
    made_.program.globals.back().sized_type = declared;
    declarations_.push_back(made(typed::Declaration{.slot = {.local = false, .index = slot},
                                                    .name = std::move(name),
                                                    .type = declared,
                                                    .value = nullptr}));
    made_.results.push_back(slot);
    return slot;
  }
  // States or outcomes, then log densities.
  void add_results() {
    const StateTask task = request_.stage.task;
    const bool whole =
        task == StateTask::outcome ? lang::is_int_based(type_of_outcome()) : has_whole_states();
    const Index drawn = task == StateTask::outcome ? request_.outcome_size
                        : draws()                  ? request_.state_size
                                                   : 0;
    for (Index k = 1; k <= drawn; ++k) add_result(fmt::format("drawn {}", k), whole);
    if (task == StateTask::outcome) return;
    const int numbers = task == StateTask::weigh || task == StateTask::densities ? 2 : 1;
    for (int k = 1; k <= numbers; ++k) add_result(fmt::format("log density {}", k), false);
  }

  // ---- the loop's body

  typed::Expression round() const { return variable(particle_, BaseType::integer); }
  typed::Expression of_column(int slot, bool whole) const {
    return element(variable({.local = false, .index = slot}, column_type(whole)), round());
  }
  Expressions of_columns(std::span<const int> slots, bool whole) const {
    Expressions all;
    for (const int slot : slots) all.push_back(of_column(slot, whole));
    return all;
  }
  typed::Expression vector_of(Expressions elements) const {
    Expressions row;
    row.push_back(expression(BaseType::row_vector, typed::RowVectorLiteral{std::move(elements)}));
    return operation("transpose", std::move(row));
  }
  // The state of a particle, from its columns.
  typed::Expression state_of(std::span<const int> slots) const {
    Expressions elements = of_columns(slots, has_whole_states());
    const UnsizedType& type = functions_.state;
    if (type.is_scalar()) return std::move(elements[0]);
    if (type.depth > 0) return expression(type, typed::ArrayLiteral{std::move(elements)});
    if (type.is(BaseType::vector)) return vector_of(std::move(elements));
    return expression(type, typed::RowVectorLiteral{std::move(elements)});
  }
  typed::Slot declare(std::string name, const UnsizedType& type, Index size,
                      typed::Expression value) {
    const typed::Slot slot = add_local(name, type);
    body_.push_back(
        made(typed::Declaration{.slot = slot,
                                .name = std::move(name),
                                .type = sized(type, size),
                                .value = std::make_unique<typed::Expression>(std::move(value))}));
    return slot;
  }
  void declare_state(typed::Slot& slot, std::string name, typed::Expression value) {
    slot = declare(std::move(name), functions_.state, request_.state_size, std::move(value));
  }

  typed::Expression argument(const StateArgument& a) const {
    switch (a.from) {
      case From::state:
        return variable(state_, functions_.state);
      case From::previous:
        return variable(before_, functions_.state);
      case From::uniforms:
        return variable(uniforms_, BaseType::vector);
      case From::time:
        return variable({.local = false, .index = made_.time}, BaseType::integer);
      case From::regime:
        return variable({.local = false, .index = made_.regime}, BaseType::integer);
      case From::whole:
        return variable({.local = false, .index = a.global}, global(a.global).type);
      default:
        const auto at = std::ranges::find(request_.slices, a.global) - request_.slices.begin();
        return variable({.local = false, .index = made_.slices[static_cast<std::size_t>(at)]},
                        *type_at_one_time(global(a.global).type));
    }
  }
  typed::Expression call(StateRole role) {
    at_function(role);
    const StateFunction& bound = functions_[role];
    const typed::Function& f = function(role);
    typed::Call call;
    call.function = {.user = bound.function, .name = f.name};
    if (f.suffix == typed::Suffix::rng) call.site = site_ + 1;
    for (std::size_t k = 0; k < bound.arguments.size(); ++k)
      call.arguments.push_back(promoted(argument(bound.arguments[k]), f.variables[k].type));
    return expression(f.result, std::move(call));
  }
  // Puts a value of this particle into the column of a result.
  void put(std::size_t result, typed::Expression value) {
    const int slot = made_.results[result];
    const UnsizedType& column = made_.program.globals[static_cast<std::size_t>(slot)].type;
    typed::AssignmentTarget target;
    target.slot = {.local = false, .index = slot};
    target.accesses.emplace_back();
    target.accesses[0].indices = at(round());
    target.type = lang::is_int_based(column) ? BaseType::integer : BaseType::real;
    target.range = range;
    value = promoted(std::move(value), target.type);
    body_.push_back(
        made(typed::Assignment{.target = std::move(target), .op = {}, .value = std::move(value)}));
  }
  void put_drawn(typed::Slot drawn, const UnsizedType& type, Index size) {
    for (Index k = 0; k < size; ++k) {
      typed::Expression value = variable(drawn, type);
      if (!type.is_scalar()) value = element(std::move(value), number(k + 1));
      put(static_cast<std::size_t>(k), std::move(value));
    }
  }
  typed::Expression sum_of(std::span<const StateRole> roles) {
    std::optional<typed::Expression> sum;
    for (const StateRole role : roles) {
      const bool less =
          role == StateRole::proposal_density || role == StateRole::initial_proposal_density;
      typed::Expression next = call(role);
      if (!sum) {
        sum = std::move(next);
        continue;
      }
      Expressions both;
      both.push_back(std::move(*sum));
      both.push_back(std::move(next));
      sum = operation(less ? "subtract" : "add", std::move(both));
    }
    return sum ? std::move(*sum) : number(0);
  }

  void add_body(std::span<const StateRole> roles) {
    const StateTask task = request_.stage.task;
    if (takes_previous()) declare_state(before_, "previous", state_of(made_.previous));
    if (task == StateTask::map)
      uniforms_ = declare("uniforms", BaseType::vector, request_.state_size,
                          vector_of(of_columns(made_.given, false)));
    else if (is_given())
      declare_state(state_, "state", state_of(made_.given));
    if (task == StateTask::outcome) {
      const UnsizedType type = type_of_outcome();
      const typed::Slot drawn = declare("outcome", type, request_.outcome_size, call(roles[0]));
      return put_drawn(drawn, type, request_.outcome_size);
    }
    std::size_t next = 0;
    if (draws()) {
      declare_state(state_, "state", call(roles[next++]));
      put_drawn(state_, functions_.state, request_.state_size);
    }
    if (task == StateTask::weigh || task == StateTask::densities) put(0, call(roles[next++]));
    put(made_.results.size() - 1, sum_of(roles.subspan(next)));
  }

  const ProgramSource& source_;
  const StateFunctions& functions_;
  const StageRequest& request_;
  std::int32_t site_;
  StageProgram made_;
  std::vector<typed::Statement> declarations_, body_;
  std::vector<typed::Variable> locals_;
  typed::Slot particle_{}, before_{}, state_{}, uniforms_{};
};
}  // namespace

namespace {
// Adds the terms of a state's log weight, once the state is there.
void add_weights(const StateStage& stage, bool begins, bool proposed,
                 std::vector<StateRole>& roles) {
  using enum StateRole;
  if (stage.observed) roles.push_back(observation_density);
  if (!proposed) return;
  roles.push_back(begins ? initial_density : transition_density);
  roles.push_back(begins ? initial_proposal_density : proposal_density);
}
}  // namespace

std::vector<StateRole> roles_of(const StateStage& stage, const StateFunctions& functions) {
  using enum StateRole;
  if (stage.task == StateTask::look_ahead) return {look_ahead};
  const StateRole distribution = stage.initial ? initial_density : transition_density;
  if (stage.task == StateTask::densities) return {distribution, observation_density};
  if (stage.task == StateTask::transition) return {distribution};
  if (stage.task == StateTask::observation) return {observation_density};
  if (stage.task == StateTask::outcome) return {observation_draw};
  if (stage.task == StateTask::map) {
    std::vector<StateRole> roles{stage.initial ? initial_map : transition_map};
    if (stage.observed) roles.push_back(observation_density);
    return roles;
  }
  const bool begins = stage.task == StateTask::begin || stage.initial;
  const StateRole draw = begins ? initial_proposal_draw : proposal_draw;
  const bool proposed = stage.guided && stage.observed && functions[draw];
  std::vector<StateRole> roles;
  if (stage.task == StateTask::weigh)
    roles.push_back(distribution);
  else
    roles.push_back(proposed ? draw : begins ? initial_draw : transition_draw);
  add_weights(stage, begins, proposed, roles);
  return roles;
}

StageProgram stage_program(const ProgramSource& source, const StateFunctions& functions,
                           const StageRequest& request) {
  return StageBuilder(source, functions, request).build();
}

}  // namespace credo::model
