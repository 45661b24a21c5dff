// Terms: the traced program's outputs behind the gradient are the sums of its statements; those of
// statements with a likelihood term add up to the log likelihood.
#include "verdict/probe.hpp"

#include "verdict/places.hpp"

namespace credo::verdict {
namespace {
constexpr double kShareOfRun = 0.1;  // of the run's evaluations that a verdict may take
constexpr Index kMostEvaluations = 40'000;
constexpr std::size_t kFewestPoints = 8;
constexpr std::int32_t kFaulty = -1'000'000'000;  // the source of no statement

io::DataValue row_major(const Variable& variable, std::span<const double> columns);
Index evaluations_of_run(const Evidence& evidence);
double spread_of(std::vector<double> values);
}  // namespace

struct Probe::Terms {
  explicit Terms(std::shared_ptr<const model::TracedDensity> path)
      : traced(std::move(path)), workspace(*traced->program, 1) {
    for (const std::int32_t statement : traced->summed_statements)
      is_likelihood.push_back(
          std::any_of(traced->terms.begin(), traced->terms.end(), [&](const auto& term) {
            return term.statement == statement && term.kind == lang::TermKind::likelihood;
          }));
  }
  std::shared_ptr<const model::TracedDensity> traced;
  graph::Workspace workspace;
  std::vector<bool> is_likelihood;  // by summed statement
};

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
  terms_ = std::make_unique<Terms>(model_.trace(points_.front()));
  budget_ =
      std::min(kMostEvaluations,
               static_cast<Index>(kShareOfRun * static_cast<double>(evaluations_of_run(evidence))));
}

Probe::~Probe() = default;

// A draw on the edge of its range, to rounding, has no free value and is left out.
void Probe::map_back(std::span<const Index> columns, std::span<const std::vector<double>> values) {
  if (values.empty()) return;
  std::map<Index, std::size_t> place;  // of a column among `columns`
  for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k]] = k;
  for (std::size_t m = 0; m < values.front().size(); ++m) {
    io::DataTable table("the draws");
    for (const Variable& variable : evidence_.variables) {
      if (!variable.sampled) continue;
      std::vector<double> row;
      for (Index i = 0; i < variable.count; ++i) {
        const auto found = place.find(variable.first + i);
        if (found != place.end()) row.push_back(values[found->second][m]);
      }
      if (ssize(row) == variable.count) table.add(variable.name, row_major(variable, row));
    }
    std::vector<double> point = free(table);
    if (point.empty()) continue;
    points_.push_back(std::move(point));
    tables_.push_back(std::move(table));
  }
}

std::vector<double> Probe::free(const io::DataTable& parameters) const {
  try {
    std::vector<double> point = model_.unconstrain(parameters);
    const bool finite =
        ssize(point) == dimension_ &&
        std::all_of(point.begin(), point.end(), [](double x) { return std::isfinite(x); });
    return finite ? point : std::vector<double>();
  } catch (const Error&) {
    return {};
  }
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
  using lang::typed::Constraint;
  for (const std::string& name : names_) {
    const auto* variable = find_parameter(model_.source(), name.substr(0, name.find('.')));
    const auto* type = variable == nullptr ? nullptr : variable->sized_type.get();
    Reach reach = Reach::bounded;
    if (type != nullptr &&
        (type->constraint == Constraint::none || type->constraint == Constraint::affine))
      reach = Reach::linear;
    if (type != nullptr && type->constraint == Constraint::bounds &&
        (type->lower == nullptr || type->upper == nullptr))
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
// doesn't fit: it is refused, and the verdict goes on.
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

// False where the point is refused, or takes another path of decisions.
bool Probe::run_terms(std::span<const double> at) const {
  terms_->workspace.set_lanes(1);
  terms_->workspace.set_input(0, at);
  terms_->workspace.run();
  --budget_;
  return terms_->workspace.status(0).check == 0;
}

double Probe::log_density_of_parameters(std::span<const double> at) const {
  if (!run_terms(at)) return -kInfinity;
  const double value = terms_->workspace.output(model::TracedDensity::kWithoutJacobian, 0, 0);
  return std::isnan(value) ? -kInfinity : value;
}

double Probe::log_density_of_parameters(const io::DataTable& values) const {
  const std::vector<double> at = free(values);
  return at.empty() ? -kInfinity : log_density_of_parameters(at);
}

bool Probe::has_likelihood() const {
  return std::any_of(terms_->is_likelihood.begin(), terms_->is_likelihood.end(),
                     [](bool is) { return is; });
}

double Probe::log_likelihood(std::span<const double> at) const {
  if (!has_likelihood() || !run_terms(at)) return kNaN;
  double sum = 0.0;
  for (std::size_t k = 0; k < terms_->is_likelihood.size(); ++k)
    if (terms_->is_likelihood[k])
      sum += terms_->workspace.output(model::TracedDensity::kGradient + 1 + k, 0, 0);
  return sum;
}

io::DataTable Probe::parameters(Index m) const { return tables_[static_cast<std::size_t>(m)]; }

namespace {
// Columns have the first index fastest, data the last one.
io::DataValue row_major(const Variable& variable, std::span<const double> columns) {
  io::DataValue value;
  value.kind = columns.empty() ? io::DataKind::empty : io::DataKind::reals;
  value.dims = variable.dims;
  value.where = "the draws";
  value.reals.resize(columns.size());
  std::vector<Index> place(variable.dims.size(), 0);
  for (const double x : columns) {
    Index position = 0;
    for (std::size_t d = 0; d < place.size(); ++d)
      position = position * variable.dims[d] + place[d];
    value.reals[static_cast<std::size_t>(position)] = x;
    for (std::size_t d = 0; d < place.size() && ++place[d] == variable.dims[d]; ++d) place[d] = 0;
  }
  return value;
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

// Half the width of the middle 68 %: one standard deviation of a normal, and finite for any law.
double spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double p) {
    return values[static_cast<std::size_t>(p * static_cast<double>(values.size() - 1))];
  };
  return (at(0.84) - at(0.16)) / 2.0;
}
}  // namespace

}  // namespace credo::verdict
