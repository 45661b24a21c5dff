#include "model/writer.hpp"

#include "base/error.hpp"

namespace credo::model {
using lang::Expr;
using lang::Value;
namespace typed = lang::typed;

namespace {
void append_scalars(const Value& value, graph::Graph& graph, std::vector<Expr>& out) {
  if (value.is_tuple()) {
    for (const Value& element : value.tuple()->elements) append_scalars(element, graph, out);
    return;
  }
  for (Index i = 0; i < lang::size_of(value); ++i)
    out.push_back(lang::to_expr(lang::scalar_of(value, i), &graph));
}
}  // namespace

Expr Model::outputs_as_row(lang::Machine& machine, graph::Graph& graph,
                           typed::BlockKind last) const {
  std::vector<Expr> row, scalars;
  for (std::size_t k = 0; k < outputs_.size() && outputs_[k].block <= last; ++k) {
    scalars.clear();
    append_scalars(machine.global(output_slots_[k]), graph, scalars);
    for (const std::int32_t position : outputs_[k].storage)
      row.push_back(scalars[static_cast<std::size_t>(position)]);
  }
  return graph::pack(graph::vector_shape(ssize(row)), row);
}

// Null where the outputs can't be traced: prints, rejections on this path. `input`: a point and the
// words of a seed.
std::shared_ptr<const graph::Program> Model::trace_outputs(std::span<const double> input,
                                                           typed::BlockKind last) const {
  if (source_->program.has_print || outputs_.empty() || outputs_.front().block > last)
    return nullptr;
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  traced.input = traced.graph->add_input(graph::vector_shape(ssize(input)));
  const graph::Passes chosen(options_.passes), keeping_bits("cse,dead-code");
  lang::MachineOptions options;
  if (chosen.has("selects")) options.selects = lang::Selects::all;
  options.differentiable = false;
  options.columns = chosen.has("columns");
  const Expr all(*traced.graph, {traced.input, -1});
  const Index num_words = lang::DrawSeed::kWords;
  options.seed = {all.element(all.size() - num_words), all.element(all.size() - num_words + 1)};
  lang::Machine machine = new_machine(std::move(options));
  machine.trace_into(*traced.graph, traced.input, input);
  try {
    set_parameters(machine, all);
    for (const auto block :
         {typed::BlockKind::transformed_parameters, typed::BlockKind::generated_quantities}) {
      if (block <= last) machine.run(block);
    }
    traced.outputs = {outputs_as_row(machine, *traced.graph, last)};
  } catch (const lang::Rejection&) {
    return nullptr;
  } catch (const Error&) {  // what is wrong is said when the draw is interpreted
    return nullptr;
  }
  if (options_.passes != "none") traced = keeping_bits.run(std::move(traced));
  return std::make_shared<const graph::Program>(*traced.graph, traced.input, traced.outputs,
                                                graph::ProgramOptions{.fuse = chosen.has("fuse")});
}

std::shared_ptr<const graph::Program> Model::output_program(std::span<const double> input) const {
  const std::lock_guard lock(trace_mutex_);
  if (!outputs_traced_)
    output_program_ = trace_outputs(input, typed::BlockKind::generated_quantities);
  outputs_traced_ = true;
  return output_program_;
}

void Model::prepare_outputs(std::span<const double> point) const {
  std::vector<double> input = completed(point);
  input.resize(input.size() + lang::DrawSeed::kWords, 0.0);
  output_program(input);
}

void Writer::take(std::shared_ptr<const graph::Program> program) {
  workspace_.reset();
  program_ = std::move(program);
  if (program_ == nullptr) return;
  workspace_ = std::make_unique<graph::Workspace>(*program_, 1);
  workspace_->set_lanes(1);
}

// Where every draw takes a path of its own, the program is in the way.
bool Writer::worth_trying() const {
  constexpr std::int64_t kPatience = 8, kRetry = 32;
  return program_ != nullptr && (in_a_row_ < kPatience || in_a_row_ % kRetry == 0);
}

// The first draws come from where the chain began; a later path may be that of most draws.
void Writer::missed() {
  constexpr std::int64_t kGrowth = 8;
  ++in_a_row_;
  if (++misses_ < next_trace_) return;
  next_trace_ *= kGrowth;
  take(model_.trace_outputs(input_, what_.last));
}

bool Writer::run(std::span<const double> point, Rng rng, std::vector<double>& row) {
  const lang::DrawSeed seed = lang::DrawSeed::of(rng.bits());
  input_.assign(point.begin(), point.end());
  input_.insert(input_.end(), {seed.high.value(), seed.low.value()});
  if (!std::exchange(asked_, true)) {
    const bool all = what_.last == typed::BlockKind::generated_quantities;
    take(all ? model_.output_program(input_) : model_.trace_outputs(input_, what_.last));
  }
  if (!worth_trying()) {
    ++in_a_row_;
    return false;
  }
  workspace_->set_input(0, input_);
  workspace_->run();
  if (workspace_->status(0).check != 0) {
    missed();
    return false;
  }
  in_a_row_ = 0;
  row.resize(static_cast<std::size_t>(program_->output_size(0)));
  workspace_->copy_output(0, 0, row);
  return true;
}

void Writer::write(std::span<const double> point, Rng& rng, std::vector<double>& row,
                   std::string* note) {
  if (model_.discrete().size() > 0 && std::ssize(point) == model_.num_continuous()) {
    if (drawer_ == nullptr) drawer_ = model_.make_drawer(point);
    completed_ = model_.completed(point);
    drawer_->draw(point, rng, std::span(completed_).subspan(point.size()));
    return write(completed_, rng, row, note);
  }
  if (run(point, rng, row)) return;
  ++num_interpreted_;
  row = model_.write(point, rng, note, what_);
}

}  // namespace credo::model
