#include "infer/variational/climbs/climb_online.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "density/model.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/vectors.hpp"
#include "infer/variational/climbs/fixed_draw_bound.hpp"
#include "infer/variational/climbs/normal_prior.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
constexpr std::string_view kFullOnline = "foovb", kDiagonalOnline = "bgd";

// μ and L by columns.
struct OnlineMember {
  std::vector<double> mean;
  numerics::DenseMatrix root;
};

// E1 and E2 over the draws that have a density, and the mean log likelihood there.
struct OnlineMoments {
  std::vector<double> slope;
  numerics::DenseMatrix bend;
  double log_likelihood = 0.0;
};

// The likelihood of rows first, first + 1, ..., of which each request names some.
class BatchLikelihood {
 public:
  BatchLikelihood(const density::Model& model, Index size, Index num_draws)
      : size_(size), of_(model.asking({.terms = density::Terms::likelihood, .batch = size})) {
    evaluator_ = of_->make_evaluator();
    requests_.resize(static_cast<std::size_t>(num_draws));
    for (density::Request& request : requests_) batch_.push_back(&request);
  }
  OnlineMoments moments(const OnlineMember& q, std::span<const double> noise, Index first);
  Index size() const { return size_; }

 private:
  Index size_;
  std::unique_ptr<density::Model> of_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::vector<double> points_, gradients_, rows_;
  std::vector<density::Request> requests_;
  std::vector<density::Request*> batch_;
};

OnlineMoments BatchLikelihood::moments(const OnlineMember& q, std::span<const double> noise,
                                       Index first) {
  const std::size_t n = q.mean.size(), count = requests_.size();
  points_.resize(count * n), gradients_.resize(count * n);
  rows_.resize(static_cast<std::size_t>(size_));
  std::iota(rows_.begin(), rows_.end(), static_cast<double>(first));
  for (std::size_t s = 0; s < count; ++s) {
    const std::span<double> x = std::span(points_).subspan(s * n, n);
    std::ranges::copy(q.mean, x.begin());
    for (std::size_t j = 0; j < n; ++j)
      add(x, noise[s * n + j], std::span(q.root.values).subspan(j * n, n));
    requests_[s] = {.position = x,
                    .gradient = std::span(gradients_).subspan(s * n, n),
                    .status = {},
                    .rows = rows_};
  }
  evaluator_->evaluate(density::Want::gradient, batch_);
  OnlineMoments all{std::vector<double>(n, 0.0), numerics::DenseMatrix(static_cast<Index>(n))};
  double num_with = 0.0;
  for (std::size_t s = 0; s < count; ++s) {
    const density::Request& at = requests_[s];
    if (!at.status.ok()) continue;
    num_with += 1.0;
    all.log_likelihood += at.log_density;
    add(all.slope, -1.0, at.gradient);
    for (std::size_t j = 0; j < n; ++j)
      add(std::span(all.bend.values).subspan(j * n, n), -noise[s * n + j], at.gradient);
  }
  if (num_with == 0.0)
    throw Error(ErrorCode::evaluation,
                fmt::format("no draw has a likelihood of rows {} to {}", first + 1, first + size_),
                "normal", "declare the ranges of the parameters, or give a narrower prior");
  all.log_likelihood /= num_with;
  for (double& v : all.slope) v /= num_with;
  for (double& v : all.bend.values) v /= num_with;
  return all;
}

// ---- the fixed points, in the prior's units: μ = m + A ν, L = A M

struct OnlinePrior {
  std::vector<double> mean;
  numerics::DenseMatrix root;  // A
};

struct InUnits {
  std::vector<double> place;              // ν
  numerics::DenseMatrix spread, inverse;  // M, M⁻¹
};

InUnits begin_at_prior(Index n) {
  InUnits q{std::vector<double>(static_cast<std::size_t>(n), 0.0), numerics::DenseMatrix(n), {}};
  for (Index i = 0; i < n; ++i) q.spread(i, i) = 1.0;
  q.inverse = q.spread;
  return q;
}

OnlineMember placed(const OnlinePrior& prior, const InUnits& q) {
  OnlineMember member{prior.mean, prior.root * q.spread};
  const Index n = ssize(prior.mean);
  add(member.mean, 1.0, (prior.root * numerics::DenseMatrix(n, 1, q.place)).values);
  return member;
}

// Aᵀ E1, Aᵀ E2 and Aᵀ E[∇²ℓ] A of a batch. The diagonal family has their diagonals alone.
struct MomentsInUnits {
  std::vector<double> slope;
  numerics::DenseMatrix bend, information;
};

MomentsInUnits in_units(const OnlinePrior& prior, const OnlineMoments& at, const InUnits& q,
                        bool is_full) {
  const Index n = ssize(prior.mean);
  const numerics::DenseMatrix turned = numerics::transposed(prior.root);
  MomentsInUnits all{(turned * numerics::DenseMatrix(n, 1, at.slope)).values, turned * at.bend, {}};
  const numerics::DenseMatrix half = 0.5 * (all.bend * q.inverse);
  all.information = half + numerics::transposed(half);
  for (Index i = 0; i < n && !is_full; ++i)
    for (Index j = 0; j < n; ++j)
      if (i != j) all.bend(i, j) = all.information(i, j) = 0.0;
  return all;
}

// x + d = 1 / x, x > 0
double shrunk(double d) { return std::sqrt(1.0 + 0.25 * d * d) - 0.5 * d; }

// M + B = M⁻¹, B = Aᵀ E2 by its symmetric part: it has one at the fixed point, and where M = 1.
void solve_spread(const numerics::DenseMatrix& bend, InUnits& q) {
  const numerics::SymmetricEigen eigen(0.5 * (bend + numerics::transposed(bend)));
  q.spread = eigen.function(shrunk);
  q.inverse = eigen.function([](double d) { return 1.0 / shrunk(d); });
}

numerics::DenseMatrix root_of_belief(const NormalBelief& belief, bool is_full) {
  const Index n = ssize(belief.mean);
  numerics::DenseMatrix root(n);
  if (is_full) {
    const numerics::RowMatrix factor =
        numerics::lower_factor(numerics::RowMatrix(n, n, belief.covariance));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) root(i, j) = factor(i, j);
    return root;
  }
  const std::vector<double> precision =
      precision_of({.mean = belief.mean, .covariance = belief.covariance});
  for (Index i = 0; i < n; ++i)  // the best diagonal distribution has these precisions
    root(i, i) = 1.0 / std::sqrt(precision[static_cast<std::size_t>(i * n + i)]);
  return root;
}

std::vector<double> online_draws(Index num_draws, Index dimension, std::uint64_t seed) {
  const Index even = 2 * ((num_draws + 1) / 2);
  const bool is_enough = even >= 2 * dimension;
  return balanced_draws(even, dimension,
                        is_enough ? CovarianceShape::full : CovarianceShape::diagonal, seed);
}

// KL(q ‖ prior) of members with roots L and A: with A⁻¹ L its squares, and the distance of the means.
double divergence_of(const OnlineMember& q, const OnlinePrior& prior) {
  const Index n = ssize(q.mean);
  numerics::RowMatrix factor(n, n);
  const numerics::DenseMatrix square = q.root * numerics::transposed(q.root),
                              before = prior.root * numerics::transposed(prior.root);
  numerics::RowMatrix of_prior(n, n), of_q(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) of_prior(i, j) = before(i, j), of_q(i, j) = square(i, j);
  factor = numerics::lower_factor(of_prior);
  double sum = numerics::log_determinant_of_factor(factor) -
               numerics::log_determinant_of_factor(numerics::lower_factor(of_q)) -
               static_cast<double>(n);
  const auto add_square = [&](std::vector<double> v) {
    numerics::solve_factor(factor, v);
    sum += dot(v, v);
  };
  for (Index j = 0; j < n; ++j) {
    const auto column = std::span(q.root.values)
                            .subspan(static_cast<std::size_t>(j * n), static_cast<std::size_t>(n));
    add_square({column.begin(), column.end()});
  }
  std::vector<double> off = q.mean;
  add(off, -1.0, prior.mean);
  add_square(std::move(off));
  return 0.5 * sum;
}

class OnlineClimb {
 public:
  OnlineClimb(const density::Model& model, const BoundOptions& options)
      : model_(model), own_(options), is_full_(options.optimizer == kFullOnline) {}
  FittedFamily run();

  static void saved(auto& self, auto&& field) {
    field(self.q_.mean);
    field(self.q_.root.values);
    field(self.first_);
    field(self.num_batches_);
    field(self.num_evaluations_);
    field(self.course_);
  }

 private:
  void see(BatchLikelihood& batch, Index first);
  void go_round(const MomentsInUnits& at, InUnits& q, Index first) const;

  const density::Model& model_;
  const BoundOptions& own_;
  bool is_full_;
  OnlineMember q_;
  Index first_ = 0;  // row of the next batch
  Index num_batches_ = 0, num_evaluations_ = 0;
  std::vector<BoundRow> course_;
};

// One round. Several rounds are damped by (1 + Aᵀ E[∇²ℓ] A)⁻¹, which has the same fixed point, and goes there where the batch says more
// than the prior. A single one would overshoot then.
void OnlineClimb::go_round(const MomentsInUnits& at, InUnits& q, Index first) const {
  constexpr double kMost = 2.0;  // beyond it each round is farther off
  const numerics::SymmetricEigen eigen(at.information);
  const double most = eigen.values.back();
  if (own_.fixed_points == 1 && own_.learning_rate * most > kMost)
    throw Error(ErrorCode::evaluation,
                fmt::format("the rows from {} on say {:.3g} times as much as the prior in one "
                            "direction, so that a step to their fixed point overshoots",
                            first + 1, most),
                "normal", "add --fixed-points 20, which are damped, or take a smaller --batch");
  std::vector<double> move = q.place;
  for (std::size_t d = 0; d < move.size(); ++d)
    move[d] = -own_.learning_rate * at.slope[d] - q.place[d];
  if (own_.fixed_points > 1) {
    const numerics::DenseMatrix damping =
        eigen.function([](double value) { return 1.0 / (1.0 + std::max(0.0, value)); });
    move = (damping * numerics::DenseMatrix(ssize(move), 1, move)).values;
  }
  add(q.place, 1.0, move);
  solve_spread(at.bend, q);
}

// The posterior before the batch is its prior; the bound is by the same draws, at the parameters after it.
void OnlineClimb::see(BatchLikelihood& batch, Index first) {
  const OnlinePrior prior{q_.mean, q_.root};
  const Index dimension = ssize(q_.mean);
  const std::uint64_t seed = own_.seed + static_cast<std::uint64_t>(num_batches_);
  const std::vector<double> noise = online_draws(own_.step_draws, dimension, seed);
  InUnits q = begin_at_prior(dimension);
  for (Index round = 0; round < own_.fixed_points; ++round) {
    go_round(in_units(prior, batch.moments(q_, noise, first), q, is_full_), q, first);
    q_ = placed(prior, q);
  }
  const OnlineMoments after = batch.moments(q_, noise, first);
  ++num_batches_;
  num_evaluations_ += (own_.fixed_points + 1) * ssize(noise) / dimension;
  course_.push_back({.bound = after.log_likelihood - divergence_of(q_, prior),
                     .step = own_.learning_rate,
                     .gradient = largest(after.slope),
                     .num_evaluations = num_evaluations_});
}

FittedFamily OnlineClimb::run() {
  const NormalBelief belief = normal_prior(model_, "the pass over the rows", own_.seed);
  q_ = {belief.mean, root_of_belief(belief, is_full_)};
  const Index num_rows = model_.num_rows(), size = own_.batch == 0 ? num_rows : own_.batch;
  const Index num_draws = 2 * ((own_.step_draws + 1) / 2);
  std::optional<BatchLikelihood> batch;
  FitStage stage;
  stage.resume(*this);
  while (first_ < num_rows) {
    stop_if_asked();
    const Index own_size = std::min(size, num_rows - first_);  // the last batch may be smaller
    if (!batch || batch->size() != own_size) batch.emplace(model_, own_size, num_draws);
    see(*batch, first_);
    first_ += size;
    stage.look(*this);
  }
  stage.end(*this);
  const numerics::DenseMatrix square = q_.root * numerics::transposed(q_.root);
  FamilySetup setup{.mean = q_.mean, .covariance = square.values};
  if (!is_full_)
    for (std::size_t d = 0; d < setup.mean.size(); ++d)
      setup.covariance[d] = square.values[d * (setup.mean.size() + 1)];
  if (!is_full_) setup.covariance.resize(setup.mean.size());
  ClimbResult climb{.objective = course_.empty() ? -kInfinity : course_.back().bound,
                    .converged = true,
                    .num_evaluations = num_evaluations_,
                    .course = std::move(course_)};
  return {std::move(climb), is_full_ ? make_full_normal(setup) : make_diagonal_normal(setup)};
}
}  // namespace

bool is_online(std::string_view optimizer) {
  return optimizer == kFullOnline || optimizer == kDiagonalOnline;
}

FittedFamily climb_online(const density::LogDensity& density, const BoundOptions& options) {
  const density::Model* model = density.as_model();
  if (model == nullptr)
    throw Error(ErrorCode::usage, "the pass needs the rows of a likelihood", "optimizer",
                "leave --optimizer out");
  const std::vector<double> origin(static_cast<std::size_t>(density.dimension()), 0.0);
  const density::Query query{.terms = density::Terms::likelihood, .batch = 1};
  if (const density::Capability can = model->can(query, origin); !can.can)
    throw Error(ErrorCode::usage, "the likelihood has no batches of rows: " + can.reason,
                "optimizer", can.hint);
  return OnlineClimb(*model, options).run();
}

}  // namespace credo::infer
