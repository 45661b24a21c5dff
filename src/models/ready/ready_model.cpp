#include "models/ready/ready_model.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "density/function_density.hpp"
#include "infer/compose/compose.hpp"

namespace credo::models {
namespace {
using density::Capability;
using density::Request;
using density::Want;

class OneByOne final : public density::Evaluator {
 public:
  explicit OneByOne(const OwnKernelModel& model)
      : data_(model.data()), worker_(model.make_worker()) {}
  void evaluate(Want want, std::span<Request* const> batch) override {
    if (want == Want::pointwise && data_ != nullptr) return list_rows(batch);
    density::check_function_want(want);
    for (Request* request : batch)
      density::judge(worker_->log_density(request->position), *request);
  }

 private:
  // Rows of a state that is refused have no density.
  void list_rows(std::span<Request* const> batch) {
    for (Request* request : batch) {
      density::judge(worker_->log_density(request->position), *request);
      if (request->status.ok()) data_->log_likelihoods(request->position, request->pointwise);
    }
  }

  const StateData* data_;  // null if it has none
  std::unique_ptr<Worker> worker_;
};

class OwnKernel final : public infer::TransitionKernel {
 public:
  explicit OwnKernel(std::shared_ptr<const OwnKernelModel> model)
      : model_(std::move(model)), worker_(model_->make_worker()) {}

  infer::Step<infer::PartInfo> step(infer::PointState& state, Rng& rng) override {
    worker_->move(state.position, rng);
    state.log_density = (co_await infer::evaluate(state.position)).log_density;
    infer::PartInfo info;
    info.num_evaluations = 1;
    co_return info;
  }
  infer::Step<infer::Nothing> search(infer::PointState&, Rng&) override {
    co_return infer::Nothing{};
  }
  bool learn() override { return false; }
  void finish() override {}
  void forget() override {}
  void report_tuned(infer::ChainResult&) const override {}
  void save(ArchiveWriter&) const override {}
  void load(ArchiveReader&) override {}

 private:
  std::shared_ptr<const OwnKernelModel> model_;
  std::unique_ptr<Worker> worker_;
};

density::Layout with_block(std::vector<density::Variable> outputs) {
  for (density::Variable& variable : outputs)
    if (variable.block == density::Block::unknown) variable.block = density::Block::parameters;
  return density::Layout(std::move(outputs));
}

std::vector<density::Variable> together(std::vector<density::Variable> state,
                                        std::vector<density::Variable> derived) {
  for (density::Variable& variable : derived) {
    variable.block = density::Block::transformed_parameters;
    state.push_back(std::move(variable));
  }
  return state;
}

class Named final : public NamedModel {
 public:
  Named(std::string name, std::shared_ptr<const density::LogDensity> density,
        std::vector<density::Variable> outputs, WriteState write)
      : NamedModel(std::move(name),
                   density::Layout({{.name = "state", .dims = {density->dimension()}}}),
                   std::move(outputs)),
        density_(std::move(density)),
        write_(std::move(write)) {}
  bool has_gradient() const override { return density_->has_gradient(); }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return density_->make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return density_->describe(status);
  }
  std::vector<double> write_state(std::span<const double> state) const override {
    return write_(state);
  }

 private:
  std::shared_ptr<const density::LogDensity> density_;
  WriteState write_;
};
}  // namespace

// ---- names

NamedModel::NamedModel(std::string name, density::Layout state,
                       std::vector<density::Variable> outputs)
    : name_(std::move(name)), state_(std::move(state)), outputs_(with_block(std::move(outputs))) {}

density::Offered<density::Queries> NamedModel::queries() const {
  return Capability{.can = false,
                    .reason = "a ready-made model has one joint log density",
                    .where = name_,
                    .hint = "write it as a Stan program"};
}

density::Offered<density::ParameterInverse> NamedModel::inverse() const {
  return Capability{.can = false,
                    .reason = "a ready-made model finds its starts itself",
                    .where = name_,
                    .hint = "leave out the initial values"};
}

std::vector<double> NamedModel::write(std::span<const double> point, Rng&, std::string*,
                                      const density::Written& what) const {
  return density::chosen(write_state(point), what);
}

std::shared_ptr<const density::Model> named(std::string name,
                                            std::shared_ptr<const density::LogDensity> density,
                                            std::vector<density::Variable> outputs,
                                            WriteState write) {
  return std::make_shared<const Named>(std::move(name), std::move(density), std::move(outputs),
                                       std::move(write));
}

// ---- kernels of their own

OwnKernelModel::OwnKernelModel(std::string name, std::vector<density::Variable> state,
                               std::vector<density::Variable> derived,
                               std::shared_ptr<const StateData> data)
    : NamedModel(std::move(name), density::Layout(state), together(state, std::move(derived))) {
  if (data != nullptr) data_.emplace(this->name(), std::move(data));
}

density::Offered<density::DataValues> OwnKernelModel::data_values() const {
  if (data_) return *data_;
  return Capability{.can = false,
                    .reason = "this ready-made model states no data of which rows are drawn",
                    .where = name(),
                    .hint = "write it as a Stan program"};
}

density::Offered<density::GenerativeSide> OwnKernelModel::generative_side() const {
  if (data_) return *data_;
  return Capability{.can = false,
                    .reason = "this ready-made model doesn't draw data",
                    .where = name(),
                    .hint = "write it as a Stan program"};
}

std::vector<double> OwnKernelModel::unconstrain_row(std::span<const double> row,
                                                    double /*rounding*/) const {
  if (ssize(row) < dimension())
    throw Error(ErrorCode::data, fmt::format("{} numbers", row.size()), name(),
                fmt::format("a state has {}", dimension()));
  const auto state = row.first(static_cast<std::size_t>(dimension()));
  return {state.begin(), state.end()};
}

std::unique_ptr<density::Evaluator> OwnKernelModel::make_evaluator() const {
  return std::make_unique<OneByOne>(*this);
}

std::string OwnKernelModel::describe(const density::Status& status) const {
  return density::describe_function_status(status);
}

// Returned with its own log density: all starts count the same.
std::optional<density::Start> OwnKernelModel::draw_start(Rng& rng, double) const {
  density::Start start{.position = draw_state(rng)};
  start.log_density = make_worker()->log_density(start.position);
  return start;
}

std::vector<double> OwnKernelModel::write_state(std::span<const double> state) const {
  std::vector<double> row(state.begin(), state.end());
  derive(state, row);
  return row;
}

Ready ready(std::string algorithm, std::shared_ptr<const OwnKernelModel> model) {
  return {.algorithm = std::move(algorithm),
          .model = model,
          .run = [model](const infer::SampleOptions& options, infer::DrawSink& sink) {
            const infer::KernelMaker make = [model](const infer::PartSetup&) {
              return std::make_unique<OwnKernel>(model);
            };
            return infer::run_kernel(*model, options, make, sink);
          }};
}

// ---- numbers of a state

std::optional<std::vector<Index>> whole_numbers(std::span<const double> values, Index below) {
  std::vector<Index> whole;
  for (const double x : values) {
    if (!(x >= 0.0 && x < static_cast<double>(below)) || x != std::floor(x)) return std::nullopt;
    whole.push_back(static_cast<Index>(x));
  }
  return whole;
}

void put(std::span<const Index> from, std::span<double> to) {
  std::transform(from.begin(), from.end(), to.begin(),
                 [](Index x) { return static_cast<double>(x); });
}

}  // namespace credo::models
