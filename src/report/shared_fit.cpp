#include "report/shared_fit.hpp"

#include <mutex>

#include "results/files/fit_layout.hpp"

namespace credo::report {
namespace {

class SharedFit final : public results::Fit {
 public:
  SharedFit(const results::Fit& fit, Index most_bytes) : fit_(fit) {
    const Index count = results::num_quantities(fit);
    const Index values = fit.num_draws(false) * fit.num_chains() * count;
    if (values * static_cast<Index>(sizeof(double)) <= most_bytes && values > 0)
      draws_ = fit.quantities(false, 0, count);
  }
  const std::vector<results::StatColumn>& columns() const override { return fit_.columns(); }
  const density::Layout& layout() const override { return fit_.layout(); }
  Index num_chains() const override { return fit_.num_chains(); }
  Index num_walkers() const override { return fit_.num_walkers(); }
  Index num_draws(bool warmup) const override { return fit_.num_draws(warmup); }
  const results::FitOrigin& origin() const override { return fit_.origin(); }
  const infer::RunResult& result() const override { return fit_.result(); }
  std::vector<results::FitNote> notes() const override { return fit_.notes(); }
  io::InputFiles::Contents files() const override {
    const std::lock_guard lock(mutex_);
    return fit_.files();
  }
  const std::vector<results::RowTable>& tables() const override { return fit_.tables(); }
  std::vector<double> table_rows(Index table, Index chain) const override {
    const std::lock_guard lock(mutex_);
    return fit_.table_rows(table, chain);
  }
  density::Draws read(const results::DrawSlab& wanted) const override {
    if (wanted.warmup || draws_.num_quantities() == 0) {
      const std::lock_guard lock(mutex_);
      return fit_.read(wanted);
    }
    const results::DrawSlab slab = results::within(*this, wanted);
    density::Draws part(slab.num_draws, slab.num_chains, slab.count);
    for (Index q = 0; q < slab.count && slab.num_draws > 0; ++q)
      for (Index c = 0; c < slab.num_chains; ++c) {
        const auto own = draws_.chain(slab.first_chain + c, slab.first + q)
                             .subspan(static_cast<std::size_t>(slab.first_draw),
                                      static_cast<std::size_t>(slab.num_draws));
        std::copy(own.begin(), own.end(), &part(0, c, q));  // a chain's draws lie together
      }
    return part;
  }

 private:
  const results::Fit& fit_;
  density::Draws draws_;  // empty: not kept
  mutable std::mutex mutex_;
};
}  // namespace

std::unique_ptr<results::Fit> share(const results::Fit& fit, Index most_bytes) {
  return std::make_unique<SharedFit>(fit, most_bytes);
}

}  // namespace credo::report
