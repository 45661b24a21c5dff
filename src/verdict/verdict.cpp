#include "verdict/findings.hpp"
#include "verdict/words.hpp"

namespace credo::verdict {
namespace {
std::vector<Finding> found_by(const Case& at_hand, std::span<const FindingSpec* const> rows);
std::vector<Figure> figures_of(const Case& at_hand);
std::string sentence_of(const Case& at_hand, const Verdict& verdict);
}  // namespace

std::string_view to_string(Level level) {
  constexpr std::array<std::string_view, 3> names{"note", "warning", "bad"};
  return names[static_cast<std::size_t>(level)];
}

std::string_view to_string(Verdict::Word word) {
  constexpr std::array<std::string_view, 3> names{"good", "doubtful", "bad"};
  return names[static_cast<std::size_t>(word)];
}

Verdict judge(const Evidence& evidence) { return judge(evidence, table()); }

Verdict judge(const Evidence& evidence, std::span<const FindingSpec* const> rows) {
  const Case at_hand(evidence);
  Verdict verdict;
  verdict.findings = found_by(at_hand, rows);
  verdict.figures = figures_of(at_hand);
  for (const Finding& finding : verdict.findings) {
    if (finding.level == Level::bad) verdict.word = Verdict::Word::bad;
    if (finding.level == Level::warning && verdict.word == Verdict::Word::good)
      verdict.word = Verdict::Word::doubtful;
  }
  if (at_hand.is_short()) verdict.word = Verdict::Word::bad;
  verdict.sentence = sentence_of(at_hand, verdict);
  return verdict;
}

namespace {
// In the table's order; what a finding explains isn't looked for any more.
std::vector<Finding> found_by(const Case& at_hand, std::span<const FindingSpec* const> rows) {
  std::vector<Finding> all;
  std::set<std::string_view> explained;
  if (at_hand.is_short()) return all;
  for (const FindingSpec* row : rows) {
    if (explained.contains("*") || explained.contains(row->id)) continue;
    for (Finding& finding : row->check(at_hand)) {
      all.push_back(std::move(finding));
      explained.insert(row->explains.begin(), row->explains.end());
    }
  }
  return all;
}

void extreme(std::vector<Figure>& figures, const Case& at_hand, const char* name,
             double Column::*figure, bool largest) {
  Figure best{.name = name};
  for (const Column& column : at_hand.columns) {
    const double value = column.*figure;
    if (std::isnan(value)) continue;
    const bool beyond = largest ? value > best.value : value < best.value;
    if (std::isnan(best.value) || beyond) best.value = value, best.output = column.name;
  }
  figures.push_back(std::move(best));
}

std::vector<Figure> figures_of(const Case& at_hand) {
  std::vector<Figure> figures;
  extreme(figures, at_hand, "max_r_hat", &Column::r_hat, true);
  extreme(figures, at_hand, "min_ess_bulk", &Column::ess_bulk, false);
  extreme(figures, at_hand, "min_ess_tail", &Column::ess_tail, false);
  const std::vector<double>& marks = at_hand.statistic("divergent");
  if (!marks.empty())
    figures.push_back(
        {.name = "num_divergent", .value = std::accumulate(marks.begin(), marks.end(), 0.0)});
  return figures;
}

std::string sentence_of(const Case& at_hand, const Verdict& verdict) {
  if (at_hand.is_short()) return "Don't believe it: there are too few draws to say anything.";
  if (verdict.findings.empty()) {
    const std::vector<Figure>& f = verdict.figures;
    if (std::isnan(f[0].value)) return "Believe it: nothing that was drawn varies.";
    return "Believe it: " + counted(at_hand.num_chains, "chain") +
           (at_hand.num_chains == 1 ? " agrees with itself" : " agree") + " (R-hat at most " +
           r_hat_text(f[0].value) + "), and every output has at least " +
           whole(std::min(f[1].value, f[2].value)) + " effective draws.";
  }
  const std::string_view id = verdict.findings.front().id;
  const auto row = std::find_if(table().begin(), table().end(),
                                [&](const FindingSpec* r) { return r->id == id; });
  const std::string title((*row)->title);
  switch (verdict.word) {
    case Verdict::Word::good:
      return "Believe it, with a note: " + title + ".";
    case Verdict::Word::doubtful:
      return "Doubtful: " + title + ".";
    case Verdict::Word::bad:
      return "Don't believe it: " + title + ".";
  }
  return {};
}
}  // namespace

}  // namespace credo::verdict
