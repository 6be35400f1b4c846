// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenACC and MPI, a whole program: sweeps over a plate that is cut into one block for each rank.
//
//     mpirun -n N PROGRAM staged|pointers|packed ROWS COLUMNS SWEEPS FILE
//
// The plate is ROWS x COLUMNS, cut into rows, or, by `packed`, into columns. Each rank writes its
// block, the halo and the plate's edges included, to FILE.RANK; rank 0 prints the largest change of
// each sweep.
#include <mpi.h>
#include <openacc.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

/// What a rank has of the plate: rows x columns cells inside a frame of halo and edges.
struct Block {
  int rows;
  int columns;
  int before; ///< the rank above, or to the left; MPI_PROC_NULL at the plate's edge
  int after;  ///< the rank below, or to the right
};

// [mpi_device]
void choose_device() {
  MPI_Comm of_host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_host);
  int number = 0; // of this rank among those of its host
  MPI_Comm_rank(of_host, &number);
  MPI_Comm_free(&of_host);
  const acc_device_t type = acc_get_device_type();
  if (const int devices = acc_get_num_devices(type); devices > 0)
    acc_set_device_num(number % devices, type);
}
// [mpi_device]

// [mpi_rows]
/// The first and the last row of u go to the neighbours, and theirs come in its first and last
/// place. Where there is no neighbour (MPI_PROC_NULL), nothing moves.
void swap_rows(const Block& block, double* u) {
  const int stride = block.columns + 2;
  double* const first = u + stride;
  double* const last = u + block.rows * stride;
  MPI_Sendrecv(first, stride, MPI_DOUBLE, block.before, 0, last + stride, stride, MPI_DOUBLE,
               block.after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, stride, MPI_DOUBLE, block.after, 1, u, stride, MPI_DOUBLE, block.before, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
// [mpi_rows]

// [mpi_staged]
void exchange_staged(const Block& block, double* u) {
  const int stride = block.columns + 2;
  const int rows = block.rows;
#pragma acc update self(u[stride : stride])
#pragma acc update self(u[rows * stride : stride])
  swap_rows(block, u); // the host's array
#pragma acc update device(u[0 : stride])
#pragma acc update device(u[(rows + 1) * stride : stride])
}
// [mpi_staged]

// [mpi_pointers]
void exchange_pointers(const Block& block, double* u) {
#pragma acc host_data use_device(u)
  {
    swap_rows(block, u); // the device's array
  }
}
// [mpi_pointers]

// [mpi_packed]
/// `out` and `in` have 2 x rows elements: what is for the left, or comes from there, and the right.
void exchange_packed(const Block& block, double* u, double* out, double* in) {
  const int rows = block.rows;
  const int columns = block.columns;
  const int stride = columns + 2;
  const int cells = (rows + 2) * stride;
#pragma acc parallel loop present(u[0 : cells], out[0 : 2 * rows])
  for (int i = 0; i < rows; ++i) {
    out[i] = u[(i + 1) * stride + 1];
    out[rows + i] = u[(i + 1) * stride + columns];
  }
#pragma acc update self(out[0 : 2 * rows])
  MPI_Sendrecv(out, rows, MPI_DOUBLE, block.before, 0, in + rows, rows, MPI_DOUBLE, block.after, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out + rows, rows, MPI_DOUBLE, block.after, 1, in, rows, MPI_DOUBLE, block.before, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc update device(in[0 : 2 * rows])
#pragma acc parallel loop present(u[0 : cells], in[0 : 2 * rows])
  for (int i = 0; i < rows; ++i) {
    u[(i + 1) * stride] = in[i];
    u[(i + 1) * stride + columns + 1] = in[rows + i];
  }
}
// [mpi_packed]

double sweep(const Block& block, const double* u, double* v) {
  const int rows = block.rows;
  const int columns = block.columns;
  const int stride = columns + 2;
  const int cells = (rows + 2) * stride;
  double change = 0;
#pragma acc parallel loop gang reduction(max : change) present(u[0 : cells], v[0 : cells])
  for (int i = 1; i <= rows; ++i) {
#pragma acc loop vector reduction(max : change)
    for (int j = 1; j <= columns; ++j) {
      const int c = i * stride + j;
      v[c] = 0.25 * (u[c - stride] + u[c + stride] + u[c - 1] + u[c + 1]);
      change = std::fmax(change, std::fabs(v[c] - u[c]));
    }
  }
  return change;
}

/// Where there is no neighbour, what is unpacked is the plate's own edge.
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
  const int cells = (block.rows + 2) * (block.columns + 2);
  const int borders = 2 * block.rows;
#pragma acc data copy(u[0 : cells], v[0 : cells]) create(out[0 : borders]) copyin(in[0 : borders])
  for (int s = 0; s < sweeps; ++s) {
    changes[s] = sweep(block, u, v); // comes to the host, and is waited for
    MPI_Allreduce(MPI_IN_PLACE, &changes[s], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (how == "staged")
      exchange_staged(block, v);
    else if (how == "pointers")
      exchange_pointers(block, v);
    else
      exchange_packed(block, v, out, in);
    std::swap(u, v);
  }
}
// [mpi_sweeps]

/// The value of the plate's cell (row, column) before the first sweep, of its edges for ever.
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

  const bool by_columns = how == "packed";
  const int cut = by_columns ? columns : rows; // of at least as many as there are ranks
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
  MPI_Init(&argc, &argv);
  choose_device(); // before the first directive
  const int status = run({argv + 1, argv + argc});
  MPI_Finalize();
  return status;
}
// [mpi_begin]
