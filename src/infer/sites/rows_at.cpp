#include "infer/sites/rows_at.hpp"

#include "base/error.hpp"

namespace credo::infer {
namespace {
density::Query of_single_rows() { return {.terms = density::Terms::likelihood, .batch = 1}; }

// The value; -infinity for a point that is refused.
double finished_value(const density::LogDensity& density, const density::Request& request) {
  if (request.status.fatal)
    throw Error(ErrorCode::evaluation, density.describe(request.status), "sites");
  return request.status.ok() ? request.log_density : -kInfinity;
}

double single_value(const density::LogDensity& density, density::Evaluator& evaluator,
                    density::Request request, density::Want want) {
  density::Request* batch[] = {&request};
  evaluator.evaluate(want, batch);
  return finished_value(density, request);
}
}  // namespace

RowsAt::RowsAt(const density::Model& posterior)
    : row_(posterior.asking(of_single_rows())), evaluator_(row_->make_evaluator()) {
  num_rows_ = posterior.num_rows() / std::max<Index>(row_->num_rows(), 1);
}

double RowsAt::value(Index row, std::span<const double> x) {
  ++num_evaluations_;
  const auto number = static_cast<double>(row);
  return single_value(*row_, *evaluator_,
                      {.position = x, .gradient = {}, .status = {}, .rows = std::span(&number, 1)},
                      density::Want::value);
}

double RowsAt::gradient(Index row, std::span<const double> x, std::span<double> gradient) {
  ++num_evaluations_;
  const auto number = static_cast<double>(row);
  return single_value(
      *row_, *evaluator_,
      {.position = x, .gradient = gradient, .status = {}, .rows = std::span(&number, 1)},
      density::Want::gradient);
}

void RowsAt::along(Index row, std::span<const double> direction, double square,
                   std::span<const double> s, std::span<double> log_f, std::span<double> slopes) {
  const std::size_t n = direction.size(), count = s.size();
  points_.resize(n * count), gradients_.assign(n * count, 0.0);
  requests_.assign(count, {});
  batch_.clear();
  const auto number = static_cast<double>(row);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < n; ++d) points_[i * n + d] = s[i] * direction[d] / square;
    requests_[i].position = std::span(points_).subspan(i * n, n);
    requests_[i].gradient = std::span(gradients_).subspan(i * n, n);
    requests_[i].rows = std::span(&number, 1);
    batch_.push_back(&requests_[i]);
  }
  evaluator_->evaluate(density::Want::gradient, batch_);
  num_evaluations_ += static_cast<Index>(count);
  for (std::size_t i = 0; i < count; ++i) {
    log_f[i] = finished_value(*row_, requests_[i]);
    slopes[i] = 0.0;
    if (!std::isfinite(log_f[i])) continue;
    for (std::size_t d = 0; d < n; ++d) slopes[i] += gradients_[i * n + d] * direction[d] / square;
  }
}

double SiteRest::evaluate_whole(std::span<const double> x, std::span<double> gradient) {
  ++num_evaluations;
  return single_value(*density, *evaluator, {.position = x, .gradient = gradient, .status = {}},
                      density::Want::gradient);
}

double SiteRest::evaluate(std::span<const double> x, std::span<double> gradient) {
  double value = evaluate_whole(x, gradient);
  row_gradient_.resize(x.size());
  for (const Index row : more_rows) {
    value += rows->gradient(row, x, row_gradient_);
    for (std::size_t d = 0; d < x.size(); ++d) gradient[d] += row_gradient_[d];
  }
  axis_gradient_.resize(x.size());
  for (const std::size_t d : axes) {
    on_axis_ = centre;
    on_axis_[d] = x[d];
    value -= evaluate_whole(on_axis_, axis_gradient_) - value_at_centre;
    gradient[d] -= axis_gradient_[d];
  }
  return value;
}

namespace {
// True for the rows of all terms; else the reason.
density::Capability can_ask_rows(const density::LogDensity& density) {
  const density::Model* model = density.as_model();
  const std::vector<double> origin(static_cast<std::size_t>(density.dimension()), 0.0);
  if (model != nullptr && model->query().terms == density::Terms::all) {
    const density::Capability can = model->can(of_single_rows(), origin);
    if (!can.can || model->num_rows() > 0) return can;
  }
  if (model != nullptr && model->query().terms != density::Terms::all)
    return {.can = false,
            .reason = "only a part of the program's terms is used",
            .hint = "use all terms"};
  return {.can = false,
          .reason = "they aren't known",
          .hint =
              "write the model as a Stan program that states how the data are distributed: y ~ "
              "..."};
}
}  // namespace

SiteRest rest_of(const density::LogDensity& density) {
  SiteRest rest;
  rest.density = &density;
  rest.can_ask_rows = can_ask_rows(density);
  if (rest.can_ask_rows.can) {
    const density::Model& model = *density.as_model();
    rest.own = density.prior();
    if (rest.own == nullptr) rest.own = model.asking({.terms = density::Terms::prior});
    rest.density = rest.own.get();
    rest.rows = std::make_shared<RowsAt>(model);
  }
  rest.evaluator = rest.density->make_evaluator();
  return rest;
}

}  // namespace credo::infer
