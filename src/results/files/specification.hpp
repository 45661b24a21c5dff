// The specification of a command's answer, as one value: the command, its options and amounts as described values, digests of all
// that was read, version and arithmetic. Every run file has one in its header, and answers have it as an attribute; `credo resume`
// and --like read it. Its identity names the draws or the pieces of work.
#pragma once
#include "io/input_files.hpp"
#include "io/run_file.hpp"

namespace credo::results {
struct RunSpec;

struct Specification {
  std::string question = {};  // the command's name; empty: no options were given
  // JSON texts by name: values that may change results, and numbers of pieces or draws, which may grow.
  std::map<std::string, std::string> options = {}, amounts = {};
  std::map<std::string, std::string> inputs =
      {};  // by path: digests, as JSON; "" before it is read
  std::string version = {}, arithmetic = {};

  std::string identity()
      const;  // a digest of all but the amounts: equal ones have equal draws or pieces
  std::string text() const;  // one JSON object, with the identity; "" without a question
};

// With digests of the files that were read, includes among them; files that `asked` names are read here if they aren't in `read`.
// `points`: positions of a fit that the pieces are about. Call it when the model is there: the arithmetic is known then.
Specification with_inputs(Specification asked, const io::InputFiles::Contents& read,
                          const std::vector<std::vector<double>>& points = {});

// The specification of a run of an algorithm, without what never changes a draw. Its amount is the number of draws.
Specification specification_of(const RunSpec& spec, const io::InputFiles::Contents& read);
// The specification of any run file, by its header.
Specification specification_of(const io::RunFile::Facts& facts, const std::string& source);
Specification parse_specification(std::string_view text, const std::string& source);
// The command of the run of an algorithm, and of any text of a specification or RunSpec.
std::string question_of(const std::string& sampler);
std::string question_of(const std::string& spec, const std::string& sampler);
// False for the text of a RunSpec.
bool is_specification(std::string_view text);

// The first difference of two specifications with other identities: "seed: 1 there, 2 here".
std::string difference_of(const Specification& there, const Specification& here);

// True if they have the same question, options, amounts and inputs.
bool are_same_draws(Specification there, const Specification& here);

// Name of the fact of a run file, and of the attribute of an answer, with the text of the specification. Files of an algorithm's run
// have that of its RunSpec there.
inline constexpr const char* kSpecFact = "spec";

}  // namespace credo::results
