// Marginal effects as a text, as arrays and as a picture.
#pragma once
#include "cli/tables/effect_draws.hpp"
#include "io/summary_table.hpp"
#include "report/picture.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// An interval of values that count as no effect.
struct Rope {
  double low = kNaN, high = kNaN;
  bool is_given() const { return low < high; }
};
// "-0.1, 0.1"; empty: none. Throws Error(usage).
Rope parse_rope(const std::string& text);

struct EffectLine {
  std::string name, column, kind, category, level;
  double value = kNaN;
  io::SummaryRow figures = {};
  double positive = kNaN, below = kNaN, inside = kNaN, above = kNaN;  // shares of the draws
  bool is_rough = false;                                              // the derivative isn't smooth
};

struct EffectsReport {
  std::string title;  // the averages and the outcome
  std::vector<EffectLine> lines;
  Rope rope;
  density::Draws draws;
  std::vector<io::SummaryRow> explained = {};  // all, and within if there are groups
  std::string explained_words = {};

  std::string text() const;
  results::ArrayList answer() const;
  report::Picture picture() const;  // a panel for each column with a curve
  bool has_curves() const;
};

EffectsReport make_report(const results::Fit& fit, const models::EffectPlan& plan,
                          const EffectDraws& draws, const Rope& rope);
void add_explained(EffectsReport& report, const results::Fit& fit,
                   const EffectSource::Explained& explained);

}  // namespace credo::cli
