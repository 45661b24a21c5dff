#include "api/callable_density.hpp"

#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "api/compile.hpp"
#include "density/function_density.hpp"
#include "model/model.hpp"

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

bool has_constraints(const Parameters& parameters) {
  const auto& all = parameters.impl().all;
  return std::any_of(all.begin(), all.end(), [](const Declaration& d) {
    return !d.constrained.empty() || d.constraint.kind != Constraint::Kind::none;
  });
}

std::string bridge_text(const Parameters& parameters) {
  std::string name = "adjoint";
  for (const Declaration& d : parameters.impl().all)
    if (d.name.starts_with(name)) name = d.name + "_adjoint";
  std::string declared, terms;
  for (const Declaration& d : parameters.impl().all) {
    declared += "  " + declared_text(d) + "\n";
    if (d.size() == 0) continue;
    if (d.type == detail::Type::real)
      terms += fmt::format("  target += {}[{}] * {};\n", name, d.first + 1, d.name);
    else
      terms += fmt::format("  target += dot_product({}[{}:{}], to_vector({}));\n", name,
                           d.first + 1, d.first + d.size(), d.name);
  }
  return fmt::format("parameters {{\n{}  vector[{}] {};\n}}\nmodel {{\n{}}}\n", declared,
                     parameters.size(), name, terms);
}

class CallableDensity final : public density::LogDensity {
 public:
  CallableDensity(const Parameters& parameters, Index dimension, Callable callable)
      : dimension_(dimension), size_(parameters.size()), callable_(std::move(callable)) {
    if (has_constraints(parameters))
      bridge_ =
          compile_model({.name = "parameters", .program = bridge_text(parameters), .data = {}}, {});
  }

  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return callable_.with_gradient != nullptr; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override;
  std::string describe(const Status& status) const override;

 private:
  class OneByOne;
  Status reject(const std::string& reason) const;

  Index dimension_, size_;
  Callable callable_;
  std::unique_ptr<const model::Model> bridge_;
  mutable std::mutex mutex_;  // of reasons_; taken where a callable rejects a point only
  mutable std::vector<std::string> reasons_;
};

Status CallableDensity::reject(const std::string& reason) const {
  const std::lock_guard lock(mutex_);
  auto known = std::find(reasons_.begin(), reasons_.end(), reason);
  if (known == reasons_.end() && reasons_.size() >= kMaxReasons) known = reasons_.end() - 1;
  if (known == reasons_.end()) known = reasons_.insert(known, reason);
  return {.source = kFirstRejection + static_cast<std::int32_t>(known - reasons_.begin())};
}

std::string CallableDensity::describe(const Status& status) const {
  if (status.source == kBadParameters)
    return "the parameters at these free values aren't finite, or their Jacobian isn't";
  if (status.source < kFirstRejection) return density::describe_function_status(status);
  const std::lock_guard lock(mutex_);
  return reasons_[static_cast<std::size_t>(status.source - kFirstRejection)];
}

// Works with a copy of the callable, so that what this holds is one thread's.
class CallableDensity::OneByOne final : public density::Evaluator {
 public:
  explicit OneByOne(const CallableDensity& density)
      : density_(density),
        callable_(density.callable_),
        unused_(static_cast<std::size_t>(density.size_)) {
    if (density.bridge_ != nullptr) bridge_ = density.bridge_->make_evaluator();
  }

  void evaluate(Want want, std::span<Request* const> batch) override {
    density::check_function_want(want);
    if (bridge_ == nullptr) {
      for (Request* request : batch)
        call(request->position, want == Want::gradient ? request->gradient : unused_, *request);
      return;
    }
    make_room(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) at(k).begin(*batch[k], density_);
    cross(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) call_with_parameters(*batch[k], at(k));
    if (want == Want::gradient) cross(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) at(k).finish(want, *batch[k]);
  }

 private:
  // A point on the bridge.
  struct Crossing {
    std::vector<double> position, gradient, theta;
    Request request;
    double log_density = 0.0;

    void begin(const Request& asked, const CallableDensity& density) {
      const auto free = static_cast<std::size_t>(density.dimension_);
      const std::size_t both = free + static_cast<std::size_t>(density.size_);
      position.assign(both, 0.0);
      gradient.assign(both, 0.0);
      std::copy(asked.position.begin(), asked.position.end(), position.begin());
      request = {.position = position, .gradient = gradient, .status = {}};
    }
    std::span<double> adjoint(std::size_t free) { return std::span(position).subspan(free); }
    void finish(Want want, Request& asked) {
      if (!asked.status.ok()) return;
      if (!request.status.ok()) {
        asked.status = {.source = kBadParameters};
        asked.log_density = -kInfinity;
        return;
      }
      asked.log_density = log_density;
      if (want == Want::gradient)
        std::copy_n(gradient.begin(), asked.gradient.size(), asked.gradient.begin());
    }
  };

  Crossing& at(std::size_t k) { return crossings_[k]; }

  void make_room(std::size_t count) {
    while (crossings_.size() < count) {
      crossings_.emplace_back();
      pointers_.clear();
    }
    if (pointers_.size() == crossings_.size()) return;
    pointers_.clear();
    for (Crossing& crossing : crossings_) pointers_.push_back(&crossing.request);
  }

  void cross(std::size_t count) {
    bridge_->evaluate(Want::gradient, std::span(pointers_).first(count));
  }

  void call_with_parameters(Request& asked, Crossing& crossing) {
    const auto free = static_cast<std::size_t>(density_.dimension_);
    asked.log_density = -kInfinity;
    asked.status = {};
    if (!crossing.request.status.ok()) {
      asked.status = {.source = kBadParameters};
      return;
    }
    const double log_jacobian = crossing.request.log_density;
    crossing.theta.assign(crossing.gradient.begin() + static_cast<std::ptrdiff_t>(free),
                          crossing.gradient.end());
    Request called{.position = crossing.theta, .gradient = crossing.adjoint(free), .status = {}};
    call(crossing.theta, called.gradient, called);
    asked.status = called.status;
    crossing.log_density = called.log_density + log_jacobian;
    if (!called.status.ok())
      std::fill(called.gradient.begin(), called.gradient.end(), 0.0);  // crosses back unharmed
  }

  // Sets log density and status; the gradient is the callable's if it has one.
  void call(std::span<const double> theta, std::span<double> gradient, Request& request) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    try {
      const double value = callable_.with_gradient ? callable_.with_gradient(theta, gradient)
                                                   : callable_.without_gradient(theta);
      density::judge(value, request);
    } catch (const Rejection& rejection) {
      request.log_density = -kInfinity;
      request.status = density_.reject(rejection.what());
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

  const CallableDensity& density_;
  Callable callable_;
  std::vector<double> unused_;
  std::unique_ptr<density::Evaluator> bridge_;
  std::deque<Crossing> crossings_;
  std::vector<Request*> pointers_;
};

std::unique_ptr<density::Evaluator> CallableDensity::make_evaluator() const {
  return std::make_unique<OneByOne>(*this);
}
}  // namespace

std::shared_ptr<const density::LogDensity> make_callable_density(const Parameters& parameters,
                                                                 Index dimension,
                                                                 Callable callable) {
  return std::make_shared<const CallableDensity>(parameters, dimension, std::move(callable));
}

}  // namespace credo
