// A program with its data: the values of data and transformed data, and machines that start from them.
#pragma once
#include "density/data_values.hpp"
#include "io/data/data_table.hpp"
#include "lang/trace/solver_cache.hpp"
#include "model/data/sizes.hpp"
#include "model/data/source.hpp"
#include "model/data/unknown_outcomes.hpp"
#include "model/options.hpp"

namespace credo::model {

class ProgramData final : public density::DataValues {
 public:
  // Reads the data and runs transformed data; throws Error.
  ProgramData(std::shared_ptr<const ProgramSource> source, const io::DataTable& data,
              const ModelOptions& options);
  // The data with values for the unknown outcomes, by slots; all data are known then.
  ProgramData filled(const std::map<int, lang::Value>& outcomes) const;

  const std::shared_ptr<const ProgramSource>& shared_source() const { return source_; }
  const ProgramSource& source() const { return *source_; }
  const std::string& name() const { return source_->name; }
  const std::vector<lang::Value>& globals() const { return globals_; }
  const UnknownOutcomes& unknown() const { return unknown_; }
  // Routines that machines of this program share.
  const std::shared_ptr<lang::SolverCache>& solvers() const { return solvers_; }
  // Sizes that the data don't have and a table implies.
  const std::vector<SuppliedSize>& supplied() const { return supplied_; }

  // A machine whose data and transformed data have their values.
  lang::Machine new_machine(lang::MachineOptions options) const;
  // Runs generated quantities. If outcomes are unknown, statements that need them are left out; their variables stay unset and
  // unchecked.
  void run_quantities(lang::Machine& machine) const;

  std::vector<std::string> unknown_outcomes() const;  // their names
  void require_known() const;                         // throws Error(data) if an outcome is unknown

  // ---- density::DataValues, those of the data block ----
  std::vector<density::DataVariable> variables() const override;
  std::vector<density::ObservedVariable> observed() const override { return values(true); }
  std::vector<density::ObservedVariable> all() const override { return values(false); }
  std::vector<density::ObservedVariable> rescaled() const override;

  // Real variables of transformed data that are computed by mean, sd and the like, and that are used by more than
  // priors: the centres and scales of data (model/data/centres.cpp).
  std::vector<density::ObservedVariable> centres() const;
  // The data block as a JSON text, whatever files it came from; with other values of observed().
  std::string text() const;
  std::string text_with(std::span<const density::ObservedVariable> observed) const;

 private:
  void read(const io::DataTable& data, const ModelOptions& options);
  std::vector<density::ObservedVariable> values(bool only_observed) const;
  density::ObservedVariable value_of(std::size_t slot) const;

  std::shared_ptr<const ProgramSource> source_;
  lang::TraceLimits limits_;
  std::vector<SuppliedSize> supplied_;
  std::vector<lang::Value> globals_;  // data and transformed data
  UnknownOutcomes unknown_;           // the data that have no values
  std::shared_ptr<lang::SolverCache> solvers_ = std::make_shared<lang::SolverCache>();
};

}  // namespace credo::model
