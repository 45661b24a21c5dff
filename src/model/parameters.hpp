// The parameters of a program: their layouts, their values in a machine, and the way back from given values.
#pragma once
#include "model/data/program_data.hpp"
#include "model/discrete/discrete_draws.hpp"

namespace credo::model {

class Parameters {
 public:
  // Throws Error(data) where a size or a bound is refused.
  explicit Parameters(const ProgramData& data);

  const density::Layout& free() const { return free_; }  // unconstrained values
  Index dimension() const { return free_.size(); }       // their number
  const DiscreteRanges& discrete() const {
    return discrete_;
  }  // whole numbers among the parameters

  // The unconstrained values, and for discrete parameters that are missing their lower bounds.
  std::vector<double> completed(std::span<const double> point) const;
  // Sets the parameters of a machine; returns the log Jacobian. `free` has the discrete parameters last.
  lang::Expr set(lang::Machine& machine, const lang::Expr& free) const;
  // The value of a discrete parameter: elements of `values` from `begin` on; it is number `first` of the discrete ones.
  lang::Value discrete_at(lang::Machine& machine, const lang::typed::Declaration& d,
                          const lang::Expr& values, Index begin, Index first) const;
  // Sets them to the numbers of a point, which is completed.
  void set_numbers(lang::Machine& machine, std::span<const double> point) const;
  // Sets them to a point, and runs transformed parameters and the model block.
  void run_density(lang::Machine& machine, std::span<const double> point) const;

  // Unconstrained values of parameters given on the constrained scale, then the discrete ones if `draws_discrete`. Variables
  // that are missing are an Error{data} unless `fill` supplies all values.
  std::vector<double> unconstrain(const ProgramData& data, const io::DataTable& values,
                                  std::span<const double> fill, bool draws_discrete) const;

 private:
  void lay_out_discrete(lang::Machine& machine, const lang::typed::Declaration& d);
  std::vector<double> sites_of(lang::Machine& machine, const ProgramData& data,
                               const io::DataTable& values, std::span<const double> fill) const;

  density::Layout free_;
  DiscreteRanges discrete_;
};

}  // namespace credo::model
