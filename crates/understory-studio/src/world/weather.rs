//! The weather, in words and boxes.

use understory::pulse::atmosphere::Atmosphere;
use understory::pulse::atmosphere::plume::PlumeForm;

use glam::{DMat3, DVec3};

use super::relative;
use crate::protocol::world::WeatherView;

/// Plumes told at most.
const PLUMES_MAX: usize = 1000;
/// Extinction at which contrast falls to 5 % over the visibility: Koschmieder's law, −ln 0.05.
const KOSCHMIEDER: f64 = 2.996;

/// What is in the air, where.
pub fn weather(atmosphere: Option<&Atmosphere>, offset_m: [f64; 3]) -> Vec<WeatherView> {
    let Some(air) = atmosphere else { return Vec::new() };
    let everywhere =
        |kind: &str, sentence: String| WeatherView { kind: kind.to_owned(), sentence, box_m: None };
    let seen = |extinction_per_m: f64| format!("{:.0} m are seen", KOSCHMIEDER / extinction_per_m);
    let mut views = Vec::new();
    if air.haze_per_m > 0.0 {
        views.push(everywhere("haze", format!("haze everywhere: {}", seen(air.haze_per_m))));
    }
    if let Some(fog) = &air.fog {
        views.push(everywhere("fog", format!("fog everywhere: {}", seen(fog.extinction_per_m))));
    }
    if let Some(rain) = &air.rain {
        views.push(everywhere("rain", format!("rain everywhere: {} mm/h", rain.rate_mm_per_h)));
    }
    if let Some(snow) = &air.snow {
        views.push(everywhere(
            "snow",
            format!("snow everywhere: {} mm/h as water", snow.rate_mm_per_h),
        ));
    }
    if let Some(dust) = &air.dust {
        views.push(everywhere("dust", format!("dust everywhere: {}", seen(dust.extinction_per_m))));
    }
    for plume in air.plumes.iter().take(PLUMES_MAX) {
        let (kind, centre_m, half_m) = match &plume.form {
            PlumeForm::Box(placed) | PlumeForm::Ellipsoid(placed) => {
                let turned = DMat3::from_quat(placed.rotation);
                let half_m = turned.x_axis.abs() * placed.half_m.x
                    + turned.y_axis.abs() * placed.half_m.y
                    + turned.z_axis.abs() * placed.half_m.z;
                ("plume", placed.centre_m, half_m)
            }
            PlumeForm::Puff(puff) => ("puff", puff.birth_m, DVec3::splat(2.0 * puff.radius_m)),
        };
        let sentence = format!("denser air, {:.3} per metre", plume.extinction_per_m);
        let corners = [centre_m - half_m, centre_m + half_m].map(|at| relative(at, offset_m));
        views.push(WeatherView { kind: kind.to_owned(), sentence, box_m: Some(corners) });
    }
    views
}
