#include "model/states/gaussian_proposal.hpp"

#include "density/require.hpp"

#include "base/rng.hpp"
#include "model/states/kalman_run.hpp"
#include "model/states/laplace_updates.hpp"
#include "model/states/normal_reader.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
namespace {
using density::ParticleBlock;
using density::StateSpace;
using numerics::GaussianState;
using numerics::NormalMoments;
constexpr Index kColumns = StateSpace::kBlock;

const char* proposal_option(ProposalDistribution distribution) {
  return distribution == ProposalDistribution::unscented  ? "--proposal ukf"
         : distribution == ProposalDistribution::extended ? "--proposal ekf"
                                                          : "--proposal laplace";
}

// Upper triangular S with S' S = P, positive definite; NaN where it isn't. The rows of L in P = L L' are its columns.
std::vector<double> proposal_root(const std::vector<double>& p, std::size_t d) {
  const auto n = static_cast<Index>(d);
  return numerics::lower_factor({n, n, p}).values;
}

class GaussianMover final : public density::StateMover {
 public:
  GaussianMover(const StateModel& model, ProposalDistribution distribution, double kappa)
      : model_(model),
        distribution_(distribution),
        kappa_(kappa),
        reader_(model, proposal_option(distribution)),
        elements_(static_cast<std::size_t>(model.state().size())),
        plain_(model.make_mover(density::Kernel::bootstrap)) {
    const numerics::LinearGaussianStep first = first_distribution(model);
    first_ = {.mean = first.offset, .covariance = first.noise};
  }

  void move(const ParticleBlock& block) override {
    if (!model_.is_observed(block.time)) return plain_->move(block);
    const std::vector<GaussianState> predicted = predictions(block);
    const std::vector<GaussianState> distributions = updated(block.time, predicted);
    std::vector<double> log_proposals;
    for (std::size_t i = 0; i < distributions.size(); ++i)
      log_proposals.push_back(draw(block, distributions[i], i));
    weigh_drawn(block, log_proposals);
  }
  void look_ahead(const ParticleBlock& block) override { plain_->look_ahead(block); }
  void transitions(const ParticleBlock& block) override { plain_->transitions(block); }

 private:
  double& element(double* states, std::size_t e, std::size_t particle) const {
    return states[e * static_cast<std::size_t>(kColumns) + particle];
  }
  std::vector<double> state_of(const double* states, std::size_t particle) const {
    std::vector<double> state;
    for (std::size_t e = 0; e < elements_; ++e)
      state.push_back(states[e * static_cast<std::size_t>(kColumns) + particle]);
    return state;
  }

  std::vector<GaussianState> predictions(const ParticleBlock& block) {
    const auto count = static_cast<std::size_t>(block.count);
    std::vector<NormalMoments> distributions(count, first_);
    if (block.time > 0) {
      std::vector<std::vector<double>> before;
      for (std::size_t i = 0; i < count; ++i) before.push_back(state_of(block.previous, i));
      distributions = reader_.transition(block.time, before);
    }
    std::vector<GaussianState> predicted;
    for (const NormalMoments& distribution : distributions)
      predicted.push_back({distribution.mean, proposal_root(distribution.covariance, elements_)});
    return predicted;
  }

  // By the outcome.
  std::vector<GaussianState> updated(Index time, std::span<const GaussianState> predicted) {
    if (distribution_ == ProposalDistribution::laplace)
      return laplace_updates(reader_, time, predicted);
    const std::vector<numerics::LinearNormal> lines =
        distribution_ == ProposalDistribution::unscented ? fitted_lines(time, predicted)
                                                         : tangents(time, predicted);
    const std::vector<double> outcome = reader_.outcome(time);
    std::vector<GaussianState> distributions;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const numerics::PreparedStep step({.offset = predicted[i].mean,
                                         .noise = predicted[i].covariance(),
                                         .observation = lines[i].matrix,
                                         .observation_offset = lines[i].offset,
                                         .observation_noise = lines[i].noise,
                                         .outcome = outcome});
      double log_increment = 0.0;
      distributions.push_back(step.filtered(nullptr, log_increment));
    }
    return distributions;
  }

  // Sigma points of all particles are read together, as many at once as there are columns.
  std::vector<numerics::LinearNormal> fitted_lines(Index time,
                                                   std::span<const GaussianState> predicted) {
    std::vector<numerics::SigmaPoints> sigmas;
    std::vector<std::vector<double>> points;
    for (const GaussianState& state : predicted) {
      sigmas.push_back(numerics::sigma_points(state, kappa_));
      points.insert(points.end(), sigmas.back().points.begin(), sigmas.back().points.end());
    }
    std::vector<NormalMoments> images;
    for (std::size_t first = 0; first < points.size();
         first += static_cast<std::size_t>(kColumns)) {
      const std::size_t some = std::min(static_cast<std::size_t>(kColumns), points.size() - first);
      const std::vector<NormalMoments> read =
          reader_.observation(time, std::span(points).subspan(first, some));
      images.insert(images.end(), read.begin(), read.end());
    }
    std::vector<numerics::LinearNormal> lines;
    std::size_t next = 0;
    for (const numerics::SigmaPoints& sigma : sigmas) {
      const std::size_t size = sigma.points.size();
      lines.push_back(
          numerics::statistical_linearisation(sigma, std::span(images).subspan(next, size)));
      next += size;
    }
    return lines;
  }

  // h(x) = h(m) + J (x - m), at the predicted means of all particles together.
  std::vector<numerics::LinearNormal> tangents(Index time,
                                               std::span<const GaussianState> predicted) {
    std::vector<std::vector<double>> means;
    for (const GaussianState& state : predicted) means.push_back(state.mean);
    const std::vector<NormalMoments> distributions = reader_.observation(time, means);
    std::vector<std::vector<double>> slopes =
        reader_.observation_slopes(time, means, distributions);
    std::vector<numerics::LinearNormal> lines;
    for (std::size_t i = 0; i < distributions.size(); ++i) {
      numerics::LinearNormal& line = lines.emplace_back();
      line = {.matrix = std::move(slopes[i]),
              .offset = distributions[i].mean,
              .noise = distributions[i].covariance};
      const std::size_t m = line.offset.size();
      for (std::size_t e = 0; e < elements_; ++e)
        for (std::size_t k = 0; k < m; ++k) line.offset[k] -= line.matrix[k + e * m] * means[i][e];
    }
    return lines;
  }

  // A draw; the log density that it was drawn from.
  double draw(const ParticleBlock& block, const GaussianState& distribution,
              std::size_t particle) const {
    Rng rng({.seed = block.seed, .purpose = purpose::kFilter, .chain = 0, .iteration = 4},
            (static_cast<std::uint64_t>(block.first) + particle) * elements_);
    double log_density = 0.0;
    std::vector<double> x = distribution.mean;
    constexpr double kHalfLog2Pi = 0.91893853320467274178;
    for (std::size_t k = 0; k < elements_; ++k) {
      const double z = rng.normal();
      for (std::size_t e = k; e < elements_; ++e) x[e] += distribution.root[k + e * elements_] * z;
      log_density -=
          0.5 * z * z + kHalfLog2Pi + numerics::log(std::abs(distribution.root[k + k * elements_]));
    }
    for (std::size_t e = 0; e < elements_; ++e) element(block.next, e, particle) = x[e];
    return log_density;
  }

  void weigh_drawn(const ParticleBlock& block, std::span<const double> log_proposals) {
    const std::size_t count = log_proposals.size();
    std::vector<double> before, drawn, log_transitions(count), log_outcomes(count);
    std::vector<density::GivenState> states(count);
    before.reserve(count * elements_), drawn.reserve(count * elements_);
    for (std::size_t i = 0; i < count; ++i) {
      states[i] = {.time = block.time, .previous = nullptr, .state = drawn.data() + drawn.size()};
      const std::vector<double> x = state_of(block.next, i);
      drawn.insert(drawn.end(), x.begin(), x.end());
      if (block.time == 0) continue;
      states[i].previous = before.data() + before.size();
      const std::vector<double> from = state_of(block.previous, i);
      before.insert(before.end(), from.begin(), from.end());
    }
    plain_->weigh(states, log_transitions, log_outcomes);
    for (std::size_t i = 0; i < count; ++i)
      block.log_weights[i] = log_outcomes[i] + log_transitions[i] - log_proposals[i];
  }

  const StateModel& model_;
  ProposalDistribution distribution_;
  double kappa_;
  NormalReader reader_;
  std::size_t elements_;
  std::unique_ptr<density::StateMover> plain_;
  NormalMoments first_;
};
}  // namespace

density::Capability can_propose(const StateModel& model, ProposalDistribution distribution) {
  return can_read_normal(model, proposal_option(distribution));
}

GaussianProposal::GaussianProposal(const StateModel& model, ProposalDistribution distribution,
                                   double kappa)
    : model_(model), distribution_(distribution), kappa_(kappa) {
  density::require(can_propose(model, distribution));
}

std::unique_ptr<density::StateMover> GaussianProposal::make_mover(density::Kernel kernel) const {
  if (kernel == density::Kernel::bootstrap) return model_.make_mover(kernel);
  return std::make_unique<GaussianMover>(model_, distribution_, kappa_);
}

}  // namespace credo::model
