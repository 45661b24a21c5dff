// The log density of the declared parameters as a function of the expectations of their sufficient statistics, for coordinate ascent
// (docs/design/messages.md).
//
// Parameters fall into blocks, each with an exponential family: log q(x) = natural . t(x) + log carrier - log partition. If all blocks are
// independent under q, then g(E t) is the expectation of the log density, or a lower bound of it where the program sums over labels. The
// gradient of g by the statistics of a block is the vector of natural parameters of its best factor given the others.
#pragma once
#include <memory>

#include "density/log_density.hpp"

namespace credo::density {

// Families and their statistics, in this order; x has n values, matrices are n x n by columns:
//   normal         x_i (n), then x_i x_j (n x n)
//   power_gamma    log x, x^p                      x^p has a gamma distribution
//   power_gig      log x, x^p, x^-p                x^p has a generalised inverse Gaussian distribution
//   beta           log x, log(1 - x)
//   dirichlet      log x_i (n)
//   wishart        log |X|, X (n x n)
//   inv_wishart    log |X|, X^-1 (n x n)
//   normal_gamma   log s, s, s x_i (n), s x_i x_j (n x n); s is the last value
//   normal_wishart log |X|, X_ij (n x n), X_ij x_j (n x n), X_ij x_i x_j (n x n); X, the precision of x up to a factor, is the last n^2 values
//   categorical    1 where x is lower, lower + 1, ... (n)
enum class MomentFamily : std::uint8_t {
  normal,
  power_gamma,
  power_gig,
  beta,
  dirichlet,
  wishart,
  inv_wishart,
  normal_gamma,
  normal_wishart,
  categorical
};

struct MomentBlock {
  std::string name;
  MomentFamily family = MomentFamily::normal;
  std::vector<Index> values;  // places among the declared values
  double power = 1.0;
  std::int32_t lower = 0;  // first category
  Index num_categories = 0;
  Index first = 0;  // first statistic
  Index num_statistics = 0;
  Index step = 0;  // blocks of one step don't meet and move together
  std::vector<std::string> parameters =
      {};  // names of the declared parameters that it has values of
};

// A statement that adds to the messages of a block: its text and the functions of the block that it has.
struct MomentSource {
  Index block = 0;
  std::string where, text;
  std::vector<std::string> functions;
};

// Statistics of declared values, in the order of the blocks.
std::vector<double> statistics_at(std::span<const MomentBlock> blocks,
                                  std::span<const double> values);

// Working memory of one thread.
class MomentEvaluator {
 public:
  virtual ~MomentEvaluator() = default;
  virtual Index most_lanes() const = 0;
  // Statistics of `lanes` points one after the other; gradients likewise.
  virtual void evaluate(Index lanes, std::span<const double> statistics, std::span<double> values,
                        std::span<double> gradients) = 0;
};

// g with given weights of the labels that the program sums over: to begin coordinate ascent at labels. Working memory of one thread.
class LabelEvaluator {
 public:
  virtual ~LabelEvaluator() = default;
  // `weights` and `logs`: num_rows x num_labels, row by row. `logs` are the expectations of the alternatives: the log weight of a label plus
  // the log density of the row given the label.
  virtual void evaluate(std::span<const double> statistics, std::span<const double> weights,
                        std::span<double> logs, std::span<double> gradient) = 0;
};

class MomentForm {
 public:
  virtual ~MomentForm() = default;
  virtual std::span<const MomentBlock> blocks() const = 0;
  virtual Index num_values() const = 0;  // declared values
  virtual Index num_statistics() const = 0;
  virtual std::span<const std::string> value_names() const = 0;
  virtual std::span<const MomentSource> sources() const = 0;
  virtual bool has_bounds() const = 0;  // g is a lower bound: the program sums over labels
  virtual std::unique_ptr<MomentEvaluator> make_evaluator() const = 0;
  // g with one of `num_batches` random parts of the rows that are sums over labels, weighted up; all else counts in full.
  virtual std::unique_ptr<MomentEvaluator> make_batch_evaluator(Index number,
                                                                Index num_batches) const = 0;
  // Rows that are each a sum over as many labels; 0: the program has none, or its sums are nested.
  virtual Index num_label_rows() const = 0;
  virtual Index num_labels() const = 0;
  virtual std::unique_ptr<LabelEvaluator> make_label_evaluator() const = 0;
  virtual std::vector<double> values_at(std::span<const double> position) const = 0;
  // The unconstrained position of declared values; returns the log Jacobian there.
  virtual double place(std::span<const double> values, std::span<double> position) const = 0;
};

struct MomentRequest {
  std::vector<std::string> join = {};  // "mu+tau": these parameters have one factor
  bool separate = false;               // each value has a factor of its own
  bool operator==(const MomentRequest&) const = default;
};

class MomentForms {
 public:
  virtual ~MomentForms() = default;
  // Throws Error(program) that names the statement which has no conjugate form, and a way out.
  virtual std::unique_ptr<MomentForm> moment_form(const MomentRequest& request) const = 0;
};

}  // namespace credo::density
