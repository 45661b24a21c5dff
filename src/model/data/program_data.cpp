#include "model/data/program_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/stream.hpp"
#include "io/data/settled_table.hpp"
#include "lang/trace/data_reader.hpp"
#include "model/data/data_faults.hpp"
#include "model/data/data_variables.hpp"
#include "model/data/declarations.hpp"
#include "model/data/program_table.hpp"
#include "model/replicates/data_text.hpp"

namespace credo::model {
using lang::Machine;
using lang::Value;
namespace typed = lang::typed;

namespace {
constexpr std::uint32_t kTransformedData = stream("transformed_data", 5);
}

ProgramData::ProgramData(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
                         const ModelOptions& options)
    : source_(std::move(source)), limits_(options.limits) {
  if (io::is_settled(data))
    read(data, options);
  else
    read(table_for(*source_, data), options);
}

ProgramData ProgramData::filled(const std::map<int, Value>& outcomes) const {
  ProgramData all = *this;
  all.unknown_ = {};
  for (const auto& [slot, value] : outcomes) all.globals_[static_cast<std::size_t>(slot)] = value;
  return all;
}

Machine ProgramData::new_machine(lang::MachineOptions options) const {
  options.limits = limits_;
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

void ProgramData::read(const io::DataTable& data, const ModelOptions& options) {
  static constexpr MemoryUse kUse{"the data and the transformed data",
                                  "give the program less data, or smaller transformed data"};
  const MemoryScope memory(kUse);
  Rng rng(StreamKey{.seed = options.seed, .purpose = kTransformedData, .chain = 0, .iteration = 0});
  Machine machine =
      new_machine({.limits = {}, .seed = lang::DrawSeed::of(rng.bits()), .print = options.print});
  supplied_ = supplied_sizes(source_->program, data);
  std::set<int> unknown;
  const auto read = [&](const typed::Statement& s, const typed::Declaration& d) -> Value {
    for (const SuppliedSize& size : supplied_)
      if (size.name == d.name) return static_cast<std::int32_t>(size.value);
    if (options.may_lack_outcomes && lacks_outcome(machine, data, d)) {
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

std::vector<std::string> ProgramData::unknown_outcomes() const {
  std::vector<std::string> names;
  for (const int slot : unknown_.slots)
    names.push_back(source_->program.globals[static_cast<std::size_t>(slot)].name);
  return names;
}

void ProgramData::require_known() const {
  if (unknown_.empty()) return;
  throw Error(ErrorCode::data,
              fmt::format("{} isn't in the data, and the log density needs it",
                          fmt::join(unknown_outcomes(), ", ")),
              source_->name, "give the outcomes");
}

void ProgramData::run_quantities(Machine& machine) const {
  constexpr auto kBlock = typed::BlockKind::generated_quantities;
  if (unknown_.empty()) return machine.run(kBlock);
  machine.run(kBlock, {.statements = unknown_.runs, .adds_terms = true});
  std::vector<char> unchecked(source_->program.globals.size(), 0);
  for (const auto& [slot, read] : unknown_.quantities) {
    unchecked[static_cast<std::size_t>(slot)] = 1;
    machine.global(slot) =
        machine.unset_value(*source_->program.globals[static_cast<std::size_t>(slot)].sized_type);
  }
  machine.check_globals(kBlock, unchecked);
}

std::vector<density::DataVariable> ProgramData::variables() const {
  return data_variables(source_->program);
}

namespace {
std::size_t slot_of(const typed::Program& program, const std::string& name) {
  const auto& globals = program.globals;
  return static_cast<std::size_t>(
      std::find_if(globals.begin(), globals.end(), [&](const auto& g) { return g.name == name; }) -
      globals.begin());
}
}  // namespace

std::string ProgramData::text() const { return text_with({}); }

std::string ProgramData::text_with(std::span<const density::ObservedVariable> observed) const {
  require_known();
  ValuesInstead instead;
  for (const density::ObservedVariable& one : observed) {
    const std::vector<std::int32_t> places =
        places_of(globals_[slot_of(source_->program, one.variable.name)]);
    std::vector<double>& stored = instead[one.variable.name];
    stored.resize(places.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      stored[static_cast<std::size_t>(places[k])] = one.values[k];
  }
  Machine machine = new_machine({});
  return data_text(machine, instead);
}

std::vector<density::ObservedVariable> ProgramData::values(bool only_observed) const {
  std::vector<density::ObservedVariable> all;
  for (const density::DataVariable& data : variables()) {
    const std::size_t slot = slot_of(source_->program, data.name);
    if ((only_observed && !data.observed) || globals_[slot].is_tuple() ||
        unknown_.contains(static_cast<int>(slot)))
      continue;
    all.push_back(value_of(slot));
  }
  return all;
}

density::ObservedVariable ProgramData::value_of(std::size_t slot) const {
  const lang::Value& value = globals_[slot];
  density::ObservedVariable one{
      .variable = output_variable(source_->program.globals[slot].name, value), .values = {}};
  for (const std::int32_t place : places_of(value))
    one.values.push_back(lang::scalar_of(value, place).known);
  return one;
}

namespace {
// True if the numbers are among those of the data, or those of one variable and a constant: a density of them is one of
// the data.
bool has_scale_of(std::span<const double> values, std::span<const density::ObservedVariable> data) {
  std::set<double> known;
  for (const density::ObservedVariable& one : data)
    known.insert(one.values.begin(), one.values.end());
  const auto is_known = [&](double x) { return std::isnan(x) || known.contains(x); };
  if (std::ranges::all_of(values, is_known)) return true;
  return std::ranges::any_of(data, [&](const density::ObservedVariable& one) {
    if (one.values.size() != values.size()) return false;
    double first = kNaN, most = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double shift = values[k] - one.values[k];
      if (std::isnan(shift)) continue;
      if (std::isnan(first)) first = shift;
      most = std::max({most, std::abs(values[k]), std::abs(one.values[k])});
      if (std::abs(shift - first) > 8.0 * std::numeric_limits<double>::epsilon() * most)
        return false;
    }
    return true;
  });
}
}  // namespace

std::vector<density::ObservedVariable> ProgramData::rescaled() const {
  if (!unknown_.empty()) return {};
  const std::vector<density::ObservedVariable> data = observed();
  std::vector<density::ObservedVariable> all;
  for (const int at : computed_outcomes(source_->program)) {
    const auto slot = static_cast<std::size_t>(at);
    if (globals_[slot].is_tuple()) continue;
    density::ObservedVariable one = value_of(slot);
    if (!has_scale_of(one.values, data)) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace credo::model
