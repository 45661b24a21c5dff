// A program has few variables in sight, so a list searched from its end does.
#include "lang/typed/scope.hpp"

namespace credo::lang {

std::vector<Symbol> Scopes::leave() {
  const auto start = symbols_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
  std::vector<Symbol> gone(std::make_move_iterator(start), std::make_move_iterator(symbols_.end()));
  symbols_.erase(start, symbols_.end());
  starts_.pop_back();
  gone_.insert(gone_.end(), gone.begin(), gone.end());
  return gone;
}

const Symbol* Scopes::find_gone(std::string_view name) const {
  const auto found = std::find_if(gone_.rbegin(), gone_.rend(),
                                  [&](const Symbol& symbol) { return symbol.name == name; });
  return found == gone_.rend() ? nullptr : &*found;
}

Symbol* Scopes::find(std::string_view name) {
  for (auto symbol = symbols_.rbegin(); symbol != symbols_.rend(); ++symbol) {
    if (symbol->name == name) return &*symbol;
  }
  return nullptr;
}

Symbol& Scopes::add(Symbol symbol) { return symbols_.emplace_back(std::move(symbol)); }

std::vector<std::string> Scopes::names() const {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols_) names.push_back(symbol.name);
  return names;
}

std::vector<Symbol> Scopes::hide() { return std::exchange(symbols_, {}); }

}  // namespace credo::lang
