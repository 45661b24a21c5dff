// The table of signatures: the language's, and what rows of our own add to it.
#include "lang/trace/builtins.hpp"
#include "lang/trace/density_call.hpp"
#include "lang/typed/signatures.hpp"

namespace credo::lang {
namespace {
bool is_whole(const dist::Argument& argument) {
  return argument.domain == dist::Domain::integer || argument.domain == dist::Domain::count;
}

// "ints, reals, reals" of a density, "intreals, intreals" of draws.
std::string arguments_of(const dist::Distribution& d, bool is_draw) {
  std::string text = is_draw ? "" : d.discrete ? "ints" : "reals";
  for (const dist::Argument& argument : d.args) {
    if (!text.empty()) text += ", ";
    text += is_whole(argument) ? "ints" : is_draw ? "intreals" : "reals";
  }
  return text;
}

bool is_in_language(std::string_view name) {
  const auto rows = language_signatures();
  return std::binary_search(rows.begin(), rows.end(), SignatureRow{name, {}},
                            [](const auto& a, const auto& b) { return a.name < b.name; });
}

struct Joined {
  std::vector<std::pair<std::string, std::string>> own;  // texts behind the views of own rows
  std::vector<SignatureRow> rows;
};

Joined joined_rows() {
  Joined all;
  for (const dist::Distribution* d : dist::table()) {
    const auto functions = functions_of(*d);
    const bool is_own = std::none_of(functions.begin(), functions.end(),
                                     [](const auto& f) { return is_in_language(f.first); });
    if (is_own) all.own.insert(all.own.end(), functions.begin(), functions.end());
  }
  for (const Builtin& row : rows_with_signatures())
    if (!is_in_language(row.name)) all.own.emplace_back(row.name, row.signatures);
  all.rows.assign(language_signatures().begin(), language_signatures().end());
  for (const auto& [name, signatures] : all.own) all.rows.push_back({name, signatures});
  std::sort(all.rows.begin(), all.rows.end(),
            [](const SignatureRow& a, const SignatureRow& b) { return a.name < b.name; });
  return all;
}
}  // namespace

std::vector<std::pair<std::string, std::string>> functions_of(const dist::Distribution& d) {
  std::vector<std::pair<std::string, std::string>> functions;
  if (d.kind != dist::Kind::univariate) return functions;
  for (const std::string_view suffix : {"_lpdf", "_lpmf", "_cdf", "_lcdf", "_lccdf", "_rng"}) {
    const auto role = role_of(d, suffix);
    if (!role) continue;
    const bool is_draw = *role == DistributionRole::draw;
    functions.emplace_back(std::string(d.name) + std::string(suffix),
                           arguments_of(d, is_draw) + " => " +
                               (!is_draw     ? "real"
                                : d.discrete ? "rng(int)"
                                             : "rng(real)"));
  }
  return functions;
}

std::span<const SignatureRow> signature_rows() {
  static const Joined all = joined_rows();
  return all.rows;
}

}  // namespace credo::lang
