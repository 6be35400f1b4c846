// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "port/edits.hpp"

namespace gangway::port {

namespace {

/// An insertion comes before the text that replaces the old one there, in any order of the calls.
constexpr unsigned behind_insertions = 1U << 31U;

} // namespace

void Edits::replace(Span span, std::string by) {
  if (span.begin < span.end)
    for (auto edit = _edits.lower_bound({span.begin, 0});
         edit != _edits.end() && edit->first.first < span.end;) {
      // An insertion at the beginning is before it, and stays.
      const bool before = edit->first.first == span.begin && edit->second.end == span.begin;
      edit = before || edit->second.end > span.end ? std::next(edit) : _edits.erase(edit);
    }
  put(span, span.begin < span.end ? behind_insertions + _next++ : _next++, std::move(by));
}

void Edits::put(Span span, unsigned order, std::string by) {
  if (_ends_with_return)
    for (std::size_t at = 0; (at = by.find('\n', at)) != std::string::npos; ++at)
      if (at == 0 || by[at - 1] != '\r')
        by.insert(at++, 1, '\r');
  _edits[{span.begin, order}] = {span.end, std::move(by), false};
}

void Edits::insert_lines(unsigned at, std::string text) {
  insert(at, std::move(text));
  _edits.at({at, _next - 1}).laid_out = true;
}

void Edits::replace_lines(Span lines, std::string by) {
  replace(lines, std::move(by));
  _edits.at({lines.begin, behind_insertions + _next - 1}).laid_out = true;
}

void Edits::apply(Span span, std::string& text, Result* result) const {
  const auto keep = [&](unsigned from) {
    if (result != nullptr)
      result->kept.push_back({static_cast<unsigned>(text.size()), from});
  };
  unsigned at = span.begin;
  for (auto edit = _edits.lower_bound({span.begin, 0});
       edit != _edits.end() && edit->first.first <= span.end; ++edit) {
    const unsigned begin = edit->first.first;
    if (begin < at || edit->second.end > span.end)
      continue;
    keep(at);
    text.append(_text, at, begin - at);
    const auto from = static_cast<unsigned>(text.size());
    text += edit->second.by;
    if (result != nullptr && !edit->second.laid_out)
      result->changed.push_back({from, static_cast<unsigned>(text.size())});
    at = edit->second.end;
  }
  keep(at);
  text.append(_text, at, span.end - at);
}

std::string Edits::text(Span span) const {
  std::string text;
  apply(span, text, nullptr);
  return text;
}

Edits::Result Edits::result() const {
  Result result;
  apply({0, static_cast<unsigned>(_text.size())}, result.text, &result);
  return result;
}

} // namespace gangway::port
