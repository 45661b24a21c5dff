// The fast paths that the graph finds in a program's statements, and the statements that prevent one: `credo info --explain`.
#pragma once
#include "graph/passes/simplify.hpp"
#include "infer/latent/latent_block.hpp"
#include "model/model.hpp"

namespace credo::cli {

// Watches the graph while a model is traced.
class PathWatch {
 public:
  explicit PathWatch(std::string_view passes) : passes_(passes) {}

  graph::Passes::Observer observer();
  // From now on also judges, when the model is traced, if the effects that it states are normal given the other parameters.
  void watch_effects(const model::Model& model);
  // Names of these effects if they are; else none.
  const std::vector<std::string>& exact_effects() const { return exact_effects_; }
  const std::vector<graph::PathNote>& notes() const { return notes_; }

 private:
  void watch(std::string_view pass, const graph::Traced& traced);
  void explain(const graph::Traced& traced);
  void judge_effects(const graph::Traced& traced);
  graph::Passes passes_;
  bool is_split_ = false, is_done_ = false;
  std::vector<graph::PathNote> notes_;
  infer::LatentBlock block_;  // without names: none that is to be judged
  std::vector<std::string> exact_effects_;
};

std::string paths_text(const model::Model& model, const PathWatch& watch);
std::string paths_json(const model::Model& model, const PathWatch& watch);

}  // namespace credo::cli
