// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The present table against a model of it that is as plain as can be: steps at random, made by many
// threads in turn, after each of which both must say the same. A sequence that fails is made small
// and printed. Then the same threads all at once, where only the end can be known.
#include "gangway/data.hpp"

#include "testing/with_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace gangway {
namespace {

using testing::WithMemory;

constexpr int cells = 24; ///< of the one array that all clauses name parts of
constexpr int threads = 64;

enum class What {
  open,
  copyin,
  copyout,
  copy,
  create,
  present,
  close,
  enter_copyin,
  enter_create,
  exit_copyout,
  exit_delete,
  update_device,
  update_self,
  write_host,
  write_device
};
constexpr int kinds = 15;

/// What a thread does to `length` cells from `begin` on; clauses are the innermost region's, if the
/// thread has one.
struct Step {
  int thread;
  What what;
  int begin;
  int length;
  int value; ///< to be written

  [[nodiscard]] bool is_clause() const { return what >= What::copyin && what <= What::present; }
  [[nodiscard]] std::string text() const {
    static constexpr std::array<const char*, kinds> names{
        "opens a region", "copyin",        "copyout",      "copy",           "create",
        "present",        "closes",        "enter copyin", "enter create",   "exit copyout",
        "exit delete",    "update device", "update self",  "writes on host", "writes on device"};
    std::string text =
        "thread " + std::to_string(thread) + " " + names[static_cast<std::size_t>(what)];
    if (what != What::open && what != What::close)
      text += " a[" + std::to_string(begin) + ":" + std::to_string(length) + "]";
    return text;
  }
};

using Value = std::optional<int>; ///< nothing: whatever new memory has

/// A part of the array on the device.
struct Part {
  int begin;
  std::vector<Value> device;
  int regions = 0;
  int entered = 0;
  [[nodiscard]] int end() const { return begin + static_cast<int>(device.size()); }
};

class Model {
public:
  /// With a mistake in it, to see that a difference is found: a clause on what is present copies.
  explicit Model(bool mistaken = false) : _mistaken(mistaken), _host(cells), _open(threads) {
    for (int i = 0; i < cells; ++i)
      _host[static_cast<std::size_t>(i)] = i;
  }

  /// False where the library must refuse.
  bool take(const Step& step) {
    auto& open = _open[static_cast<std::size_t>(step.thread)];
    switch (step.what) {
    case What::open:
      open.emplace_back();
      return true;
    case What::close:
      if (open.empty())
        return true;
      for (auto held = open.back().rbegin(); held != open.back().rend(); ++held)
        leave(held->begin, held->length, held->what == What::copy || held->what == What::copyout,
              &Part::regions);
      open.pop_back();
      return true;
    case What::enter_copyin:
    case What::enter_create:
      return enter(step, step.what == What::enter_copyin, &Part::entered);
    case What::exit_copyout:
    case What::exit_delete:
      return leave(step.begin, step.length, step.what == What::exit_copyout, &Part::entered);
    case What::update_device:
    case What::update_self: {
      if (step.length == 0)
        return true;
      Part* const part = holding(step.begin, step.length);
      if (part == nullptr)
        return false;
      if (step.what == What::update_device)
        to_device(*part, step.begin, step.length);
      else
        to_host(*part, step.begin, step.length);
      return true;
    }
    case What::write_host:
      std::fill_n(_host.begin() + step.begin, step.length, step.value);
      return true;
    case What::write_device: {
      Part* const part = holding(step.begin, std::max(step.length, 1));
      if (part == nullptr)
        return false;
      std::fill_n(part->device.begin() + (step.begin - part->begin), step.length, step.value);
      if (step.length > 0)
        count(counts.to_device, counts.bytes_to_device, step.length);
      return true;
    }
    default:
      if (open.empty())
        return true;
      if (step.what == What::present && step.length > 0 &&
          holding(step.begin, step.length) == nullptr)
        return false;
      if (!enter(step, step.what == What::copyin || step.what == What::copy, &Part::regions))
        return false;
      open.back().push_back(step);
      return true;
    }
  }

  [[nodiscard]] bool has_region(int thread) const {
    return !_open[static_cast<std::size_t>(thread)].empty();
  }
  [[nodiscard]] const std::vector<Value>& host() const { return _host; }
  [[nodiscard]] std::size_t arrays() const { return _parts.size(); }
  [[nodiscard]] bool is_present(int begin, int length) {
    return length == 0 || holding(begin, length) != nullptr;
  }
  Transfers counts;

private:
  Part* holding(int begin, int length) {
    const auto found = std::find_if(_parts.begin(), _parts.end(), [&](const Part& part) {
      return begin >= part.begin && begin + length <= part.end();
    });
    return found == _parts.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool touches(int begin, int length) const {
    return std::any_of(_parts.begin(), _parts.end(), [&](const Part& part) {
      return begin < part.end() && part.begin < begin + length;
    });
  }
  static void count(std::uint64_t& number, std::uint64_t& bytes, int length) {
    ++number;
    bytes += static_cast<std::uint64_t>(length) * sizeof(int);
  }
  void to_device(Part& part, int begin, int length) {
    std::copy_n(_host.begin() + begin, length, part.device.begin() + (begin - part.begin));
    count(counts.to_device, counts.bytes_to_device, length);
  }
  void to_host(const Part& part, int begin, int length) {
    std::copy_n(part.device.begin() + (begin - part.begin), length, _host.begin() + begin);
    count(counts.to_host, counts.bytes_to_host, length);
  }

  bool enter(const Step& step, bool copy, int Part::* holder) {
    if (step.length == 0)
      return true;
    if (Part* const part = holding(step.begin, step.length)) {
      ++(part->*holder);
      if (copy && _mistaken)
        to_device(*part, step.begin, step.length);
      return true;
    }
    if (touches(step.begin, step.length))
      return false;
    Part part{step.begin, std::vector<Value>(static_cast<std::size_t>(step.length))};
    ++(part.*holder);
    ++counts.allocations;
    if (copy)
      to_device(part, step.begin, step.length);
    _parts.push_back(part);
    return true;
  }
  bool leave(int begin, int length, bool copy_out, int Part::* holder) {
    if (length == 0)
      return true;
    Part* const part = holding(begin, length);
    if (part == nullptr || part->*holder == 0)
      return false;
    if (--(part->*holder); part->regions + part->entered > 0)
      return true;
    if (copy_out)
      to_host(*part, begin, length);
    _parts.erase(_parts.begin() + (part - _parts.data()));
    return true;
  }

  bool _mistaken;
  std::vector<Value> _host;
  std::vector<Part> _parts;
  std::vector<std::vector<std::vector<Step>>> _open; ///< by thread, then outermost first
};

/// Threads that do one thing at a time, when they are told.
class Crew {
public:
  Crew() {
    for (auto& member : _members)
      member.thread = std::thread([&member] {
        for (member.told.acquire(); member.job; member.told.acquire()) {
          member.job();
          member.done.release();
        }
      });
  }
  ~Crew() {
    for (auto& member : _members) {
      member.job = nullptr;
      member.told.release();
      member.thread.join();
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void tell(int which, const std::function<void()>& job) {
    Member& member = _members[static_cast<std::size_t>(which)];
    member.job = job;
    member.told.release();
    member.done.acquire();
  }

private:
  struct Member {
    std::binary_semaphore told{0};
    std::binary_semaphore done{0};
    std::function<void()> job;
    std::thread thread;
  };
  std::array<Member, threads> _members;
};

using Regions = std::vector<std::unique_ptr<Data>>;

/// The library's side of a step, on the thread whose regions these are. False where it refuses.
bool take(const Step& step, int* array, Regions& open) {
  int* const part = array + step.begin;
  try {
    switch (step.what) {
    case What::open:
      open.push_back(std::make_unique<Data>());
      break;
    case What::close:
      if (!open.empty()) {
        open.back()->close();
        open.pop_back();
      }
      break;
    case What::enter_copyin:
      enter_data_copyin(part, step.length);
      break;
    case What::enter_create:
      enter_data_create(part, step.length);
      break;
    case What::exit_copyout:
      exit_data_copyout(part, step.length);
      break;
    case What::exit_delete:
      exit_data_delete(part, step.length);
      break;
    case What::update_device:
      update_device(part, step.length);
      break;
    case What::update_self:
      update_self(part, step.length);
      break;
    case What::write_host:
      std::fill_n(part, step.length, step.value);
      break;
    case What::write_device: {
      if (!is_present(part, static_cast<std::size_t>(std::max(step.length, 1))))
        return false;
      const std::vector<int> values(static_cast<std::size_t>(step.length), step.value);
      memcpy_to_device(device_pointer(part), values.data(), values.size() * sizeof(int));
      break;
    }
    default: {
      if (open.empty())
        break;
      Data& data = *open.back();
      if (step.what == What::copyin)
        static_cast<void>(data.copyin(part, step.length));
      else if (step.what == What::copyout)
        static_cast<void>(data.copyout(part, step.length));
      else if (step.what == What::copy)
        static_cast<void>(data.copy(part, step.length));
      else if (step.what == What::create)
        static_cast<void>(data.create(part, step.length));
      else
        static_cast<void>(data.present(part, step.length));
    }
    }
  } catch (const DataError&) {
    return false;
  }
  return true;
}

/// Lets go of all that enter_data holds.
void leave_everything(int* array) {
  for (int i = 0; i < cells;)
    try {
      exit_data_delete(array + i, 1);
    } catch (const DataError&) {
      ++i;
    }
}

/// What the library says otherwise than the model, or nothing.
std::string difference(const std::vector<Step>& steps, Model model, Crew& crew) {
  std::vector<int> array(cells);
  for (int i = 0; i < cells; ++i)
    array[static_cast<std::size_t>(i)] = i;
  std::vector<Regions> open(threads);
  reset_transfers();
  std::string found;
  for (std::size_t i = 0; i < steps.size() && found.empty(); ++i) {
    const Step& step = steps[i];
    bool taken = false;
    crew.tell(step.thread, [&] {
      taken = take(step, array.data(), open[static_cast<std::size_t>(step.thread)]);
    });
    if (model.take(step) != taken)
      found = taken ? "it is not refused" : "it is refused";
    else if (present_arrays() != model.arrays())
      found = std::to_string(present_arrays()) + " arrays are present, not " +
              std::to_string(model.arrays());
    else if (is_present(array.data() + step.begin, static_cast<std::size_t>(step.length)) !=
             model.is_present(step.begin, step.length))
      found = "is_present differs";
    else if (transfers() != model.counts)
      found = "transfers differ: " + std::to_string(transfers().to_device) + " to the device and " +
              std::to_string(transfers().to_host) + " back, not " +
              std::to_string(model.counts.to_device) + " and " +
              std::to_string(model.counts.to_host);
    for (int cell = 0; cell < cells && found.empty(); ++cell)
      if (const Value& value = model.host()[static_cast<std::size_t>(cell)];
          value && *value != array[static_cast<std::size_t>(cell)])
        found = "a[" + std::to_string(cell) + "] differs on the host";
  }
  for (int thread = 0; thread < threads; ++thread) {
    if (open[static_cast<std::size_t>(thread)].empty())
      continue;
    crew.tell(thread, [&] {
      Regions& mine = open[static_cast<std::size_t>(thread)];
      for (; !mine.empty(); mine.pop_back())
        mine.back()->close();
    });
  }
  leave_everything(array.data());
  if (found.empty() && present_arrays() != 0)
    found = std::to_string(present_arrays()) + " arrays stay when all is closed";
  return found;
}

Step any_step(std::mt19937& random) {
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  Step step{below(threads), static_cast<What>(below(kinds)), below(cells), 0, below(1000) + 100};
  step.length = below(std::min(cells - step.begin, 9) + 1);
  return step;
}

/// Few threads do most, so that their regions nest.
std::vector<Step> any_steps(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Step> steps(20 + random() % 100);
  for (Step& step : steps) {
    step = any_step(random);
    if (random() % 4 != 0)
      step.thread %= 3;
  }
  return steps;
}

/// The sequence without the steps that its difference does not need.
std::vector<Step> shrunk(std::vector<Step> steps, const Model& model, Crew& crew) {
  for (std::size_t piece = steps.size() / 2; piece > 0; piece /= 2)
    for (std::size_t begin = 0; begin < steps.size();) {
      std::vector<Step> fewer = steps;
      const auto first = fewer.begin() + static_cast<std::ptrdiff_t>(begin);
      fewer.erase(first,
                  first + static_cast<std::ptrdiff_t>(std::min(piece, fewer.size() - begin)));
      if (difference(fewer, model, crew).empty())
        begin += piece;
      else
        steps = fewer;
    }
  return steps;
}

std::string text_of(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps)
    text += step.text() + "\n";
  return text;
}

TEST(PresentTable, IsThePlainModels) {
  const WithMemory separate(Memory::separate);
  Crew crew;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const std::vector<Step> steps = any_steps(seed);
    if (difference(steps, Model(), crew).empty())
      continue;
    const std::vector<Step> few = shrunk(steps, Model(), crew);
    FAIL() << "seed " << seed << ": " << difference(few, Model(), crew) << " after\n"
           << text_of(few);
  }
}

TEST(PresentTable, AMistakeIsFoundAndMadeSmall) {
  const WithMemory separate(Memory::separate);
  Crew crew;
  const Model mistaken(true);
  int found = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::vector<Step> steps = any_steps(seed);
    if (difference(steps, mistaken, crew).empty())
      continue;
    ++found;
    const std::vector<Step> few = shrunk(steps, mistaken, crew);
    EXPECT_FALSE(difference(few, mistaken, crew).empty());
    // Two that bring the same, each of which may need its region.
    EXPECT_LE(few.size(), 4U) << text_of(few);
  }
  EXPECT_GT(found, 0);
}

TEST(PresentTable, NothingStaysWhenAllThreadsWorkAtOnce) {
  const WithMemory separate(Memory::separate);
  reset_transfers();
  std::vector<int> array(cells);
  std::atomic<long> taken = 0;
  std::atomic<long> refused = 0;
  std::vector<std::thread> crew;
  for (int which = 0; which < threads; ++which)
    crew.emplace_back([&, which] {
      std::mt19937 random(static_cast<unsigned>(which));
      Regions open;
      for (int i = 0; i < 300; ++i) {
        Step step = any_step(random);
        // The threads' own writes would race; and what one writes to, another may release.
        if (step.what != What::write_host && step.what != What::write_device)
          ++(take(step, array.data(), open) ? taken : refused);
      }
      for (; !open.empty(); open.pop_back())
        open.back()->close();
    });
  for (std::thread& thread : crew)
    thread.join();
  leave_everything(array.data());
  EXPECT_EQ(present_arrays(), 0U);
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 100);
  EXPECT_GT(transfers().allocations, 10U);
}

} // namespace
} // namespace gangway
