#include "results/files/data_digest.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "results/files/facts.hpp"

namespace credo::results {
namespace {

// All NaN are one number, and so are both zeros.
std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(std::isnan(value) ? kNaN : value == 0.0 ? 0.0 : value);
}

DataDigest digest_of(const density::ObservedVariable& data, bool observed) {
  std::vector<std::uint64_t> words;
  for (const Index size : data.variable.dims) words.push_back(static_cast<std::uint64_t>(size));
  for (const double value : data.values) words.push_back(bits_of(value));
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()),
                               words.size() * sizeof(std::uint64_t));
  return {.name = data.variable.name,
          .size = ssize(data.values),
          .digest = hash_of(bytes),
          .observed = observed};
}

bool knows_outcomes(std::span<const DataDigest> all) {
  return std::ranges::any_of(all, [](const DataDigest& d) { return d.observed; });
}

// The first outcome that `others` don't have, each of theirs taken once.
const DataDigest* outcome_missing(std::span<const DataDigest> all,
                                  std::span<const DataDigest> others) {
  std::multiset<std::string> left;
  for (const DataDigest& other : others)
    if (other.observed) left.insert(other.digest);
  for (const DataDigest& one : all) {
    if (!one.observed) continue;
    const auto found = left.find(one.digest);
    if (found == left.end()) return &one;
    left.erase(found);
  }
  return nullptr;
}
}  // namespace

std::vector<DataDigest> digests_of(const density::Model& model) {
  std::vector<DataDigest> all;
  for (const density::ObservedVariable& data : observed_data(model))
    all.push_back(digest_of(data, true));
  for (const density::ObservedVariable& outcome : rescaled_outcomes(model))
    all.push_back(digest_of(outcome, true));
  return all.empty() ? digests_of_all(model) : all;
}

std::vector<DataDigest> digests_of_all(const density::Model& model) {
  std::vector<DataDigest> all;
  for (const density::ObservedVariable& data : all_data(model))
    all.push_back(digest_of(data, false));
  return all;
}

std::string difference_of_data(std::span<const DataDigest> a, std::span<const DataDigest> b) {
  if (knows_outcomes(a) && knows_outcomes(b)) {
    const DataDigest* only_a = outcome_missing(a, b);
    const DataDigest* only_b = outcome_missing(b, a);
    const DataDigest* one = only_a != nullptr ? only_a : only_b;
    if (one == nullptr) return {};
    return fmt::format("the outcome {} of {} values is that of the {} alone", one->name, one->size,
                       only_a != nullptr ? "first" : "second");
  }
  for (const DataDigest& one : a)
    for (const DataDigest& other : b)
      if (one.name == other.name && one.digest != other.digest)
        return fmt::format("{} has other values", one.name);
  return {};
}

bool share_an_outcome(std::span<const DataDigest> a, std::span<const DataDigest> b) {
  return std::ranges::any_of(a, [&](const DataDigest& one) {
    return one.observed && std::ranges::any_of(b, [&](const DataDigest& other) {
             return other.observed && other.digest == one.digest;
           });
  });
}

void add_digests(ArrayList& answer, std::span<const DataDigest> all) {
  auto group = answer.add_group("data", {{"variable", ssize(all)}});
  auto add = group.columns(all);
  add("name", &DataDigest::name), add("size", &DataDigest::size);
  add("digest", &DataDigest::digest, "of sizes and values"), add("observed", &DataDigest::observed);
}

std::vector<DataDigest> read_digests(const io::JsonValue& array) {
  const auto member = [](const io::JsonValue& one, const char* name) {
    const io::JsonValue* found = one.find(name);
    if (found == nullptr)
      throw Error(ErrorCode::data, fmt::format("there is no '{}' in it", name), one.where,
                  "name a file that credo evidence -o has written");
    return *found;
  };
  std::vector<DataDigest> all;
  for (const io::JsonValue& one : array.as_array("data"))
    all.push_back({.name = member(one, "name").as_string("name"),
                   .size = static_cast<Index>(member(one, "size").as_number("size")),
                   .digest = member(one, "digest").as_string("digest"),
                   .observed = member(one, "observed").truth});
  return all;
}

}  // namespace credo::results
