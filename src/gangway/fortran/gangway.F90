! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> OpenACC's data environment for Fortran programs whose kernels are C++ with Kokkos: the clauses and directives of
!> gangway/data.hpp, with the same meaning.
!>
!>     #include <gangway/fortran/here.inc>
!>     use gangway
!>     type(gangway_data) :: data
!>     call data%copyin(u, "u", GANGWAY_HERE)    ! !$acc data copyin(u) copyout(unew)
!>     call data%copyout(unew, "unew", GANGWAY_HERE)
!>     call step(u, unew)                        ! bind(c): a kernel that takes gangway::FArray
!>     call data%close(GANGWAY_HERE)             ! !$acc end data
!>
!> Arrays are of any type, kind, rank and lower bound: explicit and assumed shape, allocatable, pointer, a contiguous
!> section of one, or a scalar. An array that is not contiguous, not allocated or of assumed size is refused. An array
!> should have the attribute `target`, since its values change in calls that do not name it.
!>
!> The arguments of most procedures:
!>
!> - `a`: the array.
!> - `name`: what messages and reports call it.
!> - `file`, `line`: the place of the call, for messages. GANGWAY_HERE gives both.
!> - `stat`, `errmsg`: as of `allocate`. 0, or 1 and a message if the clause cannot be honoured. Without `stat` an error
!>   ends the program as `error stop` does, with the message on standard error.
module gangway
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, &
    c_size_t, c_f_pointer
  implicit none
  private

  public :: gangway_initialize, gangway_finalize, gangway_data
  public :: gangway_enter_data_copyin, gangway_enter_data_create, gangway_exit_data_copyout, gangway_exit_data_delete
  public :: gangway_exit_data_copyout_finalize, gangway_exit_data_delete_finalize
  public :: gangway_update_self, gangway_update_device
  public :: gangway_is_present, gangway_device_pointer, gangway_host_pointer, gangway_map_data, gangway_unmap_data
  public :: gangway_malloc, gangway_free, gangway_memcpy_to_device, gangway_memcpy_from_device
  public :: gangway_present_arrays, gangway_memory, gangway_set_memory, gangway_shared, gangway_separate, gangway_strict
  public :: gangway_set_kept_memory, gangway_kept_memory, gangway_transfers, gangway_reset_transfers
  public :: gangway_transfer_counts
  public :: gangway_device_count, gangway_device_number, gangway_device_name, gangway_device_type
  public :: gangway_wait, gangway_async_test, gangway_launches, gangway_launch, gangway_clear_launches

  !> The kinds of memory that `gangway_memory` returns and `gangway_set_memory` takes (gangway::Memory in data.hpp).
  integer(c_int), parameter :: gangway_shared = 0, gangway_separate = 1, gangway_strict = 2

  !> Counts of copies between host and device since the program began or `gangway_reset_transfers`.
  type, bind(c) :: gangway_transfer_counts
    integer(c_int64_t) :: to_device        !< copies host -> device
    integer(c_int64_t) :: to_host          !< copies device -> host
    integer(c_int64_t) :: bytes_to_device  !< bytes of the former
    integer(c_int64_t) :: bytes_to_host    !< bytes of the latter
    integer(c_int64_t) :: allocations      !< arrays created in device memory
  end type

  !> A structured data region. Its clauses keep arrays on the device until `close`, which copies out what `copy` and
  !> `copyout` named and releases what this region created. A local variable of a procedure or of a `block` is closed
  !> at the end of its scope; one of a main program is not. A closed region can be used again. Regions are not copied.
  type :: gangway_data
    private
    type(c_ptr) :: region = c_null_ptr
  contains
    procedure :: copyin => region_copyin    !< allocate, copy to the device; at the end release
    procedure :: copyout => region_copyout  !< allocate; at the end copy to the host, release
    procedure :: copy => region_copy        !< allocate, copy to the device; at the end copy to the host, release
    procedure :: create => region_create    !< allocate; at the end release
    procedure :: present => region_present  !< the array is on the device already, or it is an error
    procedure :: close => region_close      !< the end of the region
    procedure, private :: region_assign
    generic :: assignment(=) => region_assign
    final :: region_final
  end type

  integer(c_int), parameter :: way_copyin = 0, way_copyout = 1, way_copy = 2, way_create = 3, way_present = 4

  abstract interface
    ! Dummy arrays are targets and without intent, so that the compiler expects other calls to change the array.
    subroutine clause(a, name, file, line, stat, errmsg) bind(c)
      import :: c_char, c_int
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: name, file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
    subroutine update_directive(a, name, file, line, async, stat, errmsg) bind(c)
      import :: c_char, c_int
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: name, file
      integer(c_int), optional, intent(in) :: line, async
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
  end interface

  !> enter data copyin, create: the array stays on the device until the matching exit data.
  procedure(clause), bind(c, name="gangway_f_enter_data_copyin") :: gangway_enter_data_copyin
  procedure(clause), bind(c, name="gangway_f_enter_data_create") :: gangway_enter_data_create
  !> exit data copyout, delete. Errors: when no enter data holds the array.
  procedure(clause), bind(c, name="gangway_f_exit_data_copyout") :: gangway_exit_data_copyout
  procedure(clause), bind(c, name="gangway_f_exit_data_delete") :: gangway_exit_data_delete
  !> exit data copyout, delete with `finalize`: however often the array was entered.
  procedure(clause), bind(c, name="gangway_f_exit_data_copyout_finalize") :: gangway_exit_data_copyout_finalize
  procedure(clause), bind(c, name="gangway_f_exit_data_delete_finalize") :: gangway_exit_data_delete_finalize

  !> update self, update device: copies the array, or a contiguous section of it, now. With `async`, the number of a
  !> queue, the copy is done once `gangway_wait` for that queue returns. Errors: when the array is not present.
  procedure(update_directive), bind(c, name="gangway_f_update_self") :: gangway_update_self
  procedure(update_directive), bind(c, name="gangway_f_update_device") :: gangway_update_device

  interface
    !> host_data use_device, acc_deviceptr: returns the array's device address; `c_f_pointer` makes an array of it, for
    !> calls that take device arrays. Null for an array without elements. Errors: when it is not present.
    function gangway_device_pointer(a, name, file, line, stat, errmsg) result(device) &
        bind(c, name="gangway_f_device_pointer")
      import :: c_char, c_int, c_ptr
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: name, file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      type(c_ptr) :: device
    end function

    !> acc_hostptr: returns the host address that `device` mirrors. Errors: when no array on the device is there.
    function gangway_host_pointer(device, file, line, stat, errmsg) result(host) bind(c, name="gangway_f_host_pointer")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: device
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      type(c_ptr) :: host
    end function

    !> acc_map_data: device memory of the caller's mirrors the array from now on. Errors: when a part of it is on the
    !> device already, and in shared memory, where kernels use the host's array.
    subroutine gangway_map_data(a, device, file, line, stat, errmsg) bind(c, name="gangway_f_map_data")
      import :: c_char, c_int, c_ptr
      type(*), dimension(..), optional, target :: a
      type(c_ptr), value :: device
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
    !> acc_unmap_data. Errors: when the array is not mapped, or still in use.
    subroutine gangway_unmap_data(a, file, line, stat, errmsg) bind(c, name="gangway_f_unmap_data")
      import :: c_char, c_int
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine

    !> acc_malloc: returns the address of `bytes` of device memory. Errors: when Kokkos is not running, or has no room.
    function gangway_malloc(bytes, file, line, stat, errmsg) result(device) bind(c, name="gangway_f_malloc")
      import :: c_char, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: bytes
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      type(c_ptr) :: device
    end function
    !> acc_free.
    subroutine gangway_free(device) bind(c, name="gangway_f_free")
      import :: c_ptr
      type(c_ptr), value :: device
    end subroutine
    !> acc_memcpy_to_device, acc_memcpy_from_device: copies all of the host's array, whatever is present.
    subroutine gangway_memcpy_to_device(device, a, file, line, stat, errmsg) &
        bind(c, name="gangway_f_memcpy_to_device")
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: device
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
    subroutine gangway_memcpy_from_device(a, device, file, line, stat, errmsg) &
        bind(c, name="gangway_f_memcpy_from_device")
      import :: c_char, c_int, c_ptr
      type(*), dimension(..), optional, target :: a
      type(c_ptr), value :: device
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine

    !> Returns the number of arrays that regions, enter data or map_data hold on the device.
    function gangway_present_arrays() result(count) bind(c, name="gangway_f_present_arrays")
      import :: c_int
      integer(c_int) :: count
    end function
    !> Returns the memory that kernels use: gangway_shared, gangway_separate or gangway_strict. GANGWAY_MEMORY chooses.
    function gangway_memory() result(memory) bind(c, name="gangway_f_memory")
      import :: c_int
      integer(c_int) :: memory
    end function
    !> Makes a host play a device with its own memory. Errors: when an array is on the device.
    subroutine gangway_set_memory(memory, file, line, stat, errmsg) bind(c, name="gangway_f_set_memory")
      import :: c_char, c_int
      integer(c_int), value :: memory
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
    !> Keeps at most `bytes` of released device memory for the next regions. Errors: when Kokkos is not running.
    subroutine gangway_set_kept_memory(bytes, file, line, stat, errmsg) bind(c, name="gangway_f_set_kept_memory")
      import :: c_char, c_int, c_int64_t
      integer(c_int64_t), value :: bytes
      character(len=*, kind=c_char), optional, intent(in) :: file
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
    end subroutine
    !> Returns the bytes that are kept now.
    function gangway_kept_memory() result(bytes) bind(c, name="gangway_f_kept_memory")
      import :: c_int64_t
      integer(c_int64_t) :: bytes
    end function
    !> Sets the counts of `gangway_transfers` to 0.
    subroutine gangway_reset_transfers() bind(c, name="gangway_f_reset_transfers")
    end subroutine

    !> acc_get_num_devices: returns the number of GPUs that Kokkos' backend sees; -1 where the host is the device.
    function gangway_device_count() result(count) bind(c, name="gangway_f_device_count")
      import :: c_int
      integer(c_int) :: count
    end function
    !> acc_get_device_num: returns the number of the device in use; -1 where the host is the device.
    function gangway_device_number() result(number) bind(c, name="gangway_f_device_number")
      import :: c_int
      integer(c_int) :: number
    end function

    !> wait, wait(queue): returns once the kernels and copies of all queues, or of this one, are done.
    subroutine gangway_wait(queue) bind(c, name="gangway_f_wait")
      import :: c_int
      integer(c_int), optional, intent(in) :: queue
    end subroutine
    !> Returns the number of launches by this thread since `gangway_clear_launches`; at most 64 are kept.
    function gangway_launches() result(count) bind(c, name="gangway_f_launches")
      import :: c_int
      integer(c_int) :: count
    end function
    subroutine gangway_clear_launches() bind(c, name="gangway_f_clear_launches")
    end subroutine
  end interface

  interface
    subroutine f_initialize(arguments, device, file, line, stat, errmsg) bind(c, name="gangway_f_initialize")
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: arguments(*)
      integer(c_int), optional, intent(in) :: device, line
      character(len=*, kind=c_char), optional, intent(in) :: file
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      integer(c_int), optional, intent(out) :: stat
    end subroutine
    subroutine f_finalize(file, line, stat, errmsg) bind(c, name="gangway_f_finalize")
      import :: c_char, c_int
      character(len=*, kind=c_char), optional, intent(in) :: file
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
    end subroutine
    subroutine f_region_enter(region, way, a, name, file, line, stat, errmsg) bind(c, name="gangway_f_region_enter")
      import :: c_char, c_int, c_ptr
      type(c_ptr), intent(inout) :: region
      integer(c_int), value :: way
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: name, file
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
    end subroutine
    subroutine f_region_close(region, file, line, stat, errmsg) bind(c, name="gangway_f_region_close")
      import :: c_char, c_int, c_ptr
      type(c_ptr), intent(inout) :: region
      character(len=*, kind=c_char), optional, intent(in) :: file
      character(len=*, kind=c_char), optional, intent(inout) :: errmsg
      integer(c_int), optional, intent(in) :: line
      integer(c_int), optional, intent(out) :: stat
    end subroutine
    subroutine f_is_present(is_present, a, name, file, line) bind(c, name="gangway_f_is_present")
      import :: c_bool, c_char, c_int
      logical(c_bool), intent(out) :: is_present
      type(*), dimension(..), optional, target :: a
      character(len=*, kind=c_char), optional, intent(in) :: name, file
      integer(c_int), optional, intent(in) :: line
    end subroutine
    function f_async_test(queue) result(is_done) bind(c, name="gangway_f_async_test")
      import :: c_bool, c_int
      integer(c_int), value :: queue
      logical(c_bool) :: is_done
    end function
    subroutine f_transfers(counts) bind(c, name="gangway_f_transfers")
      import :: gangway_transfer_counts
      type(gangway_transfer_counts), intent(out) :: counts
    end subroutine
    function f_device_name(length) result(text) bind(c, name="gangway_f_device_name")
      import :: c_ptr, c_size_t
      integer(c_size_t), intent(out) :: length
      type(c_ptr) :: text
    end function
    function f_device_type(length) result(text) bind(c, name="gangway_f_device_type")
      import :: c_ptr, c_size_t
      integer(c_size_t), intent(out) :: length
      type(c_ptr) :: text
    end function
    function f_launch(number, length) result(text) bind(c, name="gangway_f_launch")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: number
      integer(c_size_t), intent(out) :: length
      type(c_ptr) :: text
    end function
  end interface

contains

  !> Starts Kokkos, with the program's arguments (`--kokkos-num-threads=4`) and, if given, the number of a device. A
  !> program whose main part is C++ starts Kokkos itself. Errors: when Kokkos runs, or ran before.
  subroutine gangway_initialize(device, file, line, stat, errmsg)
    integer, optional, intent(in) :: device
    character(len=*), optional, intent(in) :: file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    character(len=:), allocatable :: arguments, one
    integer :: i, length
    arguments = ""
    do i = 0, command_argument_count()
      call get_command_argument(i, length=length)
      allocate (character(len=length) :: one)
      call get_command_argument(i, one)
      if (length > 0) arguments = arguments//one//c_null_char ! an empty word would end the list
      deallocate (one)
    end do
    call f_initialize(arguments//c_null_char, device, file, line, stat, errmsg)
  end subroutine

  !> Ends Kokkos, after the last region and exit data. Errors: when Kokkos is not running.
  subroutine gangway_finalize(file, line, stat, errmsg)
    character(len=*), optional, intent(in) :: file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_finalize(file, line, stat, errmsg)
  end subroutine

  subroutine region_copyin(self, a, name, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_enter(self%region, way_copyin, a, name, file, line, stat, errmsg)
  end subroutine

  subroutine region_copyout(self, a, name, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_enter(self%region, way_copyout, a, name, file, line, stat, errmsg)
  end subroutine

  subroutine region_copy(self, a, name, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_enter(self%region, way_copy, a, name, file, line, stat, errmsg)
  end subroutine

  subroutine region_create(self, a, name, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_enter(self%region, way_create, a, name, file, line, stat, errmsg)
  end subroutine

  subroutine region_present(self, a, name, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_enter(self%region, way_present, a, name, file, line, stat, errmsg)
  end subroutine

  subroutine region_close(self, file, line, stat, errmsg)
    class(gangway_data), intent(inout) :: self
    character(len=*), optional, intent(in) :: file
    integer, optional, intent(in) :: line
    integer, optional, intent(out) :: stat
    character(len=*), optional, intent(inout) :: errmsg
    call f_region_close(self%region, file, line, stat, errmsg)
  end subroutine

  subroutine region_assign(self, other)
    class(gangway_data), intent(inout) :: self
    type(gangway_data), intent(in) :: other
    error stop "gangway: a data region cannot be copied"
    self%region = other%region
  end subroutine

  subroutine region_final(self)
    type(gangway_data), intent(inout) :: self
    call f_region_close(self%region)
  end subroutine

  !> acc_is_present: returns whether all of the array is on the device. Always true in shared memory; false for an array
  !> that is not allocated. An array that is not contiguous ends the program.
  function gangway_is_present(a, name, file, line) result(is_present)
    type(*), dimension(..), optional, target :: a
    character(len=*), optional, intent(in) :: name, file
    integer, optional, intent(in) :: line
    logical :: is_present
    logical(c_bool) :: found
    call f_is_present(found, a, name, file, line)
    is_present = found
  end function

  !> acc_async_test: returns whether all that is on this queue is done.
  function gangway_async_test(queue) result(is_done)
    integer, intent(in) :: queue
    logical :: is_done
    is_done = f_async_test(queue)
  end function

  !> Returns the counts of copies between host and device.
  function gangway_transfers() result(counts)
    type(gangway_transfer_counts) :: counts
    call f_transfers(counts)
  end function

  !> acc_get_property_string(acc_property_name): returns the device's name. Errors: when Kokkos is not running.
  function gangway_device_name() result(name)
    character(len=:), allocatable :: name
    integer(c_size_t) :: length
    type(c_ptr) :: text
    text = f_device_name(length)
    name = text_at(text, length)
  end function

  !> acc_get_device_type: returns "host", "nvidia", "radeon" or another name that gangway::name_of gives.
  function gangway_device_type() result(name)
    character(len=:), allocatable :: name
    integer(c_size_t) :: length
    type(c_ptr) :: text
    text = f_device_type(length)
    name = text_at(text, length)
  end function

  !> Returns the shape of a launch, such as "1000 x 4 x 32"; the oldest is number 1.
  function gangway_launch(number) result(shape)
    integer, intent(in) :: number
    character(len=:), allocatable :: shape
    integer(c_size_t) :: length
    type(c_ptr) :: text
    text = f_launch(number, length)
    shape = text_at(text, length)
  end function

  function text_at(text, length) result(copy)
    type(c_ptr), intent(in) :: text
    integer(c_size_t), intent(in) :: length
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: i
    call c_f_pointer(text, characters, [length])
    allocate (character(len=length) :: copy)
    do i = 1, length
      copy(i:i) = characters(i)
    end do
  end function

  !> Ends the program with this message, for errors of calls without `stat`.
  subroutine f_error_stop(text, length) bind(c, name="gangway_f_error_stop")
    type(c_ptr), value :: text
    integer(c_size_t), value :: length
    error stop text_at(text, length)
  end subroutine

end module
