#include "api/callable_model.hpp"

#include <fmt/format.h>

#include <mutex>

#include "density/function_density.hpp"

namespace credo {
namespace {
using density::Request;
using density::Status;
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
      : name(std::move(name_)), map(parameters), callable(std::move(callable_)) {}

  std::string name;
  ParameterMap map;
  Callable callable;
  std::mutex mutex;  // protects reasons; locked only if the callable rejects a point
  std::vector<std::string> reasons;
};

class CallableModel final : public density::Model {
 public:
  explicit CallableModel(std::shared_ptr<Shared> shared, density::Query query = {})
      : shared_(std::move(shared)), query_(query) {}

  Index dimension() const override { return map().unconstrained().size(); }
  // The way back has the slope of the Jacobian in it.
  bool has_gradient() const override {
    return shared_->callable.with_gradient != nullptr && query_.jacobian;
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const Status& status) const override;

  const std::string& name() const override { return shared_->name; }
  const density::Layout& outputs() const override { return map().outputs(); }
  density::Layout unconstrained() const override { return map().unconstrained(); }
  std::vector<std::string> free_names() const override {
    return map().unconstrained().element_names();
  }
  density::Query query() const override { return query_; }
  density::Capability can(const density::Query& query,
                          std::span<const double> point) const override;
  std::unique_ptr<density::Model> asking(const density::Query& query) const override;
  std::unique_ptr<density::Writer> make_writer(density::Written what = {}) const override;
  std::vector<double> write(std::span<const double> point, Rng& rng, std::string* note = nullptr,
                            const density::Written& what = {}) const override;
  std::vector<double> unconstrain_row(std::span<const double> row) const override {
    return map().unconstrain(row);
  }
  std::shared_ptr<const density::ProgramFacts> program_facts() const override {
    return std::make_shared<const density::ProgramFacts>(map().facts());
  }

 private:
  class OneByOne;
  const ParameterMap& map() const { return shared_->map; }
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
  if (query.terms == density::Terms::all && query.batch == 0 && query.without.empty()) return {};
  return {.can = false,
          .reason = "the terms of a callable aren't known apart",
          .where = name(),
          .hint = "write it as a traced callable or as a Stan program"};
}

std::unique_ptr<density::Model> CallableModel::asking(const density::Query& query) const {
  if (const density::Capability capability = can(query, {}); !capability.can)
    throw Error(ErrorCode::program, capability.reason, capability.where, capability.hint);
  return std::make_unique<CallableModel>(shared_, query);
}

std::vector<double> CallableModel::write(std::span<const double> point, Rng&, std::string*,
                                         const density::Written& what) const {
  return density::chosen(map().constrain(point), what);
}

std::unique_ptr<density::Writer> CallableModel::make_writer(density::Written what) const {
  return density::one_by_one(*this, std::move(what));
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
    density::check_function_want(want);
    make_room(batch);
    const std::span<ParameterMap::Crossing> points = std::span(points_).first(batch.size());
    if (bridge_) bridge_->forward(points);
    for (std::size_t k = 0; k < batch.size(); ++k) call(want, *batch[k], points[k]);
    if (bridge_ && want == Want::gradient) bridge_->backward(points);
    for (std::size_t k = 0; k < batch.size(); ++k) finish(want, *batch[k], points[k]);
  }

 private:
  // The numbers of the parameters and the slopes by them, point after point.
  void make_room(std::span<Request* const> batch) {
    const auto size = static_cast<std::size_t>(model_.outputs().size());
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
    ask(slope, called);
    request.log_density = called.log_density;
    request.status = called.status;
    point.is_refused = !called.status.ok();
    if (point.is_refused) std::fill(slope.begin(), slope.end(), 0.0);  // crosses back unharmed
  }

  void finish(Want want, Request& request, const ParameterMap::Crossing& point) const {
    if (!request.status.ok()) return;
    if (model_.query_.jacobian) request.log_density += point.log_jacobian;
    if (want != Want::gradient) return;
    if (!bridge_) std::copy(point.adjoint.begin(), point.adjoint.end(), point.gradient.begin());
    const bool is_finite = std::all_of(point.gradient.begin(), point.gradient.end(),
                                       [](double x) { return std::isfinite(x); });
    if (is_finite) return;
    request.status = {.source = kBadParameters};
    request.log_density = -kInfinity;
  }

  // Sets log density and status; the gradient is the callable's if it has one.
  void ask(std::span<double> gradient, Request& request) {
    const std::span<const double> theta = request.position;
    try {
      const double value = callable_.with_gradient ? callable_.with_gradient(theta, gradient)
                                                   : callable_.without_gradient(theta);
      density::judge(value, request);
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

  const CallableModel& model_;
  Callable callable_;
  std::optional<ParameterMap::Bridge> bridge_;
  std::vector<double> theta_, slopes_;
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
