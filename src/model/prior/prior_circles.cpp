// Each element of a parameter gets a value that depends on all numbers its density reads, as soon as the density is reached, and
// the program is run again until all values stay. If the elements have an order in which each density reads earlier ones only,
// each run settles at least one more of them, and mostly the second run settles all, since programs state priors in such an
// order. Elements that need each other never settle.
#include "model/prior/prior_circles.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/trace/indexing.hpp"
#include "model/prior/prior_mixture.hpp"
#include "model/prior/prior_places.hpp"
#include "model/prior/prior_sums.hpp"
#include "model/program_parts.hpp"
#include "model/statements/placed_statement.hpp"

namespace credo::model {
namespace {
using lang::Value;

constexpr Index kFirstLook = 6;              // runs before a circle is searched
constexpr std::size_t kMostInCircle = 100;   // elements in the search
constexpr Index kMostReadings = 50'000'000;  // in all runs together: some seconds
constexpr std::size_t kMostNamed = 4, kMostText = 80;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {  // the finaliser of splitmix64
  std::uint64_t z = hash + 0x9e3779b97f4a7c15ULL + more;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
std::uint64_t mixed(std::uint64_t hash, double value) {
  return mixed(hash, std::bit_cast<std::uint64_t>(value));
}

// An element of a parameter.
struct ElementId {
  int slot = 0;
  std::int32_t place = 0;
  auto operator<=>(const ElementId&) const = default;
};

// One element's density, as it was reached in a run.
struct DensityReading {
  ElementId element;
  std::int32_t statement = 0;
  std::uint64_t read = 0;  // hash of the numbers that it reads
  bool operator==(const DensityReading&) const = default;
};
using DensityReadings = std::vector<DensityReading>;

// How many vectors or matrices an array has; 1 for a single one.
Index num_units(const Value& value) {
  const int inner = lang::inner_dims(lang::base_of(value));
  const lang::Dims dims = lang::dims_of(value);
  return inner > 0 && dims.count > inner ? std::max<Index>(dims[0], 1) : 1;
}

// The number of a part among equal parts of an outcome, and of arguments that have as many.
struct UnitPart {
  Index number = 0, count = 1;
};

// The hash of what this unit of the outcome reads of an argument: its own part if the argument has one for each unit, else all.
std::uint64_t read_of(std::uint64_t hash, const Value& argument, UnitPart unit, bool has_parts) {
  if (argument.is_scalar()) return mixed(hash, lang::scalar_of(argument).known);
  const Index size = lang::size_of(argument), length = has_parts ? size / unit.count : size;
  const Index first = has_parts ? unit.number * length : 0;
  for (Index k = first; k < first + length; ++k)
    hash = mixed(hash, lang::scalar_of(argument, k).known);
  return hash;
}

class CircleSearch {
 public:
  CircleSearch(const ProgramParts& parts, std::span<const double> point)
      : parts_(parts),
        point_(point.begin(), point.end()),
        machine_(
            parts.data.new_machine({.watch = [this](const lang::SeenDensity& seen) { look(seen); },
                                    .watches_mixtures = true,
                                    .watched_sums = summed_priors(parts.data.source().program)})),
        all_(machine_.program().statement_ranges.size(), 1),
        variables_(machine_.program().globals.size()) {
    leave_out_likelihood();
  }

  struct Found {
    bool is_known = true;
    std::vector<DensityReading> circle = {};  // empty: no circle
  };
  Found find() {
    Index num_read = 0;
    DensityReadings last = run();
    for (Index k = 1;; ++k) {
      DensityReadings now = run();
      if (now == last) return {};
      num_read += ssize(now);
      const bool is_end = k > ssize(now) + 1, is_long = num_read > kMostReadings;
      if (k == kFirstLook || is_end || is_long) {
        const DensityReadings changing = changes(last, now);
        Found found{.circle = circle_among(changing)};
        if (!found.circle.empty()) return found;
        if (is_end) return {.circle = changing};
        if (is_long) return {.is_known = false};
      }
      last = std::move(now);
    }
  }

 private:
  struct Variable {
    Value positions = {};
    std::vector<double> base, now;
    std::vector<std::uint64_t> read;  // in this run, of all densities of the element
    bool is_rigid = false;            // its elements must fit together, up to rounding
  };

  // Terms of data by `~` decide nothing here.
  void leave_out_likelihood() {
    for (const PlacedStatement& leaf : placed_statements(machine_.program().model.statements)) {
      const auto* d = std::get_if<typed::Distribution>(&leaf.statement->node);
      if (d != nullptr && !is_of_parameter(outcome_of_prior(d->density.arguments[0])))
        all_[static_cast<std::size_t>(leaf.statement->id)] = 0;
    }
  }
  bool is_of_parameter(const typed::VariableUse* use) const {
    if (use == nullptr) return false;
    const typed::GlobalVariable& global =
        parts_.data.source().program.globals[static_cast<std::size_t>(use->slot.index)];
    return global.block == typed::BlockKind::parameters && !global.type.is_tuple() &&
           !lang::is_int_based(global.type);
  }

  DensityReadings run() {
    readings_.clear();
    machine_.forget_steps();
    parts_.parameters.set_numbers(machine_, point_);
    for (std::size_t slot = 0; slot < variables_.size(); ++slot) {
      Variable& variable = variables_[slot];
      std::ranges::fill(variable.read, 0);
      if (!variable.now.empty()) write_all(static_cast<int>(slot));
    }
    machine_.run(typed::BlockKind::transformed_parameters, {.statements = all_});
    machine_.run(typed::BlockKind::model, {.statements = all_});
    return std::exchange(readings_, {});
  }
  void write_all(int slot) {
    const Variable& variable = variables_[static_cast<std::size_t>(slot)];
    const Value& like = variable.positions;
    machine_.global(slot) =
        like.is_scalar()
            ? Value(lang::Scalar(variable.now[0]))
            : lang::like(graph::constant(lang::shape_of(lang::base_of(like), lang::dims_of(like)),
                                         variable.now),
                         like);
  }
  void write(ElementId element, double value) {
    Value& global = machine_.global(element.slot);
    if (global.is_scalar())
      global = lang::Scalar(value);
    else
      lang::write(global, std::array{element.place}, lang::Scalar(value));
  }

  void look(const lang::SeenDensity& seen) {
    const typed::VariableUse* use = outcome_of_prior(seen.call.arguments[0]);
    if (!is_of_parameter(use)) return;
    const int slot = use->slot.index;
    if (seen.mixture != nullptr && !is_mixture_of(*seen.mixture, slot)) return;
    const Variable& variable = variable_of(slot);
    const std::vector<std::int32_t> places =
        places_of_outcome(machine_, seen.call.arguments[0], slot, variable.positions);
    const std::vector<std::uint64_t> reads = reads_of(seen);
    for (std::size_t i = 0; i < places.size(); ++i)
      note({slot, places[i]}, reads[i], places.size() == 1);
    if (writes_ && places.size() > 1) write_all(slot);
  }
  Variable& variable_of(int slot) {
    Variable& variable = variables_[static_cast<std::size_t>(slot)];
    if (!variable.positions.is_unset()) return variable;
    const Value& value = machine_.global(slot);
    variable.positions = places_as_values(value);
    for (Index i = 0; i < lang::size_of(value); ++i)
      variable.base.push_back(lang::scalar_of(value, i).known);
    variable.now = variable.base;
    variable.read.resize(variable.now.size());
    using enum typed::Constraint;
    static constexpr std::array kLoose{none, bounds, affine, ordered, positive_ordered};
    const auto& global = machine_.program().globals[static_cast<std::size_t>(slot)];
    variable.is_rigid = std::ranges::find(kLoose, global.sized_type->constraint) == kLoose.end();
    return variable;
  }
  // By the elements of the outcome.
  std::vector<std::uint64_t> reads_of(const lang::SeenDensity& seen) {
    const dist::Distribution& d =
        *lang::distribution_function(seen.call.function.name)->distribution;
    const bool is_whole = d.kind == dist::Kind::multivariate;
    const Index n = lang::size_of(seen.arguments[0]);
    const Index count = is_whole ? num_units(seen.arguments[0]) : n;
    const std::uint64_t beside = read_beside(seen);
    std::vector<std::uint64_t> reads;
    for (Index u = 0; u < count; ++u) {
      std::uint64_t read = beside;
      for (const Value& argument : seen.arguments.subspan(1))
        read = read_of(read, argument, {u, count},
                       count == (is_whole ? num_units(argument) : lang::size_of(argument)));
      reads.insert(reads.end(), static_cast<std::size_t>(n / count), read);
    }
    return reads;
  }
  // A hash of the numbers that all elements read: limits of T[,], and all of a mixture.
  std::uint64_t read_beside(const lang::SeenDensity& seen) {
    std::uint64_t hash = 1;
    if (seen.truncation != nullptr)
      for (const typed::Box* limit : {&seen.truncation->lower, &seen.truncation->upper})
        if (*limit != nullptr)
          hash = mixed(hash, lang::scalar_of(machine_.evaluate(**limit)).known);
    if (seen.mixture == nullptr) return hash;
    for (const MixtureValues::Component& c : MixtureValues(machine_, *seen.mixture).components) {
      hash = mixed(hash, c.log_weight);
      for (const Value& argument : std::span(c.arguments).subspan(1))
        hash = read_of(hash, argument, {}, false);
    }
    return hash;
  }
  void note(ElementId element, std::uint64_t read, bool is_alone) {
    readings_.push_back({element, machine_.statement(), read});
    if (!writes_) return;
    Variable& variable = variables_[static_cast<std::size_t>(element.slot)];
    const auto i = static_cast<std::size_t>(element.place);
    variable.read[i] = mixed(variable.read[i], read);
    variable.now[i] = moved(variable, i, variable.read[i]);
    if (is_alone) write(element, variable.now[i]);
  }
  // A value near that of the point, for it must stay within the parameter's range.
  static double moved(const Variable& variable, std::size_t i, std::uint64_t hash) {
    const double share = 0.25 + 0.75 * static_cast<double>(hash >> 11) * 0x1p-53;
    const double base = variable.base[i];
    if (variable.is_rigid) return base * (1.0 + 1e-9 * share);
    return base == 0.0 ? 1e-4 * share : base * (1.0 + 1e-4 * share);
  }

  // Densities that read something else than in the run before.
  static DensityReadings changes(const DensityReadings& last, const DensityReadings& now) {
    if (last.size() != now.size()) return now;
    DensityReadings changed;
    for (std::size_t i = 0; i < now.size(); ++i)
      if (now[i] != last[i]) changed.push_back(now[i]);
    return changed;
  }

  // The shortest circle among the first of these: each reads the next one, and the last reads the first.
  DensityReadings circle_among(DensityReadings some) {
    if (some.size() > kMostInCircle) some.resize(kMostInCircle);
    writes_ = false;
    const DensityReadings still = run();
    std::vector<std::vector<std::size_t>> read_by;
    for (const DensityReading& one : some) read_by.push_back(readers(one.element, still, some));
    writes_ = true;
    std::vector<std::size_t> best;
    for (std::size_t from = 0; from < some.size() && best.size() != 1; ++from) {
      std::vector<std::size_t> circle = shortest_circle(read_by, from);
      if (!circle.empty() && (best.empty() || circle.size() < best.size()))
        best = std::move(circle);
    }
    DensityReadings found;
    for (const std::size_t k : best) found.push_back(some[k]);
    return found;
  }
  // Places in `some` of the densities that read this element: they change if it alone does.
  std::vector<std::size_t> readers(ElementId element, const DensityReadings& still,
                                   const DensityReadings& some) {
    Variable& variable = variables_[static_cast<std::size_t>(element.slot)];
    const auto i = static_cast<std::size_t>(element.place);
    const double before = variable.now[i];
    variable.now[i] = moved(variable, i, mixed(variable.read[i], before));
    const DensityReadings now = run();
    variable.now[i] = before;
    if (now.size() != still.size()) return {};
    const DensityReadings changed = changes(still, now);
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < some.size(); ++k)
      if (std::ranges::any_of(changed, [&](const DensityReading& one) {
            return one.element == some[k].element && one.statement == some[k].statement;
          }))
        found.push_back(k);
    return found;
  }
  static std::vector<std::size_t> shortest_circle(
      const std::vector<std::vector<std::size_t>>& read_by, std::size_t from) {
    std::vector<std::size_t> queue{from}, before(read_by.size(), read_by.size());
    for (std::size_t head = 0; head < queue.size(); ++head)
      for (const std::size_t next : read_by[queue[head]]) {
        if (next == from) return path_to(queue[head], from, before);
        if (before[next] != read_by.size()) continue;
        before[next] = queue[head];
        queue.push_back(next);
      }
    return {};
  }
  static std::vector<std::size_t> path_to(std::size_t last, std::size_t from,
                                          const std::vector<std::size_t>& before) {
    std::vector<std::size_t> path{last};
    while (path.back() != from) path.push_back(before[path.back()]);
    return path;
  }

  const ProgramParts& parts_;
  std::vector<double> point_;
  lang::Machine machine_;
  std::vector<char> all_;            // marks of the statements that run
  std::vector<Variable> variables_;  // by slot
  DensityReadings readings_;
  bool writes_ = true;
};

// The text of a statement in one line.
std::string line_of(const ProgramSource& source, std::int32_t statement) {
  const auto range = source.program.statement_ranges[static_cast<std::size_t>(statement)];
  std::string line;
  for (const char c : source.source.text(range)) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_space) line += c;
    if (is_space && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.size() > kMostText) line = line.substr(0, kMostText - 3) + "...";
  return line;
}

std::string statements_of(const ProgramSource& source, const DensityReadings& circle) {
  std::set<std::int32_t> statements;
  for (const DensityReading& one : circle) statements.insert(one.statement);
  std::string text;
  std::size_t count = 0;
  for (const std::int32_t statement : statements) {
    if (count++ == kMostNamed)
      return text + fmt::format(" and {} more", statements.size() - kMostNamed);
    text += fmt::format("{}{} `{}`", count == 1 ? "" : ", ", source.where(statement),
                        line_of(source, statement));
  }
  return text;
}

density::PriorMass::Part part_of(const ProgramSource& source, const DensityReadings& circle) {
  const DensityReading& first = *std::ranges::min_element(circle, {}, &DensityReading::statement);
  return {.parameter = source.program.globals[static_cast<std::size_t>(first.element.slot)].name,
          .where = source.where(first.statement),
          .log_mass = kNaN,
          .reason =
              "has a prior that needs its own value in a circle: " + statements_of(source, circle) +
              ". Densities that read each other's outcomes don't multiply to a density "
              "that integrates to 1"};
}
}  // namespace

void find_circle(const ProgramParts& parts, std::span<const double> point,
                 density::PriorMass& mass) {
  const auto not_known = [&](const std::string& why) {
    mass.not_judged.push_back(
        {.parameter = "all parameters",
         .where = {},
         .log_mass = kNaN,
         .reason = "it isn't known whether they need each other, because " + why});
  };
  try {
    const CircleSearch::Found found = CircleSearch(parts, point).find();
    if (!found.circle.empty()) mass.improper.push_back(part_of(parts.data.source(), found.circle));
    if (!found.is_known) not_known("they are a chain that is too long to be followed");
  } catch (const lang::Rejection&) {
    not_known("points near the first one were refused");
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    not_known("points near the first one were refused: " + error.message());
  }
}

}  // namespace credo::model
