// Any bytes are data (JSON) or an Error{data}. What is read has numbers that match its sizes.
#pragma once
#include "io/json_reader.hpp"
#include "io/json_value.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

inline void claim_sizes(const io::DataValue& value) {
  const auto size = static_cast<std::size_t>(value.num_elements());
  claim(value.integers.size() == (value.kind == io::DataKind::integers ? size : 0), "as many ints");
  claim(value.reals.size() == (value.kind == io::DataKind::reals ? size : 0), "as many reals");
  claim(value.kind != io::DataKind::empty || size == 0, "nothing is empty");
  claim(!io::describe(value).empty(), "a value is something");
  for (const io::DataValue& slot : value.slots) claim_sizes(slot);
}

template <class Read>
void is_data_or_refused(Read read) {
  try {
    read();
  } catch (const Error& error) {
    claim(error.code() == ErrorCode::data, "what isn't data is an error of data");
  }
}

inline void run_data(std::string_view bytes) {
  is_data_or_refused([&] {
    const auto table = io::parse_json_data(bytes, "fuzz");
    for (const std::string& name : table.names()) claim_sizes(*table.find(name));
  });
  is_data_or_refused([&] { claim_sizes(io::parse_json_array(bytes, "fuzz")); });
  is_data_or_refused([&] {
    for (const auto& table : io::parse_json_tables(bytes, "fuzz"))
      for (const std::string& name : table.names()) claim_sizes(*table.find(name));
  });
  may_be_refused([&] { (void)io::parse_json_value(bytes, "fuzz"); });
}

}  // namespace credo::fuzz
