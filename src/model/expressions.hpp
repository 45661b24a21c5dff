// Expressions of the language over the outputs of a model: "theta[1] > theta[2]", "mean(beta) / sigma".
#pragma once
#include "density/layout.hpp"

namespace credo::model {
class Model;

// The random numbers of expressions: a stream for each row.
struct RowStreams {
  std::uint64_t seed = 0;
  std::uint32_t chain = 6;  // 0 to 5 are used elsewhere for this purpose
  std::uint32_t first = 0;  // of the first row
};

class Expressions {
 public:
  // Each is one number. `extra`: names of further numbers that they may read. Throws Error(usage) with the words of the
  // compiler where one isn't right, or where it reads what isn't there.
  Expressions(const density::Layout& outputs, std::vector<std::string> texts,
              std::vector<std::string> extra = {});
  ~Expressions();

  // The elements of the layout that they read, in the order in which evaluate() takes them.
  const std::vector<Index>& elements() const { return elements_; }
  // Takes the elements() out of each row of the whole layout.
  std::vector<std::vector<double>> chosen(std::span<const std::vector<double>> outputs) const;
  // `rows` has a row for each draw: elements(), then the extra numbers. Returns a row for each draw, with a number
  // for each text. Random functions (normal_rng) use a different stream for each row; results are reproducible.
  std::vector<std::vector<double>> evaluate(std::span<const std::vector<double>> rows,
                                            const RowStreams& streams = {}) const;
  // The first text that calls a random function, or an empty string.
  const std::string& random_text() const;

 private:
  std::vector<std::string> texts_;
  std::vector<Index> elements_;
  std::unique_ptr<Model> model_;
  Index first_answer_ = 0;
};

}  // namespace credo::model
