// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace gangway::acc_time {
namespace {

struct Object {
  std::uintptr_t begin = 0, end = 0; ///< its code and data in memory
  std::uintptr_t base = 0;
  std::string path;
};

/// Returns the program or library that contains an address; empty if none does.
Object object_of(const void* address) {
  struct Search {
    std::uintptr_t wanted;
    Object found;
  } search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        Object object{~std::uintptr_t{0}, 0, info->dlpi_addr, {}};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD)
            continue;
          object.begin = std::min<std::uintptr_t>(object.begin, info->dlpi_addr + segment.p_vaddr);
          object.end = std::max<std::uintptr_t>(object.end, info->dlpi_addr + segment.p_vaddr +
                                                                segment.p_memsz);
        }
        if (wanted.wanted < object.begin || wanted.wanted >= object.end)
          return 0;
        object.path = *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
        wanted.found = std::move(object);
        return 1;
      },
      &search);
  return search.found;
}

std::string demangled(const std::string& name) {
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string hexadecimal(std::uintptr_t number) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[number % 16]);
    number /= 16;
  } while (number != 0);
  return "0x" + text;
}

/// File mapped into memory during the object's lifetime.
class Mapping {
public:
  explicit Mapping(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
      return;
    struct stat status{};
    if (fstat(file, &status) == 0 && status.st_size > 0) {
      void* memory =
          mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) {
        _begin = static_cast<const char*>(memory);
        _size = static_cast<std::size_t>(status.st_size);
      }
    }
    ::close(file);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (_begin != nullptr)
      munmap(const_cast<char*>(_begin), _size);
  }

  /// Returns `count` objects at `offset`, or null if the file does not contain them.
  template <class T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
    if (offset > _size || count > (_size - offset) / sizeof(T) || offset % alignof(T) != 0)
      return nullptr;
    return reinterpret_cast<const T*>(_begin + offset);
  }

private:
  const char* _begin = nullptr;
  std::size_t _size = 0;
};

/// Returns the function that holds `offset` in a program or library, by its own symbol table. Most
/// programs do not export their functions, so dladdr knows none of them.
std::string function_at(const std::string& path, std::uintptr_t offset, std::uintptr_t& within) {
  const Mapping file(path);
  const auto* const header = file.at<Elf64_Ehdr>(0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  const auto* const sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr)
    return {};
  for (const Elf64_Word wanted : {Elf64_Word{SHT_SYMTAB}, Elf64_Word{SHT_DYNSYM}})
    for (int s = 0; s < header->e_shnum; ++s) {
      if (sections[s].sh_type != wanted || sections[s].sh_link >= header->e_shnum)
        continue;
      const std::uint64_t count = sections[s].sh_size / sizeof(Elf64_Sym);
      const auto* const symbols = file.at<Elf64_Sym>(sections[s].sh_offset, count);
      const Elf64_Shdr& strings = sections[sections[s].sh_link];
      const char* const text = file.at<char>(strings.sh_offset, strings.sh_size);
      if (symbols == nullptr || text == nullptr)
        continue;
      for (std::uint64_t i = 0; i < count; ++i) {
        const Elf64_Sym& symbol = symbols[i];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= strings.sh_size ||
            offset < symbol.st_value || offset - symbol.st_value >= symbol.st_size)
          continue;
        within = offset - symbol.st_value;
        return {text + symbol.st_name,
                strnlen(text + symbol.st_name, strings.sh_size - symbol.st_name)};
      }
    }
  return {};
}

/// Returns "axpy(int, double*)+0x2b", or "libsolver.so+0x1234" if the symbols are stripped.
std::string place_name(const void* site) {
  const Object object = object_of(site);
  if (object.path.empty())
    return hexadecimal(reinterpret_cast<std::uintptr_t>(site));
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(site) - object.base;
  std::uintptr_t within = 0;
  // The address after the call may belong to the next function.
  const std::string function = function_at(object.path, offset - 1, within);
  if (!function.empty())
    return demangled(function) + "+" + hexadecimal(within + 1);
  std::string path = object.path;
  if (path == "/proc/self/exe") {
    std::array<char, 4096> target{};
    if (readlink("/proc/self/exe", target.data(), target.size() - 1) > 0)
      path = target.data();
  }
  return path.substr(path.rfind('/') + 1) + "+" + hexadecimal(offset);
}

/// Returns a readable name of a kernel. GCC names that of the n-th construct of a file
/// FUNCTION._omp_fn.n, and FUNCTION$_omp_fn$n on NVIDIA devices.
std::string openacc_kernel_name(const std::string& name) {
  for (const std::string clone : {"._omp_fn.", "$_omp_fn$"})
    if (const auto at = name.find(clone); at != std::string::npos)
      return demangled(name.substr(0, at)) + " #" + name.substr(at + clone.size());
  return demangled(name);
}

/// Returns a readable label. Kokkos labels a kernel without a label by its functor's type, "TYPE"
/// or "TYPE/TAG", as the compiler spells it. A label such as "i" must not become "int".
std::string kokkos_label(const std::string& label) {
  const auto readable = [](const std::string& part) {
    const bool mangled =
        part.size() > 3 && (part[0] == 'Z' || part[0] == 'N' ||
                            std::isdigit(static_cast<unsigned char>(part[0])) != 0);
    return mangled ? demangled(part) : part;
  };
  const auto slash = label.find('/');
  if (slash == std::string::npos)
    return readable(label);
  const std::string functor = readable(label.substr(0, slash));
  const std::string tag = label.substr(slash + 1);
  return functor == label.substr(0, slash) ? label : functor + "/" + readable(tag);
}

Object runtime;
Object own;

} // namespace

const char* readable_name(const Key& key, Arena& arena) {
  std::string name = key.name;
  if (key.site != nullptr)
    name = place_name(key.site);
  else if (key.model == Model::openacc && key.kind == Kind::kernel)
    name = openacc_kernel_name(name);
  else if (key.kind == Kind::kernel)
    name = kokkos_label(name);
  return arena.copy(name.data(), name.size());
}

void set_openacc_runtime(const void* function) {
  runtime = object_of(function);
  own = object_of(reinterpret_cast<const void*>(&call_site));
}

const void* call_site() {
  const void* found = nullptr;
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        const std::uintptr_t address = _Unwind_GetIP(context);
        if ((address >= runtime.begin && address < runtime.end) ||
            (address >= own.begin && address < own.end))
          return _URC_NO_REASON;
        *static_cast<const void**>(data) =
            reinterpret_cast<const void*>(address); // NOLINT(performance-no-int-to-ptr)
        return _URC_NORMAL_STOP;
      },
      static_cast<void*>(&found));
  return found;
}

} // namespace gangway::acc_time
