! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

! Module gangway as programs call it. `clauses CASE` runs one case in the memory that GANGWAY_MEMORY chooses. A failure
! is a line on standard output, and the exit status 1. fortran_test.py runs all of them.
#include <gangway/fortran/here.inc>
module kernels
  use, intrinsic :: iso_c_binding
  implicit none

  abstract interface
    subroutine of_array(a) bind(c)
      type(*), dimension(..) :: a
    end subroutine
    subroutine of_array_and_bounds(a, lower) bind(c)
      import
      type(*), dimension(..) :: a
      integer(c_int), intent(in) :: lower(*)
    end subroutine
    subroutine finder(a, message, length) bind(c)
      import
      type(*), dimension(..) :: a
      character(kind=c_char), intent(out) :: message(*)
      integer(c_size_t), value :: length
    end subroutine
  end interface
  procedure(of_array_and_bounds), bind(c, name="mark1") :: mark1
  procedure(of_array_and_bounds), bind(c, name="mark2") :: mark2
  procedure(of_array_and_bounds), bind(c, name="mark3") :: mark3
  procedure(of_array_and_bounds), bind(c, name="mark4") :: mark4
  procedure(of_array_and_bounds), bind(c, name="mark5") :: mark5
  procedure(of_array_and_bounds), bind(c, name="mark6") :: mark6
  procedure(of_array_and_bounds), bind(c, name="mark7") :: mark7
  procedure(of_array_and_bounds), bind(c, name="mark15") :: mark15
  procedure(of_array), bind(c, name="add_one_int8") :: add_one_int8
  procedure(of_array), bind(c, name="add_one_int16") :: add_one_int16
  procedure(of_array), bind(c, name="add_one_int32") :: add_one_int32
  procedure(of_array), bind(c, name="add_one_int64") :: add_one_int64
  procedure(of_array), bind(c, name="add_one_real32") :: add_one_real32
  procedure(of_array), bind(c, name="add_one_real64") :: add_one_real64
  procedure(of_array), bind(c, name="add_one_complex32") :: add_one_complex32
  procedure(of_array), bind(c, name="add_one_complex64") :: add_one_complex64
  procedure(of_array), bind(c, name="negate_bool") :: negate_bool
  procedure(of_array), bind(c, name="negate_int32") :: negate_int32
  procedure(of_array), bind(c, name="launch") :: launch
  procedure(of_array), bind(c, name="out_of_bounds") :: out_of_bounds
  procedure(finder), bind(c, name="find_real64_2") :: find_real64_2
  procedure(finder), bind(c, name="find_real32_1") :: find_real32_1
  procedure(finder), bind(c, name="find_int64_1") :: find_int64_1
  procedure(finder), bind(c, name="find_real64_1") :: find_real64_1
  interface
    subroutine bounds_of_allocatable(a, bounds) bind(c, name="bounds2")
      import
      real(c_double), allocatable, intent(in) :: a(:, :)
      integer(c_int), intent(out) :: bounds(4)
    end subroutine
    subroutine bounds_of_pointer(a, bounds) bind(c, name="bounds2")
      import
      real(c_double), pointer, intent(in) :: a(:, :)
      integer(c_int), intent(out) :: bounds(4)
    end subroutine
    subroutine bounds_of_shape(a, bounds) bind(c, name="bounds2")
      import
      real(c_double), intent(in) :: a(:, :)
      integer(c_int), intent(out) :: bounds(4)
    end subroutine
    subroutine set_all(device, n, value) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int), value :: n
      real(c_double), value :: value
    end subroutine
    function total(device, n) result(sum) bind(c)
      import
      type(c_ptr), value :: device
      integer(c_int), value :: n
      real(c_double) :: sum
    end function
  end interface

  type :: grid
    integer :: n = 0
    real(c_double), allocatable :: u(:, :)
    real(c_double), pointer :: v(:) => null()
  end type
  type :: point
    real(c_double) :: x, y
    integer :: id
  end type

  real(c_double), target :: module_array(0:5) = 0
end module

program clauses
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use gangway
  use kernels
  implicit none

  integer :: failures = 0, stat
  character(len=400) :: message
  character(len=40) :: case
  logical :: shared

  call get_command_argument(1, case)
  if (case == "not_running") then
    call not_running()
  else
    call gangway_initialize(GANGWAY_HERE)
    shared = gangway_memory() == gangway_shared
    select case (case)
    case ("ranks"); call ranks()
    case ("kinds"); call kinds()
    case ("bounds"); call bounds()
    case ("regions"); call regions()
    case ("scopes"); call scopes()
    case ("dynamic"); call dynamic()
    case ("updates"); call updates()
    case ("arrays"); call arrays()
    case ("empty"); call empty()
    case ("refused"); call refused_arrays()
    case ("absent"); call absent()
    case ("wrong_kernel"); call wrong_kernel()
    case ("queries"); call queries()
    case ("mapped"); call mapped()
    case ("queues"); call queues()
    case ("starts_twice"); call starts_twice()
    case ("optimized"); call optimized()
    case ("ends"); call ends()
    case ("copied_region"); call copied_region()
    case ("host_in_kernel"); call host_in_kernel()
    case ("out_of_bounds"); call past_the_end()
    case ("cost"); call cost()
    case default
      print "(2a)", "no such case: ", trim(case)
      failures = 1
    end select
    call check(gangway_present_arrays() == 0, "no array is left on the device", __LINE__)
    call gangway_finalize(GANGWAY_HERE)
  end if
  if (failures /= 0) stop 1
  print "(2a)", trim(case), ": passed"

contains

  subroutine check(holds, what, line)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer, intent(in) :: line
    if (holds) return
    failures = failures + 1
    print "(a, i0, 2a)", "clauses.F90:", line, ": not so: ", what
  end subroutine

  ! The last call failed, and its message has these words and its place.
  subroutine refused(words, line)
    character(len=*), intent(in) :: words
    integer, intent(in) :: line
    character(len=20) :: place
    write (place, "(a, i0, a)") "clauses.F90:", line, ":"
    call check(stat == 1, "a refusal: "//words, line)
    call check(index(message, words) > 0, "'"//words//"' in: "//trim(message), line)
    call check(index(message, trim(place)) > 0, "'"//trim(place)//"' in: "//trim(message), line)
    call check(message(len(message):) == " ", "blanks after the message", line)
    stat = -1
    message = repeat("?", len(message))
  end subroutine

  subroutine honoured(line)
    integer, intent(in) :: line
    call check(stat == 0, "no error: "//trim(message), line)
    stat = -1
  end subroutine

  ! --- arrays of all ranks and kinds -----------------------------------------------------------

  function marked(old, index) result(new)
    real(real64), intent(in) :: old
    integer, intent(in) :: index(:)
    real(real64) :: new
    integer :: d
    new = 2*old
    do d = 1, size(index)
      new = new + index(d)*10.0_real64**(d - 1)
    end do
  end function

  subroutine ranks()
    real(real64), allocatable, target :: a1(:), a2(:, :), a3(:, :, :), a4(:, :, :, :), a5(:, :, :, :, :), &
      a6(:, :, :, :, :, :), a7(:, :, :, :, :, :, :), a15(:, :, :, :, :, :, :, :, :, :, :, :, :, :, :)
    integer :: i, j, k, l, m, n, o
    type(gangway_data) :: data
    allocate (a1(-3:4), a2(0:3, -3:1), a3(0:2, -3:1, 5:6), a4(2, 0:2, -3:-2, 3), a5(0:1, 2, -3:-1, 2, 7:8))
    allocate (a6(0:1, 2, -3:-1, 2, 7:8, 0:2), a7(-1:0, 2, 0:2, -3:-2, 2, 2, 9:11))
    allocate (a15(-1:0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0:2))
    a1 = 1; a2 = 2; a3 = 3; a4 = 4; a5 = 5; a6 = 6; a7 = 7; a15 = 15
    call data%copy(a1, "a1", GANGWAY_HERE)
    call data%copy(a2, "a2", GANGWAY_HERE)
    call data%copy(a3, "a3", GANGWAY_HERE)
    call data%copy(a4, "a4", GANGWAY_HERE)
    call data%copy(a5, "a5", GANGWAY_HERE)
    call data%copy(a6, "a6", GANGWAY_HERE)
    call data%copy(a7, "a7", GANGWAY_HERE)
    call data%copy(a15, "a15", GANGWAY_HERE)
    call mark1(a1, lbound(a1))
    call mark2(a2, lbound(a2))
    call mark3(a3, lbound(a3))
    call mark4(a4, lbound(a4))
    call mark5(a5, lbound(a5))
    call mark6(a6, lbound(a6))
    call mark7(a7, lbound(a7))
    call mark15(a15, lbound(a15))
    call data%close(GANGWAY_HERE)
    do i = -3, 4
      call check(a1(i) == marked(1.0_real64, [i]), "rank 1", __LINE__)
    end do
    do j = -3, 1; do i = 0, 3
      call check(a2(i, j) == marked(2.0_real64, [i, j]), "rank 2", __LINE__)
    end do; end do
    do k = 5, 6; do j = -3, 1; do i = 0, 2
      call check(a3(i, j, k) == marked(3.0_real64, [i, j, k]), "rank 3", __LINE__)
    end do; end do; end do
    do l = 1, 3; do k = -3, -2; do j = 0, 2; do i = 1, 2
      call check(a4(i, j, k, l) == marked(4.0_real64, [i, j, k, l]), "rank 4", __LINE__)
    end do; end do; end do; end do
    do m = 7, 8; do l = 1, 2; do k = -3, -1; do j = 1, 2; do i = 0, 1
      call check(a5(i, j, k, l, m) == marked(5.0_real64, [i, j, k, l, m]), "rank 5", __LINE__)
    end do; end do; end do; end do; end do
    do n = 0, 2; do m = 7, 8; do l = 1, 2; do k = -3, -1; do j = 1, 2; do i = 0, 1
      call check(a6(i, j, k, l, m, n) == marked(6.0_real64, [i, j, k, l, m, n]), "rank 6", __LINE__)
    end do; end do; end do; end do; end do; end do
    do o = 9, 11; do n = 1, 2; do m = 1, 2; do l = -3, -2; do k = 0, 2; do j = 1, 2; do i = -1, 0
      call check(a7(i, j, k, l, m, n, o) == marked(7.0_real64, [i, j, k, l, m, n, o]), "rank 7", __LINE__)
    end do; end do; end do; end do; end do; end do; end do
    do o = 0, 2; do j = 1, 2; do i = -1, 0
      call check(a15(i, j, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, o) == &
        marked(15.0_real64, [i, j, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, o]), "rank 15", __LINE__)
    end do; end do; end do
  end subroutine

  subroutine kinds()
    integer(int8), target :: i1(4)
    integer(int16), target :: i2(4)
    integer(int32), target :: i4(4)
    integer(int64), target :: i8(4)
    real(real32), target :: r4(4)
    real(real64), target :: r8(4)
    complex(real32), target :: c4(4)
    complex(real64), target :: c8(4)
    logical(c_bool), target :: l1(4)
    logical, target :: l4(4)
    integer :: i
    type(gangway_data) :: data
    i1 = [(int(i, int8), i=1, 4)]; i2 = [(int(1000*i, int16), i=1, 4)]
    i4 = [(100000*i, i=1, 4)]; i8 = [(10_int64**12*i, i=1, 4)]
    r4 = [(0.5*i, i=1, 4)]; r8 = [(0.25_real64*i, i=1, 4)]
    c4 = [(cmplx(i, -i), i=1, 4)]; c8 = [(cmplx(i, 0.5_real64, real64), i=1, 4)]
    l1 = [.true., .false., .false., .true.]; l4 = [.false., .true., .false., .true.]
    call data%copy(i1, "i1", GANGWAY_HERE); call data%copy(i2, "i2", GANGWAY_HERE)
    call data%copy(i4, "i4", GANGWAY_HERE); call data%copy(i8, "i8", GANGWAY_HERE)
    call data%copy(r4, "r4", GANGWAY_HERE); call data%copy(r8, "r8", GANGWAY_HERE)
    call data%copy(c4, "c4", GANGWAY_HERE); call data%copy(c8, "c8", GANGWAY_HERE)
    call data%copy(l1, "l1", GANGWAY_HERE); call data%copy(l4, "l4", GANGWAY_HERE)
    call add_one_int8(i1); call add_one_int16(i2); call add_one_int32(i4); call add_one_int64(i8)
    call add_one_real32(r4); call add_one_real64(r8); call add_one_complex32(c4); call add_one_complex64(c8)
    call negate_bool(l1); call negate_int32(l4)
    call data%close(GANGWAY_HERE)
    call check(all(i1 == [(i + 1, i=1, 4)]), "int8", __LINE__)
    call check(all(i2 == [(1000*i + 1, i=1, 4)]), "int16", __LINE__)
    call check(all(i4 == [(100000*i + 1, i=1, 4)]), "int32", __LINE__)
    call check(all(i8 == [(10_int64**12*i + 1, i=1, 4)]), "int64", __LINE__)
    call check(all(r4 == [(0.5*i + 1, i=1, 4)]), "real32", __LINE__)
    call check(all(r8 == [(0.25_real64*i + 1, i=1, 4)]), "real64", __LINE__)
    call check(all(c4 == [(cmplx(i + 1, -i), i=1, 4)]), "complex32", __LINE__)
    call check(all(c8 == [(cmplx(i + 1, 0.5_real64, real64), i=1, 4)]), "complex64", __LINE__)
    call check(all(l1 .eqv. [.false., .true., .true., .false.]), "logical(c_bool)", __LINE__)
    call check(all(l4 .eqv. [.true., .false., .true., .false.]), "logical", __LINE__)
  end subroutine

  subroutine bounds()
    real(real64), allocatable, target :: a(:, :)
    real(real64), pointer :: p(:, :)
    integer(c_int) :: found(4)
    type(gangway_data) :: data
    allocate (a(0:4, -3:2))
    call data%copyin(a, "a", GANGWAY_HERE)
    call bounds_of_allocatable(a, found)
    call check(all(found == [0, 4, -3, 2]), "an allocatable argument brings its bounds", __LINE__)
    call bounds_of_shape(a, found)
    call check(all(found == [1, 5, 1, 6]), "the bounds of an assumed shape begin with 1", __LINE__)
    p(7:, 0:) => a(:, -1:2)
    call bounds_of_pointer(p, found)
    call check(all(found == [7, 11, 0, 3]), "a pointer argument brings its bounds", __LINE__)
  end subroutine

  ! --- clauses and directives ------------------------------------------------------------------

  subroutine regions()
    real(real64), target :: a(3), b(3), c(3), d(3)
    type(gangway_data) :: data, inner
    type(gangway_transfer_counts) :: counts
    a = 1; b = 1; c = 1; d = 1
    call gangway_reset_transfers()
    call data%copyin(a, "a", GANGWAY_HERE)
    call data%copy(b, "b", GANGWAY_HERE)
    call data%copyout(c, "c", GANGWAY_HERE)
    call data%create(d, "d", GANGWAY_HERE)
    call check(gangway_present_arrays() == merge(0, 4, shared), "four arrays on the device", __LINE__)
    call inner%present(a, "a", GANGWAY_HERE)
    call inner%copy(b, "b", GANGWAY_HERE) ! which is present, and so stays
    call add_one_real64(a)
    call add_one_real64(b)
    call set_all(gangway_device_pointer(c), 3, 5.0_real64)
    call set_all(gangway_device_pointer(d), 3, 6.0_real64)
    call inner%close(GANGWAY_HERE)
    call check(all(b == merge(2, 1, shared)), "the inner region leaves b on the device", __LINE__)
    call data%close(GANGWAY_HERE)
    call check(all(a == merge(2, 1, shared)), "copyin does not copy out", __LINE__)
    call check(all(b == 2), "copy copies out", __LINE__)
    call check(all(c == 5), "copyout copies out", __LINE__)
    call check(all(d == merge(6, 1, shared)), "create does not copy out", __LINE__)
    counts = gangway_transfers()
    call check(counts%to_device == merge(0, 2, shared), "two copies to the device", __LINE__)
    call check(counts%bytes_to_device == merge(0, 48, shared), "48 bytes to the device", __LINE__)
    call check(counts%to_host == merge(0, 2, shared), "two copies to the host", __LINE__)
    call check(counts%bytes_to_host == merge(0, 48, shared), "48 bytes to the host", __LINE__)
    call check(counts%allocations == merge(0, 4, shared), "four arrays were created", __LINE__)
    call data%copy(a, "a", GANGWAY_HERE) ! the region once more
    call add_one_real64(a)
    call data%close(GANGWAY_HERE, stat=stat, errmsg=message)
    call honoured(__LINE__)
    call check(all(a == merge(3, 2, shared)), "a region can be used again", __LINE__)
  end subroutine

  subroutine scopes()
    real(real64), target :: a(3)
    a = 1
    block
      type(gangway_data) :: data
      call data%copy(a, "a", GANGWAY_HERE)
      call add_one_real64(a)
    end block
    call check(all(a == 2), "the end of a block closes the region", __LINE__)
    call in_procedure(a)
    call check(all(a == 3), "a return closes the region", __LINE__)
  end subroutine
  subroutine in_procedure(a)
    real(real64), target, intent(inout) :: a(:)
    type(gangway_data) :: data
    call data%copy(a, "a", GANGWAY_HERE)
    call add_one_real64(a)
    if (size(a) == 3) return
    a = -1
  end subroutine

  subroutine dynamic()
    real(real64), target :: a(5), b(5)
    a = 1; b = 1
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call gangway_enter_data_create(b, "b", GANGWAY_HERE)
    call check(gangway_is_present(a), "a is present", __LINE__)
    call check(gangway_is_present(a(2:3)), "a section of it is present", __LINE__)
    call add_one_real64(a)
    call set_all(gangway_device_pointer(b), 5, 7.0_real64)
    call gangway_exit_data_copyout(a, "a", GANGWAY_HERE)
    call gangway_exit_data_delete(b, "b", GANGWAY_HERE)
    call check(all(a == 2), "exit data copyout copies out", __LINE__)
    call check(all(b == merge(7, 1, shared)), "exit data delete does not", __LINE__)
    call check(gangway_is_present(a) .eqv. shared, "a is not present", __LINE__)

    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call gangway_exit_data_delete(a, "a", GANGWAY_HERE)
    call check(gangway_is_present(a), "entered twice, left once", __LINE__)
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call add_one_real64(a)
    call gangway_exit_data_copyout_finalize(a, "a", GANGWAY_HERE)
    call check(all(a == 3), "finalize copies out", __LINE__)
    call check(gangway_is_present(a) .eqv. shared, "finalize leaves it once for all", __LINE__)
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    call add_one_real64(a)
    call gangway_exit_data_delete_finalize(a, "a", GANGWAY_HERE)
    call check(all(a == merge(4, 3, shared)), "delete finalize does not copy out", __LINE__)
  end subroutine

  subroutine updates()
    real(real64), allocatable, target :: u(:, :, :)
    integer :: before
    allocate (u(0:3, 0:4, -1:2))
    u = 0
    before = merge(100, 0, shared)
    call gangway_enter_data_copyin(u, "u", GANGWAY_HERE)
    call set_all(gangway_device_pointer(u), size(u), 100.0_real64)
    call check(all(u == before), "the host has its values", __LINE__)
    call gangway_update_self(u(:, :, 0), "u", GANGWAY_HERE)
    call check(all(u(:, :, 0) == 100), "update self of a plane", __LINE__)
    call check(all(u(:, :, [-1, 1, 2]) == before), "and of no other", __LINE__)
    call gangway_update_self(u(1:2, 3, 1), "u", GANGWAY_HERE)
    call check(all(u(1:2, 3, 1) == 100), "update self of a part of a column", __LINE__)
    call check(all(u([0, 3], 3, 1) == before), "and of no more", __LINE__)
    call gangway_update_self(u(:, 4:4, 2:2), "u", GANGWAY_HERE) ! extents of 1 are contiguous
    call check(all(u(:, 4, 2) == 100), "update self of one column", __LINE__)
    u(:, :, 1) = 7
    call gangway_update_device(u(:, :, 1), "u", GANGWAY_HERE)
    u = 0
    if (shared) u(:, :, 1) = 7
    call gangway_update_self(u, "u", GANGWAY_HERE)
    call check(all(u(:, :, 1) == 7), "update device of a plane", __LINE__)
    if (.not. shared) call check(all(u(:, :, [-1, 0, 2]) == 100), "and of no other", __LINE__)
    call gangway_exit_data_delete(u, "u", GANGWAY_HERE)
  end subroutine

  subroutine arrays()
    type(grid), target :: g, grids(3)
    type(point), target :: points(4)
    character(len=5), target :: words(3)
    real(real64), target :: scalar
    real(real64), pointer :: p(:)
    integer :: i
    type(gangway_data) :: data
    allocate (g%u(0:2, 0:1), g%v(5), grids(2)%u(2, 2))
    g%u = 1; g%v = 1; grids(2)%u = 1; module_array = 1; scalar = 1
    points = [(point(i, -i, i), i=1, 4)]
    words = "abcde"
    p => g%v(2:4)
    call data%copy(g%u, "g%u", GANGWAY_HERE)
    call data%copy(g%v, "g%v", GANGWAY_HERE)
    call data%present(p, "p", GANGWAY_HERE) ! the middle of g%v
    call data%copy(grids(2)%u, "grids(2)%u", GANGWAY_HERE)
    call data%copy(module_array, "module_array", GANGWAY_HERE)
    call data%copy(scalar, "scalar", GANGWAY_HERE)
    call data%copy(points, "points", GANGWAY_HERE)
    call data%copy(words, "words", GANGWAY_HERE)
    call check(gangway_present_arrays() == merge(0, 7, shared), "seven arrays on the device", __LINE__)
    call mark2(g%u, lbound(g%u))
    call add_one_real64(p)
    call mark2(grids(2)%u, lbound(grids(2)%u))
    call assumed_shape(module_array)
    call set_all(gangway_device_pointer(scalar), 1, 8.0_real64)
    call data%close(GANGWAY_HERE)
    call check(g%u(2, 1) == 14 .and. g%u(0, 0) == 2, "an allocatable component", __LINE__)
    call check(all(g%v == [1, 2, 2, 2, 1]), "a pointer to a section", __LINE__)
    call check(grids(2)%u(2, 2) == 24, "a component of an element", __LINE__)
    call check(all(module_array == 2), "a module array", __LINE__)
    call check(scalar == 8, "a scalar", __LINE__)
    call check(all(points%id == [1, 2, 3, 4]) .and. all(words == "abcde"), "derived types and texts", __LINE__)
    deallocate (g%v)
  end subroutine
  subroutine assumed_shape(a)
    real(real64), intent(inout) :: a(-2:)
    call add_one_real64(a)
  end subroutine

  subroutine empty()
    real(real64), allocatable, target :: a(:), b(:, :)
    real(real64), target :: c(4)
    type(gangway_data) :: data
    allocate (a(0), b(0:3, 0))
    call gangway_reset_transfers()
    call data%copy(a, "a", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call data%copy(b, "b", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call data%copy(c(3:2), "c", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call gangway_update_self(b(:, 1:0), "b", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call gangway_update_device(c(4:1:2), "c", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call check(gangway_is_present(a), "an empty array is present", __LINE__)
    call check(.not. c_associated(gangway_device_pointer(a)), "it has no address", __LINE__)
    call mark1(a, [0])
    call mark2(b, lbound(b))
    call data%close(GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    block
      type(gangway_transfer_counts) :: counts
      counts = gangway_transfers()
      call check(counts%to_device + counts%to_host + counts%allocations == 0, "nothing moved", __LINE__)
    end block
  end subroutine

  ! --- errors ----------------------------------------------------------------------------------

  subroutine refused_arrays()
    real(real64), allocatable, target :: u(:, :), none(:)
    real(real64), pointer :: nowhere(:)
    type(gangway_data) :: data
    character(len=12) :: short
    allocate (u(0:4, 0:5))
    u = 1
    nowhere => null()
    call gangway_enter_data_copyin(u, "u", GANGWAY_HERE)
    call data%copyin(u(2, :), "row", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("copyin(row): the array is not contiguous: in dimension 1", __LINE__ - 1)
    call data%copyin(u(:, ::2), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("in dimension 2", __LINE__)
    call data%copy(u(1:3, 0:1), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("in dimension 2", __LINE__)
    call data%copyout(u(4:0:-1, 0), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("contiguous", __LINE__)
    call data%create(u(::2, 0), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("contiguous", __LINE__)
    call data%present(u(0, ::5), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("contiguous", __LINE__)
    call gangway_update_self(u(2, :), "u", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("update self(u): the array is not contiguous", __LINE__ - 1)
    call gangway_update_device(u(2, :), "u", GANGWAY_HERE, stat=stat, errmsg=message); call refused("dimension 1", __LINE__)
    call gangway_enter_data_create(u(2, :), "u", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("not contiguous", __LINE__ - 1)
    call gangway_exit_data_copyout(u(2, :), "u", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("not contiguous", __LINE__ - 1)
    call gangway_exit_data_delete(u(2, :), "u", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("not contiguous", __LINE__ - 1)

    call data%copyin(none, "none", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("copyin(none): the array is not allocated", __LINE__ - 1)
    call data%copyin(nowhere, "nowhere", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("pointer not associated", __LINE__ - 1)
    call gangway_update_self(none, "none", GANGWAY_HERE, stat=stat, errmsg=message); call refused("not allocated", __LINE__)
    call gangway_enter_data_create(none, GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("enter data create: the array is not allocated", __LINE__ - 1)
    call check(.not. gangway_is_present(none), "what is not allocated is not present", __LINE__)
    call assumed_size(u, size(u))

    stat = -1 ! without a place, without a name, and with a short variable for the message
    call gangway_update_self(u(2, :), stat=stat, errmsg=message)
    call check(stat == 1 .and. index(message, "update self: the array") == 1, "no place: "//trim(message), __LINE__)
    call gangway_update_self(u(2, :), name="u", stat=stat, errmsg=short)
    call check(short == "update self(", "a message that is cut off: "//short, __LINE__)
    call gangway_exit_data_delete(u, "u", GANGWAY_HERE, stat=stat); call honoured(__LINE__)
  end subroutine
  subroutine assumed_size(a, n)
    integer, intent(in) :: n
    real(real64), target :: a(*)
    type(gangway_data) :: data
    call data%present(a, "a", GANGWAY_HERE, stat=stat, errmsg=message); call refused("assumed size", __LINE__)
    call data%present(a(1:n), "a", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
  end subroutine

  ! In shared memory all arrays are present.
  subroutine absent()
    real(real64), target :: a(10), b(10)
    type(gangway_data) :: data
    type(c_ptr) :: pointer
    if (shared) then
      call gangway_update_self(a, "a", GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
      return
    end if
    call data%present(a, "a", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("present(a): 80 bytes at", __LINE__ - 1)
    call gangway_update_self(a, "a", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("update self(a): 80 bytes at", __LINE__ - 1)
    call gangway_update_device(a, "a", GANGWAY_HERE, stat=stat, errmsg=message); call refused("not on the device", __LINE__)
    call gangway_exit_data_copyout(a, "a", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("exit data copyout(a): 80 bytes", __LINE__ - 1)
    call gangway_exit_data_delete(a, "a", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("not on the device", __LINE__ - 1)
    pointer = gangway_device_pointer(a, "a", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("host_data use_device(a): 80 bytes are not on the device", __LINE__ - 1)
    pointer = gangway_host_pointer(c_loc(a), GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("host_pointer: no array on the device", __LINE__ - 1)

    call data%copyin(b(3:6), "middle", GANGWAY_HERE)
    call gangway_enter_data_copyin(b, "b", GANGWAY_HERE, stat=stat, errmsg=message)
    call check(index(message, "(copyin(middle) at ") > 0, "what holds a part: "//trim(message), __LINE__)
    call refused("are only partly on the device", __LINE__ - 2)
    call check(gangway_is_present(b(3:6)) .and. .not. gangway_is_present(b(3:7)), "a part is present", __LINE__)
    call find_real64_1(b(3:6), message, len(message, c_size_t))
    call check(message == "found", "a part for a kernel: "//trim(message), __LINE__)
    call find_real64_1(b(3:7), message, len(message, c_size_t))
    call check(index(message, "present(a): 40 bytes are not on the device") > 0, trim(message), __LINE__)
    pointer = gangway_device_pointer(b(3:7), "b", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("host_data use_device(b): 40 bytes", __LINE__ - 1)
    call gangway_exit_data_delete(b(3:6), "b", GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("were not brought by enter_data", __LINE__ - 1)
  end subroutine

  subroutine wrong_kernel()
    real(real64), target :: a(10), b(4, 4)
    real(real32), target :: r4(10)
    complex(real32), target :: c4(10)
    real(real64), allocatable, target :: none(:)
    type(gangway_data) :: data
    call data%copyin(a, "a", GANGWAY_HERE)
    call data%copyin(b, "b", GANGWAY_HERE)
    call data%copyin(r4, "r4", GANGWAY_HERE)
    call data%copyin(c4, "c4", GANGWAY_HERE)
    call find_real64_1(a, message, len(message, c_size_t))
    call check(message == "found", trim(message), __LINE__)
    call find_real64_2(a, message, len(message, c_size_t))
    call check(index(message, "present(a): the array has 1 dimensions, and the kernel's FArray 2") > 0, message, __LINE__)
    call find_real32_1(a, message, len(message, c_size_t))
    call check(index(message, "reals of 8 bytes, and the kernel's FArray reals of 4") > 0, message, __LINE__)
    call find_int64_1(a, message, len(message, c_size_t))
    call check(index(message, "FArray integers of 8 bytes") > 0, message, __LINE__)
    call find_real64_1(c4, message, len(message, c_size_t))
    call check(index(message, "complexes of 8 bytes, and the kernel's FArray reals of 8") > 0, message, __LINE__)
    call find_real64_1(b(2, :), message, len(message, c_size_t))
    call check(index(message, "not contiguous") > 0, message, __LINE__)
    call find_real64_1(b(:, 2), message, len(message, c_size_t))
    call check(message == "found", trim(message), __LINE__)
    call data%close(GANGWAY_HERE)
    call find_real64_1(a, message, len(message, c_size_t))
    call check((message == "found") .eqv. shared, message, __LINE__)
    if (.not. shared) call check(index(message, "kernels.cpp:") > 0, "the kernel's place: "//message, __LINE__)
  end subroutine

  subroutine not_running()
    real(real64), target :: a(10)
    type(gangway_data) :: data
    call data%copyin(a, "a", GANGWAY_HERE, stat=stat, errmsg=message); call refused("Kokkos is not running", __LINE__)
    call gangway_finalize(GANGWAY_HERE, stat=stat, errmsg=message); call refused("Kokkos is not running", __LINE__)
    call gangway_set_kept_memory(0_int64, GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("Kokkos is not running", __LINE__ - 1)
  end subroutine

  subroutine starts_twice()
    call gangway_initialize(GANGWAY_HERE, stat=stat, errmsg=message); call refused("does not start twice", __LINE__)
  end subroutine

  ! --- queries ---------------------------------------------------------------------------------

  subroutine queries()
    real(real64), target :: a(10)
    real(real64), pointer :: on_device(:)
    character(len=20) :: chosen
    type(c_ptr) :: pointer
    type(gangway_data) :: data
    call get_environment_variable("GANGWAY_MEMORY", chosen)
    select case (chosen)
    case ("shared"); call check(gangway_memory() == gangway_shared, "shared memory", __LINE__)
    case ("separate"); call check(gangway_memory() == gangway_separate, "separate memory", __LINE__)
    case ("strict"); call check(gangway_memory() == gangway_strict, "strict memory", __LINE__)
    case default; call check(.false., "GANGWAY_MEMORY", __LINE__)
    end select
    a = 3
    call data%copyin(a, "a", GANGWAY_HERE)
    pointer = gangway_device_pointer(a(4:), "a", GANGWAY_HERE)
    call check(c_associated(pointer, c_loc(a(4))) .eqv. shared, "the device's address", __LINE__)
    call check(c_associated(gangway_host_pointer(pointer), c_loc(a(4))), "and back", __LINE__)
    call check(total(pointer, 7) == 21, "a kernel reads there", __LINE__)
    call c_f_pointer(pointer, on_device, [7])
    call check(size(on_device) == 7, "as an array", __LINE__)
    call gangway_set_memory(gangway_separate, GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("set_memory: 1 arrays are still on the device", __LINE__ - 1)
    call data%close(GANGWAY_HERE)
    call gangway_set_memory(7, GANGWAY_HERE, stat=stat, errmsg=message); call refused("7 is no kind of memory", __LINE__)
    call gangway_set_kept_memory(4096_int64, GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call gangway_set_kept_memory(-1_int64, GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("-1 bytes are negative", __LINE__ - 1)
    call data%copyin(a, "a", GANGWAY_HERE)
    call data%close(GANGWAY_HERE)
    call check((gangway_kept_memory() >= 80) .neqv. shared, "the array's memory is kept", __LINE__)
    call gangway_set_memory(gangway_shared, GANGWAY_HERE, stat=stat, errmsg=message); call honoured(__LINE__)
    call check(gangway_memory() == gangway_shared, "shared from now on", __LINE__)

    call check(gangway_device_type() == "host", "the device's type: "//gangway_device_type(), __LINE__)
    call check(len(gangway_device_name()) > 0, "the device's name", __LINE__)
    call check(gangway_device_count() == -1 .and. gangway_device_number() == -1, "no number on a host", __LINE__)

    call gangway_clear_launches()
    call check(gangway_launches() == 0, "no launch", __LINE__)
    call launch(a)
    call check(gangway_launches() == 1, "one launch", __LINE__)
    call check(len(gangway_launch(1)) > 3, "its shape: "//gangway_launch(1), __LINE__)
    call check(all(a == 4), "and what it did", __LINE__)
  end subroutine

  subroutine mapped()
    real(real64), target :: a(6), b(6)
    type(c_ptr) :: device
    a = 1; b = 0
    device = gangway_malloc(48_int64, GANGWAY_HERE)
    call gangway_memcpy_to_device(device, a, GANGWAY_HERE)
    call check(total(device, 6) == 6, "memcpy to the device", __LINE__)
    call set_all(device, 6, 2.0_real64)
    call gangway_memcpy_from_device(b, device, GANGWAY_HERE)
    call check(all(b == 2), "memcpy from the device", __LINE__)
    call gangway_map_data(a, device, GANGWAY_HERE, stat=stat, errmsg=message)
    if (shared) then
      call refused("cannot be mapped to other memory", __LINE__ - 2)
    else
      call honoured(__LINE__)
      call add_one_real64(a)
      call gangway_update_self(a, "a", GANGWAY_HERE)
      call check(all(a == 3), "a kernel used the mapped memory", __LINE__)
      call gangway_unmap_data(a, GANGWAY_HERE)
      call check(.not. gangway_is_present(a), "unmapped", __LINE__)
      call gangway_unmap_data(a, GANGWAY_HERE, stat=stat, errmsg=message); call refused("unmap_data: no mapped", __LINE__)
    end if
    call gangway_memcpy_to_device(device, a(1:6:2), GANGWAY_HERE, stat=stat, errmsg=message)
    call refused("memcpy_to_device: the array is not contiguous", __LINE__ - 1)
    call gangway_free(device)
    device = gangway_malloc(-1_int64, GANGWAY_HERE, stat=stat, errmsg=message); call refused("negative", __LINE__)
  end subroutine

  subroutine queues()
    real(real64), target :: a(6)
    type(gangway_data) :: data
    a = 1
    call data%copyin(a, "a", GANGWAY_HERE)
    call set_all(gangway_device_pointer(a), 6, 2.0_real64)
    call gangway_update_self(a, "a", GANGWAY_HERE, async=1)
    call gangway_wait(1)
    call check(all(a == 2), "update self async", __LINE__)
    a = 3
    call gangway_update_device(a, "a", GANGWAY_HERE, async=2)
    call gangway_wait()
    call check(gangway_async_test(2), "the queue is empty", __LINE__)
    call check(total(gangway_device_pointer(a), 6) == 18, "update device async", __LINE__)
  end subroutine

  ! The compiler must not take a value from before a call that changes it, although no argument names the array.
  subroutine optimized()
    real(real64) :: a(2), first, second, third
    type(gangway_data) :: data
    a(1) = 1; a(2) = 1
    call data%copy(a, "a", GANGWAY_HERE)
    call set_all(gangway_device_pointer(a), 2, 2.0_real64)
    first = a(1)
    call gangway_update_self(a, "a", GANGWAY_HERE)
    second = a(1)
    call set_all(gangway_device_pointer(a), 2, 3.0_real64)
    call data%close(GANGWAY_HERE)
    third = a(1)
    call check(first == merge(2, 1, shared), "before the update", __LINE__)
    call check(second == 2, "after the update", __LINE__)
    call check(third == 3, "after the region", __LINE__)
  end subroutine

  ! --- what ends the program -------------------------------------------------------------------

  subroutine ends()
    real(real64), target :: u(4, 4)
    call gangway_update_self(u(2, :), "u", GANGWAY_HERE) ! line marked ENDS
  end subroutine

  subroutine copied_region()
    type(gangway_data) :: one, other
    other = one
  end subroutine

  subroutine host_in_kernel()
    real(real64), allocatable, target :: u(:)
    type(gangway_data) :: data
    allocate (u(100000))
    u = 1
    call data%copyin(u, "u", GANGWAY_HERE) ! line marked HELD
    print *, total(c_loc(u), size(u))
  end subroutine

  subroutine past_the_end()
    real(real64), target :: a(0:3, -3:1)
    type(gangway_data) :: data
    a = 0
    call data%copy(a, "a", GANGWAY_HERE)
    call out_of_bounds(a)
  end subroutine

  ! --- the cost of a call ----------------------------------------------------------------------

  ! Nanoseconds for each call; the smallest of some repetitions.
  subroutine cost()
    integer, parameter :: calls = 200000, repetitions = 7
    real(real64), target :: a(10, 10, 10)
    integer(int64) :: start, end, rate
    real(real64) :: present_ns, section_ns, empty_ns, find_ns
    integer :: i, r
    a = 0
    call gangway_enter_data_copyin(a, "a", GANGWAY_HERE)
    present_ns = huge(1.0_real64); section_ns = present_ns; empty_ns = present_ns; find_ns = present_ns
    do r = 1, repetitions
      call system_clock(start, rate)
      do i = 1, calls
        block
          type(gangway_data) :: data
          call data%present(a, "a", GANGWAY_HERE)
          call data%close(GANGWAY_HERE)
        end block
      end do
      call system_clock(end)
      present_ns = min(present_ns, 1e9_real64*(end - start)/rate/calls)
      call system_clock(start)
      do i = 1, calls
        if (.not. gangway_is_present(a(:, :, 3), "a", GANGWAY_HERE)) failures = failures + 1
      end do
      call system_clock(end)
      section_ns = min(section_ns, 1e9_real64*(end - start)/rate/calls)
      call system_clock(start)
      do i = 1, calls
        call gangway_update_self(a(:, 1:0, 3), "a", GANGWAY_HERE)
      end do
      call system_clock(end)
      empty_ns = min(empty_ns, 1e9_real64*(end - start)/rate/calls)
      call system_clock(start)
      do i = 1, calls
        call find_nothing(a)
      end do
      call system_clock(end)
      find_ns = min(find_ns, 1e9_real64*(end - start)/rate/calls)
    end do
    call gangway_exit_data_delete(a, "a", GANGWAY_HERE)
    print "(a, f0.0)", "a region with one present clause, ns: ", present_ns
    print "(a, f0.0)", "is_present of a plane, ns: ", section_ns
    print "(a, f0.0)", "update self of an empty section, ns: ", empty_ns
    print "(a, f0.0)", "an array found by FArray, ns: ", find_ns
  end subroutine
  subroutine find_nothing(a)
    real(real64), target, intent(in) :: a(:, :, :)
    integer(c_int) :: found(4)
    call bounds_of_shape(a(:, :, 1), found)
  end subroutine

end program
