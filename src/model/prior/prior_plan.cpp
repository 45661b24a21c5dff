#include "model/prior/prior_plan.hpp"

#include "lang/trace/density_call.hpp"
#include "lang/trace/increment_parts.hpp"
#include "lang/typed/each_statement.hpp"
#include "lang/typed/loop_facts.hpp"
#include "model/prior/prior_sums.hpp"
#include "model/statements/statements.hpp"

namespace credo::model {
namespace {
using typed::BlockKind;
using Ids = std::vector<std::int32_t>;

// The expressions that decide how often a statement runs: ranges and containers of loops, conditions.
struct Surroundings {
  Ids ids;  // those of the statement, too
  std::vector<const typed::Expression*> read;
  bool is_loop = false, is_known = true;  // not known: a while loop
};

Surroundings around(const PlacedStatement& at) {
  Surroundings result;
  for (const Enclosing& enclosing : at.around) {
    const auto& node = enclosing.statement->node;
    result.ids.push_back(enclosing.statement->id);
    result.is_loop |= enclosing.is_loop();
    if (const auto* range = std::get_if<typed::ForRange>(&node))
      result.read.insert(result.read.end(), {&range->first, &range->last});
    if (const auto* each = std::get_if<typed::ForEach>(&node))
      result.read.push_back(&each->container);
    if (const auto* condition = std::get_if<typed::If>(&node))
      result.read.push_back(&condition->condition);
    result.is_known &= !std::holds_alternative<typed::While>(node);
  }
  result.ids.push_back(at.statement->id);
  return result;
}

// The densities of parameters, by the statements in which they are written; the first one of a mixture.
using ParameterDensities = std::map<std::int32_t, const typed::Call*>;

ParameterDensities parameter_densities(const typed::Program& program) {
  ParameterDensities found;
  for (const ModelStatement& entry : model_statements(program)) {
    const bool is_stated =
        entry.density_of >= 0 && entry.density != nullptr && !entry.is_tail && entry.calls.empty();
    const bool is_in_sum = entry.statement != entry.written_in;
    if (is_stated && !(is_in_sum && entry.is_component))
      found.emplace(entry.written_in, entry.density);
  }
  return found;
}

bool is_of_whole_number(const typed::Program& program, const typed::Call& density) {
  const int slot = outcome_of_prior(density.arguments[0])->slot.index;
  return lang::is_int_based(program.globals[static_cast<std::size_t>(slot)].type);
}

// A statement that can be drawn from.
struct Prior {
  std::int32_t outcome;                          // slot
  std::set<int> needs;                           // slots of parameters and transformed parameters
  Ids run;                                       // statements that run for it
  bool is_possible = true, is_deciding = false;  // it decides whether its own statement runs
  bool is_mixture = false, is_vector_walk = false;
  std::int32_t summed = 0;  // the statement that adds to a sum of priors; 0: in the model block
};

// Finds what a prior needs, through the local variables of the model block.
class Needs {
 public:
  Needs(const typed::Program& program, const std::vector<PlacedStatement>& leaves)
      : program_(program), leaves_(leaves) {}

  Prior of(const PlacedStatement& at, const typed::Call& density) {
    prior_ = {
        .outcome = outcome_of_prior(density.arguments[0])->slot.index, .needs = {}, .run = {}};
    seen_.clear();
    const Surroundings surroundings = around(at);
    add_surroundings(surroundings);
    prior_.is_deciding = prior_.needs.contains(prior_.outcome);
    for (const typed::Expression& argument : density.arguments) read(lang::facts_of(argument));
    if (const auto* d = std::get_if<typed::Distribution>(&at.statement->node)) {
      read(d->lower);
      read(d->upper);
    }
    if (const auto* t = std::get_if<typed::TargetIncrement>(&at.statement->node))
      add_mixture(t->value);
    const bool by_elements =
        surroundings.is_loop || density.arguments[0].type.is_scalar() || is_univariate(density);
    const bool reads_itself = reads_slot(density, prior_.outcome);
    if (reads_itself && !by_elements) prior_.is_possible = false;
    prior_.is_vector_walk =
        reads_itself && !density.arguments[0].type.is_scalar() && !surroundings.is_loop;
    add_bounds();
    prior_.needs.erase(prior_.outcome);
    return prior_;
  }

 private:
  // True if the elements can be drawn one after another.
  static bool is_univariate(const typed::Call& density) {
    const auto function = lang::distribution_function(density.function.name);
    return function && function->distribution->kind != dist::Kind::multivariate;
  }
  // A mixture is possible if its components are of one parameter, and none of their arguments reads it.
  void add_mixture(const typed::Expression& increment) {
    const std::optional<lang::Mixture> mixture = lang::mixture_in(increment);
    if (!mixture || lang::sole_density(program_, increment) != nullptr) return;
    prior_.is_mixture = true;
    read(lang::facts_of(increment));
    for (const typed::Call* density : mixture->densities) {
      const typed::VariableUse* use = outcome_of_prior(density->arguments[0]);
      if (use == nullptr || use->slot.index != prior_.outcome ||
          reads_slot(*density, prior_.outcome) || !is_univariate(*density))
        prior_.is_possible = false;
    }
  }
  void add_surroundings(const Surroundings& surroundings) {
    prior_.run.insert(prior_.run.end(), surroundings.ids.begin(), surroundings.ids.end());
    if (!surroundings.is_known) prior_.is_possible = false;
    for (const typed::Expression* e : surroundings.read) read(lang::facts_of(*e));
  }
  void add_bounds() {
    const typed::SizedType& type =
        *program_.globals[static_cast<std::size_t>(prior_.outcome)].sized_type;
    for (const typed::Box* box : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      read(*box);
  }
  void read(const typed::Box& box) {
    if (box != nullptr) read(lang::facts_of(*box));
  }
  void read(const lang::Facts& facts) {
    for (const lang::SlotUse& use : facts.slots)
      use.slot.local ? local(use.slot) : global(use.slot);
  }
  void global(typed::Slot slot) {
    const typed::GlobalVariable& variable = program_.globals[static_cast<std::size_t>(slot.index)];
    const bool is_parameter = variable.block == BlockKind::parameters;
    if (is_parameter && lang::is_int_based(variable.type)) prior_.is_possible = false;
    if (is_parameter || variable.block == BlockKind::transformed_parameters)
      prior_.needs.insert(slot.index);
  }
  // Everything that assigns the variable runs, too; a loop's own variable has no such statement.
  void local(typed::Slot slot) {
    if (!seen_.insert(slot.index).second) return;
    for (const PlacedStatement& leaf : leaves_) {
      const bool unpacks = std::holds_alternative<typed::Unpacking>(leaf.statement->node);
      if (unpacks) prior_.is_possible = false;
      const lang::Facts facts = lang::facts_of(*leaf.statement);
      const lang::SlotUse* use = facts.find(slot);
      if (use == nullptr || !(use->is_assigned() || use->declared)) continue;
      add_surroundings(around(leaf));
      read(facts);
    }
  }

  const typed::Program& program_;
  const std::vector<PlacedStatement>& leaves_;
  Prior prior_;
  std::set<int> seen_;
};

// A statement of transformed parameters.
struct Definition {
  const typed::Statement* statement;
  std::set<int> writes, reads;  // slots
};

std::vector<Definition> definitions_of(const typed::Block& block) {
  std::vector<Definition> definitions;
  for (const typed::Statement& s : block.statements) {
    Definition& definition = definitions.emplace_back(Definition{&s, {}, {}});
    for (const lang::SlotUse& use : lang::facts_of(s).slots) {
      if (use.slot.local) continue;
      if (use.is_assigned()) definition.writes.insert(use.slot.index);
      if (use.reads + use.elements + use.sums > 0) definition.reads.insert(use.slot.index);
    }
  }
  return definitions;
}

bool unpacks(const typed::Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const auto& s) {
    return lang::facts_of(s).blocker == "an assignment to several variables";
  });
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int slot) { return b.contains(slot); });
}

void mark_inside(const typed::Statement& s, std::vector<char>& marks) {
  lang::for_each_statement(
      s, [&](const typed::Statement& inner) { marks[static_cast<std::size_t>(inner.id)] = 1; });
}

// Puts priors and definitions into an order in which each comes after those that it needs.
class PriorPlanner {
 public:
  PriorPlanner(const typed::Program& program, PriorForms forms)
      : program_(program),
        forms_(forms),
        sums_(forms == PriorForms::all ? summed_priors(program) : std::set<int>()),
        densities_(parameter_densities(program)),
        waiting_(program.globals.size()),
        knows_definitions_(!unpacks(program.transformed_parameters)) {
    if (!sums_.empty()) find_priors(program.transformed_parameters);
    find_priors(program.model);
    if (knows_definitions_) definitions_ = definitions_of(program.transformed_parameters);
    find_wanted();
    for (const Prior& prior : priors_) ++waiting_[static_cast<std::size_t>(prior.outcome)];
    for (const Definition& d : definitions_)
      for (const int slot : d.writes) ++waiting_[static_cast<std::size_t>(slot)];
  }

  PriorPlan plan() {
    PriorPlan plan{.stages = {},
                   .outcomes = {},
                   .deciding = {},
                   .sums = sums_,
                   .summed = {},
                   .sum_statements = sum_statements()};
    for (const Prior& prior : priors_) {
      plan.outcomes.insert(prior.outcome);
      if (prior.is_deciding) plan.deciding.insert(prior.outcome);
    }
    for (bool goes_on = !priors_.empty(); goes_on;) {
      const std::size_t before = plan.stages.size();
      take_ready_priors(plan);
      take(plan, BlockKind::transformed_parameters, ready_definitions());
      goes_on = plan.stages.size() > before;
    }
    return plan;
  }

 private:
  void find_priors(const typed::Block& block) {
    const bool is_of_sums = &block == &program_.transformed_parameters;
    const std::vector<PlacedStatement> leaves = placed_statements(block.statements);
    Needs needs(program_, leaves);
    for (const PlacedStatement& leaf : leaves) {
      const auto found = densities_.find(leaf.statement->id);
      if (found == densities_.end() || is_of_whole_number(program_, *found->second)) continue;
      Prior prior = needs.of(leaf, *found->second);
      const bool is_taken =
          forms_ == PriorForms::all || !(prior.is_mixture || prior.is_vector_walk);
      if (!prior.is_possible || !is_taken) continue;
      if (is_of_sums) prior.summed = leaf.statement->id;
      if (is_of_sums) add_declaration(prior, *leaf.statement);
      priors_.push_back(std::move(prior));
    }
  }
  std::set<std::int32_t> sum_statements() const {
    std::set<std::int32_t> found;
    for (const PlacedStatement& leaf :
         placed_statements(program_.transformed_parameters.statements)) {
      const auto* a = std::get_if<typed::Assignment>(&leaf.statement->node);
      if (a != nullptr && !a->target.slot.local && sums_.contains(a->target.slot.index))
        found.insert(leaf.statement->id);
    }
    return found;
  }
  // The variable must be declared before something is added to it.
  void add_declaration(Prior& prior, const typed::Statement& sum) const {
    const int slot = std::get<typed::Assignment>(sum.node).target.slot.index;
    for (const typed::Statement& s : program_.transformed_parameters.statements) {
      const auto* d = std::get_if<typed::Declaration>(&s.node);
      if (d != nullptr && d->slot.index == slot) prior.run.push_back(s.id);
    }
    prior.needs.erase(slot);
  }

  // Only definitions that priors need are run.
  void find_wanted() {
    std::set<int> wanted;
    for (const Prior& prior : priors_) wanted.insert(prior.needs.begin(), prior.needs.end());
    for (std::size_t size = 0; size != wanted.size();) {
      size = wanted.size();
      for (const Definition& d : definitions_)
        if (meet(d.writes, wanted)) wanted.insert(d.reads.begin(), d.reads.end());
    }
    std::erase_if(definitions_, [&](const Definition& d) { return !meet(d.writes, wanted); });
  }

  // Parameters that are drawn in these stages are known in later stages.
  void take_ready_priors(PriorPlan& plan) {
    std::vector<char> of_sums = nothing(), of_model = of_sums;
    bool any_sum = false, any_model = false;
    std::vector<Prior> left;
    for (Prior& prior : priors_) {
      const bool is_ready = std::all_of(prior.needs.begin(), prior.needs.end(),
                                        [&](int slot) { return is_set(slot); });
      if (!is_ready) {
        left.push_back(std::move(prior));
        continue;
      }
      std::vector<char>& marks = prior.summed > 0 ? of_sums : of_model;
      (prior.summed > 0 ? any_sum : any_model) = true;
      for (const std::int32_t id : prior.run) marks[static_cast<std::size_t>(id)] = 1;
      if (prior.summed > 0) plan.summed.insert(prior.summed);
      --waiting_[static_cast<std::size_t>(prior.outcome)];
    }
    priors_ = std::move(left);
    if (any_sum) take(plan, BlockKind::transformed_parameters, std::move(of_sums));
    if (any_model) take(plan, BlockKind::model, std::move(of_model));
  }

  // In the program's order: what an earlier statement, not yet run, writes isn't there.
  std::vector<char> ready_definitions() {
    std::vector<char> marks = nothing();
    std::set<int> unwritten;
    std::vector<Definition> left;
    for (Definition& d : definitions_) {
      const bool parameters_are_set = std::all_of(d.reads.begin(), d.reads.end(), [&](int slot) {
        return is_defined(slot) || is_set(slot);
      });
      if (parameters_are_set && !meet(d.reads, unwritten) && !meet(d.writes, unwritten)) {
        mark_inside(*d.statement, marks);
        for (const int slot : d.writes) --waiting_[static_cast<std::size_t>(slot)];
        continue;
      }
      unwritten.insert(d.writes.begin(), d.writes.end());
      left.push_back(std::move(d));
    }
    const bool any = left.size() < definitions_.size();
    definitions_ = std::move(left);
    return any ? marks : std::vector<char>{};
  }

  bool is_defined(int slot) const {
    return program_.globals[static_cast<std::size_t>(slot)].block ==
           BlockKind::transformed_parameters;
  }
  // Drawn, or nothing will draw it; defined by statements that have run.
  bool is_set(int slot) const {
    if (is_defined(slot) && !knows_definitions_) return false;
    return waiting_[static_cast<std::size_t>(slot)] == 0;
  }

  // Functions' statements run wherever they are called.
  std::vector<char> nothing() const {
    std::vector<char> marks(program_.statement_ranges.size(), 0);
    for (const typed::Function& function : program_.functions)
      if (function.body != nullptr) mark_inside(*function.body, marks);
    return marks;
  }

  static void take(PriorPlan& plan, BlockKind block, std::vector<char> marks) {
    if (!marks.empty()) plan.stages.push_back({block, std::move(marks)});
  }

  const typed::Program& program_;
  PriorForms forms_;
  std::set<int> sums_;
  ParameterDensities densities_;
  std::vector<Prior> priors_;            // waiting ones
  std::vector<Definition> definitions_;  // waiting ones
  std::vector<int> waiting_;             // how many of both are to come, by slot
  bool knows_definitions_;
};
}  // namespace

bool reads_slot(const typed::Call& density, int slot) {
  return std::any_of(density.arguments.begin() + 1, density.arguments.end(),
                     [&](const typed::Expression& argument) {
                       return lang::facts_of(argument).find({.local = false, .index = slot}) !=
                              nullptr;
                     });
}

PriorPlan plan_priors(const typed::Program& program, PriorForms forms) {
  return PriorPlanner(program, forms).plan();
}

namespace {
// A term of numbers and data is a constant where no parameter decides whether it is there.
bool depends_on_parameters(const typed::Program& program, const PlacedStatement& leaf) {
  const Surroundings surroundings = around(leaf);
  return !surroundings.is_known ||
         lang::may_read_parameters(program, lang::facts_of(*leaf.statement)) ||
         std::ranges::any_of(surroundings.read, [&](const typed::Expression* e) {
           return lang::may_read_parameters(program, lang::facts_of(*e));
         });
}

// Adding a sum of priors to the target doesn't count, because its increments count.
bool adds(const typed::Statement& s, const std::set<int>& sums) {
  if (const auto* a = std::get_if<typed::Assignment>(&s.node))
    return !a->target.slot.local && sums.contains(a->target.slot.index);
  if (const auto* t = std::get_if<typed::TargetIncrement>(&s.node)) {
    const auto* use = std::get_if<typed::VariableUse>(&t->value.node);
    if (use != nullptr && !use->slot.local && sums.contains(use->slot.index)) return false;
  }
  if (const auto* call = std::get_if<typed::CallStatement>(&s.node))
    return std::string_view(call->call.function.name).ends_with("_lp");
  return std::holds_alternative<typed::Distribution>(s.node) ||
         std::holds_alternative<typed::TargetIncrement>(s.node) ||
         std::holds_alternative<typed::JacobianIncrement>(s.node);
}
}  // namespace

std::vector<std::int32_t> other_increments(const typed::Program& program, const PriorPlan& plan) {
  std::vector<std::int32_t> others;
  const auto is_planned = [&](std::int32_t statement) {
    if (plan.summed.contains(statement)) return true;
    return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const PriorStage& stage) {
      return stage.block == BlockKind::model &&
             stage.statements[static_cast<std::size_t>(statement)] != 0;
    });
  };
  const ParameterDensities densities = parameter_densities(program);
  // A discrete parameter that is summed out: its density sums to 1, which each draw is checked for.
  const auto is_summed_out = [&](std::int32_t statement) {
    const auto found = densities.find(statement);
    return found != densities.end() && is_of_whole_number(program, *found->second);
  };
  for (const typed::Block* block : {&program.transformed_parameters, &program.model}) {
    for (const PlacedStatement& leaf : placed_statements(block->statements))
      if (adds(*leaf.statement, plan.sums) && !is_planned(leaf.statement->id) &&
          !is_summed_out(leaf.statement->id) && depends_on_parameters(program, leaf))
        others.push_back(leaf.statement->id);
  }
  return others;
}

}  // namespace credo::model
