// The texts of a small project: a regression of one column of a table by the others, a program without
// predictors to compare it with, and a page of commands.
#pragma once
#include "io/data_table.hpp"

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
  std::vector<std::string> left_out;  // sentences: which column, and why
};

// Throws Error(usage) where the outcome is no column, isn't named and can't be told, or has missing values.
ProjectPlan plan_project(const io::DataTable& table, const std::string& outcome);

std::string model_text(const ProjectPlan& plan);
std::string baseline_text(const ProjectPlan& plan);
std::string readme_text(const ProjectPlan& plan, const std::string& name,
                        const std::string& data_file, const std::string& origin);

// A table that is simulated: y by x and group, 60 rows.
std::string simulated_table();

}  // namespace credo::cli
