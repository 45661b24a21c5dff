// A C++ function with a hand-written gradient as a LogDensity.
//
//   auto density = make_density(2, [](std::span<const double> x, std::span<double> gradient) {
//     gradient[0] = -x[0]; gradient[1] = -x[1];
//     return -0.5 * (x[0] * x[0] + x[1] * x[1]);
//   });
//
// The function returns the log density at x and writes the gradient; it is called from several
// threads at once. A NaN, a +infinity or a gradient that isn't finite refuses the point with a
// status; so does -infinity, which is how the function says "outside the support".
#pragma once
#include "density/log_density.hpp"

namespace credo::density {

// Statuses of a FunctionDensity, Status::source.
enum class FunctionStatus : std::int32_t {
  fine = 0,
  outside_support,
  not_a_number,
  infinite,
  bad_gradient
};

std::string describe_function_status(const Status& status);

// Sets log_density and status from the value and the gradient at a point.
void judge(double log_density, Request& request);

// Throws Error(internal) for anything but values and gradients.
void check_function_want(Want want);

template <class Function>
class FunctionDensity final : public LogDensity {
 public:
  FunctionDensity(Index dimension, Function function)
      : dimension_(dimension), function_(std::move(function)) {}

  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return true; }
  std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<OneByOne>(*this);
  }
  std::string describe(const Status& status) const override {
    return describe_function_status(status);
  }

 private:
  class OneByOne final : public Evaluator {
   public:
    explicit OneByOne(const FunctionDensity& density)
        : density_(density), unused_(static_cast<std::size_t>(density.dimension_)) {}
    void evaluate(Want want, std::span<Request* const> batch) override {
      check_function_want(want);
      for (Request* request : batch) {
        const std::span<double> gradient = want == Want::gradient ? request->gradient : unused_;
        judge(density_.function_(request->position, gradient), *request);
      }
    }

   private:
    const FunctionDensity& density_;
    std::vector<double> unused_;
  };

  Index dimension_;
  Function function_;
};

// A function without a gradient: (std::span<const double> x) -> log density. Samplers that need a
// gradient refuse it.
template <class Function>
class ValueDensity final : public LogDensity {
 public:
  ValueDensity(Index dimension, Function function)
      : dimension_(dimension), function_(std::move(function)) {}

  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return false; }
  std::unique_ptr<Evaluator> make_evaluator() const override {
    return std::make_unique<OneByOne>(function_);
  }
  std::string describe(const Status& status) const override {
    return describe_function_status(status);
  }

 private:
  class OneByOne final : public Evaluator {
   public:
    explicit OneByOne(const Function& function) : function_(function) {}
    void evaluate(Want want, std::span<Request* const> batch) override {
      check_function_want(want);
      for (Request* request : batch) {
        const double log_density = function_(request->position);
        if (std::isfinite(log_density)) {
          request->log_density = log_density;
          request->status = {};
        } else {
          judge(log_density, *request);
        }
      }
    }

   private:
    const Function& function_;
  };

  Index dimension_;
  Function function_;
};

template <class Function>
std::unique_ptr<LogDensity> make_value_density(Index dimension, Function function) {
  return std::make_unique<ValueDensity<Function>>(dimension, std::move(function));
}

template <class Function>
std::unique_ptr<LogDensity> make_density(Index dimension, Function function) {
  return std::make_unique<FunctionDensity<Function>>(dimension, std::move(function));
}

}  // namespace credo::density
