#include "results/files/facts.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "base/archive.hpp"
#include "density/model.hpp"
#include "io/data/data_files.hpp"
#include "io/number_text.hpp"
#include "numerics/arithmetic.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {

std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("fnv1a64:{:016x}", hash);
}

namespace {

// Hash of the texts of all data files, one behind the other.
std::string hash_of_data(const ModelFiles& made_of) {
  std::string all;
  for (const std::string& path : io::data_files(made_of.data))
    if (const auto text = made_of.files.find(path); text != made_of.files.end())
      all += text->second;
  return hash_of(all);
}

template <infer::Described S>
void add_fields(io::RunFile::Facts& facts, const S& described) {
  S::describe(described, [&](const auto& value, const infer::FieldSpec& spec) {
    using Value = std::remove_cvref_t<decltype(value)>;
    std::string& text = facts[kSettingPrefix + std::string(spec.name)];
    if constexpr (infer::Described<Value>) {
      facts.erase(kSettingPrefix + std::string(spec.name));
      add_fields(facts, value);
    } else if constexpr (std::is_same_v<Value, bool>) {
      text = value ? "true" : "false";
    } else if constexpr (std::is_enum_v<Value>) {
      text = enum_names(value)[static_cast<std::size_t>(value)];
    } else if constexpr (std::is_same_v<Value, double>) {
      text = io::number_text(value);
    } else {
      text = fmt::format("{}", value);
    }
  });
}

// Every field of the run's and the sampler's options. Threads never change a result.
void add_settings(io::RunFile::Facts& facts, const infer::SampleOptions& options) {
  add_fields(facts, options);
  for (const infer::FieldValue& field : infer::fields_of(options.kernel))
    facts[kSettingPrefix + field.name] = field.value;
  facts.erase(kSettingPrefix + std::string("num_threads"));
}
}  // namespace

std::string arithmetic() {
  return fmt::format("credo {}, {}, libm {}", CREDO_VERSION,
                     numerics::arithmetic_name(numerics::active_target()), gnu_get_libc_version());
}

io::RunFile::Facts facts_of_run(const density::Model& model, const RunSpec& spec) {
  const infer::SampleOptions& options = spec.run;
  io::RunFile::Facts facts = {{"arithmetic", arithmetic()},
                              {"spec", to_json(spec)},
                              {"version", CREDO_VERSION},
                              {"model_name", model.name()},
                              {"sampler", options.sampler},
                              {"seed", fmt::format("{}", options.seed)},
                              {"free_names", archived(model.free_names())},
                              {"data_variables", archived(data_variables(model))}};
  add_settings(facts, options);
  return facts;
}

void add_files(io::RunFile::Facts& facts, const ModelFiles& made_of) {
  facts["model"] = made_of.model;
  facts["data"] = made_of.data;
  facts["data_hash"] = hash_of_data(made_of);
  for (const auto& [name, content] : made_of.files) facts[kFilePrefix + name] = content;
}

}  // namespace credo::results
