// Input of a verdict: the known facts about a run. Unknown parts are empty; each
// finding states its needs.
#pragma once
#include "density/draws.hpp"
#include "density/model.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/sample.hpp"
#include "verdict/cross_check.hpp"

namespace credo::verdict {

// The draws of a run after warm-up, wherever they are: outputs of the program by number, what the
// sampler reports by its own word ("energy", "divergent").
class DrawSource {
 public:
  virtual ~DrawSource() = default;
  virtual Index num_draws() const = 0;  // draws of each chain
  virtual Index num_chains() const = 0;
  virtual const std::vector<std::string>& outputs() const = 0;      // "theta.1"
  virtual density::Draws read(Index first, Index count) const = 0;  // S × C × count
  // Draws as they were made, where read() returns others that count the same.
  virtual density::Draws read_unweighted(Index first, Index count) const {
    return read(first, count);
  }
  virtual std::vector<double> statistic(std::string_view name) const = 0;  // S × C; empty: unknown
  // Logarithms of the weights that the draws had, of which those here were taken; empty: they had none.
  virtual std::vector<double> log_weights() const { return {}; }
};

// One variable of the program's output: columns that lie together, the first index fastest.
struct Variable {
  std::string name;
  Index first = 0, count = 0;
  std::vector<Index> dims = {};
  bool sampled = true;  // declared in the parameters block, or in an unknown block
};

struct Evidence {
  const DrawSource* draws = nullptr;
  std::vector<Variable> variables = {};                       // all outputs, in order
  std::shared_ptr<const density::ProgramFacts> program = {};  // what its text says
  const density::Model* model = nullptr;                      // with its data
  // Makes a model of another program text with the same data; null without a model.
  std::function<std::unique_ptr<density::Model>(const std::string& text)> remake = {};
  const infer::RunResult* run = nullptr;
  std::vector<Index> init_tries = {};  // points tried by each chain; empty: not known
  Index max_tree_depth = 10;
  double target_accept = 0.8;
  Index num_warmup = -1;        // -1: not known
  Index thin = 1;               // transitions a draw that was kept
  bool has_independent_runs = false;  // its chains are runs of a smoother, and its draws their paths
  std::string covariance = {};        // --covariance of an approximation; empty: it has none
  // R-hat and effective sizes of an output if they were computed before; nullopt if the verdict has to compute them.
  std::function<std::optional<diagnose::Convergence>(Index output)> figures = {};
  bool is_of_program = true;  // false: no other sampler can run the model, which isn't a program
  std::optional<CrossCheck> cross_check = {};  // by a second algorithm, where one was made
};

// True if the sampler's likelihood comes from a filter, so that the program's density is the prior alone.
bool draws_by_filter(std::string_view sampler);

}  // namespace credo::verdict
