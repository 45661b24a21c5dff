#include "model/replicates/provenance.hpp"

#include <bit>

#include "base/error.hpp"

#include "lang/trace/indexing.hpp"
#include "model/program_parts.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::Value;

// NaNs whose bits encode an element of the data; assignments copy them unchanged.
constexpr std::uint64_t kQuiet = 0x7ff8000000000000u, kMark = std::uint64_t{0x5a} << 43;
constexpr int kSlotShift = 31;

double tagged(int slot, std::int32_t place) {
  return std::bit_cast<double>(kQuiet | kMark | (static_cast<std::uint64_t>(slot) << kSlotShift) |
                               static_cast<std::uint64_t>(place));
}

DataPlace data_place_of(double x) {
  constexpr std::uint64_t kMarked = kQuiet | (std::uint64_t{0xff} << 43);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  if ((bits & kMarked) != (kQuiet | kMark)) return {};
  return {.slot = static_cast<int>(bits >> kSlotShift & 0xfff),
          .place = static_cast<std::int32_t>(bits & 0x7fffffffu)};
}

bool is_real_container(const typed::GlobalVariable& variable, const Value& value) {
  const bool is_data = variable.block == typed::BlockKind::data ||
                       variable.block == typed::BlockKind::transformed_data;
  return is_data && !lang::is_int_based(variable.type) && !value.is_tuple() && !value.is_scalar() &&
         !value.is_unset();
}
}  // namespace

Provenance::Provenance(const ProgramParts& parts, std::span<const double> position) {
  lang::Machine machine = parts.data.new_machine({.watch = [&](const lang::SeenDensity& seen) {
    std::vector<DataPlace>& found = places_[&seen.call].emplace_back();
    for (Index e = 0; e < lang::size_of(seen.arguments[0]); ++e)
      found.push_back(data_place_of(lang::scalar_of(seen.arguments[0], e).known));
  }});
  const auto& globals = machine.program().globals;
  for (std::size_t slot = 0; slot < globals.size() && slot < 0xfff; ++slot) {
    Value& value = machine.global(static_cast<int>(slot));
    if (!is_real_container(globals[slot], value)) continue;
    std::vector<lang::Scalar> tags;
    for (Index e = 0; e < lang::size_of(value); ++e)
      tags.emplace_back(tagged(static_cast<int>(slot), static_cast<std::int32_t>(e)));
    value = lang::make_reals(lang::base_of(value), lang::dims_of(value), std::move(tags));
  }
  parts.parameters.set_numbers(machine, position);
  const std::vector<char> all(machine.program().statement_ranges.size(), 1);
  try {
    machine.run(typed::BlockKind::transformed_parameters, {.statements = all, .adds_terms = false});
    machine.run(typed::BlockKind::model, {.statements = all, .adds_terms = false});
  } catch (
      const lang::Rejection&) {  // data that are NaN were refused: the result up to here is kept
  } catch (const Error&) {       // the same
  }
}

std::span<const DataPlace> Provenance::of(const typed::Call& call, std::size_t k) const {
  const auto found = places_.find(&call);
  if (found == places_.end() || k >= found->second.size()) return {};
  return found->second[k];
}

}  // namespace credo::model
