// Set-up, parameters and outputs of a model; tracing and evaluation are in trace.cpp and
// evaluator.cpp.
#include "model/model.hpp"

#include <fmt/format.h>
#include <strings.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "io/data/settled_table.hpp"
#include "io/json_reader.hpp"
#include "lang/trace/constraints.hpp"
#include "lang/trace/data_reader.hpp"
#include "model/data/data_faults.hpp"
#include "model/data/data_variables.hpp"
#include "model/data/program_table.hpp"
#include "model/queries/program_facts.hpp"

namespace credo::model {
using lang::Expr;
using lang::Machine;
using lang::Scalar;
using lang::Value;
namespace typed = lang::typed;

namespace {
template <class F>
void for_each_declaration(const typed::Block& block, F f) {
  for (const typed::Statement& s : block.statements) {
    const auto* declaration = std::get_if<typed::Declaration>(&s.node);
    if (declaration != nullptr && !declaration->slot.local) f(s, *declaration);
  }
}

// Runs work that only depends on data: if it fails and the program declares data, they don't fit it.
template <class Work>
void with_data_alone(const ProgramSource& source, Work work) {
  const bool has_data = !source.program.data.statements.empty();
  try {
    work();
  } catch (const lang::Rejection& r) {
    throw Error(
        has_data ? ErrorCode::data : ErrorCode::evaluation, lang::message(r.failure, r.value),
        source.where(r.failure.statement),
        has_data ? "this is computed from the data alone: check the values in their file" : "");
  } catch (const lang::OutOfLimit&) {
    throw;  // with any data
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation || !has_data) throw;
    throw Error(ErrorCode::data, error.message(), error.where(),
                error.hint().empty()
                    ? "this is computed from the data alone: check the values in their file"
                    : error.hint());
  }
}

// A rejection that ends the work.
[[noreturn]] void rejected_for_good(const ProgramSource& source, const lang::Rejection& r,
                                    ErrorCode code) {
  throw Error(code, lang::message(r.failure, r.value), source.where(r.failure.statement));
}
}  // namespace

Model::Model(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
             ModelOptions options)
    : source_(std::move(source)), options_(std::move(options)) {
  if (io::is_settled(data))
    read_data(data);
  else
    read_data(table_for(*source_, data));
  lay_out_parameters();
  lay_out_outputs();
  if (options_.query.power != 1.0 && discrete_.size() > 0)
    throw Error(ErrorCode::usage,
                "a power of the density isn't known where discrete parameters are summed out or "
                "drawn",
                "--temperature", "sum them out in the program, and declare no discrete parameters");
  choose_discrete_use();
}

Model::Model(const Model& other, const density::Query& query)
    : source_(other.source_),
      options_(other.options_),
      supplied_(other.supplied_),
      globals_(other.globals_),
      unknown_(other.unknown_),
      free_(other.free_),
      outputs_(other.outputs_),
      output_sources_(other.output_sources_),
      dimension_(other.dimension_),
      discrete_(other.discrete_),
      samples_discrete_(other.samples_discrete_) {
  options_.query = query;
  if (query.power == 1.0) options_.query.power = other.options_.query.power;
}

std::unique_ptr<Model> Model::with(const density::Query& query) const {
  return std::unique_ptr<Model>(new Model(*this, query));
}

std::unique_ptr<density::Model> Model::asking(const density::Query& query) const {
  return with(query);
}

std::unique_ptr<density::Model> Model::with_data(const std::string& text) const {
  return std::make_unique<Model>(source_, io::parse_json_data(text, "data"), options_);
}

std::vector<density::DataVariable> Model::data_variables() const {
  return model::data_variables(source_->program);
}

std::shared_ptr<const density::ProgramFacts> Model::program_facts() const {
  return std::make_shared<const density::ProgramFacts>(facts_of(*source_));
}

Model::~Model() = default;

Machine Model::new_machine(lang::MachineOptions options) const {
  options.limits = options_.limits;
  options.solvers = solvers_;
  Machine machine(source_->program, std::move(options));
  machine.locate = [source = source_](std::int32_t statement) { return source->where(statement); };
  machine.locate_range = [source = source_](lang::SourceRange range) {
    return source->source.where(range);
  };
  machine.text_of_range = [source = source_](lang::SourceRange range) {
    return std::string(source->source.text(range));
  };
  if (!globals_.empty()) machine.globals() = globals_;
  return machine;
}

namespace {
// An outcome with elements, of a type that statements draw, which the table doesn't have. A name that differs by
// capitals alone is a mistake: the reader's error names it.
bool lacks_outcome(Machine& machine, const io::DataTable& data, const typed::Declaration& d) {
  if (data.find(d.name) != nullptr || d.type->type.base == lang::BaseType::tuple ||
      lang::contains_complex(d.type->type))
    return false;
  if (std::ranges::any_of(data.names(), [&](const std::string& name) {
        return ::strcasecmp(name.c_str(), d.name.c_str()) == 0;
      }))
    return false;
  const auto variables = data_variables(machine.program());
  const auto own = std::ranges::find(variables, d.name, &density::DataVariable::name);
  const bool is_outcome = own != variables.end() && own->observed;
  return is_outcome && machine.evaluate_dims(*d.type).total() > 0;
}
}  // namespace

void Model::read_data(const io::DataTable& data) {
  static constexpr MemoryUse kUse{"the data and the transformed data",
                                  "give the program less data, or smaller transformed data"};
  const MemoryScope memory(kUse);
  Rng rng(StreamKey{
      .seed = options_.seed, .purpose = purpose::kTransformedData, .chain = 0, .iteration = 0});
  Machine machine =
      new_machine({.limits = {}, .seed = lang::DrawSeed::of(rng.bits()), .print = options_.print});
  supplied_ = supplied_sizes(source_->program, data);
  std::set<int> unknown;
  const auto read = [&](const typed::Statement& s, const typed::Declaration& d) -> Value {
    for (const SuppliedSize& size : supplied_)
      if (size.name == d.name) return static_cast<std::int32_t>(size.value);
    if (options_.may_lack_outcomes && lacks_outcome(machine, data, d)) {
      require_unread(*source_, d.slot.index);
      unknown.insert(d.slot.index);
      return machine.unset_value(*d.type);
    }
    return lang::read_variable(machine, data, *d.type, d.name, source_->where(s.id));
  };
  with_data_alone(*source_, [&] {
    for_each_declaration(source_->program.data,
                         [&](const typed::Statement& s, const typed::Declaration& d) {
                           machine.enter(s);
                           Value& value = machine.global(d.slot.index);
                           value = read(s, d);
                           if (!unknown.contains(d.slot.index))
                             check_given(machine, *source_, data, d, value);
                         });
    machine.run(typed::BlockKind::transformed_data);
  });
  globals_ = std::move(machine.globals());
  for (const Value& value : globals_) lang::settle(value);  // chains in several threads read them
  unknown_ = model::unknown_outcomes(*source_, std::move(unknown));
}

namespace {
std::vector<Index> sizes_of(const lang::Dims& dims, int count) {
  std::vector<Index> sizes;
  for (int d = 0; d < count; ++d) sizes.push_back(dims[d]);
  return sizes;
}

// A variable in the order of storage: arrays by rows, matrices by columns.
density::Variable stored_variable(const std::string& name, lang::BaseType base,
                                  const lang::Dims& dims) {
  return {.name = name,
          .dims = sizes_of(dims, dims.count),
          .kind = base == lang::BaseType::integer ? density::Kind::whole : density::Kind::real,
          .block = density::Block::parameters,
          .num_outer = dims.count - lang::inner_dims(base)};
}

// "beta.2" if unconstrained values and elements correspond; else numbered: for a simplex, "theta.2.1"
// is the first unconstrained value of the second simplex of an array.
density::Variable free_variable(const std::string& name, const lang::ConstraintPlan& plan) {
  const Index size = lang::free_size(plan);
  density::Variable variable = stored_variable(name, plan.base, plan.dims);
  if (size == plan.dims.total()) return variable;
  variable.dims = sizes_of(plan.dims, static_cast<int>(variable.num_outer));
  variable.dims.push_back(plan.num_units == 0 ? 0 : size / plan.num_units);
  return variable;
}
}  // namespace

// Sizes are data-only; a bound may name an earlier parameter, whose value doesn't matter here.
void Model::lay_out_parameters() {
  Machine machine = new_machine({});
  const auto lay_out = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (lang::is_int_based(d.type->type)) return lay_out_discrete(machine, d);
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      free_.add(free_variable(leaf.name, plan));
    }
    machine.global(d.slot.index) = machine.unset_value(*d.type);
  };
  with_data_alone(*source_, [&] { for_each_declaration(source_->program.parameters, lay_out); });
  dimension_ = free_.size();
}

void Model::lay_out_discrete(Machine& machine, const typed::Declaration& d) {
  const lang::ConstraintPlan plan = lang::plan_constraint(machine, *d.type, d.name);
  discrete_.layout.add(stored_variable(d.name, lang::BaseType::integer, plan.dims));
  const auto bound = [&](const Expr& bounds, Index i) {
    return static_cast<std::int32_t>(bounds.value(bounds.is_scalar() ? 0 : i));
  };
  for (Index i = 0; i < plan.dims.total(); ++i) {
    const std::int32_t lower = bound(plan.bounds.first, i), upper = bound(plan.bounds.second, i);
    if (lower > upper) {
      machine.fail(
          fmt::format("{}: the lower bound {} is above the upper bound {}", d.name, lower, upper));
    }
    discrete_.lower.push_back(lower);
    discrete_.upper.push_back(upper);
  }
  machine.global(d.slot.index) = machine.unset_value(*d.type);
}

// Known, or elements of the input that depend on nothing.
Value Model::discrete_value(Machine& machine, const typed::Declaration& d, const Expr& free,
                            Index first) const {
  const lang::Dims dims = lang::dims_of(machine.unset_value(*d.type));
  const Index count = dims.count == 0 ? 1 : dims.total();
  Value all = lang::make_ints({count}, std::vector<std::int32_t>(static_cast<std::size_t>(count)));
  for (Index i = 0; i < count; ++i) {
    const auto m = static_cast<std::size_t>(first + i);
    const Expr x = free.element(dimension_ + first + i);
    const Value value = x.is_constant()
                            ? Value(static_cast<std::int32_t>(x.value()))
                            : lang::Whole{x.ref(), discrete_.lower[m], discrete_.upper[m]};
    if (dims.count == 0) return value;
    all.ints()->set(i, value);
  }
  all.ints()->dims = dims;
  return all;
}

// The unconstrained values, and for discrete parameters that are missing their lower bounds.
std::vector<double> Model::completed(std::span<const double> point) const {
  std::vector<double> all(point.begin(), point.end());
  if (std::ssize(point) == dimension_)
    all.insert(all.end(), discrete_.lower.begin(), discrete_.lower.end());
  return all;
}

Expr Model::set_parameters(Machine& machine, const Expr& free) const {
  Expr log_jacobian = 0.0;
  Index begin = 0, first_discrete = 0;
  for_each_declaration(
      source_->program.parameters, [&](const typed::Statement& s, const typed::Declaration& d) {
        machine.enter(s);
        if (lang::is_int_based(d.type->type)) {
          machine.global(d.slot.index) = discrete_value(machine, d, free, first_discrete);
          first_discrete += lang::size_of(machine.global(d.slot.index));
          return;
        }
        std::vector<Value> values;
        for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
          const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
          const Index size = lang::free_size(plan);
          std::vector<std::int32_t> index(static_cast<std::size_t>(size));
          std::iota(index.begin(), index.end(), static_cast<std::int32_t>(begin));
          const lang::ConstrainedValue c = lang::constrain(
              machine, plan, graph::gather(graph::vector_shape(size), free, std::move(index)),
              leaf.name);
          values.push_back(c.value);
          machine.add_term(c.log_jacobian, 0.0, lang::TermKind::transform_jacobian);
          log_jacobian = log_jacobian + c.log_jacobian;
          begin += size;
        }
        machine.global(d.slot.index) = lang::from_leaves(*d.type, values);
      });
  return log_jacobian;
}

// ---- outputs

namespace {
// Places of elements in storage, in the order of outputs: all first indices before the next
// second one.
void add_places(const density::Variable& stored, Index begin, std::vector<std::int32_t>& places) {
  const Index rank = ssize(stored.dims);
  const auto at = [&](Index d) { return stored.dims[static_cast<std::size_t>(d)]; };
  std::vector<Index> stride(stored.dims.size());
  Index next = 1;
  for (Index d = stored.num_outer; d < rank; ++d)
    stride[static_cast<std::size_t>(d)] = std::exchange(next, next * at(d));
  for (Index d = stored.num_outer; d-- > 0;)
    stride[static_cast<std::size_t>(d)] = std::exchange(next, next * at(d));
  for (Index element = 0; element < next; ++element) {
    stop_if_asked();
    Index rest = element, place = begin;
    for (Index d = 0; d < rank; ++d) {
      place += rest % at(d) * stride[static_cast<std::size_t>(d)];
      rest /= at(d);
    }
    places.push_back(static_cast<std::int32_t>(place));
  }
}

// How far outputs go once a block has run: prints of the model block come with generated quantities.
density::Block stage_of(typed::BlockKind block) {
  return block == typed::BlockKind::model ? density::Block::generated_quantities : block_of(block);
}

// Slots of tuples are variables of their own, "t:1", "t:1.2".
void add_output(const std::string& name, const Value& value, density::Block block,
                density::Layout& layout, std::vector<std::int32_t>& places) {
  if (value.is_tuple()) {
    const bool is_inner = name.find(':') != std::string::npos;
    for (std::size_t k = 0; k < value.tuple()->elements.size(); ++k)
      add_output(fmt::format("{}{}{}", name, is_inner ? '.' : ':', k + 1),
                 value.tuple()->elements[k], block, layout, places);
    return;
  }
  density::Variable variable = stored_variable(name, lang::base_of(value), lang::dims_of(value));
  add_places(variable, ssize(places), places);
  variable.block = block;
  variable.num_outer = 0;
  layout.add(std::move(variable));
}

void append_numbers(const Value& value, std::vector<double>& out) {
  if (value.is_tuple()) {
    for (const Value& element : value.tuple()->elements) append_numbers(element, out);
    return;
  }
  for (Index i = 0; i < lang::size_of(value); ++i) {
    stop_if_asked();
    out.push_back(lang::scalar_of(value, i).known);
  }
}
}  // namespace

// Sizes are data-only, so the values at any point show the layout.
void Model::lay_out_outputs() {
  Machine machine = new_machine({});
  const auto lay_out = [&](typed::BlockKind block, const typed::Statement& s,
                           const typed::Declaration& d) {
    machine.enter(s);
    Output output{block_of(block), d.slot.index, {}};
    add_output(d.name, machine.unset_value(*d.type), output.block, outputs_, output.places);
    output_sources_.push_back(std::move(output));
  };
  for (const auto block : {typed::BlockKind::parameters, typed::BlockKind::transformed_parameters,
                           typed::BlockKind::generated_quantities})
    with_data_alone(*source_, [&] {
      for_each_declaration(source_->program.block(block),
                           [&](const auto& s, const auto& d) { lay_out(block, s, d); });
    });
}

std::vector<std::string> Model::free_names() const { return free_.element_names(); }

density::Layout Model::unconstrained() const {
  density::Layout all = free_;
  if (samples_discrete_)
    for (const density::Variable& variable : discrete_.layout.variables()) all.add(variable);
  return all;
}

std::vector<double> Model::with_discrete(std::span<const double> position, Rng& rng) const {
  std::vector<double> all = completed(position);
  if (all.size() > position.size())
    make_drawer(position)->draw(position, rng, std::span(all).subspan(position.size()));
  return all;
}

std::vector<double> Model::write(std::span<const double> point, Rng& rng, std::string* note,
                                 const density::Written& what) const {
  if (discrete_.size() > 0 && !samples_discrete_ && std::ssize(point) == dimension_)
    return write(with_discrete(point, rng), rng, note, what);
  Machine machine =
      new_machine({.limits = {}, .seed = lang::DrawSeed::of(rng.bits()), .print = options_.print});
  std::vector<char> reached(source_->program.globals.size(), 0);
  const auto mark = [&](typed::BlockKind block) {
    for (std::size_t k = 0; k < reached.size(); ++k) {
      if (source_->program.globals[k].block == block) reached[k] = 1;
    }
  };
  try {
    set_parameters(machine, graph::constant(graph::vector_shape(ssize(point)), point));
    mark(typed::BlockKind::parameters);
    for (const auto block : {typed::BlockKind::transformed_parameters, typed::BlockKind::model,
                             typed::BlockKind::generated_quantities}) {
      const bool only_prints = block == typed::BlockKind::model;
      const bool has_prints = what.density_prints && prints() && unknown_.empty();
      if (stage_of(block) > what.last || (only_prints && !has_prints)) continue;
      if (block == typed::BlockKind::generated_quantities)
        run_quantities(machine);
      else
        machine.run(block);
      mark(block);
    }
  } catch (const lang::Rejection& r) {
    if (r.failure.kind == lang::FailureKind::fatal)
      rejected_for_good(*source_, r, ErrorCode::evaluation);
    if (note != nullptr)
      *note = source_->where(r.failure.statement) + ": " + lang::message(r.failure, r.value);
  }
  std::vector<double> row, numbers;
  for (const Output& output : output_sources_) {
    if (output.block > what.last) break;
    const bool known = reached[static_cast<std::size_t>(output.slot)] != 0;
    numbers.clear();
    if (known) append_numbers(machine.global(output.slot), numbers);
    for (const std::int32_t place : output.places)
      row.push_back(known ? numbers[static_cast<std::size_t>(place)] : kNaN);
  }
  if (!what.columns) return row;
  std::vector<double> chosen;
  for (const Index column : *what.columns) chosen.push_back(row[static_cast<std::size_t>(column)]);
  return chosen;
}

void Model::print_density(std::span<const double> point) const {
  if (!prints()) return;
  Machine machine = new_machine({.limits = {}, .print = options_.print});
  const std::vector<double> all = completed(point);
  try {
    set_parameters(machine, graph::constant(graph::vector_shape(ssize(all)), all));
    machine.run(typed::BlockKind::transformed_parameters);
    machine.run(typed::BlockKind::model);
  } catch (const lang::Rejection&) {  // the evaluation says so
  }
}

namespace {
// The variable whose numbers come first; `rest` is what lies behind them.
Value stored_value(const lang::ConstraintPlan& plan, std::span<const double>& rest) {
  const Index count = plan.dims.count == 0 ? 1 : plan.dims.total();
  const auto own = rest.first(static_cast<std::size_t>(count));
  rest = rest.subspan(own.size());
  if (plan.dims.count == 0) return Scalar(own[0]);
  return lang::from_expr(graph::constant(lang::shape_of(plan.base, plan.dims), own), plan.base,
                         plan.dims);
}
}  // namespace

std::vector<double> Model::unconstrain_rounded(std::span<const double> row, double rounding) const {
  Machine machine = new_machine({});
  std::vector<double> free, stored;
  std::size_t output = 0, begin = 0;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    const std::vector<std::int32_t>& places = output_sources_[output++].places;
    const std::span<const double> columns = row.subspan(begin, places.size());
    begin += places.size();
    if (lang::is_int_based(d.type->type)) return;
    stored.resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      stored[static_cast<std::size_t>(places[k])] = columns[k];
    std::span<const double> rest = stored;
    std::vector<Value> values;
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      values.push_back(stored_value(plan, rest));
      const std::vector<double> part = lang::unconstrain(plan, values.back(), leaf.name, rounding);
      free.insert(free.end(), part.begin(), part.end());
    }
    machine.global(d.slot.index) = lang::from_leaves(*d.type, values);
  };
  try {
    for_each_declaration(source_->program.parameters, add);
  } catch (const lang::Rejection& r) {
    rejected_for_good(*source_, r, ErrorCode::data);
  }
  return free;
}

std::vector<double> Model::unconstrain(const io::DataTable& values,
                                       std::span<const double> fill) const {
  Machine machine = new_machine({});
  std::vector<double> free;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (lang::is_int_based(d.type->type)) return;  // below
    const bool is_given = fill.empty() || values.find(d.name) != nullptr;
    Value& global = machine.global(d.slot.index);
    global = is_given ? lang::read_variable(machine, values, *d.type, d.name, source_->where(s.id))
                      : machine.unset_value(*d.type);  // to be drawn
    if (is_given) check_given(machine, *source_, values, d, global);
    const std::vector<Value> parts = lang::leaf_values(global);
    std::size_t k = 0;
    for (const lang::Leaf& leaf : lang::leaves_of(machine, *d.type, d.name)) {
      const lang::ConstraintPlan plan = lang::plan_constraint(machine, *leaf.type, leaf.name);
      const Value& value = parts[k++];
      const auto drawn = [&] {
        const auto begin = fill.begin() + ssize(free);
        return std::vector<double>(begin, begin + lang::free_size(plan));
      };
      const std::vector<double> part =
          is_given ? lang::unconstrain(plan, value, leaf.name) : drawn();
      free.insert(free.end(), part.begin(), part.end());
    }
  };
  try {
    for_each_declaration(source_->program.parameters, add);
    const std::vector<double> sites = unconstrained_sites(machine, values, fill);
    free.insert(free.end(), sites.begin(), sites.end());
  } catch (const lang::Rejection& r) {
    rejected_for_good(*source_, r, ErrorCode::data);
  }
  return free;
}

// Empty if they are summed out.
std::vector<double> Model::unconstrained_sites(Machine& machine, const io::DataTable& values,
                                               std::span<const double> fill) const {
  std::vector<double> sites;
  if (!samples_discrete_) return sites;
  const auto add = [&](const typed::Statement& s, const typed::Declaration& d) {
    machine.enter(s);
    if (!lang::is_int_based(d.type->type)) return;
    const Index size = lang::size_of(machine.unset_value(*d.type));
    const bool drawn = !fill.empty() && values.find(d.name) == nullptr;
    Value given;
    if (!drawn) given = lang::read_variable(machine, values, *d.type, d.name, source_->where(s.id));
    for (Index i = 0; i < size; ++i) {
      const std::size_t m = sites.size();
      sites.push_back(drawn ? fill[static_cast<std::size_t>(dimension_) + m]
                            : lang::scalar_of(given, i).known);
      if (sites[m] < discrete_.lower[m] || sites[m] > discrete_.upper[m]) {
        machine.fail(fmt::format("{} is {}, must be in {}..{}",
                                 discrete_.layout.element_name(static_cast<Index>(m)), sites[m],
                                 discrete_.lower[m], discrete_.upper[m]));
      }
    }
  };
  for_each_declaration(source_->program.parameters, add);
  return sites;
}

}  // namespace credo::model
