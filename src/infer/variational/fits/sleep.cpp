#include "infer/variational/fits/sleep.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/variational/families/amortised_normal.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kSimulatedPairs = stream("variational.sleep");
constexpr Index kMostRefusedPairs = 1000;  // in a row
constexpr Index kHeldOut = 5;              // every fifth pair

// Features of one pair, for each network.
struct PairFeatures {
  std::vector<FeatureTable> of_blocks;
};

// Mean of log q over pairs, as a log density of λ.
class SleepObjective final : public density::LogDensity {
 public:
  SleepObjective(const AmortisedNormal& family, std::span<const SimulatedPair> pairs,
                 std::span<const PairFeatures> features, bool held_out)
      : family_(family), pairs_(pairs), features_(features), held_out_(held_out) {}
  Index dimension() const override { return family_.num_parameters(); }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status&) const override { return {}; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(*this);
  }
  double value(std::span<const double> parameters) const {
    density::Request request{.position = parameters, .gradient = {}, .status = {}};
    Evaluating(*this).answer(request);
    return request.log_density;
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    explicit Evaluating(const SleepObjective& of)
        : of_(of),
          clone_(of.family_.clone()),
          family_(static_cast<AmortisedNormal*>(clone_.get())) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) answer(*request);
    }
    void answer(density::Request& request) {
      request.log_density = 0.0;
      request.status = {};
      std::fill(request.gradient.begin(), request.gradient.end(), 0.0);
      double count = 0.0;
      for (std::size_t m = 0; m < of_.pairs_.size(); ++m) {
        if ((static_cast<Index>(m) % kHeldOut == 0) != of_.held_out_) continue;
        for (std::size_t b = 0; b < of_.features_[m].of_blocks.size(); ++b)
          family_->set_features(b, of_.features_[m].of_blocks[b]);
        family_->move_to(request.position);
        request.log_density += family_->log_density(of_.pairs_[m].position);
        if (!request.gradient.empty())
          family_->add_parameter_score(of_.pairs_[m].position, request.gradient);
        count += 1.0;
      }
      request.log_density /= count;
      for (double& slope : request.gradient) slope /= count;
      if (!std::isfinite(request.log_density))
        request.log_density = -kInfinity, request.status.source = 1;
    }

   private:
    const SleepObjective& of_;
    std::unique_ptr<NormalFamily> clone_;
    AmortisedNormal* family_;
  };

  const AmortisedNormal& family_;
  std::span<const SimulatedPair> pairs_;
  std::span<const PairFeatures> features_;
  bool held_out_;
};

// Mean and variances of the simulated parameters.
FamilySetup setup_of_pairs(std::span<const SimulatedPair> pairs) {
  const std::size_t n = pairs.front().position.size();
  const double count = static_cast<double>(pairs.size());
  FamilySetup setup{.mean = std::vector<double>(n, 0.0), .covariance = std::vector<double>(n, 0.0)};
  for (const SimulatedPair& pair : pairs) add(setup.mean, 1.0 / count, pair.position);
  for (const SimulatedPair& pair : pairs)
    for (std::size_t d = 0; d < n; ++d)
      setup.covariance[d] += std::pow(pair.position[d] - setup.mean[d], 2) / count;
  return setup;
}

// The networks of a model's options: local values by rows, the others by pooled features.
struct SleepNetworks {
  std::vector<std::vector<Index>> coordinates;  // the values of each block
  bool has_local = false;
};

SleepNetworks networks_of(const density::LogDensity& density, const AmortizedOptions& own,
                          LocalValues& local) {
  SleepNetworks networks;
  std::vector<bool> is_local(static_cast<std::size_t>(density.dimension()), false);
  if (!own.local.empty()) {
    local = local_values(density, own.local);
    require_local(density, local, own.local, own.climb.seed);
    networks.coordinates.push_back(local.coordinates);
    networks.has_local = true;
    for (const Index j : local.coordinates) is_local[static_cast<std::size_t>(j)] = true;
  }
  std::vector<Index> others;
  for (std::size_t d = 0; d < is_local.size(); ++d)
    if (!is_local[d]) others.push_back(static_cast<Index>(d));
  if (!others.empty()) networks.coordinates.push_back(std::move(others));
  return networks;
}

PairFeatures features_for(const SleepNetworks& networks, const LocalValues& local,
                          std::span<const density::ObservedVariable> data,
                          std::span<const std::string> names) {
  const FeatureTable rows = features_of(data, names, local.num_rows);
  PairFeatures features;
  if (networks.has_local) features.of_blocks.push_back(rows);
  if (networks.coordinates.size() > features.of_blocks.size())
    features.of_blocks.push_back(pooled(rows));
  return features;
}

// Puts all tables of a block on one scale: that of the simulations.
void standardise_all(std::vector<PairFeatures>& features, PairFeatures& observed) {
  for (std::size_t b = 0; b < observed.of_blocks.size(); ++b) {
    FeatureTable all{.num_features = observed.of_blocks[b].num_features};
    for (const PairFeatures& own : features) {
      const FeatureTable& table = own.of_blocks[b];
      all.values.insert(all.values.end(), table.values.begin(), table.values.end());
      all.num_rows += table.num_rows;
    }
    const FeatureScale scale = scale_of(all);
    for (PairFeatures& own : features) standardise(own.of_blocks[b], scale);
    standardise(observed.of_blocks[b], scale);
  }
}

void require_simulated(const density::Layout& drawn, std::span<const std::string> features) {
  for (const std::string& name : features)
    if (drawn.find_variable(name)) return;
  throw Error(ErrorCode::usage, "none of the features is an outcome that the program draws",
              "features", "name the outcome, as --features y");
}
}  // namespace

std::vector<SimulatedPair> simulate_pairs(const density::LogDensity& density,
                                          std::span<const std::string> features, Index count,
                                          std::uint64_t seed) {
  const density::Model* model = density.as_model();
  const std::unique_ptr<density::LogDensity> prior = density.prior();
  if (model == nullptr || prior == nullptr)
    throw Error(ErrorCode::usage, "sleep simulates from the program, and this density has none",
                "objective", "take --objective elbo");
  if (const auto can = prior->can_draw(); !can.can)
    throw Error(ErrorCode::usage, "sleep draws from the priors: " + can.reason, "objective",
                can.hint);
  const auto draws = prior->make_exact_draws();
  const auto& side = model->generative_side().require(model->name());
  const std::vector<density::ObservedVariable> data = all_data(*model);
  std::unique_ptr<density::Replicates> replicates;
  std::vector<SimulatedPair> pairs;
  Index num_refused = 0;
  for (std::uint32_t k = 0; ssize(pairs) < count; ++k) {
    stop_if_asked();
    if (num_refused == kMostRefusedPairs)
      throw Error(ErrorCode::evaluation, "a thousand draws of the priors have no data", "objective",
                  "declare the ranges of the parameters, or narrow the priors");
    ++num_refused;
    Rng rng({.seed = seed, .purpose = kSimulatedPairs, .chain = 0, .iteration = k});
    const auto start = draws->next(rng);
    if (!start || std::isnan(start->log_density)) continue;
    if (replicates == nullptr) {
      replicates = side.make_replicates(start->position);
      require_simulated(replicates->layout(), features);
    }
    const std::vector<double> drawn = replicates->draw(start->position, seed + k);
    if (drawn.empty()) continue;
    num_refused = 0;
    pairs.push_back({start->position, data});
    const density::Layout& layout = replicates->layout();
    for (density::ObservedVariable& own : pairs.back().data)
      if (const auto place = layout.find_variable(own.variable.name))
        std::copy_n(drawn.begin() + layout.first(*place), own.values.size(), own.values.begin());
  }
  return pairs;
}

FeatureTable pooled(const FeatureTable& features) {
  constexpr std::size_t kMostAsTheyAre = 30;
  if (features.values.size() <= kMostAsTheyAre) return {1, ssize(features.values), features.values};
  FeatureTable pool{.num_rows = 1, .num_features = 2 * features.num_features};
  const FeatureScale scale = scale_of(features);
  pool.values = scale.mean;
  for (const double sd : scale.sd) pool.values.push_back(std::log(sd));
  return pool;
}

BestNormal fit_by_simulations(const density::LogDensity& density, const AmortizedOptions& options) {
  if (!options.point.empty())
    throw Error(ErrorCode::usage, "sleep fits the distribution, no points", "point",
                "take --objective iwae:10 or eubo, or leave --point out");
  require_no_steps(options.climb, "leave this out: all simulations are climbed on at once");
  const std::vector<SimulatedPair> pairs =
      simulate_pairs(density, options.features, options.simulations, options.climb.seed);
  LocalValues local;
  const SleepNetworks networks = networks_of(density, options, local);
  std::vector<PairFeatures> features;
  for (const SimulatedPair& pair : pairs)
    features.push_back(features_for(networks, local, pair.data, options.features));
  PairFeatures observed =
      features_for(networks, local, all_data(*density.as_model()), options.features);
  standardise_all(features, observed);

  AmortisedSetup setup{.num_hidden = options.hidden, .seed = options.climb.seed};
  for (std::size_t b = 0; b < networks.coordinates.size(); ++b)
    setup.blocks.push_back({networks.coordinates[b], observed.of_blocks[b]});
  auto family = make_amortised_normal(setup_of_pairs(pairs), setup);
  BestNormal best;
  const SleepObjective objective(*family, pairs, features, false);
  const std::vector<double> start = family->start();
  const Mode mode =
      find_mode(objective, {.max_iterations = options.climb.max_iterations,
                            .tolerance = 1e-5,
                            .start = start,
                            .keeps_state = true,
                            .on_iteration = [&](double value, double step, double gradient, Index) {
                              best.course.push_back({value, step, gradient, 0});
                            }});
  best.held_out = SleepObjective(*family, pairs, features, true).value(mode.position);
  family->move_to(mode.position);
  BoundOptions fresh = options.climb;
  fresh.objective = "elbo";
  best.bounds = bounds_by_new_draws(density, *family, fresh);
  best.bound = best.bounds.elbo;
  best.converged = mode.converged;
  best.num_evaluations = options.climb.num_fresh;
  best.family = std::move(family);
  return best;
}

}  // namespace credo::infer
