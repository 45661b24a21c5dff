// A formula as a tree: y ~ x + log(z) + (1 | g), with the place of each part in the text.
#pragma once
#include "models/formula/faults.hpp"

namespace credo::models {

struct Expression {
  enum class Kind { number, text, name, call, operation };
  Kind kind = Kind::name;
  std::string word;                    // the number, the text, the name, the function, the operator
  std::vector<Expression> parts = {};  // arguments, or operands: two, or one behind a sign
  std::vector<std::string> labels = {};  // names of a call's arguments: "df" in bs(x, df = 5); else empty
  FormulaPlace place = {};
  bool in_parentheses = false;

  bool is_operation(std::string_view op) const { return kind == Kind::operation && word == op; }
  bool is_call(std::string_view name) const { return kind == Kind::call && word == name; }
  // Text in R's form: "poly(x, 2)", "I(x^2)".
  std::string text() const;
};

struct FormulaPart {
  std::optional<Expression> left;  // empty if the part has no ~
  Expression right;
};

struct Formula {
  std::string text;
  std::vector<FormulaPart> parts;  // the outcome's first
};

// The formula; a text that isn't one adds faults. Operators have R's precedence.
Formula parse_formula(std::string_view text, FormulaFaults& faults);

}  // namespace credo::models
