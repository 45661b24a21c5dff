// Any bytes are data or an Error{data}; nothing else may happen. What is read has numbers that
// match its sizes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/error.hpp"
#include "io/json_reader.hpp"
#include "io/stan_csv.hpp"

namespace {
using credo::Error;
using credo::ErrorCode;
using credo::io::DataKind;
using credo::io::DataValue;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_value(const DataValue& value) {
  const auto size = static_cast<std::size_t>(value.num_elements());
  check(value.integers.size() == (value.kind == DataKind::integers ? size : 0));
  check(value.reals.size() == (value.kind == DataKind::reals ? size : 0));
  check(value.kind != DataKind::empty || size == 0);
  for (const DataValue& slot : value.slots) check_value(slot);
}

template <class Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const Error& error) {
    check(error.code() == ErrorCode::data);
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_or_refuse([&] {
    const auto table = credo::io::parse_json_data(text, "fuzz");
    for (const std::string& name : table.names()) check_value(*table.find(name));
  });
  read_or_refuse([&] { check_value(credo::io::parse_json_array(text, "fuzz")); });
  read_or_refuse([&] { (void)credo::io::parse_json_tables(text, "fuzz"); });
  read_or_refuse([&] { (void)credo::io::parse_stan_csv(text, "fuzz"); });
  return 0;
}
