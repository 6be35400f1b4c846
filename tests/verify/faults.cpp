// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A port with a fault in it: verify_faults NAME plants the fault of that name, `none` plants none,
// and --list prints the names, each with its kind, the construct it is in and the finding it calls
// for. The constructs run twice.
#include <Kokkos_Core.hpp>
#include <gangway/gangway.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using gangway::named;

constexpr int rows = 60;
constexpr int columns = 44;

struct Fault {
  const char* name;
  const char* kind;
  const char* construct;
  const char* finding; ///< wrong, stale; "any" where threads decide whether it is wrong or unstable
};
constexpr std::array faults{
    Fault{"edge_not_updated", "dropped update", "stencil", "stale"},
    Fault{"factor_not_updated", "dropped update", "axpy", "stale"},
    Fault{"map_not_updated", "dropped update", "gather", "stale"},
    Fault{"one_row_updated", "dropped update", "row sums", "stale"},
    Fault{"counts_not_updated", "dropped update", "tally", "stale"},
    Fault{"weights_not_updated", "dropped update", "weigh", "stale"},
    Fault{"half_of_weights_updated", "dropped update", "weigh", "stale"},
    Fault{"picks_not_updated", "dropped update", "pick", "stale"},
    Fault{"levels_not_updated", "dropped update", "rise", "stale"},
    Fault{"points_not_updated", "dropped update", "move", "stale"},
    Fault{"last_row_left_out", "wrong bound", "stencil", "wrong"},
    Fault{"last_column_left_out", "wrong bound", "stencil", "wrong"},
    Fault{"begins_at_one", "wrong bound", "axpy", "wrong"},
    Fault{"every_second", "wrong bound", "gather", "wrong"},
    Fault{"inner_too_short", "wrong bound", "row sums", "wrong"},
    Fault{"sum_lost", "missing reduction", "totals", "wrong"},
    Fault{"sum_of_before_lost", "missing reduction", "totals", "wrong"},
    Fault{"count_lost", "missing reduction", "totals", "wrong"},
    Fault{"row_sum_overwritten", "missing reduction", "row sums", "wrong"},
    Fault{"bins_without_atomic", "race", "histogram", "any"},
    Fault{"prefix_in_parallel", "race", "prefix", "any"},
    Fault{"in_place_stencil", "race", "smooth", "any"},
    Fault{"one_cell_for_all", "race", "last", "any"},
    Fault{"neighbours_swapped", "swapped index", "stencil", "wrong"},
    Fault{"transposed_write", "swapped index", "row sums", "wrong"},
    Fault{"column_for_row", "swapped index", "outer product", "wrong"},
    Fault{"map_backwards", "swapped index", "gather", "wrong"},
    Fault{"private_shared", "shared private", "window", "any"},
    Fault{"private_array_shared", "shared private", "sorted", "any"},
    Fault{"private_not_reset", "shared private", "row sums", "wrong"},
    Fault{"private_of_row_kept", "shared private", "window", "any"},
    Fault{"minimum_for_maximum", "wrong operator", "totals", "wrong"},
    Fault{"product_for_sum", "wrong operator", "totals", "wrong"},
    Fault{"minus_for_plus", "wrong operator", "axpy", "wrong"},
    Fault{"or_for_and", "wrong operator", "flags", "wrong"},
    Fault{"bits_or_for_xor", "wrong operator", "flags", "wrong"},
    Fault{"factor_of_before", "stale scalar", "axpy", "wrong"},
    Fault{"step_of_before", "stale scalar", "stencil", "wrong"},
    Fault{"length_of_before", "stale scalar", "prefix", "wrong"},
    Fault{"shift_of_before", "stale scalar", "rotate", "wrong"},
    Fault{"writes_the_source", "writes elsewhere", "axpy", "wrong"},
    Fault{"writes_a_third_array", "writes elsewhere", "gather", "wrong"},
#ifndef KOKKOS_ENABLE_CUDA // whose kernels have no way to the host's arrays
    Fault{"writes_the_host", "writes elsewhere", "smooth", "wrong"},
#endif
    Fault{"one_too_far", "writes elsewhere", "row sums", "wrong"},
    Fault{"tile_not_transposed", "transposed tile", "transpose", "wrong"},
    Fault{"tile_indices_swapped", "transposed tile", "transpose", "wrong"},
    Fault{"edge_tile_left_out", "transposed tile", "transpose", "wrong"},
    Fault{"tile_of_blocks_swapped", "transposed tile", "transpose", "wrong"},
    Fault{"conjugate_left_out", "wrong operator", "rotate", "wrong"},
    Fault{"plus_for_minus", "wrong operator", "residual", "wrong"},
    Fault{"residual_begins_at_one", "wrong bound", "residual", "wrong"},
};

std::string planted; ///< on the host only
bool is(const char* name) {
  return planted == name;
}

struct Point {
  double at;
  int steps;
};

struct Fields {
  std::vector<double> u = std::vector<double>(rows * columns);
  std::vector<double> v = std::vector<double>(rows * columns);
  std::vector<double> r = std::vector<double>(rows * columns, 1.0);
  std::vector<double> sums = std::vector<double>(rows + 1);
  std::vector<float> x = std::vector<float>(rows * columns);
  std::vector<float> y = std::vector<float>(rows * columns);
  std::vector<int> map = std::vector<int>(rows * columns);
  std::vector<int> bins = std::vector<int>(4);
  std::vector<long> prefix = std::vector<long>(4000);
  std::vector<unsigned char> flags = std::vector<unsigned char>(rows * columns);
  std::vector<Kokkos::complex<double>> z = std::vector<Kokkos::complex<double>>(columns);
  std::vector<double> factor = std::vector<double>(1, 2.5);
  std::vector<int> counts = std::vector<int>(columns);
  // The device only has room for these. No clause copies them.
  std::vector<double> weights = std::vector<double>(columns);
  std::vector<double> weighed = std::vector<double>(columns + 2);
  std::vector<double> weighed_twice = std::vector<double>(columns, -1);
  std::vector<int> picks = std::vector<int>(columns);
  std::vector<float> picked = std::vector<float>(columns);
  std::vector<long> levels = std::vector<long>(columns, 7);
  std::vector<Point> points = std::vector<Point>(columns, {0.5, 1});
  double dt = 0.2;
  float a = 1.5F;
  int length = 3000;
  int shift = 3;
};

void stencil(const Fields& f, double* u, double* v, double dt) {
  gangway::Data data;
  const auto u_view = data.present(named("u", u), rows, columns);
  const auto v_view = data.present(named("v", v), rows, columns);
  const int last = is("last_row_left_out") ? rows - 2 : rows - 1;
  const int last_column = is("last_column_left_out") ? columns - 2 : columns - 1;
  const double step = is("step_of_before") ? f.dt * 0.5 : dt;
  const bool swapped = is("neighbours_swapped");
  gangway::verify(
      "stencil",
      [&] {
        for (int i = 1; i < rows - 1; ++i)
          for (int j = 1; j < columns - 1; ++j)
            v[i * columns + j] =
                u[i * columns + j] + dt * (u[(i - 1) * columns + j] - 3 * u[i * columns + j] +
                                           u[i * columns + j - 1] + u[(i + 1) * columns + j]);
      },
      [&] {
        gangway::parallel_for(
            "stencil", gangway::tile<2>({last - 1, last_column - 1}, {8, 8}),
            KOKKOS_LAMBDA(int y, int x) {
              const int i = y + 1;
              const int j = x + 1;
              const double below = swapped ? u_view(i, j + 1) : u_view(i + 1, j);
              v_view(i, j) = u_view(i, j) + step * (u_view(i - 1, j) - 3 * u_view(i, j) +
                                                    u_view(i, j - 1) + below);
            });
      });
}

void axpy(float* x, float* y, const double* factor, float a, float before) {
  gangway::Data data;
  const int n = rows * columns;
  const auto x_view = data.present(named("x", x), n);
  const auto y_view = data.present(named("y", y), n);
  const auto factor_view = data.present(named("factor", factor), 1);
  const float by = is("factor_of_before") ? before : a;
  const int low = is("begins_at_one") ? 1 : 0;
  const float sign = is("minus_for_plus") ? -1 : 1;
  const bool source = is("writes_the_source");
  gangway::verify(
      "axpy",
      [&] {
        for (int i = 0; i < n; ++i)
          y[i] += static_cast<float>(a * factor[0]) * x[i];
      },
      [&] {
        Kokkos::parallel_for(
            "axpy", gangway::range(low, n), KOKKOS_LAMBDA(const int i) {
              y_view(i) += sign * static_cast<float>(by * factor_view(0)) * x_view(i);
              if (source && i == 7)
                x_view(i) = 0;
            });
      });
}

void gather(const int* map, const float* x, float* y, double* u) {
  gangway::Data data;
  const int n = rows * columns;
  const auto map_view = data.present(named("map", map), n);
  const auto x_view = data.present(named("x", x), n);
  const auto y_view = data.present(named("y", y), n);
  const auto u_view = data.present(named("u", u), rows, columns);
  const int stride = is("every_second") ? 2 : 1;
  const bool backwards = is("map_backwards");
  const bool third = is("writes_a_third_array");
  gangway::verify(
      "gather",
      [&] {
        for (int i = 0; i < n; ++i)
          y[i] = x[map[i]] + 1;
      },
      [&] {
        Kokkos::parallel_for(
            "gather", gangway::range(0, n / stride), KOKKOS_LAMBDA(const int k) {
              const int i = k * stride;
              y_view(i) = x_view(map_view(backwards ? n - 1 - i : i)) + 1;
              if (third && i == 100)
                u_view(2, 3) += 1;
            });
      });
}

void row_sums(const double* v, double* sums) {
  gangway::Data data;
  const auto v_view = data.present(named("v", v), rows, columns);
  const auto sums_view = data.present(named("sums", sums), rows + 1);
  const int width = is("inner_too_short") ? columns - 1 : columns;
  const bool overwritten = is("row_sum_overwritten");
  const bool transposed = is("transposed_write");
  const bool kept = is("private_not_reset");
  const int far = is("one_too_far") ? 1 : 0;
  gangway::verify(
      "row sums",
      [&] {
        for (int i = 0; i < rows; ++i) {
          double sum = 0;
          for (int j = 0; j < columns; ++j)
            sum += v[i * columns + j];
          sums[i] = sum;
        }
      },
      [&] {
        Kokkos::parallel_for(
            "row sums", gangway::range(0, rows), KOKKOS_LAMBDA(const int i) {
              double sum = kept ? sums_view(i) + 1 : 0;
              for (int j = 0; j < width; ++j)
                sum = overwritten ? v_view(i, j)
                                  : sum + (transposed ? v_view(j, i % columns) : v_view(i, j));
              sums_view(i) = sum;
              if (far == 1 && i == rows - 1)
                sums_view(rows) = sum;
            });
      });
}

void totals(const double* u, double& mass, double& most, long& count) {
  gangway::Data data;
  const int n = rows * columns;
  const auto u_view = data.present(named("u", u), n);
  const bool minimum = is("minimum_for_maximum");
  const bool product = is("product_for_sum");
  gangway::verify(
      "totals",
      [&] {
        for (int i = 0; i < n; ++i) {
          mass += u[i];
          most = std::max(most, u[i]);
          count += u[i] > 0.5 ? 1 : 0;
        }
      },
      [&] {
        double sum = is("sum_of_before_lost") ? 0 : mass;
        double largest = most;
        double smallest = most;
        long found = 0;
        gangway::parallel_reduce(
            "totals", gangway::range(0, n),
            KOKKOS_LAMBDA(const int i, double& part, double& high, double& low, long& many) {
              part += product ? u_view(i) * u_view(i) : u_view(i);
              high = Kokkos::max(high, u_view(i));
              low = Kokkos::min(low, u_view(i));
              many += u_view(i) > 0.5 ? 1 : 0;
            },
            sum, gangway::reduction::max(largest), gangway::reduction::min(smallest), found);
        if (!is("sum_lost"))
          mass = sum;
        most = minimum ? smallest : largest;
        count += is("count_lost") ? 0 : found;
      },
      named("mass", &mass), named("most", &most), named("count", &count));
}

void histogram(const int* map, int* bins) {
  gangway::Data data;
  const int n = rows * columns;
  const auto map_view = data.present(named("map", map), n);
  const auto bins_view = data.present(named("bins", bins), 4);
  const bool plain = is("bins_without_atomic");
  constexpr int times = 4;
  gangway::verify(
      "histogram",
      [&] {
        for (int i = 0; i < n * times; ++i)
          ++bins[map[i % n] % 4];
      },
      [&] {
        Kokkos::parallel_for(
            "histogram", gangway::range(0, n * times), KOKKOS_LAMBDA(const int i) {
              int* const bin = &bins_view(map_view(i % n) % 4);
              if (plain) {
                const int value = *bin;
                for (volatile int wait = 0; wait < 1000;) // so that threads meet
                  wait = wait + 1;
                *const_cast<volatile int*>(bin) = value + 1;
              } else {
                Kokkos::atomic_inc(bin);
              }
            });
      });
}

void prefix(long* sums, int length, int before) {
  gangway::Data data;
  const auto view = data.present(named("prefix", sums), 4000);
  const int end = is("length_of_before") ? before : length;
  const bool in_parallel = is("prefix_in_parallel");
  gangway::verify(
      "prefix",
      [&] {
        for (int i = 1; i < length; ++i)
          sums[i] = sums[i - 1] + i;
      },
      [&] {
        if (in_parallel)
          Kokkos::parallel_for(
              "prefix", gangway::range(1, end),
              KOKKOS_LAMBDA(const int k) { // no thread is right by chance
                const int i = end - k;
                view(i) = view(i - 1) + i;
              });
        else
          Kokkos::parallel_for(
              "prefix", gangway::range(0, 1), KOKKOS_LAMBDA(const int) {
                for (int i = 1; i < end; ++i)
                  view(i) = view(i - 1) + i;
              });
      });
}

void smooth(const double* u, double* v) {
  gangway::Data data;
  const int n = rows * columns;
  const auto u_view = data.present(named("u", u), n);
  const auto v_view = data.present(named("v", v), n);
  const bool in_place = is("in_place_stencil");
#ifdef KOKKOS_ENABLE_CUDA
  double* const host = nullptr;
#else
  double* const host = is("writes_the_host") ? v : nullptr;
#endif
  gangway::verify(
      "smooth",
      [&] {
        for (int i = 1; i < n - 1; ++i)
          v[i] = 0.5 * (u[i - 1] + u[i + 1]);
      },
      [&] {
        Kokkos::parallel_for(
            "smooth", gangway::range(1, n - 1), KOKKOS_LAMBDA(const int i) {
              const double value = in_place ? 0.5 * (v_view(i - 1) + v_view(i + 1))
                                            : 0.5 * (u_view(i - 1) + u_view(i + 1));
              v_view(i) = value;
              if (host != nullptr)
                host[i] = value + 1;
            });
      });
}

void last(const int* map, int* bins) {
  gangway::Data data;
  const int n = rows * columns;
  const auto map_view = data.present(named("map", map), n);
  const auto bins_view = data.present(named("bins", bins), 4);
  const bool racing = is("one_cell_for_all");
  gangway::verify(
      "last", [&] { bins[3] = map[0]; },
      [&] {
        Kokkos::parallel_for(
            "last", gangway::range(0, n), KOKKOS_LAMBDA(const int i) {
              if (racing || i == 0)
                bins_view(3) = map_view(i);
            });
      });
}

void outer_product(const double* sums, double* u) {
  gangway::Data data;
  const auto sums_view = data.present(named("sums", sums), rows + 1);
  const auto u_view = data.present(named("u", u), rows, columns);
  const bool swapped = is("column_for_row");
  gangway::verify(
      "outer product",
      [&] {
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j)
            u[i * columns + j] = 1e-3 * sums[i] * (j + 1);
      },
      [&] {
        gangway::parallel_for(
            "outer product", gangway::tile<2>({rows, columns}, {8, 8}),
            KOKKOS_LAMBDA(int i, int j) {
              u_view(i, j) = 1e-3 * sums_view(swapped ? j : i) * ((swapped ? i : j) + 1);
            });
      });
}

void window(const float* x, float* y) {
  gangway::Data data;
  const int n = rows * columns;
  const auto x_view = data.present(named("x", x), n);
  const auto y_view = data.present(named("y", y), n);
  std::vector<float> one(2);
  const auto shared = data.create(named("shared", one.data()), 2);
  const bool is_shared = is("private_shared");
  const bool kept = is("private_of_row_kept");
  gangway::verify(
      "window",
      [&] {
        for (int i = 2; i < n - 2; ++i) {
          float part = 0;
          for (int k = -2; k <= 2; ++k)
            part += x[i + k];
          y[i] = part / 5;
        }
      },
      [&] {
        Kokkos::parallel_for(
            "window", gangway::range(2, n - 2), KOKKOS_LAMBDA(const int i) {
              float part = 0;
              if (is_shared)
                shared(0) = 0;
              for (int k = -2; k <= 2; ++k)
                if (is_shared || kept)
                  shared(0) += x_view(i + k);
                else
                  part += x_view(i + k);
              y_view(i) = (is_shared || kept ? shared(0) : part) / 5;
            });
      });
}

void sorted(const float* x, float* y) {
  gangway::Data data;
  const int n = rows * columns;
  const auto x_view = data.present(named("x", x), n);
  const auto y_view = data.present(named("y", y), n);
  std::vector<float> three(3);
  const auto shared = data.create(named("three", three.data()), 3);
  const bool is_shared = is("private_array_shared");
  gangway::verify(
      "sorted",
      [&] {
        for (int i = 1; i < n - 1; ++i) {
          std::array<float, 3> w{x[i - 1], x[i], x[i + 1]};
          std::sort(w.begin(), w.end());
          y[i] = w[1];
        }
      },
      [&] {
        Kokkos::parallel_for(
            "sorted", gangway::range(1, n - 1), KOKKOS_LAMBDA(const int i) {
              float own[3];
              float* const w = is_shared ? &shared(0) : own;
              for (int k = 0; k < 3; ++k)
                w[k] = x_view(i - 1 + k);
              for (int pass = 0; pass < 2; ++pass)
                for (int k = 0; k < 2 - pass; ++k)
                  if (w[k] > w[k + 1])
                    Kokkos::kokkos_swap(w[k], w[k + 1]);
              y_view(i) = w[1];
            });
      });
}

void flags(unsigned char* set, bool& all, unsigned& bits) {
  gangway::Data data;
  const int n = rows * columns;
  const auto view = data.present(named("flags", set), n);
  const bool any = is("or_for_and");
  const bool ored = is("bits_or_for_xor");
  gangway::verify(
      "flags",
      [&] {
        all = true;
        bits = 0;
        for (int i = 0; i < n; ++i) {
          all = all && set[i] != 0;
          bits ^= set[i];
        }
      },
      [&] {
        int every = 1;
        int some = 0;
        unsigned exclusive = 0;
        unsigned inclusive = 0;
        gangway::parallel_reduce(
            "flags", gangway::range(0, n),
            KOKKOS_LAMBDA(const int i, int& each, int& one, unsigned& ones) {
              each = each && view(i) != 0;
              one = one || view(i) != 0;
              ones |= view(i);
            },
            gangway::reduction::logical_and(every), gangway::reduction::logical_or(some),
            gangway::reduction::bit_or(inclusive));
        Kokkos::parallel_reduce(
            "flags 2", gangway::range(0, n),
            KOKKOS_LAMBDA(const int i, unsigned& part) { part ^= view(i); },
            gangway::reduction::bit_xor(exclusive));
        all = (any ? some : every) != 0;
        bits = ored ? inclusive : exclusive;
      },
      named("all", &all), named("bits", &bits));
}

void rotate(Kokkos::complex<double>* z, int shift, int before) {
  gangway::Data data;
  const auto view = data.present(named("z", z), columns);
  const int by = is("shift_of_before") ? before : shift;
  const bool plain = is("conjugate_left_out");
  gangway::verify(
      "rotate",
      [&] {
        for (int i = 0; i < columns; ++i)
          z[i] = Kokkos::conj(z[i]) * Kokkos::complex<double>(shift, i);
      },
      [&] {
        Kokkos::parallel_for(
            "rotate", gangway::range(0, columns), KOKKOS_LAMBDA(const int i) {
              view(i) = (plain ? view(i) : Kokkos::conj(view(i))) * Kokkos::complex<double>(by, i);
            });
      });
}

void transpose(const double* u, double* v) {
  gangway::Data data;
  const auto u_view = data.present(named("u", u), rows, columns);
  const auto v_view = data.present(named("v", v), columns, rows);
  const bool not_transposed = is("tile_not_transposed");
  const bool indices = is("tile_indices_swapped");
  const bool blocks = is("tile_of_blocks_swapped");
  const int edge = is("edge_tile_left_out") ? columns / 8 * 8 : columns;
  gangway::verify(
      "transpose",
      [&] {
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j)
            v[j * rows + i] = u[i * columns + j];
      },
      [&] {
        gangway::parallel_for(
            "transpose", gangway::tile<2>({rows, edge}, {8, 8}), KOKKOS_LAMBDA(int i, int j) {
              const int within_i = i % 4;
              const int within_j = j % 4;
              if (not_transposed)
                v_view((i * columns + j) / rows, (i * columns + j) % rows) = u_view(i, j);
              else if (indices)
                v_view(j, i) = u_view(i - within_i + within_j, j - within_j + within_i);
              else if (blocks && i < 8 && j < 8)
                v_view(j, i) = u_view(within_i + 4 * (j / 4), within_j + 4 * (i / 4));
              else
                v_view(j, i) = u_view(i, j);
            });
      });
}

/// All that is left are rounding errors, of which each side has its own.
void residual(const float* x, const double* u, double* r) {
  gangway::Data data;
  const int n = rows * columns;
  const auto x_view = data.present(named("x", x), n);
  const auto u_view = data.present(named("u", u), n);
  const auto r_view = data.present(named("r", r), n);
  const int low = is("residual_begins_at_one") ? 1 : 0;
  const double sign = is("plus_for_minus") ? 1 : -1;
  gangway::verify(
      "residual",
      [&] {
        for (int i = 0; i < n; ++i)
          r[i] = (u[i] + x[i] / 3.0 - u[i]) - x[i] / 3.0;
      },
      [&] {
        Kokkos::parallel_for(
            "residual", gangway::range(low, n), KOKKOS_LAMBDA(const int i) {
              const double third = x_view(i) / 3.0;
              r_view(i) = (third - 0.5 * u_view(i)) + sign * third + 0.5 * u_view(i);
            });
      });
}

/// The host may set the counts back.
void tally(const int* map, int* counts) {
  gangway::Data data;
  const auto map_view = data.present(named("map", map), rows * columns);
  const auto view = data.present(named("counts", counts), columns);
  gangway::verify(
      "tally",
      [&] {
        for (int i = 0; i < columns; ++i)
          counts[i] += map[i] % 3;
      },
      [&] {
        Kokkos::parallel_for(
            "tally", gangway::range(0, columns),
            KOKKOS_LAMBDA(const int i) { view(i) += map_view(i) % 3; });
      });
}

/// Sets all of `weighed` but its ends, which nothing ever sets.
void weigh(const double* weights, double* weighed) {
  gangway::Data data;
  const auto weights_view = data.present(named("weights", weights), columns);
  const auto view = data.present(named("weighed", weighed), columns + 2);
  gangway::verify(
      "weigh",
      [&] {
        for (int i = 0; i < columns; ++i)
          weighed[i + 1] = 2 * weights[i];
      },
      [&] {
        Kokkos::parallel_for(
            "weigh", gangway::range(0, columns),
            KOKKOS_LAMBDA(const int i) { view(i + 1) = 2 * weights_view(i); });
      });
}

void weigh_twice(const double* weighed, double* twice) {
  gangway::Data data;
  const auto view = data.present(named("weighed", weighed), columns + 2);
  const auto twice_view = data.present(named("weighed_twice", twice), columns);
  gangway::verify(
      "weigh twice",
      [&] {
        for (int i = 0; i < columns; ++i)
          twice[i] = 2 * weighed[i + 1];
      },
      [&] {
        Kokkos::parallel_for(
            "weigh twice", gangway::range(0, columns),
            KOKKOS_LAMBDA(const int i) { twice_view(i) = 2 * view(i + 1); });
      });
}

/// An index that nothing has set would lead anywhere.
void pick(const int* picks, const float* x, float* picked) {
  gangway::Data data;
  const auto picks_view = data.present(named("picks", picks), columns);
  const auto x_view = data.present(named("x", x), rows * columns);
  const auto view = data.present(named("picked", picked), columns);
  gangway::verify(
      "pick",
      [&] {
        for (int i = 0; i < columns; ++i)
          picked[i] = x[picks[i]];
      },
      [&] {
        Kokkos::parallel_for(
            "pick", gangway::range(0, columns),
            KOKKOS_LAMBDA(const int i) { view(i) = x_view(picks_view(i)); });
      });
}

void rise(long* levels) {
  gangway::Data data;
  const auto view = data.present(named("levels", levels), columns);
  gangway::verify(
      "rise",
      [&] {
        for (int i = 0; i < columns; ++i)
          levels[i] += i;
      },
      [&] {
        Kokkos::parallel_for(
            "rise", gangway::range(0, columns), KOKKOS_LAMBDA(const int i) { view(i) += i; });
      });
}

void move(Point* points) {
  gangway::Data data;
  const auto view = data.present(named("points", points), columns);
  gangway::verify(
      "move",
      [&] {
        for (int i = 0; i < columns; ++i)
          points[i] = {points[i].at + 0.25 * points[i].steps, points[i].steps + 1};
      },
      [&] {
        Kokkos::parallel_for(
            "move", gangway::range(0, columns), KOKKOS_LAMBDA(const int i) {
              view(i).at += 0.25 * view(i).steps;
              ++view(i).steps;
            });
      });
}

/// Sums a million tenths. The serial loop rounds them up, each in the same direction; the port's
/// sum is exact to the last place.
void sum_tenths() {
  const int n = 1'000'000;
  const std::vector<double> tenths(n, 0.1);
  double sum = 0;
  gangway::Data data;
  static_cast<void>(data.copyin(named("tenths", tenths.data()), n));
  gangway::verify(
      "tenths",
      [&] {
        for (const double tenth : tenths)
          sum += tenth;
      },
      [&] { sum = 0.1 * n; }, named("sum", &sum));
}

void run() {
  Fields f;
  for (int i = 0; i < rows * columns; ++i) {
    const auto at = static_cast<std::size_t>(i);
    f.u[at] = 0.75 + 0.5 * std::sin(0.3 * i);
    f.x[at] = static_cast<float>(std::cos(0.7 * i));
    f.map[at] = (i * 7 + 3) % (rows * columns);
    f.flags[at] = static_cast<unsigned char>(i % 5);
  }
  for (std::size_t i = 0; i < f.z.size(); ++i)
    f.z[i] = Kokkos::complex<double>(1.0 + static_cast<double>(i), 0.5);
  gangway::Data data;
  const int n = rows * columns;
  static_cast<void>(data.copy(named("u", f.u.data()), n));
  static_cast<void>(data.copy(named("v", f.v.data()), n));
  static_cast<void>(data.copy(named("r", f.r.data()), n));
  static_cast<void>(data.copy(named("sums", f.sums.data()), rows + 1));
  static_cast<void>(data.copy(named("x", f.x.data()), n));
  static_cast<void>(data.copy(named("y", f.y.data()), n));
  static_cast<void>(data.copy(named("map", f.map.data()), n));
  static_cast<void>(data.copy(named("bins", f.bins.data()), 4));
  static_cast<void>(data.copy(named("prefix", f.prefix.data()), 4000));
  static_cast<void>(data.copy(named("flags", f.flags.data()), n));
  static_cast<void>(data.copy(named("z", f.z.data()), columns));
  static_cast<void>(data.copy(named("factor", f.factor.data()), 1));
  static_cast<void>(data.copy(named("counts", f.counts.data()), columns));
  for (int i = 0; i < columns; ++i) {
    f.weights[static_cast<std::size_t>(i)] = 0.5 + i;
    f.picks[static_cast<std::size_t>(i)] = 2 * i;
  }
  static_cast<void>(data.create(named("weights", f.weights.data()), columns));
  static_cast<void>(data.create(named("weighed", f.weighed.data()), columns + 2));
  static_cast<void>(data.create(named("weighed_twice", f.weighed_twice.data()), columns));
  static_cast<void>(data.create(named("picks", f.picks.data()), columns));
  static_cast<void>(data.create(named("picked", f.picked.data()), columns));
  static_cast<void>(data.create(named("levels", f.levels.data()), columns));
  static_cast<void>(data.create(named("points", f.points.data()), columns));
  if (!is("weights_not_updated"))
    gangway::update_device(named("weights", f.weights.data()),
                           is("half_of_weights_updated") ? columns / 2 : columns);
  if (!is("picks_not_updated"))
    gangway::update_device(named("picks", f.picks.data()), columns);
  if (!is("levels_not_updated"))
    gangway::update_device(named("levels", f.levels.data()), columns);
  if (!is("points_not_updated"))
    gangway::update_device(named("points", f.points.data()), columns);
  for (int time = 0; time < 2; ++time) {
    if (time == 1) { // the host has a part in it
      for (int j = 0; j < columns; ++j)
        f.u[static_cast<std::size_t>(j)] = 3 + j;
      if (!is("edge_not_updated"))
        gangway::update_device(named("u", f.u.data()), columns);
    }
    stencil(f, f.u.data(), f.v.data(), f.dt);
    if (time == 1) {
      gangway::update_self(named("v", f.v.data()), n);
      for (std::size_t i = 0; i < f.v.size(); i += 100)
        f.v[i] += 1;
      gangway::update_device(named("v", f.v.data()), is("one_row_updated") ? columns : n);
    }
    row_sums(f.v.data(), f.sums.data());
    double mass = 1;
    double most = -1;
    long count = 0;
    totals(f.u.data(), mass, most, count);
    const float before = f.a;
    f.a += 0.25F;
    if (time == 1) {
      f.factor[0] = 3.5;
      if (!is("factor_not_updated"))
        gangway::update_device(named("factor", f.factor.data()), 1);
    }
    axpy(f.x.data(), f.y.data(), f.factor.data(), f.a, before);
    if (time == 1) {
      f.map[5] = 77;
      if (!is("map_not_updated"))
        gangway::update_device(named("map", f.map.data()), n);
    }
    gather(f.map.data(), f.x.data(), f.y.data(), f.u.data());
    histogram(f.map.data(), f.bins.data());
    prefix(f.prefix.data(), f.length + 500 * time, f.length + 500 * time - 100);
    smooth(f.u.data(), f.v.data());
    last(f.map.data(), f.bins.data());
    outer_product(f.sums.data(), f.u.data());
    window(f.x.data(), f.y.data());
    sorted(f.x.data(), f.y.data());
    bool all = true;
    unsigned bits = 0;
    flags(f.flags.data(), all, bits);
    rotate(f.z.data(), f.shift + time, f.shift + time - 1);
    transpose(f.u.data(), f.v.data());
    residual(f.x.data(), f.u.data(), f.r.data());
    if (time == 1) {
      std::fill(f.counts.begin(), f.counts.end(), -5);
      if (!is("counts_not_updated"))
        gangway::update_device(named("counts", f.counts.data()), columns);
      std::fill(f.picked.begin(), f.picked.end(), -1.0F); // the host's own, which no kernel reads
    }
    tally(f.map.data(), f.counts.data());
    weigh(f.weights.data(), f.weighed.data());
    weigh_twice(f.weighed.data(), f.weighed_twice.data());
    pick(f.picks.data(), f.x.data(), f.picked.data());
    rise(f.levels.data());
    move(f.points.data());
  }
  gangway::update_self(f.weighed_twice.data(), columns);
  gangway::update_self(f.picked.data(), columns);
  gangway::update_self(f.levels.data(), columns);
  gangway::update_self(f.points.data(), columns);
  gangway::update_self(f.counts.data(), columns);
  const double moved = std::accumulate(f.points.begin(), f.points.end(), 0.0,
                                       [](double sum, const Point& one) { return sum + one.at; });
  std::printf("the sums of what was created: %.9g %.9g %ld %.9g, and %d counted\n",
              std::accumulate(f.weighed_twice.begin(), f.weighed_twice.end(), 0.0),
              std::accumulate(f.picked.begin(), f.picked.end(), 0.0),
              std::accumulate(f.levels.begin(), f.levels.end(), 0L), moved,
              std::accumulate(f.counts.begin(), f.counts.end(), 0));
}

/// Returns whether an original that throws leaves the host's array as it was.
bool is_left_alone_by_an_exception() {
  std::array<double, 2> a{1, 2};
  gangway::Data data;
  const auto view = data.copyin(named("a", a.data()), 2);
  a = {3, 4}; // the device has 1 and 2
  try {
    gangway::verify(
        "throws",
        [&] {
          a[0] = 9;
          throw std::runtime_error("the original ends");
        },
        [&] { static_cast<void>(view); });
  } catch (const std::runtime_error&) {
    return a == std::array<double, 2>{3, 4};
  }
  return false;
}

/// Returns whether a port is run that there is too little memory to verify.
bool runs_in_little_memory() {
  constexpr int n = 2 << 20;
  std::vector<double> u(n, 1.0);
  gangway::Data data;
  const auto view = data.copy(named("u", u.data()), n);
  std::size_t used = 0;
  std::ifstream("/proc/self/statm") >> used;
  rlimit limit{};
  static_cast<void>(getrlimit(RLIMIT_AS, &limit));
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = used * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + 5 * n * sizeof(double);
  static_cast<void>(setrlimit(RLIMIT_AS, &limit));
  gangway::verify(
      "double",
      [&] {
        for (double& one : u)
          one *= 2;
      },
      [&] {
        Kokkos::parallel_for(
            "double", gangway::range(0, n), KOKKOS_LAMBDA(const int i) { view(i) *= 2; });
      });
  limit.rlim_cur = before;
  static_cast<void>(setrlimit(RLIMIT_AS, &limit));
  gangway::update_self(u.data(), n);
  return std::all_of(u.begin(), u.end(), [](double one) { return one == 2; });
}

#ifndef KOKKOS_ENABLE_CUDA // whose memory the original cannot reach
/// Returns whether only the port runs where an array holds addresses of the device's memory.
bool leaves_the_device_to_the_port() {
  constexpr int n = 100;
  std::vector<double> u(n, 1.0);
  struct Address {
    double* of;
  };
  std::vector<Address> at(n);
  gangway::Data data;
  const auto view = data.copy(named("u", u.data()), n);
  for (int i = 0; i < n; ++i)
    at[static_cast<std::size_t>(i)].of = view.data() + i;
  const auto at_view = data.copyin(named("at", at.data()), n);
  gangway::verify(
      "through addresses",
      [&] {
        for (const Address& one : at)
          *one.of += 1;
      },
      [&] {
        Kokkos::parallel_for(
            "through addresses", gangway::range(0, n),
            KOKKOS_LAMBDA(const int i) { *at_view(i).of += 1; });
      });
  gangway::update_self(u.data(), n);
  return std::all_of(u.begin(), u.end(), [](double one) { return one == 2; });
}
#endif

} // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  if (name == "--list") {
    for (const Fault& fault : faults)
      std::printf("%s\t%s\t%s\t%s\n", fault.name, fault.kind, fault.construct, fault.finding);
    return 0;
  }
  if (name == "throws") {
    const Kokkos::ScopeGuard kokkos;
    return is_left_alone_by_an_exception() ? 0 : 3;
  }
  if (name == "long_sum") {
    const Kokkos::ScopeGuard kokkos;
    sum_tenths();
    return 0;
  }
  if (name == "little_memory") {
    const Kokkos::ScopeGuard kokkos;
    static_cast<void>(std::puts(runs_in_little_memory() ? "right" : "wrong"));
    return 0;
  }
#ifndef KOKKOS_ENABLE_CUDA
  if (name == "device_addresses") {
    const Kokkos::ScopeGuard kokkos;
    static_cast<void>(std::puts(leaves_the_device_to_the_port() ? "right" : "wrong"));
    return 0;
  }
#endif
  if (name != "none" && std::none_of(faults.begin(), faults.end(),
                                     [&](const Fault& fault) { return name == fault.name; })) {
    static_cast<void>(std::fputs(
        "usage: verify_faults NAME | none | throws | long_sum | little_memory | device_addresses | "
        "--list\n",
        stderr));
    return 2;
  }
  planted = name;
  const Kokkos::ScopeGuard kokkos;
  run();
}
