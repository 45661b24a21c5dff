#include "results/files/more_draws.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "infer/core/table.hpp"
#include "io/file.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/run_spec.hpp"

namespace credo::results {
namespace {
constexpr const char* kNumDraws = "num_draws";
constexpr std::size_t kLongest = 32;  // bytes of a request

std::optional<Index> whole_number(std::string_view text) {
  Index number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool holds = fault == std::errc() && end == text.data() + text.size() && number >= 0;
  return holds ? std::optional(number) : std::nullopt;
}

Index num_draws_of(const FitOrigin& origin) {
  const auto found = origin.settings.find(kNumDraws);
  const auto number = found == origin.settings.end() ? std::nullopt : whole_number(found->second);
  if (!number)
    throw Error(ErrorCode::io, "the run file doesn't say for how many draws its run was begun",
                origin.source);
  return *number;
}
}  // namespace

void require_can_extend(const FitOrigin& origin, Index num_draws) {
  const std::string_view reason = infer::find_sampler(origin.sampler).fixed_length;
  if (!reason.empty())
    throw Error(ErrorCode::usage,
                fmt::format("a run of {} can't be given more draws: {}", origin.sampler, reason),
                origin.source, "begin another run with more draws: credo sample --like");
  const Index now = num_draws_of(origin);
  if (num_draws < now)
    throw Error(
        ErrorCode::usage,
        fmt::format("the run has {} draws for each chain, or continues to them: {} are fewer", now,
                    num_draws),
        origin.source,
        fmt::format("ask for all draws of a chain, those that it has included: more than "
                    "{}; credo export writes its draws so far",
                    now));
}

void extend(io::RunFile& file, Index num_draws) {
  const FitOrigin origin = origin_of(file.facts(), file.path());
  require_can_extend(origin, num_draws);
  if (num_draws == num_draws_of(origin)) return;
  RunSpec spec = parse_run_spec(origin.spec, file.path());
  spec.run.num_draws = num_draws;
  file.lengthen({{"spec", to_json(spec)},
                 {kSettingPrefix + std::string(kNumDraws), fmt::format("{}", num_draws)}});
}

std::string extend_file_of(const std::string& run_file) { return run_file + ".extend"; }

void ask_for_draws(const std::string& run_file, Index num_draws) {
  io::OutputFile file(extend_file_of(run_file));
  file.write(fmt::format("{}\n", num_draws));
  file.commit();
}

std::optional<Index> asked_draws(const std::string& run_file) {
  const std::string path = extend_file_of(run_file);
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  std::string text = io::read_file(path, kLongest);
  if (text.ends_with('\n')) text.pop_back();
  if (const std::optional<Index> number = whole_number(text)) return number;
  throw Error(ErrorCode::io, "it should hold one whole number, the requested draws of the run",
              path, "remove it");
}

void forget_asked_draws(const std::string& run_file) {
  const std::string path = extend_file_of(run_file);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw Error(ErrorCode::io, fmt::format("it can't be removed: {}", std::strerror(errno)), path);
}

}  // namespace credo::results
