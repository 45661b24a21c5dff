#include <fmt/format.h>

#include "api/callable_model.hpp"
#include "api/callable_states.hpp"
#include "api/compile.hpp"
#include "api/impl.hpp"
#include "api/program_text.hpp"
#include "io/data/data_recipe.hpp"
#include "io/input_files.hpp"
#include "lang/diagnostics/diagnostics.hpp"

namespace credo {

struct Trace::Impl {
  const Parameters::Impl& parameters;
  std::vector<detail::NodePtr> nodes = {};  // nodes of the parameters
  std::vector<NamedNode> outputs = {};
};

namespace {
template <class T>
T value_of(const Trace::Impl& trace, const Parameter<T>& parameter, detail::Type type) {
  const auto& all = trace.parameters.all;
  const bool known = parameter.number >= 0 && parameter.number < ssize(all);
  const auto k = static_cast<std::size_t>(known ? parameter.number : 0);
  if (!known || all[k].type != type || all[k].first != parameter.first ||
      all[k].size() != parameter.size)
    throw Error(ErrorCode::usage, "this parameter was declared for another model", {},
                "use what the model's own Parameters returned");
  return detail::make<T>(trace.nodes[k]);
}
}  // namespace

Real Trace::operator[](const Parameter<Real>& p) const {
  return value_of(impl_, p, detail::Type::real);
}
Vector Trace::operator[](const Parameter<Vector>& p) const {
  return value_of(impl_, p, detail::Type::vector);
}
Matrix Trace::operator[](const Parameter<Matrix>& p) const {
  return value_of(impl_, p, detail::Type::matrix);
}
void Trace::output(const std::string& name, const Value& value) {
  impl_.outputs.push_back({name, value.node()});
}

// ---- the four kinds

namespace {
Model whole_model(const ModelText& text, std::shared_ptr<const model::Model> program) {
  auto impl = std::make_shared<Model::Impl>();
  impl->name = text.name;
  impl->model = program;
  impl->program = std::move(program);
  impl->program_text = text.program;
  impl->files.model = text.name + ".stan";
  impl->files.files[impl->files.model] = text.program;
  if (!text.data.empty()) {
    impl->files.data = text.name + ".data.json";
    impl->files.files[impl->files.data] = text.data;
  }
  return Model(std::move(impl));
}

Model callable_model(const Parameters& parameters, Callable callable, const ModelOptions& options) {
  auto impl = std::make_shared<Model::Impl>();
  impl->name = options.name;
  impl->model = make_callable_model(options.name, parameters, std::move(callable));
  return Model(std::move(impl));
}

void require_callable(bool given) {
  if (!given) throw Error(ErrorCode::usage, "the callable is empty", "log_density");
}
}  // namespace

Model traced(const Parameters& parameters, const TracedCallable& log_density,
             const ModelOptions& options) {
  require_callable(log_density != nullptr);
  Trace::Impl impl{.parameters = parameters.impl()};
  for (const Declaration& d : impl.parameters.all)
    impl.nodes.push_back(detail::parameter(d.name, d.type, d.rows, d.cols));
  Trace trace(impl);
  const Real total = log_density(trace);
  const ProgramText written = program_text(impl.parameters.all, impl.outputs, total.node());
  const ModelText text{.name = options.name, .program = written.program, .data = written.data};
  return whole_model(text, compile_model(text, options));
}

Model with_gradient(const Parameters& parameters, const GradientCallable& log_density,
                    const ModelOptions& options) {
  require_callable(log_density != nullptr);
  return callable_model(parameters, {.with_gradient = log_density}, options);
}

Model without_gradient(const Parameters& parameters, const ValueCallable& log_density,
                       const ModelOptions& options) {
  require_callable(log_density != nullptr);
  return callable_model(parameters, {.without_gradient = log_density}, options);
}

namespace {
void require_part(bool given, const char* what, const char* where) {
  if (!given) throw Error(ErrorCode::usage, std::string(what), where);
}
Callable callable_of(const Prior& prior) {
  require_part(prior.log_density != nullptr, "the log density of the prior is empty", "Prior");
  return {.with_gradient = prior.log_density, .draw_prior = prior.draw};
}
}  // namespace

Model with_rows(const Parameters& parameters, const Prior& prior, const Rows& rows,
                const ModelOptions& options) {
  require_part(rows.log_density != nullptr, "the log density of a row is empty", "Rows");
  require_part(rows.count >= 1, "a likelihood of rows has at least one", "Rows::count");
  Callable callable = callable_of(prior);
  callable.rows = rows;
  return callable_model(parameters, std::move(callable), options);
}

Model with_simulator(const Parameters& parameters, const Prior& prior, const Simulator& simulator,
                     const ModelOptions& options) {
  require_part(simulator.draw != nullptr, "the callable that simulates is empty", "Simulator");
  require_part(!simulator.observed.empty(), "no data are observed", "Simulator::observed");
  Callable callable = callable_of(prior);
  callable.simulator = simulator;
  return callable_model(parameters, std::move(callable), options);
}

Model with_states(const Parameters& parameters, const Prior& prior, const StateSpace& states,
                  const ModelOptions& options) {
  require_complete(states);
  Callable callable = callable_of(prior);
  callable.states = states;
  return callable_model(parameters, std::move(callable), options);
}

Model stan_text(const std::string& program, const std::string& data, const ModelOptions& options) {
  const ModelText text{.name = options.name, .program = program, .data = data};
  return whole_model(text, compile_model(text, options));
}

// Includes are found beside the program, and kept with it.
Model stan_file(const std::string& program_file, const std::string& data_file,
                const ModelOptions& options) {
  io::InputFiles files;
  const auto read = [&files](const std::string& path) {
    return files.can_read(path) ? std::optional(files.read(path, lang::kMaxProgramBytes))
                                : std::nullopt;
  };
  const std::size_t slash = program_file.find_last_of('/');
  const std::array folder{slash == std::string::npos ? "." : program_file.substr(0, slash + 1)};
  lang::Diagnostics diagnostics;
  lang::SourceMap map;
  auto source = model::compile_file(program_file, diagnostics, map, folder, false, read);
  if (source == nullptr)
    throw Error(files.contents().contains(program_file) ? ErrorCode::program : ErrorCode::io,
                lang::render(map, diagnostics), program_file);
  const io::DataRecipe recipe{
      .files = data_file.empty() ? std::vector<std::string>() : std::vector{data_file},
      .columns = {},
      .missing = {},
      .separator = {}};
  ModelText text{.name = source->name,
                 .program = files.read(program_file),
                 .data = data_file.empty() ? "" : files.read(data_file),
                 .data_file = data_file};
  auto impl = std::make_shared<Model::Impl>();
  impl->name = options.name == ModelOptions{}.name ? source->name : options.name;
  impl->program = make_model(std::move(source), text, options);
  impl->model = impl->program;
  impl->program_text = text.program;
  impl->files = {.files = files.contents(), .model = program_file, .data = recipe.text()};
  impl->readers = files.readers();
  return Model(std::move(impl));
}

// ---- evaluation

std::unique_ptr<density::Evaluator> Model::Impl::take_evaluator() const {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      auto evaluator = std::move(free_.back());
      free_.pop_back();
      return evaluator;
    }
  }
  return model->make_evaluator();
}

void Model::Impl::give_back(std::unique_ptr<density::Evaluator> evaluator) const {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(evaluator));
}

// An evaluator that an exception left is thrown away: its contents may be inconsistent.
density::Request evaluate_at(const Model::Impl& model, std::span<const double> free,
                             std::span<double> gradient) {
  if (ssize(free) != model.model->dimension())
    throw Error(ErrorCode::usage, fmt::format("{} unconstrained values", free.size()), model.name,
                fmt::format("the model has {}", model.model->dimension()));
  auto evaluator = model.take_evaluator();
  density::Request request{.position = free, .gradient = gradient, .status = {}};
  density::Request* const batch[] = {&request};
  evaluator->evaluate(gradient.empty() ? density::Want::value : density::Want::gradient, batch);
  model.give_back(std::move(evaluator));
  if (request.status.fatal)
    throw Error(ErrorCode::evaluation, model.model->describe(request.status), model.name);
  return request;
}

const std::string& Model::name() const { return impl_->name; }
Index Model::dimension() const { return impl_->model->dimension(); }
bool Model::has_gradient() const { return impl_->model->has_gradient(); }
std::vector<std::string> Model::free_names() const { return impl_->model->free_names(); }
std::vector<std::string> Model::names() const { return impl_->model->outputs().element_names(); }
std::string Model::program() const { return impl_->program_text; }

Evaluation Model::evaluate(std::span<const double> free) const {
  Evaluation result;
  if (has_gradient()) result.gradient.resize(free.size());
  const density::Request request = evaluate_at(*impl_, free, result.gradient);
  result.log_density = request.log_density;
  if (!request.status.ok()) result.refusal = impl_->model->describe(request.status);
  return result;
}

double Model::log_density(std::span<const double> free) const {
  return evaluate_at(*impl_, free, {}).log_density;
}

std::vector<double> Model::constrain(std::span<const double> free, std::uint64_t seed) const {
  const density::Model& model = *impl_->model;
  if (ssize(free) != model.dimension())
    throw Error(ErrorCode::usage, fmt::format("{} unconstrained values", free.size()), name(),
                fmt::format("the model has {}", model.dimension()));
  Rng rng({.seed = seed, .purpose = purpose::kInterface, .chain = 0, .iteration = 0});
  return model.writers().require(name()).write(free, rng);
}

std::vector<double> Model::unconstrain(std::span<const double> parameters) const {
  const density::Model& model = *impl_->model;
  std::size_t wanted = 0;
  for (const density::Variable& variable : model.outputs().variables())
    if (variable.block == density::Block::parameters)
      wanted += static_cast<std::size_t>(variable.size());
  if (parameters.size() < wanted)
    throw Error(ErrorCode::usage, fmt::format("{} numbers", parameters.size()), name(),
                fmt::format("the parameters have {}", wanted));
  return model.inverse()
      .require(name(), ErrorCode::usage)
      .unconstrain_row(parameters.first(wanted));
}

}  // namespace credo
