// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/// A watch over each rank, by a thread of its own: ranks wait for each other, so that one which
/// hangs keeps all of them, without a message.
namespace gangway::ranks {

/// A watch that ends the process, with a message that names the rank, if no work begins for longer
/// than a limit. The launcher then ends the other ranks. A rank that waits for others has a little
/// longer, so that the message names the culprit.
class Watch {
public:
  /// The time that a rank which only waits has beyond the limit.
  static constexpr std::chrono::milliseconds grace{2000};

  /// `who` begins the message, such as "gangway: rank 1 of 4 on HOST".
  Watch(std::string who, int status);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Begins the work `what`: until the next call at most `limit` may pass.
  void begins(const std::string& what, std::chrono::milliseconds limit);

  /// A scope in which this process waits for other ranks.
  class Waiting {
  public:
    Waiting();
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
  };

private:
  void watch();

  std::string _who;
  int _status;
  std::mutex _mutex;
  std::condition_variable _changed;
  bool _over = false;
  bool _armed = false;
  std::string _what;
  std::chrono::milliseconds _limit{0};
  std::chrono::steady_clock::time_point _began;
  std::thread _thread;
};

} // namespace gangway::ranks
