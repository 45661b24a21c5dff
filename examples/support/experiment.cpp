#include "examples/support/experiment.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace credo::examples {
namespace {

std::string directory_of(int argc, char** argv) {
  if (argc == 1) return {};
  if (argc == 3 && std::string_view(argv[1]) == "--tables") return argv[2];
  fmt::print(stderr, "usage: {} [--tables DIR]\n", argv[0]);
  std::exit(static_cast<int>(ErrorCode::usage));
}

// The program's name without the prefix that its target has.
std::string program_name(const char* path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return name.starts_with("example_") ? name.substr(8) : name;
}

}  // namespace

void Table::row(std::vector<double> values) {
  CREDO_ASSERT(values.size() == columns_.size(), "a row has a value for each column");
  rows_.push_back(std::move(values));
}

void Table::write(const std::string& path) const {
  std::ofstream file(path);
  for (std::size_t i = 0; i < columns_.size(); ++i) file << (i ? "\t" : "") << columns_[i];
  file << '\n';
  for (const std::vector<double>& values : rows_) {
    for (std::size_t i = 0; i < values.size(); ++i)
      file << (i ? "\t" : "") << fmt::format("{:.6g}", values[i]);
    file << '\n';
  }
  file.close();
  if (!file) throw Error(ErrorCode::io, "can't write the table", path);
}

Experiment::Experiment(std::string title, int argc, char** argv)
    : program_(program_name(argv[0])), directory_(directory_of(argc, argv)) {
  fmt::print("{}\n", title);
}

void Experiment::judge(const std::string& what, bool right, const std::string& figures) {
  fmt::print("{}  {:<58} {}\n", right ? "  ok  " : "FAILED", what, figures);
  std::fflush(stdout);
  if (!right) ++num_failures_;
}

void Experiment::within(const std::string& what, double value, double expected, double tolerance) {
  judge(what, std::abs(value - expected) <= tolerance,
        fmt::format("{:.5g}  (expected {:.5g} to {:.2g})", value, expected, tolerance));
}

void Experiment::at_least(const std::string& what, double value, double bound) {
  judge(what, value >= bound, fmt::format("{:.5g}  (at least {:.5g})", value, bound));
}

void Experiment::at_most(const std::string& what, double value, double bound) {
  judge(what, value <= bound, fmt::format("{:.5g}  (at most {:.5g})", value, bound));
}

void Experiment::holds(const std::string& what, bool condition) {
  judge(what, condition, condition ? "yes" : "no");
}

void Experiment::note(const std::string& what, double value) {
  fmt::print("        {:<58} {:.5g}\n", what, value);
}

Table& Experiment::table(std::string name, std::vector<std::string> columns) {
  return tables_.emplace_back(std::move(name), std::move(columns));
}

int Experiment::finish() {
  if (!directory_.empty())
    for (const Table& table : tables_)
      table.write(fmt::format("{}/{}_{}.tsv", directory_, program_, table.name()));
  if (num_failures_ > 0) fmt::print("{} of the claims don't hold\n", num_failures_);
  return num_failures_ == 0 ? 0 : 1;
}

}  // namespace credo::examples
