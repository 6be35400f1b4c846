// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos and MPI: the port of openacc_mpi.cpp, which says what it does.
#include "gangway/gangway.hpp"

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using gangway::Data;
using Plate = gangway::DeviceView<double, 2>;
using Range = Kokkos::RangePolicy<Kokkos::IndexType<int>>;

struct Block {
  int rows;
  int columns;
  int before;
  int after;
};

// [mpi_device]
Kokkos::InitializationSettings settings_of_rank() {
  MPI_Comm of_host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_host);
  int number = 0; // of this rank among those of its host
  MPI_Comm_rank(of_host, &number);
  MPI_Comm_free(&of_host);
  Kokkos::InitializationSettings settings;
  if (const int devices = Kokkos::num_devices(); devices > 0)
    settings.set_device_id(number % devices);
  return settings;
}
// [mpi_device]

// [mpi_aware]
/// Whether MPI may be given pointers into the memory of kernels.
bool takes_device_pointers() {
  if constexpr (!gangway::has_device)
    return true; // they are the host's
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() == 1;
#else
  return false; // it does not say
#endif
}
// [mpi_aware]

void swap_rows(const Block& block, double* u) {
  const int stride = block.columns + 2;
  double* const first = u + stride;
  double* const last = u + block.rows * stride;
  MPI_Sendrecv(first, stride, MPI_DOUBLE, block.before, 0, last + stride, stride, MPI_DOUBLE,
               block.after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, stride, MPI_DOUBLE, block.after, 1, u, stride, MPI_DOUBLE, block.before, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// [mpi_staged]
void exchange_staged(const Block& block, double* u) {
  const int stride = block.columns + 2;
  const int rows = block.rows;
  gangway::update_self(u + stride, stride); // waits for the kernels, and for the copy
  gangway::update_self(u + rows * stride, stride);
  swap_rows(block, u); // the host's array
  gangway::update_device(u, stride);
  gangway::update_device(u + (rows + 1) * stride, stride);
}
// [mpi_staged]

// [mpi_pointers]
void exchange_pointers(const Block& block, const Plate& u) {
  Kokkos::fence("the rows are there"); // MPI knows nothing of Kokkos' queues
  swap_rows(block, u.data());          // the device's array
}
// [mpi_pointers]

// [mpi_packed]
/// `out` and `in` have 2 x rows elements: what is for the left, or comes from there, and the right.
void exchange_packed(const Block& block, const Plate& u, double* out_of_host, double* in_of_host) {
  const int rows = block.rows;
  const int columns = block.columns;
  Data data;
  const auto out = data.present(out_of_host, 2L * rows);
  const auto in = data.present(in_of_host, 2L * rows);
  Kokkos::parallel_for(
      "pack", Range(0, rows), KOKKOS_LAMBDA(int i) {
        out[i] = u(i + 1, 1);
        out[rows + i] = u(i + 1, columns);
      });
  gangway::update_self(out_of_host, 2L * rows);
  MPI_Sendrecv(out_of_host, rows, MPI_DOUBLE, block.before, 0, in_of_host + rows, rows, MPI_DOUBLE,
               block.after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out_of_host + rows, rows, MPI_DOUBLE, block.after, 1, in_of_host, rows, MPI_DOUBLE,
               block.before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  gangway::update_device(in_of_host, 2L * rows);
  Kokkos::parallel_for(
      "unpack", Range(0, rows), KOKKOS_LAMBDA(int i) {
        u(i + 1, 0) = in[i];
        u(i + 1, columns + 1) = in[rows + i];
      });
}
// [mpi_packed]

double sweep(const Block& block, const Plate& u, const Plate& v) {
  double change = 0;
  Kokkos::parallel_reduce(
      "sweep", Kokkos::MDRangePolicy<Kokkos::Rank<2>>({1, 1}, {block.rows + 1, block.columns + 1}),
      KOKKOS_LAMBDA(int i, int j, double& largest) {
        v(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
        largest = Kokkos::max(largest, Kokkos::abs(v(i, j) - u(i, j)));
      },
      Kokkos::Max<double>(change));
  return change;
}

void take_edges(const Block& block, const double* u, double* in) {
  for (int i = 0; i < block.rows; ++i) {
    in[i] = u[(i + 1) * (block.columns + 2)];
    in[block.rows + i] = u[(i + 2) * (block.columns + 2) - 1];
  }
}

// [mpi_sweeps]
/// The result is in u if `sweeps` is even, else in v; changes[s] is of all ranks.
void sweeps(const std::string& how, const Block& block, int sweeps, double* u, double* v,
            double* out, double* in, double* changes) {
  Data data;
  Plate from = data.copy(u, block.rows + 2, block.columns + 2);
  Plate to = data.copy(v, block.rows + 2, block.columns + 2);
  static_cast<void>(data.create(out, 2L * block.rows));
  static_cast<void>(data.copyin(in, 2L * block.rows));
  for (int s = 0; s < sweeps; ++s) {
    changes[s] = sweep(block, from, to); // comes to the host, and is waited for
    MPI_Allreduce(MPI_IN_PLACE, &changes[s], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (how == "staged")
      exchange_staged(block, v);
    else if (how == "pointers")
      exchange_pointers(block, to);
    else
      exchange_packed(block, to, out, in);
    std::swap(u, v);
    std::swap(from, to);
  }
}
// [mpi_sweeps]

double before(int row, int column) {
  return (row * 31 + column * 17) % 101;
}

int run(const std::vector<std::string>& given) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string& how = given.at(0);
  const int rows = std::stoi(given.at(1));
  const int columns = std::stoi(given.at(2));
  const int count = std::stoi(given.at(3));
  if (how == "pointers" && !takes_device_pointers()) {
    std::fputs("pointers: this MPI does not say that it takes them\n", stderr);
    return EXIT_FAILURE;
  }

  const bool by_columns = how == "packed";
  const int cut = by_columns ? columns : rows;
  const int begin = rank * cut / ranks;
  const int own = (rank + 1) * cut / ranks - begin;
  const Block block{by_columns ? rows : own, by_columns ? own : columns,
                    rank > 0 ? rank - 1 : MPI_PROC_NULL,
                    rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL};
  std::vector<double> u;
  for (int i = 0; i < block.rows + 2; ++i)
    for (int j = 0; j < block.columns + 2; ++j)
      u.push_back(by_columns ? before(i, begin + j) : before(begin + i, j));
  std::vector<double> v = u;
  std::vector<double> out(2 * static_cast<std::size_t>(block.rows));
  std::vector<double> in(out.size());
  take_edges(block, u.data(), in.data());
  std::vector<double> changes(static_cast<std::size_t>(count));
  sweeps(how, block, count, u.data(), v.data(), out.data(), in.data(), changes.data());

  const std::vector<double>& result = count % 2 == 0 ? u : v;
  std::ofstream file(given.at(4) + "." + std::to_string(rank), std::ios::binary);
  file.write(reinterpret_cast<const char*>(result.data()),
             static_cast<std::streamsize>(result.size() * sizeof(double)));
  for (const double change : changes)
    if (rank == 0)
      std::printf("%.17g\n", change);
  return file ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

// [mpi_begin]
int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads); // Kokkos' threads send nothing
  int status = EXIT_FAILURE;
  {
    const Kokkos::ScopeGuard kokkos(settings_of_rank());
    status = run({argv + 1, argv + argc}); // all Views and data regions live in here
  }
  MPI_Finalize();
  return status;
}
// [mpi_begin]
