// Drawing from a model.
//
//   const credo::Fit fit = credo::sample(model, {.chains = 4, .seed = 1});
//   fit.draws("theta")(draw, chain, element);  fit.summary("tau").mean;  fit.verdict().sentence;
//   fit.save("fit.nc");
//
// The same seed gives the same draws, for any number of threads and lanes.
#pragma once
#include <atomic>
#include <optional>

#include "credo/model.hpp"
#include "credo/scheme.hpp"

namespace credo {

struct Progress {
  Index chain = 0;      // from 0
  Index iteration = 0;  // done so far, warm-up included
  Index num_iterations = 0;
  bool warmup = true;
};

struct SampleOptions {
  std::string sampler = "nuts";  // a name from samplers()
  // Kernels that make a transition, instead of a sampler: your own kernels, compositions (credo/scheme.hpp).
  std::optional<Scheme> scheme = {};
  Index chains = 4;
  Index warmup = 1000;  // transitions per chain, as are the draws
  Index draws = 1000;
  Index thin = 1;
  bool save_warmup = false;
  std::uint64_t seed = 1;
  Index threads = 0;         // 0: as many as the machine has
  double adapt_delta = 0.8;  // target acceptance of a Hamiltonian sampler's warm-up
  // Initial unconstrained values are uniform on (-radius, radius); nullopt: drawn from the priors that a Stan
  // program states, and uniform with radius 2 for parameters without one.
  std::optional<double> init_radius = {};
  // Initial unconstrained values: none, one point for all chains, or one for each; a NaN is drawn.
  std::vector<std::vector<double>> init = {};
  // The sampler's own, by their names on the command line: {{"max-depth", 12}, {"metric",
  // "dense_e"}}; and those of warm-up, which alone go beside a scheme.
  std::map<std::string, OptionValue> options = {};
  bool check_gradient = true;  // checks a hand-written gradient before the run

  const std::atomic<bool>* stop = nullptr;  // set it to end the run; the draws so far are returned
  std::function<void(const Progress&)> on_progress = nullptr;  // one call at a time, any thread
};

struct SamplerInfo {
  std::string name, summary;
  bool needs_gradient = true;
  std::vector<std::pair<std::string, std::string>> options;  // name and default
};
CREDO_API std::vector<SamplerInfo> samplers();  // in alphabetical order

// Draws of one variable: draw x chain x element, elements with the first index fastest.
class CREDO_API Draws {
 public:
  Index num_draws() const { return num_draws_; }            // draws of each chain
  Index num_chains() const { return num_chains_; }          // walkers of an ensemble are chains
  Index size() const { return size_; }                      // elements; 1 of a number
  const std::vector<Index>& dims() const { return dims_; }  // none of a number
  // Each from 0. Throws Error(usage) beyond the end.
  double operator()(Index draw, Index chain, Index element = 0) const;
  // All draws of an element, chain after chain.
  std::span<const double> element(Index k) const;

  Draws(std::vector<Index> dims, Index num_draws, Index num_chains, std::vector<double> values);

 private:
  std::vector<Index> dims_;
  Index num_draws_ = 0, num_chains_ = 0, size_ = 0;
  std::vector<double> values_;
};

// Summary of the draws of one element; errors (mcse) are Monte Carlo standard errors. NaN: not
// defined. Effective sample sizes and R-hat by ranks, folded and split [vehtari2021].
struct SummaryRow {
  std::string name;
  double mean = 0.0, sd = 0.0, q5 = 0.0, median = 0.0, q95 = 0.0;
  double mcse_mean = 0.0, mcse_sd = 0.0, mcse_q5 = 0.0, mcse_median = 0.0, mcse_q95 = 0.0;
  double ess_bulk = 0.0, ess_tail = 0.0, r_hat = 0.0;
};

struct Finding {
  std::string id, level;                // "funnel"; "note", "warning" or "bad"
  std::string text, remedy;             // plain sentences
  std::vector<std::string> parameters;  // worst first
};
struct Verdict {
  std::string word, sentence;     // "good", "doubtful" or "bad"
  std::vector<Finding> findings;  // causes first
  std::string text;               // all of it, as the command credo prints it
};

// Result of a run. Immutable and cheap to copy; save() is called by one thread at a time.
class CREDO_API Fit {
 public:
  const Model& model() const;
  std::vector<std::string> variables() const;  // "mu", "theta"
  std::vector<std::string> names() const;      // elements: "mu", "theta.1", ...
  std::vector<std::string> statistics()
      const;                // names of the transitions' statistics: "log_density", "divergent", ...
  Index num_draws() const;  // draws of each chain after warm-up
  Index num_chains() const;  // walkers of an ensemble are chains

  // Draws of a variable, "theta", an element, "theta.2" or "theta[2]" as result files count, or a
  // statistic; after warm-up, or of it. Throws Error(usage) with the nearest name.
  Draws draws(std::string_view name, bool warmup = false) const;

  std::vector<SummaryRow> summary() const;          // summary of all elements
  SummaryRow summary(std::string_view name) const;  // of a number or an element
  std::string summary_text() const;                 // a table, with the log density
  Verdict verdict() const;                          // costs some evaluations and passes

  Index num_divergent() const;                // transitions after warm-up
  std::vector<std::string> refusals() const;  // "12 x reason", most frequent first
  std::vector<std::string> warnings() const;  // of the sampler about its use here
  bool interrupted() const;
  double seconds() const;

  // FILE.nc: NetCDF-4 in ArviZ' layout; else PREFIX_1.csv, ... in CmdStan's, one a chain: the files
  // of `credo sample`, which `credo summary`, `diagnose` and `export` read. Complete, or not there:
  // NetCDF is written by a copy of this process. Throws Error(io).
  void save(const std::string& path) const;

  struct Impl;
  explicit Fit(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<Impl> impl_;
};

// Runs the chains. Before a run of a callable that isn't traced, its value is taken twice at a few
// points, and its gradient compared with finite differences. Throws Error(usage) for options that
// make no sense or a sampler that needs what the model hasn't; Error(evaluation) for a wrong
// gradient, a callable that isn't a function of its argument, one that throws, and where no chain
// finds an initial point.
CREDO_API Fit sample(const Model& model, const SampleOptions& options = {});

}  // namespace credo
