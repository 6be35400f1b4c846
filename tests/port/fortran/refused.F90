! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> What is not translated: each directive after a comment with the code that it gets.
module refused_m
  implicit none
  integer :: calls = 0
  ! GW2019
  !$acc declare create(calls)
  type :: point
    real :: x, y
  end type
contains
  subroutine refused(a, n, points, z)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    type(point), intent(inout) :: points(n)
    complex, intent(inout) :: z(n)
    real :: t, last
    integer :: i
    t = 0
    ! GW3024
    !$acc parallel loop
    do i = 1, n
      t = t + a(i)
      a(i) = t
    end do
    ! GW5016
    !$acc parallel loop
    do i = 1, n
      print *, a(i)
    end do
    ! GW5017
    !$acc parallel loop
    do i = 1, n
      points(i)%x = a(i)
    end do
    ! GW5019
    !$acc parallel loop
    do i = 1, n
      z(i) = sqrt(z(i))
    end do
    ! GW5014
    !$acc parallel loop
    do i = 1, n
      !$acc atomic
      z(1) = z(1) + a(i)
    end do
    ! GW5017
    !$acc parallel loop
    do i = 1, n
      call twice(a(i))
    end do
    ! GW3024
    !$acc kernels loop independent
    do i = 1, n
      last = a(i)
      a(i) = 2*last
    end do
    print *, last
    ! GW5016
    !$acc kernels
    a(2:n - 1) = a(1:n - 2) + a(3:n)
    !$acc end kernels
  end subroutine
  subroutine lines(a, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(n)
    real :: total
    integer :: i
    ! GW1002
    !$acc parallel loop
    do i = 1, n
#ifdef TWICE
      a(i) = 2*a(i)
#else
      a(i) = 3*a(i)
#endif
    end do
    ! GW5016
    !$acc parallel loop
    do i = 1, n
      a(i) = 4
    end do; a(1) = 2
    ! GW3025
    !$acc kernels
    !$acc loop independent
    do i = 1, n
      total = a(i)
      a(i) = total*total
    end do
    a(1) = total
    !$acc end kernels
    ! GW3025
    !$acc kernels
    do i = 1, n
      total = a(i)
      a(i) = total*total
    end do
    a(1) = total
    !$acc end kernels
    ! GW3026
    !$acc parallel loop reduction(+:total)
    do i = 1, n
      total = a(i)
    end do
    ! GW2028
    !$acc parallel loop
    do i = 1, n
      call first_of(a(1:n:2))
    end do
    ! GW5005
    !$acc parallel loop
    do i = 1, n
      call first_of(a + 1)
    end do
    ! GW4001
    !$acc parallel loop
    do concurrent (i=2:n, a(i - 1) > 0)
      a(i) = 0
    end do
  end subroutine
  subroutine first_of(x)
    real, intent(in) :: x(:)
    real :: one
    one = x(1)
  end subroutine
  subroutine twice(x)
    real, intent(inout) :: x
    x = 2*x
    calls = calls + 1
  end subroutine
end module
