// Figures of single quantities that `credo summary` shows: how draws hang together and whether chains
// agree. Output is numbers (JSON), or tables and plots of characters.
#pragma once
#include <variant>

#include "diagnose/chains.hpp"

namespace credo::cli {

struct FigureQuestions {
  bool autocorrelation = false, ranks = false, trace = false, local_ess = false;
  Index num_groups = 0;  // groups of successive chains, for nested R-hat; 0: none
  Index num_lags = 20;
  bool any() const { return autocorrelation || ranks || trace || local_ess || num_groups > 0; }
};

// Throws Error(usage) where the chains can't be grouped so.
void check_groups(Index num_groups, Index num_chains);

// A figure of one quantity: its members, or the reason why it isn't defined.
struct FigureMember {
  std::string name;
  std::variant<Index, double, std::vector<double>, std::vector<std::vector<double>>,
               std::vector<std::vector<Index>>>
      value;
};
struct FigureNumbers {
  std::string name, fault;
  std::vector<FigureMember> members;
};
struct QuantityFigures {
  std::string name;
  std::vector<FigureNumbers> figures =
      {};  // the requested ones, which are the same for each quantity
};
QuantityFigures quantity_figures(const std::string& name, const diagnose::Chains& chains,
                                 const FigureQuestions& questions);
// A list with an object for each quantity, in which figures that aren't defined have an "error".
std::string figures_json(std::span<const QuantityFigures> quantities);
std::string figures_text(const std::string& name, const diagnose::Chains& chains,
                         const FigureQuestions& questions);

// A trace as a plot: `height` lines of at most `width` characters behind their labels. A chain's digit
// stands at its mean over the draws of a column, `*` where chains share a place, `.` between their least
// and largest values.
std::string trace_plot(const diagnose::Chains& chains, int width, int height);

}  // namespace credo::cli
