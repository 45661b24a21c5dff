// Data as a model would draw them at given parameters: replicates of the observed data, for predictive checks and
// for simulation.
#pragma once
#include "density/layout.hpp"

namespace credo::density {

// Working memory of one thread.
class Replicates {
 public:
  virtual ~Replicates() = default;
  // The variables of the data, or of transformed data, that statements of the likelihood are densities of.
  virtual const Layout& layout() const = 0;
  // In the order of layout(): the values that were observed, and which elements are drawn; others stay as they are.
  virtual std::span<const double> observed() const = 0;
  virtual std::span<const char> is_drawn() const = 0;
  // Number of censored elements of each variable. Replicates of these are drawn and then censored as in the data.
  virtual std::vector<Index> num_censored() const { return {}; }

  // All elements, drawn at the parameters of a position: the same seed gives the same numbers. Empty where a draw
  // failed, with why in `note`: an argument outside of its domain.
  virtual std::vector<double> draw(std::span<const double> position, std::uint64_t seed,
                                   std::string* note = nullptr) = 0;
  // The last draw again.
  virtual std::vector<double> last() const = 0;
  // All data of the program with the last draw in them, as a JSON text that reads back as the same numbers. Throws
  // Error(program) where transformed data are drawn, which no data are known of.
  virtual std::string data_text() const = 0;
};

}  // namespace credo::density
