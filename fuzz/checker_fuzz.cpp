#include "program_mutator.hpp"
#include "support/fuzz/checker.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  credo::fuzz::run_checker({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
