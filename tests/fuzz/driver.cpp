// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Drives a target where there is no libFuzzer: reads the files of a corpus, then changes them at
// random and reads those. The same seed makes the same inputs. Where the target was compiled with
// -fsanitize-coverage=trace-pc, what reached new places is kept and changed further.
#include "fuzz.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: %s [--runs N] [--seed N] [--length N] [--seconds N] [--keep FOLDER] FILE|FOLDER...\n"
    "Reads the files, then N inputs that are made of them by changes at random, of at most so "
    "many\n"
    "bytes (4096). One that takes longer than so many seconds (30) ends it. What is kept, because "
    "it\n"
    "reached new places, goes to FOLDER. What ends it is left in fuzz-failure-PID.\n";

// --- where a run came by --------------------------------------------------------------------

constexpr std::size_t places = 1 << 16;
std::array<std::uint8_t, places> visits{};    ///< of this run, by a hash of from where to where
std::array<std::uint8_t, places> ever_seen{}; ///< how often in a run, as a set of powers of two
std::uintptr_t came_from = 0;
bool instrumented = false;

/// Whether the last run did something that none did before.
bool reached_something_new() {
  bool anything = false;
  for (std::size_t place = 0; place < places; ++place) {
    if (visits[place] == 0)
      continue;
    std::uint8_t often = 1;
    for (unsigned n = visits[place]; n > 1 && often < 128; n /= 2)
      often = static_cast<std::uint8_t>(often * 2);
    anything = anything || (ever_seen[place] & often) == 0;
    ever_seen[place] |= often;
  }
  return anything;
}

// --- what ended it --------------------------------------------------------------------------

int to_people = STDERR_FILENO; ///< a target may use standard error for what it reads
const std::uint8_t* current = nullptr;
std::size_t current_size = 0;
std::array<char, 64> failure_file{};

void say(std::string_view text) {
  static_cast<void>(!write(to_people, text.data(), text.size()));
}

/// Leaves the input for another look; nothing but system calls.
void keep_input() {
  if (current == nullptr)
    return;
  const int file = open(failure_file.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return;
  static_cast<void>(!write(file, current, current_size));
  close(file);
  say("the input is in ");
  say(failure_file.data());
  say("\n");
  current = nullptr;
}

/// What was written to standard error while a target had that in a file of its own: the reason,
/// too.
void show_errors() {
  static std::array<char, 16384> text;
  struct stat now{};
  struct stat usual{};
  if (fstat(STDERR_FILENO, &now) != 0 || fstat(to_people, &usual) != 0 ||
      (now.st_dev == usual.st_dev && now.st_ino == usual.st_ino))
    return;
  const off_t end = lseek(STDERR_FILENO, 0, SEEK_END);
  const auto most = static_cast<off_t>(text.size());
  const ssize_t read =
      end <= 0 ? 0 : pread(STDERR_FILENO, text.data(), text.size(), std::max<off_t>(0, end - most));
  if (read > 0)
    say({text.data(), static_cast<std::size_t>(read)});
}

void on_death() {
  show_errors();
  keep_input();
}

void on_signal(int signal) {
  if (signal == SIGALRM)
    say("it takes too long\n");
  on_death();
  std::signal(signal, SIG_DFL);
  static_cast<void>(std::raise(signal));
}

} // namespace

// The names are others'. NOLINTBEGIN(readability-identifier-naming)
// The sanitizers', where there are any.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

/// GCC's sanitizer of undefined behaviour is a library of its own, which knows no death callback:
/// it is to end the process by a signal.
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:halt_on_error=1:print_stacktrace=1";
}

/// What GCC and clang call wherever the program branches.
extern "C" void __sanitizer_cov_trace_pc() {
  const auto here =
      reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) * 0x9e3779b97f4a7c15U >> 48U;
  std::uint8_t& visit = visits[here ^ came_from];
  visit = static_cast<std::uint8_t>(visit + (visit < 255));
  came_from = here >> 1U;
  instrumented = true;
}
// NOLINTEND(readability-identifier-naming)

namespace {

// --- inputs ---------------------------------------------------------------------------------

using Input = std::vector<std::uint8_t>;

/// Changes of inputs: of single bits up to pieces of others.
class Mutator {
public:
  Mutator(const std::vector<Input>& corpus, std::uint64_t seed, std::size_t longest)
      : _corpus(corpus), _random(seed), _longest(longest) {}

  Input next() {
    Input input = any_input();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes)
      change(input);
    input.resize(std::min(input.size(), _longest));
    return input;
  }

private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : _random() % end; }
  const Input& any_input() { return _corpus[below(_corpus.size())]; }
  static auto at(Input& input, std::size_t place) {
    return input.begin() + static_cast<std::ptrdiff_t>(place);
  }

  /// A piece of an input, short ones more often.
  Input piece_of(const Input& input) {
    const std::size_t begin = below(input.size());
    const std::size_t most =
        std::min<std::size_t>(input.size() - begin, std::size_t{1} << below(10));
    const auto first = input.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + static_cast<std::ptrdiff_t>(below(most + 1))};
  }

  /// Numbers and words at which readers go wrong.
  Input word() {
    static constexpr std::array<std::string_view, 36> words{"0",
                                                            "-1",
                                                            "1",
                                                            "+1",
                                                            "-0",
                                                            "1e308",
                                                            "1e309",
                                                            "1e-320",
                                                            "nan",
                                                            "-nan",
                                                            "inf",
                                                            "-inf",
                                                            "0x10",
                                                            "010",
                                                            "1_0",
                                                            "1e",
                                                            ".",
                                                            "-",
                                                            "+",
                                                            "2147483647",
                                                            "2147483648",
                                                            "-2147483648",
                                                            "4294967296",
                                                            "9223372036854775807",
                                                            "9223372036854775808",
                                                            "99999999999999999999999",
                                                            "\xff",
                                                            "\x1b[2J",
                                                            "\n",
                                                            "\r\n",
                                                            "\t",
                                                            " ",
                                                            "%",
                                                            "\xe2\x80\xa6",
                                                            "\xc2\x9b",
                                                            "="};
    const std::string_view chosen = words[below(words.size())];
    return {chosen.begin(), chosen.end()};
  }

  void put(Input& input, std::size_t place, const Input& what, std::size_t instead_of) {
    instead_of = std::min(instead_of, input.size() - place);
    input.erase(at(input, place), at(input, place + instead_of));
    if (input.size() + what.size() <= 2 * _longest)
      input.insert(at(input, place), what.begin(), what.end());
  }

  void change(Input& input) {
    const std::size_t place = below(input.size() + 1);
    const bool inside = place < input.size();
    switch (below(9)) {
    case 0: // a bit
      if (inside)
        input[place] = static_cast<std::uint8_t>(input[place] ^ (1U << below(8)));
      break;
    case 1: // a byte
      if (inside)
        input[place] = static_cast<std::uint8_t>(below(256));
      break;
    case 2: // another byte
      put(input, place, {static_cast<std::uint8_t>(below(256))}, 0);
      break;
    case 3: // something less
      put(input, place, {}, std::size_t{1} << below(10));
      break;
    case 4: // something twice, or many times
      for (Input piece = piece_of(input); below(3) != 0;)
        put(input, place, piece, 0);
      break;
    case 5: // something from elsewhere
      if (const Input piece = piece_of(any_input()); below(2) == 0)
        put(input, place, piece, 0);
      else
        put(input, place, piece, std::size_t{1} << below(6));
      break;
    case 6:
      put(input, place, word(), 0);
      break;
    case 7: { // a whole word, or number
      const auto in_word = [](std::uint8_t c) { return c > ' ' && c != '=' && c != ','; };
      std::size_t begin = place;
      while (begin > 0 && in_word(input[begin - 1]))
        --begin;
      const auto end = std::find_if_not(at(input, begin), input.end(), in_word);
      put(input, begin, word(), static_cast<std::size_t>(end - at(input, begin)));
      break;
    }
    default: // the end is missing
      if (below(4) == 0)
        input.resize(place);
    }
  }

  const std::vector<Input>& _corpus;
  std::mt19937_64 _random;
  std::size_t _longest;
};

Input content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Input bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file)
    throw std::runtime_error(path.string() + ": cannot be read");
  return bytes;
}

/// In the order of their names, so that the same seed means the same everywhere.
std::vector<Input> read_corpus(const std::vector<fs::path>& places_given) {
  std::vector<fs::path> files;
  for (const fs::path& place : places_given)
    if (fs::is_directory(place))
      for (const auto& entry : fs::recursive_directory_iterator(place)) {
        if (entry.is_regular_file())
          files.push_back(entry.path());
      }
    else
      files.push_back(place);
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const fs::path& file : files)
    corpus.push_back(content(file));
  if (corpus.empty())
    throw std::runtime_error("no file was named, or there is none");
  return corpus;
}

struct Options {
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::uint64_t length = 4096;
  std::uint64_t seconds = 30;
  fs::path keep;
  std::vector<fs::path> places;
};

/// Errors: runtime_error.
Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value = [&]() -> std::string_view {
      if (++i == argc)
        throw std::runtime_error(std::string(argument) + " has no value");
      return argv[i];
    };
    const auto number = [&](std::uint64_t& to) {
      const std::string_view text = value();
      const auto [stop, error] = std::from_chars(text.begin(), text.end(), to);
      if (error != std::errc() || stop != text.end())
        throw std::runtime_error(std::string(argument) + " " + std::string(text) +
                                 ": give a whole number");
    };
    if (argument == "--runs")
      number(options.runs);
    else if (argument == "--seed")
      number(options.seed);
    else if (argument == "--length")
      number(options.length);
    else if (argument == "--seconds")
      number(options.seconds);
    else if (argument == "--keep")
      options.keep = value();
    else if (argument.starts_with("-"))
      throw std::runtime_error("there is no option " + std::string(argument));
    else
      options.places.emplace_back(argument);
  }
  return options;
}

void run(const Input& input, unsigned seconds) {
  visits.fill(0);
  came_from = 0;
  current = input.data();
  current_size = input.size();
  alarm(seconds);
  try {
    const int result = LLVMFuzzerTestOneInput(input.data(), input.size());
    gangway::fuzz::require(result == 0, "a target returns 0");
  } catch (const std::exception& error) {
    gangway::fuzz::require(false, "a target throws nothing", error.what());
  }
  alarm(0);
  current = nullptr;
}

/// Inputs read, and of these the ones that reached new places.
void fuzz(const Options& options) {
  std::vector<Input> corpus = read_corpus(options.places);
  const auto seconds = static_cast<unsigned>(options.seconds);
  const std::size_t files = corpus.size();
  for (const Input& input : corpus) {
    run(input, seconds);
    reached_something_new();
  }
  if (!options.keep.empty())
    fs::create_directories(options.keep);
  Mutator mutator(corpus, options.seed, options.length);
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < options.runs; ++i) {
    const Input input = mutator.next();
    run(input, seconds);
    if (!instrumented || !reached_something_new())
      continue;
    if (!options.keep.empty()) {
      std::ofstream file(options.keep /
                             ("seed-" + std::to_string(options.seed) + "-run-" + std::to_string(i)),
                         std::ios::binary);
      file.write(reinterpret_cast<const char*>(input.data()),
                 static_cast<std::streamsize>(input.size()));
    }
    corpus.push_back(input);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  std::printf("%zu files, %llu runs from seed %llu, %zu kept, %.1f s, peak memory %ld MB\n", files,
              static_cast<unsigned long long>(options.runs),
              static_cast<unsigned long long>(options.seed), corpus.size() - files, took.count(),
              used.ru_maxrss / 1024);
}

} // namespace

int main(int argc, char** argv) {
  try {
    const Options options = options_of(argc, argv);
    if (options.places.empty()) {
      std::fprintf(stderr, usage, argv[0]);
      return 2;
    }
    to_people = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    std::snprintf(failure_file.data(), failure_file.size(), "fuzz-failure-%d", getpid());
    if (__sanitizer_set_death_callback != nullptr)
      __sanitizer_set_death_callback(on_death);
    for (const int signal : {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV})
      if (signal == SIGABRT || signal == SIGALRM || __sanitizer_set_death_callback == nullptr)
        std::signal(signal, on_signal);
    fuzz(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 2;
  }
}
