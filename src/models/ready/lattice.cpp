#include "models/lattice/clusters.hpp"
#include "models/lattice/lattice_gibbs.hpp"
#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
class LatticeModel final : public OwnKernelModel {
 public:
  LatticeModel(const Lattice& lattice, LatticeKernel kernel)
      : OwnKernelModel("lattice",
                       {{.name = "spins",
                         .dims = {lattice.rows(), lattice.cols()},
                         .kind = density::Kind::whole}},
                       derived(lattice)),
        lattice_(lattice),
        kernel_(kernel) {
    make_worker();  // refuses a negative coupling
  }

  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> state;
    for (Index site = 0; site < lattice_.num_sites(); ++site)
      state.push_back(static_cast<double>(rng.index_below(lattice_.num_values())));
    return state;
  }
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    Spins spins(state.size());
    take(state, spins);
    if (lattice_.num_values() == 2) row.push_back(credo::models::magnetisation(spins));
    double agree = 0.0, edges = 0.0;
    for (Index site = 0; site < lattice_.num_sites(); ++site) {
      for (const Index other : {lattice_.right(site), lattice_.down(site)}) {
        if (other < 0) continue;
        edges += 1.0;
        agree += spins[static_cast<std::size_t>(site)] == spins[static_cast<std::size_t>(other)];
      }
    }
    row.push_back(edges > 0.0 ? agree / edges : kNaN);
  }
  std::unique_ptr<Worker> make_worker() const override;

 private:
  template <class Kernel>
  class Own final : public Worker {
   public:
    Own(const LatticeModel& model, Kernel kernel)
        : model_(model),
          kernel_(std::move(kernel)),
          spins_(static_cast<std::size_t>(model.lattice_.num_sites())) {}
    double log_density(std::span<const double> state) override {
      if (!whole_numbers(state, model_.lattice_.num_values())) return -kInfinity;
      model_.take(state, spins_);
      return model_.lattice_.log_weight(spins_);
    }
    void move(std::span<double> state, Rng& rng) override {
      infer::RngChooser chooser(rng);
      model_.take(state, spins_);
      kernel_(spins_, chooser);
      model_.give(spins_, state);
    }

   private:
    const LatticeModel& model_;
    Kernel kernel_;
    Spins spins_;
  };
  template <class Kernel>
  std::unique_ptr<Worker> worker_of(Kernel kernel) const {
    return std::make_unique<Own<Kernel>>(*this, std::move(kernel));
  }

  static std::vector<density::Variable> derived(const Lattice& lattice) {
    if (lattice.num_values() == 2) return {{.name = "magnetisation"}, {.name = "agreement"}};
    return {{.name = "agreement"}};
  }
  // A site is row * cols + col; in a state the row is fastest.
  std::size_t place(Index site) const {
    return static_cast<std::size_t>(site / lattice_.cols() +
                                    lattice_.rows() * (site % lattice_.cols()));
  }
  void take(std::span<const double> state, Spins& spins) const {
    for (std::size_t s = 0; s < spins.size(); ++s)
      spins[s] = static_cast<Spin>(state[place(static_cast<Index>(s))]);
  }
  void give(const Spins& spins, std::span<double> state) const {
    for (std::size_t s = 0; s < spins.size(); ++s) state[place(static_cast<Index>(s))] = spins[s];
  }

  Lattice lattice_;
  LatticeKernel kernel_;
};

// Kernels by value, those that hold memory behind a pointer.
std::unique_ptr<Worker> LatticeModel::make_worker() const {
  using infer::Chooser;
  switch (kernel_) {
    case LatticeKernel::clusters:
      return worker_of([own = std::make_shared<SwendsenWang>(lattice_)](
                           Spins& spins, Chooser& chooser) { own->step(spins, chooser); });
    case LatticeKernel::one_cluster:
      return worker_of([own = std::make_shared<Wolff>(lattice_)](Spins& spins, Chooser& chooser) {
        own->step(spins, chooser);
      });
    case LatticeKernel::checkerboard:
      return worker_of([own = std::make_shared<ColouredGibbs>(lattice_)](
                           Spins& spins, Chooser& chooser) { own->step(spins, chooser); });
    case LatticeKernel::sweep:
      break;
  }
  return worker_of(
      [this](Spins& spins, Chooser& chooser) { sweep_sites(lattice_, spins, chooser); });
}
}  // namespace

Ready lattice_model(const Lattice& lattice, LatticeKernel kernel) {
  constexpr std::array names = {"swendsen_wang", "wolff", "checkerboard_gibbs", "gibbs"};
  return ready(names[static_cast<std::size_t>(kernel)],
               std::make_shared<const LatticeModel>(lattice, kernel));
}

}  // namespace credo::models
