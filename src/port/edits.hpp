// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/model.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gangway::port {

/// Changes of a text, collected in any order and made at once. All changes of the source go through
/// here.
class Edits {
public:
  explicit Edits(std::string text)
      : _text(std::move(text)), _ends_with_return(_text.find("\r\n") != std::string::npos) {}

  /// `by` stands where `span` was. What was changed within it before is dropped: take `text(span)`
  /// first for what is to be kept of it.
  void replace(Span span, std::string by);
  /// Behind what was inserted there before.
  void insert(unsigned at, std::string text) { replace({at, at}, std::move(text)); }
  /// Before all else that is inserted there; once at a place.
  void insert_first(unsigned at, std::string text) { put({at, at}, 0, std::move(text)); }
  /// Lines of their own that are laid out already; what is around them stays as it is laid out.
  void insert_lines(unsigned at, std::string text);
  void remove(Span span) { replace(span, ""); }

  /// That part of the text, with the changes so far.
  [[nodiscard]] std::string text(Span span) const;

  /// A part of the text that stays: where it begins in the new one, and where it stood.
  struct Kept {
    unsigned begin;
    unsigned from;
  };
  /// The whole new text, and which parts of it are new.
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
