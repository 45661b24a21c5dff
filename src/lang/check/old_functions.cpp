// Functions of older versions of the language: edits of the text that replace a call by one with the same value
// (`credo check --fix`).
#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
struct Renamed {
  std::string_view before, now;
};
constexpr std::array<Renamed, 4> kRenamed{{{"binomial_coefficient_log", "lchoose"},
                                           {"cov_exp_quad", "gp_exp_quad_cov"},
                                           {"fabs", "abs"},
                                           {"multiply_log", "lmultiply"}}};

// The first character `wanted` of text[begin, end) outside comments.
std::optional<std::uint32_t> find_in_code(std::string_view text, SourceRange gap, char wanted) {
  for (std::size_t k = gap.begin; k < gap.end; ++k) {
    const std::string_view rest = text.substr(k, gap.end - k);
    if (rest.starts_with("//")) {
      k = std::min<std::size_t>(text.find('\n', k), gap.end);
    } else if (rest.starts_with("/*")) {
      k = std::min<std::size_t>(text.find("*/", k + 2), gap.end - 1) + 1;
    } else if (rest.front() == wanted) {
      return static_cast<std::uint32_t>(k);
    }
  }
  return std::nullopt;
}

SourceRange place_before(SourceRange range) { return {range.file, range.begin, range.begin}; }
SourceRange place_behind(SourceRange range) { return {range.file, range.end, range.end}; }
}  // namespace

// Replaces the comma between two arguments by `text`.
std::optional<Edit> Checker::edit_between(const ast::Expression& before,
                                          const ast::Expression& behind, std::string text) const {
  if (options_.source == nullptr || before.range.file != behind.range.file) return std::nullopt;
  const SourceRange gap{before.range.file, before.range.end, behind.range.begin};
  const auto comma = find_in_code(options_.source->file(gap).text, gap, ',');
  if (!comma) return std::nullopt;
  return Edit{{gap.file, *comma, *comma + 1}, std::move(text)};
}

// f(y, a) as f(y | a).
std::vector<Edit> Checker::edits_of_bar(const ast::Call& call) const {
  if (call.arguments.size() < 2) return {};
  const auto bar = edit_between(call.arguments[0], call.arguments[1], " |");
  return bar ? std::vector{*bar} : std::vector<Edit>{};
}

namespace {
// The old function gave a real absolute value of an int; abs gives an int.
std::vector<Edit> edits_of_renamed(const ast::Call& call, std::string_view now,
                                   std::span<const typed::Expression> arguments) {
  std::vector<Edit> edits{{call.function.range, std::string(now)}};
  if (now != "abs" || arguments.size() != 1 || !is_int_based(arguments[0].type)) return edits;
  edits.push_back({place_before(call.arguments[0].range), "1.0 * ("});
  edits.push_back({place_behind(call.arguments[0].range), ")"});
  return edits;
}
}  // namespace

std::vector<Edit> Checker::edits_of_old_call(const ast::Call& call,
                                             std::span<const typed::Expression> arguments) {
  const std::string& name = call.function.text;
  for (const Renamed& function : kRenamed)
    if (function.before == name) return edits_of_renamed(call, function.now, arguments);
  if (name == "if_else" && call.arguments.size() == 3) {
    const auto question = edit_between(call.arguments[0], call.arguments[1], " ?"),
               colon = edit_between(call.arguments[1], call.arguments[2], " :");
    if (!question || !colon) return {};
    std::vector<Edit> edits{{call.function.range, ""}, *question, *colon};
    if (ast::as<ast::Conditional>(call.arguments[0]) == nullptr) return edits;
    edits.push_back({place_before(call.arguments[0].range), "("});
    edits.push_back({place_behind(call.arguments[0].range), ")"});
    return edits;
  }
  static constexpr std::array<std::array<std::string_view, 2>, 4> kSuffixes{
      {{"_ccdf_log", "_lccdf"}, {"_cdf_log", "_lcdf"}, {"_log", "_lpdf"}, {"_log", "_lpmf"}}};
  for (const auto& [before, now] : kSuffixes) {
    if (call.has_bar || !name.ends_with(before)) continue;
    const std::string other = name.substr(0, name.size() - before.size()) + std::string(now);
    if (!is_function_name(other)) continue;
    std::vector<Edit> edits = edits_of_bar(call);
    if (edits.empty() && call.arguments.size() > 1) continue;
    edits.insert(edits.begin(), {call.function.range, other});
    return edits;
  }
  return {};
}

// y ~ f(a), with the density defined as f_log: renames the function.
std::vector<Edit> Checker::edits_of_old_distribution(std::string_view name) const {
  const std::string before = std::string(name) + "_log";
  std::vector<Edit> edits;
  for (const ast::FunctionDefinition& function : source_.functions) {
    if (function.name.text != before || function.arguments.empty()) continue;
    const bool is_whole = function.arguments[0].type.name == ast::TypeName::int_;
    edits.push_back({function.name.range, std::string(name) + (is_whole ? "_lpmf" : "_lpdf")});
  }
  return edits;
}

}  // namespace credo::lang
