#include "cli/bench/bench_explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/core/op.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {
namespace {
// More scalar nodes than this in one statement come from a loop.
constexpr Index kFew = 32;
constexpr double kWorthALine = 0.005;

double share_of(std::int32_t statement, std::span<const graph::ProfileShare> shares) {
  double sum = 0.0;
  for (const auto& s : shares)
    if (s.statement == statement) sum += s.share;
  return sum;
}

std::vector<std::int32_t> by_share(std::span<const graph::ProfileShare> shares) {
  std::vector<std::int32_t> statements;
  for (const auto& s : shares) {
    if (std::find(statements.begin(), statements.end(), s.statement) == statements.end())
      statements.push_back(s.statement);
  }
  std::stable_sort(statements.begin(), statements.end(), [&](std::int32_t a, std::int32_t b) {
    return share_of(a, shares) > share_of(b, shares);
  });
  return statements;
}

std::map<std::string_view, double> by_row(std::span<const graph::ProfileShare> shares) {
  std::map<std::string_view, double> rows;
  for (const auto& s : shares) rows[s.row] += s.share;
  return rows;
}

std::string where(const model::Model& model, std::int32_t statement) {
  if (statement <= 0) return "(no statement)";
  const std::string place = model.source().where(statement);
  return place.substr(place.find_last_of('/') + 1);  // npos + 1 is 0
}

// "mul x 12, add x 3", in the order of first use.
std::string with_counts(std::span<const std::string_view> rows) {
  std::vector<std::pair<std::string_view, Index>> counts;
  for (const std::string_view row : rows) {
    const auto same = std::find_if(counts.begin(), counts.end(),
                                   [&](const auto& count) { return count.first == row; });
    if (same == counts.end())
      counts.emplace_back(row, 1);
    else
      ++same->second;
  }
  std::vector<std::string> words;
  for (const auto& [row, count] : counts)
    words.push_back(count == 1 ? std::string(row) : fmt::format("{} x {}", row, count));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string sharing(const graph::FusedGroup& group, Index threads) {
  if (group.parts == 1) return "on one thread";
  return fmt::format("{} parts for {} thread{}", group.parts, threads, threads > 1 ? "s" : "");
}
}  // namespace

graph::Passes::Observer StatementWatch::observer() {
  return [this](std::string_view pass, const graph::Traced& traced) { count(pass, traced); };
}

// Each stage replaces the last one's counts, so the last stage's stay.
void StatementWatch::count(std::string_view pass, const graph::Traced& traced) {
  const graph::Graph& graph = *traced.graph;
  for (auto& [statement, row] : rows_) row = {.traced = row.traced};
  for (graph::NodeId id = 0; id < graph.num_nodes(); ++id) {
    const graph::Node& node = graph.node(id);
    if (node.op->kind == graph::OpKind::source) continue;
    Row& row = rows_[node.statement];
    const Index size = node.shape.size();
    if (pass == "trace") ++row.traced;
    if (size > 1) row.largest = std::max(row.largest, size);
    if (node.op->name.starts_with("region") || node.op->name.starts_with("loop"))
      ++row.regions;
    else
      ++(size > 1 ? row.vectors : row.scalars);
  }
}

std::string becomes(const StatementWatch::Row& row) {
  std::vector<std::string> words;
  if (row.regions > 0) words.push_back("region");
  if (row.vectors > 0) words.push_back(fmt::format("vectors of up to {}", row.largest));
  if (row.scalars > kFew) words.push_back(fmt::format("{} scalars stay", row.scalars));
  if (words.empty()) words.push_back(row.scalars > 0 ? "scalars" : "nothing");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string explanation_text(const Explanation& e) {
  std::string text =
      fmt::format("{:<32} {:>9} {:>9}  becomes\n", "statement", "traced", "in the end");
  for (const auto& [statement, row] : e.watch->rows()) {
    text += fmt::format("{:<32} {:>9} {:>9}  {}\n", where(*e.model, statement), row.traced,
                        row.scalars + row.vectors + row.regions, becomes(row));
  }
  const graph::ProgramSummary& s = e.summary;
  text += fmt::format(
      "program: {} steps as {} micros, {} of them general rows, {} fused groups\n"
      "workspace: {:.1f} KiB with {} lane{}; constants read in place: {:.1f} KiB\n"
      "lanes: {} cost least, {:.3f} us per gradient\n",
      s.num_steps, s.num_micros, s.num_calls, s.groups.size(), s.workspace_bytes / 1024, e.lanes,
      e.lanes > 1 ? "s" : "", s.constant_bytes / 1024, e.lanes, e.microseconds);
  for (const graph::FusedGroup& group : s.groups) {
    text += fmt::format("fused over {} elements in blocks of {}, {}: {}\n", group.elements,
                        group.block_elements, sharing(group, e.threads), with_counts(group.rows));
  }
  return text;
}

std::string explanation_json(const Explanation& e) {
  using Statement = std::pair<const std::int32_t, StatementWatch::Row>;
  using graph::FusedGroup;
  const auto& rows = e.watch->rows();
  results::ArrayList answer;
  auto add = answer.add_rows("statements", rows).columns(rows);
  add("where", [&](const Statement& s) { return where(*e.model, s.first); });
  add("traced", [](const Statement& s) { return s.second.traced; });
  add("scalars", [](const Statement& s) { return s.second.scalars; });
  add("vectors", [](const Statement& s) { return s.second.vectors; });
  add("largest", [](const Statement& s) { return s.second.largest; });
  add("regions", [](const Statement& s) { return s.second.regions; });
  add("becomes", [](const Statement& s) { return becomes(s.second); });
  const std::vector<FusedGroup>& fused = e.summary.groups;
  auto add_fused = answer.add_rows("fused", fused).columns(fused);
  add_fused("elements", &FusedGroup::elements);
  add_fused("block_elements", &FusedGroup::block_elements), add_fused("parts", &FusedGroup::parts);
  answer.add_lists("fused", "rows", results::elements_within(fused, &FusedGroup::rows));
  const graph::ProgramSummary& summary = e.summary;
  answer.set_all("steps", Index{summary.num_steps}, "micros", Index{summary.num_micros}, "calls",
                 Index{summary.num_calls}, "workspace_bytes", double(summary.workspace_bytes),
                 "constant_bytes", double(summary.constant_bytes), "lanes", e.lanes, "threads",
                 e.threads, "us_per_gradient", e.microseconds);
  return answer_json(answer);
}

std::string profile_text(const model::Model& model, std::span<const graph::ProfileShare> shares) {
  std::string text = "share of the time, by statement and row\n";
  for (const std::int32_t statement : by_share(shares)) {
    const double share = share_of(statement, shares);
    if (share < kWorthALine) continue;
    text += fmt::format("{:5.1f} %  {}\n", 100 * share, where(model, statement));
    for (const auto& s : shares) {
      if (s.statement == statement && s.share >= kWorthALine)
        text += fmt::format("           {:5.1f} %  {}\n", 100 * s.share, s.row);
    }
  }
  const auto rows = by_row(shares);
  std::vector<std::pair<std::string_view, double>> sorted(rows.begin(), rows.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  text += "\nby row\n";
  for (const auto& [row, share] : sorted)
    if (share >= kWorthALine) text += fmt::format("{:5.1f} %  {}\n", 100 * share, row);
  return text;
}

std::string profile_json(const model::Model& model, std::span<const graph::ProfileShare> shares) {
  results::ArrayList answer;
  auto add = answer.add_rows("profile", shares).columns(shares);
  add("where", [&](const graph::ProfileShare& s) { return where(model, s.statement); });
  add("row", &graph::ProfileShare::row), add("share", &graph::ProfileShare::share);
  return answer_json(answer);
}

}  // namespace credo::cli
