// Calibrators that are linear in logits: Platt's, temperature, vector and matrix scaling.
#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/elementary.hpp"
#include "score/calibrators.hpp"
#include "score/softmax_fit.hpp"

namespace credo::score {
namespace {

[[noreturn]] void throw_not_determined(const std::string& source) {
  throw Error(ErrorCode::data,
              "no finite parameters are best: classes are told apart without a fault, or logits of "
              "classes depend on each other",
              source,
              "draw the parameters towards no change: --ridge 0.001, or smooth the labels: "
              "--label-smooth 0.01");
}

SoftmaxFit fit_or_throw(const SoftmaxProblem& problem, const std::string& source) {
  SoftmaxFit fit = fit_softmax(problem);
  if (!fit.converged) throw_not_determined(source);
  return fit;
}

// Linear maps of logits: a design for a row, and what parameters are called.
struct LogitDesign {
  Index num_parameters = 0;
  std::function<void(std::span<const double> logits, std::span<double> design)> fill;
  std::vector<double> start;
  std::vector<std::string> names;
};

class LinearCalibrator final : public Calibrator {
 public:
  LinearCalibrator(LogitDesign design, std::vector<double> parameters)
      : design_(std::move(design)), parameters_(std::move(parameters)) {}
  ClassProbabilities distribution(const Predictions& all, Index row) const override {
    const auto p = parameters_.size(), k = static_cast<std::size_t>(all.num_classes());
    std::vector<double> design(k * p), logits(k, 0.0);
    design_.fill(all.logits_of(row), design);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t a = 0; a < p; ++a)  // a logit of -infinity stays one
        if (design[c * p + a] != 0.0) logits[c] += design[c * p + a] * parameters_[a];
    return distribution_of_logits(logits);
  }
  std::vector<CalibratorParameter> parameters() const override {
    std::vector<CalibratorParameter> all;
    for (std::size_t a = 0; a < parameters_.size(); ++a)
      all.push_back({design_.names[a], parameters_[a]});
    return all;
  }

 private:
  LogitDesign design_;
  std::vector<double> parameters_;
};

void require_finite_logits(const Predictions& all, std::span<const Index> rows) {
  if (rows.empty())
    throw Error(ErrorCode::data, "no row has an outcome", all.source,
                "recalibration needs rows whose outcomes are known");
  for (const Index i : rows)
    for (const double x : all.logits_of(i))
      if (!std::isfinite(x))
        throw Error(
            ErrorCode::data,
            fmt::format("row {} has a probability of 0 or 1, whose logit is infinite", i + 1),
            all.source, "give logits, or take histogram or isotonic");
}

std::unique_ptr<Calibrator> fit_linear(const Predictions& all, const CalibratorOptions& options,
                                       LogitDesign design) {
  const std::vector<Index> rows = known_rows(all);
  require_finite_logits(all, rows);
  const std::vector<double> targets = targets_of(all, rows, options.smoothing);
  const auto k = static_cast<std::size_t>(all.num_classes());
  SoftmaxProblem problem{
      .num_rows = ssize(rows),
      .num_classes = all.num_classes(),
      .num_parameters = design.num_parameters,
      .design =
          [&](Index i, std::span<double> out) {
            design.fill(all.logits_of(rows[static_cast<std::size_t>(i)]), out);
          },
      .target =
          [&](Index i) { return std::span(targets).subspan(static_cast<std::size_t>(i) * k, k); },
      .start = design.start,
      .ridge = options.ridge};
  SoftmaxFit fit = fit_or_throw(problem, all.source);
  return std::make_unique<LinearCalibrator>(std::move(design), std::move(fit.parameters));
}

// One parameter 1 / T, reported as T.
class Temperature final : public Calibrator {
 public:
  explicit Temperature(double inverse) : inverse_(inverse) {}
  ClassProbabilities distribution(const Predictions& all, Index row) const override {
    std::vector<double> logits;
    for (const double x : all.logits_of(row)) logits.push_back(inverse_ * x);
    return distribution_of_logits(logits);
  }
  std::vector<CalibratorParameter> parameters() const override {
    return {{"temperature", 1.0 / inverse_}};
  }

 private:
  double inverse_;
};

// softmax(z / T) [guo2017].
std::unique_ptr<Calibrator> fit_temperature(const Predictions& all,
                                            const CalibratorOptions& options) {
  LogitDesign design{
      .num_parameters = 1,
      .fill = [](std::span<const double> logits,
                 std::span<double> out) { std::copy(logits.begin(), logits.end(), out.begin()); },
      .start = {1.0},
      .names = {"inverse temperature"}};
  const double inverse = fit_linear(all, options, std::move(design))->parameters()[0].value;
  if (!(inverse > 0.0))
    throw Error(ErrorCode::data,
                "no temperature above 0 is best: the predictions are no better than guessing",
                all.source, "look whether classes and columns are mixed up");
  return std::make_unique<Temperature>(inverse);
}

// softmax(diag(w) z + b), b of the last class 0.
void fill_vector(std::span<const double> logits, std::span<double> design) {
  const std::size_t k = logits.size(), p = 2 * k - 1;
  std::fill(design.begin(), design.end(), 0.0);
  for (std::size_t c = 0; c < k; ++c) {
    design[c * p + c] = logits[c];
    if (c + 1 < k) design[c * p + k + c] = 1.0;
  }
}
std::unique_ptr<Calibrator> fit_vector(const Predictions& all, const CalibratorOptions& options) {
  const auto k = static_cast<std::size_t>(all.num_classes());
  LogitDesign design{.num_parameters = static_cast<Index>(2 * k - 1),
                     .fill = fill_vector,
                     .start = std::vector<double>(2 * k - 1, 0.0),
                     .names = {}};
  std::fill_n(design.start.begin(), k, 1.0);
  for (const std::string& name : all.classes) design.names.push_back("weight of " + name);
  for (std::size_t c = 0; c + 1 < k; ++c) design.names.push_back("bias of " + all.classes[c]);
  return fit_linear(all, options, std::move(design));
}

// softmax(W z + b): rows of W and b are less those of the last class.
void fill_matrix(std::span<const double> logits, std::span<double> design) {
  const std::size_t k = logits.size(), p = (k - 1) * (k + 1);
  std::fill(design.begin(), design.end(), 0.0);
  for (std::size_t c = 0; c + 1 < k; ++c) {
    const auto own = design.subspan(c * p + c * (k + 1), k + 1);
    std::copy(logits.begin(), logits.end(), own.begin());
    own[k] = 1.0;
  }
}
std::unique_ptr<Calibrator> fit_matrix(const Predictions& all, const CalibratorOptions& options) {
  const auto k = static_cast<std::size_t>(all.num_classes());
  LogitDesign design{.num_parameters = static_cast<Index>((k - 1) * (k + 1)),
                     .fill = fill_matrix,
                     .start = std::vector<double>((k - 1) * (k + 1), 0.0),
                     .names = {}};
  for (std::size_t c = 0; c + 1 < k; ++c) {
    design.start[c * (k + 1) + c] = 1.0, design.start[c * (k + 1) + k - 1] = -1.0;
    for (const std::string& name : all.classes)
      design.names.push_back(fmt::format("weight of {} for {}", name, all.classes[c]));
    design.names.push_back("bias of " + all.classes[c]);
  }
  return fit_linear(all, options, std::move(design));
}

class Platt final : public ClassMap {
 public:
  Platt(double slope, double intercept) : slope_(slope), intercept_(intercept) {}
  double probability(const Chance& chance) const override {
    return numerics::inv_logit(slope_ * chance.logit + intercept_);
  }
  std::vector<CalibratorParameter> parameters() const override {
    return {{"slope", slope_}, {"intercept", intercept_}};
  }

 private:
  double slope_, intercept_;
};

std::unique_ptr<Calibrator> fit_platt_by_class(const Predictions& all,
                                               const CalibratorOptions& options) {
  require_finite_logits(all, known_rows(all));
  return fit_by_class(all, options, fit_platt);
}
}  // namespace

// σ(a z + b).
std::unique_ptr<ClassMap> fit_platt(std::span<const Chance> chances,
                                    std::span<const double> targets,
                                    const CalibratorOptions& options) {
  std::vector<double> pairs;
  for (const double t : targets) pairs.push_back(1.0 - t), pairs.push_back(t);
  SoftmaxProblem problem{
      .num_rows = ssize(chances),
      .num_classes = 2,
      .num_parameters = 2,
      .design =
          [&](Index i, std::span<double> out) {
            out[0] = out[1] = 0.0;
            out[2] = chances[static_cast<std::size_t>(i)].logit, out[3] = 1.0;
          },
      .target =
          [&](Index i) { return std::span(pairs).subspan(static_cast<std::size_t>(2 * i), 2); },
      .start = {1.0, 0.0},
      .ridge = options.ridge};
  const SoftmaxFit fit = fit_or_throw(problem, "platt");
  return std::make_unique<Platt>(fit.parameters[0], fit.parameters[1]);
}

extern const CalibratorRow matrix_calibrator{.name = "matrix",
                                             .words = "softmax(W z + b) of logits z",
                                             .reference = "guo2017",
                                             .fit = fit_matrix};
extern const CalibratorRow platt_calibrator{.name = "platt",
                                            .words = "inv_logit(a z + b) of a logit z",
                                            .by_class = true,
                                            .reference = "platt1999",
                                            .fit = fit_platt_by_class};
extern const CalibratorRow temperature_calibrator{.name = "temperature",
                                                  .words = "softmax(z / T) of logits z",
                                                  .reference = "guo2017",
                                                  .fit = fit_temperature};
extern const CalibratorRow vector_calibrator{
    .name = "vector",
    .words = "softmax(w z + b) of logits z, class by class",
    .reference = "guo2017",
    .fit = fit_vector};

}  // namespace credo::score
