// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// Names, keywords and unseen directives of the text, whatever they mean.
namespace gangway::port {

/// Notes where C++ requires a cast that C does not.
void note_void_cast(Reading& reading, const clang::Stmt* statement);

/// Notes where C takes the size of an `int`, and C++ that of a `char` or `bool`: `sizeof 'a'`.
void note_int(Reading& reading, const clang::Stmt* statement);

/// Finds the keywords of C that C++ spells otherwise.
void find_restricts(Reading& reading);

/// Finds the names in the code, without its comments, and those of the runtime library.
void find_names(Reading& reading);

/// Finds all words that could be a name, including those of comments.
void find_words(Reading& reading);

/// Finds strays: lines that begin an OpenACC directive and are not among the directives that were
/// read.
void find_strays(Reading& reading);

} // namespace gangway::port
