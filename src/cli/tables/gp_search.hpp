// The search for a kernel as a text and as arrays.
#pragma once
#include "models/gp/kernel_search.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct GpSearchReport {
  models::KernelSearch search = {};
  std::string sentence = {};  // the expression in words

  std::string text() const;
  void add_to(results::ArrayList& answer) const;
};

// "step 3: y ~ se(x): -1/2 BIC -12.3 (best of 17)\n"
std::string search_step_text(const models::SearchStep& step, Index number);

}  // namespace credo::cli
