// Variables by name while a program is checked: a stack of scopes without shadowing (language facts
// 14).
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

enum class SymbolKind : std::uint8_t { variable, loop_variable, argument };

struct Symbol {
  std::string name;
  SymbolKind kind = SymbolKind::variable;
  typed::BlockKind block =
      typed::BlockKind::data;  // block of its declaration; `functions` inside a function
  typed::Slot slot;
  UnsizedType type;
  typed::Autodiff autodiff;
  SourceRange declared;
  bool is_used = false;
  bool is_in_density = false;  // used before generated quantities
  bool is_assigned = false;
};

class Scopes {
 public:
  void enter() { starts_.push_back(symbols_.size()); }
  std::vector<Symbol> leave();                           // the symbols that go out of scope
  const Symbol* find_gone(std::string_view name) const;  // the last one that has gone

  Symbol* find(std::string_view name);
  Symbol& add(Symbol symbol);
  std::vector<std::string> names() const;

  // A function sees no variable of the program: hides all there are until `reveal`.
  std::vector<Symbol> hide();
  void reveal(std::vector<Symbol> symbols) { symbols_ = std::move(symbols); }

 private:
  std::vector<Symbol> symbols_;  // innermost last
  std::vector<std::size_t> starts_;
  std::vector<Symbol> gone_;  // for messages
};

}  // namespace credo::lang
