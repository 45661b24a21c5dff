// Data that a program declares, and those of them that a table has: `credo data --program`.
#pragma once
#include "io/data/data_table.hpp"
#include "model/data/source.hpp"

namespace credo::model {

struct DeclaredData {
  std::string name, declaration, where;  // "y", "vector[N] y", "model.stan:3:3"
  bool is_given = false;                 // the data have it, as it is declared
  std::string found;  // "an array of 50 integers", "50, the number of rows of cars.csv"
  std::string problem, hint,
      place;  // if it isn't given: the fault, the way out, the place in the file
};

struct DataSurvey {
  std::vector<DeclaredData> declared;  // in the order of the program
  std::vector<std::string> unused;     // names of the table that the program doesn't declare
  bool is_complete() const;
};

DataSurvey survey_data(const ProgramSource& source, const io::DataTable& data);

}  // namespace credo::model
