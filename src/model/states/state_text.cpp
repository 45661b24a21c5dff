#include "model/states/state_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace credo::model {
namespace {
namespace typed = lang::typed;
using From = StateArgument::From;
using lang::BaseType;

// The program's text in one piece, includes put in their places.
struct WholeText {
  std::string text;
  std::vector<std::pair<lang::SourceRange, std::size_t>> pieces;  // and where each begins

  explicit WholeText(const lang::SourceMap& source) {
    for (const lang::SourceRange& piece : source.pieces()) {
      pieces.emplace_back(piece, text.size());
      text += source.text(piece);
    }
  }
  std::size_t place(std::uint32_t file, std::uint32_t offset) const {
    for (const auto& [piece, begin] : pieces)
      if (piece.file == file && offset >= piece.begin && offset <= piece.end)
        return begin + offset - piece.begin;
    return text.size();
  }
};

class StateWriter {
 public:
  StateWriter(const ProgramSource& source, const StateFunctions& functions,
              const StateTextRequest& request)
      : source_(source), functions_(functions), request_(request) {}

  std::string text() const {
    return with_inputs(WholeText(source_.source)) + "\ngenerated quantities {\n" + results() +
           fmt::format("for (credo_p in 1:{}) {{\n{}}}\n}}\n", request_.particles, body());
  }

 private:
  // The text without model and generated quantities, and with the declarations of the inputs.
  std::string with_inputs(const WholeText& whole) const {
    const typed::Program& program = source_.program;
    std::string text = whole.text;
    const auto cut = [&](const typed::Block& block) {
      if (!block.present) return;
      const std::size_t begin = whole.place(block.range.file, block.range.begin),
                        end = whole.place(block.range.file, block.range.end);
      for (std::size_t k = begin; k < end; ++k)
        if (text[k] != '\n') text[k] = ' ';
    };
    cut(program.generated_quantities);
    cut(program.model);
    const auto& range = program.data.present ? program.data.range : program.transformed_data.range;
    if (program.data.present)
      text.insert(whole.place(range.file, range.end) - 1, inputs());
    else
      text.insert(whole.place(range.file, range.begin), "data {" + inputs() + "} ");
    return text;
  }

  std::string column(const std::string& name, bool whole) const {
    return whole ? fmt::format(" array[{}] int {};", request_.particles, name)
                 : fmt::format(" vector[{}] {};", request_.particles, name);
  }
  bool has_whole_states() const { return lang::is_int_based(functions_.state); }
  std::string columns(const std::string& name) const {
    return columns(name, request_.state_size, has_whole_states());
  }
  std::string columns(const std::string& name, Index count, bool whole) const {
    std::string text;
    for (Index k = 1; k <= count; ++k) text += column(name + std::to_string(k), whole);
    return text;
  }
  lang::UnsizedType type_of_outcome() const {
    const auto& variable = source_.program.globals[static_cast<std::size_t>(functions_.outcome)];
    return *type_at_one_time(variable.type);
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

  std::string inputs() const {
    std::string text = fmt::format(" int {};", state_names::kTime);
    if (functions_.have_regimes()) text += fmt::format(" int {};", state_names::kRegime);
    for (const StateSlice& slice : request_.slices)
      text += fmt::format(" {} {}{};", slice.declaration, state_names::kAt, slice.name);
    if (takes_previous()) text += columns(state_names::kPrevious);
    if (is_given()) text += columns(state_names::kGiven);
    return text + " ";
  }
  std::string results() const {
    if (request_.stage.task == StateTask::outcome)
      return columns(state_names::kOutcome, request_.outcome_size,
                     lang::is_int_based(type_of_outcome())) +
             "\n";
    std::string text = draws() ? columns(state_names::kNext) + "\n" : "";
    if (request_.stage.task == StateTask::weigh)
      text += column(state_names::kTransition, false) + "\n";
    if (request_.stage.task != StateTask::densities)
      return text + column(state_names::kWeight, false) + "\n";
    return text + column(state_names::kWeight, false) +
           column(state_names::kWeight + "_outcome", false) + "\n";
  }

  // The state of a particle, from its columns.
  std::string state_of(const std::string& name) const {
    const auto element = [&](Index k) { return fmt::format("{}{}[credo_p]", name, k); };
    if (functions_.state.is_scalar()) return element(1);
    std::vector<std::string> elements;
    for (Index k = 1; k <= request_.state_size; ++k) elements.push_back(element(k));
    const std::string list = fmt::format("{}", fmt::join(elements, ", "));
    if (functions_.state.depth > 0) return "{" + list + "}";
    return "[" + list + "]" + (functions_.state.is(BaseType::vector) ? "'" : "");
  }

  std::string uniforms_of_particle() const {
    std::vector<std::string> elements;
    for (Index k = 1; k <= request_.state_size; ++k)
      elements.push_back(fmt::format("{}{}[credo_p]", state_names::kGiven, k));
    return fmt::format("[{}]'", fmt::join(elements, ", "));
  }

  std::string argument(const StateArgument& a) const {
    switch (a.from) {
      case From::state:
        return "credo_x";
      case From::previous:
        return "credo_before";
      case From::uniforms:
        return "credo_uniforms";
      case From::time:
        return state_names::kTime;
      case From::regime:
        return state_names::kRegime;
      case From::whole:
        return name_of(a.global);
      default:
        return state_names::kAt + name_of(a.global);
    }
  }
  const std::string& name_of(int global) const {
    return source_.program.globals[static_cast<std::size_t>(global)].name;
  }
  std::string call(StateRole role) const {
    const StateFunction& f = functions_[role];
    std::string text = f.name + "(";
    for (std::size_t k = 0; k < f.arguments.size(); ++k)
      text += (k == 0 ? "" : k == 1 && f.is_density ? " | " : ", ") + argument(f.arguments[k]);
    return text + (f.is_density && f.arguments.size() == 1 ? " |)" : ")");
  }

  std::string body() const {
    const StateStage& stage = request_.stage;
    std::string text;
    const std::string type = declaration_of_state();
    if (takes_previous())
      text += fmt::format("{} = {};\n", type + " credo_before", state_of(state_names::kPrevious));
    const std::vector<StateRole> roles = roles_of(stage, functions_);
    if (stage.task == StateTask::map)
      text += fmt::format("vector[{}] credo_uniforms = {};\n", request_.state_size,
                          uniforms_of_particle());
    else if (is_given())
      text += fmt::format("{} = {};\n", type + " credo_x", state_of(state_names::kGiven));
    if (stage.task == StateTask::densities)
      return text + fmt::format("{}[credo_p] = {};\n{}_outcome[credo_p] = {};\n",
                                state_names::kWeight, call(roles[0]), state_names::kWeight,
                                call(roles[1]));
    if (stage.task == StateTask::outcome) return text + drawn_outcome();
    std::size_t next = 0;
    if (stage.task == StateTask::weigh)
      text += fmt::format("{}[credo_p] = {};\n", state_names::kTransition, call(roles[next++]));
    if (draws()) text += fmt::format("{} = {};\n", type + " credo_x", call(roles[next++]));
    if (draws())
      for (Index k = 1; k <= request_.state_size; ++k)
        text += fmt::format("{}{}[credo_p] = credo_x{};\n", state_names::kNext, k,
                            functions_.state.is_scalar() ? "" : fmt::format("[{}]", k));
    return text + fmt::format("{}[credo_p] = {};\n", state_names::kWeight, sum_of(roles, next));
  }
  std::string drawn_outcome() const {
    const lang::UnsizedType type = type_of_outcome();
    std::string text = fmt::format("{} credo_y = {};\n", declaration(type, request_.outcome_size),
                                   call(StateRole::observation_draw));
    for (Index k = 1; k <= request_.outcome_size; ++k)
      text += fmt::format("{}{}[credo_p] = credo_y{};\n", state_names::kOutcome, k,
                          type.is_scalar() ? "" : fmt::format("[{}]", k));
    return text;
  }
  std::string sum_of(std::span<const StateRole> roles, std::size_t first) const {
    std::string sum;
    for (std::size_t k = first; k < roles.size(); ++k) {
      const bool less = roles[k] == StateRole::proposal_density ||
                        roles[k] == StateRole::initial_proposal_density;
      sum += (sum.empty() ? "" : less ? " - " : " + ") + call(roles[k]);
    }
    return sum.empty() ? "0" : sum;
  }
  std::string declaration_of_state() const {
    return declaration(functions_.state, request_.state_size);
  }
  static std::string declaration(const lang::UnsizedType& s, Index size) {
    if (s.is_real()) return "real";
    if (s.is_int()) return "int";
    if (s.depth > 0) return fmt::format("array[{}] {}", size, lang::spelling(s.base));
    return fmt::format("{}[{}]", lang::spelling(s.base), size);
  }

  const ProgramSource& source_;
  const StateFunctions& functions_;
  const StateTextRequest& request_;
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

std::string state_text(const ProgramSource& source, const StateFunctions& functions,
                       const StateTextRequest& request) {
  return StateWriter(source, functions, request).text();
}

}  // namespace credo::model
