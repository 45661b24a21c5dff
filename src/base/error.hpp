// Errors of use, thrown at public entry points only; numerical failure is a value
// (base/result.hpp), mistakes in a program's text go to lang/diagnostics, programmer mistakes are
// CREDO_ASSERT.
#pragma once
#include "base/std.hpp"
#include "credo/error.hpp"  // Error is what users of the C++ interface catch, too

namespace credo {

[[noreturn]] void assertion_failed(const char* condition, const char* words, const char* file,
                                   int line);

#if defined(CREDO_ASSERTIONS)
#define CREDO_ASSERT(condition, words) \
  ((condition) ? void(0) : ::credo::assertion_failed(#condition, words, __FILE__, __LINE__))
#else
#define CREDO_ASSERT(condition, words) ((void)sizeof(!(condition)))
#endif

}  // namespace credo
