// Any bytes as saved values: refused, or what is loaded has the same bytes when it is saved.
#pragma once
#include "base/archive.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

enum class Colour : std::uint8_t { red, green };

struct Everything {
  int small = 0;
  std::int64_t large = 0;
  bool flag = false;
  Colour colour = Colour::red;
  double real = 0.0;
  std::string text;
  std::vector<double> reals;
  std::vector<std::string> texts;
  std::vector<bool> flags;
  std::array<int, 2> two{};
  std::optional<double> maybe;
  std::vector<std::vector<double>> nested;
  static void saved(auto& self, auto&& field) {
    field(self.small);
    field(self.large);
    field(self.flag);
    field(self.colour);
    field(self.real);
    field(self.text);
    field(self.reals);
    field(self.texts);
    field(self.flags);
    field(self.two);
    field(self.maybe);
    field(self.nested);
  }
};

template <class T>
void claim_saved_again(std::string_view bytes) {
  may_be_refused([&] {
    const T value = from_archive<T>(bytes, "fuzz");
    claim(archived(value) == bytes, "what is loaded is what was saved");
  });
}

inline void run_archive(std::string_view bytes) {
  claim_saved_again<Everything>(bytes);
  claim_saved_again<std::vector<std::string>>(bytes);
  claim_saved_again<std::vector<std::optional<Everything>>>(bytes);
  claim_saved_again<std::vector<bool>>(bytes);
}

}  // namespace credo::fuzz
