// The texts of a small project: a regression of one column of a table by the others, a program without
// predictors to compare it with, and a page of commands.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::cli {

// What is known of the columns, and what the programs say.
struct ProjectPlan {
  enum class Outcome { real, count, truth };
  struct Predictor {
    std::string name;
    bool is_factor = false;
    bool differs =
        false;  // of a factor: means of the outcome differ by more than their errors, so that its effects are
    // well known one by one: then chains like them as they are, else in units of their sd
    double centre = 0.0, scale = 1.0;  // of numbers: mean and standard deviation, rounded
  };
  std::string outcome;
  Outcome kind = Outcome::real;
  double centre = 0.0, scale = 1.0;  // of the outcome
  std::vector<Predictor> predictors;
  std::vector<std::string> left_out;    // sentences: which column, and why
  std::vector<std::string> hints = {};  // sentences: columns that may mean something else
  std::vector<std::string> uses = {};   // of --columns
  std::string dropped =
      {};  // which rows --missing drop leaves out; empty: all cells that are used have a value
  std::string outcome_is = {};  // of an outcome with two texts: "1 where smoker is Yes"

  // How the programs' data are read, behind the name of the file.
  std::string reading() const;
};

struct ProjectRequest {
  std::string path, text;                // the table
  std::string outcome = {};              // a column
  std::vector<std::string> groups = {};  // columns whose numbers are names of groups
  std::string kind = "auto";             // of the outcome: auto, number, count or truth
};

// Throws Error(usage) where the outcome is no column, isn't named, or can't be one.
ProjectPlan plan_project(const ProjectRequest& request);

std::string model_text(const ProjectPlan& plan);
std::string baseline_text(const ProjectPlan& plan);
std::string readme_text(const ProjectPlan& plan, const std::string& name,
                        const std::string& data_file, const std::string& origin);

// A table that is simulated: y by x and group, 60 rows.
std::string simulated_table();

}  // namespace credo::cli
