#include "infer/latent/collapsed_density.hpp"

#include <fmt/format.h>

#include "base/stream.hpp"
#include "density/model.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kReferenceTries = stream("latent.reference");
constexpr std::uint32_t kMostReferenceTries = 50;
constexpr Index kMostSensitivities = 60;  // columns of the predictor of inner modes

class CollapsedEvaluator final : public density::Evaluator {
 public:
  explicit CollapsedEvaluator(const LatentModel& model) : inner_(model) {}
  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    for (density::Request* request : batch) answer(want, *request);
  }

 private:
  void answer(density::Want want, density::Request& request) {
    if (want != density::Want::value && want != density::Want::gradient)
      throw Error(ErrorCode::usage,
                  "a density with parameters integrated out has values and gradients only",
                  "marginal", "take lbfgs or nuts");
    request.log_density = -kInfinity;
    request.dropped = 0.0;
    request.status = inner_.find(request.position);
    if (request.status.ok() && want == density::Want::gradient)
      request.status = inner_.gradient(request.gradient);
    if (request.status.ok()) request.log_density = inner_.normal().log_marginal();
  }

  InnerMode inner_;
};
}  // namespace

CollapsedDensity::CollapsedDensity(const density::LogDensity& density, std::string_view names,
                                   std::span<const double> start)
    : model_{.density = density,
             .block = latent_block(density, names),
             .curvature = nullptr,
             .reference = {}} {
  find_reference(start);
}

CollapsedDensity::~CollapsedDensity() = default;

std::vector<double> CollapsedDensity::lifted(std::span<const double> outer) const {
  std::vector<double> all = model_.reference.position;
  put_at(all, model_.block.outer, outer);
  return all;
}

// At the start, else at 0, else at points drawn within (-2, 2).
void CollapsedDensity::find_reference(std::span<const double> start) {
  model_.reference.position.assign(static_cast<std::size_t>(model_.density.dimension()), 0.0);
  std::vector<double> outer(start.begin(), start.end());
  outer.resize(model_.block.outer.size(), 0.0);
  model_.curvature = model_.density.sparse_curvature(model_.block.inner, lifted(outer));
  if (model_.curvature == nullptr)
    throw Error(ErrorCode::usage, "this log density has no second derivatives", "marginal",
                "an inner Laplace approximation needs a program without discrete parameters that "
                "are drawn");
  InnerMode inner(model_);
  density::Status status;
  for (std::uint32_t tries = 0; tries < kMostReferenceTries; ++tries) {
    if (tries > 0) {
      Rng rng({.seed = 1, .purpose = kReferenceTries, .iteration = tries});
      for (double& x : outer) x = rng.uniform(-2.0, 2.0);
    }
    status = inner.find(outer);
    if (!status.ok()) continue;
    std::vector<double> sensitivity;
    if (dimension() <= kMostSensitivities && !inner.sensitivity(sensitivity).ok())
      sensitivity.clear();
    const std::span<const double> position = inner.normal().position();
    model_.reference = {{position.begin(), position.end()}, std::move(sensitivity)};
    return;
  }
  throw Error(ErrorCode::evaluation, "no inner mode was found: " + describe(status), "marginal",
              "credo sample draws all parameters together");
}

std::unique_ptr<density::Evaluator> CollapsedDensity::make_evaluator() const {
  return std::make_unique<CollapsedEvaluator>(model_);
}

std::string CollapsedDensity::inner_name(double row) const {
  const auto place = model_.block.inner[static_cast<std::size_t>(row)];
  return density::bracketed_name(model_.density.as_model()->continuous().element_name(place));
}

std::string CollapsedDensity::describe(const density::Status& status) const {
  if (status.source == kNoInnerMode)
    return "the climb to the mode of the inner parameters didn't converge";
  if (status.source == kInnerNotPeaked)
    return fmt::format(
        "at the mode of the inner parameters the curvature isn't positive, along {}: their "
        "distribution given the others isn't nearly normal there",
        inner_name(status.value));
  return model_.density.describe(status);
}

std::optional<density::Start> CollapsedDensity::draw_start(Rng& rng, double radius) const {
  std::optional<density::Start> start = model_.density.draw_start(rng, radius);
  if (!start) return std::nullopt;
  return density::Start{.position = values_at(start->position, model_.block.outer),
                        .log_density = start->log_density};
}

}  // namespace credo::infer
