// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port {

/// Changes of a text, collected in any order and made at once. Every change of the source is one
/// of these.
class Edits {
public:
  explicit Edits(std::string text)
      : _text(std::move(text)), _ends_with_return(_text.find("\r\n") != std::string::npos) {}

  /// Replaces `span` by `by`, and drops earlier changes within it: to keep them, take `text(span)`
  /// first.
  void replace(Span span, std::string by);
  /// Inserts text after earlier insertions at that place.
  void insert(unsigned at, std::string text) { replace({at, at}, std::move(text)); }
  /// Inserts text before all other insertions at that place; at most once per place.
  void insert_first(unsigned at, std::string text) { put({at, at}, 0, std::move(text)); }
  /// Inserts lines with their final layout; the layout around them stays.
  void insert_lines(unsigned at, std::string text);
  /// Replaces lines by lines with their final layout.
  void replace_lines(Span lines, std::string by);
  void remove(Span span) { replace(span, ""); }

  /// Returns that part of the text, with the changes so far.
  [[nodiscard]] std::string text(Span span) const;

  /// Part of the text that stays: its beginnings in the new text and in the old one.
  struct Kept {
    unsigned begin;
    unsigned from;
  };
  /// The new text, with the parts that changed and those that stayed.
  struct Result {
    std::string text;
    std::vector<Span> changed;
    std::vector<Kept> kept; ///< by place
  };
  [[nodiscard]] Result result() const;

private:
  struct Edit {
    unsigned end;
    std::string by;
    bool laid_out = false;
  };
  std::string _text;
  bool _ends_with_return; ///< lines end as they do on Windows, and so will the new ones
  std::map<std::pair<unsigned, unsigned>, Edit>
      _edits; ///< by where they begin, and in the order of their coming
  unsigned _next = 1;

  void put(Span span, unsigned order, std::string by);
  void apply(Span span, std::string& text, Result* result) const;
};

} // namespace gangway::port
