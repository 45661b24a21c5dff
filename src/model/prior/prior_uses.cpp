#include "model/prior/prior_uses.hpp"

#include "model/statements/statements.hpp"

namespace credo::model {

PriorUses::PriorUses(const lang::typed::Program& program) {
  for (const ModelStatement& entry : model_statements(program)) {
    if (entry.density_of >= 0) {
      outcomes_.insert(entry.density_of);
      continue;
    }
    // Functions of the program count as terms written by hand. A formula of data and parameters does, too, but a
    // variable may have elements of both.
    const bool is_by_call = !entry.calls.empty();
    const ValueSources& sources = is_by_call ? entry.call_sources : entry.sources;
    const bool is_variable =
        !is_by_call && entry.density != nullptr && entry.outcome.selection != Selection::expression;
    if (!sources.reads_data || is_variable)
      priors_.insert(sources.parameters.begin(), sources.parameters.end());
    else
      for (const int slot : sources.parameters) by_hand_.try_emplace(slot, entry.statement);
  }
}

}  // namespace credo::model
