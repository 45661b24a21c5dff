#include "lang/trace/callable.hpp"

#include <fmt/format.h>

namespace credo::lang {
namespace {
const typed::FunctionName& name_in(const BuiltinCall& call, std::size_t k) {
  const auto* name = std::get_if<typed::FunctionName>(&call.call.arguments[k].node);
  if (name == nullptr)
    call.machine.fail(fmt::format("{}: argument {} is no function", call.name, k + 1));
  return *name;
}
}  // namespace

Callable::Callable(const BuiltinCall& call, std::size_t k)
    : machine_(call.machine), name_(name_in(call, k)) {}

Value Callable::operator()(std::vector<Value> arguments, std::uint64_t autodiff) const {
  return machine_.call_passed(name_, std::move(arguments), autodiff);
}

bool has_autodiff(const BuiltinCall& call, std::size_t k) {
  return (call.machine.autodiff_of(call.call.arguments) & typed::Autodiff::bit(k)) != 0;
}

Trailing::Trailing(const BuiltinCall& call, std::size_t from) {
  const std::uint64_t of_call = call.machine.autodiff_of(call.call.arguments);
  for (std::size_t k = from; k < call.size(); ++k) {
    if ((of_call & typed::Autodiff::bit(k)) != 0) autodiff |= typed::Autodiff::bit(k - from);
    values.push_back(call[k]);
  }
}

std::uint64_t Trailing::autodiff_after(std::size_t leading, std::uint64_t own) const {
  for (std::size_t k = 0; k < values.size(); ++k)
    if ((autodiff & typed::Autodiff::bit(k)) != 0) own |= typed::Autodiff::bit(leading + k);
  return own;
}

std::vector<Value> Trailing::after(std::vector<Value> leading) const {
  leading.insert(leading.end(), values.begin(), values.end());
  return leading;
}

}  // namespace credo::lang
