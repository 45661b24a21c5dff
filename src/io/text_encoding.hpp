// Encoding of a text, as far as its first bytes show it: programs and data are UTF-8.
#pragma once
#include "base/std.hpp"

namespace credo::io {

// "UTF-16" or "UTF-32"; empty for anything else, UTF-8 with a byte order mark among it.
std::string_view foreign_encoding(std::string_view text);
// Advice for a hint.
std::string to_utf8_hint(std::string_view encoding);
// True if the bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF [rfc3629].
bool is_utf8(std::string_view text);

}  // namespace credo::io
