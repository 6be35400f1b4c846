! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!> Complex numbers in kernels.
module complexes_m
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none
  complex(real64), parameter :: turn = (0.6_real64, -0.8_real64)
  complex(real64) :: shift = (1.5_real64, 0.25_real64)
contains
  complex(real64) function polynomial(z, c)
    !$acc routine seq
    complex(real64), intent(in) :: z, c(0:)
    integer :: k
    polynomial = 0
    do k = ubound(c, 1), 0, -1
      polynomial = polynomial*z + c(k)
    end do
  end function
  subroutine rotate(a, n)
    !$acc routine seq
    integer, intent(in) :: n
    complex(real64), intent(inout) :: a(n)
    complex(real64) :: last
    last = a(n)
    a(2:n) = a(1:n - 1)*turn
    a(1) = conjg(last)
  end subroutine
end module

!> Complex numbers of other kinds, in common blocks, and as results.
module complexes_more_m
  implicit none
  complex(8) :: base(3) = (1d0, 2d0)
contains
  complex(4) function half(z)
    complex(4), value :: z
    z = z/2
    half = z
  end function
  subroutine turn(z, w)
    complex(8), intent(inout) :: z
    complex(4), intent(out) :: w(2, 2)
    complex(8) :: list(-1:1)
    list = z
    list(0) = list(1)*(0, 1)
    z = sum(list)
    w = cmplx(z)
    w(1, 2) = half(w(1, 2)) - (1.0, 0.0)
  end subroutine
  subroutine more()
    integer, parameter :: n = 30
    complex(8) :: a(0:n), s, first, fa(2)
    complex(4) :: f(2, 2, n)
    complex(8), allocatable :: al(:)
    real(4) :: x(n)
    logical :: l
    integer :: i
    integer(8) :: k8
    integer(2) :: k2
    common /odd/ i1, z1
    integer :: i1
    complex(8) :: z1(4)
    a = [(cmplx(i, 2*i, 8), i=0, n)]
    allocate (al(n)); al = a(1:)
    z1 = (3d0, -1d0); first = (2, -2); fa = (1, 1); k8 = -3; k2 = 5
    x = [(i*0.5, i=1, n)]
    !$acc parallel loop copy(a) copyout(f) firstprivate(first, fa)
    do i = 1, n
      call turn(a(i), f(:, :, i))
      fa(1) = fa(1)*a(i) + first
      first = first + x(i)
      a(i) = a(i) + fa(1)**k8 + fa(2)**k2 + first*x(i) + base(2) + 2.5e0*i
      first = (2, -2); fa(1) = (1, 1); fa(2) = (1, 1)
    end do
    !$acc parallel loop copy(z1)
    do i = 1, 4
      z1(i) = z1(i)*i - (1, 1)
    end do
    s = 0
    l = .true.
    !$acc data copy(s)
    !$acc parallel loop reduction(+:s)
    do i = 1, 16
      s = s + cmplx(i, 0.5)
    end do
    !$acc serial
    s = s*2
    !$acc end serial
    !$acc end data
    !$acc kernels
    al = al*2 + a(1:n)
    where (real(al) > 20) al = conjg(al)
    do i = 2, n
      al(i) = al(i) + al(i - 1)*0.5
    end do
    al(1) = sum(a) + product(a(1:3)) + dot_product(a(0:3), a(1:4))
    !$acc end kernels
    !$acc parallel loop reduction(.and.:l)
    do i = 1, n
      l = l .and. a(i) /= (0d0, 0d0) .and. abs(al(i)) >= 0
    end do
    print *, a
    print *, f
    print *, s, l, z1, al
  end subroutine
end module

program complexes
  use complexes_m
  use complexes_more_m, only: more
  implicit none
  integer, parameter :: n = 400, m = 5
  complex(real64) :: a(n), b(n), q(n), p(0:m, n), total, factors, z, w(3), c(0:3), start
  complex(real32) :: f(n), g(n), sum4
  real(real64) :: x(n), y(n), r
  real(real32) :: h(n)
  integer :: i, j, k(n)
  logical :: same(n)
  type :: pair
    real(real64) :: first ! so the numbers begin at 8 bytes
    complex(real64) :: z(3)
  end type
  type(pair) :: pairs
  complex(real64), allocatable :: d(:, :)
  allocate (d(-1:m, 4))
  do i = 1, n
    x(i) = 4*sin(1.7_real64*i)*10.0_real64**mod(i, 7)/1000
    y(i) = 3*cos(2.9_real64*i)*10.0_real64**mod(i, 5)/100
    k(i) = mod(i, 23) - 11
  end do
  x(3) = 0; y(4) = 0; x(5) = -0.0_real64; y(6) = -0.0_real64; k(7) = 0
  do j = 1, 4
    do i = -1, m
      d(i, j) = cmplx(i, j, real64)
    end do
  end do
  p = (1.0_real64, 2.0_real64)
  pairs%z = (2.0_real64, -1.0_real64)
  c = [(cmplx(i, 3 - i, real64), i=1, 4)]
  start = (0.5_real64, 0.5_real64)
  same = .false.
  !$acc data copyin(x, y, k, c) copyout(a, b, q, f, g, h, same) copy(p, d)
  !$acc parallel loop private(z)
  do i = 1, n
    a(i) = cmplx(x(i), y(i), kind=real64)
    b(i) = (1.25_real64, -2.5_real64)*a(i) - cmplx(y(i), kind=real64) + shift
    z = a(i)/b(i)
    q(i) = z + x(i)*a(i) - a(i)/3 + 2/b(i) - (-z) + y(i)**2*(0.0_real64, 1.0_real64)
    f(i) = cmplx(a(i)*1e-3, kind=real32)
    g(i) = f(i)*(0.5, 2.0)/(f(i) + 1) + conjg(f(i))**2
    h(i) = abs(g(i)) + aimag(f(i)) + real(g(i)) + real(a(i)*0.1_real64) + int(f(i))
    same(i) = a(i) == cmplx(real(a(i)), aimag(a(i)), real64) .and. f(i) /= g(i)
  end do
  !$acc parallel loop collapse(2)
  do i = 1, n
    do j = 0, m
      p(j, i) = p(j, i) + j*a(i)**3 - b(i)**(-2) + polynomial(b(i)*1e-3_real64, c) + a(i)%re*b(i)%im
    end do
  end do
  !$acc parallel loop private(w)
  do i = 1, n
    w = a(i)
    w(2) = w(1)*turn + exp(a(i)*0.01_real64)
    w(3) = conjg(w(2)) - (w(1)**2)**2
    call rotate(w, 3)
    q(i) = q(i) + w(1) + merge(w(2), w(3), x(i) > 0) + sum(w) + dot_product(w, w) + b(i)**k(i) + product(p(0:2, i))
    call rotate(p(:, i), m + 1)
  end do
  !$acc kernels
  d(:, 2) = d(:, 1)*(0.0_real64, 1.0_real64) + conjg(d(:, 3))
  d(0, 4) = exp(start) + abs(d(0, 1)) + aimag(d(1, 1))
  !$acc end kernels
  !$acc end data
  total = shift
  factors = 1
  sum4 = 0
  !$acc parallel loop reduction(+:total, sum4) reduction(*:factors)
  do i = 1, 64 ! exact, for any number of threads
    total = total + cmplx(i, -i, real64)*(0.5_real64, 0.25_real64)
    sum4 = sum4 + cmplx(i, 1)
    factors = factors*(0.0_real64, -1.0_real64)
  end do
  !$acc parallel loop copy(pairs%z)
  do i = 1, 3
    pairs%z(i) = pairs%z(i)*i + start
  end do
  r = 0
  !$acc parallel loop reduction(max:r)
  do i = 1, n
    r = max(r, abs(q(i)))
  end do
  print *, total, sum4, factors, same
  print "(4z17)", transfer(a, [0_8])
  print "(4z17)", transfer(b, [0_8])
  print "(4z17)", transfer(q, [0_8])
  print "(4z17)", transfer(p, [0_8])
  print "(4z17)", transfer(d, [0_8])
  print "(4z17)", transfer(f, [0_8]), transfer(g, [0_8]), transfer(h, [0_8])
  print "(4z17)", transfer(pairs%z, [0_8]), r
  call more()
end program
