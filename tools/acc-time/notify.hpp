// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lifetime.hpp"
#include "recorder.hpp"
#include "writer.hpp"

#include <unistd.h>

/// Lines of GANGWAY_ACC_NOTIFY, each written at once when its event begins.
namespace gangway::acc_time {

inline bool notifies(Settings::Notify what) {
  return (settings.notify & what) != 0;
}

/// Line on standard error.
class Line {
public:
  explicit Line(const char* what) { _out << what; }
  ~Line() { _out << '\n'; }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& field(const char* name, const char* value) {
    (_out << ' ' << name << '=').printable(value);
    return *this;
  }
  template <class T>
  Line& field(const char* name, T value) {
    _out << ' ' << name << '=' << value;
    return *this;
  }
  /// Writes the innermost region, the device and the thread, which every line names.
  Line& where(const Thread& thread, const Record* inside, std::int16_t device) {
    for (; inside != nullptr; inside = inside->parent)
      if (inside->key.kind == Kind::region || inside->key.kind == Kind::construct) {
        field(inside->key.kind == Kind::region ? "region" : "construct", inside->key.name);
        break;
      }
    if (device >= 0)
      field("device", space_at(device).name.data());
    return field("threadid", thread.number());
  }
  Line& shape(const Shape& shape) {
    static constexpr std::array<const char*, 3> levels{"num_gangs", "num_workers", "vector_length"};
    for (std::uint8_t i = 0; i < shape.count; ++i) {
      if (shape.form == Shape::Form::levels)
        _out << ' ' << levels[i] << '=';
      else
        _out << (i == 0 ? " tile=" : "x");
      if (shape.extent[i] < 0)
        _out << "auto";
      else
        _out << shape.extent[i];
    }
    return *this;
  }

private:
  Writer _out{STDERR_FILENO};
};

} // namespace gangway::acc_time
