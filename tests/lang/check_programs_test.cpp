// Whole programs: the real ones must pass, the wrong ones in bad_types/ must be refused for their
// reason at their place.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "lang/check_support.hpp"

namespace credo::lang::check_programs_test {
namespace {
namespace fs = std::filesystem;
constexpr const char* kPosteriordb = CREDO_SOURCE_DIR "/../pdb/posterior_database/models/stan";
constexpr const char* kBadTypes = CREDO_SOURCE_DIR "/tests/lang/bad_types";

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> programs_in(const char* directory) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".stan") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

const char* posteriordb() {
  const char* given = std::getenv("CREDO_POSTERIORDB_MODELS");
  return given != nullptr ? given : kPosteriordb;
}

TEST(check, accepts_every_posteriordb_program) {
  if (!fs::exists(posteriordb()))
    GTEST_SKIP() << "SKIPPED: set CREDO_POSTERIORDB_MODELS to a folder of programs";
  int count = 0;
  for (const fs::path& path : programs_in(posteriordb())) {
    const Checked checked = check_text(read(path));
    EXPECT_TRUE(checked.program.has_value()) << path << "\n" << checked.text();
    ++count;
  }
  EXPECT_GE(count, 100);
}

// Start and length of each word of a text.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  const auto is_word = [&](std::size_t k) {
    return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (!is_word(k)) continue;
    const std::size_t begin = k;
    while (is_word(k)) ++k;
    words.emplace_back(begin, k - begin);
  }
  return words;
}

// Replaces three words by other words of the same program: mostly well-formed text with wrong names
// and types.
std::string mutant_of(const std::string& text, std::uint64_t seed) {
  std::string result = text;
  for (int k = 0; k < 3; ++k) {
    const auto words = words_of(result);
    const auto next = [&] {
      return (seed = seed * 6364136223846793005u + 1442695040888963407u) >> 33;
    };
    const auto [to, to_length] = words[next() % words.size()];
    const auto [from, from_length] = words[next() % words.size()];
    result.replace(to, to_length, std::string(result, from, from_length));
  }
  return result;
}

TEST(check, survives_programs_with_swapped_words_and_gives_a_tree_only_without_errors) {
  if (!fs::exists(posteriordb()))
    GTEST_SKIP() << "SKIPPED: set CREDO_POSTERIORDB_MODELS to a folder of programs";
  int refused = 0, count = 0;
  for (const fs::path& path : programs_in(posteriordb())) {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      const std::string text = mutant_of(read(path), seed);
      const Checked checked = check_text(text);
      EXPECT_EQ(checked.program.has_value(), !checked.diagnostics.has_errors()) << text;
      refused += checked.program ? 0 : 1;
      ++count;
    }
  }
  EXPECT_GT(refused, count / 2);  // the mutants are wrong indeed
}

// "error code 3:7" of each line of the form `// expect error: code 3:7`.
std::multiset<std::string> expected_in(const std::string& text) {
  std::multiset<std::string> expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kMark = "// expect ";
    if (!line.starts_with(kMark)) continue;
    line.erase(0, kMark.size());
    line.erase(line.find(':'), 1);
    expected.insert(line);
  }
  return expected;
}

std::multiset<std::string> found_in(const Checked& checked) {
  std::multiset<std::string> found;
  for (const Diagnostic& d : checked.diagnostics.all()) {
    const Position at = checked.source.position(d.range);
    const char* severity = d.severity() == Severity::error ? "error " : "warning ";
    found.insert(severity + row(d.code).name + " " + std::to_string(at.line) + ":" +
                 std::to_string(at.column));
  }
  return found;
}

CheckOptions options_for(const fs::path& path) {
  CheckOptions options;
  if (path.stem() == "not_implemented")
    options.is_implemented = [](std::string_view name) { return name == "add"; };
  return options;
}

TEST(check, refuses_each_wrong_program_for_its_reason_at_its_place) {
  for (const fs::path& path : programs_in(kBadTypes)) {
    const std::string text = read(path);
    const Checked checked = check_text(text, options_for(path));
    EXPECT_EQ(found_in(checked), expected_in(text)) << path << "\n" << checked.text();
    EXPECT_EQ(checked.program.has_value(), !checked.diagnostics.has_errors()) << path;
  }
}

// Every code of the checker's part of the table has a program that provokes it.
TEST(check, has_a_wrong_program_for_each_of_its_diagnostics) {
  std::set<std::string> provoked;
  for (const fs::path& path : programs_in(kBadTypes)) {
    for (const std::string& line : expected_in(read(path))) {
      const std::size_t from = line.find(' ') + 1;
      provoked.insert(line.substr(from, line.find(' ', from) - from));
    }
  }
  for (const DiagRow& r : diagnostic_rows()) {
    if (r.code < DiagCode::undeclared_variable || r.code > DiagCode::deprecated) continue;
    if (r.code == DiagCode::unread_outcome) continue;  // tests/model/statements_test.cpp
    EXPECT_TRUE(provoked.contains(r.name)) << r.name;
  }
}
}  // namespace
}  // namespace credo::lang::check_programs_test
