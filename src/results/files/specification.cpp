#include "results/files/specification.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/seal.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "io/json_value.hpp"
#include "results/files/facts.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/run_spec.hpp"

namespace credo::results {
namespace {
using TextMap = std::map<std::string, std::string>;
using io::json_string, io::JsonValue;

std::string digest(std::uint64_t sum) { return fmt::format("\"{:016x}\"", sum); }
std::string digest(std::string_view bytes) { return digest(check_sum(bytes, 0)); }

std::string object_of(const TextMap& members) {
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", json_string(name), value);
  return "{" + text + "}";
}

// All from which the answer follows.
std::string members_of(const Specification& spec) {
  return fmt::format(R"("question":{},"options":{},"inputs":{},"version":{},"arithmetic":{})",
                     json_string(spec.question), object_of(spec.options), object_of(spec.inputs),
                     json_string(spec.version), json_string(spec.arithmetic));
}

std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string part(std::size_t{1} << 20, '\0');
  std::uint64_t sum = 0;
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0)
    sum = check_sum(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())), sum);
  return digest(sum);
}

// The members of an object as they are written, without line breaks; with the prefix "run.", for example, "run.seed".
void add_members(TextMap& to, std::string_view text, const JsonValue& object,
                 const std::string& prefix = {}) {
  for (const auto& [name, value] : object.members) {
    std::string& written = to[prefix + name] = text.substr(value.begin, value.end - value.begin);
    std::erase(written, '\n');
  }
}

std::string value_text(const TextMap& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() || found->second.empty()
             ? "not given"
             : describe(io::parse_json_value(found->second, name));
}
}  // namespace

std::string Specification::identity() const {
  return fmt::format("{:016x}", check_sum(members_of(*this), 0));
}

std::string Specification::text() const {
  if (question.empty()) return {};
  return fmt::format(R"({{"spec":1,{},"amounts":{},"identity":"{}"}})", members_of(*this),
                     object_of(amounts), identity());
}

// ---- making one

Specification with_inputs(Specification asked, const io::InputFiles::Contents& read,
                          const std::vector<std::vector<double>>& points) {
  TextMap inputs;
  for (const auto& [path, content] : read) inputs[path] = digest(content);
  std::error_code failed;
  for (const auto& [path, none] : asked.inputs)
    if (!inputs.contains(path) && std::filesystem::is_regular_file(path, failed))
      inputs[path] = digest_of_file(path);
  std::uint64_t sum = 0;
  for (const std::vector<double>& point : points)
    sum = check_sum({reinterpret_cast<const char*>(point.data()), point.size() * sizeof(double)},
                    sum);
  if (!points.empty()) inputs["positions of draws"] = digest(sum);
  asked.inputs = std::move(inputs);
  asked.version = CREDO_VERSION;
  asked.arithmetic = arithmetic();
  return asked;
}

std::string question_of(const std::string& sampler) {
  return infer::climbs_to_modes(sampler)    ? "optimize"
         : infer::is_approximation(sampler) ? "approximate"
                                            : "sample";
}

std::string question_of(const std::string& spec, const std::string& sampler) {
  return is_specification(spec) ? parse_specification(spec, "spec").question : question_of(sampler);
}

Specification specification_of(const RunSpec& spec, const io::InputFiles::Contents& read) {
  Specification made{.question = question_of(spec.run.sampler)};
  const std::string text = to_json(spec.repeatable());
  for (const auto& [group, members] : io::parse_json_value(text, "specification").members)
    add_members(made.options, text, members, group + ".");
  made.amounts.insert(made.options.extract("run.num_draws"));
  return with_inputs(std::move(made), read);
}

Specification specification_of(const io::RunFile::Facts& facts, const std::string& source) {
  const auto text = facts.find(kSpecFact);
  if (text == facts.end()) throw Error(ErrorCode::io, "the run file has no specification", source);
  if (is_specification(text->second)) return parse_specification(text->second, source);
  Specification made = specification_of(parse_run_spec(text->second, source), files_of(facts));
  const FitOrigin origin = origin_of(facts, source);
  made.version = origin.version, made.arithmetic = origin.arithmetic;
  return made;
}

// ---- reading one

bool is_specification(std::string_view text) {
  return text.starts_with(R"({"spec":1,"question":)");
}

Specification parse_specification(std::string_view text, const std::string& source) {
  const JsonValue value = io::parse_json_value(text, source);
  Specification spec;
  for (const auto& [name, to] :
       {std::pair("question", &spec.question), std::pair("version", &spec.version),
        std::pair("arithmetic", &spec.arithmetic)})
    if (const JsonValue* member = value.find(name)) *to = member->text;
  for (const auto& [name, to] :
       {std::pair("options", &spec.options), std::pair("amounts", &spec.amounts),
        std::pair("inputs", &spec.inputs)})
    if (const JsonValue* member = value.find(name)) add_members(*to, text, *member);
  return spec;
}

std::string difference_of(const Specification& there, const Specification& here) {
  const auto differ = [](std::string_view name, const std::string& then, const std::string& now) {
    return fmt::format("{}: {} there, {} here", name, then, now);
  };
  for (const auto& [name, member] : {std::pair("question", &Specification::question),
                                     std::pair("version", &Specification::version),
                                     std::pair("arithmetic", &Specification::arithmetic)})
    if (there.*member != here.*member) {
      const auto shown = [](const std::string& text) {
        return text.empty() ? "not given" : fmt::format("the string \"{}\"", text);
      };
      return differ(name, shown(there.*member), shown(here.*member));
    }
  for (const auto member : {&Specification::options, &Specification::inputs})
    for (const Specification* spec : {&there, &here})
      for (const auto& [name, text] : spec->*member) {
        const std::string then = value_text(there.*member, name),
                          now = value_text(here.*member, name);
        if (then != now)
          return member == &Specification::inputs ? fmt::format("the content of {} differs", name)
                                                  : differ(name, then, now);
      }
  return "they differ";
}

bool are_same_draws(Specification there, const Specification& here) {
  there.version = here.version, there.arithmetic = here.arithmetic;
  return there.text() == here.text();
}

}  // namespace credo::results
