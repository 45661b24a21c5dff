#include "verdict/probe.hpp"

#include "verdict/stream.hpp"

namespace credo::verdict {
namespace {
constexpr double kShareOfRun = 0.1;  // share of the run's evaluations that a verdict may take
constexpr Index kMostEvaluations = 40'000;
constexpr std::size_t kFewestPoints = 8;
constexpr std::int32_t kFaulty = -1'000'000'000;  // the source of no statement

double value_at(density::Evaluator& evaluator, std::span<const double> point);
std::vector<double> free_of(const density::Model& model, std::span<const double> row);
Index evaluations_of_run(const Evidence& evidence);
double spread_of(std::vector<double> values);

// A file may hold its variables in another order than the model.
std::optional<std::size_t> place_in_model(const Evidence& evidence, Index column) {
  const auto own = std::ranges::find_if(evidence.variables, [&](const Variable& variable) {
    return variable.first <= column && column < variable.first + variable.count;
  });
  if (own == evidence.variables.end()) return std::nullopt;
  Index first = 0;
  for (const density::Variable& variable : evidence.model->outputs().variables()) {
    if (variable.block != density::Block::parameters) break;
    if (variable.name == own->name) return static_cast<std::size_t>(first + column - own->first);
    first += variable.size();
  }
  return std::nullopt;
}
}  // namespace

double parameter_at(const Evidence& evidence, std::span<const double> point, Index column) {
  const std::optional<std::size_t> place = place_in_model(evidence, column);
  if (!place) return kNaN;
  Rng rng({.seed = 1, .purpose = kVerdictStream, .chain = 0, .iteration = 0});
  const density::Written parameters{.last = density::Block::parameters, .density_prints = false};
  const density::Model& model = *evidence.model;
  return model.writers().require(model.name()).write(point, rng, nullptr, parameters)[*place];
}

std::unique_ptr<Probe> Probe::make(const Evidence& evidence, std::span<const Index> columns,
                                   std::span<const std::vector<double>> values) {
  if (evidence.model == nullptr || evidence.model->discrete_block().size() > 0 ||
      evidence.model->dimension() == 0)
    return nullptr;
  std::unique_ptr<Probe> probe(new Probe(evidence, columns, values));
  return probe->points_.size() < kFewestPoints ? nullptr : std::move(probe);
}

Probe::Probe(const Evidence& evidence, std::span<const Index> columns,
             std::span<const std::vector<double>> values)
    : evidence_(evidence),
      model_(*evidence.model),
      dimension_(model_.dimension()),
      names_(model_.free_names()),
      evaluator_(model_.make_evaluator()) {
  map_back(columns, values);
  if (points_.empty()) return;
  measure_scales();
  find_reaches();
  budget_ =
      std::min(kMostEvaluations,
               static_cast<Index>(kShareOfRun * static_cast<double>(evaluations_of_run(evidence))));
}

Probe::~Probe() = default;

// A draw on the edge of its range, to rounding, has no unconstrained value and is left out.
void Probe::map_back(std::span<const Index> columns, std::span<const std::vector<double>> values) {
  const auto places = places_of_parameters();
  if (values.empty() || !places) return;
  std::vector<double> outputs(evidence_.draws->outputs().size(), kNaN);
  for (std::size_t m = 0; m < values.front().size(); ++m) {
    for (std::size_t k = 0; k < columns.size(); ++k)
      outputs[static_cast<std::size_t>(columns[k])] = values[k][m];
    std::vector<double> row;
    for (const Index place : *places)
      row.push_back(place < 0 ? 0.0 : outputs[static_cast<std::size_t>(place)]);
    std::vector<double> point = free_of(model_, row);
    if (point.empty()) continue;
    points_.push_back(std::move(point));
    rows_.push_back(std::move(row));
  }
}

// Places of the parameters' numbers, in the model's order, among the outputs. Discrete ones that are summed out are
// skipped (-1); nullopt if a result lacks one of the others.
std::optional<std::vector<Index>> Probe::places_of_parameters() const {
  std::map<std::string_view, const Variable*> sampled;
  for (const Variable& variable : evidence_.variables)
    if (variable.sampled) sampled[variable.name] = &variable;
  std::vector<Index> places;
  for (const density::Variable& wanted : model_.outputs().variables()) {
    if (wanted.block != density::Block::parameters) continue;
    const auto found = sampled.find(wanted.name);
    const bool is_there = found != sampled.end() && found->second->count == wanted.size();
    if (!is_there && wanted.kind != density::Kind::whole && wanted.size() > 0) return std::nullopt;
    for (Index k = 0; k < wanted.size(); ++k)
      places.push_back(is_there ? found->second->first + k : -1);
  }
  return places;
}

std::span<double> Probe::values_in(std::span<double> row, std::string_view name) const {
  std::size_t first = 0;
  for (const density::Variable& variable : model_.outputs().variables()) {
    if (variable.block != density::Block::parameters) continue;
    const auto size = static_cast<std::size_t>(variable.size());
    if (variable.name == name) return row.subspan(first, size);
    first += size;
  }
  return {};
}

void Probe::measure_scales() {
  std::vector<double> values(points_.size());
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension_); ++d) {
    std::transform(points_.begin(), points_.end(), values.begin(),
                   [d](const std::vector<double>& point) { return point[d]; });
    scale_.push_back(spread_of(values));
  }
}

// By the declaration: one bound, a logarithm; none, the value itself.
void Probe::find_reaches() {
  using density::ConstraintKind;
  for (const std::string& name : names_) {
    const auto* variable = evidence_.program == nullptr
                               ? nullptr
                               : evidence_.program->find_parameter(name.substr(0, name.find('.')));
    Reach reach = Reach::bounded;
    if (variable != nullptr && (variable->constraint == ConstraintKind::none ||
                                variable->constraint == ConstraintKind::affine))
      reach = Reach::linear;
    if (variable != nullptr && variable->has_bounds() &&
        !(variable->lower.is_stated && variable->upper.is_stated))
      reach = Reach::exponential;
    reach_.push_back(reach);
  }
}

density::Status Probe::status(std::span<const double> at) const {
  density::Request request{.position = at, .gradient = {}, .status = {}};
  std::array<density::Request*, 1> batch{&request};
  ask(density::Want::value, batch);
  --budget_;
  return request.status;
}

double Probe::log_density(std::span<const double> at) const {
  density::Request request{.position = at, .gradient = {}, .status = {}};
  std::array<density::Request*, 1> batch{&request};
  ask(density::Want::value, batch);
  --budget_;
  return request.status.ok() ? request.log_density : -kInfinity;
}

std::vector<double> Probe::gradient(std::span<const double> at) const {
  std::vector<double> slope(static_cast<std::size_t>(dimension_));
  density::Request request{.position = at, .gradient = slope, .status = {}};
  std::array<density::Request*, 1> batch{&request};
  ask(density::Want::gradient, batch);
  --budget_;
  return request.status.ok() ? slope : std::vector<double>();
}

std::vector<double> Probe::log_densities(std::span<const std::vector<double>> at) const {
  std::vector<density::Request> requests;
  for (const std::vector<double>& point : at)
    requests.push_back({.position = point, .gradient = {}, .status = {}});
  evaluate(density::Want::value, requests);
  std::vector<double> values;
  for (const density::Request& request : requests)
    values.push_back(request.status.ok() ? request.log_density : -kInfinity);
  return values;
}

std::vector<std::vector<double>> Probe::gradients(std::span<const std::vector<double>> at) const {
  std::vector<std::vector<double>> slopes(at.size());
  std::vector<density::Request> requests;
  for (std::size_t k = 0; k < at.size(); ++k) {
    slopes[k].resize(static_cast<std::size_t>(dimension_));
    requests.push_back({.position = at[k], .gradient = slopes[k], .status = {}});
  }
  evaluate(density::Want::gradient, requests);
  for (std::size_t k = 0; k < at.size(); ++k)
    if (!requests[k].status.ok()) slopes[k].clear();
  return slopes;
}

void Probe::evaluate(density::Want want, std::span<density::Request> requests) const {
  std::vector<density::Request*> batch;
  for (density::Request& request : requests) batch.push_back(&request);
  ask(want, batch);
  budget_ -= ssize(batch);
}

// A point far from all draws may take a path on which the program itself is wrong, as a size that
// doesn't fit: it is refused, and the verdict continues.
void Probe::ask(density::Want want, std::span<density::Request*> batch) const {
  try {
    evaluator_->evaluate(want, batch);
  } catch (const Error&) {
    for (density::Request* request : batch) {
      if (batch.size() == 1)
        request->status = {.source = kFaulty};
      else
        ask(want, std::span(&request, 1));
    }
  }
}

double Probe::log_density_of_row(std::span<const double> row) const {
  if (!of_parameters_) of_parameters_.emplace(model_);
  --budget_;
  return of_parameters_->at_row(row);
}

bool Probe::has_likelihood() const {
  constexpr density::Query kLikelihood{.terms = density::Terms::likelihood};
  if (!has_likelihood_) {
    has_likelihood_ = model_.can(kLikelihood, points_.front()).can;
    if (*has_likelihood_) {
      likelihood_ = model_.asking(kLikelihood);
      likelihood_evaluator_ = likelihood_->make_evaluator();
    }
  }
  return *has_likelihood_;
}

double Probe::log_likelihood(std::span<const double> at) const {
  if (!has_likelihood()) return kNaN;
  --budget_;
  const double value = value_at(*likelihood_evaluator_, at);
  return std::isfinite(value) ? value : kNaN;
}

double Probe::log_prior(std::span<const double> at) const {
  constexpr density::Query kPrior{.terms = density::Terms::prior};
  if (prior_ == nullptr) {
    if (!model_.can(kPrior, points_.front()).can) return kNaN;
    prior_ = model_.asking(kPrior);
    prior_evaluator_ = prior_->make_evaluator();
  }
  --budget_;
  const double value = value_at(*prior_evaluator_, at);
  return std::isfinite(value) ? value : kNaN;
}

// ---- the density of the parameters

ParameterDensity::ParameterDensity(const density::Model& model, density::Terms terms)
    : model_(model),
      asked_(model.asking({.terms = terms, .jacobian = false})),
      evaluator_(asked_->make_evaluator()) {}

double ParameterDensity::at_row(std::span<const double> row) {
  const std::vector<double> point = free_of(model_, row);
  return point.empty() ? -kInfinity : value_at(*evaluator_, point);
}

namespace {
double value_at(density::Evaluator& evaluator, std::span<const double> point) {
  density::Request request{.position = point, .gradient = {}, .status = {}};
  try {
    evaluator.evaluate(density::Want::value, std::array{&request});
  } catch (const Error&) {  // the program itself is wrong there
    return -kInfinity;
  }
  return request.status.ok() ? request.log_density : -kInfinity;
}

// Empty: outside.
std::vector<double> free_of(const density::Model& model, std::span<const double> row) {
  try {
    std::vector<double> point = model.inverse().require(model.name()).unconstrain_row(row);
    const bool finite =
        ssize(point) == model.dimension() &&
        std::all_of(point.begin(), point.end(), [](double x) { return std::isfinite(x); });
    return finite ? point : std::vector<double>();
  } catch (const Error&) {
    return {};
  }
}

Index evaluations_of_run(const Evidence& evidence) {
  Index total = 0;
  if (evidence.run != nullptr)
    for (const infer::ChainResult& chain : evidence.run->chains) total += chain.num_evaluations;
  if (total > 0) return total;
  for (const double steps : evidence.draws->statistic("num_leapfrog"))
    total += static_cast<Index>(steps);
  return total;
}

// Half the width of the middle 68 %: one standard deviation of a normal, and finite for any distribution.
double spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double p) {
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
  };
  return (at(0.84) - at(0.16)) / 2.0;
}
}  // namespace

}  // namespace credo::verdict
