// Writes to files that aren't regular: a device, a pipe, a socket. A pipe waits for its reader, and
// a full one for its reader to continue; while it waits the program can be stopped.
#pragma once
#include "base/types.hpp"

namespace credo::io {

// The descriptor; -1 with errno. Throws Error(interrupted) if it is stopped while it waits.
int open_special(const std::string& path);

// All of the text; false with errno. Throws as open_special; `path` is for the message.
bool write_special(int descriptor, std::string_view text, const std::string& path);

}  // namespace credo::io
