#include <numbers>

#include "models/ready/ready_models.hpp"
#include "numerics/log_sum.hpp"

namespace credo::models {
namespace {

// ---- with parameters

// Places (k, i, j) in a state's arrays: the first index varies fastest.
struct MixtureShape {
  Index k, d, n;
  Index size() const { return k * (1 + d + d * d) + n; }
  std::size_t mean(Index c, Index i) const { return static_cast<std::size_t>(k + c + k * i); }
  std::size_t covariance(Index c, Index i, Index j) const {
    return static_cast<std::size_t>(k * (1 + d) + c + k * (i + d * j));
  }
  std::size_t first_label() const { return static_cast<std::size_t>(k * (1 + d + d * d)); }
};

void pack(const MixtureShape& shape, const GaussianMixtureState& from, std::span<double> to) {
  std::copy(from.mixture.weights.begin(), from.mixture.weights.end(), to.begin());
  for (Index c = 0; c < shape.k; ++c) {
    for (Index i = 0; i < shape.d; ++i) {
      to[shape.mean(c, i)] = from.mixture.means[c][i];
      for (Index j = 0; j < shape.d; ++j)
        to[shape.covariance(c, i, j)] = from.mixture.covariances[c](i, j);
    }
  }
  put(from.labels, to.subspan(shape.first_label()));
}

// False where the numbers are no state: labels that aren't there, weights that aren't positive.
bool unpack(const MixtureShape& shape, std::span<const double> from, GaussianMixtureState& to) {
  const auto labels = whole_numbers(from.subspan(shape.first_label()), shape.k);
  if (!labels) return false;
  to.labels = *labels;
  to.mixture.weights.assign(from.begin(), from.begin() + shape.k);
  to.mixture.means.assign(static_cast<std::size_t>(shape.k),
                          std::vector<double>(static_cast<std::size_t>(shape.d)));
  to.mixture.covariances.assign(static_cast<std::size_t>(shape.k), RowMatrix(shape.d));
  for (Index c = 0; c < shape.k; ++c) {
    for (Index i = 0; i < shape.d; ++i) {
      to.mixture.means[c][i] = from[shape.mean(c, i)];
      for (Index j = 0; j < shape.d; ++j)
        to.mixture.covariances[c](i, j) = from[shape.covariance(c, i, j)];
    }
  }
  return std::all_of(to.mixture.weights.begin(), to.mixture.weights.end(),
                     [](double w) { return w > 0.0; });
}

// Rows are the points; their labels are summed out, and drawn anew for new points.
class MixtureData final : public StateData {
 public:
  MixtureData(const MixtureShape& shape, std::vector<double> points)
      : shape_(shape),
        points_{.variable = {.name = "points", .dims = {shape.n}}, .values = std::move(points)} {
    if (shape.d > 1) points_.variable.dims = {shape.d, shape.n};
  }

  const density::ObservedVariable& observed() const override { return points_; }
  Index num_rows() const override { return shape_.n; }
  void log_likelihoods(std::span<const double> state, std::span<double> rows) const override {
    GaussianMixtureState own;
    if (!unpack(shape_, state, own)) {
      std::ranges::fill(rows, -kInfinity);
      return;
    }
    const auto d = static_cast<std::size_t>(shape_.d);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = numerics::log_sum_exp(
          log_label_weights(own.mixture, std::span(points_.values).subspan(i * d, d)));
  }
  std::vector<double> draw(std::span<const double> state, Rng& rng) const override {
    GaussianMixtureState own;
    unpack(shape_, state, own);
    infer::RngChooser chooser(rng);
    for (Index& label : own.labels) label = chooser.choose(own.mixture.weights);
    return draw_points(own, rng);
  }

 private:
  MixtureShape shape_;
  density::ObservedVariable points_;
};

class MixtureModel final : public OwnKernelModel {
 public:
  MixtureModel(const MixtureShape& shape, std::vector<double> points,
               const GaussianMixturePrior& prior)
      : OwnKernelModel("gaussian_mixture",
                       {{.name = "weights", .dims = {shape.k}},
                        {.name = "means", .dims = {shape.k, shape.d}},
                        {.name = "covariances", .dims = {shape.k, shape.d, shape.d}},
                        {.name = "labels", .dims = {shape.n}, .kind = density::Kind::whole}},
                       {{.name = "log_complete"}}, std::make_shared<MixtureData>(shape, points)),
        shape_(shape),
        prior_(prior),
        gibbs_(std::move(points), prior) {}

  std::vector<double> draw_state(Rng& rng) const override {
    std::vector<double> state(static_cast<std::size_t>(shape_.size()));
    pack(shape_, draw_prior(prior_, shape_.n, rng), state);
    return state;
  }
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    GaussianMixtureState own;
    row.push_back(unpack(shape_, state, own) ? gibbs_.log_complete(own) : kNaN);
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(*this); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const MixtureModel& model) : model_(model) {}
    double log_density(std::span<const double> state) override {
      if (!unpack(model_.shape_, state, own_)) return -kInfinity;
      return log_prior(model_.prior_, own_.mixture) + model_.gibbs_.log_complete(own_);
    }
    void move(std::span<double> state, Rng& rng) override {
      unpack(model_.shape_, state, own_);
      model_.gibbs_.step(own_, rng);
      pack(model_.shape_, own_, state);
    }

   private:
    const MixtureModel& model_;
    GaussianMixtureState own_;
  };

  MixtureShape shape_;
  GaussianMixturePrior prior_;
  GaussianMixtureGibbs gibbs_;
};

// ---- with known parameters

class KnownMixtureModel final : public OwnKernelModel {
 public:
  explicit KnownMixtureModel(GaussianMixture mixture)
      : OwnKernelModel("known_mixture", {{.name = "x", .dims = {mixture.dimension()}},
                                         {.name = "label", .kind = density::Kind::whole}}),
        mixture_(std::move(mixture)) {}

  // An exact draw.
  std::vector<double> draw_state(Rng& rng) const override {
    infer::RngChooser chooser(rng);
    const Index label = chooser.choose(mixture_.weights);
    std::vector<double> state =
        draw_gaussian(mixture_.means[static_cast<std::size_t>(label)],
                      mixture_.covariances[static_cast<std::size_t>(label)], rng);
    state.push_back(static_cast<double>(label));
    return state;
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(mixture_); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const GaussianMixture& mixture) : mixture_(mixture) {}
    double log_density(std::span<const double> state) override {
      const auto label = whole_numbers(state.last(1), mixture_.num_components());
      if (!label) return -kInfinity;
      const auto x = state.first(state.size() - 1);
      return log_label_weights(mixture_, x)[static_cast<std::size_t>((*label)[0])];
    }
    void move(std::span<double> state, Rng& rng) override {
      LabelledPoint at{.x = {state.begin(), state.end() - 1},
                       .label = static_cast<Index>(state.back())};
      step_known(mixture_, at, rng);
      std::copy(at.x.begin(), at.x.end(), state.begin());
      state.back() = static_cast<double>(at.label);
    }

   private:
    const GaussianMixture& mixture_;
  };

  GaussianMixture mixture_;
};

// ---- without parameters

class CollapsedModel final : public OwnKernelModel {
 public:
  CollapsedModel(Index num_points, std::vector<double> points, const NormalInverseWishart& prior,
                 const PartitionPrior& partition)
      : OwnKernelModel("collapsed_mixture",
                       {{.name = "labels", .dims = {num_points}, .kind = density::Kind::whole}},
                       {{.name = "num_clusters", .kind = density::Kind::whole}}),
        num_points_(num_points),
        points_(std::move(points)),
        prior_(prior),
        partition_(partition) {
    CollapsedGaussianMixture(points_, prior_, partition_);  // checks
  }

  std::vector<double> draw_state(Rng& rng) const override {
    CollapsedGaussianMixture mixture(points_, prior_, partition_);
    infer::RngChooser chooser(rng);
    std::vector<double> state(static_cast<std::size_t>(num_points_));
    put(mixture.sequential_start(chooser), state);
    return state;
  }
  void derive(std::span<const double> state, std::vector<double>& row) const override {
    std::vector<double> labels(state.begin(), state.end());
    std::sort(labels.begin(), labels.end());
    row.push_back(static_cast<double>(std::unique(labels.begin(), labels.end()) - labels.begin()));
  }
  std::unique_ptr<Worker> make_worker() const override {
    return std::make_unique<LabelWorker<CollapsedGaussianMixture>>(
        partition_.is_finite() ? partition_.num_components() : num_points_, points_, prior_,
        partition_);
  }

 private:
  Index num_points_;
  std::vector<double> points_;
  NormalInverseWishart prior_;
  PartitionPrior partition_;
};

// ---- one normal

class NormalData final : public StateData {
 public:
  explicit NormalData(const std::vector<double>& data)
      : y_{.variable = {.name = "y", .dims = {ssize(data)}}, .values = data} {}

  const density::ObservedVariable& observed() const override { return y_; }
  Index num_rows() const override { return ssize(y_.values); }
  void log_likelihoods(std::span<const double> state, std::span<double> rows) const override {
    const double mean = state[0], precision = state[1];
    const double log_scale = 0.5 * std::log(0.5 * precision * std::numbers::inv_pi);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double off = y_.values[i] - mean;
      rows[i] = log_scale - 0.5 * precision * off * off;
    }
  }
  std::vector<double> draw(std::span<const double> state, Rng& rng) const override {
    std::vector<double> drawn(y_.values.size());
    for (double& y : drawn) y = state[0] + rng.normal() / std::sqrt(state[1]);
    return drawn;
  }

 private:
  density::ObservedVariable y_;
};

class NormalPrecisionModel final : public OwnKernelModel {
 public:
  NormalPrecisionModel(const std::vector<double>& data, const NormalPrecisionPrior& prior)
      : OwnKernelModel("normal_precision", {{.name = "mean"}, {.name = "precision"}}, {},
                       std::make_shared<NormalData>(data)),
        data_(data),
        prior_(prior),
        gibbs_(data, prior) {}

  // The data's mean and precision, each off by about its error.
  std::vector<double> draw_state(Rng& rng) const override {
    const auto n = static_cast<double>(data_.size());
    double mean = 0.0, squares = 0.0;
    for (const double x : data_) mean += x / n;
    for (const double x : data_) squares += (x - mean) * (x - mean);
    const double variance = squares > 0.0 ? squares / n : 1.0;
    mean += std::sqrt(variance / n) * rng.normal();
    return {mean, std::exp(std::sqrt(2.0 / n) * rng.normal()) / variance};
  }
  std::unique_ptr<Worker> make_worker() const override { return std::make_unique<Own>(*this); }

 private:
  class Own final : public Worker {
   public:
    explicit Own(const NormalPrecisionModel& model) : model_(model) {}
    double log_density(std::span<const double> state) override {
      const double mean = state[0], precision = state[1];
      if (!(precision > 0.0)) return -kInfinity;
      const NormalPrecisionPrior& prior = model_.prior_;
      double squares = 0.0;
      for (const double x : model_.data_) squares += (x - mean) * (x - mean);
      const auto n = static_cast<double>(model_.data_.size());
      return (0.5 * n + prior.shape - 1.0) * std::log(precision) -
             precision * (0.5 * squares + prior.rate) -
             0.5 * prior.mean_precision * (mean - prior.mean) * (mean - prior.mean);
    }
    void move(std::span<double> state, Rng& rng) override {
      NormalPrecisionState own{state[0], state[1]};
      model_.gibbs_.step(own, rng);
      state[0] = own.mean, state[1] = own.precision;
    }

   private:
    const NormalPrecisionModel& model_;
  };

  std::vector<double> data_;
  NormalPrecisionPrior prior_;
  NormalPrecisionGibbs gibbs_;
};

Index points_of(std::span<const double> values, Index dimension) {
  if (dimension < 1) throw Error(ErrorCode::data, "a mean of no number", "prior");
  return ssize(values) / dimension;
}
}  // namespace

Ready gaussian_mixture_model(std::vector<double> points, const GaussianMixturePrior& prior) {
  const MixtureShape shape{.k = prior.num_components(),
                           .d = prior.dimension(),
                           .n = points_of(points, prior.dimension())};
  return ready("gibbs", std::make_shared<const MixtureModel>(shape, std::move(points), prior));
}

Ready known_mixture_model(GaussianMixture mixture) {
  return ready("gibbs", std::make_shared<const KnownMixtureModel>(std::move(mixture)));
}

Ready collapsed_mixture_model(std::vector<double> points, const NormalInverseWishart& prior,
                              const PartitionPrior& partition) {
  const Index num_points = points_of(points, prior.dimension());
  return ready("collapsed_gibbs", std::make_shared<const CollapsedModel>(
                                      num_points, std::move(points), prior, partition));
}

Ready normal_precision_model(std::vector<double> data, const NormalPrecisionPrior& prior) {
  return ready("gibbs", std::make_shared<const NormalPrecisionModel>(data, prior));
}

}  // namespace credo::models
