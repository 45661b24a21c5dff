// A fit that differs from another one in a part of its reports: functions that a class doesn't override are passed on.
//
// A class that leaves out draws owes more than read() and num_draws(): the settings that say so ("num_draws", "thin" of
// origin().settings), num_kept of each chain of result(), and table_rows() where tables count draws. num_divergent of
// result() stays that of the run: the verdict counts by it what the draws no longer show.
#pragma once
#include "results/files/fit.hpp"

namespace credo::results {

class PassedOnFit : public Fit {
 public:
  const std::vector<StatColumn>& columns() const override { return fit_->columns(); }
  const density::Layout& layout() const override { return fit_->layout(); }
  Index num_chains() const override { return fit_->num_chains(); }
  Index num_walkers() const override { return fit_->num_walkers(); }
  Index num_draws(bool warmup) const override { return fit_->num_draws(warmup); }
  const FitOrigin& origin() const override { return fit_->origin(); }
  const infer::RunResult& result() const override { return fit_->result(); }
  std::vector<FitNote> notes() const override { return fit_->notes(); }
  io::InputFiles::Contents files() const override { return fit_->files(); }
  density::Draws read(const DrawSlab& slab) const override { return fit_->read(slab); }
  const std::vector<RowTable>& tables() const override { return fit_->tables(); }
  std::vector<double> table_rows(Index table, Index chain) const override {
    return fit_->table_rows(table, chain);
  }
  std::unique_ptr<WorkApart> apart(const std::function<void()>& work) override {
    return fit_->apart(work);
  }

 protected:
  explicit PassedOnFit(std::unique_ptr<Fit> fit) : fit_(std::move(fit)) {}
  const Fit& whole() const { return *fit_; }

 private:
  std::unique_ptr<Fit> fit_;
};

}  // namespace credo::results
