! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Module variables that `declare` has on the device, for declares.F90, and a module that has nothing else.
module declares_part_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer :: index
  real(real64) :: table(10) = [(0.25_real64*index, index=1, 10)], scale(3) = [1.5_real64, 2.5_real64, 3.5_real64]
  real(real64) :: offset = 0.125_real64
  integer :: shared_count = 7
  real(real64), allocatable :: heights(:), field(:, :)
  real(real64) :: linked(4)
  !$acc declare copyin(table, scale) create(offset, &
  !$acc&  shared_count) create(heights, field)
  !$acc declare link(linked)
contains
  subroutine make(n)
    integer, intent(in) :: n
    integer :: i, j
    allocate (field(n, 0:2))
    field = 1
    !$acc update device(field)
    !$acc kernels
    do j = 0, 2
      do i = 1, n
        field(i, j) = field(i, j) + i*table(j + 1)
      end do
    end do
    field(:, 1) = field(:, 2) + offset
    !$acc end kernels
    linked = n
    !$acc data copy(linked)
    !$acc parallel loop
    do i = 1, 4
      linked(i) = linked(i) + field(i, 1)
    end do
    !$acc end data
    print '(4f9.4)', linked
  end subroutine
  subroutine show()
    !$acc update self(field)
    print "(8f9.4)", field
  end subroutine
  subroutine drop()
    deallocate (field)
  end subroutine
end module
module declares_numbers_m
  integer :: numbers(3)
  !$acc declare create(numbers)
end module
