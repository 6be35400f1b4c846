// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace gangway::testing {

/// The message of the error that `action` throws, or nothing if it throws none. An error of another
/// type goes on to the caller.
template <class Error>
std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Likewise; no error is a test failure.
template <class Error>
std::string message_of(const std::function<void()>& action) {
  std::string message = refusal_of<Error>(action);
  EXPECT_FALSE(message.empty()) << "nothing was thrown";
  return message;
}

/// Each of the words must be in the message.
inline void expect_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "no \"" << word << "\" in: " << message;
}

} // namespace gangway::testing
