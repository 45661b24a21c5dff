// Staging [tuckerman1993]: between anchors at steps a and b, with u = s q,
//
//   q_{a+k} = (k q_{a+k+1} + q_a) / (k + 1) + sqrt(Δt k / (k + 1)) z_k,   k = b - a - 1 … 1
//   Σ (q_{i+1} - q_i)² / (2 Δt) = (q_b - q_a)² / (2 (b - a) Δt) + ½ Σ z_k²
//
// so that the map from (u_a, u_b, z) to the path is linear with log Jacobian Σ log(s sd_k), and the
// adjoint runs through the steps the other way. Observed anchors keep η, their distance from the
// observation in units of its error, not q: observations determine the path there, while s and
// w are determined by bridges and distances, which in these units don't move with them [roberts2001b].
#include "models/paths/path_posterior.hpp"

#include "base/error.hpp"
#include "density/function_density.hpp"
#include "numerics/elementary.hpp"

namespace credo::models {

struct PathPosterior::Workspace {
  explicit Workspace(const PathPosterior& posterior)
      : parameters(static_cast<std::size_t>(posterior.num_parameters_)),
        by_parameters(parameters.size()),
        by_log_noise(parameters.size()),
        by_log_error(parameters.size()),
        path(posterior.places_.size()),
        deviates(path.size()),
        by_path(path.size()),
        unused(static_cast<std::size_t>(posterior.dimension())) {}
  std::vector<double> parameters, by_parameters, by_log_noise, by_log_error, path, deviates,
      by_path, unused;
};

double PathPosterior::evaluate(std::span<const double> position, std::span<double> gradient,
                               Workspace& work) const {
  const std::size_t p = work.parameters.size();
  double log_jacobian = 0.0;
  for (std::size_t j = 0; j < p; ++j) {
    work.parameters[j] = numerics::exp(position[j]);
    log_jacobian += position[j];
  }
  for (std::size_t i = 0; i < places_.size(); ++i) work.path[places_[i]] = position[p + i];
  work.deviates = work.path;  // η at observed steps, z at stages
  const double noise = model_->noise_scale(work.parameters, work.by_log_noise);
  const double error = model_->observation_scale(work.parameters, work.by_log_error);
  place(error, work.path);
  unstage(noise, work.path);
  const double log_joint =
      model_->log_joint(work.parameters, work.path, work.by_parameters, work.by_path);
  log_jacobian +=
      log_factors_ + num_stages_ * numerics::log(noise) + num_placed_ * numerics::log(error);
  const double by_noise = num_stages_ + pull_back(noise, work.deviates, work.by_path);
  const double by_error = num_placed_ + pull_back_anchors(error, work.deviates, work.by_path);
  for (std::size_t j = 0; j < p; ++j)
    gradient[j] =
        1.0 + work.parameters[j] * (work.by_parameters[j] + by_noise * work.by_log_noise[j] +
                                    by_error * work.by_log_error[j]);
  for (std::size_t i = 0; i < places_.size(); ++i) gradient[p + i] = work.by_path[places_[i]];
  return log_joint + log_jacobian;
}

// In place: η at observed steps becomes u.
void PathPosterior::place(double scale, std::span<double> path) const {
  if (coordinates_ == PathCoordinates::plain) return;
  for (const ObservedStep& observed : model_->observed()) {
    double& u = path[static_cast<std::size_t>(observed.step)];
    u = observed.centre + observed.factor * scale * u;
  }
}

// In place: derivatives by u at observed steps become those by η. Returns that by log w.
double PathPosterior::pull_back_anchors(double scale, std::span<const double> deviates,
                                        std::span<double> by_path) const {
  if (coordinates_ == PathCoordinates::plain) return 0.0;
  double by_log_scale = 0.0;
  for (const ObservedStep& observed : model_->observed()) {
    const auto step = static_cast<std::size_t>(observed.step);
    by_path[step] *= observed.factor * scale;
    by_log_scale += by_path[step] * deviates[step];
  }
  return by_log_scale;
}

// In place: z where there are stages becomes u.
void PathPosterior::unstage(double scale, std::span<double> path) const {
  for (std::size_t i = 0; i + 1 < anchors_.size(); ++i) {
    const std::size_t a = anchors_[i], length = anchors_[i + 1] - a;
    for (std::size_t k = length; --k > 0;) {
      const Stage& stage = stages_[k];
      path[a + k] =
          stage.next * path[a + k + 1] + stage.from * path[a] + scale * stage.sd * path[a + k];
    }
  }
}

// In place: derivatives by u become those by z and by the anchors' u. Returns that by log s.
double PathPosterior::pull_back(double scale, std::span<const double> deviates,
                                std::span<double> by_path) const {
  double by_log_scale = 0.0;
  for (std::size_t i = 0; i + 1 < anchors_.size(); ++i) {
    const std::size_t a = anchors_[i], length = anchors_[i + 1] - a;
    for (std::size_t k = 1; k < length; ++k) {
      const Stage& stage = stages_[k];
      const double by_u = by_path[a + k];
      by_path[a + k + 1] += stage.next * by_u;
      by_path[a] += stage.from * by_u;
      by_path[a + k] = scale * stage.sd * by_u;
      by_log_scale += by_path[a + k] * deviates[a + k];
    }
  }
  return by_log_scale;
}

// ---- as a log density ----

class PathPosterior::OneByOne final : public density::Evaluator {
 public:
  explicit OneByOne(const PathPosterior& posterior) : posterior_(posterior), work_(posterior) {}
  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch) {
      const std::span<double> gradient =
          want == density::Want::gradient ? request->gradient : std::span<double>(work_.unused);
      density::judge(posterior_.evaluate(request->position, gradient, work_), *request);
    }
  }

 private:
  const PathPosterior& posterior_;
  Workspace work_;
};

std::unique_ptr<density::Evaluator> PathPosterior::make_evaluator() const {
  return std::make_unique<OneByOne>(*this);
}

std::string PathPosterior::describe(const density::Status& status) const {
  return density::describe_function_status(status);
}

PathPosterior::PathPosterior(std::shared_ptr<const PathModel> model, PathCoordinates coordinates)
    : model_(std::move(model)),
      coordinates_(coordinates),
      num_parameters_(model_->num_parameters()) {
  const auto n = static_cast<std::size_t>(model_->num_steps());
  std::vector<bool> is_anchor(n + 1, coordinates == PathCoordinates::plain);
  is_anchor[0] = is_anchor[n] = true;
  for (const ObservedStep& observed : model_->observed())
    is_anchor[static_cast<std::size_t>(observed.step)] = true;
  for (std::size_t i = 0; i <= n; ++i) {
    if (is_anchor[i]) anchors_.push_back(i);
    places_.push_back(i);
  }
  std::stable_partition(places_.begin(), places_.end(),
                        [&](std::size_t i) { return is_anchor[i]; });
  for (std::size_t k = 0; k <= n; ++k) {
    const double steps = static_cast<double>(k);
    stages_.push_back({.sd = std::sqrt(model_->time_step() * steps / (steps + 1.0)),
                       .next = steps / (steps + 1.0),
                       .from = 1.0 / (steps + 1.0)});
  }
  for (std::size_t i = 0; i + 1 < anchors_.size(); ++i)
    for (std::size_t k = 1; k < anchors_[i + 1] - anchors_[i]; ++k)
      log_factors_ += numerics::log(stages_[k].sd);
  num_stages_ = static_cast<double>(places_.size() - anchors_.size());
  if (coordinates == PathCoordinates::plain) return;
  for (const ObservedStep& observed : model_->observed())
    log_factors_ += numerics::log(observed.factor);
  num_placed_ = static_cast<double>(model_->observed().size());
}

// ---- points ----

PathPosterior::Point PathPosterior::at(std::span<const double> position) const {
  const auto p = static_cast<std::size_t>(num_parameters_);
  Point point{.parameters = std::vector<double>(p), .path = std::vector<double>(places_.size())};
  for (std::size_t j = 0; j < p; ++j) point.parameters[j] = numerics::exp(position[j]);
  for (std::size_t i = 0; i < places_.size(); ++i) point.path[places_[i]] = position[p + i];
  std::vector<double> unused(p);
  place(model_->observation_scale(point.parameters, unused), point.path);
  unstage(model_->noise_scale(point.parameters, unused), point.path);
  return point;
}

std::vector<double> PathPosterior::position_of(const Point& point) const {
  const auto p = static_cast<std::size_t>(num_parameters_);
  std::vector<double> unused(p), coordinates = point.path, position;
  const double scale = model_->noise_scale(point.parameters, unused);
  for (std::size_t i = 0; i + 1 < anchors_.size(); ++i) {
    const std::size_t a = anchors_[i], length = anchors_[i + 1] - a;
    for (std::size_t k = 1; k < length; ++k)
      coordinates[a + k] = (point.path[a + k] - stages_[k].next * point.path[a + k + 1] -
                            stages_[k].from * point.path[a]) /
                           (scale * stages_[k].sd);
  }
  const double error = model_->observation_scale(point.parameters, unused);
  for (const ObservedStep& observed : model_->observed()) {
    if (coordinates_ == PathCoordinates::plain) break;
    double& u = coordinates[static_cast<std::size_t>(observed.step)];
    u = (u - observed.centre) / (observed.factor * error);
  }
  for (const double value : point.parameters) position.push_back(numerics::log(value));
  for (const std::size_t place : places_) position.push_back(coordinates[place]);
  return position;
}

std::vector<double> PathPosterior::initial_point(const std::vector<double>& parameters,
                                                 std::span<const double> observed_u,
                                                 std::uint64_t seed, std::uint32_t chain) const {
  const std::span<const ObservedStep> observed = model_->observed();
  if (ssize(parameters) != num_parameters_ || observed_u.size() != observed.size() ||
      observed.empty())
    throw Error(ErrorCode::usage,
                "an initial point of " + std::to_string(num_parameters_) + " parameters and " +
                    std::to_string(observed.size()) + " observed steps was given " +
                    std::to_string(parameters.size()) + " and " +
                    std::to_string(observed_u.size()) + " values",
                "initial_point", "give one value for each, and observe at least one step");
  Point point{.parameters = parameters, .path = std::vector<double>(places_.size())};
  Rng rng({.seed = seed, .purpose = purpose::kInitialPoint, .chain = chain});
  std::vector<double> unused(parameters.size());
  const double scale = std::sqrt(model_->time_step()) * model_->noise_scale(parameters, unused);
  std::size_t from = 0;
  double level = observed_u[0];
  for (std::size_t k = 0; k <= observed.size(); ++k) {
    const bool is_end = k == observed.size();
    const std::size_t to = is_end ? places_.size() - 1 : static_cast<std::size_t>(observed[k].step);
    const double goal = is_end ? level : observed_u[k];
    point.path[from] = level;
    for (std::size_t i = from; i < to; ++i) {  // the rest of the way, and noise that ends at 0
      const double left = static_cast<double>(to - i);
      point.path[i + 1] = point.path[i] + (goal - point.path[i]) / left +
                          scale * std::sqrt((left - 1.0) / left) * rng.normal();
    }
    from = to, level = goal;
  }
  return position_of(point);
}

std::vector<double> PathPosterior::precision() const {
  std::vector<double> values(static_cast<std::size_t>(dimension()), 0.0);
  if (coordinates_ == PathCoordinates::plain) return values;
  const auto path = values.begin() + num_parameters_;
  std::fill(path + ssize(anchors_), values.end(), 1.0);
  for (const ObservedStep& observed : model_->observed()) {
    const auto step = static_cast<std::size_t>(observed.step);
    path[std::lower_bound(anchors_.begin(), anchors_.end(), step) - anchors_.begin()] = 1.0;
  }
  return values;
}

}  // namespace credo::models
