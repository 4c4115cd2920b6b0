//! `[world.atmosphere]` and `[[world.plume]]`: weather, checked.

use super::file::{AtmosphereFile, BirthFile, DustFile, FogFile, PlumeFile, PlumeShape};
use super::file::{RainFile, SnowFile};
use super::number;
use crate::Error;
use crate::files::toml_file::Layers;
use crate::pulse::atmosphere::Atmosphere;
use crate::pulse::atmosphere::dust::DustSpec;
use crate::pulse::atmosphere::extinction;
use crate::pulse::atmosphere::fog::{FogSpec, OVERLAP_M};
use crate::pulse::atmosphere::plume::{Placed, Plume, PlumeForm, Puff};
use crate::pulse::atmosphere::rain::{self, RainSpec};
use crate::pulse::atmosphere::snow::SnowSpec;
use crate::world::trajectory::Pose;
use glam::DVec3;
use std::f64::consts::PI;
use std::ops::Range;
use toml::Spanned;

/// Nearest and farthest visibility; at 1 m a beam loses 95 % in one metre.
const VISIBILITY_M: (f64, f64) = (1.0, 1e6);
const EXTINCTION_PER_M: (f64, f64) = (0.0, 10.0);
/// The heaviest rain ever measured for an hour is about 300 mm.
const RAIN_MM_PER_H: (f64, f64) = (0.01, 300.0);
const SNOW_MM_PER_H: (f64, f64) = (0.01, 50.0);
const PULSE_NS: (f64, f64) = (0.1, 1000.0);
const DUST_REFLECTANCE: f64 = 0.3;
/// Of snow in the near infrared, as in the library of materials.
const FLAKE_REFLECTANCE: f64 = 0.87;
/// Most puffs of all plumes: each pulse looks at each.
const MAX_PUFFS: usize = 10_000;

/// The weather of a scenario; `None`: nothing is said about it.
pub fn check(
    layers: &Layers<'_>,
    file: Option<&AtmosphereFile>,
    plumes: &[PlumeFile],
) -> Result<Option<Atmosphere>, Error> {
    if file.is_none() && plumes.is_empty() {
        return Ok(None);
    }
    let mut air = Atmosphere { range_limit: true, ..Atmosphere::default() };
    if let Some(file) = file {
        let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
        air.haze_per_m = extinction_of(layers, pair)?.unwrap_or(0.0);
        air.wavelength_law = file.wavelength_law;
        air.range_limit = file.range_limit.unwrap_or(true);
        air.fog = file.fog.as_ref().map(|fog| check_fog(layers, fog)).transpose()?;
        air.rain = file.rain.as_ref().map(|r| check_rain(layers, r.get_ref())).transpose()?;
        air.snow = file.snow.as_ref().map(|s| check_snow(layers, s.get_ref())).transpose()?;
        air.dust = file.dust.as_ref().map(|dust| check_dust(layers, dust)).transpose()?;
    }
    for (index, plume) in plumes.iter().enumerate() {
        let name = plume.name.get_ref();
        if plumes[..index].iter().any(|other| other.name.get_ref() == name) {
            let problem = format!("there is another plume called {name:?}");
            return Err(layers.invalid(&plume.name.span(), problem, "give each a name of its own"));
        }
        check_plume(layers, plume, &mut air.plumes)?;
    }
    Ok(Some(air))
}

/// Extinction from one of `visibility_m` and `extinction_per_m`; `None` if neither is given.
fn extinction_of(
    layers: &Layers<'_>,
    (visibility_m, extinction_per_m): (Option<&Spanned<f64>>, Option<&Spanned<f64>>),
) -> Result<Option<f64>, Error> {
    match (visibility_m, extinction_per_m) {
        (None, None) => Ok(None),
        (Some(_), None) => {
            let visibility_m =
                number::within(layers, "visibility_m", visibility_m, VISIBILITY_M, 1.0)?;
            Ok(Some(extinction::extinction_per_m(visibility_m)))
        }
        (None, Some(_)) => {
            let (key, limits) = ("extinction_per_m", EXTINCTION_PER_M);
            Ok(Some(number::within(layers, key, extinction_per_m, limits, 0.0)?))
        }
        (Some(_), Some(second)) => Err(layers.invalid(
            &second.span(),
            "there are both `visibility_m` and `extinction_per_m`",
            "keep one of them",
        )),
    }
}

/// The same where there must be one.
fn need_extinction(
    layers: &Layers<'_>,
    span: &Range<usize>,
    pair: (Option<&Spanned<f64>>, Option<&Spanned<f64>>),
    what: &str,
) -> Result<f64, Error> {
    extinction_of(layers, pair)?.ok_or_else(|| {
        let problem = format!("nothing says how dense the {what} is");
        layers.invalid(span, problem, "give `visibility_m` or `extinction_per_m`")
    })
}

fn check_fog(layers: &Layers<'_>, file: &Spanned<FogFile>) -> Result<FogSpec, Error> {
    let (span, file) = (file.span(), file.get_ref());
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    let extinction_per_m = need_extinction(layers, &span, pair, "fog")?;
    let within = |key, value: &Option<Spanned<f64>>, limits, default| {
        number::within(layers, key, value.as_ref(), limits, default)
    };
    let usual = FogSpec::with_visibility(extinction::visibility_m(extinction_per_m.max(1e-12)));
    // More would send back more light than the fog takes.
    let most = extinction_per_m / PI;
    let (beta, pulse) = (&file.backscatter_per_m_sr, &file.pulse_ns);
    let (key, default) = ("backscatter_per_m_sr", usual.backscatter_per_m_sr);
    let gamma = &file.target_reflectivity;
    Ok(FogSpec {
        extinction_per_m,
        backscatter_per_m_sr: within(key, beta, (0.0, most), default)?,
        pulse_s: within("pulse_ns", pulse, PULSE_NS, usual.pulse_s * 1e9)? * 1e-9,
        target_reflectivity: within("target_reflectivity", gamma, (1e-9, 1.0), 1e-6)?,
        overlap_m: check_overlap(layers, file.overlap_m.as_ref())?,
        patchiness: within("patchiness", &file.patchiness, (0.0, 3.0), 0.0)?,
    })
}

fn check_overlap(
    layers: &Layers<'_>,
    value: Option<&Spanned<[f64; 2]>>,
) -> Result<[f64; 2], Error> {
    let Some(value) = value else { return Ok(OVERLAP_M) };
    let [near_m, full_m] = *value.get_ref();
    if near_m >= 0.01 && full_m > near_m && full_m <= 100.0 {
        return Ok([near_m, full_m]);
    }
    Err(layers.invalid(
        &value.span(),
        format!("`overlap_m` is [{near_m}, {full_m}]"),
        "give two rising distances from 0.01 to 100",
    ))
}

fn check_rain(layers: &Layers<'_>, file: &RainFile) -> Result<RainSpec, Error> {
    let rate = Some(&file.rate_mm_per_h);
    let reflectance = file.drop_reflectance.as_ref();
    Ok(RainSpec {
        rate_mm_per_h: number::within(layers, "rate_mm_per_h", rate, RAIN_MM_PER_H, 0.0)?,
        drops: file.drops.unwrap_or(true),
        drop_reflectance: number::within(
            layers,
            "drop_reflectance",
            reflectance,
            (0.0, 1.0),
            rain::WATER,
        )?,
        range_noise: file.range_noise.unwrap_or(true),
    })
}

fn check_snow(layers: &Layers<'_>, file: &SnowFile) -> Result<SnowSpec, Error> {
    let rate = Some(&file.rate_mm_per_h);
    let (key, value) = ("flake_reflectance", file.flake_reflectance.as_ref());
    let pulse = file.pulse_ns.as_ref();
    Ok(SnowSpec {
        rate_mm_per_h: number::within(layers, "rate_mm_per_h", rate, SNOW_MM_PER_H, 0.0)?,
        occlusion: file.occlusion,
        flake_reflectance: number::within(layers, key, value, (0.0, 1.0), FLAKE_REFLECTANCE)?,
        pulse_s: number::within(layers, "pulse_ns", pulse, PULSE_NS, 10.0)? * 1e-9,
    })
}

fn check_dust(layers: &Layers<'_>, file: &Spanned<DustFile>) -> Result<DustSpec, Error> {
    let (span, file) = (file.span(), file.get_ref());
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    let (key, value) = ("reflectance", file.reflectance.as_ref());
    Ok(DustSpec {
        extinction_per_m: need_extinction(layers, &span, pair, "dust")?,
        reflectance: number::within(layers, key, value, (0.0, 1.0), DUST_REFLECTANCE)?,
    })
}

fn check_plume(
    layers: &Layers<'_>,
    file: &PlumeFile,
    plumes: &mut Vec<Plume>,
) -> Result<(), Error> {
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    let extinction_per_m = need_extinction(layers, &file.name.span(), pair, "plume")?;
    let (key, value) = ("reflectance", file.reflectance.as_ref());
    let reflectance = number::within(layers, key, value, (0.0, 1.0), DUST_REFLECTANCE)?;
    let plume = |form| Plume { extinction_per_m, reflectance, form };
    refuse_strangers(layers, file)?;
    match file.shape.get_ref() {
        PlumeShape::Box => plumes.push(plume(PlumeForm::Box(check_placed(layers, file)?))),
        PlumeShape::Ellipsoid => {
            plumes.push(plume(PlumeForm::Ellipsoid(check_placed(layers, file)?)));
        }
        PlumeShape::Puffs => {
            let births = check_births(layers, file)?;
            if plumes.len() + births.len() > MAX_PUFFS {
                let problem = format!("with this plume there are more than {MAX_PUFFS} puffs");
                let remedy = "give a longer `interval_s` or fewer `births`";
                return Err(layers.invalid(&file.name.span(), problem, remedy));
            }
            let first = check_puff(layers, file)?;
            plumes.extend(births.into_iter().map(|(birth_s, birth_m)| {
                plume(PlumeForm::Puff(Puff { birth_s, birth_m, ..first }))
            }));
        }
    }
    Ok(())
}

/// Refuses keys that the plume's shape has no use for.
fn refuse_strangers(layers: &Layers<'_>, file: &PlumeFile) -> Result<(), Error> {
    let puffs = *file.shape.get_ref() == PlumeShape::Puffs;
    let span = |value: &Option<Spanned<f64>>| value.as_ref().map(Spanned::span);
    let of_puffs = [
        ("radius_m", span(&file.radius_m)),
        ("growth_m_per_s", span(&file.growth_m_per_s)),
        ("drift_m_per_s", file.drift_m_per_s.as_ref().map(Spanned::span)),
        ("decay_s", span(&file.decay_s)),
        ("profile", file.profile.as_ref().map(Spanned::span)),
        ("births", file.births.as_ref().map(Spanned::span)),
        ("path", file.path.as_ref().map(Spanned::span)),
        ("interval_s", span(&file.interval_s)),
    ];
    let of_bodies = [
        ("position_m", file.position_m.as_ref().map(Spanned::span)),
        ("rotation_deg", file.rotation_deg.as_ref().map(Spanned::span)),
        ("size_m", file.size_m.as_ref().map(Spanned::span)),
    ];
    let strangers = if puffs { &of_bodies[..] } else { &of_puffs[..] };
    let found = strangers.iter().find_map(|(key, span)| Some((key, span.as_ref()?)));
    match found {
        None => Ok(()),
        Some((key, span)) => {
            let what = if puffs { "puffs have" } else { "boxes and ellipsoids have" };
            let known = if puffs { &of_puffs[..] } else { &of_bodies[..] };
            let known: Vec<&str> = known.iter().map(|(key, _)| *key).collect();
            let remedy = format!("leave it out; their own keys are {}", known.join(", "));
            Err(layers.invalid(span, format!("{what} no `{key}`"), remedy))
        }
    }
}

fn check_placed(layers: &Layers<'_>, file: &PlumeFile) -> Result<Placed, Error> {
    let Some(size) = &file.size_m else {
        let problem = format!("plume {:?} has no `size_m`", file.name.get_ref());
        return Err(layers.invalid(&file.name.span(), problem, "give its three lengths"));
    };
    let size_m: [f64; 3] = number::positive_list(layers, "size_m", size.span(), size.get_ref())?;
    let Pose { rotation, translation } =
        number::pose(layers, file.position_m.as_ref(), file.rotation_deg.as_ref())?;
    Ok(Placed { centre_m: translation, rotation, half_m: DVec3::from(size_m) / 2.0 })
}

fn check_puff(layers: &Layers<'_>, file: &PlumeFile) -> Result<Puff, Error> {
    let Some(radius) = &file.radius_m else {
        let problem = format!("plume {:?} has no `radius_m`", file.name.get_ref());
        return Err(layers.invalid(&file.name.span(), problem, "give the radius of a new puff"));
    };
    let growth = file.growth_m_per_s.as_ref();
    let drift = number::vector(layers, "drift_m_per_s", file.drift_m_per_s.as_ref())?;
    let decay = file.decay_s.as_ref();
    Ok(Puff {
        birth_s: 0.0,
        birth_m: DVec3::ZERO,
        drift_m_per_s: DVec3::from(drift),
        radius_m: number::within(layers, "radius_m", Some(radius), (0.01, 1000.0), 1.0)?,
        growth_m_per_s: number::within(layers, "growth_m_per_s", growth, (0.0, 100.0), 0.0)?,
        decay_s: number::within(layers, "decay_s", decay, (1e-3, 1e9), f64::INFINITY)?,
        profile: file.profile.as_ref().map(|p| *p.get_ref()).unwrap_or_default(),
    })
}

/// Times and places at which puffs are born: as listed, or every so often along a path.
fn check_births(layers: &Layers<'_>, file: &PlumeFile) -> Result<Vec<(f64, DVec3)>, Error> {
    match (&file.births, &file.path) {
        (Some(births), None) => {
            if let Some(interval) = &file.interval_s {
                let problem = "`interval_s` goes with `path`, not with `births`";
                return Err(layers.invalid(&interval.span(), problem, "leave it out"));
            }
            check_times(layers, births)
        }
        (None, Some(path)) => {
            let knots = check_times(layers, path)?;
            let Some(interval) = &file.interval_s else {
                let problem = "`path` says not how often a puff is born";
                return Err(layers.invalid(&path.span(), problem, "give `interval_s`"));
            };
            let interval_s =
                number::within(layers, "interval_s", Some(interval), (1e-3, 1e6), 1.0)?;
            along(&knots, interval_s).ok_or_else(|| {
                let problem = format!("`path` gives more than {MAX_PUFFS} puffs");
                layers.invalid(&path.span(), problem, "give a longer `interval_s`")
            })
        }
        _ => {
            let name = file.name.get_ref();
            let problem = format!("plume {name:?} has not exactly one of `births` and `path`");
            Err(layers.invalid(&file.name.span(), problem, "give one of them"))
        }
    }
}

/// Times that rise, each with a place.
fn check_times(
    layers: &Layers<'_>,
    list: &Spanned<Vec<BirthFile>>,
) -> Result<Vec<(f64, DVec3)>, Error> {
    let mut knots: Vec<(f64, DVec3)> = Vec::new();
    for birth in list.get_ref() {
        let time_s = *birth.time_s.get_ref();
        let rises = knots.last().is_none_or(|last| last.0 < time_s);
        if !time_s.is_finite() || time_s.abs() > 1e9 || !rises {
            return Err(layers.invalid(
                &birth.time_s.span(),
                format!("`time_s` is {time_s}, which is not after the one before it"),
                "sort them by time",
            ));
        }
        let place_m = number::vector(layers, "position_m", Some(&birth.position_m))?;
        knots.push((time_s, DVec3::from(place_m)));
    }
    if knots.is_empty() {
        return Err(layers.invalid(&list.span(), "the list is empty", "give one or more"));
    }
    Ok(knots)
}

/// Births every `interval_s` from the first to the last knot; `None`: too many.
fn along(knots: &[(f64, DVec3)], interval_s: f64) -> Option<Vec<(f64, DVec3)>> {
    let (first, last) = (knots.first()?.0, knots.last()?.0);
    let number = ((last - first) / interval_s + 1e-9).floor();
    if number >= MAX_PUFFS as f64 {
        return None;
    }
    let birth = |i: usize| {
        let time_s = first + i as f64 * interval_s;
        let after = knots.partition_point(|knot| knot.0 <= time_s).min(knots.len() - 1);
        let (from, to) = (knots[after.saturating_sub(1)], knots[after]);
        let part = if to.0 > from.0 { (time_s - from.0) / (to.0 - from.0) } else { 0.0 };
        (time_s, from.1.lerp(to.1, part.clamp(0.0, 1.0)))
    };
    Some((0..=number as usize).map(birth).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;
    use std::path::Path;

    fn read(weather: &str) -> Result<Scenario, Error> {
        let text = format!(
            "version = 1\nseed = 1\nduration_s = 1.0\n[world]\n[[sensor]]\nname = \"a\"\npreset = \"vlp-16\"\n{weather}"
        );
        Scenario::from_toml(&text, "s.toml", Path::new(""))
    }

    /// Each mistake is refused with its line (the weather begins on line 8) and its key.
    #[test]
    fn what_no_air_can_be_is_refused_by_name() {
        let puffs = "[[world.plume]]\nname = \"p\"\nshape = \"puffs\"\nextinction_per_m = 1.0\n";
        let body = "[[world.plume]]\nname = \"p\"\nshape = \"box\"\nextinction_per_m = 1.0\n";
        for (weather, line, word) in [
            ("[world.atmosphere]\nvisibility_m = 0.0", 9, "`visibility_m` is 0"),
            ("[world.atmosphere]\nvisibility_m = -5.0", 9, "`visibility_m` is -5"),
            ("[world.atmosphere]\nextinction_per_m = -0.1", 9, "`extinction_per_m` is -0.1"),
            ("[world.atmosphere]\nextinction_per_m = nan", 9, "`extinction_per_m` is NaN"),
            ("[world.atmosphere]\nvisibility_m = 9.0\nextinction_per_m = 0.1", 10, "both"),
            ("[world.atmosphere.fog]\npatchiness = 0.1", 8, "how dense the fog is"),
            (
                "[world.atmosphere.fog]\nvisibility_m = 50.0\nbackscatter_per_m_sr = 1.0",
                10,
                "`backscatter_per_m_sr` is 1",
            ),
            (
                "[world.atmosphere.fog]\nvisibility_m = 50.0\noverlap_m = [2.0, 1.0]",
                10,
                "`overlap_m`",
            ),
            ("[world.atmosphere.rain]\nrate_mm_per_h = 5000.0", 9, "`rate_mm_per_h` is 5000"),
            ("[world.atmosphere.rain]\nrate_mm_per_h = -1.0", 9, "`rate_mm_per_h` is -1"),
            ("[world.atmosphere.snow]\nrate_mm_per_h = 900.0", 9, "`rate_mm_per_h` is 900"),
            (
                "[world.atmosphere.snow]\nrate_mm_per_h = 1.0\nflake_reflectance = 1.1",
                10,
                "`flake_reflectance`",
            ),
            ("[world.atmosphere.dust]\nreflectance = 0.2", 8, "how dense the dust is"),
            ("[world.atmosphere]\nvisibilty_m = 50.0", 9, "visibility_m"),
            (&format!("{body}size_m = [1.0, 0.0, 1.0]"), 12, "`size_m`"),
            (&format!("{body}size_m = [1.0, 1.0, 1.0]\ndecay_s = 3.0"), 13, "no `decay_s`"),
            (body, 9, "has no `size_m`"),
            (puffs, 9, "exactly one of `births` and `path`"),
            (&format!("{puffs}births = []"), 12, "empty"),
            (&format!("{puffs}size_m = [1.0, 1.0, 1.0]"), 12, "no `size_m`"),
            (
                &format!("{puffs}births = [{{ time_s = 0.0, position_m = [0, 0, 0] }}]"),
                9,
                "`radius_m`",
            ),
            (
                &format!(
                    "{puffs}radius_m = 1.0\npath = [{{ time_s = 0.0, position_m = [0, 0, 0] }}]"
                ),
                13,
                "how often",
            ),
            (
                &format!(
                    "{puffs}radius_m = 1.0\ninterval_s = 0.001\npath = [{{ time_s = 0.0, position_m = [0, 0, 0] }}, {{ time_s = 60.0, position_m = [0, 0, 0] }}]"
                ),
                14,
                "more than 10000",
            ),
        ] {
            let error = read(weather).unwrap_err().to_string();
            assert!(error.contains(&format!("s.toml:{line}")), "{weather}\n{error}");
            assert!(error.contains(word), "{weather}\n{error}");
        }
    }

    #[test]
    fn puffs_are_born_along_a_path() {
        let scenario = read(
            "[[world.plume]]\nname = \"p\"\nshape = \"puffs\"\nextinction_per_m = 1.0\nradius_m = 0.5\ninterval_s = 0.5\n\
             path = [{ time_s = -1.0, position_m = [0, 0, 0] }, { time_s = 1.0, position_m = [4, 2, 0] }]",
        )
        .unwrap();
        let air = scenario.atmosphere().unwrap();
        let births: Vec<(f64, DVec3)> = air
            .plumes
            .iter()
            .filter_map(|plume| match plume.form {
                PlumeForm::Puff(puff) => Some((puff.birth_s, puff.birth_m)),
                _ => None,
            })
            .collect();
        assert_eq!(births.len(), 5);
        for (i, (time_s, place)) in births.iter().enumerate() {
            assert!((time_s - (-1.0 + 0.5 * i as f64)).abs() < 1e-12);
            assert!(place.abs_diff_eq(DVec3::new(i as f64, 0.5 * i as f64, 0.0), 1e-12));
        }
        assert!(read("").unwrap().atmosphere().is_none());
    }
}
