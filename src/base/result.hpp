// Result<T, E>: a value or the reason why it is missing. Member names are those of std::expected, which
// this toolchain lacks.
#pragma once
#include "base/std.hpp"

namespace credo {

template <class E>
struct Unexpected {
  E error;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Result(Unexpected<E> reason)
      : content_(std::in_place_index<1>, std::move(reason.error)) {}  // NOLINT: implicit

  bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() { return std::get<0>(content_); }
  const T& value() const { return std::get<0>(content_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const E& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, E> content_;
};

}  // namespace credo
