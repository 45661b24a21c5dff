#include "results/draws/quiet_run.hpp"

#include "base/stop.hpp"

namespace credo::results {

QuietRun::QuietRun(const density::Model& model, infer::SampleOptions options,
                   const density::LogDensity* density, const PieceInProgress& piece)
    : options_(std::move(options)), store_(model, options_, parameters_of(model)) {
  options_.stop = current_stop();
  const density::LogDensity& target = density != nullptr ? *density : model;
  infer::RunResult result = run_of_piece(target, options_, piece, &store_);
  store_.close();
  stop_if_asked();
  store_.keep(std::move(result));
}

RunPlace QuietRun::parameters_of(const density::Names& names) {
  RunPlace place;
  for (const density::Variable& variable : names.outputs().variables())
    if (variable.block == density::Block::parameters) place.selection.keep.push_back(variable.name);
  return place;
}

Index QuietRun::num_divergent() const {
  Index count = 0;
  for (const infer::ChainResult& chain : store_.result().chains) count += chain.num_divergent;
  return count;
}

}  // namespace credo::results
