// Implicit approximations [mescheder2017]: draws x = μ + R y of a generator y = ε + f(ε), ε ~ N(0, I), whose density nobody knows. A classifier T
// between its draws and those of a normal distribution r with their moments estimates log q(y) - log r(y), so that
//
//   E[log p(x) - T(y) - log r(y)] + log |R|
//
// stands for the evidence bound. Rounds: the classifier learns from new draws, then the generator climbs with T and r held fixed (their own
// slopes have mean 0 where T is the ratio). μ and R are those of the best normal distribution. Draws have no weights.
#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "credo/optimiser.hpp"
#include "infer/core/chain.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/vectors.hpp"
#include "infer/optimise/mode.hpp"
#include "infer/variational/approximation.hpp"
#include "infer/variational/climbs/bound_figures.hpp"
#include "infer/variational/climbs/local_rows.hpp"
#include "infer/variational/families/row_network.hpp"
#include "infer/variational/implicit_options.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kGeneratorNoise = stream("variational.generator"),
                        kContrastNoise = stream("variational.contrast");
constexpr Index kMostImplicit = 50;  // values

FeatureTable noise_table(Index num_rows, Index width, Rng& rng) {
  FeatureTable table{.num_rows = num_rows, .num_features = width};
  table.values.resize(static_cast<std::size_t>(num_rows * width));
  for (double& v : table.values) v = rng.normal();
  return table;
}

// y = ε + f(ε) for each row of noise.
class Generator {
 public:
  Generator(Index dimension, Index num_hidden, std::uint64_t seed)
      : network_(dimension, num_hidden, dimension),
        parameters_(static_cast<std::size_t>(network_.num_parameters())) {
    network_.start(seed, parameters_);
  }
  FeatureTable run(const FeatureTable& noise) {
    network_.run(parameters_, noise);
    FeatureTable y = noise;
    for (Index n = 0; n < noise.num_rows; ++n)
      add(std::span(y.values).subspan(static_cast<std::size_t>(n * noise.num_features),
                                      static_cast<std::size_t>(noise.num_features)),
          1.0, network_.outputs(n));
    return y;
  }
  void pull_back(const FeatureTable& noise, Index n, std::span<const double> v,
                 std::span<double> into) const {
    network_.pull_back(noise, n, v, into);
  }
  std::vector<double>& parameters() { return parameters_; }
  static void saved(auto& self, auto&& field) { field(self.parameters_); }

 private:
  RowNetwork network_;
  std::vector<double> parameters_;
};

// Features that T reads of the standardised z = (y - m) / s: z and its squares.
FeatureTable features_of_classifier(const FeatureTable& y, const FeatureScale& scale) {
  FeatureTable table{.num_rows = y.num_rows, .num_features = 2 * y.num_features};
  for (Index n = 0; n < y.num_rows; ++n) {
    for (std::size_t d = 0; d < scale.mean.size(); ++d)
      table.values.push_back((y.row(n)[d] - scale.mean[d]) / scale.sd[d]);
    for (std::size_t d = 0; d < scale.mean.size(); ++d) {
      const double z = (y.row(n)[d] - scale.mean[d]) / scale.sd[d];
      table.values.push_back(z * z);
    }
  }
  return table;
}

// log likelihood of a classifier of rows by halves: the first are the generator's, the others the contrast's. A log density of its
// parameters, with a weak normal prior, so that it ends.
class ClassifierDensity final : public density::LogDensity {
 public:
  ClassifierDensity(const RowNetwork& network, const FeatureTable& rows)
      : network_(network), rows_(rows) {}
  Index dimension() const override { return network_.num_parameters(); }
  bool has_gradient() const override { return true; }
  std::string describe(const density::Status&) const override { return {}; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Evaluating>(network_, rows_);
  }

 private:
  class Evaluating final : public density::Evaluator {
   public:
    Evaluating(const RowNetwork& network, const FeatureTable& rows)
        : network_(network), rows_(rows) {}
    void evaluate(density::Want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) answer(*request);
    }

   private:
    void answer(density::Request& request) {
      constexpr double kDecay = 1e-4;
      network_.run(request.position, rows_);
      request.status = {};
      request.log_density = 0.0;
      for (std::size_t k = 0; k < request.position.size(); ++k) {
        request.log_density -= 0.5 * kDecay * request.position[k] * request.position[k];
        if (!request.gradient.empty()) request.gradient[k] = -kDecay * request.position[k];
      }
      const double share = 1.0 / static_cast<double>(rows_.num_rows);
      for (Index n = 0; n < rows_.num_rows; ++n) {
        const double sign = 2 * n < rows_.num_rows ? 1.0 : -1.0,
                     margin = sign * network_.outputs(n)[0];
        request.log_density -= share * (margin > 0.0 ? std::log1p(std::exp(-margin))
                                                     : std::log1p(std::exp(margin)) - margin);
        const std::array<double, 1> slope{share * sign / (1.0 + std::exp(margin))};
        if (!request.gradient.empty()) network_.pull_back(rows_, n, slope, request.gradient);
      }
    }
    RowNetwork network_;
    const FeatureTable& rows_;
  };
  const RowNetwork& network_;
  const FeatureTable& rows_;
};

// log q(y) as a normal distribution r with the draws' means and variances, and the classifier's ratio.
class RatioEstimate {
 public:
  RatioEstimate(Index dimension, Index num_hidden, std::uint64_t seed)
      : network_(2 * dimension, num_hidden, 1),
        parameters_(static_cast<std::size_t>(network_.num_parameters())) {
    network_.start(seed, parameters_);
  }

  void learn(const FeatureTable& y, Rng& rng) {
    constexpr Index kIterations = 25;
    scale_ = scale_of(y);
    FeatureTable both = y;
    both.num_rows *= 2;
    for (Index n = 0; n < y.num_rows; ++n)
      for (std::size_t d = 0; d < scale_.mean.size(); ++d)
        both.values.push_back(scale_.mean[d] + scale_.sd[d] * rng.normal());
    const FeatureTable rows = features_of_classifier(both, scale_);
    const ClassifierDensity density(network_, rows);
    parameters_ =
        find_mode(density, {.max_iterations = kIterations, .tolerance = 1e-4, .start = parameters_})
            .position;
  }

  // log r + T of each row, and its slopes by y.
  void evaluate(const FeatureTable& y, std::vector<double>& values, FeatureTable& slopes) {
    const FeatureTable rows = features_of_classifier(y, scale_);
    network_.run(parameters_, rows);
    values.assign(static_cast<std::size_t>(y.num_rows), 0.0);
    slopes = y;
    for (Index n = 0; n < y.num_rows; ++n)
      add_row(rows, n, values[static_cast<std::size_t>(n)], slopes);
  }
  static void saved(auto& self, auto&& field) {
    field(self.parameters_);
    field(self.scale_.mean);
    field(self.scale_.sd);
  }

 private:
  void add_row(const FeatureTable& rows, Index n, double& value, FeatureTable& slopes) const {
    const std::size_t width = scale_.mean.size();
    std::vector<double> of_features(2 * width);
    network_.slope_of_features(n, of_features);
    value = network_.outputs(n)[0];
    for (std::size_t d = 0; d < width; ++d) {
      const double z = rows.row(n)[d];
      value -= 0.5 * z * z + numerics::log(scale_.sd[d]) + kNormalConstant;
      slopes.values[static_cast<std::size_t>(n) * width + d] =
          (of_features[d] + 2.0 * z * of_features[width + d] - z) / scale_.sd[d];
    }
  }
  RowNetwork network_;
  std::vector<double> parameters_;
  FeatureScale scale_;
};

// The fit: the generator, the ratio, and the map to x.
struct ImplicitFit {
  std::vector<double> mean;
  Metric root;  // covariance of the best normal distribution
  double log_root = 0.0;
  Generator generator;
  RatioEstimate ratio;

  void place(std::span<const double> y, std::span<double> x) const {
    root.shape_move(y, x);
    add(x, 1.0, mean);
  }
};

class ImplicitDraws final : public Approximation {
 public:
  explicit ImplicitDraws(const ImplicitFit& fit) : fit_(fit) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<ImplicitDraws>(*this);
  }
  // The classifier's estimate of log q.
  double draw(Rng& rng, std::span<double> x) override {
    const FeatureTable y = fit_.generator.run(noise_table(1, ssize(x), rng));
    fit_.ratio.evaluate(y, values_, slopes_);
    fit_.place(y.row(0), x);
    return values_[0] - fit_.log_root;
  }

 private:
  ImplicitFit fit_;
  std::vector<double> values_;
  FeatureTable slopes_;
};

class ImplicitClimb {
 public:
  ImplicitClimb(const density::LogDensity& density, const ImplicitDrawOptions& own, std::uint64_t seed,
                ImplicitFit& fit)
      : own_(own),
        seed_(seed),
        fit_(fit),
        evaluator_(density.make_evaluator()),
        optimiser_(numerics::optimiser_step("adam"), ssize(fit.generator.parameters()),
                   std::vector<double>{0.9, 0.999, 1e-3}) {}

  std::vector<BoundRow> run() {
    FitStage stage;
    stage.resume(*this);
    while (ssize(course_) < own_.rounds) {
      stop_if_asked();
      const Index round = ssize(course_);
      learn_ratio(static_cast<std::uint32_t>(round));
      double sum = 0.0;
      rate_ = own_.step / std::sqrt(1.0 + static_cast<double>(round) / 10.0);
      for (Index t = 0; t < own_.round_steps; ++t) sum += step();
      course_.push_back({sum / static_cast<double>(own_.round_steps), rate_, largest(gradient_),
                         num_steps_ * own_.step_draws});
      stage.look(*this);
    }
    if (!stage.has_ended()) learn_ratio(static_cast<std::uint32_t>(own_.rounds));
    stage.end(*this);
    return course_;
  }
  static void saved(auto& self, auto&& field) {
    field(self.fit_.generator);
    field(self.fit_.ratio);
    field(self.optimiser_);
    field(self.gradient_);
    field(self.num_steps_);
    field(self.course_);
  }
  Index num_evaluations() const { return num_steps_ * own_.step_draws; }

 private:
  Rng rng_of(std::uint32_t purpose, std::uint32_t number) const {
    return Rng({.seed = seed_, .purpose = purpose, .chain = 0, .iteration = number});
  }
  Index dimension() const { return ssize(fit_.mean); }

  void learn_ratio(std::uint32_t round) {
    Rng rng = rng_of(kContrastNoise, round);
    const FeatureTable y = fit_.generator.run(noise_table(own_.classifier_draws, dimension(), rng));
    fit_.ratio.learn(y, rng);
  }

  // One step of the generator; returns the estimate of the bound.
  double step() {
    Rng rng = rng_of(kGeneratorNoise, static_cast<std::uint32_t>(num_steps_++));
    const FeatureTable noise = noise_table(own_.step_draws, dimension(), rng),
                       y = fit_.generator.run(noise);
    std::vector<double> log_q, x(fit_.mean.size()), of_x(x.size()), of_y(x.size());
    FeatureTable slopes;
    fit_.ratio.evaluate(y, log_q, slopes);
    gradient_.assign(fit_.generator.parameters().size(), 0.0);
    double sum = 0.0;
    for (Index n = 0; n < y.num_rows; ++n) {
      fit_.place(y.row(n), x);
      density::Request request{.position = x, .gradient = of_x, .status = {}};
      density::Request* batch[] = {&request};
      evaluator_->evaluate(density::Want::gradient, batch);
      if (!request.status.ok()) continue;
      sum += request.log_density - log_q[static_cast<std::size_t>(n)];
      fit_.root.shape_gradient(of_x, of_y);
      add(of_y, -1.0, slopes.row(n));
      for (double& v : of_y) v /= static_cast<double>(y.num_rows);
      fit_.generator.pull_back(noise, n, of_y, gradient_);
    }
    optimiser_.climb(fit_.generator.parameters(), gradient_, rate_);
    return sum / static_cast<double>(y.num_rows) + fit_.log_root;
  }

  const ImplicitDrawOptions& own_;
  std::uint64_t seed_;
  ImplicitFit& fit_;
  std::unique_ptr<density::Evaluator> evaluator_;
  numerics::Optimiser optimiser_;
  std::vector<double> gradient_;
  double rate_ = 0.0;
  Index num_steps_ = 0;
  std::vector<BoundRow> course_;  // a row a round
};

// A generator that begins at the best normal distribution, and is moved from there by its network.
ImplicitFit first_fit(const density::LogDensity& density, const ImplicitDrawOptions& own,
                      std::uint64_t seed) {
  const BestNormal best = maximise_bound(
      density, {.covariance = CovarianceShape::full, .num_fresh = 100, .seed = seed});
  Metric root(MetricKind::dense, density.dimension());
  const bool is_positive = root.set_inverse(best.family->covariance());
  CREDO_ASSERT(is_positive, "the covariance of a normal family is positive definite");
  const double log_root = is_positive ? log_root_of(root) : kNaN;
  return {.mean = best.family->mean(),
          .root = std::move(root),
          .log_root = log_root,
          .generator = Generator(density.dimension(), own.hidden, seed),
          .ratio = RatioEstimate(density.dimension(), own.hidden, seed + 1)};
}

RunResult run_implicit(const density::LogDensity& density, const SampleOptions& options,
                       DrawSink& sink) {
  const auto own = options_for<ImplicitDrawOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  require_approximable(density, "an implicit approximation", kMostImplicit);
  ImplicitFit fit = first_fit(density, own, options.seed);
  ImplicitClimb climb(density, own, options.seed, fit);
  std::vector<BoundRow> course = climb.run();
  const double estimate = course.back().bound;
  FittedApproximation fitted{
      .distribution = std::make_shared<ImplicitDraws>(fit),
      .figures = {{"mean", fit.mean},
                  {"estimated_bound", {estimate}},
                  {"num_fit_evaluations", {static_cast<double>(climb.num_evaluations())}}},
      .warnings = {"the draws have no weights: Monte Carlo errors are those of the "
                   "approximation's own figures, and say nothing of their distance from the "
                   "posterior's"},
      .course = std::move(course),
      .has_course = true,
      .has_weights = false};
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

extern const SamplerSpec kImplicit;
const SamplerSpec kImplicit = approximation_row(
    {.name = "implicit",
     .summary = "draws of a network of noise, whose density a classifier estimates; without "
                "weights",
     .reference = "mescheder2017"},
    [] { return KernelOptions(ImplicitDrawOptions{}); }, run_implicit, bound_groups);

}  // namespace credo::infer
