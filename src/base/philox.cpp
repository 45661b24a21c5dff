#include "base/philox.hpp"

#include <Random123/philox.h>

namespace credo {

PhiloxBlock philox_block(std::uint64_t key, const PhiloxCounter& counter) {
  const philox4x32_ctr_t input = {{counter[0], counter[1], counter[2], counter[3]}};
  const philox4x32_key_t cipher_key = {
      {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}};
  const philox4x32_ctr_t output = philox4x32_R(10, input, cipher_key);
  return {output.v[0] | std::uint64_t{output.v[1]} << 32,
          output.v[2] | std::uint64_t{output.v[3]} << 32};
}

}  // namespace credo
