// The texts of a small project: a regression of one column of a table by the others, a program without
// predictors to compare it with, and a page of commands.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::cli {

// Properties of the columns, and content of the programs.
struct ProjectPlan {
  enum class Outcome { real, count, truth };
  struct Predictor {
    std::string name;
    bool is_factor = false;
    // Factors only: the outcome's means differ by more than their errors. The data then determine each effect well, and
    // effects are sampled as they are, otherwise in units of their sd.
    bool differs = false;
    double centre = 0.0, scale = 1.0;  // mean and standard deviation of numbers, rounded
  };
  std::string outcome;
  Outcome kind = Outcome::real;
  double centre = 0.0, scale = 1.0;  // centre and scale of the outcome
  std::vector<Predictor> predictors;
  std::vector<std::string> left_out;    // sentences: columns that aren't used, and the reason
  std::vector<std::string> hints = {};  // sentences: columns that may have another meaning
  std::vector<std::string> uses = {};   // values of --columns
  std::string dropped =
      {};  // rows that --missing drop leaves out; empty: all used cells have a value
  std::string outcome_is = {};  // for an outcome with two texts: "1 where smoker is Yes"

  // Options for reading the programs' data, to be written after the file's name.
  std::string reading() const;
};

struct ProjectRequest {
  std::string path, text;                // path and text of the table
  std::string outcome = {};              // name of a column
  std::vector<std::string> groups = {};  // columns whose numbers label groups
  std::string kind = "auto";             // of the outcome: auto, number, count or truth
};

// Throws Error(usage) if no outcome is named, it is no column, or it can't be an outcome.
ProjectPlan plan_project(const ProjectRequest& request);

std::string model_text(const ProjectPlan& plan);
std::string baseline_text(const ProjectPlan& plan);
std::string readme_text(const ProjectPlan& plan, const std::string& name,
                        const std::string& data_file, const std::string& origin);

// A table that is simulated: y by x and group, 60 rows.
std::string simulated_table();

}  // namespace credo::cli
