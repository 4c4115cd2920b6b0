//! `[world.atmosphere]` and `[[world.plume]]`: weather, checked.

use super::file::{
    AtmosphereFile, BirthFile, DustFile, FogFile, OverlapM, PlumeFile, PlumeShape, RainFile,
    SnowFile, VisibilityM,
};
use super::number;
use crate::Error;
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
use understory_files::{LayeredToml, NonEmpty, Number, Spanned, ValueOr, Vector, Within};

const DUST_REFLECTANCE: f64 = 0.3;
/// Of snow in the near infrared, as in the library of materials.
const FLAKE_REFLECTANCE: f64 = 0.87;
/// Most puffs of all plumes: each pulse looks at each.
const MAX_PUFFS: usize = 10_000;

/// The weather of a scenario; `None`: nothing is said about it.
pub fn check(
    layers: &LayeredToml<'_>,
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
        air.rain = file.rain.as_ref().map(|rain| rain_of(rain.get_ref()));
        air.snow = file.snow.as_ref().map(|snow| snow_of(snow.get_ref()));
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

/// `visibility_m` and `extinction_per_m` of a table.
type Density<'a> = (Option<&'a Number<VisibilityM>>, Option<&'a Within<0, 10>>);

/// Extinction from one of `visibility_m` and `extinction_per_m`; `None` if neither is given.
fn extinction_of(
    layers: &LayeredToml<'_>,
    (visibility_m, extinction_per_m): Density<'_>,
) -> Result<Option<f64>, Error> {
    match (visibility_m, extinction_per_m) {
        (None, None) => Ok(None),
        (Some(visibility_m), None) => Ok(Some(extinction::extinction_per_m(visibility_m.get()))),
        (None, Some(extinction_per_m)) => Ok(Some(extinction_per_m.get())),
        (Some(_), Some(second)) => Err(layers.invalid(
            &second.span(),
            "there are both `visibility_m` and `extinction_per_m`",
            "keep one of them",
        )),
    }
}

/// The same where there must be one.
fn need_extinction(
    layers: &LayeredToml<'_>,
    span: &Range<usize>,
    pair: Density<'_>,
    what: &str,
) -> Result<f64, Error> {
    extinction_of(layers, pair)?.ok_or_else(|| {
        let problem = format!("nothing says how dense the {what} is");
        layers.invalid(span, problem, "give `visibility_m` or `extinction_per_m`")
    })
}

fn check_fog(layers: &LayeredToml<'_>, file: &Spanned<FogFile>) -> Result<FogSpec, Error> {
    let (span, file) = (file.span(), file.get_ref());
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    let extinction_per_m = need_extinction(layers, &span, pair, "fog")?;
    let usual = FogSpec::with_visibility(extinction::visibility_m(extinction_per_m.max(1e-12)));
    // More would send back more light than the fog takes.
    let most = extinction_per_m / PI;
    let backscatter_per_m_sr = file.backscatter_per_m_sr.value_or(usual.backscatter_per_m_sr);
    if let Some(number) = file.backscatter_per_m_sr.as_ref().filter(|n| n.get() > most) {
        let problem = format!("`backscatter_per_m_sr` is {}", number.get());
        let remedy = format!("give a number from 0 to {most}");
        return Err(layers.invalid(&number.span(), problem, remedy));
    }
    Ok(FogSpec {
        extinction_per_m,
        backscatter_per_m_sr,
        pulse_s: file.pulse_ns.value_or(usual.pulse_s * 1e9) * 1e-9,
        target_reflectivity: file.target_reflectivity.value_or(1e-6),
        overlap_m: check_overlap(layers, file.overlap_m.as_ref())?,
        patchiness: file.patchiness.value_or(0.0),
    })
}

fn check_overlap(
    layers: &LayeredToml<'_>,
    value: Option<&Vector<2, OverlapM>>,
) -> Result<[f64; 2], Error> {
    let Some(value) = value else { return Ok(OVERLAP_M) };
    let [near_m, full_m] = value.get();
    if full_m > near_m {
        return Ok([near_m, full_m]);
    }
    Err(layers.invalid(
        &value.span(),
        format!("`overlap_m` is [{near_m}, {full_m}]"),
        "give two rising distances from 0.01 to 100",
    ))
}

fn rain_of(file: &RainFile) -> RainSpec {
    RainSpec {
        rate_mm_per_h: file.rate_mm_per_h.get(),
        drops: file.drops.unwrap_or(true),
        drop_reflectance: file.drop_reflectance.value_or(rain::WATER),
        range_noise: file.range_noise.unwrap_or(true),
    }
}

fn snow_of(file: &SnowFile) -> SnowSpec {
    SnowSpec {
        rate_mm_per_h: file.rate_mm_per_h.get(),
        occlusion: file.occlusion,
        flake_reflectance: file.flake_reflectance.value_or(FLAKE_REFLECTANCE),
        pulse_s: file.pulse_ns.value_or(10.0) * 1e-9,
    }
}

fn check_dust(layers: &LayeredToml<'_>, file: &Spanned<DustFile>) -> Result<DustSpec, Error> {
    let (span, file) = (file.span(), file.get_ref());
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    Ok(DustSpec {
        extinction_per_m: need_extinction(layers, &span, pair, "dust")?,
        reflectance: file.reflectance.value_or(DUST_REFLECTANCE),
    })
}

fn check_plume(
    layers: &LayeredToml<'_>,
    file: &PlumeFile,
    plumes: &mut Vec<Plume>,
) -> Result<(), Error> {
    let pair = (file.visibility_m.as_ref(), file.extinction_per_m.as_ref());
    let extinction_per_m = need_extinction(layers, &file.name.span(), pair, "plume")?;
    let reflectance = file.reflectance.value_or(DUST_REFLECTANCE);
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
fn refuse_strangers(layers: &LayeredToml<'_>, file: &PlumeFile) -> Result<(), Error> {
    let puffs = *file.shape.get_ref() == PlumeShape::Puffs;
    let of_puffs = [
        ("radius_m", file.radius_m.as_ref().map(Number::span)),
        ("growth_m_per_s", file.growth_m_per_s.as_ref().map(Number::span)),
        ("drift_m_per_s", file.drift_m_per_s.as_ref().map(Vector::span)),
        ("decay_s", file.decay_s.as_ref().map(Number::span)),
        ("profile", file.profile.as_ref().map(Spanned::span)),
        ("births", file.births.as_ref().map(NonEmpty::span)),
        ("path", file.path.as_ref().map(NonEmpty::span)),
        ("interval_s", file.interval_s.as_ref().map(Number::span)),
    ];
    let of_bodies = [
        ("position_m", file.position_m.as_ref().map(Vector::span)),
        ("rotation_deg", file.rotation_deg.as_ref().map(Vector::span)),
        ("size_m", file.size_m.as_ref().map(Vector::span)),
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

fn check_placed(layers: &LayeredToml<'_>, file: &PlumeFile) -> Result<Placed, Error> {
    let Some(size) = &file.size_m else {
        let problem = format!("plume {:?} has no `size_m`", file.name.get_ref());
        return Err(layers.invalid(&file.name.span(), problem, "give its three lengths"));
    };
    let Pose { rotation, translation } =
        number::pose(file.position_m.as_ref(), file.rotation_deg.as_ref());
    Ok(Placed { centre_m: translation, rotation, half_m: DVec3::from(size.get()) / 2.0 })
}

fn check_puff(layers: &LayeredToml<'_>, file: &PlumeFile) -> Result<Puff, Error> {
    let Some(radius) = &file.radius_m else {
        let problem = format!("plume {:?} has no `radius_m`", file.name.get_ref());
        return Err(layers.invalid(&file.name.span(), problem, "give the radius of a new puff"));
    };
    let drift = file.drift_m_per_s.as_ref().map_or([0.0; 3], Vector::get);
    Ok(Puff {
        birth_s: 0.0,
        birth_m: DVec3::ZERO,
        drift_m_per_s: DVec3::from(drift),
        radius_m: radius.get(),
        growth_m_per_s: file.growth_m_per_s.value_or(0.0),
        decay_s: file.decay_s.value_or(f64::INFINITY),
        profile: file.profile.as_ref().map(|p| *p.get_ref()).unwrap_or_default(),
    })
}

/// Times and places at which puffs are born: as listed, or every so often along a path.
fn check_births(layers: &LayeredToml<'_>, file: &PlumeFile) -> Result<Vec<(f64, DVec3)>, Error> {
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
            along(&knots, interval.get()).ok_or_else(|| {
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
    layers: &LayeredToml<'_>,
    list: &NonEmpty<BirthFile>,
) -> Result<Vec<(f64, DVec3)>, Error> {
    let mut knots: Vec<(f64, DVec3)> = Vec::new();
    for birth in list.get_ref() {
        let time_s = birth.time_s.get();
        if knots.last().is_some_and(|last| last.0 >= time_s) {
            return Err(layers.invalid(
                &birth.time_s.span(),
                format!("`time_s` is {time_s}, which is not after the one before it"),
                "sort them by time",
            ));
        }
        knots.push((time_s, DVec3::from(birth.position_m.get())));
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
