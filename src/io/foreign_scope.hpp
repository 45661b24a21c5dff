// Scope of calls of a library that crashes, or ends the program, if memory is short or a file is
// damaged (HDF5 does both): while such a scope lasts, the fault becomes a message and status 6. At most one exists at a
// time.
#pragma once
#include "base/std.hpp"

namespace credo::io {

class ForeignScope {
 public:
  explicit ForeignScope(const std::string& path);  // path of the file, for the message
  ~ForeignScope();
  ForeignScope(const ForeignScope&) = delete;
  ForeignScope& operator=(const ForeignScope&) = delete;
};

}  // namespace credo::io
