! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> The guide's rows of Fortran. The tests run this program and its translation, and compare what they print.
module cells
  implicit none
  real, allocatable :: weight(:)
  real :: factor = 2
  type :: field
    real, allocatable :: u(:, :)
  end type
contains
  ! [bounds]
  subroutine bounds(u, n)
    integer, intent(in) :: n
    real, intent(inout) :: u(0:, 0:)
    integer :: i, j
    !$acc parallel loop collapse(2) present(u)
    do j = 1, n
      do i = 1, n
        u(i, j) = u(i, j) + i
      end do
    end do
  end subroutine
  ! [bounds]

  ! [sections]
  subroutine sections(u, n)
    integer, intent(in) :: n
    real, intent(inout) :: u(n, n)
    integer :: i
    !$acc parallel loop copy(u(:, 2:3))
    do i = 1, n
      u(i, 2) = u(i, 3)
    end do
    !$acc update self(u(:, n)) if_present
  end subroutine
  ! [sections]

  ! [modules]
  subroutine modules(n)
    integer, intent(in) :: n
    integer :: i
    !$acc parallel loop copy(weight)
    do i = 1, n
      weight(i) = weight(i)*factor
    end do
  end subroutine
  ! [modules]

  ! [members]
  subroutine members(f)
    type(field), intent(inout) :: f
    integer :: i
    !$acc parallel loop copy(f%u)
    do i = lbound(f%u, 1), ubound(f%u, 1)
      f%u(i, 1) = f%u(i, 2)
    end do
  end subroutine
  ! [members]

  ! [whole_arrays]
  subroutine whole_arrays(a, b)
    integer, intent(inout) :: a(9), b(9)
    !$acc kernels copy(a, b)
    a = b + 1
    b(2:9) = b(1:8)
    where (a > 5) a = 5
    !$acc end kernels
  end subroutine
  ! [whole_arrays]

  ! [functions]
  integer function turned(k, n)
    !$acc routine seq
    integer, value :: k, n
    turned = modulo(k, n) + 3**k
  end function
  subroutine functions(a)
    integer, intent(inout) :: a(9)
    integer :: i, most
    most = -huge(most)
    !$acc parallel loop copy(a) reduction(max:most)
    do i = 1, 9
      a(i) = turned(i - 5, 3)
      most = max(most, a(i))
    end do
    a(1) = most
  end subroutine
  ! [functions]
end module

program rows
  use cells
  implicit none
  real :: u(0:9, 0:9)
  integer :: a(9), b(9), k
  type(field) :: f
  u = reshape([(real(k), k=1, 100)], [10, 10])
  !$acc data copy(u)
  call bounds(u, 8)
  !$acc end data
  call sections(u, 10)
  allocate (weight(4), f%u(-1:3, 2))
  weight = [1, 2, 3, 4]
  f%u = reshape([(real(k), k=1, 10)], [5, 2])
  call modules(4)
  call members(f)
  a = 0
  b = [(k, k=1, 9)]
  call whole_arrays(a, b)
  print *, u, weight, f%u, a, b
  call functions(a)
  print *, a
end program
