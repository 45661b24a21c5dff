#include "density/function_density.hpp"

#include "base/error.hpp"

namespace credo::density {
namespace {
Status failed(FunctionStatus why, double value) {
  return {.source = static_cast<std::int32_t>(why), .value = value};
}

Status status_of(double log_density, std::span<const double> gradient) {
  if (std::isnan(log_density)) return failed(FunctionStatus::not_a_number, log_density);
  if (log_density == -kInfinity) return failed(FunctionStatus::outside_support, log_density);
  if (log_density == kInfinity) return failed(FunctionStatus::infinite, log_density);
  for (double g : gradient)
    if (!std::isfinite(g)) return failed(FunctionStatus::bad_gradient, g);
  return {};
}
}  // namespace

void judge(double log_density, Request& request) {
  request.status = status_of(log_density, request.gradient);
  request.log_density = request.status.ok() ? log_density : -kInfinity;
}

void check_function_want(Want want) {
  if (want == Want::value || want == Want::gradient) return;
  throw Error(ErrorCode::internal, "a function has neither Hessian nor information", "",
              "see density/matrix_field.hpp");
}

std::string describe_function_status(const Status& status) {
  switch (static_cast<FunctionStatus>(status.source)) {
    case FunctionStatus::fine:
      return "the log density is finite";
    case FunctionStatus::outside_support:
      return "the log density is -infinity";
    case FunctionStatus::not_a_number:
      return "the log density is not a number";
    case FunctionStatus::infinite:
      return "the log density is +infinity";
    case FunctionStatus::bad_gradient:
      return "the gradient is not finite";
  }
  return "unknown status " + std::to_string(status.source);
}

}  // namespace credo::density
