/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GANGWAY_OPENACC_RUNTIME_H
#define GANGWAY_OPENACC_RUNTIME_H

#include <stddef.h>

/*
 * The C ABI between the referee and the shared library that holds the OpenACC side. The referee
 * never calls acc_* itself: in a process with two OpenMP/OpenACC runtimes it could reach the wrong
 * one.
 *
 * Beside these functions the library exports one function per study and variant,
 * gangway_STUDY_VARIANT with '-' written '_' (gangway_spmv_vector_32), whose type is the study's
 * `Kernel`. Each returns when the device is done and its results are where its data clauses put
 * them. A study whose arrays may be of several types exports a function for each type
 * (gangway_halo_wide, gangway_halo_wide_float).
 *
 * A variant that works something out for its problem before it runs, as a matrix is cut into blocks
 * of rows, exports two functions more, and its kernel takes what the first returned before its
 * other arguments. So in scope `kernel` this is outside the clock, as the set-up of Kokkos'
 * variants is:
 *
 *   void* gangway_STUDY_VARIANT_plan(the kernel's arguments)        what it found out for them
 *   gangway_STUDY_VARIANT(void* plan, the kernel's arguments)       the kernel
 *   void gangway_STUDY_VARIANT_unplan(void* plan)                   frees the plan
 *
 * The plan reads inputs from the arrays on the host, whose contents are the same on the device;
 * what it keeps on the device is its own.
 */
#ifdef __cplusplus
extern "C" {
#endif

#define GANGWAY_OPENACC_ABI 4
#define GANGWAY_OPENACC_LAUNCHES_KEPT 64

struct gangway_openacc_transfers {
  unsigned long long to_device, to_host, bytes_to_device, bytes_to_host;
};

/* What the runtime launched: num_gangs, num_workers and vector_length as it chose them. */
struct gangway_openacc_launch {
  long gangs;
  int workers, vector_length;
};

/* The first GANGWAY_OPENACC_LAUNCHES_KEPT of them, oldest first; `count` is of those kept. */
struct gangway_openacc_launches {
  int count;
  struct gangway_openacc_launch kept[GANGWAY_OPENACC_LAUNCHES_KEPT];
};

/* GANGWAY_OPENACC_ABI of the library. */
int gangway_openacc_abi(void);
/* "GCC 16.2.0", and the flags it was given. */
const char* gangway_openacc_compiler(void);
const char* gangway_openacc_flags(void);
/* Value of _OPENACC, such as 201711. */
int gangway_openacc_version(void);
/* The address of the acc_get_num_devices that this library calls. Libraries for which it is the
   same share one runtime, and with it one table of present data. May be asked before anything else.
 */
const void* gangway_openacc_runtime(void);
/* Selects GPU number `device`, or the host if `device` is negative, for this thread. 0 on success.
 */
int gangway_openacc_select(int device);
/* Devices of the kind that is not the host. */
int gangway_openacc_gpu_count(void);
/* Where a compute region really ran, asked inside one: "host", "nvidia", "radeon" or "device". */
const char* gangway_openacc_ran_on(void);
/* acc_map_data / acc_unmap_data / acc_is_present. */
void gangway_openacc_map(void* host, void* device, size_t bytes);
void gangway_openacc_unmap(void* host);
int gangway_openacc_is_present(void* host, size_t bytes);
/* Bytes of device memory in all and free; 0 where the runtime does not say. */
void gangway_openacc_memory(size_t* total, size_t* free);
const char* gangway_openacc_device_name(void);
/* Transfers since the library was loaded, from the runtime's profiling interface. Returns 0, and
   nothing of worth, where the runtime does not report them: whether it does is asked by making one
   (GCC's does not on NVIDIA devices). Runs on the host transfer nothing, which is reported. Returns
   2 where the host plays a device whose memory is its own, so that data do move. */
int gangway_openacc_get_transfers(struct gangway_openacc_transfers* transfers);
/* Launches of kernels since the last gangway_openacc_clear_launches, from the same interface.
   Returns 0, and nothing of worth, where the runtime does not report them: whether it does is asked
   by making one (GCC's does not on the host, where nothing is launched). Runs of other libraries
   that share the runtime are among them. */
int gangway_openacc_get_launches(struct gangway_openacc_launches* launches);
void gangway_openacc_clear_launches(void);

#ifdef __cplusplus
}
#endif

#endif
