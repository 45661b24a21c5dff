#include "api/callable_model.hpp"

#include <fmt/format.h>

#include <mutex>

#include "api/callable_states.hpp"
#include "base/error.hpp"
#include "density/function_density.hpp"
#include "density/state_space.hpp"

namespace credo {
namespace {
using density::Request;
using density::Status;
using density::Terms;
using density::Want;

constexpr std::int32_t kBadParameters = 100, kFirstRejection = 101;
constexpr std::size_t kMaxReasons = 1000;

std::string point_text(std::span<const double> theta) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(theta.size(), kShown); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ", theta[k]);
  return "theta = (" + text + (theta.size() > kShown ? ", ...)" : ")");
}

// State that all models of one callable share.
struct Shared {
  Shared(std::string name_, const Parameters& parameters, Callable callable_)
      : name(std::move(name_)),
        map(parameters),
        callable(std::move(callable_)),
        outputs(map.outputs()) {
    if (callable.simulator)
      outputs.add({.name = callable.simulator->name,
                   .dims = {ssize(callable.simulator->observed)},
                   .block = density::Block::generated_quantities});
  }

  std::string name;
  ParameterMap map;
  Callable callable;
  density::Layout outputs;
  std::mutex mutex;  // protects reasons; locked only if the callable rejects a point
  std::vector<std::string> reasons;
};

class CallableModel final : public density::Model,
                            public density::Queries,
                            public density::OutputWriters,
                            public density::ParameterInverse,
                            public density::DataValues {
 public:
  explicit CallableModel(std::shared_ptr<Shared> shared, density::Query query = {})
      : shared_(std::move(shared)), query_(query) {}

  Index dimension() const override { return map().unconstrained().size(); }
  // The way back has the slope of the Jacobian in it.
  bool has_gradient() const override {
    return callable().with_gradient != nullptr && query_.jacobian;
  }
  Index num_rows() const override;
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const Status& status) const override;

  const std::string& name() const override { return shared_->name; }
  const density::Layout& outputs() const override { return shared_->outputs; }
  const density::Layout& continuous() const override { return map().unconstrained(); }

  density::Offered<density::Queries> queries() const override { return *this; }
  density::Offered<density::OutputWriters> writers() const override { return *this; }
  density::Offered<density::ParameterInverse> inverse() const override { return *this; }
  density::Offered<density::DataValues> data_values() const override;
  std::shared_ptr<const density::ProgramFacts> program_facts() const override {
    return std::make_shared<const density::ProgramFacts>(map().facts());
  }
  density::Query query() const override { return query_; }
  density::Capability can(const density::Query& query,
                          std::span<const double> point) const override;
  std::unique_ptr<density::Model> asking(const density::Query& query) const override;
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string* note = nullptr,
                            const density::Written& what = {}) const override;
  std::vector<double> unconstrain_row(std::span<const double> row,
                                      double /*rounding*/ = 0.0) const override {
    return map().unconstrain(row.first(num_parameters()));
  }
  std::unique_ptr<density::LogDensity> prior() const override;
  density::Capability can_draw() const override;
  std::unique_ptr<density::ExactDraws> make_exact_draws() const override;
  std::unique_ptr<density::StateSpaceAt> make_state_space() const override {
    return callable().states ? make_callable_states(map(), *callable().states) : nullptr;
  }
  density::Capability has_likelihood() const override;
  // The data of a simulator aren't named in results, and no density is of them.
  std::vector<density::DataVariable> variables() const override { return {}; }
  std::vector<density::ObservedVariable> observed() const override { return {}; }
  std::vector<density::ObservedVariable> all() const override;

 private:
  class OneByOne;
  class PriorDraws;
  const ParameterMap& map() const { return shared_->map; }
  const Callable& callable() const { return shared_->callable; }
  std::size_t num_parameters() const { return static_cast<std::size_t>(map().outputs().size()); }
  // The Jacobian of the constraints belongs to the prior.
  bool has_jacobian() const { return query_.jacobian && query_.terms != Terms::likelihood; }
  Status reject(const std::string& reason) const;

  std::shared_ptr<Shared> shared_;
  density::Query query_;
};

Status CallableModel::reject(const std::string& reason) const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<std::string>& reasons = shared_->reasons;
  auto known = std::find(reasons.begin(), reasons.end(), reason);
  if (known == reasons.end() && reasons.size() >= kMaxReasons) known = reasons.end() - 1;
  if (known == reasons.end()) known = reasons.insert(known, reason);
  return {.source = kFirstRejection + static_cast<std::int32_t>(known - reasons.begin())};
}

std::string CallableModel::describe(const Status& status) const {
  if (status.source == kBadParameters)
    return "the parameters at these unconstrained values aren't finite, or their Jacobian isn't";
  if (status.source < kFirstRejection) return density::describe_function_status(status);
  const std::lock_guard lock(shared_->mutex);
  return shared_->reasons[static_cast<std::size_t>(status.source - kFirstRejection)];
}

density::Capability CallableModel::can(const density::Query& query,
                                       std::span<const double> /*point*/) const {
  const bool asks_for_rows = query.batch > 0 || !query.without.empty();
  const bool knows_rows = callable().rows.has_value();
  const bool knows_terms = query.terms == Terms::all ||
                           (query.terms == Terms::prior && callable().has_prior()) ||
                           (query.terms == Terms::likelihood && knows_rows);
  if (knows_terms && (knows_rows || !asks_for_rows)) return {};
  return {.can = false,
          .reason = "the terms of a callable aren't known apart",
          .where = name(),
          .hint =
              "state prior and rows apart (credo::with_rows), or write it as a traced callable "
              "or as a Stan program"};
}

std::unique_ptr<density::Model> CallableModel::asking(const density::Query& query) const {
  if (const density::Capability capability = can(query, {}); !capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  density::Query asked = query;
  if (query.power == 1.0) asked.power = query_.power;
  return std::make_unique<CallableModel>(shared_, asked);
}

std::vector<double> CallableModel::write(std::span<const double> point, Rng& rng, std::string* note,
                                         const density::Written& what) const {
  std::vector<double> row = map().constrain(point);
  if (!callable().simulator) return density::chosen(std::move(row), what);
  Simulator simulator = *callable().simulator;  // a copy belongs to one thread
  std::vector<double> simulated(simulator.observed.size(), kNaN);
  try {
    Random random(rng);
    simulator.draw(row, random, simulated);
  } catch (const Rejection& rejection) {
    std::ranges::fill(simulated, kNaN);
    if (note != nullptr) *note = rejection.what();
  }
  row.insert(row.end(), simulated.begin(), simulated.end());
  return density::chosen(std::move(row), what);
}

// ---- parts

Index CallableModel::num_rows() const {
  if (!callable().rows || query_.terms == Terms::prior || !query_.without.empty()) return 0;
  return query_.batch > 0 ? query_.batch : callable().rows->count;
}

std::unique_ptr<density::LogDensity> CallableModel::prior() const {
  if (!callable().has_prior() || query_.terms != Terms::all || query_.batch > 0) return nullptr;
  return asking({.terms = Terms::prior, .jacobian = query_.jacobian});
}

density::Capability CallableModel::can_draw() const {
  const bool is_prior =
      query_.terms == Terms::prior || (callable().has_prior() && !callable().rows);
  if (is_prior && callable().draw_prior != nullptr && query_.power == 1.0) return {};
  return {.can = false,
          .reason = is_prior ? "the prior has no callable that draws from it"
                             : "it isn't known how to draw from this density",
          .where = name(),
          .hint = "set Prior::draw"};
}

// Draws of the callable, with the log density of the prior at them.
class CallableModel::PriorDraws final : public density::ExactDraws {
 public:
  explicit PriorDraws(const CallableModel& model)
      : model_(model),
        draw_(model.callable().draw_prior),
        evaluator_(model.make_evaluator()),
        theta_(model.num_parameters()) {}

  std::optional<density::Start> next(Rng& rng) override {
    Random random(rng);
    try {
      draw_(random, theta_);
    } catch (const Rejection&) {
      return std::nullopt;
    }
    density::Start start{.position = model_.map().unconstrain(theta_)};
    Request request{.position = start.position, .gradient = {}, .status = {}};
    evaluator_->evaluate(Want::value, std::array{&request});
    if (!request.status.ok()) return std::nullopt;
    start.log_density = request.log_density;
    return start;
  }

 private:
  const CallableModel& model_;
  std::function<void(Random&, std::span<double>)> draw_;
  std::unique_ptr<density::Evaluator> evaluator_;
  std::vector<double> theta_;
};

std::unique_ptr<density::ExactDraws> CallableModel::make_exact_draws() const {
  if (const density::Capability capability = can_draw(); !capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  return std::make_unique<PriorDraws>(*this);
}

density::Capability CallableModel::has_likelihood() const {
  const bool asks_for_it = query_.terms == Terms::all || query_.terms == Terms::likelihood;
  if (!asks_for_it || !(callable().states || callable().simulator)) return {};
  if (callable().simulator)
    return {.can = false,
            .reason = "the model draws data and has no density of them",
            .where = name(),
            .hint = "use the sampler abc_smc"};
  return {.can = false,
          .reason = "the states aren't parameters, so that only filters compute the likelihood",
          .where = name(),
          .hint = "use the samplers pmmh or smc2"};
}

density::Offered<density::DataValues> CallableModel::data_values() const {
  if (callable().simulator) return *this;
  return density::Capability{.can = false,
                             .reason = "the data that a callable reads aren't known",
                             .where = name(),
                             .hint = "write it as a traced callable or as a Stan program"};
}

std::vector<density::ObservedVariable> CallableModel::all() const {
  const Simulator& simulator = *callable().simulator;
  return {
      {{.name = simulator.observed_name, .dims = {ssize(simulator.observed)}}, simulator.observed}};
}

// ---- evaluation

// Works with a copy of the callable, so that what this holds is one thread's.
class CallableModel::OneByOne final : public density::Evaluator {
 public:
  explicit OneByOne(const CallableModel& model)
      : model_(model), callable_(model.shared_->callable) {
    if (!model.map().is_identity()) bridge_.emplace(model.map());
  }

  void evaluate(Want want, std::span<Request* const> batch) override {
    if (want != Want::pointwise || model_.num_rows() == 0) density::check_function_want(want);
    make_room(batch);
    const std::span<ParameterMap::Crossing> points = std::span(points_).first(batch.size());
    if (bridge_) bridge_->forward(points);
    for (std::size_t k = 0; k < batch.size(); ++k) call(want, *batch[k], points[k]);
    if (bridge_ && want == Want::gradient) backward(points);
    for (std::size_t k = 0; k < batch.size(); ++k) finish(want, *batch[k], points[k]);
  }

 private:
  // The numbers of the parameters and the slopes by them, point after point.
  void make_room(std::span<Request* const> batch) {
    const std::size_t size = model_.num_parameters();
    if (theta_.size() < batch.size() * size) {
      theta_.resize(batch.size() * size);
      slopes_.resize(theta_.size());
    }
    if (points_.size() < batch.size()) points_.resize(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) {
      points_[k] = {.free = batch[k]->position,
                    .theta = std::span(theta_).subspan(k * size, size),
                    .adjoint = std::span(slopes_).subspan(k * size, size),
                    .gradient = batch[k]->gradient};
      if (!bridge_) std::copy_n(points_[k].free.begin(), size, points_[k].theta.begin());
    }
  }

  // A density without the Jacobian gets the gradient less that of the Jacobian, which every way back adds. The Jacobian's
  // own is the way back of slopes that are all 0.
  void backward(std::span<ParameterMap::Crossing> points) {
    bridge_->backward(points);
    if (model_.has_jacobian()) return;
    for (ParameterMap::Crossing point : points) {
      if (point.is_refused) continue;
      no_slopes_.assign(point.adjoint.size(), 0.0);
      of_jacobian_.assign(point.gradient.size(), 0.0);
      ParameterMap::Crossing alone = point;
      alone.adjoint = no_slopes_, alone.gradient = of_jacobian_;
      bridge_->backward(std::span(&alone, 1));
      for (std::size_t d = 0; d < of_jacobian_.size(); ++d) point.gradient[d] -= of_jacobian_[d];
    }
  }

  void call(Want want, Request& request, ParameterMap::Crossing& point) {
    const std::span<double> slope = point.adjoint;
    request.log_density = -kInfinity;
    request.status = {};
    std::fill(slope.begin(), slope.end(), 0.0);
    if (point.is_refused) {
      request.status = {.source = kBadParameters};
      return;
    }
    Request called{.position = point.theta, .gradient = {}, .status = {}};
    if (want == Want::gradient) called.gradient = slope;
    called.rows = request.rows, called.weight = request.weight;
    called.pointwise = request.pointwise;
    ask(want, slope, called);
    request.log_density = called.log_density;
    request.status = called.status;
    point.is_refused = !called.status.ok();
    if (point.is_refused) std::fill(slope.begin(), slope.end(), 0.0);  // crosses back unharmed
  }

  void finish(Want want, Request& request, const ParameterMap::Crossing& point) const {
    if (!request.status.ok()) return;
    if (model_.has_jacobian()) request.log_density += point.log_jacobian;
    if (want != Want::gradient) return;
    if (!bridge_) std::copy(point.adjoint.begin(), point.adjoint.end(), point.gradient.begin());
    const bool is_finite = std::all_of(point.gradient.begin(), point.gradient.end(),
                                       [](double x) { return std::isfinite(x); });
    if (is_finite) return;
    request.status = {.source = kBadParameters};
    request.log_density = -kInfinity;
  }

  // Sets log density and status; the gradient is the callable's if it has one.
  void ask(Want want, std::span<double> gradient, Request& request) {
    const std::span<const double> theta = request.position;
    try {
      if (want == Want::pointwise) return list_rows(gradient, request);
      density::judge(value_of(gradient, request), request);
    } catch (const Rejection& rejection) {
      request.log_density = -kInfinity;
      request.status = model_.reject(rejection.what());
    } catch (const std::exception& failure) {
      std::throw_with_nested(Error(ErrorCode::evaluation,
                                   fmt::format("the log density threw: {}", failure.what()),
                                   point_text(theta), "throw credo::Rejection to refuse a point"));
    } catch (...) {
      std::throw_with_nested(Error(ErrorCode::evaluation,
                                   "the log density threw what isn't a std::exception",
                                   point_text(theta), "throw credo::Rejection to refuse a point"));
    }
  }

  double value_of(std::span<double> gradient, const Request& request) {
    const std::span<const double> theta = request.position;
    double value = 0.0;
    if (model_.query_.terms != Terms::likelihood)
      value = callable_.with_gradient ? callable_.with_gradient(theta, gradient)
                                      : callable_.without_gradient(theta);
    if (callable_.rows && model_.query_.terms != Terms::prior) value += rows_of(gradient, request);
    const double power = model_.query_.power;
    if (power == 1.0) return value;
    for (double& slope : gradient) slope *= power;
    return power * value;
  }

  // The rows that count: those that the request names, with its weight, or all but those left out.
  double rows_of(std::span<double> gradient, const Request& request) {
    double sum = 0.0;
    if (model_.query_.batch > 0) {
      row_slopes_.assign(gradient.size(), 0.0);
      for (const double row : request.rows)
        sum += callable_.rows->log_density(request.position, static_cast<Index>(row), row_slopes_);
      for (std::size_t d = 0; d < gradient.size(); ++d)
        gradient[d] += request.weight * row_slopes_[d];
      return request.weight * sum;
    }
    auto left_out = model_.query_.without.begin();
    for (Index row = 0; row < callable_.rows->count; ++row) {
      if (left_out != model_.query_.without.end() && *left_out == row)
        ++left_out;
      else
        sum += callable_.rows->log_density(request.position, row, gradient);
    }
    return sum;
  }

  void list_rows(std::span<double> gradient, Request& request) {
    for (std::size_t row = 0; row < request.pointwise.size(); ++row) try {
        request.pointwise[row] =
            callable_.rows->log_density(request.position, static_cast<Index>(row), gradient);
      } catch (const Rejection&) {  // refuses this row alone: earlier rows keep their densities
        request.pointwise[row] = -kInfinity;
      }
    request.log_density = 0.0;
  }

  const CallableModel& model_;
  Callable callable_;
  std::optional<ParameterMap::Bridge> bridge_;
  std::vector<double> row_slopes_;
  std::vector<double> theta_, slopes_;
  std::vector<double> no_slopes_,
      of_jacobian_;  // room for one point, of densities without the Jacobian
  std::vector<ParameterMap::Crossing> points_;
};

std::unique_ptr<density::Evaluator> CallableModel::make_evaluator() const {
  return std::make_unique<OneByOne>(*this);
}
}  // namespace

std::shared_ptr<const density::Model> make_callable_model(const std::string& name,
                                                          const Parameters& parameters,
                                                          Callable callable) {
  return std::make_shared<const CallableModel>(
      std::make_shared<Shared>(name, parameters, std::move(callable)));
}

}  // namespace credo
