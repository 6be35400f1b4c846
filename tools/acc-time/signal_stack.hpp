// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/auxv.h>
#include <sys/mman.h>

#include <csignal>
#include <cstddef>

namespace gangway::acc_time {

/// Memory for the signal handlers of one thread: if its own stack has overflowed, a handler has no
/// other stack to write the report from. Never given back; the next thread can take it over.
class SignalStack {
public:
  /// Installs the stack for the calling thread, unless it has one or there is no memory.
  void use() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0)
      return;
    // The kernel's frame there grows with the processor's registers.
    const std::size_t size = for_report + getauxval(AT_MINSIGSTKSZ);
    if (_memory == nullptr) {
      void* const memory =
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED)
        return;
      _memory = memory;
    }
    stack_t ours{};
    ours.ss_sp = _memory;
    ours.ss_size = size;
    sigaltstack(&ours, nullptr);
  }

  /// Takes the stack from the calling thread, which ends, if the thread has it.
  void leave() const {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || _memory == nullptr || now.ss_sp != _memory)
      return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

private:
  static constexpr std::size_t for_report = 64UL * 1024;
  void* _memory = nullptr;
};

} // namespace gangway::acc_time
