// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "port/parse/reading.hpp"

/// What the text has, whatever it means: names, keywords, and directives that nobody saw.
namespace gangway::port {

/// Where C++ wants the cast that C does not.
void note_void_cast(Reading& reading, const clang::Stmt* statement);

/// The keywords of C's that C++ spells otherwise.
void find_restricts(Reading& reading);

/// The names in the code, without its comments, and those of the runtime library.
void find_names(Reading& reading);

/// All that could be a name, that of a comment included.
void find_words(Reading& reading);

/// Every line that begins an OpenACC directive is one of those that were read, or told as a
/// stray.
void find_strays(Reading& reading);

} // namespace gangway::port
