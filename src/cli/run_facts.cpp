#include "cli/run_facts.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "base/archive.hpp"
#include "cli/fit_layout.hpp"
#include "io/number_text.hpp"
#include "numerics/arithmetic.hpp"

namespace credo::cli {
namespace {
// FNV-1a: to tell data apart, not to protect them.
std::string hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("fnv1a64:{:016x}", hash);
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
    facts[kSettingPrefix + std::string(field.spec.name)] = field.value;
  facts.erase(kSettingPrefix + std::string("num_threads"));
}
// Options that say how a run is done and where its result goes, and never change a draw.
constexpr std::array<std::string_view, 12> kWithoutEffect = {
    "--threads", "--quiet", "--json",      "--output",   "--format", "--sig-figs",
    "--simd",    "--dump",  "--max-lanes", "--max-time", "--strict", "--progress"};
}  // namespace

RunWords run_words(const Arguments& stated, std::span<const std::string> words) {
  const Given given = read_words(stated, words);
  Given repeat;
  for (const auto& [name, texts] : given) {
    const Argument* argument = stated.find(name);
    const bool is_default = argument != nullptr && !argument->positional && texts.size() == 1 &&
                            texts[0] == argument->default_text;
    const bool has_none =
        std::find(kWithoutEffect.begin(), kWithoutEffect.end(), name) != kWithoutEffect.end();
    const bool other_bits = name == "--simd" && texts[0] == "sse4";
    if ((!has_none || other_bits) && !is_default) repeat[name] = texts;
  }
  return {.given = {words.begin(), words.end()}, .repeat = words_of(stated, repeat)};
}

namespace {
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return parts;
}

// "libm 2.31 then, libm 2.36 now"
std::string difference(const std::string& then, const std::string& now) {
  const std::vector<std::string> before = parts_of(then), after = parts_of(now);
  if (before.size() != after.size()) return fmt::format("{} then, {} now", then, now);
  std::string text;
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k] != after[k])
      text += fmt::format("{}{} then, {} now", text.empty() ? "" : "; ", before[k], after[k]);
  return text;
}
}  // namespace

void check_arithmetic(io::RunFile& file, bool allowed) {
  const FitOrigin origin = origin_of(file.facts(), file.path());
  const std::string now = arithmetic();
  if (origin.arithmetic == now) return;
  if (!allowed)
    throw Error(ErrorCode::usage,
                fmt::format("the run was begun with other arithmetic ({}): draws that follow would "
                            "differ in their last digits from those of an unbroken run, and so "
                            "become others",
                            difference(origin.arithmetic, now)),
                file.path(),
                "go on with the program and machine that began it, or with --other-arithmetic, and "
                "the result will say so");
  if (origin.resumed_with.find(now) != std::string::npos) return;
  file.set_fact("resumed_with",
                origin.resumed_with.empty() ? now : origin.resumed_with + "; " + now);
}

std::string arithmetic() {
  return fmt::format("credo {}, {}, libm {}", CREDO_VERSION,
                     numerics::arithmetic_name(numerics::active_target()), gnu_get_libc_version());
}

io::RunFile::Facts run_facts(const ModelArguments& arguments, const model::Model& model,
                             const infer::SampleOptions& options, const RunWords& words) {
  const auto& files = arguments.files.contents();
  const auto data = files.find(arguments.data);
  io::RunFile::Facts facts = {
      {"arguments", archived(words.repeat)},
      {"words", archived(words.given)},
      {"arithmetic", arithmetic()},
      {"version", CREDO_VERSION},
      {"model", arguments.model},
      {"model_name", model.name()},
      {"data", arguments.data},
      {"data_hash", hash_of(data == files.end() ? std::string_view() : data->second)},
      {"sampler", options.sampler},
      {"seed", fmt::format("{}", options.seed)},
      {"free_names", archived(model.free_names())},
      {"data_variables", archived(model::data_variables(model.source().program))}};
  for (const auto& [name, content] : files) facts[kFilePrefix + name] = content;
  add_settings(facts, options);
  return facts;
}

}  // namespace credo::cli
