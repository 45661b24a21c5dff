#include "cli/fit/conjugate_problem.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/require.hpp"
#include "model/statements/statements.hpp"

namespace credo::cli {
namespace {
using infer::conjugate::Domain;

constexpr std::int32_t kNoStatement = -1;  // number of the earlier posterior among the statements

// The log density at declared values. One evaluator each: a problem is solved by one thread.
class DensityAtValues {
 public:
  DensityAtValues(const model::Model& model, const density::LogDensity& density)
      : model_(&model),
        evaluator_(density.make_evaluator()),
        row_(model.outputs().element_names().size()) {}
  double operator()(std::span<const double> values) {
    std::ranges::copy(values, row_.begin());
    try {
      const std::vector<double> position = model_->draw_outputs().unconstrain_row(row_);
      density::Request request{.position = position, .gradient = {}, .status = {}};
      evaluator_->evaluate(density::Want::value, std::array{&request});
      return request.status.ok() ? request.log_density : -kInfinity;
    } catch (const Error&) {  // a constraint is broken: outside of the support
      return -kInfinity;
    }
  }

 private:
  const model::Model* model_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::vector<double> row_;
};

// The ends of each element of the parameters, at the limits of its coordinate without bounds.
std::vector<double> limits_of(const model::Model& model, double at) {
  const std::vector<double> position(static_cast<std::size_t>(model.dimension()), at);
  Rng rng({.seed = 1});
  return model.draw_outputs().write(position, rng, nullptr, {.last = density::Block::parameters});
}

Domain domain_of(double lower, double upper, const density::StatedVariable& stated,
                 const std::string& name) {
  const bool has_lower = stated.lower.is_stated, has_upper = stated.upper.is_stated;
  if (has_lower && lower == 0.0 && !has_upper) return Domain::positive;
  if (has_lower && lower == 0.0 && has_upper && upper == 1.0) return Domain::unit;
  throw Error(ErrorCode::program,
              fmt::format("the bounds of {} cut the support of every conjugate family", name),
              stated.declared.where,
              "families have the real line, lower=0 or lower=0, upper=1: declare one of these, or "
              "use credo sample");
}

void require_bounds_of_data(const density::StatedVariable& stated) {
  if (stated.lower.is_of_data && stated.upper.is_of_data) return;
  throw Error(ErrorCode::program, fmt::format("a parameter moves the bounds of {}", stated.name),
              stated.declared.where, "use credo sample");
}

[[noreturn]] void refuse_constraint(const density::StatedVariable& stated) {
  throw Error(ErrorCode::program,
              fmt::format("no conjugate family has the constraint of {}", stated.name),
              stated.declared.where,
              "families have numbers without bounds, lower=0, lower=0 with upper=1, simplexes and "
              "covariance matrices; "
              "use credo sample");
}

std::string trimmed_line(const std::string& text, Index line) {
  std::size_t begin = 0;
  for (Index k = 1; k < line && begin < text.size(); ++k)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const std::string found = text.substr(begin, text.find('\n', begin) - begin);
  const auto first = found.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : found.substr(first);
}
}  // namespace

std::vector<std::string> parameter_names(const model::Model& model) {
  const density::Layout& outputs = model.outputs();
  std::vector<std::string> names;
  for (Index v = 0; v < ssize(outputs.variables()); ++v) {
    const density::Variable& variable = outputs.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::parameters) break;
    for (Index place = outputs.first(v); place < outputs.first(v) + variable.size(); ++place)
      names.push_back(density::bracketed_name(outputs.element_name(place)));
  }
  return names;
}

ConjugateProblem::ConjugateProblem(const model::Model& model, const KeptPosterior* after)
    : model_(model), facts_(model.program_facts()) {
  add_units();
  problem_.log_density = density_of(model);
  add_statements();
  if (after != nullptr) begin_after(*after);
}

// Throws Error(program) if the program doesn't separate its prior and its likelihood.
std::unique_ptr<model::Model> ConjugateProblem::terms_of(density::Terms terms) const {
  const density::Query query{.terms = terms, .jacobian = false};
  const std::vector<double> origin(static_cast<std::size_t>(model_.dimension()), 0.0);
  density::require(model_.can(query, origin), model_.name());
  return model_.with(query);
}

// The prior of the parameters that the earlier posterior lacks, given its parameters: the density of the blocks that hold new ones, less the marginal
// densities of their old ones, which are added to `given`.
std::vector<std::unique_ptr<infer::conjugate::Block>> ConjugateProblem::prior_of_new(
    const std::vector<char>& is_old, std::vector<infer::conjugate::BlockState>& given) const {
  const auto prior = terms_of(density::Terms::prior);
  infer::conjugate::Problem problem = problem_;
  problem.log_density = density_of(*prior);
  problem.statements.clear();
  infer::conjugate::Answer answer = infer::conjugate::solve(problem);
  if (answer.refusal)
    throw Error(ErrorCode::program,
                fmt::format("parameters that {} lacks keep their prior, which isn't a proper "
                            "conjugate one: {}",
                            after_, answer.refusal->reason),
                model_.name(), "give all parameters proper conjugate priors");
  const auto is_kept = [&](Index place) { return is_old[static_cast<std::size_t>(place)] != 0; };
  std::vector<std::unique_ptr<infer::conjugate::Block>> blocks;
  for (auto& block : answer.blocks) {
    const auto marginals = block->marginals();
    if (std::ranges::all_of(marginals, is_kept, &infer::conjugate::Marginal::place)) continue;
    if (std::ranges::any_of(marginals, is_kept, &infer::conjugate::Marginal::place))
      if (auto part = infer::conjugate::restricted(block->state(), is_kept)) given.push_back(*part);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void ConjugateProblem::begin_after(const KeptPosterior& posterior) {
  using infer::conjugate::Block;
  after_ = posterior.source;
  std::vector<Index> places;  // the earlier parameters among these
  std::vector<char> is_old(names_.size(), 0);
  for (const std::string& name : posterior.names) {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end())
      throw Error(ErrorCode::usage, fmt::format("the program has no parameter {}", name), after_,
                  "the parameters of an earlier posterior must be parameters of the program");
    places.push_back(found - names_.begin());
    is_old[static_cast<std::size_t>(places.back())] = 1;
  }
  struct Parts {
    std::vector<std::unique_ptr<Block>> added, taken_off;
  };
  const auto parts = std::make_shared<Parts>();
  for (infer::conjugate::BlockState state : posterior.blocks) {
    for (Index& place : state.places) place = places[static_cast<std::size_t>(place)];
    if (state.scale_place >= 0)
      state.scale_place = places[static_cast<std::size_t>(state.scale_place)];
    parts->added.push_back(infer::conjugate::block_of(state, problem_.num_values));
  }
  if (std::ranges::find(is_old, 0) != is_old.end()) {
    std::vector<infer::conjugate::BlockState> given;
    for (auto& block : prior_of_new(is_old, given)) parts->added.push_back(std::move(block));
    for (const infer::conjugate::BlockState& state : given)
      parts->taken_off.push_back(infer::conjugate::block_of(state, problem_.num_values));
  }
  const auto prior = [parts](std::span<const double> values) {
    double sum = 0.0;
    for (const auto& block : parts->added) sum += block->log_density(values);
    for (const auto& block : parts->taken_off) sum -= block->log_density(values);
    return sum;
  };
  likelihood_ = terms_of(density::Terms::likelihood);
  problem_.log_density = [prior,
                          of_data = density_of(*likelihood_)](std::span<const double> values) {
    return of_data(values) + prior(values);
  };
  for (std::size_t s = problem_.statements.size(); s-- > 0;) {
    if (problem_.statements[s].is_of_data) continue;
    const auto at = static_cast<std::ptrdiff_t>(s);
    problem_.statements.erase(problem_.statements.begin() + at);
    statement_numbers_.erase(statement_numbers_.begin() + at);
  }
  problem_.statements.push_back({prior, false});
  statement_numbers_.push_back(kNoStatement);
}

infer::conjugate::LogDensityAt ConjugateProblem::density_of(
    const density::LogDensity& density) const {
  return [at = std::make_shared<DensityAtValues>(model_, density)](std::span<const double> values) {
    return (*at)(values);
  };
}

void ConjugateProblem::add_units() {
  const density::Layout& outputs = model_.outputs();
  for (Index v = 0; v < ssize(outputs.variables()); ++v) {
    const density::Variable& variable = outputs.variables()[static_cast<std::size_t>(v)];
    if (variable.block != density::Block::parameters) break;
    add_variable(variable, outputs.first(v));
    problem_.num_values = outputs.first(v) + variable.size();
  }
  names_ = parameter_names(model_);
}

void ConjugateProblem::add_variable(const density::Variable& variable, Index first) {
  using Kind = density::ConstraintKind;
  const density::StatedVariable* stated = facts_->find_parameter(variable.name);
  if (stated == nullptr)
    throw Error(ErrorCode::program, fmt::format("{} is part of a tuple", variable.name),
                model_.name(), "declare it as a parameter of its own");
  if (stated->constraint == Kind::simplex || stated->constraint == Kind::cov_matrix)
    return add_containers(*stated, variable, first);
  if (stated->constraint != Kind::none && stated->constraint != Kind::bounds &&
      stated->constraint != Kind::affine)
    refuse_constraint(*stated);
  add_numbers(*stated, variable, first);
}

// A unit for each simplex or matrix of an array: all indices of the array come before those of its elements.
void ConjugateProblem::add_containers(const density::StatedVariable& stated,
                                      const density::Variable& variable, Index first) {
  const bool is_matrix = stated.constraint == density::ConstraintKind::cov_matrix;
  const Index side = variable.dims.back(), inner = is_matrix ? side * side : side,
              outer = variable.size() / std::max<Index>(inner, 1);
  if (side < 1 || (!is_matrix && side < 2)) refuse_constraint(stated);
  for (Index a = 0; a < outer; ++a) {
    infer::conjugate::Unit unit{stated.name, is_matrix ? Domain::covariance : Domain::simplex, {}};
    if (outer > 1) unit.name = fmt::format("{}[{}]", stated.name, a + 1);
    for (Index k = 0; k < inner; ++k) unit.places.push_back(first + a + outer * k);
    problem_.units.push_back(std::move(unit));
  }
}

void ConjugateProblem::add_numbers(const density::StatedVariable& stated,
                                   const density::Variable& variable, Index first) {
  require_bounds_of_data(stated);
  const bool has_bounds = stated.lower.is_stated || stated.upper.is_stated;
  constexpr double kBeyondAll = 800.0;  // exp(-800) is 0, and 1 / (1 + exp(-800)) is 1
  std::vector<double> low, high;
  if (has_bounds) low = limits_of(model_, -kBeyondAll);
  if (has_bounds && stated.upper.is_stated) high = limits_of(model_, kBeyondAll);
  for (Index place = first; place < first + variable.size(); ++place) {
    const auto k = static_cast<std::size_t>(place);
    const std::string name = density::bracketed_name(model_.outputs().element_name(place));
    const Domain domain = has_bounds
                              ? domain_of(low[k], high.empty() ? kInfinity : high[k], stated, name)
                              : Domain::real;
    problem_.units.push_back({name, domain, {place}});
  }
}

void ConjugateProblem::add_statements() {
  const std::vector<double> point(static_cast<std::size_t>(model_.dimension()), 0.0);
  std::set<std::int32_t> numbers, of_parameters;
  for (const model::TermSummary& term : model_.trace(point)->terms) numbers.insert(term.statement);
  for (const model::ModelStatement& entry : model::model_statements(model_.source().program))
    if (entry.kind == model::StatementKind::prior || entry.kind == model::StatementKind::effects)
      of_parameters.insert(entry.statement);
  for (const std::int32_t k : numbers) {
    statement_models_.push_back(
        model_.with({.terms = density::Terms::statement, .statement = k, .jacobian = false}));
    statement_numbers_.push_back(k);
    problem_.statements.push_back(
        {density_of(*statement_models_.back()), !of_parameters.contains(k)});
  }
}

void ConjugateProblem::refuse(const infer::conjugate::Refusal& refusal) const {
  std::string reason = refusal.reason, where = model_.name();
  const std::int32_t number = refusal.statement < 0
                                  ? kNoStatement
                                  : statement_numbers_[static_cast<std::size_t>(refusal.statement)];
  if (number == kNoStatement && refusal.statement >= 0)
    reason += fmt::format(": the posterior of {}", after_);
  if (number != kNoStatement) {
    const density::Place& place = facts_->statements[static_cast<std::size_t>(number)];
    where = place.where;
    reason += fmt::format(": {}", trimmed_line(facts_->text, place.line));
  }
  throw Error(ErrorCode::program, reason, where, refusal.hint);
}

}  // namespace credo::cli
