// credo data: what a program would see of data files.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/load.hpp"
#include "cli/term/terminal.hpp"
#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "model/data/data_survey.hpp"
#include "model/data/program_table.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
constexpr std::size_t kShownLevels = 6;

struct Extent {
  double least = kInfinity, greatest = -kInfinity;
};

// Extent of the numbers that aren't missing.
Extent extent_of(const io::DataValue& value) {
  Extent extent;
  const auto& missing = value.column == nullptr ? std::vector<Index>() : value.column->missing;
  auto next = missing.begin();
  const bool whole = value.kind == io::DataKind::integers;
  const std::size_t count = whole ? value.integers.size() : value.reals.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (next != missing.end() && *next == static_cast<Index>(k)) {
      ++next;
      continue;
    }
    const double x = whole ? value.integers[k] : value.reals[k];
    extent.least = std::fmin(extent.least, x);
    extent.greatest = std::fmax(extent.greatest, x);
  }
  return extent;
}

std::string kind_of(const io::DataValue& value) {
  if (value.column != nullptr && !value.column->odd.empty()) return "mixed";
  if (value.column != nullptr && !value.column->levels.empty()) return "factor";
  if (value.column != nullptr && value.column->numbers_rows) return "rows";
  switch (value.kind) {
    case io::DataKind::integers:
      return "whole";
    case io::DataKind::reals:
      return "real";
    case io::DataKind::tuples:
      return "tuple";
    default:
      return "empty";
  }
}

std::string sizes_text(const io::DataValue& value) {
  return value.dims.empty() ? "one" : fmt::format("{}", fmt::join(value.dims, " x "));
}

std::string extent_text(const io::DataValue& value) {
  const Extent extent = extent_of(value);
  if (!(extent.least <= extent.greatest)) return "";
  if (extent.least == extent.greatest) return fmt::format("{:.6g}", extent.least);
  return fmt::format("{:.6g} to {:.6g}", extent.least, extent.greatest);
}

// Levels of a factor, missing values, a text among numbers, the name in the file.
std::string remarks(const std::string& name, const io::DataValue& value) {
  if (value.column == nullptr) return "";
  const io::ColumnFacts& column = *value.column;
  std::vector<std::string> all;
  if (!column.levels.empty()) {
    const auto shown = std::span(column.levels).first(std::min(kShownLevels, column.levels.size()));
    all.push_back(fmt::format("{}{}", fmt::join(shown, ", "),
                              shown.size() < column.levels.size()
                                  ? fmt::format(", ... ({} levels)", column.levels.size())
                                  : ""));
  }
  if (!column.missing.empty())
    all.push_back(fmt::format("{} missing, the first at {}", column.missing.size(),
                              column.where(column.missing.front())));
  if (!column.gaps.empty())
    all.push_back(fmt::format("{} gaps (nan), the first at {}", column.gaps.size(),
                              column.where(column.gaps.front())));
  if (!column.odd.empty())
    all.push_back(fmt::format("`{}` at {}", column.odd, column.where(column.odd_element)));
  if (column.numbers_rows)
    all.push_back(fmt::format("of {}", column.name));
  else if (column.name != name && column.lines != nullptr)
    all.push_back(fmt::format("column {}", column.name));
  return fmt::format("{}", fmt::join(all, "; "));
}

std::string table_text(const io::DataTable& data) {
  std::vector<std::vector<std::string>> rows = {{"name", "kind", "size", "range", ""}};
  for (const std::string& name : data.names()) {
    const io::DataValue& value = *data.find(name);
    rows.push_back(
        {name, kind_of(value), sizes_text(value), extent_text(value), remarks(name, value)});
  }
  return text_columns(rows);
}

std::string survey_text(const model::DataSurvey& survey, const std::string& program) {
  std::string text = fmt::format("\n{} declares\n", program);
  std::vector<std::vector<std::string>> rows;
  for (const model::DeclaredData& d : survey.declared)
    rows.push_back(
        {"  " + d.declaration,
         d.is_given ? "ok: " + (d.found.empty() ? "no value is needed" : d.found) : "NOT GIVEN"});
  text += text_columns(rows);
  for (const model::DeclaredData& d : survey.declared) {
    if (d.is_given) continue;
    text += fmt::format("\n{}: {}{}\n", d.name, d.problem,
                        d.place.empty() ? "" : fmt::format(" ({})", d.place));
    if (!d.hint.empty()) text += fmt::format("  -> {}\n", d.hint);
  }
  if (!survey.unused.empty())
    text += fmt::format("\nnot used by the program: {}\n", fmt::join(survey.unused, ", "));
  return text + (survey.is_complete() ? "\nthe program has all its data\n" : "");
}

std::string json_text(const io::DataTable& data, const model::DataSurvey* survey) {
  using Named = std::pair<std::string, const io::DataValue*>;
  std::vector<Named> all;
  for (const std::string& name : data.names()) all.emplace_back(name, data.find(name));
  results::ArrayList answer;
  auto add = answer.add_rows("variables", all).columns(all, results::Missing::left_out);
  const auto end_of = [](double Extent::*end) {
    return [end](const Named& n) {
      const Extent extent = extent_of(*n.second);
      return extent.least <= extent.greatest ? extent.*end : kNaN;
    };
  };
  const auto count_of = [](auto io::ColumnFacts::*list) {
    return [list](const Named& n) {
      const auto* column = n.second->column.get();
      return column == nullptr ? kNaN : static_cast<double>((column->*list).size());
    };
  };
  add("name", &Named::first), add("kind", [](const Named& n) { return kind_of(*n.second); });
  add("least", end_of(&Extent::least)), add("greatest", end_of(&Extent::greatest));
  add("column", [](const Named& n) { return n.second->column ? n.second->column->name : ""; });
  add("num_missing", count_of(&io::ColumnFacts::missing));
  add("num_gaps", count_of(&io::ColumnFacts::gaps));
  answer.add_lists("variables", "sizes",
                   results::elements_within(all, [](const Named& n) { return n.second->dims; }));
  answer.add_lists("variables", "levels", results::elements_within(all, [](const Named& n) {
                     return n.second->column ? n.second->column->levels
                                             : std::vector<std::string>();
                   }));
  std::vector<std::string> notes;
  for (const io::DataNote& note : data.notes()) notes.push_back(note.text);
  add_list(answer, "notes", "note", notes);
  if (survey == nullptr) return answer_json(answer);
  using model::DeclaredData;
  answer.set("is_complete", survey->is_complete());
  auto add_declared = answer.add_rows("declared", survey->declared).columns(survey->declared);
  add_declared("name", &DeclaredData::name);
  add_declared("declaration", &DeclaredData::declaration);
  add_declared("where", &DeclaredData::where), add_declared("given", &DeclaredData::is_given);
  add_declared("found", &DeclaredData::found), add_declared("problem", &DeclaredData::problem);
  add_declared("place", &DeclaredData::place), add_declared("hint", &DeclaredData::hint);
  return answer_json(answer);
}

class Data final : public Command {
 public:
  void describe(Arguments& arguments) override {
    arguments.positionals("files", reading_.files,
                          "data files: CSV, TSV, JSON, NetCDF, R's dump format", any_file());
    reading_.describe_reading(arguments);
    arguments.option("--program", program_, "a Stan program: which of its data are there",
                     file_ending(".stan"));
    arguments.option("-I,--include", include_dirs_, "directory for #include; may be repeated",
                     any_directory());
  }

  int run(Output& output) override {
    io::DataTable data = io::read_data(reading_.recipe());
    std::optional<model::DataSurvey> survey;
    if (program_.empty()) {
      const std::vector<std::string> all = data.names();
      data = io::settled(std::move(data), all);
    } else {
      const auto program = load_program(program_, include_dirs_, output, json);
      data = model::table_for(*program, std::move(data));
      survey = model::survey_data(*program, data);
    }
    if (json) {
      output.print(json_text(data, survey ? &*survey : nullptr));
    } else {
      output.print(visible(table_text(data)));
      for (const io::DataNote& note : data.notes()) output.print(visible(note.text + "\n"));
      if (survey) output.print(visible(survey_text(*survey, program_)));
    }
    return survey && !survey->is_complete() ? static_cast<int>(ErrorCode::data) : 0;
  }

 private:
  DataArguments reading_;
  std::string program_;
  std::vector<std::string> include_dirs_;
};
}  // namespace

extern const CommandRow data_command{
    "data", "what a program would see of data files, and which of its data are there",
    "  credo data cars.csv\n"
    "  credo data cars.csv --program model.stan\n"
    "  credo data cars.csv sizes.json --columns y=dist,x=speed --program model.stan\n"
    "  credo data survey.csv --missing list\n",
    make_command<Data>,
    "Standard output: each variable with its kind, sizes, range, levels and missing values; with "
    "--program each declaration "
    "of its data block, and its faults. The exit status is that of wrong data where something "
    "is "
    "missing. No files."};

}  // namespace credo::cli
