#include "results/checks/sbc.hpp"

#include <fmt/format.h>

#include "density/sum_density.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/weights.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/draws/share_out.hpp"
#include "results/draws/simulate.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// All draws of the quantities of one fit: the parameters, then the log likelihood.
struct CalibratedDraws {
  std::vector<std::vector<double>> values;  // by quantity, all draws of all chains
  std::vector<double> log_weights;          // empty: they count the same
  Index num_draws = 0, num_chains = 0;      // per chain
};

// Source of parameters and data: the prior, or draws of a posterior.
class DataSource {
 public:
  DataSource(const density::Model& generator, const SbcOptions& options) : seed_(options.seed) {
    if (options.posterior.empty())
      prior_.emplace(generator);
    else
      posterior_.emplace(generator, options.posterior);
  }
  Drawn draw(Index number) {
    if (posterior_) return posterior_->draw(seed_, number);
    Drawn drawn = prior_->draw(seed_, number);
    constexpr Index kCompared = 3;  // enough to see a prior that reads the data
    if (number < kCompared) prior_->require_same_prior(drawn);
    return drawn;
  }
  std::string data_text() {
    return posterior_ ? posterior_->replicates().data_text() : prior_->replicates().data_text();
  }

 private:
  std::uint64_t seed_;
  std::optional<Simulator> prior_;
  std::optional<PosteriorSimulator> posterior_;
};

class ReplicateFit {
 public:
  ReplicateFit(const density::Model& model, const SbcOptions& options)
      : model_(model),
        generator_(options.generator != nullptr ? *options.generator : model),
        options_(options),
        source_(generator_, options),
        places_(places_in_generator()) {}

  SbcReplicate run(Index number) {
    SbcReplicate replicate;
    try {
      const Drawn drawn = source_.draw(number);
      const auto model = model_.other_data().require(model_.name()).with_data(source_.data_text());
      Rng rng({.seed = options_.seed,
               .purpose = purpose::kReplicate,
               .chain = 3,
               .iteration = static_cast<std::uint32_t>(number)});
      const CalibratedDraws draws = draws_of(*model, number, rng.bits(), replicate);
      std::vector<double> truth;
      for (const Index place : places_)
        truth.push_back(drawn.parameters[static_cast<std::size_t>(place)]);
      if (draws.values.size() > truth.size()) truth.push_back(log_likelihood(*model, truth));
      take_places(draws, truth, rng, replicate);
    } catch (const Error& error) {
      // Others are of this data set: no start is found, or numbers end.
      if (error.code() != ErrorCode::evaluation && error.code() != ErrorCode::data) throw;
      replicate.places.clear();
      replicate.failure = error.message();
    }
    return replicate;
  }

 private:
  // Places of the model's parameters among those of the generator.
  std::vector<Index> places_in_generator() const {
    std::vector<Index> places;
    for (Index k = 0; k < num_outputs(model_, density::Block::parameters); ++k) {
      const std::string name = model_.outputs().element_name(k);
      const auto place = generator_.outputs().find(name);
      if (!place || *place >= num_outputs(generator_, density::Block::transformed_parameters))
        throw Error(ErrorCode::usage, "the generator has no parameter " + name, generator_.name(),
                    "declare it there, or compute it in transformed parameters");
      places.push_back(*place);
    }
    return places;
  }

  static std::unique_ptr<density::Model> likelihood_of(const density::Model& model) {
    return model.asking({.terms = density::Terms::likelihood});
  }
  // At parameters that the model may not allow.
  static double log_likelihood(const density::Model& model, std::span<const double> parameters) {
    std::vector<double> position;
    try {
      position = model.inverse().require(model.name()).unconstrain_row(parameters);
    } catch (const Error&) {
      return -kInfinity;
    }
    const auto likelihood = likelihood_of(model);
    density::Request request{.position = position, .gradient = {}, .status = {}};
    likelihood->make_evaluator()->evaluate(density::Want::value, std::array{&request});
    return request.status.ok() ? request.log_density : -kInfinity;
  }

  // Draws given the replicate's own data, or given the model's data and these.
  CalibratedDraws draws_of(const density::Model& model, Index number, std::uint64_t seed,
                           SbcReplicate& replicate) const {
    infer::SampleOptions options = options_.run;
    options.seed = seed;
    options.num_threads = 1;
    const PieceInProgress piece{options_.states, number};
    if (options_.posterior.empty())
      return take_draws(QuietRun(model, std::move(options), nullptr, piece), model, replicate);
    options.init = starts_of(number);
    const auto likelihood = likelihood_of(model);
    const density::SumDensity both(model_, *likelihood);
    return take_draws(QuietRun(model_, std::move(options), &both, piece), model, replicate);
  }
  // At other draws of the posterior than the one that the data come from.
  std::vector<std::vector<double>> starts_of(Index number) const {
    std::vector<std::vector<double>> starts;
    for (Index c = 1; c <= options_.run.num_chains; ++c)
      starts.push_back(
          options_.posterior[static_cast<std::size_t>(number + c) % options_.posterior.size()]);
    return starts;
  }
  CalibratedDraws take_draws(const QuietRun& run, const density::Model& model,
                             SbcReplicate& replicate) const {
    const Fit& store = run.fit();
    replicate.num_divergent = run.num_divergent();
    CalibratedDraws draws{.values = {},
                          .log_weights = log_weights_of(store),
                          .num_draws = store.num_draws(false),
                          .num_chains = store.num_chains()};
    for (Index k = 0; k < num_outputs(model_, density::Block::parameters); ++k) {
      const density::Draws all = store.quantities(false, first_output(store) + k, 1);
      draws.values.emplace_back(all.quantity(0).begin(), all.quantity(0).end());
    }
    if (knows_likelihood(model, store))
      draws.values.push_back(log_densities_of(store, *likelihood_of(model)));
    return draws;
  }
  static bool knows_likelihood(const density::Model& model, const Fit& fit) {
    if (fit.num_draws(false) == 0) return false;
    const FitPoints points(fit, model);
    return model.can({.terms = density::Terms::likelihood}, points.read(0, 0, 1).front()).can;
  }

  // Draws that are as good as independent: every n-th one, by the least effective size.
  static Index thinning(const CalibratedDraws& draws) {
    double least = static_cast<double>(draws.num_draws * draws.num_chains);
    const double all = least;
    for (const std::vector<double>& values : draws.values) {
      const double ess = diagnose::ess_bulk({values, draws.num_draws, draws.num_chains});
      least = std::min(least, std::isfinite(ess) ? std::max(ess, 1.0) : 1.0);
    }
    return static_cast<Index>(std::ceil(all / least));
  }

  static void take_places(const CalibratedDraws& draws, std::span<const double> truth, Rng& rng,
                          SbcReplicate& replicate) {
    if (!draws.log_weights.empty()) return take_weighted(draws, truth, rng, replicate);
    const Index every = thinning(draws);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      Index below = 0, equal = 0, count = 0;
      for (Index c = 0; c < draws.num_chains; ++c)
        for (Index s = 0; s < draws.num_draws; s += every, ++count) {
          const double x = draws.values[k][static_cast<std::size_t>(c * draws.num_draws + s)];
          below += x < truth[k] ? 1 : 0;
          equal += x == truth[k] ? 1 : 0;
        }
      replicate.num_draws = count;
      replicate.places.push_back(
          (static_cast<double>(below) + rng.uniform() * static_cast<double>(equal + 1)) /
          static_cast<double>(count + 1));
    }
  }
  static void take_weighted(const CalibratedDraws& draws, std::span<const double> truth, Rng& rng,
                            SbcReplicate& replicate) {
    const double count = diagnose::weight_ess(draws.log_weights);
    const double largest = *std::max_element(draws.log_weights.begin(), draws.log_weights.end());
    double total = 0.0;
    for (const double w : draws.log_weights) total += std::exp(w - largest);
    replicate.num_draws = static_cast<Index>(count);
    for (std::size_t k = 0; k < truth.size(); ++k) {
      double below = 0.0;
      for (std::size_t i = 0; i < draws.log_weights.size(); ++i)
        if (draws.values[k][i] < truth[k]) below += std::exp(draws.log_weights[i] - largest);
      replicate.places.push_back((below / total * count + rng.uniform()) / (count + 1.0));
    }
  }

  const density::Model &model_, &generator_;
  const SbcOptions& options_;
  DataSource source_;
  std::vector<Index> places_;
};

}  // namespace

Index Sbc::num_failed() const {
  return std::count_if(replicates.begin(), replicates.end(),
                       [](const auto& r) { return r.places.empty(); });
}

Index Sbc::num_divergent() const {
  return std::accumulate(replicates.begin(), replicates.end(), Index{0},
                         [](Index sum, const auto& r) { return sum + r.num_divergent; });
}

std::vector<double> Sbc::places_of(std::size_t quantity) const {
  std::vector<double> places;
  for (const SbcReplicate& replicate : replicates)
    if (!replicate.places.empty()) places.push_back(replicate.places[quantity]);
  return places;
}

std::vector<std::string> sbc_names(const density::Names& names) {
  std::vector<std::string> all;
  for (Index k = 0; k < num_outputs(names, density::Block::parameters); ++k)
    all.push_back(names.outputs().element_name(k));
  all.emplace_back("log_likelihood");
  return all;
}

Sbc judge_calibration(const density::Names& model, std::vector<SbcReplicate> replicates) {
  Sbc sbc;
  sbc.replicates = std::move(replicates);
  std::size_t count = 0;  // without the log likelihood where it isn't known
  for (const SbcReplicate& replicate : sbc.replicates)
    count = std::max(count, replicate.places.size());
  for (SbcReplicate& replicate : sbc.replicates)
    if (!replicate.places.empty() && replicate.places.size() < count)
      throw Error(ErrorCode::data, "replicates have different quantities", model.name());
  const std::vector<std::string> names = sbc_names(model);
  for (std::size_t k = 0; k < count; ++k) {
    sbc.quantities.push_back({names[k], judge_places(sbc.places_of(k))});
  }
  return sbc;
}

namespace {
// A posterior given two data sets is known where the likelihood of one of them is.
void require_likelihood(const density::Model& model, std::span<const double> position) {
  if (model.discrete_block().size() > 0)
    throw Error(ErrorCode::program, "discrete parameters are drawn given one data set alone",
                model.name(), "sum them out: --discrete sum");
  const density::Capability can = model.can({.terms = density::Terms::likelihood}, position);
  if (!can.can)
    throw Error(ErrorCode::program, can.reason, can.where.empty() ? model.name() : can.where,
                can.hint);
}
}  // namespace

Sbc calibrate(const density::Model& model, const SbcOptions& options) {
  if (!options.posterior.empty()) require_likelihood(model, options.posterior[0]);
  return judge_calibration(
      model, share_out_results(options.num_replicates, options.num_threads, options.done,
                               options.on_done, [&] {
                                 const auto fit = std::make_shared<ReplicateFit>(model, options);
                                 return [fit](Index number) { return fit->run(number); };
                               }));
}

ArrayList arrays_of(const Sbc& sbc) {
  using Q = SbcQuantity;
  using R = SbcReplicate;
  ArrayList answer("sbc");
  answer.set("num_failed", sbc.num_failed());
  answer.set("num_divergent", sbc.num_divergent());
  answer.set("p_limit", sbc.p_limit());
  const Dimension quantity{"quantity", ssize(sbc.quantities)};
  std::vector<std::string> names;
  for (const Q& q : sbc.quantities) names.push_back(q.name);
  auto quantities = answer.add_group("calibration", {quantity}, {.key = "quantities"});
  quantities.add_labels("quantity", names, "name");
  auto add = quantities.columns(sbc.quantities);
  add("p_value", [](const Q& q) { return q.places.p_value; });
  add(
      "mean", [](const Q& q) { return q.places.mean; },
      "mean place of the parameter among the draws");
  add(
      "spread", [](const Q& q) { return q.places.spread; },
      "spread of the places; 1 if calibrated");
  std::vector<double> places;
  for (const R& r : sbc.replicates)
    for (std::size_t q = 0; q < sbc.quantities.size(); ++q)
      places.push_back(q < r.places.size() ? r.places[q] : kNaN);
  answer.add_group("replicates", {{"replicate", ssize(sbc.replicates)}, quantity})
      .add_labels("quantity", names)
      .add({.name = "place",
            .dims = {"replicate", "quantity"},
            .help = "share of the draws below the parameter; NaN if the fit failed",
            .key = "places",
            .missing = Missing::left_out},
           std::move(places))
      .add_column({.name = "num_draws"}, sbc.replicates, &R::num_draws)
      .add_column({.name = "num_divergent"}, sbc.replicates, &R::num_divergent)
      .add_column({.name = "failure", .help = "reason for which the fit failed"}, sbc.replicates,
                  &R::failure);
  return answer;
}

}  // namespace credo::results
