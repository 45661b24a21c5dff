// Implementation of a program's scheme.
#pragma once
#include "credo/scheme.hpp"
#include "infer/compose/scheme.hpp"

namespace credo {

struct Scheme::Impl {
  infer::Scheme scheme;
};

// The field of an option, which is named as on the command line or as its field.
std::string field_of(std::string name);

}  // namespace credo
