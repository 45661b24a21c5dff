// Any bytes as a file of a finite chain, JSON or CSV: refused, or analysed and reported.
#pragma once
#include "support/fuzz/fits.hpp"

namespace credo::fuzz {

inline void run_chain(std::string_view bytes) {
  const Patience patience(kPatience);
  const bool is_json = bytes.starts_with("{");
  const ScratchFile file(bytes, is_json ? "chain.json" : "chain.csv");
  may_be_refused([&] { run_command({"chain", file.path(), "--normalise"}); });
  may_be_refused([&] { run_command({"chain", file.path(), "--json", "--steps", "5"}); });
}

}  // namespace credo::fuzz
