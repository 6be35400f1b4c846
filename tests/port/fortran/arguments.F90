! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Arrays as arguments of procedures that kernels call.
module arguments_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: rows = 6
  real(real64) :: table(rows, 3)
contains
  real(real64) function total(a, n) ! explicit shape
    !$acc routine seq
    integer, intent(in) :: n
    real(real64), intent(in) :: a(n)
    integer :: i
    total = 0
    do i = 1, n
      total = total + a(i)*i
    end do
  end function
  real(real64) function spread_of(a) ! assumed shape
    !$acc routine seq
    real(real64), intent(in) :: a(:)
    spread_of = maxval(a) - minval(a) + size(a) + lbound(a, 1) + ubound(a, 1)
  end function
  real(real64) function plane(a, low) ! assumed shape with lower bounds
    !$acc routine seq
    integer, intent(in) :: low
    real(real64), intent(in) :: a(low:, 0:)
    integer :: i, j
    plane = 0
    do j = 0, ubound(a, 2)
      do i = low, low + size(a, 1) - 1
        plane = plane + a(i, j)*(i + 10*j)
      end do
    end do
  end function
  subroutine shift(a, n, m, by) ! sequence association makes a matrix of it
    !$acc routine seq
    integer, intent(in) :: n, m
    real(real64), intent(inout) :: a(0:n - 1, m)
    real(real64), value :: by
    integer :: i, j
    do j = 1, m
      do i = 0, n - 1
        a(i, j) = a(i, j) + by*(i - j)
      end do
    end do
    by = 0
  end subroutine
  subroutine rest(a, n) ! assumed size
    !$acc routine seq
    real(real64), intent(out) :: a(2, -1:*)
    integer, intent(in) :: n
    integer :: j
    do j = -1, n - 2
      a(1, j) = j
      a(2, j) = a(1, j)/4
    end do
  end subroutine
  subroutine scaled(from, to, int) ! one hands them on, and names are C++'s
    !$acc routine seq
    real(real64), intent(in) :: from(:)
    real(real64), intent(out) :: to(size(from))
    integer, intent(in) :: int(2)
    real(real64) :: double(0:4)
    double = 2
    double(int(1)) = total(from, size(from))
    call shift(double, 5, 1, double(int(2)))
    to = from*double(int(1)) + spread_of(double(1:3)) + total(double(2), 3)
  end subroutine
  subroutine add_to(counts, k)
    !$acc routine seq
    integer, intent(inout) :: counts(*)
    integer, intent(in) :: k
    !$acc atomic
    counts(k) = counts(k) + 1
  end subroutine
  integer function longest(flags, bytes) result(n)
    !$acc routine seq
    logical, intent(in) :: flags(:)
    integer(1), intent(in) :: bytes(:, :)
    integer :: i
    n = 0
    do i = 1, size(flags)
      if (flags(i)) n = n + bytes(i, size(bytes, 2))
    end do
  end function
end module

!> Arguments that are handed on, of logical and other kinds, and in conditions, bounds and subscripts.
module arguments_more_m
  implicit none
contains
  real function tot(a, n)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    tot = sum(a)
  end function
  real function grid(a, n, m)
    integer, intent(in) :: n, m
    real, intent(in) :: a(-n + 1:2*m - n*m/m, m)
    integer :: i, j
    grid = 0
    do j = 1, m
      do i = -n + 1, 2*m - n*m/m
        if (a(i, j) > 1) grid = grid + a(i, j)*i
      end do
    end do
  end function
  subroutine masks(l, b, s)
    logical, intent(inout) :: l(:)
    logical(1), intent(in) :: b(size(l))
    integer(8), intent(inout) :: s(2)
    where (b) l = .not. l
    if (l(1)) s(1) = s(1) + count_of(l)
    s(2) = size(b, kind=8)
  end subroutine
  integer function count_of(l)
    logical, intent(in) :: l(:)
    integer :: i
    count_of = 0
    do i = 1, ubound(l, 1)
      if (l(i)) count_of = count_of + 1
    end do
  end function
  subroutine deep(a, b)
    real, intent(inout) :: a(:, :)
    real, intent(in) :: b(:)
    real :: c(3)
    integer :: j
    do j = 1, size(a, 2)
      c = b(1:3)*j
      call axpy(a(:, j), c)
      call axpy(a(2:, j), b)
    end do
    if (tot(a(:, 1), size(a, 1)) > 10) a(:, 1) = a(:, 1) - tot(c, 3)
  end subroutine
  subroutine axpy(y, x)
    real, intent(inout) :: y(:)
    real, intent(in) :: x(:)
    integer :: i
    do i = 1, min(size(x), size(y))
      y(i) = y(i) + 0.5*x(i)
    end do
  end subroutine
  subroutine more()
    integer, parameter :: n = 6, m = 4
    real :: a(n, m), b(n), c(n*m), d(0:n, m, 3), r(n)
    real, allocatable :: e(:, :, :)
    logical :: l(n, m)
    logical(1) :: bb(n, m)
    integer(8) :: s(2, m)
    integer :: i, j, idx(m)
    allocate (e(-2:3, 5, 2))
    do j = 1, m
      a(:, j) = [(0.25*i*j, i=1, n)]
      l(:, j) = [(mod(i + j, 2) == 0, i=1, n)]
      bb(:, j) = [(logical(mod(i*j, 3) == 0, 1), i=1, n)]
      idx(j) = m + 1 - j
    end do
    b = 1.5; c = [(i*0.125, i=1, n*m)]; d = 2; e = 3; s = 0; r = 0
    !$acc data copy(a, b, c, d, e, l, s, r) copyin(bb, idx)
    !$acc parallel loop
    do i = 1, n
      r(i) = r(i) + grid(c, n - 4, 3) + grid(a, 2, 3) + tot(c(i:), n) + grid(d(:, :, 2), 1, 3)
      if (tot(a(:, idx(2)), idx(1)) > 1 .and. tot(a, n*m) > 2) r(i) = r(i) + tot(e(:, :, 1), 30) + tot(e(-2, 3, 2), 12)
      do j = 1, int(tot(b, 2))
        r(i) = r(i) + j
      end do
      r(i) = r(i) + tot(a(:, int(tot(b, 2))), n)
    end do
    !$acc parallel loop
    do j = 1, m
      call masks(l(:, j), bb(:, j), s(:, j))
    end do
    !$acc parallel loop
    do j = 1, 2
      call deep(e(:, :, j), r(3:5))
      call deep(d(:, :, j), b)
    end do
    !$acc kernels
    b(:) = b(:)*tot(a(:, 1), 3)
    c(1) = tot(c, 4)
    call axpy(b(2:5), c)
    !$acc end kernels
    !$acc end data
    print *, r
    print *, l
    print *, s
    print *, e
    print *, d
    print *, b, c
  end subroutine
end module

program arguments
  use arguments_m
  use arguments_more_m, only: more
  implicit none
  integer, parameter :: m = 8
  type :: fields
    real(real64), allocatable :: u(:, :)
  end type
  type(fields) :: f
  real(real64) :: a(rows, m), b(m), c(0:rows - 1, -2:m - 3), own(4), sum
  real(real64), allocatable :: d(:, :)
  real(real64), pointer :: p(:)
  real, allocatable :: none(:)
  logical :: flags(3, m)
  integer(1) :: bytes(3, 2, m)
  integer :: counts(0:3), steps(2), i, j, k
  allocate (d(2:5, m), f%u(-1:rows, m), none(0))
  allocate (p(0:m))
  do j = 1, m
    do i = 1, rows
      a(i, j) = sin(real(i + 7*j, real64))
      c(i - 1, j - 3) = cos(real(i*j, real64))
      flags(mod(i, 3) + 1, j) = mod(i + j, 3) == 0
      bytes(mod(i, 3) + 1, 1:2, j) = int(i*j - 20, 1)
    end do
    d(:, j) = j*0.5_real64
    f%u(:, j) = [(i*0.25_real64 - j, i=-1, rows)]
  end do
  table = 1.5_real64
  p = 0.75_real64
  counts = 0
  steps = [3, 1]
  !$acc data copy(a, c, d, f%u, counts, p, table) copyin(flags, bytes, steps) copyout(b)
  !$acc parallel loop
  do j = 1, m
    b(j) = total(a(:, j), rows) + total(a(2, j), 4) + total(a(3:, j), 4) + total(a(1:0, j), 0)
    b(j) = b(j) + spread_of(a(:, j)) + spread_of(a(2:5, j)) + spread_of(f%u(:, j)) + spread_of(table(:, 2))
    b(j) = b(j) + spread_of(f%u(0:3, j)) + total(f%u(-1, j), 3) + total(p, 9) + spread_of(p) + spread_of(p(1:m - 2))
    b(j) = b(j) + plane(c, 2) + plane(c(:, max(j - 4, -2):j - 3), -1) + plane(table, 0) + plane(d(:, j:j), 0)
  end do
  !$acc parallel loop private(own)
  do j = 1, m
    own = 0
    call shift(a(:, j), 2, 3, b(j)) ! rows become a matrix of 2 and 3
    call shift(d(2, j), 4, 1, 0.5_real64)
    call rest(own, 2)
    call scaled(own(2:4), d(3, j), steps)
    b(j) = b(j) + own(3) + own(1) - own(2)
    call rest(c(2, j - 3), 2)
    call add_to(counts, mod(j, 4) + 1)
  end do
  !$acc parallel loop
  do j = 2, m, 2
    call shift(f%u(:, j - 1:j), rows + 2, 2, 1.25_real64)
    counts(0) = counts(0)
    if (j == 4) call scaled(table(:, 1), table(:, 3), steps)
  end do
  sum = 0
  !$acc parallel loop reduction(+:sum)
  do j = 1, m
    sum = sum + longest(flags(:, j), bytes(:, :, j)) + spread_of(d(:, j))
  end do
  !$acc end data
  print *, counts
  print "(5z17)", transfer(a, [0_8])
  print "(5z17)", transfer(b, [0_8])
  print "(5z17)", transfer(c, [0_8])
  print "(5z17)", transfer(d, [0_8])
  print "(5z17)", transfer(f%u, [0_8])
  print "(5z17)", transfer(table, [0_8])
  print *, sum
  call more()
end program
