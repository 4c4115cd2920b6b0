//! The functions of the module under the names by which crates of others ask the system for them.
//!
//! Physics takes the axes of a body's inertia from an arc cosine, plots their ticks from logarithms,
//! through the standard library, which calls `acos` and `log` of the system. Here are functions of
//! these names, so the linker has them before it looks there, and a program asks the system for none
//! (a test looks at its symbols). The Python package is linked so that it prefers its own, too.
//!
//! Only on Linux: elsewhere a linker may refuse a second function of such a name.

#![allow(
    unsafe_code,
    reason = "giving a function a name of C is called unsafe; no memory is touched"
)]

/// `$name` is the function `$ours` under its name in C, and `$single` for `f32`.
macro_rules! named {
    ($($ours:ident as $name:ident and $single:ident ($($x:ident),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($x: f64),*) -> f64 {
                super::$ours($($x),*)
            }

            #[unsafe(no_mangle)]
            extern "C" fn $single($($x: f32),*) -> f32 {
                super::$ours($($x),*)
            }
        )*
    };
}

named! {
    acos as acos and acosf (x);
    asin as asin and asinf (x);
    atan as atan and atanf (x);
    atan2 as atan2 and atan2f (y, x);
    cbrt as cbrt and cbrtf (x);
    cos as cos and cosf (x);
    cosh as cosh and coshf (x);
    exp as exp and expf (x);
    exp2 as exp2 and exp2f (x);
    exp_m1 as expm1 and expm1f (x);
    hypot as hypot and hypotf (x, y);
    ln as log and logf (x);
    ln_1p as log1p and log1pf (x);
    log10 as log10 and log10f (x);
    log2 as log2 and log2f (x);
    powf as pow and powf (x, exponent);
    sin as sin and sinf (x);
    sinh as sinh and sinhf (x);
    tan as tan and tanf (x);
    tanh as tanh and tanhf (x);
}

/// What the compiler makes of a sine and a cosine of one angle.
#[unsafe(no_mangle)]
extern "C" fn sincos(x: f64, sine: &mut f64, cosine: &mut f64) {
    (*sine, *cosine) = super::sin_cos(x);
}

/// The same for `f32`.
#[unsafe(no_mangle)]
extern "C" fn sincosf(x: f32, sine: &mut f32, cosine: &mut f32) {
    (*sine, *cosine) = super::sin_cos(x);
}
