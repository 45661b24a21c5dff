#include "models/ready/ready_models.hpp"

namespace credo::models {
namespace {
// The parameters and the path lie in a state one after another; in a state's matrices the row is fastest.
struct HiddenMarkovShape {
  Index num_states, num_symbols, num_times;

  Index num_parameters() const { return num_states * (1 + num_states + num_symbols); }
  // Calls visit(number in the state, number in rows) for each of `cols` columns and all rows.
  template <class Visit>
  void each(Index first, Index cols, const Visit& visit) const {
    for (Index r = 0; r < num_states; ++r)
      for (Index c = 0; c < cols; ++c)
        visit(static_cast<std::size_t>(first + r + num_states * c),
              static_cast<std::size_t>(r * cols + c));
  }
  void pack(const HiddenMarkovState& from, std::span<double> to) const {
    const Index k = num_states;
    std::copy(from.chain.initial.begin(), from.chain.initial.end(), to.begin());
    each(k, k, [&](std::size_t at, std::size_t i) { to[at] = from.chain.transition[i]; });
    each(k + k * k, num_symbols, [&](std::size_t at, std::size_t i) { to[at] = from.emission[i]; });
    put(from.path, to.subspan(static_cast<std::size_t>(num_parameters())));
  }
  bool unpack(std::span<const double> from, HiddenMarkovState& to) const {
    const Index k = num_states;
    const auto parameters = from.first(static_cast<std::size_t>(num_parameters()));
    const auto path = whole_numbers(from.subspan(parameters.size()), k);
    const bool positive =
        std::all_of(parameters.begin(), parameters.end(), [](double p) { return p >= 0.0; });
    if (!path || !positive) return false;
    to.path = *path;
    to.chain.initial.assign(from.begin(), from.begin() + k);
    to.chain.transition.resize(static_cast<std::size_t>(k * k));
    to.emission.resize(static_cast<std::size_t>(k * num_symbols));
    each(k, k, [&](std::size_t at, std::size_t i) { to.chain.transition[i] = from[at]; });
    each(k + k * k, num_symbols, [&](std::size_t at, std::size_t i) { to.emission[i] = from[at]; });
    return true;
  }
};

// New symbols are those of a new path.
class SymbolData final : public StateData {
 public:
  SymbolData(const HiddenMarkovShape& shape, const std::vector<Index>& symbols)
      : shape_(shape),
        symbols_{.variable = {.name = "symbols",
                              .dims = {shape.num_times},
                              .kind = density::Kind::whole},
                 .values = {symbols.begin(), symbols.end()}} {}

  const density::ObservedVariable& observed() const override { return symbols_; }
  std::vector<double> draw(std::span<const double> state, Rng& rng) const override {
    HiddenMarkovState own;
    shape_.unpack(state, own);
    infer::RngChooser chooser(rng);
    std::span<const double> next = own.chain.initial;
    for (Index& z : own.path) {
      z = chooser.choose(next);
      next = std::span(own.chain.transition)
                 .subspan(static_cast<std::size_t>(z * shape_.num_states),
                          static_cast<std::size_t>(shape_.num_states));
    }
    const std::vector<Index> symbols = draw_symbols(own, shape_.num_symbols, rng);
    return {symbols.begin(), symbols.end()};
  }

 private:
  HiddenMarkovShape shape_;
  density::ObservedVariable symbols_;
};

class HiddenMarkovModel final : public OwnKernelModel {
 public:
  HiddenMarkovModel(const std::vector<Index>& symbols, const HiddenMarkovPrior& prior)
      : OwnKernelModel("hidden_markov",
                       {{.name = "initial", .dims = {prior.num_states}},
                        {.name = "transition", .dims = {prior.num_states, prior.num_states}},
                        {.name = "emission", .dims = {prior.num_states, prior.num_symbols}},
                        {.name = "path", .dims = {ssize(symbols)}, .kind = density::Kind::whole}},
                       {}, std::make_shared<SymbolData>(shape_of(symbols, prior), symbols)),
        symbols_(symbols),
        prior_(prior),
        shape_(shape_of(symbols, prior)),
        gibbs_(symbols, prior) {}

  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> state(static_cast<std::size_t>(dimension()));
    shape_.pack(draw_prior(prior_, ssize(symbols_), rng), state);
    return state;
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(*this); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const HiddenMarkovModel& model) : model_(model) {}
    double log_density(std::span<const double> state) override {
      return model_.shape_.unpack(state, own_) ? model_.log_joint(own_) : -kInfinity;
    }
    void move(std::span<double> state, Rng& rng) override {
      model_.shape_.unpack(state, own_);
      model_.gibbs_.step(own_, rng);
      model_.shape_.pack(own_, state);
    }

   private:
    const HiddenMarkovModel& model_;
    HiddenMarkovState own_;
  };

  double log_joint(const HiddenMarkovState& at) const {
    const auto log_dirichlet = [](std::span<const double> rows, double concentration) {
      double sum = 0.0;
      for (const double p : rows) sum += (concentration - 1.0) * std::log(p);
      return concentration == 1.0 ? 0.0 : sum;
    };
    double sum = log_dirichlet(at.chain.initial, prior_.initial) +
                 log_dirichlet(at.chain.transition, prior_.transition) +
                 log_dirichlet(at.emission, prior_.emission);
    const Index k = prior_.num_states;
    for (std::size_t t = 0; t < symbols_.size(); ++t) {
      const Index z = at.path[t];
      sum +=
          std::log(t == 0 ? at.chain.initial[static_cast<std::size_t>(z)]
                          : at.chain.transition[static_cast<std::size_t>(at.path[t - 1] * k + z)]);
      sum += std::log(at.emission[static_cast<std::size_t>(z * prior_.num_symbols + symbols_[t])]);
    }
    return sum;
  }

  static HiddenMarkovShape shape_of(const std::vector<Index>& symbols,
                                    const HiddenMarkovPrior& prior) {
    return {prior.num_states, prior.num_symbols, ssize(symbols)};
  }

  std::vector<Index> symbols_;
  HiddenMarkovPrior prior_;
  HiddenMarkovShape shape_;
  HiddenMarkovGibbs gibbs_;
};
}  // namespace

Ready hidden_markov_model(std::vector<Index> symbols, const HiddenMarkovPrior& prior) {
  prior.check();
  return ready("blocked_gibbs", std::make_shared<const HiddenMarkovModel>(symbols, prior));
}

}  // namespace credo::models
