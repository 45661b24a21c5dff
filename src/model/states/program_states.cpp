// The state-space model of a program at any of its points, and where its states are among the parameters: the parameter that has
// the name of observation_lpdf's second argument, with a state for each time. A program without it has the prior of its parameters
// alone in its model block.
#include <fmt/format.h>

#include "base/error.hpp"
#include "model/statements/unread_data.hpp"
#include "model/states/state_likelihood.hpp"
#include "model/states/state_model.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::BaseType;
constexpr const char* kHowStates = "docs/algorithms/particle-mcmc.md says what such a program has";

class ProgramStates final : public density::StateSpaceAt {
 public:
  explicit ProgramStates(const Model& model)
      : model_(model), functions_(state_functions(model.source())) {
    for (const typed::GlobalVariable& g : model.source().program.globals)
      if (g.block == typed::BlockKind::parameters && g.type.base == BaseType::integer)
        throw Error(ErrorCode::program,
                    fmt::format("{}: particle chains take no discrete parameters", g.name),
                    model.name(), kHowStates);
    const typed::GlobalVariable* states = find_states();
    if (states != nullptr) take_coordinates(*states);
  }

  std::span<const Index> state_coordinates() const override { return coordinates_; }
  const density::StateSpace& at(std::span<const double> position) override {
    if (space_ != nullptr) {
      space_->move_to(position);
      return *space_;
    }
    space_ = std::make_unique<StateModel>(model_, position);
    coordinates_.empty() ? require_prior_alone(position) : require_length();
    return *space_;
  }

 private:
  const std::string& name_of_state() const;
  const typed::GlobalVariable* find_states() const;
  void take_coordinates(const typed::GlobalVariable& states);
  void require_prior_alone(std::span<const double> position) const;
  void require_length() const;

  const Model& model_;
  StateFunctions functions_;
  std::vector<Index> coordinates_;
  std::unique_ptr<StateModel> space_;
};

const std::string& ProgramStates::name_of_state() const {
  const StateFunction& f = functions_[StateRole::observation_density];
  const auto& function = model_.source().program.functions[static_cast<std::size_t>(f.function)];
  return function.variables[1].name;
}

const typed::GlobalVariable* ProgramStates::find_states() const {
  for (const typed::GlobalVariable& g : model_.source().program.globals) {
    if (g.name != name_of_state()) continue;
    const auto fail = [&](const std::string& message, const char* hint) {
      throw Error(ErrorCode::program, fmt::format("{}: {}", g.name, message), model_.name(), hint);
    };
    if (g.block == typed::BlockKind::transformed_parameters)
      fail("the states are transformed parameters, and must be parameters or be left out",
           "declare them as parameters, with the densities of the state functions in the model "
           "block");
    if (g.block != typed::BlockKind::parameters) continue;
    if (type_at_one_time(g.type) != functions_.state)
      fail("a parameter that has the name of a state must have a state for each time",
           "name the state of observation_lpdf otherwise, or declare the parameter by times, such "
           "as vector[T]");
    if (typed::has_constraint(*g.sized_type))
      fail("states that are parameters can't be constrained",
           "leave the constraint out, or take the states out of the parameters and their densities "
           "out of the model block");
    return &g;
  }
  return nullptr;
}

// A matrix has the states as its rows, and lies by columns.
void ProgramStates::take_coordinates(const typed::GlobalVariable& states) {
  const density::Layout layout = model_.unconstrained();
  const Index variable = *layout.find_variable(states.name), first = layout.first(variable);
  const density::Variable& v = layout.variables()[static_cast<std::size_t>(variable)];
  const Index size = v.size(), times = v.dims.empty() ? 1 : v.dims[0];
  const bool by_rows = states.type.depth == 0 && states.type.base == BaseType::matrix;
  for (Index k = 0; k < size; ++k)
    coordinates_.push_back(first + (by_rows ? k / (size / times) + k % (size / times) * times : k));
}

void ProgramStates::require_length() const {
  const Index expected = space_->num_times() * space_->state().size();
  if (ssize(coordinates_) == expected) return;
  throw Error(ErrorCode::data,
              fmt::format("{} has {} numbers, and the states of {} times have {}", name_of_state(),
                          coordinates_.size(), space_->num_times(), expected),
              name_of_state(), "declare a state for each time of the outcome");
}

// The likelihood is the filter's: terms of data in the model block would count twice.
void ProgramStates::require_prior_alone(std::span<const double> position) const {
  const auto rows =
      model_.num_rows() > 0 ? model_.rows(position) : std::vector<StatementRowCount>{};
  if (rows.empty()) return;
  throw Error(ErrorCode::program,
              fmt::format("no parameter is named {}, as the state is, and the model block has a "
                          "likelihood of its own",
                          name_of_state()),
              model_.source().where(rows[0].statement), kHowStates);
}
}  // namespace

namespace {
const typed::Function* observation_of(const typed::Program& program) {
  const auto found = std::ranges::find_if(program.functions, [](const typed::Function& f) {
    return f.body != nullptr && (f.name == "observation_lpdf" || f.name == "observation_lpmf");
  });
  return found == program.functions.end() ? nullptr : &*found;
}

// True if a parameter or transformed parameter has the name of the state.
bool has_states(const typed::Program& program, const typed::Function& observation) {
  if (observation.num_parameters() < 2) return true;  // it states no state-space model
  return std::ranges::any_of(program.globals, [&](const typed::GlobalVariable& g) {
    return g.name == observation.variables[1].name &&
           (g.block == typed::BlockKind::parameters ||
            g.block == typed::BlockKind::transformed_parameters);
  });
}
}  // namespace

// Decided from the text alone, so that the answer is the same for any data: a term that may read data counts as a
// likelihood.
density::Capability has_likelihood(const ProgramSource& source, const density::Query& query) {
  const typed::Program& program = source.program;
  const bool asks_for_it =
      query.terms == density::Terms::all || query.terms == density::Terms::likelihood;
  const typed::Function* observation = observation_of(program);
  if (!asks_for_it || observation == nullptr || has_states(program, *observation) ||
      may_have_likelihood(program))
    return {};
  return {.can = false,
          .reason =
              "this program leaves the states out: its model block has the prior of the "
              "parameters alone, and only filters can compute the likelihood",
          .where = source.source.where(observation->declared),
          .hint =
              "use credo sample --sampler pmmh, or smc2, which also gives the evidence; credo "
              "filter computes the likelihood at given parameters; --terms prior uses the prior "
              "alone"};
}

std::unique_ptr<density::StateSpaceAt> Model::make_state_space() const {
  return std::make_unique<ProgramStates>(*this);
}

}  // namespace credo::model
