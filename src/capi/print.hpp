// Output of the print statements of all models: a callback, or standard output.
#pragma once
#include "base/std.hpp"

namespace credo::capi {

using PrintCallback = void (*)(const char* data, std::size_t size);

void set_print_callback(PrintCallback callback);  // null: standard output
void print(std::string_view text);                // adds the newline; one call at a time

}  // namespace credo::capi
