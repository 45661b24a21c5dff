// Reads the blocks in program order. An increment is taken apart into terms; a term is a density, a call of a
// function of the program, a variable whose assigned values are taken in its place, or a formula.
#include "model/statements/statements.hpp"

#include <fmt/format.h>

#include <deque>

#include "lang/trace/density_call.hpp"
#include "lang/trace/increment_parts.hpp"
#include "lang/typed/each_operand.hpp"
#include "model/prior/prior_mixture.hpp"
#include "model/prior/prior_sums.hpp"
#include "model/queries/prior_levels.hpp"
#include "model/statements/value_sources.hpp"

namespace credo::model {
namespace {
constexpr std::size_t kMaxCalls = 8, kMaxFrames = 2000;  // nested calls of functions; in all

bool adds_to_target(const typed::Program& program, const typed::Call& call) {
  return call.function.is_user() &&
         program.functions[static_cast<std::size_t>(call.function.user)].suffix ==
             typed::Suffix::lp;
}

// A place in the program that the reader has reached, with the conditions and loops on the way.
struct ReadingPlace {
  const StatementFrame* frame = nullptr;
  ModelStatement entry = {};  // without what only the density itself says
};

class StatementReader {
 public:
  explicit StatementReader(const typed::Program& program)
      : program_(program),
        values_(program, globals_),
        sums_(summed_priors(program)),
        scaled_(scaled_parameters(program)),
        reads_(program.statement_ranges.size()) {}

  void read() {
    for (const typed::BlockKind kind :
         {typed::BlockKind::transformed_parameters, typed::BlockKind::model}) {
      const typed::Block& block = program_.block(kind);
      const StatementFrame& frame = frames_.emplace_back(block.statements, block.locals, globals_);
      for (const PlacedStatement& placed : frame.statements) {
        ReadingPlace at{.frame = &frame};
        at.entry.block = kind;
        at.entry.statement = placed.statement->id;
        followed_.clear();
        const std::size_t first = entries_.size();
        look(placed, at);
        judge_kinds(std::span(entries_).subspan(first));
      }
    }
  }
  void read_function(const typed::Function& function) {
    const StatementFrame& frame = frames_.emplace_back(
        std::span<const typed::Statement>(function.body.get(), 1), function.variables, globals_);
    for (const PlacedStatement& placed : frame.statements) {
      const auto* result = std::get_if<typed::Return>(&placed.statement->node);
      if (result == nullptr || result->value == nullptr) continue;
      ReadingPlace at{.frame = &frame};
      at.entry.block = typed::BlockKind::functions;
      at.entry.statement = placed.statement->id;
      at.entry.is_whole = std::holds_alternative<typed::Call>(result->value->node);
      enter(placed, at);
      followed_.clear();
      add_increment(*result->value, at);
    }
  }
  std::vector<ModelStatement> take() { return std::move(entries_); }
  std::vector<StatementReads> take_reads() { return std::move(reads_); }

 private:
  // ---- statements

  void look(const PlacedStatement& placed, ReadingPlace at) {
    enter(placed, at);
    std::visit([&](const auto& node) { look_at(node, at); }, placed.statement->node);
  }
  // Loops and conditions around a statement that aren't around the place already.
  void enter(const PlacedStatement& placed, ReadingPlace& at) {
    at.entry.written_in = placed.statement->id;
    for (const Enclosing& around : placed.around) {
      if (const typed::If* node = around.condition())
        add_condition(node->condition, around.if_true, at);
      if (!around.is_loop()) continue;
      auto& loops = at.entry.loops;
      const bool is_new = std::ranges::none_of(
          loops, [&](const StatementLoop& x) { return x.loop == around.statement; });
      if (!is_new) continue;
      loops.push_back({around.statement, at.entry.is_component});
      if (!at.entry.is_component)
        at.entry.rows.push_back(rounds_of(program_, *around.statement, *at.frame));
    }
  }
  void add_condition(const typed::Expression& condition, bool holds, ReadingPlace& at) {
    auto& all = at.entry.conditions;
    if (std::ranges::any_of(all,
                            [&](const StatementCondition& x) { return x.condition == &condition; }))
      return;
    const ValueSources sources = values_.sources_of({&condition, at.frame});
    all.push_back({.condition = &condition,
                   .holds = holds,
                   .reads_parameters = sources.reads_parameters(),
                   .reads_rows = values_.reads_rows({&condition, at.frame})});
  }

  template <class T>
  void look_at(const T&, const ReadingPlace&) {}
  void look_at(const typed::JacobianIncrement&, const ReadingPlace& at) {
    note_reads(at, {.value = false, .outcome = false, .mixed = false});
  }
  void look_at(const typed::Distribution& d, ReadingPlace at) {
    const FramedExpression outcome{d.density.arguments.data(), at.frame};
    const bool of_data = values_.reads_data(outcome);
    note_reads(
        at, {.value = of_data, .outcome = of_data, .mixed = of_data && values_.is_mixed(outcome)});
    for (const typed::Expression& argument : d.density.arguments) look_for_calls(argument, at);
    at.entry.is_whole = true;
    at.entry.lower = d.lower.get(), at.entry.upper = d.upper.get();
    at.entry.density_of = lang::is_density(d.density) ? parameter_of(d.density) : -1;
    add_density(d.density, d.density.arguments[0].range, at);
  }
  void look_at(const typed::TargetIncrement& t, ReadingPlace at) {
    StatementReads reads{
        .value = values_.reads_data({&t.value, at.frame}),
        .outcome = false,
        .mixed = false,
        .decided = std::ranges::any_of(at.entry.conditions,
                                       [](const StatementCondition& c) { return c.reads_rows; })};
    add_outcomes(t.value, *at.frame, reads);
    note_reads(at, reads);
    look_for_calls(t.value, at);
    at.entry.adds_increment = true;
    at.entry.is_whole = std::holds_alternative<typed::Call>(t.value.node);
    if (at.frame->caller == nullptr) at.entry.density_of = parameter_of(t.value);
    add_increment(t.value, at);
  }
  void look_at(const typed::CallStatement& s, const ReadingPlace& at) {
    const std::size_t before = entries_.size();
    const std::string refused = look_for_call(s.call, at);
    if (adds_to_target(program_, s.call) && refused.empty() && entries_.size() == before)
      add_call_by_hand(s.call, at, {});
  }
  void look_at(const typed::Declaration& d, const ReadingPlace& at) {
    if (d.value != nullptr) look_for_calls(*d.value, at);
  }
  void look_at(const typed::Assignment& a, const ReadingPlace& at) { look_for_calls(a.value, at); }
  void look_at(const typed::Unpacking& u, const ReadingPlace& at) { look_for_calls(u.value, at); }

  void note_reads(const ReadingPlace& at, const StatementReads& reads) {
    if (at.frame->caller == nullptr) reads_[static_cast<std::size_t>(at.entry.statement)] = reads;
  }
  void add_outcomes(const typed::Expression& e, const StatementFrame& frame,
                    StatementReads& reads) const {
    const auto* call = std::get_if<typed::Call>(&e.node);
    if (call != nullptr && lang::is_any_density(*call)) {
      const FramedExpression outcome{call->arguments.data(), &frame};
      const bool of_data = values_.reads_data(outcome);
      reads.outcome |= of_data;
      reads.mixed |= of_data && values_.is_mixed(outcome);
    }
    lang::for_each_operand(e, [&](const typed::Expression& x) { add_outcomes(x, frame, reads); });
  }

  // Functions that add to the target may be called in any expression.
  void look_for_calls(const typed::Expression& e, const ReadingPlace& at) {
    if (const auto* call = std::get_if<typed::Call>(&e.node))
      look_for_call(*call, at);
    else
      lang::for_each_operand(e, [&](const typed::Expression& x) { look_for_calls(x, at); });
  }
  // Returns why the function can't be read.
  std::string look_for_call(const typed::Call& call, const ReadingPlace& at) {
    for (const typed::Expression& argument : call.arguments) look_for_calls(argument, at);
    if (!adds_to_target(program_, call)) return {};
    const std::string refused = in_function(
        call, at,
        [&](const PlacedStatement& placed, const ReadingPlace& inside) { look(placed, inside); });
    if (!refused.empty()) add_call_by_hand(call, at, refused);
    return refused;
  }

  // The parameter that an increment is a density of, or a mixture of densities of; -1: none.
  int parameter_of(const typed::Expression& increment) const {
    if (const typed::Call* density = lang::sole_density(program_, increment))
      return parameter_of(*density);
    const std::optional<lang::Mixture> mixture = lang::mixture_in(increment);
    const int slot = mixture ? parameter_of(*mixture->densities.front()) : -1;
    return slot >= 0 && is_mixture_of(*mixture, slot) ? slot : -1;
  }
  int parameter_of(const typed::Call& density) const {
    const typed::VariableUse* use = outcome_of_prior(density.arguments[0]);
    const bool is_one = use != nullptr && block_of_slot(use->slot) == typed::BlockKind::parameters;
    return is_one ? use->slot.index : -1;
  }
  typed::BlockKind block_of_slot(typed::Slot slot) const {
    return program_.globals[static_cast<std::size_t>(slot.index)].block;
  }

  // ---- terms of an increment

  bool add_increment(const typed::Expression& increment, const ReadingPlace& at) {
    bool has_density = false;
    const auto parts = lang::parts_of(increment);
    for (const lang::IncrementPart& part : parts) {
      ReadingPlace inside = at;
      for (const lang::IncrementFactor& factor : part.factors)
        inside.entry.factors.push_back(factor.value);
      inside.entry.is_negative = at.entry.is_negative != part.is_negative;
      if (parts.size() > 1 || !part.factors.empty() || part.is_negative)
        inside.entry.is_whole = false;
      has_density |= add_term(*part.value, inside);
    }
    return has_density;
  }

  // True if a density enters the term.
  bool add_term(const typed::Expression& e, ReadingPlace at) {
    if (const auto* call = std::get_if<typed::Call>(&e.node)) {
      if (density_call(e) != nullptr) return add_density(*call, e.range, at);
      at.entry.is_whole = false;
      if (!call->function.is_user() && call->function.name == "sum" && call->arguments.size() == 1)
        return add_increment(call->arguments[0], at);
      const bool takes_densities =
          std::ranges::any_of(call->arguments, [&](const auto& x) { return holds_density(x); });
      if (called_function(*call) >= 0 && !takes_densities) return add_values(*call, at);
    }
    at.entry.is_whole = false;
    if (const std::optional<bool> followed = follow(e, at)) return *followed;
    const auto* choice = std::get_if<typed::Conditional>(&e.node);
    if (choice != nullptr ? find_in_choice(*choice, at) : find_component(e, at)) return true;
    add_by_hand(e, at, "it is a formula that calls no density");
    return false;
  }
  // Takes the values of a variable in its place. None if the expression is no variable with such values; else whether a
  // density enters them. A variable is followed once in each increment.
  std::optional<bool> follow(const typed::Expression& e, const ReadingPlace& at) {
    const std::optional<FramedExpression> variable = variable_in({&e, at.frame});
    if (!variable) return std::nullopt;
    const typed::Slot slot = std::get<typed::VariableUse>(variable->expression->node).slot;
    const std::span<const AssignedValue> values = values_.values_of(slot, *variable->frame);
    if (values.empty()) return std::nullopt;
    const auto [place, is_new] =
        followed_.try_emplace({slot.local ? variable->frame : nullptr, slot.index}, false);
    if (!is_new) return place->second;
    bool has_density = false;
    for (const AssignedValue& value : values) {
      ReadingPlace inside = at;
      inside.frame = value.frame;
      inside.entry.is_whole = false;
      if (!slot.local && sums_.contains(slot.index))
        inside.entry.density_of = parameter_of(*value.value);
      enter(*value.at, inside);
      has_density |= at.entry.is_component ? find_densities(*value.value, inside)
                                           : add_increment(*value.value, inside);
    }
    place->second = has_density;
    return has_density;
  }
  // The variable that an expression is, or is an element of.
  static std::optional<FramedExpression> variable_in(FramedExpression e) {
    e = resolved(e);
    if (const auto* indexed = std::get_if<typed::Indexed>(&e.expression->node))
      return variable_in({indexed->base.get(), e.frame});
    if (!std::holds_alternative<typed::VariableUse>(e.expression->node)) return std::nullopt;
    return e;
  }
  // Adds the densities in a function of densities; true if there are any.
  bool find_densities(const typed::Expression& e, const ReadingPlace& at) {
    if (const std::optional<bool> followed = follow(e, at)) return *followed;
    if (const typed::Call* density = density_call(e)) return add_density(*density, e.range, at);
    const auto* call = std::get_if<typed::Call>(&e.node);
    const FramedExpression own = resolved({&e, at.frame});
    if (own.frame != at.frame) {
      ReadingPlace outside = at;
      outside.frame = own.frame;
      return find_densities(*own.expression, outside);
    }
    if (const auto* choice = std::get_if<typed::Conditional>(&e.node))
      return find_in_choice(*choice, at);
    bool found = false;
    lang::for_each_operand(e, [&](const typed::Expression& x) { found |= find_densities(x, at); });
    if (!found && call != nullptr && called_function(*call) >= 0)
      in_function(*call, at, [&](const PlacedStatement& placed, const ReadingPlace& inside) {
        if (const auto* result = std::get_if<typed::Return>(&placed.statement->node);
            result != nullptr && result->value != nullptr) {
          ReadingPlace here = inside;
          enter(placed, here);
          found |= find_densities(*result->value, here);
        }
      });
    return found;
  }
  bool find_component(const typed::Expression& e, ReadingPlace at) {
    at.entry.is_component = true;
    return find_densities(e, at);
  }
  bool find_in_choice(const typed::Conditional& choice, const ReadingPlace& at) {
    bool found = false;
    for (const bool holds : {true, false}) {
      const typed::Expression& branch = holds ? *choice.if_true : *choice.if_false;
      ReadingPlace inside = at;
      add_condition(*choice.condition, holds, inside);
      found |= density_call(branch) != nullptr ? find_densities(branch, inside)
                                               : find_component(branch, inside);
    }
    return found;
  }
  static bool holds_density(const typed::Expression& e) {
    bool found = density_call(e) != nullptr;
    lang::for_each_operand(e,
                           [&](const typed::Expression& x) { found = found || holds_density(x); });
    return found;
  }

  // ---- functions of the program

  // The function that a call runs, or that reduce_sum is given; -1: none of the program's.
  static int called_function(const typed::Call& call) {
    if (call.function.is_user()) return call.function.user;
    if (!call.function.name.starts_with("reduce_sum") || call.arguments.empty()) return -1;
    const auto* name = std::get_if<typed::FunctionName>(&call.arguments[0].node);
    return name == nullptr ? -1 : name->function.user;
  }
  // By parameter. reduce_sum(f, x, grain, ...) calls f(slice of x, start, end, ...).
  static std::vector<const typed::Expression*> arguments_of(const typed::Call& call) {
    std::vector<const typed::Expression*> all;
    const bool reduces = !call.function.is_user();
    for (std::size_t k = reduces ? 1 : 0; k < call.arguments.size(); ++k) {
      if (reduces && k == 2) {
        all.insert(all.end(), {nullptr, nullptr});
        continue;
      }
      all.push_back(&call.arguments[k]);
    }
    return all;
  }

  // Calls `take` with each statement of the function's body. Returns the reason if it can't be read.
  template <class Take>
  std::string in_function(const typed::Call& call, const ReadingPlace& at, Take&& take) {
    const int number = called_function(call);
    const typed::Function& f = program_.functions[static_cast<std::size_t>(number)];
    if (f.body == nullptr) return fmt::format("the function {} has no body", f.name);
    const auto is_same = [&](const typed::Call* c) { return called_function(*c) == number; };
    if (std::ranges::any_of(at.entry.calls, is_same))
      return fmt::format("the function {} calls itself", f.name);
    if (at.entry.calls.size() >= kMaxCalls || frames_.size() >= kMaxFrames)
      return fmt::format("the function {} is called by too many others", f.name);
    StatementFrame& frame = frames_.emplace_back(std::span<const typed::Statement>(f.body.get(), 1),
                                                 f.variables, globals_);
    frame.caller = at.frame;
    frame.arguments = arguments_of(call);
    ReadingPlace inside = at;
    inside.frame = &frame;
    inside.entry.is_whole = false;
    inside.entry.density_of = -1;
    inside.entry.calls.push_back(&call);
    if (at.entry.calls.empty())
      inside.entry.call_sources = values_.sources_of_arguments(call, *at.frame);
    for (const PlacedStatement& placed : frame.statements) take(placed, inside);
    return {};
  }
  bool add_values(const typed::Call& call, const ReadingPlace& at) {
    const std::size_t before = entries_.size();
    bool has_density = false;
    const std::string refused =
        in_function(call, at, [&](const PlacedStatement& placed, ReadingPlace inside) {
          const auto* result = std::get_if<typed::Return>(&placed.statement->node);
          if (result == nullptr || result->value == nullptr) return;
          enter(placed, inside);
          has_density |= add_increment(*result->value, inside);
        });
    if (!refused.empty() || entries_.size() == before) add_call_by_hand(call, at, refused);
    return has_density;
  }
  void add_call_by_hand(const typed::Call& call, const ReadingPlace& at, std::string reason) {
    const typed::Function& f = program_.functions[static_cast<std::size_t>(called_function(call))];
    if (reason.empty()) reason = fmt::format("the function {} calls no density", f.name);
    ModelStatement entry = at.entry;
    entry.range = program_.statement_ranges[static_cast<std::size_t>(at.entry.written_in)];
    entry.sources = values_.sources_of_arguments(call, *at.frame);
    entry.reason = std::move(reason);
    entries_.push_back(std::move(entry));
  }

  // ---- entries

  bool add_density(const typed::Call& call, lang::SourceRange range, const ReadingPlace& at) {
    ModelStatement entry = at.entry;
    entry.density = &call;
    entry.range = range;
    entry.is_tail = is_tail_call(call);
    if (call.function.is_user())
      entry.function = &program_.functions[static_cast<std::size_t>(call.function.user)];
    else if (const auto row = lang::distribution_function(call.function.name))
      entry.distribution = row->distribution;
    const FramedExpression outcome{call.arguments.data(), at.frame};
    entry.outcome = outcome_named(program_, outcome);
    entry.sources = values_.sources_of(outcome);
    name_arguments(call, entry);
    if (entry.distribution != nullptr) {
      const auto rows = rows_of_call(program_, *entry.distribution, call, *at.frame);
      entry.rows.insert(entry.rows.end(), rows.begin(), rows.end());
    }
    entry.is_of_effects = is_of_effects(call, at);
    const bool is_constant = entry.is_tail && entry.is_negative && reads_nothing(call, at);
    if (!is_constant) entries_.push_back(std::move(entry));
    return true;
  }
  static void name_arguments(const typed::Call& call, ModelStatement& entry) {
    for (std::size_t k = 1; k < call.arguments.size(); ++k) {
      StatementArgument argument{.role = {}, .value = &call.arguments[k]};
      if (entry.function != nullptr) argument.role = entry.function->variables[k].name;
      if (entry.distribution != nullptr && k - 1 < entry.distribution->args.size())
        argument.role = entry.distribution->args[k - 1].name;
      entry.arguments.push_back(std::move(argument));
    }
  }
  bool is_of_effects(const typed::Call& call, const ReadingPlace& at) const {
    const FramedExpression outcome = resolved({call.arguments.data(), at.frame});
    const typed::VariableUse* use = outcome_of_prior(*outcome.expression);
    if (use == nullptr) return false;
    const typed::BlockKind block = block_of_slot(use->slot);
    const bool is_of_parameters =
        block == typed::BlockKind::parameters || block == typed::BlockKind::transformed_parameters;
    return is_of_parameters && (has_parameters_for_arguments(call) ||
                                (scaled_.contains(use->slot.index) && has_standard_scale(call)));
  }
  bool reads_nothing(const typed::Call& call, const ReadingPlace& at) const {
    const ValueSources sources = values_.sources_of_arguments(call, *at.frame);
    return !sources.reads_parameters() && !sources.reads_data;
  }
  // Terms of numbers alone are left out.
  void add_by_hand(const typed::Expression& e, const ReadingPlace& at, std::string reason) {
    ModelStatement entry = at.entry;
    entry.range = e.range;
    entry.sources = values_.sources_of({&e, at.frame});
    entry.reason = std::move(reason);
    if (entry.sources.reads_parameters() || entry.sources.reads_data)
      entries_.push_back(std::move(entry));
  }

  // ---- kinds

  // Summands beside densities of data alone belong to these densities, and so does the normaliser of a truncated density.
  static void judge_kinds(std::span<ModelStatement> increment) {
    bool has_prior = false, has_likelihood = false;
    for (ModelStatement& entry : increment) {
      entry.kind = kind_of_density(entry);
      has_prior |= entry.kind == StatementKind::prior || entry.kind == StatementKind::effects;
      has_likelihood |= entry.kind == StatementKind::likelihood;
    }
    for (ModelStatement& entry : increment) {
      if (entry.kind != StatementKind::unknown) continue;
      if (has_likelihood && !has_prior)
        entry.kind = StatementKind::likelihood;
      else if (!entry.sources.reads_data)
        entry.kind = StatementKind::prior;
      else if (!entry.sources.reads_parameters())
        entry.kind = StatementKind::likelihood;
    }
  }
  // Unknown: it depends on what else the increment adds.
  static StatementKind kind_of_density(const ModelStatement& entry) {
    if (entry.density == nullptr) return StatementKind::unknown;
    const bool is_by_rows = std::ranges::any_of(
        entry.conditions, [](const StatementCondition& c) { return c.reads_rows; });
    if (entry.is_tail && (entry.is_negative || !(entry.sources.reads_data || is_by_rows)))
      return StatementKind::unknown;
    const bool has_parameters = entry.sources.reads_parameters();
    if (has_parameters && entry.sources.reads_data) return StatementKind::both;
    if (!has_parameters) return StatementKind::likelihood;
    return entry.is_of_effects ? StatementKind::effects : StatementKind::prior;
  }

  const typed::Program& program_;
  AssignedValues globals_;  // transformed parameters
  SourceReader values_;
  std::set<int> sums_, scaled_;
  std::deque<StatementFrame> frames_;
  std::vector<ModelStatement> entries_;
  std::vector<StatementReads> reads_;
  std::map<std::pair<const StatementFrame*, int>, bool>
      followed_;  // in the increment; has it a density?
};
}  // namespace

std::string_view to_string(StatementKind kind) {
  static constexpr std::array<std::string_view, 5> kNames{"prior", "effects", "likelihood", "both",
                                                          "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(OutcomeSource source) {
  static constexpr std::array<std::string_view, 6> kNames{"data",           "transformed data",
                                                          "parameter",      "transformed parameter",
                                                          "local variable", "formula"};
  return kNames[static_cast<std::size_t>(source)];
}

std::string_view to_string(Selection selection) {
  static constexpr std::array<std::string_view, 4> kNames{"whole", "element", "slice", "formula"};
  return kNames[static_cast<std::size_t>(selection)];
}

std::vector<ModelStatement> model_statements(const typed::Program& program) {
  StatementReader reader(program);
  reader.read();
  return reader.take();
}

std::vector<ModelStatement> function_statements(const typed::Program& program,
                                                const typed::Function& function) {
  StatementReader reader(program);
  if (function.body != nullptr) reader.read_function(function);
  return reader.take();
}

std::vector<StatementReads> statement_reads(const typed::Program& program) {
  StatementReader reader(program);
  reader.read();
  return reader.take_reads();
}

}  // namespace credo::model
