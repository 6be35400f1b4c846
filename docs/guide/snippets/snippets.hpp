// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The snippets of the porting guide, each in both models. What a snippet must do is the same in
/// both, so that one test holds both to it (tests/guide/snippets_test.cpp).
///
/// A snippet is a function between two comments `// [name]`, in openacc_FAMILY.cpp and in
/// kokkos_FAMILY.cpp. `make_guide.py` puts it into the guide.
namespace guide {

/// One parallel loop, and what can be said about it. Matrices are row-major unless told otherwise.
struct Loops {
  /// y = a x.
  void (*parallel_loop)(long n, double a, const double* x, double* y);
  /// square[i] = x[i]^2, then mean[i] = the mean of the squares before and after, cyclically.
  void (*kernels)(long n, const double* x, double* square, double* mean);
  /// y[place[i]] = x[i]; `place` is a permutation.
  void (*independent)(long n, const int* place, const double* x, double* y);
  /// x becomes its running sums, by one thread of the device.
  void (*serial)(long n, double* x);
  /// Every row of a[rows][columns] becomes its running sums.
  void (*seq)(long rows, long columns, double* a);
  /// c[rows][columns] = a b^T.
  void (*collapse)(long rows, long columns, const double* a, const double* b, double* c);
  /// y[k][j][i] = weight[k] x[k][j][i], all of [planes][rows][columns].
  void (*collapse_three)(long planes, long rows, long columns, const double* weight,
                         const double* x, double* y);
  /// The sum of a[i] b[j] over all i < rows and j < columns.
  double (*collapse_reduction)(long rows, long columns, const double* a, const double* b);
  /// b = the mean of the four neighbours in a of each inner element of a[rows][columns], and the
  /// sum of a b over these. The border of b stays as it is.
  double (*interior)(long rows, long columns, const double* a, double* b);
  /// The same, rows to gangs and columns to the vector.
  double (*interior_by_rows)(long rows, long columns, const double* a, double* b);
  /// out[columns][rows] = in[rows][columns]^T.
  void (*tile)(long rows, long columns, const double* in, double* out);
  /// y[i] = the middle one of x[i], x[i+1], x[i+2]; x has n + 2.
  void (*private_array)(long n, const double* x, double* y);
  /// y = a x, on the device if n is worth it.
  void (*if_large)(long n, double a, const double* x, double* y);
  /// y = a x + y.
  void (*device_type)(long n, double a, const double* x, double* y);
  /// y[columns] = the sums of the columns of a[rows][columns].
  void (*linearised)(long rows, long columns, const double* a, double* y);
  /// Scales column j of a column-major a(rows, columns) by factor[j].
  void (*column_major)(long rows, long columns, const double* factor, double* a);
  /// y[i] = table[index[i]]; `table` has m.
  void (*restrict_const)(long n, long m, const int* index, const double* table, double* y);
};

/// Gangs, workers and vectors.
struct Levels {
  /// sums[planes][rows] of a[planes][rows][columns] over its columns.
  void (*gang_worker_vector)(long planes, long rows, long columns, const double* a, double* sums);
  /// sums[rows] of a[rows][columns].
  void (*vector_length)(long rows, long columns, const double* a, double* sums);
  /// y = a x.
  void (*num_gangs)(long n, double a, const double* x, double* y);
  /// y = a x.
  void (*levels_in_kernels)(long n, double a, const double* x, double* y);
  /// x divided by its maximum, n >= 1, by one gang.
  void (*one_gang)(long n, double* x);
  /// y[i] = (x[i] + x[i+1] + x[i+2]) / 4; x has n + 2.
  void (*cache)(long n, const double* x, double* y);
  /// Every block of 128 of x backwards, the rest after the last one too.
  void (*private_to_gang)(long n, double* x);
  /// y = x^3.
  void (*routine_seq)(long n, const double* x, double* y);
  /// flow[n][3]: the upper of two neighbouring rows of state[n + 1][3] less the lower.
  void (*routine_rows)(long n, const double* state, double* flow);
  /// Row i of a[rows][columns] is scaled by factor[i], by a function of each level.
  void (*routine_vector)(long rows, long columns, const double* factor, double* a);
  void (*routine_worker)(long rows, long columns, const double* factor, double* a);
  void (*routine_gang)(long rows, long columns, const double* factor, double* a);
};

struct Reductions {
  /// start + x y.
  double (*reduction)(long n, double start, const double* x, const double* y);
  /// Sum and maximum of x, n >= 1.
  void (*two_reductions)(long n, const double* x, double* sum, double* highest);
  /// The least of `limit` and all x.
  double (*min_prior)(long n, double limit, const double* x);
  /// v / sum(v).
  void (*into_view)(long n, double* v);
  /// Where the least x is, the first of several; n >= 1.
  long (*arg_min)(long n, const double* x);
  /// x becomes its running sums.
  void (*scan)(long n, double* x);
};

struct Atomics {
  /// counts[bins] of the items, each in [0, bins).
  void (*atomic_update)(long n, int bins, const int* item, int* counts);
  /// Whether any x is negative.
  bool (*atomic_write)(long n, const double* x);
  /// The same, leaving off what is known already.
  bool (*atomic_read)(long n, const double* x);
  /// The indices of the negative x, in any order, into picked[n]; returns how many.
  long (*atomic_capture)(long n, const double* x, long* picked);
};

struct Regions {
  /// y = x^2 + y, then z = x^2 - y.
  void (*data_clauses)(long n, const double* x, double* y, double* z);
  /// x doubled `times` times.
  void (*hoisted)(long n, int times, double* x);
  /// x + 1, by a function that x must be on the device for.
  void (*present)(long n, double* x);
  /// The same, and then doubled, with no list of arrays.
  void (*default_present)(long n, double* x);
  /// x tripled, on the device where that is where it is.
  void (*if_present)(bool on_device, long n, double* x);
  /// Every x above `top` becomes `top`; returns how many.
  long (*scalar_clause)(long n, double top, double* x);
  /// Doubles u `steps` times; sums[step] is the sum after it, u[0] becomes 0 after each.
  void (*update)(long n, int steps, double* u, double* sums);
  /// n-1, … 2, 1, 0 into x, by way of an array that lives as long as its device copy.
  void (*enter_exit)(long n, double* x);
  /// x backwards.
  void (*device_only)(long n, double* x);
  /// y = (x + 1)^2: the host adds, the device squares, each in its own copy of an array.
  void (*mirror)(long n, const double* x, double* y);
  void (*dual_view)(long n, const double* x, double* y);
  /// Squares what is at an address that host and device share; returns the sum.
  double (*managed)(long n, double* shared);
  /// x doubled and y tripled side by side, then y = x + y.
  void (*async_wait)(long n, double* x, double* y);
  /// The same, where the host goes on while queue 2 waits for queue 1.
  void (*wait_async)(long n, double* x, double* y);
  /// y = x^2, then y = y + 1, one after the other.
  void (*bare_async)(long n, const double* x, double* y);
  /// u = u + x, of a struct that leads to both: by views, and by its own pointers.
  void (*struct_views)(int n, const double* x, double* u);
  void (*struct_attach)(int n, const double* x, double* u);
  /// The same of `count` structs; x and u are theirs one after the other.
  void (*struct_array)(int count, int n, const double* x, double* u);
  /// a[rows][columns] times `factor`, by way of a table of its rows.
  void (*rows)(long rows, long columns, double factor, double* a);
};

/// Variables outside of functions.
struct Names {
  /// x[i] = x[i] + scale background[i % 8], from global variables.
  void (*host_globals)(long n, double scale, const double* background, double* x);
  /// y[i] = weight[0] x[i] + weight[1] x[i+1] + weight[2] x[i+2], with weights that live on the
  /// device; x has n + 2. Null where the model's compiler cannot have that in a shared library.
  void (*declare)(long n, const double* weight, const double* x, double* y);
  /// y[i] = x[i], but in [0, 2.5], a global constant.
  void (*constants)(long n, const double* x, double* y);
};

struct Environment {
  /// Devices that are not the host.
  int (*device_count)();
  /// Whether kernels run on one.
  bool (*on_device)();
  /// The version of the model, 0 without it.
  long (*model_version)();
};

/// A function whose port keeps no word of Gangway's.
struct Plain {
  /// Divides each row of a[rows][columns] by its Euclidean norm; returns the largest norm, at least
  /// 0.
  double (*normalise_rows)(long rows, long columns, double* a);
};

struct Snippets {
  Loops loops;
  Levels levels;
  Reductions reductions;
  Atomics atomics;
  Regions regions;
  Names names;
  Environment environment;
  Plain plain;
};

namespace kokkos {
extern const Loops loops;
extern const Levels levels;
extern const Reductions reductions;
extern const Atomics atomics;
extern const Regions regions;
extern const Names names;
extern const Environment environment;
extern const Plain plain;
} // namespace kokkos

namespace openacc {
extern const Loops loops;
extern const Levels levels;
extern const Reductions reductions;
extern const Atomics atomics;
extern const Regions regions;
extern const Names names;
extern const Environment environment;
extern const Plain plain;
} // namespace openacc

} // namespace guide

/// What the shared library of the OpenACC side exports.
extern "C" const guide::Snippets* gangway_guide_openacc();
