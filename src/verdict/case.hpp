// Data that the checks share: figures of every output, the draws behind them, the density where the
// program and its data are at hand. Worked out once, in batches: memory doesn't grow with outputs.
#pragma once
#include "diagnose/chains.hpp"
#include "verdict/finding.hpp"
#include "verdict/tails.hpp"

namespace credo::verdict {

// Figures of the draws of one output.
struct Column {
  std::string name;
  Index index = 0;
  bool sampled = true;
  bool constant = false;  // or not finite: figures aren't defined
  Index num_missing = 0;  // NaN
  double mean = kNaN, sd = kNaN, lowest = kNaN, highest = kNaN;
  std::vector<double> chain_mean = {}, chain_sd = {};
  double screen = 0.0;                                    // plain split R-hat: cheap
  double r_hat = kNaN, ess_bulk = kNaN, ess_tail = kNaN;  // NaN: also where screening left it out
};

struct Certificate;
struct MassCheck;
struct ModeSearch;

struct Dilation {
  Index scale = -1;
  std::vector<Index> along = {};  // coordinates that grow with it
  double order = kInfinity;
};

class Case {
 public:
  explicit Case(const Evidence& evidence);
  ~Case();

  const Evidence& evidence;
  Index num_draws = 0, num_chains = 0;
  std::vector<Column> columns;  // all outputs
  std::vector<Index> sampled;   // of them, those that were sampled and aren't constant
  Index num_judged = 0;         // columns with an R-hat

  diagnose::ChainsCopy draws(Index column) const;
  // Calls work(place in `indices`, draws of the column) for each of the columns, which differ, from several threads at once.
  // The draws have their order (Chains::order) unless there are too many to keep it.
  void each_column(
      std::span<const Index> indices,
      const std::function<void(std::size_t place, const diagnose::Chains& draws)>& work) const;
  // The log density of the draws, as a quantity like others; without figures where it isn't reported.
  const Column& log_density() const { return log_density_; }
  // Empty: the sampler doesn't report it.
  const std::vector<double>& statistic(std::string_view name) const;
  // The medians of the chains; empty where the log density isn't reported.
  const std::vector<double>& median_log_densities() const;
  // True if a chain lies so far below another that no volume makes up for it.
  bool has_late_chains() const;
  // True if R-hat is at most 1.01 and at least a tenth of the draws, and 400, are effective for the mean and the
  // tails of all sampled quantities. Chains that rarely enter or leave a region don't reach this.
  bool has_mixed_well() const;
  // Share of the transitions that used the whole tree depth; 0 where it isn't reported.
  double share_cut_off() const;
  // Null without a model, or where the draws can't be mapped back.
  const Probe* probe() const;

  // Tail orders of the unconstrained coordinates, as far as the budget goes; empty without a probe.
  const std::vector<TailOrder>& tail_orders() const;
  // The scale with the heaviest joint tail with linear coordinates: all, or those that it carries.
  Dilation heaviest_dilation() const;

  // Checks of the draws' mass against the density's (verdict/mass_gaps.hpp).
  const std::vector<MassCheck>& mass_checks() const;
  // Grades an approximation; computed when it is first needed.
  const Certificate& certificate() const;
  // Null: it wasn't needed, or couldn't be made.
  const Certificate* known_certificate() const { return certificate_.get(); }
  // Climbs to modes that no draw is near (verdict/scouts.hpp).
  const ModeSearch& mode_search() const;

  const Variable& variable_of(Index column) const;
  // Place of its declaration; by the name of an output or of an unconstrained value.
  std::optional<density::Place> place_of(Index column) const;
  std::optional<density::Place> place_of(std::string_view name) const;
  // True if its chains are populations of particles: there was no warm-up, and draws are not a sequence.
  bool is_of_particles() const;
  // True if its draws are independent ones from an approximation: chains of them can't disagree, and have no R-hat.
  bool is_of_approximation() const;
  // Word for one of those that may have missed a region.
  std::string_view chain_word() const {
    return is_of_approximation() ? "draw" : is_of_particles() ? "population" : "chain";
  }
  Index num_total() const { return num_draws * num_chains; }
  bool is_short() const { return num_draws < 4; }  // too few draws for any check

 private:
  void measure();
  Column measured(Index index, const diagnose::Chains& chains) const;
  void keep_points(Index index, const diagnose::Chains& chains);
  void judge_columns();
  void side_by_side(Index count, const std::function<void(Index)>& work) const;
  bool is_read(Index column) const {
    return column >= first_read_ && column < first_read_ + read_.num_quantities();
  }
  diagnose::Chains with_order(Index column, std::span<const double> values) const;
  void take(Column& column, const diagnose::Convergence& figures) const;
  void judge_log_density();

  std::vector<std::size_t> variable_;  // variable of each column
  Column log_density_{.name = "lp__", .sampled = false};
  std::vector<std::vector<double>> kept_;  // values of sampled columns at the probe's draws
  mutable Index first_read_ = 0;           // of the outputs in read_
  mutable density::Draws read_;            // all outputs where they are one batch
  mutable std::vector<std::vector<std::uint32_t>>
      orders_;  // orders of the columns used so far; empty: too many to keep
  mutable std::map<std::string, std::vector<double>, std::less<>> statistics_;
  mutable std::optional<std::vector<double>> median_log_densities_;
  mutable std::optional<std::unique_ptr<Probe>> probe_;
  mutable std::optional<std::vector<TailOrder>> tail_orders_;
  mutable std::unique_ptr<std::vector<MassCheck>> mass_checks_;
  mutable std::unique_ptr<ModeSearch> mode_search_;
  mutable std::unique_ptr<Certificate> certificate_;
};

// P-value of a difference between chains beyond their own noise: the variance of the chains' means against
// their own standard errors, a chi-square under one distribution. The smaller of location and spread, of
// rank-normalised halves.
double mixing_p_value(const diagnose::Chains& chains);

}  // namespace credo::verdict
