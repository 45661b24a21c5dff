#include "cli/fit/path_table.hpp"

#include <fmt/format.h>

#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
using graph::PathNote;

std::string where(const model::Model& model, std::int32_t statement) {
  return statement <= 0 ? std::string("the program") : model.source().where(statement);
}

std::string numbers(Index count, std::string_view of) {
  return fmt::format("{} {} {}", count, count == 1 ? "unknown" : "unknowns", of);
}

std::string taken_text(const PathNote& note) {
  if (note.pairs > 0)
    return fmt::format("{} rows become sums of {} pairs of levels with {} and {}", note.rows,
                       note.pairs, numbers(note.own, "of levels"),
                       numbers(note.shared, "of all rows"));
  if (note.path == "grouped")
    return fmt::format("{} rows become {} groups with {} and {}", note.rows, note.groups,
                       numbers(note.own, "of each"), numbers(note.shared, "of all rows"));
  if (note.path == "distinct")
    return fmt::format("{} rows become {} distinct ones with counts", note.rows, note.groups);
  if (note.groups > 0) return fmt::format("{} rows become {} means", note.rows, note.groups);
  return fmt::format("{} rows become one triangle of {}", note.rows,
                     numbers(note.shared, "of all rows"));
}

std::string line(const model::Model& model, const PathNote& note) {
  const std::string place = where(model, note.statement);
  if (!note.path.empty())
    return fmt::format("  {:<20} {}: {}\n", place, note.path, taken_text(note));
  return fmt::format("  {:<20} row by row: the term at {} {}\n", place, where(model, note.because),
                     note.reason);
}
}  // namespace

graph::Passes::Observer PathWatch::observer() {
  return [this](std::string_view pass, const graph::Traced& traced) { watch(pass, traced); };
}

// The paths are taken behind the parts of vectors, when dead code is gone.
void PathWatch::watch(std::string_view pass, const graph::Traced& traced) {
  if (is_split_ && !is_done_ && pass == "dead-code") explain(traced);
  if (pass == "split") is_split_ = true;
}

void PathWatch::explain(const graph::Traced& traced) {
  is_done_ = true;
  std::vector<PathNote> found;
  const auto take = [&](std::string_view pass, auto reduce, const graph::Traced& from) {
    return reduce(from, passes_.has(pass) ? &found : nullptr);
  };
  const graph::Traced grouped = take("grouped", graph::reduce_to_groups, traced);
  const graph::Traced& left = passes_.has("grouped") ? grouped : traced;
  const graph::Traced triangles = take("statistics", graph::reduce_to_statistics, left);
  take("distinct", graph::reduce_to_distinct, passes_.has("statistics") ? triangles : left);
  for (const PathNote& note : found) {
    const bool is_taken = !note.path.empty();
    const auto taken_elsewhere = [&](const PathNote& other) {
      return !other.path.empty() && other.statement == note.statement;
    };
    const auto is_same_statement = [&](const PathNote& other) { return other.statement == note.statement; };
    // A sum of parameters alone, as a prior is, has no rows of data; no statement makes its elements.
    if (!is_taken && (note.because <= 0 || std::ranges::any_of(notes_, is_same_statement))) continue;
    if (is_taken || std::ranges::none_of(found, taken_elsewhere)) notes_.push_back(note);
  }
  std::ranges::stable_sort(notes_, {}, &PathNote::statement);
}

std::string paths_text(const model::Model& model, const PathWatch& watch) {
  if (watch.notes().empty()) return "no statement has rows that a path of the graph could join\n";
  std::string text = "paths of the graph, by statement:\n";
  for (const PathNote& note : watch.notes()) text += line(model, note);
  return text;
}

std::string paths_json(const model::Model& model, const PathWatch& watch) {
  const std::vector<PathNote>& all = watch.notes();
  results::ArrayList answer;
  answer.set("name", model.name());
  auto add = answer.add_rows("paths", all).columns(all);
  add("where", [&](const PathNote& note) { return where(model, note.statement); });
  add("path", [](const PathNote& note) { return std::string(note.path); });
  add("rows", &PathNote::rows);
  add("groups", &PathNote::groups);
  add("own", &PathNote::own);
  add("shared", &PathNote::shared);
  add("pairs", &PathNote::pairs);
  add("because", [&](const PathNote& note) {
    return note.path.empty() ? where(model, note.because) : std::string();
  });
  add("reason", [](const PathNote& note) { return std::string(note.reason); });
  return answer_json(answer);
}

}  // namespace credo::cli
