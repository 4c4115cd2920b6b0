//! Sines, exponentials and their like, with the same bits on every machine.
//!
//! What enters: an `f32` or an `f64`. What leaves: the function of it, by the crate `libm`, which is
//! Rust from end to end: additions, multiplications and square roots that IEEE 754 rounds in one way
//! alone. The standard library asks the system instead, whose answers differ in the last bit between
//! versions, and on one machine between processors with and without fused multiplication, and so
//! would everything that is simulated. Errors are below one unit in the last place, as the system's.
//!
//! Everything between a scenario and its bytes uses these; clippy's `disallowed_methods` refuses the
//! others. Tests are free to use them, which makes them a check from elsewhere.

// Tests of this crate compare with the system's.
#[cfg(all(target_os = "linux", not(test)))]
mod system_names;

/// The numbers that the functions of this module take.
pub trait Real: Copy + std::ops::Div<Output = Self> + sealed::Functions {}
impl Real for f32 {}
impl Real for f64 {}

mod sealed {
    /// The functions of one type of number.
    pub trait Functions: Sized {
        fn acos(self) -> Self;
        fn asin(self) -> Self;
        fn atan(self) -> Self;
        fn atan2(self, x: Self) -> Self;
        fn cbrt(self) -> Self;
        fn cos(self) -> Self;
        fn cosh(self) -> Self;
        fn exp(self) -> Self;
        fn exp2(self) -> Self;
        fn exp_m1(self) -> Self;
        fn hypot(self, y: Self) -> Self;
        fn ln(self) -> Self;
        fn ln_1p(self) -> Self;
        fn log10(self) -> Self;
        fn log2(self) -> Self;
        fn powf(self, exponent: Self) -> Self;
        fn sin(self) -> Self;
        fn sin_cos(self) -> (Self, Self);
        fn sinh(self) -> Self;
        fn tan(self) -> Self;
        fn tanh(self) -> Self;
    }
}

/// The functions of `$real`, each with its name in `libm`.
macro_rules! functions {
    ($real:ty, sin_cos = $sin_cos:ident: $($name:ident = $libm:ident($($other:ident)?),)*) => {
        impl sealed::Functions for $real {
            $(
                #[inline]
                fn $name(self $(, $other: Self)?) -> Self {
                    libm::$libm(self $(, $other)?)
                }
            )*
            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                libm::$sin_cos(self)
            }
        }
    };
}

functions! {
    f64, sin_cos = sincos:
    acos = acos(), asin = asin(), atan = atan(), atan2 = atan2(x), cbrt = cbrt(), cos = cos(),
    cosh = cosh(), exp = exp(), exp2 = exp2(), exp_m1 = expm1(), hypot = hypot(y), ln = log(),
    ln_1p = log1p(), log10 = log10(), log2 = log2(), powf = pow(exponent), sin = sin(),
    sinh = sinh(), tan = tan(), tanh = tanh(),
}

functions! {
    f32, sin_cos = sincosf:
    acos = acosf(), asin = asinf(), atan = atanf(), atan2 = atan2f(x), cbrt = cbrtf(), cos = cosf(),
    cosh = coshf(), exp = expf(), exp2 = exp2f(), exp_m1 = expm1f(), hypot = hypotf(y), ln = logf(),
    ln_1p = log1pf(), log10 = log10f(), log2 = log2f(), powf = powf(exponent), sin = sinf(),
    sinh = sinhf(), tan = tanf(), tanh = tanhf(),
}

/// Public functions of one argument.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name<T: Real>(x: T) -> T {
                sealed::Functions::$name(x)
            }
        )*
    };
}

unary! {
    /// The arc cosine, in 0 … π.
    acos,
    /// The arc sine, in −π/2 … π/2.
    asin,
    /// The arc tangent, in −π/2 … π/2.
    atan,
    /// The cubic root.
    cbrt,
    /// The cosine of an angle in radians.
    cos,
    /// The hyperbolic cosine.
    cosh,
    /// e to the power of `x`.
    exp,
    /// 2 to the power of `x`.
    exp2,
    /// e to the power of `x`, less one, exact near zero too.
    exp_m1,
    /// The natural logarithm.
    ln,
    /// The natural logarithm of 1 + `x`, exact near zero too.
    ln_1p,
    /// The logarithm to base 10.
    log10,
    /// The logarithm to base 2.
    log2,
    /// The sine of an angle in radians.
    sin,
    /// The hyperbolic sine.
    sinh,
    /// The tangent of an angle in radians.
    tan,
    /// The hyperbolic tangent.
    tanh,
}

/// The angle of the point (x, y) from the x axis, in −π … π.
#[inline]
#[must_use]
pub fn atan2<T: Real>(y: T, x: T) -> T {
    sealed::Functions::atan2(y, x)
}

/// The length of (x, y), without overflow on the way.
#[inline]
#[must_use]
pub fn hypot<T: Real>(x: T, y: T) -> T {
    sealed::Functions::hypot(x, y)
}

/// The logarithm to `base`.
#[inline]
#[must_use]
pub fn log<T: Real>(x: T, base: T) -> T {
    ln(x) / ln(base)
}

/// `x` to the power of `exponent`.
#[inline]
#[must_use]
pub fn powf<T: Real>(x: T, exponent: T) -> T {
    sealed::Functions::powf(x, exponent)
}

/// Sine and cosine of an angle in radians.
#[inline]
#[must_use]
pub fn sin_cos<T: Real>(x: T) -> (T, T) {
    sealed::Functions::sin_cos(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits worked out once; any machine must find them.
    #[test]
    fn bits_are_those_of_any_machine() {
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        let mut add = |bits: u64| digest = (digest ^ bits).wrapping_mul(0x0100_0000_01b3);
        for i in -2000..2000 {
            let x = f64::from(i) * 0.013;
            let u = f64::from(i) / 2001.0;
            let p = f64::from(i + 2001) * 0.37;
            for y in [sin(x), cos(x), tan(x), exp(x), exp_m1(x), exp2(x), sinh(x), cosh(x), tanh(x)]
            {
                add(y.to_bits());
            }
            for y in [asin(u), acos(u), atan(x), cbrt(x), atan2(x, u), hypot(x, u)] {
                add(y.to_bits());
            }
            for y in [ln(p), ln_1p(p), log10(p), log2(p), powf(p, u), log(p, 3.0)] {
                add(y.to_bits());
            }
            let single = x as f32;
            for y in
                [sin(single), cos(single), exp(single), atan2(single, 0.3), powf(p as f32, 0.3)]
            {
                add(u64::from(y.to_bits()));
            }
        }
        assert_eq!(digest, 0xbe5e_9d6b_35f5_9291, "found {digest:#018x}");
    }

    /// The system's functions err by less than one unit in the last place, and so do these.
    #[test]
    fn they_are_those_of_the_system_but_for_the_last_bits() {
        let near = |ours: f64, theirs: f64| {
            let units = (ours.to_bits() as i64 - theirs.to_bits() as i64).abs();
            assert!(units <= 2, "{ours:e} and {theirs:e} differ by {units} units");
        };
        for i in 1..4000 {
            let x = f64::from(i) * 0.0371;
            let u = f64::from(i) / 4001.0;
            near(sin(x), x.sin());
            near(cos(-x), (-x).cos());
            near(tan(x), x.tan());
            near(sin_cos(x).0, x.sin());
            near(sin_cos(x).1, x.cos());
            near(exp(-x), (-x).exp());
            near(exp2(u), u.exp2());
            near(exp_m1(-u), (-u).exp_m1());
            near(ln(x), x.ln());
            near(ln_1p(u), u.ln_1p());
            near(log10(x), x.log10());
            near(log2(x), x.log2());
            near(powf(x, u), x.powf(u));
            near(asin(u), u.asin());
            near(acos(u), u.acos());
            near(atan(-x), (-x).atan());
            near(atan2(-u, -x), (-u).atan2(-x));
            near(hypot(x, u), x.hypot(u));
            near(cbrt(x), x.cbrt());
            near(sinh(u), u.sinh());
            near(cosh(u), u.cosh());
            near(tanh(u), u.tanh());
        }
    }
}
