//! `crs`: in which coordinate reference system the world's coordinates are, or `geographic_origin`:
//! where on Earth a world of its own coordinates is.
//!
//! What enters: a code of EPSG, well-known text, or the code that a GeoTIFF names. What leaves:
//! well-known text, which files of surveyors carry.

use understory_cloud::GeographicOrigin;
use understory_files::{LayeredToml, Number, Spanned};

use super::file::GeographicOriginFile;
use super::ground::Terrain;
use crate::Error;

/// Longest text that fits into a record of LAS.
const WKT_MAX: usize = 60_000;

/// Well-known text of the system that a scenario names, or else of the one that its terrain's file
/// names; `terrain` is the code there.
pub(super) fn check_crs(
    layers: &LayeredToml<'_>,
    named: Option<&Spanned<String>>,
    terrain: Option<u16>,
) -> Result<Option<String>, Error> {
    let Some(named) = named else {
        return Ok(terrain.and_then(wkt_of));
    };
    let refuse = |problem: String, remedy: &str| layers.invalid(&named.span(), problem, remedy);
    let text = named.get_ref().trim();
    if let (Some(code), Some(terrain)) = (epsg_code(text).or_else(|| code_in(text)), terrain)
        && code != u32::from(terrain)
    {
        let problem =
            format!("`crs` is EPSG:{code}, but the file of the terrain is in EPSG:{terrain}");
        return Err(refuse(problem, "keep one of them, or warp the file with gdalwarp"));
    }
    let wkt = match epsg_code(text) {
        Some(code) => {
            let known = u16::try_from(code).ok().and_then(wkt_of);
            known.ok_or_else(|| {
                let problem = format!("`crs` is EPSG:{code}, which is not known here");
                refuse(problem, "give the system as well-known text (WKT)")
            })?
        }
        None => text.to_owned(),
    };
    let begins = |words: &[&str]| words.iter().any(|word| wkt.starts_with(word));
    if begins(&["GEOGCS", "GEOGCRS", "GEODCRS", "GEOCCS"]) {
        let problem = "`crs` is in degrees, and the world is in metres".to_owned();
        return Err(refuse(problem, "give a projected system, such as \"EPSG:25832\""));
    }
    if !begins(&["PROJCS", "PROJCRS", "COMPD_CS", "COMPOUNDCRS", "LOCAL_CS", "ENGCRS"]) {
        let problem = format!("`crs` is {:?}", text.chars().take(60).collect::<String>());
        let remedy = "give a code such as \"EPSG:25832\", or well-known text of a projected system";
        return Err(refuse(problem, remedy));
    }
    if wkt.len() > WKT_MAX {
        let problem = format!("`crs` has {} bytes", wkt.len());
        return Err(refuse(problem, "give well-known text of at most 60000"));
    }
    Ok(Some(wkt))
}

/// Says that a terrain lies on a map of which nobody knows the system.
pub(super) fn warn_of_no_crs(terrain: &Terrain) {
    let Some(file) = terrain.map_file() else { return };
    let (why, remedy) = match terrain.epsg() {
        Some(code) => (format!("is in EPSG:{code}, which is not known here"), "well-known text"),
        None => ("names no coordinate reference system".to_owned(), "\"EPSG:25832\" or the like"),
    };
    tracing::warn!(
        "{}: {} {why}, so that files of points will have none; give it as `crs` in [world], as {remedy}",
        terrain.location,
        file.display()
    );
}

/// The origin that a scenario names; a world whose coordinates are those of a system has one already.
pub(super) fn check_origin(
    layers: &LayeredToml<'_>,
    file: Option<&Spanned<GeographicOriginFile>>,
    crs_wkt: &Option<String>,
) -> Result<Option<GeographicOrigin>, Error> {
    let Some(file) = file else { return Ok(None) };
    if crs_wkt.is_some() {
        let problem = "there are `geographic_origin` and a coordinate reference system (`crs`, or \
                       that of the terrain's file), and each says where the world is";
        return Err(layers.invalid(&file.span(), problem, "keep one of them"));
    }
    let file = file.get_ref();
    Ok(Some(GeographicOrigin {
        latitude_deg: file.latitude_deg.get(),
        longitude_deg: file.longitude_deg.get(),
        altitude_m: file.altitude_m.as_ref().map_or(0.0, Number::get),
        yaw_from_east_deg: file.yaw_from_east_deg.as_ref().map_or(0.0, Number::get),
    }))
}

/// The text of a code of EPSG, without the shift to WGS 84, which is no part of a system and hides
/// its code from readers.
fn wkt_of(code: u16) -> Option<String> {
    let text = crs_definitions::from_code(code)?.wkt;
    let Some((before, shift)) = text.split_once(",TOWGS84[") else { return Some(text.to_owned()) };
    let (_, after) = shift.split_once(']')?;
    Some(format!("{before}{after}"))
}

/// The code that the well-known text of a projected system gives itself, in its last brackets:
/// `AUTHORITY["EPSG","25832"]]` or `ID["EPSG",25832]]`. That of a compound is not that of a map.
fn code_in(wkt: &str) -> Option<u32> {
    wkt.strip_prefix("PROJC")?;
    let own = wkt.strip_suffix(']')?.trim_end().strip_suffix(']')?;
    let (authority, code) = own.rsplit_once('[')?.1.split_once(',')?;
    let plain = |word: &str| word.trim().trim_matches('"').to_owned();
    plain(authority).eq_ignore_ascii_case("epsg").then(|| plain(code).parse().ok())?
}

/// The number in `EPSG:25832`.
fn epsg_code(text: &str) -> Option<u32> {
    let (authority, code) = text.split_once(':')?;
    authority.trim().eq_ignore_ascii_case("epsg").then(|| code.trim().parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_tells_its_own_code() {
        let utm = wkt_of(25832).unwrap();
        assert_eq!(code_in(&utm), Some(25832));
        let newer = "PROJCRS[\"a\",BASEGEOGCRS[\"b\",ID[\"EPSG\",4258]],ID[\"EPSG\",25833]]";
        assert_eq!(code_in(newer), Some(25833));
        let own = "PROJCS[\"mine\",GEOGCS[\"b\",AUTHORITY[\"EPSG\",\"4258\"]],UNIT[\"metre\",1]]";
        assert_eq!(code_in(own), None);
        assert_eq!(code_in(&format!("COMPD_CS[\"a\",{utm},AUTHORITY[\"EPSG\",\"5555\"]]")), None);
        for damaged in ["", "PROJC", "PROJCS[", "PROJCS]]", "PROJCS[\"EPSG\",99999999999]]"] {
            assert_eq!(code_in(damaged), None, "{damaged}");
        }
    }
}
