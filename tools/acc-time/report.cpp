// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "device_clock.hpp"
#include "lifetime.hpp"
#include "tree.hpp"
#include "writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace gangway::acc_time {
namespace {

constexpr int format_version = 1; ///< of both formats; docs/acc-time.md says what it stands for
/// Number of region names written around an event: the innermost ones. With all of them, the report
/// of a program whose regions nest thousands deep would grow with the square of the depth.
constexpr std::uint32_t text_regions = 16;
constexpr std::uint32_t json_regions = 64;

std::atomic<unsigned> models_seen{0};
bool saw_model(Model model) {
  return (models_seen.load() >> static_cast<unsigned>(model) & 1U) != 0;
}

const char* elapsed_text() {
  if (!saw_model(Model::kokkos))
    return "host clock; launches until the runtime goes on, asynchronous ones until they are "
           "enqueued";
  return settings.fenced
             ? "host clock; the device is waited for before and after each Kokkos kernel"
             : "host clock; of a Kokkos kernel only the launch, which need not wait for the device";
}

const char* data_text(DataKind kind) {
  switch (kind) {
  case DataKind::region:
    return "data region";
  case DataKind::region_end:
    return "data region end";
  case DataKind::enter_data:
    return "enter data";
  case DataKind::exit_data:
    return "exit data";
  case DataKind::update:
    return "update";
  default:
    return "data";
  }
}

const char* pattern_text(Pattern pattern) {
  switch (pattern) {
  case Pattern::parallel_for:
    return "parallel_for";
  case Pattern::parallel_reduce:
    return "parallel_reduce";
  case Pattern::parallel_scan:
    return "parallel_scan";
  default:
    return "";
  }
}

bool is_initialization(const Key& key) {
  return key.kind == Kind::kernel &&
         std::strncmp(key.name, "Kokkos::View::initialization", 28) == 0;
}

/// Returns the last part of a path.
const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

/// Returns whether the records can show that a data region found all its data on the device. That
/// takes an OpenACC runtime that reports allocations; Gangway's regions say it themselves.
bool knows_present(const Key& key) {
  if (key.model == Model::kokkos)
    return true;
  for (std::int16_t i = 0; i < space_count(); ++i)
    if (std::strncmp(space_at(i).name.data(), "OpenACC ", 8) == 0 &&
        space_at(i).allocations.load() != 0)
      return true;
  return false;
}

/// Returns whether it is a data region: the report says for both models if it moved or allocated.
bool is_region(const Key& key) {
  return key.kind == Kind::data &&
         (key.data == DataKind::region || key.data == DataKind::region_end);
}

/// Returns whether OpenACC ran on a device without reported transfers: GCC's, without CUPTI.
bool lacks_transfers(const Node& root) {
  bool on_device = false;
  for (const Node* node = following(&root); node != nullptr; node = following(node)) {
    if (node->key.model != Model::openacc)
      continue;
    if (node->key.kind == Kind::transfer)
      return false;
    on_device = on_device || (node->key.kind == Kind::construct && node->key.device >= 0 &&
                              !space_at(node->key.device).host);
  }
  return on_device && !device_clock::active.load();
}

/// Regions around a node, outermost first; the innermost ones if there are more than `most`.
template <std::uint32_t most>
class Regions {
public:
  explicit Regions(const Node& node) : _first(_regions.end()) {
    const Node* region = node.enclosing;
    for (std::uint32_t left = std::min(node.regions_around, most); left > 0; --left) {
      *--_first = region;
      region = region->enclosing;
    }
  }
  [[nodiscard]] const Node* const* begin() const { return _first; }
  [[nodiscard]] const Node* const* end() const { return _regions.end(); }

private:
  std::array<const Node*, most> _regions{};
  const Node** _first;
};

// --- text -----------------------------------------------------------------------------------

class Text {
public:
  explicit Text(Writer& out) : _out(out) {}

  void write(const Node& root, const char* ended) {
    _out << "Accelerator Timing data (gangway-acc-time, format " << format_version << ")\n";
    _out << "    program: ";
    _out.printable(settings.program.data());
    _out << "  process: " << settings.process << "  ended: " << ended << '\n';
    _out << "    elapsed time: " << elapsed_text() << '\n';
    _out << "    device time: " << device_clock::state() << '\n';
    if (lacks_transfers(root))
      _out << "    transfers: this OpenACC runtime does not report them; CUPTI would\n";
    _out << "    time since the tool was loaded(us): ";
    microseconds(now() - settings.started);
    _out << '\n';
    if (lost() != 0)
      _out << "    events lost for lack of memory: " << lost() << '\n';
    if (root.first == nullptr)
      _out << "\nNothing was recorded.\n";
    region(root);
    for (const Node* node = following(&root); node != nullptr; node = following(node))
      if (node->key.kind == Kind::region)
        region(*node);
    others();
    memory();
  }

private:
  void microseconds(std::uint64_t nanoseconds) { _out.commas((nanoseconds + 500) / 1000); }

  void label(const char* text) {
    if (*text == '\0')
      _out << "(unnamed)";
    _out.printable(text);
  }

  void line(int indent) { _out.spaces(indent); }

  void times(std::uint64_t n) { (_out.commas(n) << (n == 1 ? " time" : " times")); }
  void times(std::uint64_t n, const char* before, const char* after) {
    (_out << before).commas(n) << after;
  }

  void unfinished(const Node& node) {
    if (node.unfinished() != 0)
      _out << " (" << node.unfinished() << " unfinished)";
  }

  void timing(int indent, const char* what, const Sum& sum) {
    if (sum.count == 0)
      return;
    line(indent);
    _out << what << " time(us): total=";
    microseconds(sum.total);
    _out << " max=";
    microseconds(sum.max);
    _out << " min=";
    microseconds(sum.min);
    _out << " avg=";
    microseconds(sum.average());
    _out << '\n';
  }

  void path(const Node& region) {
    if (region.regions_around >= text_regions)
      _out << "(" << static_cast<std::uint64_t>(region.regions_around + 1 - text_regions)
           << " more) / ";
    Regions<text_regions - 1> around(region);
    for (const Node* outer : around) {
      label(outer->key.name);
      _out << " / ";
    }
    label(region.key.name);
  }

  void region(const Node& region) {
    const bool is_root = region.parent == nullptr;
    std::uint64_t total = 0;
    std::uint64_t device = 0;
    bool has_items = false;
    for (const Node* node = region.first; node != nullptr; node = node->next) {
      if (node->key.kind == Kind::region)
        continue;
      has_items = true;
      if (node->key.kind != Kind::wait && node->key.kind != Kind::section)
        total += node->elapsed.total;
      device += device_total(*node);
    }
    if (is_root && !has_items && !region.on_device)
      return;
    _out << '\n';
    if (is_root) {
      _out << "outside of regions\n";
    } else {
      _out << "region ";
      path(region);
      _out << '\n';
    }
    line(2);
    _out << "time(us): ";
    microseconds(total);
    if (device_clock::active.load()) {
      _out << " on the device: ";
      microseconds(device);
    }
    _out << '\n';
    if (!is_root) {
      line(2);
      _out << "region reached ";
      times(region.begun);
      unfinished(region);
      _out << '\n';
      timing(6, "elapsed", region.elapsed);
      extra_work(region, 2, "outside of kernels and copies: ");
    }
    for (const Node* node = region.first; node != nullptr; node = node->next)
      if (node->key.kind != Kind::region)
        item(*node, 2);
  }

  static std::uint64_t device_total(const Node& top) {
    std::uint64_t total = 0;
    for (const Node* node = &top; node != nullptr; node = following(node, &top)) {
      total += node->kernels.total;
      for (const Sum& copies : node->copies)
        total += copies.total;
    }
    return total;
  }

  /// Returns whether it is one of Kokkos' own kernels, such as initialisations. They are launches,
  /// but no compute regions of the program.
  static bool is_internal_construct(const Node& node) {
    return node.key.kind == Kind::construct && node.key.internal;
  }

  /// Writes a node and all nodes in it. Beyond a depth they are not indented further, nor left out.
  void item(const Node& top, int indent) {
    constexpr int deepest = 8;
    for (const Node* node = &top; node != nullptr; node = following(node, &top)) {
      int depth = 0;
      for (const Node* up = node; up != &top && depth < deepest; up = up->parent)
        if (!is_internal_construct(*up->parent))
          ++depth;
      single(*node, indent + 2 * depth);
    }
  }

  void single(const Node& node, int indent) {
    if (is_internal_construct(node))
      return;
    line(indent);
    switch (node.key.kind) {
    case Kind::construct:
      construct(node, indent);
      break;
    case Kind::kernel:
      kernel(node, indent);
      break;
    case Kind::transfer:
      transfer(node, indent);
      break;
    case Kind::fill:
      label(node.key.name);
      _out << ": filled " << (node.key.to_space < 0 ? "" : space_at(node.key.to_space).name.data())
           << " memory ";
      times(node.begun);
      unfinished(node);
      _out << ", no transfer\n";
      line(indent + 4);
      (_out << "bytes: ").commas(node.bytes) << '\n';
      timing(indent + 4, "elapsed", node.elapsed);
      extra_work(node, indent + 4, "");
      break;
    case Kind::data:
      reached(node, data_text(node.key.data), indent);
      break;
    case Kind::wait:
      reached(node, "wait", indent);
      break;
    case Kind::section:
      reached(node, "section", indent);
      break;
    case Kind::region:
      reached(node, "region", indent);
      break;
    }
  }

  void place(const Key& key) {
    if (*key.detail != '\0') {
      _out.printable(file_name(key.detail));
      _out << ' ';
    }
    if (*key.name != '\0' || *key.detail == '\0')
      label(key.name);
    if (key.line > 0)
      _out << ' ' << key.line;
  }

  void reached(const Node& node, const char* what, int indent) {
    if (!(node.key.kind == Kind::data && node.key.model == Model::kokkos)) {
      place(node.key);
      _out << ": ";
    }
    _out << what << " reached ";
    times(node.begun);
    if (node.key.kind == Kind::wait && node.key.device >= 0)
      _out << " (" << space_at(node.key.device).name.data() << ")";
    if (is_region(node.key) && knows_present(node.key) && node.found_present != 0)
      times(node.found_present, ", ", " found everything present");
    if (is_region(node.key) && node.in_place != 0)
      times(node.in_place, ", ", " used the host's memory in place");
    unfinished(node);
    _out << '\n';
    timing(indent + 4, "elapsed", node.elapsed);
    extra_work(node, indent + 4, "");
  }

  void construct(const Node& node, int indent) {
    place(node.key);
    _out << ": compute region reached ";
    times(node.begun);
    if (node.key.model == Model::kokkos) {
      _out << '\n';
      return;
    }
    unfinished(node);
    if (node.key.device >= 0)
      _out << " (" << space_at(node.key.device).name.data() << ")";
    _out << '\n';
    timing(indent + 4, "elapsed", node.elapsed);
    extra_work(node, indent + 4, "");
  }

  void kernel(const Node& node, int indent) {
    place(node.key);
    _out << (is_initialization(node.key) ? ": initialization kernel launched "
                                         : ": kernel launched ");
    times(node.begun);
    const bool kokkos = node.key.model == Model::kokkos;
    if (kokkos || node.key.device >= 0) {
      _out << " (" << pattern_text(node.key.pattern)
           << (kokkos && node.key.device >= 0 ? ", " : "");
      if (node.key.device >= 0)
        _out << space_at(node.key.device).name.data();
      _out << (node.key.asynchronous ? ", asynchronous)" : ")");
    }
    unfinished(node);
    _out << '\n';
    shape(node.key.shape, indent + 4);
    if (node.kernels.count != 0) {
      line(indent + 4);
      dimensions("grid: [", node.grid_min, node.grid_max);
      dimensions("]  block: [", node.block_min, node.block_max);
      _out << "]\n";
      if (node.kernels.count != node.begun) {
        line(indent + 4);
        (_out << "launches on the device: ").commas(node.kernels.count) << '\n';
      }
      timing(indent + 4, "device", node.kernels);
    }
    timing(indent + 4, "elapsed", node.elapsed);
    copies(node, indent + 4, "of the launch itself: ");
  }

  void shape(const Shape& shape, int indent) {
    if (shape.form == Shape::Form::unknown)
      return;
    static constexpr std::array<const char*, 3> levels{"gangs: [", "  workers: [", "  vector: ["};
    line(indent);
    if (shape.form == Shape::Form::tile)
      _out << "tile: [";
    for (std::uint8_t i = 0; i < shape.count; ++i) {
      if (shape.form == Shape::Form::levels)
        _out << levels[i];
      else if (i > 0)
        _out << 'x';
      extent(shape.extent[i]);
      if (shape.form == Shape::Form::levels)
        _out << ']';
    }
    if (shape.form == Shape::Form::tile)
      _out << ']';
    // The requested shape is written only if the launch differs from it.
    if (shape.is_requested &&
        (shape.requested[0] != shape.extent[1] || shape.requested[1] != shape.extent[2])) {
      _out << "  requested: workers [";
      extent(shape.requested[0]);
      _out << "] vector [";
      extent(shape.requested[1]);
      _out << ']';
    }
    _out << '\n';
  }

  void extent(std::int64_t value) {
    if (value < 0)
      _out << "auto";
    else
      _out << value;
  }

  /// Writes "8x1000", without dimensions that are 1, and with a range if launches differed.
  void dimensions(const char* before, const std::array<std::int32_t, 3>& min,
                  const std::array<std::int32_t, 3>& max) {
    _out << before;
    const int count = max[2] > 1 ? 3 : max[1] > 1 ? 2 : 1;
    for (int d = 0; d < count; ++d) {
      if (d > 0)
        _out << 'x';
      _out << min[d];
      if (max[d] != min[d])
        _out << '-' << max[d];
    }
  }

  void transfer(const Node& node, int indent) {
    static constexpr std::array<const char*, 6> what{
        "data transfers: ",     "data copyin transfers: ", "data copyout transfers: ",
        "device data copies: ", "host data copies: ",      "copies of nothing: "};
    if (node.key.line > 0) {
      place(node.key);
    } else {
      label(node.key.name);
      if (*node.key.detail != '\0') {
        _out << " from ";
        label(node.key.detail);
      }
    }
    (_out << ": " << what[static_cast<std::size_t>(node.key.direction)]).commas(node.begun);
    if (node.key.to_space >= 0 && node.key.from_space >= 0)
      _out << " (" << space_at(node.key.from_space).name.data() << " to "
           << space_at(node.key.to_space).name.data() << ")";
    unfinished(node);
    _out << '\n';
    line(indent + 4);
    (_out << "bytes: ").commas(node.bytes) << '\n';
    const auto index = static_cast<std::size_t>(node.key.direction);
    if (index >= 1 && index <= 3)
      timing(indent + 4, "device", node.copies[index - 1]);
    timing(indent + 4, "elapsed", node.elapsed);
  }

  /// Writes the device work of an event that is no kernel itself.
  void extra_work(const Node& node, int indent, const char* what) {
    if (node.kernels.count != 0) {
      line(indent);
      ((_out << what << "kernels on the device: ").commas(node.kernels.count)) << '\n';
      timing(indent + 4, "device", node.kernels);
    }
    copies(node, indent, what);
  }

  void copies(const Node& node, int indent, const char* what) {
    static constexpr std::array<const char*, 3> names{
        "data copyin transfers: ", "data copyout transfers: ", "device data copies: "};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (node.copies[i].count == 0)
        continue;
      line(indent);
      (_out << what << names[i]).commas(node.copies[i].count);
      (_out << ", bytes: ").commas(node.copy_bytes[i]) << '\n';
      timing(indent + 4, "device", node.copies[i]);
    }
  }

  void others() {
    Node node;
    node.add(*device_clock::unattributed());
    if (node.kernels.count + node.copies[0].count + node.copies[1].count + node.copies[2].count ==
        0)
      return;
    _out << "\nelsewhere on the device\n";
    extra_work(node, 2, "");
  }

  void memory() {
    bool first = true;
    for (std::int16_t i = 0; i < space_count(); ++i) {
      const Space& space = space_at(i);
      const std::uint64_t allocations = space.allocations.load();
      if (allocations == 0)
        continue;
      if (first)
        _out << "\nmemory\n";
      first = false;
      (_out << "  " << space.name.data() << ": allocations: ").commas(allocations);
      (_out << "  bytes: ").commas(space.bytes.load());
      (_out << "  peak: ").commas(static_cast<std::uint64_t>(space.peak.load()));
      const std::int64_t live = space.live.load();
      (_out << "  at the end: ").commas(live < 0 ? 0 : static_cast<std::uint64_t>(live)) << '\n';
    }
  }

  Writer& _out;
};

// --- JSON -----------------------------------------------------------------------------------

class Json {
public:
  explicit Json(Writer& out) : _out(out) {}

  void write(const Node& root, const char* ended) {
    _out << "{\n";
    name("format");
    string("gangway-acc-time");
    field("version") << format_version;
    field("program");
    string(settings.program.data());
    field("process") << settings.process;
    field("ended");
    string(ended);
    field("models") << '[';
    if (saw_model(Model::kokkos))
      string("kokkos");
    if (saw_model(Model::kokkos) && saw_model(Model::openacc))
      _out << ", ";
    if (saw_model(Model::openacc))
      string("openacc");
    _out << ']';
    field("elapsed_time");
    string(elapsed_text());
    field("device_time");
    string(device_clock::state());
    field("transfers_reported") << (lacks_transfers(root) ? "false" : "true");
    field("since_load_us");
    microseconds(now() - settings.started);
    field("events_lost") << lost();

    array(
        "regions", root, [](const Node& n) { return n.key.kind == Kind::region; },
        [this](const Node& n) {
          reached(n);
          device_work(n);
        });
    array(
        "compute", root, [](const Node& n) { return n.key.kind == Kind::construct; },
        [this](const Node& n) { construct(n); });
    array(
        "data", root, [](const Node& n) { return n.key.kind == Kind::data; },
        [this](const Node& n) {
          member("kind");
          string(data_text(n.key.data));
          place(n.key);
          reached(n);
          if (is_region(n.key)) {
            member("found_present");
            if (knows_present(n.key))
              _out << n.found_present;
            else
              _out << "null";
            member("in_place") << n.in_place;
          }
          device_work(n);
        });
    array(
        "transfers", root, [](const Node& n) { return n.key.kind == Kind::transfer; },
        [this](const Node& n) { transfer(n); });
    array(
        "fills", root, [](const Node& n) { return n.key.kind == Kind::fill; },
        [this](const Node& n) {
          member("space");
          string_or_null(n.key.to_space < 0 ? "" : space_at(n.key.to_space).name.data());
          member("bytes") << n.bytes;
          reached(n);
        });
    array(
        "waits", root, [](const Node& n) { return n.key.kind == Kind::wait; },
        [this](const Node& n) {
          device(n.key.device);
          reached(n);
        });
    array(
        "sections", root, [](const Node& n) { return n.key.kind == Kind::section; },
        [this](const Node& n) { reached(n); });

    field("elsewhere") << '{';
    Node others;
    others.add(*device_clock::unattributed());
    _first_member = true;
    device_work(others);
    _out << '}';
    memory();
    _out << "\n}\n";
  }

private:
  void name(const char* text) { _out << "  \"" << text << "\": "; }
  Writer& field(const char* text) {
    _out << ",\n";
    name(text);
    return _out;
  }
  Writer& member(const char* text) {
    if (!_first_member)
      _out << ", ";
    _first_member = false;
    return _out << '"' << text << "\": ";
  }

  /// Writes any bytes as a valid JSON string: what is not UTF-8 becomes the replacement character.
  void string(const char* text) {
    _out << '"';
    while (*text != '\0') {
      const auto c = static_cast<unsigned char>(*text);
      if (c == '"' || c == '\\') {
        _out << '\\' << *text++;
      } else if (c < 0x20) {
        _out << "\\u00" << "0123456789abcdef"[c >> 4U] << "0123456789abcdef"[c & 15U];
        ++text;
      } else if (const int length = utf8_length(text); length > 0) {
        for (int i = 0; i < length; ++i)
          _out << *text++;
      } else {
        _out << "\\ufffd";
        ++text;
      }
    }
    _out << '"';
  }
  void string_or_null(const char* text) {
    if (*text == '\0')
      _out << "null";
    else
      string(text);
  }

  void microseconds(std::uint64_t nanoseconds) {
    _out << nanoseconds / 1000 << '.';
    const std::uint64_t rest = nanoseconds % 1000;
    _out << static_cast<char>('0' + rest / 100) << static_cast<char>('0' + rest / 10 % 10)
         << static_cast<char>('0' + rest % 10);
  }

  void timing(const char* text, const Sum& sum) {
    member(text);
    if (sum.count == 0) {
      _out << "null";
      return;
    }
    _out << "{\"count\": " << sum.count << ", \"total\": ";
    microseconds(sum.total);
    _out << ", \"max\": ";
    microseconds(sum.max);
    _out << ", \"min\": ";
    microseconds(sum.min);
    _out << ", \"avg\": ";
    microseconds(sum.average());
    _out << '}';
  }

  template <class Filter, class Write>
  void array(const char* text, const Node& root, Filter wanted, Write write_one) {
    field(text) << '[';
    bool first = true;
    for (const Node* node = following(&root); node != nullptr; node = following(node)) {
      if (!wanted(*node))
        continue;
      _out << (first ? "\n    {" : ",\n    {");
      first = false;
      _first_member = true;
      region_path(*node);
      member("within");
      const Node* const within = node->within();
      string_or_null(within == nullptr ? "" : within->key.name);
      member("model");
      string(node->key.model == Model::kokkos ? "kokkos" : "openacc");
      member("name");
      string(node->key.name);
      write_one(*node);
      _out << '}';
    }
    _out << (first ? "]" : "\n  ]");
  }

  /// Writes the names of the regions around a node, outermost first; of the innermost ones if there
  /// are too many.
  void region_path(const Node& node) {
    member("region") << '[';
    bool first = true;
    Regions<json_regions> around(node);
    for (const Node* region : around) {
      if (!first)
        _out << ", ";
      first = false;
      string(region->key.name);
    }
    _out << ']';
    if (node.regions_around > json_regions)
      member("regions_above") << static_cast<std::uint64_t>(node.regions_around - json_regions);
  }

  void reached(const Node& node) {
    member("reached") << node.begun;
    member("unfinished") << node.unfinished();
    timing("elapsed_us", node.elapsed);
  }

  void place(const Key& key) {
    member("file");
    string_or_null(key.detail);
    member("line");
    if (key.line > 0)
      _out << key.line;
    else
      _out << "null";
  }

  void device_work(const Node& node) {
    timing("device_us", node.kernels);
    static constexpr std::array<const char*, 3> names{"device_copyin", "device_copyout",
                                                      "device_copies"};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (node.copies[i].count == 0)
        continue;
      member(names[i]) << "{\"count\": " << node.copies[i].count
                       << ", \"bytes\": " << node.copy_bytes[i] << ", \"total_us\": ";
      microseconds(node.copies[i].total);
      _out << '}';
    }
  }

  void construct(const Node& node) {
    if (node.key.model == Model::openacc)
      place(node.key);
    member("construct");
    string_or_null(pattern_text(node.key.pattern));
    device(node.key.device);
    member("internal") << (node.key.internal ? "true" : "false");
    reached(node);
    if (node.key.model == Model::openacc)
      device_work(node);
    member("kernels") << '[';
    bool first = true;
    for (const Node* kernel = node.first; kernel != nullptr; kernel = kernel->next) {
      if (kernel->key.kind != Kind::kernel)
        continue;
      _out << (first ? "\n      {" : ",\n      {");
      first = false;
      _first_member = true;
      launch(*kernel);
      _out << '}';
    }
    _out << ']';
    _first_member = false;
  }

  void device(std::int16_t number) {
    member("device");
    string_or_null(number < 0 ? "" : space_at(number).name.data());
  }

  void launch(const Node& node) {
    member("name");
    string(node.key.name);
    member("launched") << node.begun;
    member("unfinished") << node.unfinished();
    member("asynchronous") << (node.key.asynchronous ? "true" : "false");
    member("initialization") << (is_initialization(node.key) ? "true" : "false");
    member("shape");
    shape(node.key.shape);
    if (node.kernels.count != 0) {
      extents("grid", node.grid_min, node.grid_max);
      extents("block", node.block_min, node.block_max);
    }
    timing("elapsed_us", node.elapsed);
    device_work(node);
  }

  void shape(const Shape& shape) {
    static constexpr std::array<const char*, 3> levels{
        "\"gangs\": ", ", \"workers\": ", ", \"vector\": "};
    if (shape.form == Shape::Form::unknown) {
      _out << "null";
      return;
    }
    const bool tile = shape.form == Shape::Form::tile;
    _out << (tile ? "{\"tile\": [" : "{");
    for (std::uint8_t i = 0; i < shape.count; ++i) {
      _out << (tile ? (i == 0 ? "" : ", ") : levels[i]);
      extent(shape.extent[i]);
    }
    _out << (tile ? "]" : "");
    if (shape.is_requested) {
      _out << ", \"requested\": {\"workers\": ";
      extent(shape.requested[0]);
      _out << ", \"vector\": ";
      extent(shape.requested[1]);
      _out << '}';
    }
    _out << '}';
  }

  void extent(std::int64_t value) {
    if (value < 0)
      _out << "\"auto\"";
    else
      _out << value;
  }

  void extents(const char* text, const std::array<std::int32_t, 3>& min,
               const std::array<std::int32_t, 3>& max) {
    member(text) << "{\"min\": [" << min[0] << ", " << min[1] << ", " << min[2] << "], \"max\": ["
                 << max[0] << ", " << max[1] << ", " << max[2] << "]}";
  }

  void transfer(const Node& node) {
    static constexpr std::array<const char*, 6> directions{"unknown", "copyin", "copyout",
                                                           "device",  "host",   "nothing"};
    member("direction");
    string(directions[static_cast<std::size_t>(node.key.direction)]);
    const bool placed = node.key.line > 0;
    if (placed)
      place(node.key);
    member("from");
    string_or_null(placed ? "" : node.key.detail);
    member("to_space");
    string_or_null(node.key.to_space < 0 ? "" : space_at(node.key.to_space).name.data());
    member("from_space");
    string_or_null(node.key.from_space < 0 ? "" : space_at(node.key.from_space).name.data());
    member("asynchronous") << (node.key.asynchronous ? "true" : "false");
    member("bytes") << node.bytes;
    reached(node);
    device_work(node);
  }

  void memory() {
    field("memory") << '[';
    bool first = true;
    for (std::int16_t i = 0; i < space_count(); ++i) {
      const Space& space = space_at(i);
      if (space.allocations.load() == 0)
        continue;
      _out << (first ? "\n    {" : ",\n    {");
      first = false;
      _first_member = true;
      member("space");
      string(space.name.data());
      member("allocations") << space.allocations.load();
      member("frees") << space.frees.load();
      member("bytes") << space.bytes.load();
      member("peak_bytes") << space.peak.load();
      member("end_bytes") << space.live.load();
      _out << '}';
    }
    _out << (first ? "]" : "\n  ]");
  }

  Writer& _out;
  bool _first_member = true;
};

// --- files ----------------------------------------------------------------------------------

/// Guard during whose lifetime a write beyond the limit of a file's size fails, as on a full disk,
/// and does not end the program.
class FileSizeSignalHeld {
public:
  FileSizeSignalHeld() {
    sigemptyset(&_signal);
    sigaddset(&_signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &_signal, &_before);
  }
  FileSizeSignalHeld(const FileSizeSignalHeld&) = delete;
  FileSizeSignalHeld& operator=(const FileSizeSignalHeld&) = delete;
  ~FileSizeSignalHeld() {
    constexpr timespec at_once{};
    if (sigismember(&_before, SIGXFSZ) == 0)
      while (sigtimedwait(&_signal, nullptr, &at_once) == SIGXFSZ) {
      }
    pthread_sigmask(SIG_SETMASK, &_before, nullptr);
  }

private:
  sigset_t _signal{};
  sigset_t _before{};
};

bool write_to(int file, const Node& root, const char* ended) {
  Writer out(file);
  if (settings.output == Settings::Output::json)
    Json(out).write(root, ended);
  else
    Text(out).write(root, ended);
  out.flush();
  return out.good();
}

/// Returns whether `path` exists and is no plain file: a device or a pipe. The report goes into it
/// and must never replace it, which root could do to /dev/null.
bool is_special(const char* path) {
  struct stat status{};
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool write_special(const Node& root, const char* ended) {
  const int file = open(settings.path.data(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const bool good = write_to(file, root, ended);
  return close(file) == 0 && good;
}

/// Writes the report beside its place, and then moves it there in one step.
bool write_file(const Node& root, const char* ended) {
  if (is_special(settings.path.data()))
    return write_special(root, ended);
  std::array<char, 4096 + 32> beside{};
  std::size_t length = std::strlen(settings.path.data());
  std::memcpy(beside.data(), settings.path.data(), length);
  std::memcpy(beside.data() + length, ".part", 5);
  length += 5;
  std::array<char, 12> digits{};
  std::size_t count = 0;
  for (int n = settings.process; n != 0; n /= 10)
    digits[count++] = static_cast<char>('0' + n % 10);
  while (count > 0)
    beside[length++] = digits[--count];
  // Other users may write in this folder, too. If they put, say, a link there under this name, we
  // do not write into it.
  unlink(beside.data());
  const int file = open(beside.data(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool good = write_to(file, root, ended);
  good = fsync(file) == 0 && good;
  good = close(file) == 0 && good;
  good =
      good && !is_special(settings.path.data()) && rename(beside.data(), settings.path.data()) == 0;
  if (!good)
    unlink(beside.data());
  return good;
}

/// Writes the report to the place in the settings, or else to standard error.
void write_somewhere(const Node& root, const char* ended) {
  if (settings.path[0] != '\0') {
    if (write_file(root, ended))
      return;
    Writer out(STDERR_FILENO);
    out << "gangway-acc-time: cannot write ";
    out.printable(settings.path.data()) << "; the report follows as text\n";
    out.flush();
    settings.output = Settings::Output::text;
  }
  write_to(STDERR_FILENO, root, ended);
}

} // namespace

void saw(Model model) {
  models_seen.fetch_or(1U << static_cast<unsigned>(model));
}

void write_report(const char* ended) {
  const FileSizeSignalHeld held;
  Arena arena;
  if (const Node* const root = make_tree(arena); root != nullptr)
    write_somewhere(*root, ended);
  else
    Writer(STDERR_FILENO) << "gangway-acc-time: no memory left for the report\n";
  arena.give_back();
}

} // namespace gangway::acc_time
