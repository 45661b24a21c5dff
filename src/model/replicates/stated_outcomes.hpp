// The densities of data that the model block states at given parameters, with their arguments as numbers.
#pragma once
#include "dist/distribution.hpp"
#include "lang/trace/machine.hpp"

namespace credo::model {

struct ProgramParts;

// One outcome: a number, or a vector of a multivariate distribution. Outcomes of a regression as one statement (normal_id_glm) are those of its rows.
struct StatedOutcome {
  const dist::Distribution* distribution = nullptr;
  std::int32_t statement = 0;
  bool is_truncated = false;
  std::vector<std::string> names;              // names of its elements: "y[2]"
  std::vector<std::vector<double>> arguments;  // matrices by columns
  double total = 0.0;                          // sum of its elements: the size of a multinomial
};

class StatedOutcomes {
 public:
  // `parts` must live as long.
  explicit StatedOutcomes(const ProgramParts& parts);
  // In the order in which the program states them. Outcomes that are no variable of the data are left out. Throws lang::Rejection as the program does.
  std::vector<StatedOutcome> at(std::span<const double> position);

 private:
  void look(const lang::SeenDensity& seen);
  void add_each(const lang::SeenDensity& seen, const StatedOutcome& like);
  void add_whole(const lang::SeenDensity& seen, const StatedOutcome& like);

  const ProgramParts& parts_;
  lang::Machine machine_;
  std::vector<StatedOutcome> found_;
};

}  // namespace credo::model
