// What an experiment says and keeps: rows of figures with what they must be, and tables for plots.
//
// Each claim prints one line and remembers a failure; finish() is the program's exit status.
// NAME --tables DIR writes each table to DIR/NAME_<table>.tsv, which tools/figures plots.
#pragma once
#include <deque>

#include "base/std.hpp"

namespace credo::examples {

class Table {
 public:
  Table(std::string name, std::vector<std::string> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}

  // One value a column; NaN leaves a gap in a line.
  void row(std::vector<double> values);
  const std::string& name() const { return name_; }
  void write(const std::string& path) const;

 private:
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<std::vector<double>> rows_;
};

class Experiment {
 public:
  // Prints the title. Arguments of the program: nothing, or --tables DIR (an existing directory).
  Experiment(std::string title, int argc, char** argv);

  // |value - expected| <= tolerance; a NaN fails.
  void within(const std::string& what, double value, double expected, double tolerance);
  void at_least(const std::string& what, double value, double bound);
  void at_most(const std::string& what, double value, double bound);
  void holds(const std::string& what, bool condition);
  // A figure that is told but not judged.
  void note(const std::string& what, double value);

  Table& table(std::string name, std::vector<std::string> columns);

  // Writes the tables if asked to; 0 if every claim holds, else 1.
  int finish();

 private:
  void judge(const std::string& what, bool right, const std::string& figures);

  std::string program_, directory_;
  std::deque<Table> tables_;  // references stay valid
  int num_failures_ = 0;
};

}  // namespace credo::examples
