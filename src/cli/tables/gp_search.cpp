#include "cli/tables/gp_search.hpp"

#include <fmt/format.h>

namespace credo::cli {

std::string search_step_text(const models::SearchStep& step, Index number) {
  const std::string candidates =
      step.num_candidates > 0 ? fmt::format(" (best of {})", step.num_candidates) : "";
  return fmt::format("step {}: {}: -1/2 BIC {:.2f}{}\n", number, step.formula, step.score,
                     candidates);
}

std::string GpSearchReport::text() const {
  std::string made = fmt::format("search for kernels by BIC, on {} rows\n", search.num_rows);
  for (std::size_t k = 0; k < search.steps.size(); ++k)
    made += "  " + search_step_text(search.steps[k], static_cast<Index>(k));
  made += search.has_finished ? "  no other move is better\n"
                              : "  the search ended at its depth: --depth takes more steps\n";
  if (!sentence.empty()) made += "In words: " + sentence + ".\n";
  return made + "\n";
}

void GpSearchReport::add_to(results::ArrayList& answer) const {
  answer.set("words", sentence);
  auto group = answer.add_group("search", {{"step", ssize(search.steps)}});
  auto add = group.columns(search.steps);
  add("step_formula", &models::SearchStep::formula);
  add("step_evidence", &models::SearchStep::evidence, "log evidence at its optimum");
  add("score", &models::SearchStep::score, "log evidence - 1/2 hyperparameters log N");
  add("num_candidates", &models::SearchStep::num_candidates);
}

}  // namespace credo::cli
