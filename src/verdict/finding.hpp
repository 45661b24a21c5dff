// A verdict on a run: findings in words, each with its remedy, and one sentence above them.
//
//   const Verdict verdict = judge(evidence);
//   verdict.level; verdict.findings[0].text; report_text(verdict, width)
//
// Each kind of finding is a row of the table (verdict/table.cpp): an id, its requirements, and a check. If a cause
// explains other findings, symptoms among them are reported in one sentence, and the others aren't looked for.
#pragma once
#include "verdict/evidence.hpp"

namespace credo::verdict {

enum class Level { note, warning, bad };
std::string_view to_string(Level level);  // "note"

struct Finding {
  std::string id = {};
  Level level = Level::warning;
  std::vector<std::string> parameters = {};  // outputs or variables, worst first
  std::string text = {}, remedy = {};        // plain sentences
  std::optional<density::Place> place = {};
  std::string explained_by = {};  // id of its cause; `text` is then one sentence
};

// A figure of the whole run, with the output it belongs to.
struct Figure {
  std::string name;
  double value = kNaN;
  std::string output = {};
};

struct Verdict {
  enum class Word { good, doubtful, bad };
  Word word = Word::good;
  std::string sentence;
  std::vector<Finding> findings;              // causes first
  std::vector<std::string> not_checked = {};  // ids of checks that ended with an error
  std::vector<Figure> figures;
  std::optional<CrossCheck> cross_check = {};  // cross-check of this run
};
std::string_view to_string(Verdict::Word word);

class Case;

struct FindingSpec {
  std::string_view id, title;              // "funnel", "a funnel that …"
  std::vector<std::string_view> explains;  // ids; "*": all later ones, also symptoms
  std::vector<Finding> (*check)(const Case& at_hand);
  // Compares chains, or draws with the ones before: left out for an approximation, whose draws are independent.
  bool of_chains = false;
};
std::span<const FindingSpec* const> table();  // causes before symptoms

Verdict judge(const Evidence& evidence);
// By some of the rows only.
Verdict judge(const Evidence& evidence, std::span<const FindingSpec* const> rows);

}  // namespace credo::verdict
