// What the commands do with draws from a file, whatever is in it.
#pragma once
#include "cli/command.hpp"
#include "cli/run/fit_verdict.hpp"
#include "cli/run/summarise.hpp"
#include "results/files/write_fit.hpp"
#include "verdict/report.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

inline void claim_layout(const results::Fit& fit) {
  const density::Layout& layout = fit.layout();
  Index next = 0;
  for (const density::Variable& variable : layout.variables()) {
    claim(variable.size() >= 0, "a variable's sizes fill it");
    for (Index k = 0; k < std::min<Index>(variable.size(), 20); ++k)
      claim(layout.element_name(next + k) == variable.element_name(k),
            "variables lie one after another");
    next += variable.size();
  }
  claim(next == layout.size(), "the variables are the outputs");
}

// `path`: where files may be written.
inline void use_fit(results::Fit& fit, const std::string& path) {
  claim_layout(fit);
  for (const bool warmup : {false, true}) {
    const density::Draws draws = fit.quantities(warmup, 0, results::num_quantities(fit));
    claim(draws.num_draws() == fit.num_draws(warmup) && draws.num_chains() == fit.num_chains(),
          "all draws are read");
  }
  (void)fit.files();
  for (Index k = 0; k < std::min<Index>(results::num_quantities(fit), 20); ++k)
    (void)results::find_quantity(fit, results::quantity_name(fit, k));
  may_be_refused([&] {
    const cli::Summary summary = cli::summarise(fit);
    (void)cli::summary_text(summary);
    (void)cli::run_text(fit.result(), fit.notes());
    const verdict::Verdict judged = cli::verdict_of(fit, nullptr);
    (void)cli::verdict_text(judged);
    (void)cli::run_json(&summary, fit.result(), fit.notes(), verdict::json_members(judged));
  });
  may_be_refused([&] { results::write_fit(fit, {.path = path, .netcdf = false}); });
}

// A command with these words, as the program runs it.
inline void run_command(const std::vector<std::string>& words) {
  const cli::CommandRow& row = cli::find_command(words[0]);
  const auto command = row.make();
  const cli::Arguments arguments = cli::arguments_of(row, *command);
  cli::assign(arguments, cli::read_words(arguments, std::span(words).subspan(1)));
  cli::Output output;
  command->run(output);
}

}  // namespace credo::fuzz
