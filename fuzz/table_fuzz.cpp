#include "support/fuzz/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  credo::fuzz::run_table({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
