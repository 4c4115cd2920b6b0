//! What the platform knows its pose by: the table `[platform.navigation]`, checked.
//!
//! The figures of a preset, or instruments without error, with the keys of the scenario over them.

use toml::Spanned;

use super::file::{CompassFile, GpsFile, ImuFile, NavigationFile};
use super::number;
use crate::Error;
use crate::files::toml_file::{self, Layers};
use crate::world::trajectory::Navigation;
use crate::world::trajectory::navigation::{Compass, Gps, Imu, SAMPLES_MAX};

pub(super) fn check_navigation(
    layers: &Layers<'_>,
    file: &Spanned<NavigationFile>,
    duration_s: f64,
) -> Result<Navigation, Error> {
    let typed = file.get_ref();
    let mut navigation = match &typed.preset {
        None => Navigation::default(),
        Some(name) => Navigation::preset(name.get_ref()).ok_or_else(|| {
            let problem = format!("there is no navigation {:?}", name.get_ref());
            let remedy = toml_file::word_remedy(name.get_ref(), &Navigation::PRESETS);
            layers.invalid(&name.span(), problem, remedy)
        })?,
    };
    let check = Numbers { layers, rate_max_hz: (SAMPLES_MAX / duration_s).clamp(0.001, 10_000.0) };
    if let Some(gps) = &typed.gps {
        navigation.gps = Some(check.gps(gps, navigation.gps.unwrap_or_else(Gps::exact))?);
    }
    if let Some(compass) = &typed.compass {
        let base = navigation.compass.unwrap_or_else(Compass::exact);
        navigation.compass = Some(check.compass(compass, base)?);
    }
    if let Some(imu) = &typed.imu {
        navigation.imu = Some(check.imu(imu, navigation.imu.unwrap_or_else(Imu::exact))?);
    }
    if navigation == Navigation::default() {
        let problem = "the navigation has no instrument";
        let remedy = "give `preset`, `gps`, `compass` or `imu`";
        return Err(layers.invalid(&file.span(), problem, remedy));
    }
    let rates = [
        navigation.gps.as_ref().map(|gps| gps.rate_hz),
        navigation.compass.as_ref().map(|compass| compass.rate_hz),
        navigation.imu.as_ref().map(|imu| imu.rate_hz),
    ];
    let fastest = rates.into_iter().flatten().fold(0.0, f64::max);
    if fastest * duration_s > SAMPLES_MAX {
        let problem = format!("{fastest} samples per second for {duration_s} s are too many");
        let remedy = format!("lower `rate_hz` or `duration_s`: {SAMPLES_MAX} samples can be held");
        return Err(layers.invalid(&file.span(), problem, remedy));
    }
    Ok(navigation)
}

/// Checks of the figures of instruments.
struct Numbers<'a> {
    layers: &'a Layers<'a>,
    rate_max_hz: f64,
}

type Key<'a, T> = (&'static str, &'a Option<Spanned<T>>);

impl Numbers<'_> {
    fn number(
        &self,
        (key, value): Key<'_, f64>,
        limits: (f64, f64),
        was: f64,
    ) -> Result<f64, Error> {
        number::within(self.layers, key, value.as_ref(), limits, was)
    }

    fn rate(&self, value: &Option<Spanned<f64>>, was: f64) -> Result<f64, Error> {
        self.number(("rate_hz", value), (0.001, self.rate_max_hz), was)
    }

    fn time(&self, key: Key<'_, f64>, was: f64) -> Result<f64, Error> {
        self.number(key, (1e-3, 1e9), was)
    }

    fn list<const N: usize>(
        &self,
        (key, value): Key<'_, [f64; N]>,
        low: f64,
        was: [f64; N],
    ) -> Result<[f64; N], Error> {
        let Some(value) = value else { return Ok(was) };
        if value.get_ref().iter().all(|x| (low..=1000.0).contains(x)) {
            return Ok(*value.get_ref());
        }
        let problem = format!("`{key}` is {:?}", value.get_ref());
        let remedy = format!("give {N} numbers from {low} to 1000");
        Err(self.layers.invalid(&value.span(), problem, remedy))
    }

    fn gps(&self, file: &GpsFile, was: Gps) -> Result<Gps, Error> {
        let walk = ("walk_m_per_sqrt_s", &file.walk_m_per_sqrt_s);
        Ok(Gps {
            rate_hz: self.rate(&file.rate_hz, was.rate_hz)?,
            sigma_m: self.list(("sigma_m", &file.sigma_m), 0.0, was.sigma_m)?,
            bias_m: self.list(("bias_m", &file.bias_m), -1000.0, was.bias_m)?,
            drift_m: self.list(("drift_m", &file.drift_m), 0.0, was.drift_m)?,
            drift_time_s: self.time(("drift_time_s", &file.drift_time_s), was.drift_time_s)?,
            walk_m_per_sqrt_s: self.list(walk, 0.0, was.walk_m_per_sqrt_s)?,
        })
    }

    fn compass(&self, file: &CompassFile, was: Compass) -> Result<Compass, Error> {
        let bias = ("bias_deg", &file.bias_deg);
        Ok(Compass {
            rate_hz: self.rate(&file.rate_hz, was.rate_hz)?,
            sigma_deg: self.number(("sigma_deg", &file.sigma_deg), (0.0, 90.0), was.sigma_deg)?,
            bias_deg: self.number(bias, (-180.0, 180.0), was.bias_deg)?,
        })
    }

    fn imu(&self, file: &ImuFile, was: Imu) -> Result<Imu, Error> {
        let positive = |key: Key<'_, f64>, high: f64, was: f64| self.number(key, (0.0, high), was);
        Ok(Imu {
            rate_hz: self.rate(&file.rate_hz, was.rate_hz)?,
            gyro_noise_deg_per_sqrt_h: positive(
                ("gyro_noise_deg_per_sqrt_h", &file.gyro_noise_deg_per_sqrt_h),
                100.0,
                was.gyro_noise_deg_per_sqrt_h,
            )?,
            gyro_bias_deg_per_h: positive(
                ("gyro_bias_deg_per_h", &file.gyro_bias_deg_per_h),
                1e5,
                was.gyro_bias_deg_per_h,
            )?,
            accelerometer_noise_ug_per_sqrt_hz: positive(
                ("accelerometer_noise_ug_per_sqrt_hz", &file.accelerometer_noise_ug_per_sqrt_hz),
                1e5,
                was.accelerometer_noise_ug_per_sqrt_hz,
            )?,
            accelerometer_bias_mg: positive(
                ("accelerometer_bias_mg", &file.accelerometer_bias_mg),
                1000.0,
                was.accelerometer_bias_mg,
            )?,
            bias_time_s: self.time(("bias_time_s", &file.bias_time_s), was.bias_time_s)?,
            tilt_sigma_deg: positive(
                ("tilt_sigma_deg", &file.tilt_sigma_deg),
                30.0,
                was.tilt_sigma_deg,
            )?,
            tilt_time_s: self.time(("tilt_time_s", &file.tilt_time_s), was.tilt_time_s)?,
        })
    }
}
