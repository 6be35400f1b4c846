! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Do concurrent in compute constructs and in procedures that kernels call.
module concurrent_m
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
contains
  subroutine smooth(row, n)
    !$acc routine seq
    integer, intent(in) :: n
    real(real64), intent(inout) :: row(0:n)
    real(real64) :: t, old(0:40), w(2)
    integer :: i
    t = 5
    w = 2
    i = 77
    do i = 0, n
      old(i) = row(i)
    end do
    do concurrent (i=1:n - 1) local(t) local_init(w)
      t = old(i - 1) + old(i + 1)
      w(1) = t
      row(i) = old(i)/2 + w(1)/4
    end do
    row(0) = row(0) + t
  end subroutine
end module

!> Loops in each other, in a procedure and in branches.
module concurrent_more_m
  implicit none
  integer, parameter :: n = 9
contains
  subroutine work(a, b)
    !$acc routine vector
    real, intent(inout) :: a(:, :)
    real, intent(in) :: b(:)
    integer :: i, j
    real :: row(3), t
    row = 1
    !$acc loop vector
    outer: do concurrent (i=1:size(a, 1), j=size(a, 2):1:-1, b(i) > 0) local_init(row)
      row(2) = b(i)*j
      do concurrent (integer(2) :: k=1:3:2) local(t)
        t = k*2
        row(k) = row(2)*t
      end do
      if (row(3) > 30) cycle outer
      a(i, j) = a(i, j) + row(1) + row(3)
    end do outer
  end subroutine
  subroutine more()
    real :: a(n, 4, 3), b(n), x, y(n), c(n, n, n)
    integer :: i, j, k, m(n), lo
    real, pointer :: p(:)
    a = 1; c = 0; lo = 2
    b = [(i - 3.0, i=1, n)]
    allocate (p(-1:n))
    p = 2
    m = 0
    !$acc data copy(a, c, m, p) copyin(b)
    !$acc parallel loop gang
    do k = 1, 3
      call work(a(:, :, k), b)
    end do
    !$acc kernels
    do concurrent (k=1:n, j=2:n, i=3:n:3)
      do concurrent (lo=1:2)
        c(lo, j, k) = c(lo, j, k) + 1
      end do
      c(i, j, k) = c(i, j, k) + i
    end do
    !$acc end kernels
    !$acc parallel loop
    do concurrent (i=lbound(p, 1):ubound(p, 1), p(i) < 5)
      p(i) = p(i) + i
    end do
    !$acc parallel
    !$acc loop gang
    do j = 1, n
      !$acc loop vector
      do concurrent (i=j:n) local(x)
        x = i*j
        where_it_is: if (x > 20) then
          m(j) = m(j)*0 + 1
        end if where_it_is
      end do
    end do
    !$acc end parallel
    !$acc kernels
    if (lo > 1) then
      do concurrent (i=1:n, m(i) == 1)
        m(i) = 5
      end do
    else
      m(1) = 3
    end if
    !$acc end kernels
    !$acc end data
    x = 1
    !$acc parallel loop copyin(b) reduction(*:x)
    do concurrent (i=1:4)
      x = x*i
    end do
    k = 0
    !$acc serial loop copyin(b)
    do concurrent (i=1:n) reduce(+:k)
      k = k + int(b(i))
    end do
    print *, a
    print *, c
    print *, p, m, x, k
  end subroutine
end module

program concurrent
  use concurrent_m
  use concurrent_more_m, only: more
  implicit none
  integer, parameter :: n = 12, m = 9
  real(real64) :: a(n, m), b(n, m), c(0:n, m), factor, t, u, total, most
  integer :: i, j, k, counts(n), found, int
  logical :: all_fit
  do j = 1, m
    do i = 1, n
      a(i, j) = sin(real(3*i + j, real64))
      b(i, j) = 0
      c(i, j) = cos(real(i - j, real64))
    end do
  end do
  c(0, :) = 0.5_real64
  factor = 1.25_real64
  t = 3
  ! on the host it stays
  do concurrent (i=1:n, j=1:m, a(i, j) > 0.5_real64) local(t)
    t = a(i, j)
    a(i, j) = t*0.5_real64
  end do
  !$acc data copy(a, b, c) copyout(counts)
  !$acc parallel loop
  do concurrent (i=1:n)
    counts(i) = n - i
  end do
  !$acc parallel
  !$acc loop gang
  do concurrent (i=1:n, j=2:m:2) local(t) local_init(factor)
    t = a(i, j)*factor
    factor = factor + i
    b(i, j) = t + factor
  end do
  !$acc end parallel
  !$acc kernels
  do concurrent (j=m:1:-2, i=1:n, a(i, j) < 0) shared(a, b)
    a(i, j) = -a(i, j) + b(i, j)
  end do
  do concurrent (integer(8) :: i=2:n, j=1:m)
    b(i, j) = b(i, j) + i*j
  end do
  b(1, 1) = 17
  !$acc end kernels
  !$acc parallel loop gang
  do j = 1, m
    u = j
    do concurrent (i=1:n, counts(i) > 3) local(t) local_init(u)
      u = u + i
      t = u + a(i, j)
      if (t < 0) cycle
      a(i, j) = t
    end do
    a(1, j) = a(1, j) + u
    call smooth(c(:, j), n)
    do concurrent (int=1:0)
      a(1, j) = 0
    end do
  end do
  total = 0
  !$acc serial
  do concurrent (i=1:n) reduce(+:total)
    total = total + a(i, 3)
  end do
  !$acc end serial
  !$acc kernels
  !$acc loop seq
  do k = 2, m
    do concurrent (i=1:n)
      c(i, k) = c(i, k) + c(i, k - 1)
    end do
  end do
  !$acc end kernels
  !$acc end data
  most = 0
  found = 100
  all_fit = .true.
  !$acc parallel loop copyin(a)
  do concurrent (i=1:n, j=1:m, a(i, j) < 100) reduce(max:most) reduce(+:found) reduce(.and.:all_fit)
    most = max(most, a(i, j))
    found = found + merge(1, 0, a(i, j) > 0)
    all_fit = all_fit .and. a(i, j) > -1000
  end do
  !$acc kernels copyin(a)
  do concurrent (i=1:n) reduce(iand:found)
    found = iand(found, 2**i - 1)
  end do
  !$acc end kernels
  print *, counts, found, all_fit, t, factor
  print "(5z17)", transfer(a, [0_8])
  print "(5z17)", transfer(b, [0_8])
  print "(5z17)", transfer(c, [0_8])
  print "(5z17)", total, most
  call more()
end program
