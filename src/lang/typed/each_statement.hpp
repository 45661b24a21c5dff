// A walk over the statements of a block.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// Calls `take` for each statement of a block, including nested ones.
template <class Take>
void for_each_statement(const typed::Statement& s, Take&& take);

template <class Take>
void for_each_statement(std::span<const typed::Statement> all, Take&& take) {
  for (const typed::Statement& s : all) for_each_statement(s, take);
}

template <class Take>
void for_each_statement(const typed::Statement& s, Take&& take) {
  take(s);
  const auto inside = [&](const typed::Body& body) {
    if (body) for_each_statement(*body, take);
  };
  if (const auto* node = std::get_if<typed::If>(&s.node)) {
    inside(node->if_true);
    inside(node->if_false);
  }
  if (const auto* node = std::get_if<typed::While>(&s.node)) inside(node->body);
  if (const auto* node = std::get_if<typed::ForRange>(&s.node)) inside(node->body);
  if (const auto* node = std::get_if<typed::ForEach>(&s.node)) inside(node->body);
  if (const auto* node = std::get_if<typed::Sequence>(&s.node))
    for_each_statement(node->statements, take);
  if (const auto* node = std::get_if<typed::Profile>(&s.node))
    for_each_statement(node->statements, take);
}

}  // namespace credo::lang
