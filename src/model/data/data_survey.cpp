#include "model/data/data_survey.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/data_reader.hpp"
#include "model/data/data_faults.hpp"
#include "model/data/data_variables.hpp"
#include "model/data/program_table.hpp"
#include "model/data/sizes.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;

// One line, without the semicolon.
std::string declaration_text(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string line;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (c != ';' && !(is_space && line.ends_with(' '))) line += is_space ? ' ' : c;
  }
  return line.size() > kLongest ? line.substr(0, kLongest) + "..." : line;
}

class Surveyor {
 public:
  Surveyor(const ProgramSource& source, io::DataTable data)
      : source_(source), data_(std::move(data)), machine_(source.program, {}) {
    machine_.locate = [&](std::int32_t statement) { return source_.where(statement); };
    machine_.locate_range = [&](lang::SourceRange range) { return source_.source.where(range); };
    machine_.text_of_range = [&](lang::SourceRange range) {
      return std::string(source_.source.text(range));
    };
  }

  DataSurvey survey() {
    DataSurvey survey;
    sizes_ = supplied_sizes(source_.program, data_);
    for (const typed::Statement& s : source_.program.data.statements)
      if (const auto* d = std::get_if<typed::Declaration>(&s.node))
        survey.declared.push_back(look_at(s, *d));
    for (const std::string& name : data_.names()) {
      const bool is_declared = std::ranges::any_of(
          survey.declared, [&](const DeclaredData& d) { return d.name == name; });
      if (!is_declared) survey.unused.push_back(name);
    }
    return survey;
  }

 private:
  DeclaredData look_at(const typed::Statement& s, const typed::Declaration& d) {
    DeclaredData declared;
    declared.name = d.name;
    declared.declaration = declaration_text(source_.source.text(s.range));
    declared.where = source_.where(s.id);
    machine_.enter(s);
    if (const std::string unknown = unknown_in(*d.type); !unknown.empty()) {
      declared.problem = fmt::format("it can't be checked without {}", unknown);
    } else if (const SuppliedSize* size = supplied(d.name)) {
      machine_.global(d.slot.index) = lang::Value(static_cast<std::int32_t>(size->value));
      declared.found = fmt::format("{}, {}", size->value, size->reason);
    } else {
      read(d, declared);
    }
    declared.is_given = declared.problem.empty();
    if (!declared.is_given) {
      unknown_.insert(d.slot.index);
      if (d.type->type.is(lang::BaseType::integer))
        machine_.global(d.slot.index) = lang::Value(std::int32_t{0});
    }
    return declared;
  }

  void read(const typed::Declaration& d, DeclaredData& declared) {
    const io::DataValue* value = data_.find(d.name);
    if (value != nullptr) declared.found = io::describe(*value);
    try {
      lang::Value& read = machine_.global(d.slot.index);
      read = lang::read_variable(machine_, data_, *d.type, d.name, declared.where);
      check_given(machine_, source_, data_, d, read);
    } catch (const Error& error) {
      declared.problem = error.message(), declared.hint = error.hint();
      declared.place = error.where();
    } catch (const lang::Rejection& r) {
      declared.problem = lang::message(r.failure, r.value);
    }
  }

  const SuppliedSize* supplied(const std::string& name) const {
    for (const SuppliedSize& size : sizes_)
      if (size.name == name) return &size;
    return nullptr;
  }

  // A variable that isn't given and that sizes or bounds are made of.
  std::string unknown_in(const typed::SizedType& type) const {
    std::set<int> used;
    const auto look = [&](const typed::Expression& e) { used.merge(variables_in(e)); };
    for (const typed::Expression& size : type.array_sizes) look(size);
    for (const typed::Expression& size : type.sizes) look(size);
    for (const typed::Box* bound : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      if (*bound != nullptr) look(**bound);
    for (const int slot : used)
      if (unknown_.contains(slot))
        return source_.program.globals[static_cast<std::size_t>(slot)].name;
    for (const typed::SizedType& element : type.elements)
      if (std::string name = unknown_in(element); !name.empty()) return name;
    return {};
  }

  const ProgramSource& source_;
  const io::DataTable data_;
  lang::Machine machine_;
  std::vector<SuppliedSize> sizes_;
  std::set<int> unknown_;
};
}  // namespace

bool DataSurvey::is_complete() const {
  return std::ranges::all_of(declared, [](const DeclaredData& d) { return d.is_given; });
}

DataSurvey survey_data(const ProgramSource& source, const io::DataTable& data) {
  return Surveyor(source, table_for(source, data)).survey();
}

}  // namespace credo::model
