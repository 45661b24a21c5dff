// A log density whose evaluators each have a function with memory of its own.
#pragma once
#include "density/function_density.hpp"

namespace credo::infer::rj {

// make() returns a function (x, gradient) -> log density; objects it refers to are kept alive by
// `make`. Without gradients the function is given a span to write to all the same.
template <class Make>
class WorkspaceDensity final : public density::LogDensity {
 public:
  WorkspaceDensity(Index dimension, bool has_gradient, Make make)
      : dimension_(dimension), has_gradient_(has_gradient), make_(std::move(make)) {}

  Index dimension() const override { return dimension_; }
  bool has_gradient() const override { return has_gradient_; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<OneByOne>(*this);
  }
  std::string describe(const density::Status& status) const override {
    return density::describe_function_status(status);
  }

 private:
  class OneByOne final : public density::Evaluator {
   public:
    explicit OneByOne(const WorkspaceDensity& owner)
        : function_(owner.make_()), unused_(static_cast<std::size_t>(owner.dimension_)) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      density::check_function_want(want);
      for (density::Request* request : batch) {
        const bool with_gradient = want == density::Want::gradient;
        const std::span<double> gradient = with_gradient ? request->gradient : unused_;
        density::judge(function_(request->position, gradient), *request);
      }
    }

   private:
    std::invoke_result_t<const Make&> function_;
    std::vector<double> unused_;
  };

  Index dimension_;
  bool has_gradient_;
  Make make_;
};

template <class Make>
std::shared_ptr<const density::LogDensity> make_workspace_density(Index dimension,
                                                                  bool has_gradient, Make make) {
  return std::make_shared<WorkspaceDensity<Make>>(dimension, has_gradient, std::move(make));
}

}  // namespace credo::infer::rj
