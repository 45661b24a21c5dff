#include "infer/jumps/family.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::infer::rj {
namespace {
constexpr std::int32_t kNoModel = 1;  // the family's own status; a model's source s of model m is
                                      // 1 + s * num_models + m

// Sorts a batch by model and hands each its own coordinates.
class FamilyEvaluator final : public density::Evaluator {
 public:
  explicit FamilyEvaluator(const Family& family) : family_(family) {
    for (Index m = 0; m < family.num_models(); ++m)
      evaluators_.push_back(family.model(m).density->make_evaluator());
  }

  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    inner_.resize(batch.size());
    for (Index m = 0; m < family_.num_models(); ++m) evaluate_model(m, want, batch);
    for (density::Request* request : batch)
      if (model_of(family_, request->position) < 0)
        *request = refused(*request, {.source = kNoModel, .value = request->position[0]});
  }
  void use_threads(Index num_threads) override {
    for (const auto& evaluator : evaluators_) evaluator->use_threads(num_threads);
  }

 private:
  static density::Request refused(density::Request request, density::Status status) {
    request.log_density = -kInfinity;
    request.status = status;
    return request;
  }

  void evaluate_model(Index m, density::Want want, std::span<density::Request* const> batch) {
    waiting_.clear();
    owners_.clear();
    const auto n = static_cast<std::size_t>(family_.dimension_of(m));
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (model_of(family_, batch[i]->position) != m) continue;
      inner_[i] = {.position = batch[i]->position.subspan(1, n), .gradient = {}, .status = {}};
      if (want == density::Want::gradient) inner_[i].gradient = batch[i]->gradient.subspan(1, n);
      waiting_.push_back(&inner_[i]);
      owners_.push_back(batch[i]);
    }
    if (waiting_.empty()) return;
    if (want == density::Want::gradient && !family_.model(m).density->has_gradient())
      throw Error(ErrorCode::usage,
                  fmt::format("model '{}' has no gradient", family_.model(m).name), "family",
                  "choose an update that needs none, e.g. slice or rwm");
    evaluators_[static_cast<std::size_t>(m)]->evaluate(want, waiting_);
    for (std::size_t i = 0; i < owners_.size(); ++i) answer(m, *waiting_[i], *owners_[i]);
  }

  void answer(Index m, const density::Request& inner, density::Request& outer) const {
    outer.log_density = inner.log_density + family_.model(m).log_prior;
    outer.status = inner.status;
    if (!inner.status.ok())
      outer.status.source =
          static_cast<std::int32_t>(1 + inner.status.source * family_.num_models() + m);
    if (outer.gradient.empty()) return;
    outer.gradient[0] = 0.0;
    const auto unused = outer.gradient.subspan(1 + inner.gradient.size());
    std::fill(unused.begin(), unused.end(), 0.0);
  }

  const Family& family_;
  std::vector<std::unique_ptr<density::Evaluator>> evaluators_;
  std::vector<density::Request> inner_;
  std::vector<density::Request*> waiting_, owners_;
};
}  // namespace

Family::Family(std::vector<Model> models) : models_(std::move(models)) {
  if (models_.empty()) throw Error(ErrorCode::usage, "a family needs a model", "family");
  for (const Model& model : models_) {
    if (!model.density || !std::isfinite(model.log_prior))
      throw Error(ErrorCode::usage,
                  fmt::format("model '{}' needs a density and a finite log prior, has {}",
                              model.name, model.log_prior),
                  "family", "leave out a model whose prior is 0");
    dimension_ = std::max(dimension_, 1 + model.density->dimension());
  }
}

std::vector<Index> Family::coordinates_of(Index m) const {
  std::vector<Index> places(static_cast<std::size_t>(dimension_of(m)));
  std::iota(places.begin(), places.end(), Index{1});
  return places;
}

bool Family::has_gradient() const {
  return std::all_of(models_.begin(), models_.end(),
                     [](const Model& model) { return model.density->has_gradient(); });
}

std::unique_ptr<density::Evaluator> Family::make_evaluator() const {
  return std::make_unique<FamilyEvaluator>(*this);
}

std::string Family::describe(const density::Status& status) const {
  if (status.source == kNoModel)
    return fmt::format("{} is not the number of a model; there are {}", status.value, num_models());
  const Index source = (status.source - 1) / num_models(), m = (status.source - 1) % num_models();
  return fmt::format("model '{}': {}", model(m).name,
                     model(m).density->describe({.source = static_cast<std::int32_t>(source),
                                                 .value = status.value,
                                                 .fatal = status.fatal}));
}

}  // namespace credo::infer::rj
