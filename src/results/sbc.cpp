#include "results/sbc.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/processors.hpp"
#include "base/stop.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/ecdf_band.hpp"
#include "diagnose/weights.hpp"
#include "results/fit_points.hpp"
#include "results/run_store.hpp"
#include "results/simulate.hpp"
#include "results/weights.hpp"

namespace credo::results {
namespace {

// All draws of the quantities of one fit: the parameters, then the log likelihood.
struct FitDraws {
  std::vector<std::vector<double>> values;  // by quantity, all draws of all chains
  std::vector<double> log_weights;          // empty: they count the same
  Index num_draws = 0, num_chains = 0;      // per chain
};

class ReplicateFit {
 public:
  ReplicateFit(const density::Model& model, const SbcOptions& options)
      : model_(model),
        generator_(options.generator != nullptr ? *options.generator : model),
        options_(options),
        simulator_(generator_),
        places_(places_in_generator()) {}

  SbcReplicate run(Index number) {
    SbcReplicate replicate;
    try {
      const Simulator::Drawn drawn = simulator_.draw(options_.seed, number);
      constexpr Index kCompared = 3;  // that the prior doesn't read the data shows at once
      if (number < kCompared) simulator_.require_same_prior(drawn);
      const auto model = model_.with_data(simulator_.replicates().data_text());
      Rng rng({.seed = options_.seed,
               .purpose = purpose::kReplicate,
               .chain = 3,
               .iteration = static_cast<std::uint32_t>(number)});
      const FitDraws draws = draws_of(*model, rng.bits(), replicate);
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
  // Where the generator has the parameters of the model.
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
      position = model.unconstrain_row(parameters);
    } catch (const Error&) {
      return -kInfinity;
    }
    const auto likelihood = likelihood_of(model);
    density::Request request{.position = position, .gradient = {}, .status = {}};
    likelihood->make_evaluator()->evaluate(density::Want::value, std::array{&request});
    return request.status.ok() ? request.log_density : -kInfinity;
  }

  FitDraws draws_of(const density::Model& model, std::uint64_t seed,
                    SbcReplicate& replicate) const {
    infer::SampleOptions run = options_.run;
    run.seed = seed;
    run.num_threads = 1;
    run.stop = current_stop();
    RunPlace place;
    for (const density::Variable& variable : model.outputs().variables())
      if (variable.block == density::Block::parameters)
        place.selection.keep.push_back(variable.name);
    RunStore store(model, run, std::move(place));
    infer::RunResult result = infer::run_chains(model, run, store);
    store.close();
    stop_if_asked();
    for (const infer::ChainResult& chain : result.chains)
      replicate.num_divergent += chain.num_divergent;
    store.keep(std::move(result));
    FitDraws draws{.values = {},
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
  static Index thinning(const FitDraws& draws) {
    double least = static_cast<double>(draws.num_draws * draws.num_chains);
    const double all = least;
    for (const std::vector<double>& values : draws.values) {
      const double ess = diagnose::ess_bulk({values, draws.num_draws, draws.num_chains});
      least = std::min(least, std::isfinite(ess) ? std::max(ess, 1.0) : 1.0);
    }
    return static_cast<Index>(std::ceil(all / least));
  }

  static void take_places(const FitDraws& draws, std::span<const double> truth, Rng& rng,
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
  static void take_weighted(const FitDraws& draws, std::span<const double> truth, Rng& rng,
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
  Simulator simulator_;
  std::vector<Index> places_;
};

// Replicates over threads; each number is done by one of them, which doesn't matter.
class Crew {
 public:
  Crew(const density::Model& model, const SbcOptions& options, std::vector<SbcReplicate>& all)
      : model_(model), options_(options), all_(all) {
    for (Index k = 0; k < options.num_replicates; ++k) {
      const auto known = options.done.find(k);
      if (known != options.done.end())
        all_[static_cast<std::size_t>(k)] = known->second;
      else
        waiting_.push_back(k);
    }
  }

  void work(Index num_threads) {
    std::vector<std::jthread> helpers;
    for (Index t = 1; t < std::min(num_threads, ssize(waiting_)); ++t)
      helpers.emplace_back([this, stop = current_stop()] {
        const StopScope scope(stop);
        take_part();
      });
    take_part();
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take_part() {
    try {
      ReplicateFit fit(model_, options_);
      for (;;) {
        const std::size_t next = next_++;
        if (next >= waiting_.size() || fails_) return;
        const Index number = waiting_[next];
        SbcReplicate replicate = fit.run(number);
        const std::lock_guard lock(mutex_);
        if (options_.on_done) options_.on_done(number, replicate);
        all_[static_cast<std::size_t>(number)] = std::move(replicate);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      fails_ = true;
    }
  }

  const density::Model& model_;
  const SbcOptions& options_;
  std::vector<SbcReplicate>& all_;
  std::vector<Index> waiting_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> fails_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
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

std::vector<std::string> sbc_names(const density::Model& model) {
  std::vector<std::string> names;
  for (Index k = 0; k < num_outputs(model, density::Block::parameters); ++k)
    names.push_back(model.outputs().element_name(k));
  names.emplace_back("log_likelihood");
  return names;
}

Sbc judge_calibration(const density::Model& model, std::vector<SbcReplicate> replicates) {
  Sbc sbc;
  sbc.replicates = std::move(replicates);
  std::size_t count = 0;  // without the log likelihood where it isn't known
  for (const SbcReplicate& replicate : sbc.replicates)
    count = std::max(count, replicate.places.size());
  for (SbcReplicate& replicate : sbc.replicates)
    if (!replicate.places.empty() && replicate.places.size() < count)
      throw Error(ErrorCode::data, "replicates tell of different quantities", model.name());
  const std::vector<std::string> names = sbc_names(model);
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> places = sbc.places_of(k);
    double square = 0.0;  // about 1/2, so that a shift isn't taken for width
    const double mean = diagnose::mean(places);
    for (const double u : places) square += (u - mean) * (u - mean);
    sbc.quantities.push_back({.name = names[k],
                              .p_value = diagnose::ecdf_p_value(places, kSbcPoints),
                              .mean = mean,
                              .spread = 12.0 * square / static_cast<double>(places.size())});
  }
  return sbc;
}

Sbc calibrate(const density::Model& model, const SbcOptions& options) {
  std::vector<SbcReplicate> all(static_cast<std::size_t>(options.num_replicates));
  const Index threads = options.num_threads > 0 ? options.num_threads : num_processors();
  Crew(model, options, all).work(threads);
  return judge_calibration(model, std::move(all));
}

}  // namespace credo::results
