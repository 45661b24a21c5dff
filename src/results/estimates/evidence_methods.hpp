// The log evidence of a model by several methods, each from where it sees the posterior from, and whether they
// agree (docs/evidence.md).
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"
#include "io/json_value.hpp"
#include "results/arrays/arrays.hpp"
#include "results/draws/kept_run.hpp"
#include "results/estimates/savage_dickey.hpp"
#include "results/files/data_digest.hpp"

namespace credo::results {

struct EvidenceOptions {
  infer::SampleOptions run = {};  // chains, warm-up, draws, threads and seed of each method
  std::optional<NestedModel> nested = {};  // needed by savage-dickey
  // Options of methods, by EvidenceMethod::key(); those that aren't there are as by default.
  std::map<std::string, infer::KernelOptions, std::less<>> methods = {};
};

// Result of one method, or the reason why it has none.
struct EvidenceEstimate {
  std::string method;
  double log_evidence = kNaN;
  double error = kNaN;  // a standard error; NaN: it isn't known, however much is drawn
  // Bounds in the mean, of methods that have them, with their standard errors.
  infer::LogEvidence lower = {}, upper = {};
  // Result of savage-dickey, which estimates no evidence: the log Bayes factor of a nested model over the whole one.
  infer::LogEvidence log_factor = {};
  std::string nested = {};
  std::string refusal = {}, hint = {};
  std::vector<std::string> notes = {};
  Index num_evaluations = 0;
  double seconds = 0.0;
  bool is_there() const { return std::isfinite(log_evidence); }
  bool is_bound() const {
    return !is_there() && std::isfinite(lower.value);
  }  // below, by any amount
  bool has_error() const { return is_there() && std::isfinite(error); }

  // A piece of work, which is kept until all methods are done (results/draws/work.hpp).
  static void saved(auto& self, auto&& field) {
    field(self.method);
    field(self.log_evidence);
    field(self.error);
    for (auto* part : {&self.lower, &self.upper, &self.log_factor})
      field(part->value), field(part->error);
    field(self.nested);
    field(self.refusal);
    field(self.hint);
    field(self.notes);
    field(self.num_evaluations);
    field(self.seconds);
  }
};

// Side from which a method approaches the posterior: from the prior, or from draws and modes of the posterior that it
// has found itself (chains, optimisers, a normal approximation), which may lack a part.
enum class Side { prior, draws };

struct EvidenceMethod {
  std::string_view name, summary, reference;
  // Name of the set of draws that it uses: methods that share one can't confirm each other.
  std::string_view draws;
  Side side = Side::draws;
  infer::KernelOptions (*options)() = nullptr;  // with their defaults; null: none
  std::string_view options_of =
      {};  // a method that shares its run, and so its options; empty: itself

  std::string_view key() const { return options_of.empty() ? name : options_of; }
};
std::span<const EvidenceMethod> evidence_methods();

// Those that a word means: a name, "all", or "auto", two that see the posterior from opposite ends. "all" has
// savage-dickey where there is a nested model. Throws Error(usage) with the names there are.
std::vector<std::string_view> methods_of(std::string_view word, bool has_nested = false);

// Sets an option, as "conditional_ess" or "mover.max_tree_depth", of each of the methods that has it; false if none has. Throws
// Error(usage) as infer::set_field does.
bool set_method_option(EvidenceOptions& options, std::span<const std::string_view> methods,
                       std::string_view field, std::string_view text);

// Difference of two estimates, in units of their combined error.
struct Disagreement {
  std::string first, second;
  double score = 0.0;
};

struct EvidenceReport {
  std::vector<EvidenceEstimate> estimates;
  std::vector<std::string> notes = {};  // notes on the model's priors
  std::vector<DataDigest> data = {};

  // The pairs that were compared: with errors, and with draws of their own; and estimates with bounds that they may be above by
  // any amount.
  Index num_pairs() const;
  std::optional<Disagreement> furthest() const;              // a pair of estimates
  std::optional<Disagreement> furthest_below_bound() const;  // an estimate, a bound above it
  // A pair is this far apart once in a hundred reports of methods that are right.
  double limit() const;
  bool disagree() const;  // some pair differs by more than chance
  // True if no pair disagrees and methods with errors approach from both sides.
  bool agree() const;
  std::string names_from(Side side) const;  // methods with errors, separated by commas
  // The estimate with the smallest error; none where they disagree, or none has an error.
  const EvidenceEstimate* best() const;
  std::string sentence() const;
  std::string sentence_of_chance(const Disagreement& pair) const;
  // Bayes factor of a nested model in words, and its evidence if that of the whole is known; empty if none was requested.
  std::string sentence_of_nested() const;
};

// Known results of some methods, by their places, and a function that is called with each other one when it is ready. `states`: where
// the method in progress keeps its state; null: nowhere.
struct EvidenceProgress {
  std::map<Index, EvidenceEstimate> known = {};
  std::function<void(Index place, const EvidenceEstimate&)> on_estimate = {};
  infer::FilterCheckpoints* states = nullptr;
};

// Throws Error(usage) where a prior is improper, with its name; if the only requested method can't run, with its
// reason. Methods don't depend on which others are known.
EvidenceReport estimate_evidence(const density::Model& model, const EvidenceOptions& options,
                                 std::span<const std::string_view> methods,
                                 const EvidenceProgress& progress = {});

// Group evidence, by method: log_evidence, error, lower and upper bounds, log_bayes_factor, num_evaluations, seconds,
// refusal; groups furthest, furthest_below_bound, evidence_notes, notes, data.
ArrayList arrays_of(const EvidenceReport& report);

}  // namespace credo::results
