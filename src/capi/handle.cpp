#include "capi/handle.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "capi/print.hpp"
#include "credo/bridgestan.h"
#include "io/json_reader.hpp"
#include "lang/diagnostics/diagnostics.hpp"
#include "numerics/arithmetic.hpp"

namespace credo::capi {
using lang::typed::BlockKind;

namespace {
constexpr int kIterationBits = 32;  // bits of a stream's key; the bits above them are its chain

std::shared_ptr<const model::ProgramSource> compile(const std::string& program) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const bool is_path = program.ends_with(".stan") && program.find('\n') == std::string::npos;
  const std::size_t slash = program.find_last_of('/');
  const std::array folder{slash == std::string::npos ? "." : program.substr(0, slash + 1)};
  auto compiled = is_path ? model::compile_file(program, diagnostics, source, folder)
                          : model::compile_text("program", program, diagnostics, source);
  if (compiled == nullptr) throw Error(ErrorCode::program, lang::render(source, diagnostics));
  return compiled;
}

io::DataTable read_data(const std::string& data) {
  if (data.empty()) return io::DataTable("no data");
  return data.ends_with(".json") ? io::read_json_data(data) : io::parse_json_data(data, "data");
}

std::string describe_library() {
  return fmt::format(
      "BridgeStan version: {}.{}.{}\n"
      "Credo version: {}\n"
      "Arithmetic: {}\n"
      "Stan C++ Defines:\n"
      "\tSTAN_THREADS=true\n"
      "\tSTAN_MPI=false\n"
      "\tSTAN_OPENCL=false\n"
      "\tSTAN_NO_RANGE_CHECKS=false\n"
      "\tBRIDGESTAN_AD_HESSIAN=true\n",
      bs_major_version, bs_minor_version, bs_patch_version, CREDO_VERSION,
      numerics::target_name(numerics::active_target()));
}

std::unique_ptr<const model::Model> load(const std::string& program, const std::string& data,
                                         std::uint64_t seed) {
  model::ModelOptions options;
  options.seed = seed;
  options.discrete = model::DiscreteUse::sum;  // callers know real parameters only
  options.print = print;
  auto model =
      std::make_unique<model::Model>(compile(program), read_data(data), std::move(options));
  const std::vector<double> origin(static_cast<std::size_t>(model->dimension()), 0.0);
  if (model->discrete().size() > 0) model->trace(origin);  // or an Error: too many states
  return model;
}

std::span<const double> numbers(const double* first, Index count, const char* what) {
  if (first == nullptr && count > 0) throw Error(ErrorCode::usage, "is null", what);
  return {first, static_cast<std::size_t>(count)};
}

void copy_to(double* out, std::span<const double> values, const char* what) {
  numbers(out, std::ssize(values), what);
  std::copy(values.begin(), values.end(), out);
}
}  // namespace

Rng Streams::next() {
  const std::uint64_t number = count_++;
  return Rng({.seed = seed_,
              .purpose = purpose::kInterface,
              .chain = static_cast<std::uint32_t>(number >> kIterationBits),
              .iteration = static_cast<std::uint32_t>(number)});
}

Handle::Handle(const std::string& program, const std::string& data, std::uint64_t seed)
    : model_(load(program, data, seed)),
      name_(model_->name() + "_model"),
      info_(describe_library()),
      free_names_(fmt::format("{}", fmt::join(model_->free_names(), ","))) {
  list_names();
}

bool Handle::lists(const density::Variable& variable, Included what) const {
  if (variable.block == density::Block::transformed_parameters) return what.transformed;
  return variable.block == density::Block::parameters || what.generated;
}

void Handle::list_names() {
  for (unsigned k = 0; k < listings_.size(); ++k) {
    for (const density::Variable& variable : model_->outputs().variables()) {
      if (!lists(variable, {(k & 1u) != 0, (k & 2u) != 0})) continue;
      for (Index element = 0; element < variable.size(); ++element)
        listings_[k].names +=
            (listings_[k].count++ == 0 ? "" : ",") + variable.element_name(element);
    }
  }
}

Handle::Form& Handle::form(const density::Query& wanted) const {
  const std::lock_guard lock(forms_mutex_);
  std::unique_ptr<Form>& place = forms_[(wanted.jacobian ? 1u : 0u) + (wanted.constants ? 2u : 0u)];
  if (place == nullptr) {
    place = std::make_unique<Form>();
    place->model = model_->with(wanted);
  }
  return *place;
}

// A density of zero, or one that isn't a number, is an answer here; a refused point is an Error.
double Handle::log_density(const density::Query& wanted, const double* point,
                           const Derivatives& out) const {
  Form& place = form(wanted);
  const std::span<const double> position = numbers(point, dimension(), "theta_unc");
  const auto evaluate = [&](Worker& worker) {
    worker.gradient.resize(position.size());
    density::Request request{
        .position = position, .gradient = worker.gradient, .log_density = -kInfinity, .status = {}};
    place.model->draw_outputs().print_density(position);
    worker.evaluator->evaluate(density::Want::gradient, std::array{&request});
    const density::Status& status = request.status;
    if (status.source > 0) throw Error(ErrorCode::evaluation, place.model->describe(status));
    if (out.gradient != nullptr) copy_to(out.gradient, worker.gradient, "grad");
    if (out.hessian != nullptr || out.product != nullptr)
      second_derivatives(place, worker, position, out);
    return status.ok() ? request.log_density : status.value;
  };
  return place.workers.with([&] { return std::make_unique<Worker>(*place.model); }, evaluate);
}

void Handle::second_derivatives(const Form& place, Worker& worker, std::span<const double> point,
                                const Derivatives& out) const {
  const std::size_t n = point.size();
  if (n == 0) return;
  density::Request request{.position = point, .gradient = {}, .status = {}};
  if (out.product != nullptr) {
    std::fill_n(out.product, n, kNaN);
    request.gradient = {out.product, n};
    worker.curvature.multiply(numbers(out.direction, dimension(), "vector"), request);
  } else {
    worker.matrix.assign(n * n, kNaN);
    request.matrix = worker.matrix;
    worker.curvature.evaluate(density::Want::hessian, std::array{&request});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)  // equal up to rounding; the same bits for both
        out.hessian[i * n + j] = 0.5 * (worker.matrix[i * n + j] + worker.matrix[j * n + i]);
    }
  }
  if (request.status.source > 0)
    throw Error(ErrorCode::evaluation, place.model->describe(request.status));
}

void Handle::constrain(Included what, const double* point, double* out, Streams* streams) const {
  const bool draws = what.generated || model_->discrete().size() > 0;
  if (draws && streams == nullptr) {
    throw Error(ErrorCode::usage, "is null, and there is something to draw", "rng",
                what.generated ? "give one, or leave out generated quantities"
                               : "give one: the program has discrete parameters");
  }
  const std::size_t depth = what.generated ? 2 : what.transformed ? 1 : 0;
  using density::Block;
  constexpr std::array kLast{Block::parameters, Block::transformed_parameters,
                             Block::generated_quantities};
  Rng rng = draws ? streams->next() : Streams(0).next();
  std::vector<double> row;
  std::string note;
  writers_[depth].with(
      [&] {
        return std::make_unique<model::Writer>(
            model_->draw_outputs(),
            density::Written{.last = kLast[depth], .density_prints = false});
      },
      [&](model::Writer& writer) {
        writer.write(numbers(point, dimension(), "theta_unc"), rng, row, &note);
      });
  if (!note.empty()) throw Error(ErrorCode::evaluation, note);
  numbers(out, count(what), "theta");
  std::size_t place = 0;
  for (const density::Variable& variable : model_->outputs().variables()) {
    if (place == row.size()) break;  // those of later blocks aren't written
    if (lists(variable, what)) out = std::copy_n(row.data() + place, variable.size(), out);
    place += static_cast<std::size_t>(variable.size());
  }
}

void Handle::unconstrain(const double* row, double* out) const {
  copy_to(out, model_->draw_outputs().unconstrain_row(numbers(row, count({}), "theta")),
          "theta_unc");
}

void Handle::unconstrain_json(const std::string& json, double* out) const {
  copy_to(out, model_->unconstrain(io::parse_json_data(json, "json")), "theta_unc");
}

}  // namespace credo::capi
