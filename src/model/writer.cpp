#include "model/writer.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"

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
  for (Index i = 0; i < lang::size_of(value); ++i) {
    stop_if_asked();
    out.push_back(lang::to_expr(lang::scalar_of(value, i), &graph));
  }
}
}  // namespace

Expr Model::outputs_as_row(lang::Machine& machine, graph::Graph& graph,
                           const density::Written& what) const {
  std::vector<Expr> row, scalars;
  for (const Output& output : output_sources_) {
    if (output.block > what.last) break;
    scalars.clear();
    append_scalars(machine.global(output.slot), graph, scalars);
    for (const std::int32_t place : output.places) {
      stop_if_asked();
      row.push_back(scalars[static_cast<std::size_t>(place)]);
    }
  }
  if (what.columns) {
    std::vector<Expr> chosen;
    for (const Index column : *what.columns)
      chosen.push_back(row[static_cast<std::size_t>(column)]);
    row = std::move(chosen);
  }
  return graph::pack(graph::vector_shape(ssize(row)), row);
}

// Null where the outputs can't be traced: prints, rejections on this path. `input`: a point and the
// words of a seed.
std::shared_ptr<const graph::Program> Model::trace_outputs(std::span<const double> input,
                                                           const density::Written& what) const {
  if (source_->program.has_print || output_sources_.empty() ||
      output_sources_.front().block > what.last)
    return nullptr;
  graph::Traced traced{.graph = std::make_unique<graph::Graph>(), .input = 0, .outputs = {}};
  traced.input = traced.graph->add_input(graph::vector_shape(ssize(input)));
  const graph::Passes chosen(options_.passes), keeping_bits("cse,dead-code");
  lang::MachineOptions options;
  if (chosen.has("selects")) options.selects = lang::Selects::all;
  options.differentiable = false;
  options.exact = true;
  options.columns = chosen.has("columns") && unknown_.empty();  // columns leave out no statement
  const Expr all(*traced.graph, {traced.input, -1});
  const Index num_words = lang::DrawSeed::kWords;
  options.seed = {all.element(all.size() - num_words), all.element(all.size() - num_words + 1)};
  lang::Machine machine = new_machine(std::move(options));
  machine.trace_into(*traced.graph, traced.input, input);
  try {
    set_parameters(machine, all);
    if (what.last >= density::Block::transformed_parameters)
      machine.run(typed::BlockKind::transformed_parameters);
    if (what.last >= density::Block::generated_quantities) run_quantities(machine);
    traced.outputs = {outputs_as_row(machine, *traced.graph, what)};
  } catch (const lang::Rejection&) {
    return nullptr;
  } catch (const Error&) {  // interpreting the draw reports the error
    return nullptr;
  }
  if (options_.passes != "none") traced = keeping_bits.run(std::move(traced));
  return std::make_shared<const graph::Program>(
      *traced.graph, traced.input, traced.outputs,
      graph::ProgramOptions{chosen.has("fuse"), options_.plant});
}

std::shared_ptr<const graph::Program> Model::output_program(std::span<const double> input,
                                                            const density::Written& what) const {
  const std::lock_guard lock(trace_mutex_);
  for (const OutputProgram& known : output_programs_) {
    if (known.what == what) return known.program;
  }
  output_programs_.push_back({what, trace_outputs(input, what)});
  return output_programs_.back().program;
}

void Model::prepare_outputs(std::span<const double> point) const {
  std::vector<double> input = completed(point);
  input.resize(input.size() + lang::DrawSeed::kWords, 0.0);
  output_program(input, {});
}

// Several draws at once where their values fit the caches.
void Writer::take(std::shared_ptr<const graph::Program> program) {
  constexpr Index kMostInstructions = 1 << 12;
  workspace_.reset();
  program_ = std::move(program);
  num_lanes_ = 1;
  if (program_ == nullptr) return;
  const Index size = program_->num_instructions() + program_->output_size(0);
  if (size <= kMostInstructions) num_lanes_ = model_.options().max_lanes;
  workspace_ = std::make_unique<graph::Workspace>(*program_, num_lanes_);
}

// If every draw takes a path of its own, interpreting is faster than tracing again.
bool Writer::worth_trying() const {
  constexpr std::int64_t kPatience = 8, kRetry = 32;
  return program_ != nullptr && (in_a_row_ < kPatience || in_a_row_ % kRetry == 0);
}

// The first draws come from where the chain began; a later path may be that of most draws.
void Writer::missed(std::span<const double> input) {
  constexpr std::int64_t kGrowth = 8;
  ++in_a_row_;
  if (++misses_ < next_trace_) return;
  next_trace_ *= kGrowth;
  take(model_.trace_outputs(input, what_));
}

// The point with its discrete parameters, and the draw's seed.
std::vector<double> Writer::input_of(density::DrawRequest& draw) {
  std::vector<double> input(draw.point.begin(), draw.point.end());
  if (model_.discrete().size() > 0 && std::ssize(draw.point) == model_.num_continuous()) {
    if (drawer_ == nullptr) drawer_ = model_.make_drawer(draw.point);
    input = model_.completed(draw.point);
    drawer_->draw(draw.point, draw.rng, std::span(input).subspan(draw.point.size()));
  }
  Rng copy = draw.rng;  // the interpreter takes the same seed
  const lang::DrawSeed seed = lang::DrawSeed::of(copy.bits());
  input.insert(input.end(), {seed.high.value(), seed.low.value()});
  return input;
}

void Writer::interpret(density::DrawRequest& draw, std::span<const double> input) {
  ++num_interpreted_;
  const auto point = input.first(input.size() - lang::DrawSeed::kWords);
  draw.row = model_.write(point, draw.rng, &draw.note, what_);
}

// Writes a draw in each lane.
void Writer::run(std::span<density::DrawRequest> draws,
                 std::span<const std::vector<double>> inputs) {
  workspace_->set_lanes(ssize(draws));
  for (std::size_t l = 0; l < draws.size(); ++l)
    workspace_->set_input(static_cast<Index>(l), inputs[l]);
  workspace_->run();
  std::vector<std::size_t> others;  // on another path
  for (std::size_t l = 0; l < draws.size(); ++l) {
    const auto lane = static_cast<Index>(l);
    if (workspace_->status(lane).check != 0) {
      others.push_back(l);
      continue;
    }
    in_a_row_ = 0;
    draws[l].rng.bits();  // the seed
    draws[l].row.resize(static_cast<std::size_t>(program_->output_size(0)));
    workspace_->copy_output(0, lane, draws[l].row);
  }
  for (const std::size_t l : others) {
    missed(inputs[l]);
    interpret(draws[l], inputs[l]);
  }
}

void Writer::write(std::span<density::DrawRequest> draws) {
  inputs_.clear();
  for (density::DrawRequest& draw : draws) inputs_.push_back(input_of(draw));
  for (std::size_t first = 0; first < draws.size();) {
    if (!std::exchange(asked_, true)) take(model_.output_program(inputs_[first], what_));
    std::size_t count = 1;
    if (worth_trying()) {
      while (count * 2 <= draws.size() - first && static_cast<Index>(count * 2) <= num_lanes_)
        count *= 2;
      run(draws.subspan(first, count), std::span(inputs_).subspan(first, count));
    } else {
      ++in_a_row_;
      interpret(draws[first], inputs_[first]);
    }
    first += count;
  }
}

std::unique_ptr<density::Writer> Model::make_writer(density::Written what) const {
  require_known(what);
  if (discrete_.size() > 0)
    prepare_draws(std::vector<double>(static_cast<std::size_t>(dimension()), 0.0));
  return std::make_unique<Writer>(*this, std::move(what));
}

void Writer::write(std::span<const double> point, Rng& rng, std::vector<double>& row,
                   std::string* note) {
  density::DrawRequest draw{.point = point, .rng = rng, .row = std::move(row)};
  write(std::span(&draw, 1));
  rng = draw.rng;
  row = std::move(draw.row);
  if (note != nullptr) *note = std::move(draw.note);
}

}  // namespace credo::model
