// A report: one HTML file that opens by itself, with a fit's verdict, settings, figures and pictures.
#pragma once
#include "io/summary_table.hpp"
#include "report/material.hpp"
#include "results/draws/judge.hpp"
#include "verdict/finding.hpp"

namespace credo::report {

// Answers to questions about the draws: sentences, and figures of expressions.
struct Answers {
  std::vector<std::string> sentences = {};
  std::vector<io::SummaryRow> expressions = {};
  bool any() const { return !sentences.empty() || !expressions.empty(); }
};

struct ReportOptions {
  std::string title = {};              // empty: the model's name
  std::vector<Index> quantities = {};  // that the report shows; empty: lp__ and all outputs
  Index most_values = 4'300'000;  // draws in the page, of all quantities; beyond it every k-th one
  Answers answers = {};
  std::vector<std::string> command = {};  // words that make the report again
  // Receives the progress of the work: its name, finished pieces and their total. Called from any thread.
  std::function<void(std::string_view what, Index done, Index total)> on_progress = {};
};

// `judge` says the verdict on the first subject; it runs beside the other work, on a thread of its own. Figures that the report
// has of an output, it may ask for instead of working them out again.
using Judge = std::function<verdict::Verdict(const results::KnownFigures& known)>;
std::string report_html(const Material& material, const Judge& judge,
                        const ReportOptions& options = {});

}  // namespace credo::report
