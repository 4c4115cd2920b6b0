//! What the platform knows its pose by: the table `[platform.navigation]`, checked.
//!
//! The figures of a preset, or instruments without error, with the keys of the scenario over them.

use super::file::{CompassFile, GpsFile, ImuFile, NavigationFile};
use crate::Error;
use crate::world::trajectory::Navigation;
use crate::world::trajectory::navigation::{Compass, Gps, Imu, SAMPLES_MAX};
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Spanned, ValueOr, Vector};

pub(super) fn check_navigation(
    layers: &LayeredToml<'_>,
    file: &Spanned<NavigationFile>,
    duration_s: f64,
) -> Result<Navigation, Error> {
    let typed = file.get_ref();
    let mut navigation = match &typed.preset {
        None => Navigation::default(),
        Some(name) => Navigation::preset(name.get_ref()).ok_or_else(|| -> Error {
            let problem = format!("there is no navigation {:?}", name.get_ref());
            let remedy = word_remedy(name.get_ref(), &Navigation::PRESETS);
            layers.invalid(&name.span(), problem, remedy)
        })?,
    };
    if let Some(file) = &typed.gps {
        navigation.gps = Some(gps(file, navigation.gps.unwrap_or_else(Gps::exact)));
    }
    if let Some(file) = &typed.compass {
        navigation.compass = Some(compass(file, navigation.compass.unwrap_or_else(Compass::exact)));
    }
    if let Some(file) = &typed.imu {
        navigation.imu = Some(imu(file, navigation.imu.unwrap_or_else(Imu::exact)));
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

fn gps(file: &GpsFile, was: Gps) -> Gps {
    Gps {
        rate_hz: file.rate_hz.value_or(was.rate_hz),
        sigma_m: file.sigma_m.as_ref().map_or(was.sigma_m, Vector::get),
        bias_m: file.bias_m.as_ref().map_or(was.bias_m, Vector::get),
        drift_m: file.drift_m.as_ref().map_or(was.drift_m, Vector::get),
        drift_time_s: file.drift_time_s.value_or(was.drift_time_s),
        walk_m_per_sqrt_s: file
            .walk_m_per_sqrt_s
            .as_ref()
            .map_or(was.walk_m_per_sqrt_s, Vector::get),
    }
}

fn compass(file: &CompassFile, was: Compass) -> Compass {
    Compass {
        rate_hz: file.rate_hz.value_or(was.rate_hz),
        sigma_deg: file.sigma_deg.value_or(was.sigma_deg),
        bias_deg: file.bias_deg.value_or(was.bias_deg),
    }
}

fn imu(file: &ImuFile, was: Imu) -> Imu {
    Imu {
        rate_hz: file.rate_hz.value_or(was.rate_hz),
        gyro_noise_deg_per_sqrt_h: file
            .gyro_noise_deg_per_sqrt_h
            .value_or(was.gyro_noise_deg_per_sqrt_h),
        gyro_bias_deg_per_h: file.gyro_bias_deg_per_h.value_or(was.gyro_bias_deg_per_h),
        accelerometer_noise_ug_per_sqrt_hz: file
            .accelerometer_noise_ug_per_sqrt_hz
            .value_or(was.accelerometer_noise_ug_per_sqrt_hz),
        accelerometer_bias_mg: file.accelerometer_bias_mg.value_or(was.accelerometer_bias_mg),
        bias_time_s: file.bias_time_s.value_or(was.bias_time_s),
        tilt_sigma_deg: file.tilt_sigma_deg.value_or(was.tilt_sigma_deg),
        tilt_time_s: file.tilt_time_s.value_or(was.tilt_time_s),
    }
}
