#include "program_mutator.hpp"
#include "support/fuzz/parser.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  credo::fuzz::run_parser({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
