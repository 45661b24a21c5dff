// Reads the notation of the signature table (lang/typed/signatures.hpp).
#pragma once
#include "lang/typed/signatures.hpp"

namespace credo::lang {

// The patterns of one row, one a line; `next_id` numbers them and is advanced.
std::vector<Signature> parse_signatures(std::string_view lines, int& next_id);

// "reals" and the like; empty when the types are no named set.
std::string_view name_of_set(std::span<const UnsizedType> types);

}  // namespace credo::lang
