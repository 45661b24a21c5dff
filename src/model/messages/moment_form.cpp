#include "model/messages/moment_form.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/passes/differentiate.hpp"
#include "model/messages/moment_proof.hpp"

namespace credo::model {
using density::MomentBlock;
using graph::Expr;
using graph::MomentValue;
using graph::NoMoments;
using graph::Traced;

namespace {
constexpr Index kFormLanes = 8;
constexpr std::string_view kNotProducts =
    "coordinate ascent needs products of functions of single parameters, and this statement";

class FormEvaluator final : public density::MomentEvaluator {
 public:
  FormEvaluator(const graph::Program& program, Index size)
      : workspace_(program, kFormLanes), size_(static_cast<std::size_t>(size)) {}
  FormEvaluator(std::unique_ptr<graph::Program> own, Index size)
      : own_(std::move(own)),
        workspace_(*own_, kFormLanes),
        size_(static_cast<std::size_t>(size)) {}
  Index most_lanes() const override { return kFormLanes; }

  void evaluate(Index lanes, std::span<const double> statistics, std::span<double> values,
                std::span<double> gradients) override {
    Index wide = 1;
    while (wide < lanes) wide *= 2;
    workspace_.set_lanes(wide);
    for (Index l = 0; l < wide; ++l)
      workspace_.set_input(
          l, statistics.subspan(static_cast<std::size_t>(std::min(l, lanes - 1)) * size_, size_));
    workspace_.run();
    for (Index l = 0; l < lanes; ++l) {
      values[static_cast<std::size_t>(l)] = workspace_.output(0, 0, l);
      workspace_.copy_output(1, l, gradients.subspan(static_cast<std::size_t>(l) * size_, size_));
    }
  }

 private:
  std::unique_ptr<graph::Program> own_;
  graph::Workspace workspace_;
  std::size_t size_;
};
class FormLabels final : public density::LabelEvaluator {
 public:
  FormLabels(const graph::Program& program, Index num_statistics, Index num_weights,
             std::span<const Index> slots)
      : workspace_(program, 1),
        size_(static_cast<std::size_t>(num_statistics)),
        input_(size_ + static_cast<std::size_t>(num_weights)),
        slots_(slots) {
    workspace_.set_lanes(1);
  }
  void evaluate(std::span<const double> statistics, std::span<const double> weights,
                std::span<double> logs, std::span<double> gradient) override {
    std::ranges::copy(statistics, input_.begin());
    for (std::size_t k = 0; k < slots_.size(); ++k)
      input_[size_ + static_cast<std::size_t>(slots_[k])] = weights[k];
    workspace_.set_input(0, input_);
    workspace_.run();
    for (std::size_t k = 0; k < slots_.size(); ++k) logs[k] = workspace_.output(0, slots_[k], 0);
    for (std::size_t k = 0; k < size_; ++k)
      gradient[k] = workspace_.output(1, static_cast<Index>(k), 0);
  }

 private:
  graph::Workspace workspace_;
  std::size_t size_;
  std::vector<double> input_;
  std::span<const Index> slots_;
};
}  // namespace

ProgramMoments::ProgramMoments(const Densities& densities, const density::MomentRequest& request)
    : densities_(densities),
      source_(densities.parts().data.source()),
      declared_(densities.parts().data, densities.parts().parameters) {
  const std::vector<double> origin(
      static_cast<std::size_t>(densities.parts().parameters.dimension()), 0.0);
  trace(declared_.at(origin));
  rewrite(request);
  for (const DeclaredParameter& p : declared_.all())
    names_.insert(names_.end(), p.elements.begin(), p.elements.end());
  compile();
  if (has_bounds_) compile_labels();
  prove_moments(*this, densities_, traced_, rewritten(true), declared_);
}

std::string ProgramMoments::text_of(std::int32_t statement) const {
  const auto& range = source_.program.statement_ranges[static_cast<std::size_t>(statement)];
  std::string text(source_.source.text(range));
  text = text.substr(0, text.find('\n'));
  return text;
}

void ProgramMoments::refuse(std::string reason, std::int32_t statement, std::string hint) const {
  if (statement > 0) reason += fmt::format(": {}", text_of(statement));
  throw Error(ErrorCode::program, std::move(reason),
              statement > 0 ? source_.where(statement) : source_.name,
              hint.empty() ? "--method normal takes any density with a gradient" : std::move(hint));
}

// ---- the log density at declared values

namespace {
Expr total_of_terms(const lang::Machine& machine) {
  std::vector<Expr> all;
  double dropped = 0.0;
  for (const lang::Term& term : machine.terms) {
    all.push_back(term.value);
    dropped += term.dropped;
  }
  all.emplace_back(dropped);
  return graph::sum(graph::pack(graph::vector_shape(ssize(all)), all));
}
}  // namespace

void ProgramMoments::trace(std::span<const double> values) {
  const DiscreteRanges& discrete = densities_.parts().parameters.discrete();
  lang::MachineOptions options;
  if (discrete.size() > 0) options.first_site = declared_.num_continuous();
  if (discrete.size() > 0) options.selects = lang::Selects::all;
  options.columns = graph::Passes(densities_.options().passes).has("columns");
  densities_.parts().data.require_known();
  lang::Machine machine = densities_.parts().data.new_machine(std::move(options));
  traced_.graph = std::make_unique<graph::Graph>();
  traced_.input = traced_.graph->add_input(graph::vector_shape(declared_.size()));
  machine.trace_into(*traced_.graph, traced_.input, values);
  declared_.set(machine, Expr(*traced_.graph, {traced_.input, -1}));
  try {
    machine.run(lang::typed::BlockKind::transformed_parameters);
    machine.run(lang::typed::BlockKind::model);
  } catch (const lang::Rejection& r) {
    refuse("the program refuses every value of its parameters", r.failure.statement,
           "credo log-prob shows why");
  }
  if (!machine.key.empty())
    refuse("a decision on parameters has no expectation", 0,
           "write branches on data, or use --method normal");
  traced_.graph->statement = 0;
  traced_.outputs = {total_of_terms(machine)};
  if (!densities_.sites().are_summed_out()) {
    for (const lang::Term& term : machine.terms) terms_.push_back({term.value, term.statement});
    return;
  }
  graph::Factors factors = graph::factorise(*traced_.graph, traced_.outputs[0], traced_.input,
                                            declared_.num_continuous());
  traced_.outputs.clear();
  const auto where = [this](std::int32_t statement) { return source_.where(statement); };
  traced_ = DiscreteFactors(std::move(traced_), std::move(factors), discrete, where)
                .summed_out(SumForm::plain);
  declared_.drop_whole();
}

// ---- the function of expectations

Expr ProgramMoments::expectation(graph::Expectations& expectations) const {
  if (symbolic_ && !expectations.is_linear) return expectation_of(*symbolic_, expectations);
  const std::vector<graph::CoordinateGroup> groups = declared_.groups();
  graph::MomentWalk walk(*traced_.graph, traced_.input, groups, expectations);
  return expectation_of(walk.value(traced_.outputs[0]), expectations);
}

Traced ProgramMoments::rewritten(bool is_linear) const {
  Traced result;
  result.graph = std::make_unique<graph::Graph>();
  result.input = result.graph->add_input(graph::vector_shape(blocks_.num_statistics));
  MomentSlots slots(declared_, blocks_, Expr(*result.graph, {result.input, -1}));
  slots.is_linear = is_linear;
  result.outputs = {expectation(slots)};
  return result;
}

void ProgramMoments::rewrite(const density::MomentRequest& request) {
  for (const DeclaredParameter& p : declared_.all())
    if (p.kind == DeclaredKind::other)
      throw Error(ErrorCode::program, fmt::format("{} {}", p.name, p.refusal),
                  source_.where(p.statement), p.hint);
  try {
    MomentUses uses(declared_.all());
    const std::vector<graph::CoordinateGroup> groups = declared_.groups();
    graph::MomentWalk walk(*traced_.graph, traced_.input, groups, uses);
    const MomentValue value = walk.value(traced_.outputs[0]);
    for (const StatementTerm& term : terms_) {
      uses.statement = term.statement;
      expectation_of(walk.value(term.value), uses);
    }
    uses.statement = 0;
    has_bounds_ = value.has_bound();
    if (value.bound.empty() && !uses.has_nested) symbolic_ = compacted(value);
    if (terms_.empty()) expectation_of(value, uses);
    blocks_ = moment_blocks(declared_, uses.uses(), request);
    add_sources(uses.uses());
  } catch (const NoMoments& refused) {
    refuse(fmt::format("{} {}", kNotProducts, refused.reason), refused.statement, refused.hint);
  } catch (const NoFamily& none) {
    refuse(fmt::format("{} {}", declared_.all()[none.parameter].name, none.reason), none.statement,
           none.hint);
  }
}

std::unique_ptr<graph::Program> ProgramMoments::compiled(Traced traced) const {
  const graph::Passes passes(densities_.options().passes);
  if (traced.outputs[0].is_constant())
    traced.outputs[0] = traced.outputs[0] + 0.0 * Expr(*traced.graph, {traced.input, 0});
  traced = passes.run(std::move(traced));
  traced.outputs.push_back(
      graph::gradient(*traced.graph, traced.outputs[0], std::array{traced.input})[0]);
  traced = passes.run(std::move(traced));
  return std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs,
                                          graph::ProgramOptions{.fuse = passes.has("fuse")});
}

void ProgramMoments::compile() {
  try {
    program_ = compiled(rewritten(false));
  } catch (const NoMoments& refused) {
    refuse(fmt::format("{} {}", kNotProducts, refused.reason), refused.statement, refused.hint);
  }
}

std::unique_ptr<density::MomentEvaluator> ProgramMoments::make_batch_evaluator(
    Index number, Index num_batches) const {
  Traced traced;
  traced.graph = std::make_unique<graph::Graph>();
  traced.input = traced.graph->add_input(graph::vector_shape(blocks_.num_statistics));
  BatchSlots slots(declared_, blocks_, Expr(*traced.graph, {traced.input, -1}), number,
                   num_batches);
  traced.outputs = {expectation(slots)};
  return std::make_unique<FormEvaluator>(compiled(std::move(traced)), blocks_.num_statistics);
}

namespace {
using Labels = LabelledSlots::Labels;

// The weights of all labels of all rows, row by row; none if rows have different numbers of labels.
std::vector<Index> slots_of_rows(std::span<const Labels> labels, Index& num_labels) {
  std::vector<Index> slots;
  num_labels = 0;
  for (const Labels& one : labels) {
    if (num_labels == 0) num_labels = ssize(one.alternatives);
    if (num_labels != ssize(one.alternatives)) {
      num_labels = 0;
      return {};
    }
    for (Index r = 0; r < one.rows; ++r)
      for (Index k = 0; k < num_labels; ++k) slots.push_back(one.first + k * one.rows + r);
  }
  return slots;
}

// All alternatives in the order of the weights.
Expr all_alternatives(std::span<const Labels> labels, Index num_weights) {
  std::vector<Expr> parts;
  for (const Labels& one : labels)
    for (const Expr& x : one.alternatives)
      parts.push_back(x.is_scalar() ? graph::broadcast(graph::vector_shape(one.rows), x) : x);
  return graph::concat(graph::vector_shape(num_weights), parts);
}
}  // namespace

void ProgramMoments::compile_labels() {
  if (!symbolic_) return;
  for (const bool is_counting : {true, false}) {
    Traced traced;
    traced.graph = std::make_unique<graph::Graph>();
    const Index size = blocks_.num_statistics + (is_counting ? 0 : num_weights_);
    traced.input = traced.graph->add_input(graph::vector_shape(size));
    const Expr input(*traced.graph, {traced.input, -1});
    const Expr statistics = graph::slice(graph::vector_shape(blocks_.num_statistics), input, 0);
    LabelledSlots slots(declared_, blocks_, statistics,
                        is_counting ? Expr()
                                    : graph::slice(graph::vector_shape(num_weights_), input,
                                                   blocks_.num_statistics));
    const Expr total = expectation(slots);
    num_weights_ = slots.num_weights();
    label_slots_ = slots_of_rows(slots.labels(), num_labels_);
    if (label_slots_.empty()) {
      num_labels_ = 0;
      label_slots_.clear();
      return;
    }
    if (is_counting) continue;
    traced.outputs = {all_alternatives(slots.labels(), num_weights_), total};
    traced.outputs[1] = graph::gradient(*traced.graph, total, std::array{traced.input})[0];
    traced = graph::Passes(densities_.options().passes).run(std::move(traced));
    label_program_ = std::make_unique<graph::Program>(*traced.graph, traced.input, traced.outputs);
  }
}

std::unique_ptr<density::LabelEvaluator> ProgramMoments::make_label_evaluator() const {
  if (label_program_ == nullptr) return nullptr;
  return std::make_unique<FormLabels>(*label_program_, blocks_.num_statistics, num_weights_,
                                      label_slots_);
}

std::unique_ptr<density::MomentEvaluator> ProgramMoments::make_evaluator() const {
  return std::make_unique<FormEvaluator>(*program_, blocks_.num_statistics);
}

std::vector<double> ProgramMoments::values_at(std::span<const double> position) const {
  const auto num_free = static_cast<std::size_t>(densities_.parts().parameters.dimension());
  std::vector<double> values = declared_.at(position.first(num_free));
  std::ranges::copy(position.subspan(num_free), values.begin() + declared_.num_continuous());
  return values;
}

void ProgramMoments::add_sources(std::span<const GroupUses> uses) {
  for (std::size_t g = 0; g < uses.size(); ++g) {
    const DeclaredParameter& p = declared_.all()[g];
    std::map<std::int32_t, std::vector<std::string>> functions;
    for (const auto& [statement, atom] : uses[g].by_statement)
      functions[statement].push_back(atom_name(atom, p.name));
    for (const auto& [statement, names] : functions)
      if (statement > 0)
        sources_.push_back({.block = blocks_.block_of[static_cast<std::size_t>(p.first)],
                            .where = source_.where(statement),
                            .text = text_of(statement),
                            .functions = names});
  }
}

namespace {
class ProgramMomentForms final : public density::MomentForms {
 public:
  explicit ProgramMomentForms(const Densities& densities) : densities_(densities) {}
  std::unique_ptr<density::MomentForm> moment_form(
      const density::MomentRequest& request) const override {
    if (densities_.query() != density::Query{})
      throw Error(ErrorCode::usage, "coordinate ascent needs the density of all terms",
                  densities_.parts().data.name(),
                  "leave --temperature and other parts of the density out");
    if (densities_.dimension() == 0)
      throw Error(ErrorCode::usage, "the program has no parameters", densities_.parts().data.name(),
                  "coordinate ascent needs some");
    return std::make_unique<ProgramMoments>(densities_, request);
  }

 private:
  const Densities& densities_;
};
}  // namespace

std::shared_ptr<const density::MomentForms> program_moment_forms(const Densities& densities) {
  return std::make_shared<ProgramMomentForms>(densities);
}

}  // namespace credo::model
