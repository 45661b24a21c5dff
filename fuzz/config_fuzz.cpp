#include "support/fuzz/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  credo::fuzz::run_config({reinterpret_cast<const char*>(bytes), size});
  return 0;
}
