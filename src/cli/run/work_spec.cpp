#include "cli/run/work_spec.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/seal.hpp"
#include "io/json_value.hpp"
#include "results/files/facts.hpp"

namespace credo::cli {
namespace {
std::string digest(std::uint64_t sum) { return fmt::format("\"{:016x}\"", sum); }

std::string object_of(const std::map<std::string, std::string>& members) {
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", io::json_string(name), value);
  return "{" + text + "}";
}

std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string part(std::size_t{1} << 20, '\0');
  std::uint64_t sum = 0;
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0)
    sum = check_sum(std::string_view(part).substr(0, static_cast<std::size_t>(file.gcount())), sum);
  return digest(sum);
}

std::map<std::string, std::string> digests(const CommandSpec& asked,
                                           const io::InputFiles::Contents& read,
                                           const std::vector<std::vector<double>>& points) {
  std::map<std::string, std::string> all;
  for (const auto& [path, content] : read) all[path] = digest(check_sum(content, 0));
  std::error_code failed;
  for (const std::string& path : asked.inputs)
    if (!all.contains(path) && std::filesystem::is_regular_file(path, failed))
      all[path] = digest_of_file(path);
  std::uint64_t sum = 0;
  for (const std::vector<double>& point : points)
    sum = check_sum({reinterpret_cast<const char*>(point.data()), point.size() * sizeof(double)},
                    sum);
  if (!points.empty()) all["positions of draws"] = digest(sum);
  return all;
}
}  // namespace

results::WorkSpec work_spec(const CommandSpec& asked, const io::InputFiles::Contents& read,
                            const std::vector<std::vector<double>>& points) {
  if (asked.question.empty()) return {};
  const std::string follows =
      fmt::format(R"("question":{},"options":{},"inputs":{},"version":{},"arithmetic":{})",
                  io::json_string(asked.question), object_of(asked.options),
                  object_of(digests(asked, read, points)), io::json_string(CREDO_VERSION),
                  io::json_string(results::arithmetic()));
  results::WorkSpec spec{.identity = fmt::format("{:016x}", check_sum(follows, 0))};
  spec.text = fmt::format(R"({{"spec":1,{},"amounts":{},"identity":"{}"}})", follows,
                          object_of(asked.amounts), spec.identity);
  return spec;
}

std::function<void(const std::string&)> notes_of(Output& output, bool is_quiet) {
  if (is_quiet) return {};
  return [&output](const std::string& text) { output.note(text); };
}

results::ArrayList with_spec(results::ArrayList answer, const results::WorkSpec& spec) {
  if (!spec.text.empty()) answer.set(kSpecAttribute, spec.text, results::kHidden);
  return answer;
}

}  // namespace credo::cli
