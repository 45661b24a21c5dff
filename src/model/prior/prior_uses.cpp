#include "model/prior/prior_uses.hpp"

#include "lang/trace/density_call.hpp"
#include "lang/trace/increment_parts.hpp"
#include "lang/typed/each_statement.hpp"
#include "model/prior/prior_mixture.hpp"
#include "model/prior/prior_plan.hpp"
#include "model/prior/prior_sums.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using typed::BlockKind;

// The densities and parameters in an expression, including those in the values of its variables.
struct Ingredients {
  std::vector<const typed::Call*> densities;
  std::set<int> parameters;  // outside the densities
  bool reads_data = false;
};

// The expressions that are assigned to each variable of a block.
class Definitions {
 public:
  void take(const typed::Block& block) {
    lang::for_each_statement(block.statements, [this](const typed::Statement& s) {
      std::visit([&](const auto& node) { look(node); }, s.node);
    });
  }
  void forget_locals() {
    std::erase_if(values_, [](const auto& entry) { return entry.first.first; });
  }
  std::span<const typed::Expression* const> of(typed::Slot slot) const {
    const auto found = values_.find({slot.local, slot.index});
    if (found == values_.end()) return {};
    return found->second;
  }

 private:
  void add(typed::Slot slot, const typed::Expression& value) {
    values_[{slot.local, slot.index}].push_back(&value);
  }
  template <class T>
  void look(const T&) {}
  void look(const typed::Declaration& d) {
    if (d.value != nullptr) add(d.slot, *d.value);
  }
  void look(const typed::Assignment& a) { add(a.target.slot, a.value); }
  void look(const typed::Unpacking& u) {
    for (const auto& leaf : u.leaves) add(leaf.target.slot, u.value);
  }
  void look(const typed::ForEach& s) { add(s.slot, s.container); }

  std::map<std::pair<bool, int>, std::vector<const typed::Expression*>> values_;
};

// Treated like densities: they normalise densities that are truncated by hand. Only the outcome counts, not the
// arguments.
bool is_tail_function(const typed::Call& call) {
  const std::string_view name = call.function.name;
  return name.ends_with("_lccdf") || name.ends_with("_lcdf") || name.ends_with("_cdf");
}

// The variable if the expression is a variable or an element of one; else null.
const typed::VariableUse* variable_of(const typed::Expression& e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
    return variable_of(*promotion->operand);
  if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
    return variable_of(*indexed->base);
  return std::get_if<typed::VariableUse>(&e.node);
}
}  // namespace

class PriorUses::TermReader {
 public:
  TermReader(const typed::Program& program, PriorUses& uses)
      : program_(program), uses_(uses), sums_(summed_priors(program)) {}

  // Takes the definitions of global variables in another block.
  void know(const typed::Block& block) {
    definitions_.take(block);
    definitions_.forget_locals();
  }
  void run(const typed::Block& block) {
    definitions_.take(block);
    lang::for_each_statement(block.statements, [this](const typed::Statement& s) {
      statement_ = s.id;
      std::visit([&](const auto& node) { look(node); }, s.node);
    });
  }

 private:
  template <class T>
  void look(const T&) {}
  void look(const typed::Distribution& s) {
    if (!lang::is_density(s.density) || !is_parameter(s.density))
      take_outcome(s.density.arguments[0]);
  }
  void look(const typed::TargetIncrement& s) {
    if (!is_of_parameter(s.value)) take_sum(s.value);
  }
  bool is_of_parameter(const typed::Expression& increment) {
    if (const typed::Call* density = lang::sole_density(program_, increment))
      return is_parameter(*density);
    const std::optional<lang::Mixture> mixture = lang::mixture_in(increment);
    return mixture && is_parameter(*mixture->densities.front()) &&
           is_mixture_of(*mixture,
                         outcome_of_prior(mixture->densities.front()->arguments[0])->slot.index);
  }
  // True for a density of a parameter, which is recorded as such and needs no further analysis.
  bool is_parameter(const typed::Call& density) {
    const typed::VariableUse* use = outcome_of_prior(density.arguments[0]);
    if (use == nullptr ||
        program_.globals[static_cast<std::size_t>(use->slot.index)].block != BlockKind::parameters)
      return false;
    uses_.outcomes_.insert(use->slot.index);
    return true;
  }
  void look(const typed::CallStatement& s) {
    if (!std::string_view(s.call.function.name).ends_with("_lp")) return;
    begin();
    for (const typed::Expression& argument : s.call.arguments) collect(argument);
    take_by_hand();
  }

  // ---- terms

  void take_sum(const typed::Expression& e) {
    for (const lang::IncrementPart& part : lang::parts_of(e)) take_term(*part.value);
  }
  // For a variable that sums up terms, its summands are taken.
  void take_term(const typed::Expression& e) {
    const typed::VariableUse* use = variable_of(e);
    const auto values =
        use == nullptr ? std::span<const typed::Expression* const>() : definitions_.of(use->slot);
    if (!values.empty()) {
      if (!summed_.insert({use->slot.local, use->slot.index}).second) return;
      for (const typed::Expression* value : values)
        if (use->slot.local || !sums_.contains(use->slot.index) || !is_of_parameter(*value))
          take_sum(*value);
      return;
    }
    begin();
    collect(e);
    if (found_.densities.empty()) return take_by_hand();
    for (const typed::Call* density : std::vector(found_.densities))
      take_outcome(density->arguments[0]);
  }
  void take_by_hand() {
    if (!found_.reads_data) return uses_.priors_.merge(found_.parameters);
    for (const int slot : found_.parameters) uses_.by_hand_.try_emplace(slot, statement_);
  }
  // A formula of data and parameters counts as hand-written. A variable may have elements of both.
  void take_outcome(const typed::Expression& outcome) {
    begin();
    collect(outcome);
    if (found_.reads_data && variable_of(outcome) != nullptr)
      return uses_.priors_.merge(found_.parameters);
    take_by_hand();
  }

  // ---- what an expression is made of

  void begin() {
    found_ = {};
    seen_.clear();
  }
  void collect(const typed::Expression& e) {
    std::visit([&](const auto& node) { from(node); }, e.node);
  }
  void collect(std::span<const typed::Expression> all) {
    for (const typed::Expression& e : all) collect(e);
  }
  template <class T>
  void from(const T&) {}
  void from(const typed::VariableUse& use) {
    if (!seen_.insert({use.slot.local, use.slot.index}).second) return;
    if (!use.slot.local) {
      const BlockKind block = program_.globals[static_cast<std::size_t>(use.slot.index)].block;
      if (block == BlockKind::parameters) found_.parameters.insert(use.slot.index);
      if (block == BlockKind::data || block == BlockKind::transformed_data)
        found_.reads_data = true;
    }
    for (const typed::Expression* value : definitions_.of(use.slot)) collect(*value);
  }
  void from(const typed::Call& call) {
    if (!lang::is_any_density(call) && !is_tail_function(call)) return collect(call.arguments);
    found_.densities.push_back(&call);
  }
  void from(const typed::TargetValue&) { found_.reads_data = true; }
  void from(const typed::Promotion& e) { collect(*e.operand); }
  void from(const typed::Conditional& e) { collect(*e.if_true), collect(*e.if_false); }
  void from(const typed::ShortCircuit& e) { collect(*e.left), collect(*e.right); }
  void from(const typed::Indexed& e) { collect(*e.base); }
  void from(const typed::Projection& e) { collect(*e.base); }
  void from(const typed::ArrayLiteral& e) { collect(e.elements); }
  void from(const typed::RowVectorLiteral& e) { collect(e.elements); }
  void from(const typed::MatrixLiteral& e) { collect(e.rows); }
  void from(const typed::TupleLiteral& e) { collect(e.elements); }

  const typed::Program& program_;
  PriorUses& uses_;
  std::set<int> sums_;
  Definitions definitions_;
  Ingredients found_;
  std::set<std::pair<bool, int>> seen_, summed_;
  std::int32_t statement_ = 0;
};

// The blocks have separate local variables, so each block has its own reader. The model block's reader knows
// transformed parameters by their definitions.
PriorUses::PriorUses(const typed::Program& program) {
  TermReader(program, *this).run(program.transformed_parameters);
  TermReader reader(program, *this);
  reader.know(program.transformed_parameters);
  reader.run(program.model);
}

}  // namespace credo::model
