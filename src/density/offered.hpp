// The answer to the question whether a model has some interface: the interface, or the reason why the model lacks it.
//
//   if (const auto inverse = model.inverse()) return inverse->unconstrain_row(row);
//   return model.inverse().require(model.name()).unconstrain_row(row);
//
// An interface lives as long as its model.
#pragma once
#include "base/error.hpp"
#include "density/query.hpp"

namespace credo::density {

template <class Interface>
class Offered {
 public:
  Offered(const Interface& there) : there_(&there) {}
  Offered(Capability why_not) : why_not_(std::move(why_not)) {}

  explicit operator bool() const { return there_ != nullptr; }
  const Interface* get() const { return there_; }  // null if the model lacks it
  const Interface* operator->() const { return there_; }
  const Interface& operator*() const { return *there_; }

  // The reason and a way out, for a model that lacks it.
  const Capability& why_not() const { return why_not_; }
  // The interface; throws Error with the reason if the model lacks it. `where`: the model's name.
  const Interface& require(const std::string& where, ErrorCode code = ErrorCode::program) const {
    if (there_ != nullptr) return *there_;
    throw Error(code, why_not_.reason, why_not_.where.empty() ? where : why_not_.where,
                why_not_.hint);
  }

 private:
  const Interface* there_ = nullptr;
  Capability why_not_ = {.can = false};
};

}  // namespace credo::density
