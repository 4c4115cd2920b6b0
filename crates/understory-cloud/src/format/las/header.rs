//! What stands in front of the points of a LAS 1.4 file: header and variable-length records.
//!
//! The `las` crate writes both; the Extra-Bytes record (`LASF_Spec` 4, 192 bytes per field), which
//! names the columns beyond the standard ones, it leaves to us. One more record of our own
//! (`Understory` 1) holds a few lines of text that [`describe`](crate::describe) reads: when the
//! points were fired, and how many pulses returned nothing.

use super::POINT_LEN;
use super::waveform::descriptors;
use crate::SOFTWARE;
use crate::format::row_layout::{FLOAT_NO_DATA, Kind, NO_DATA, RowLayout};
use crate::{SceneNames, WaveformFormat};
use las::raw::header::Evlr;
use las::raw::vlr::RecordLength;
use las::raw::{Header, Vlr};
use laz::LazVlr;

/// Bytes of a header of LAS 1.4.
const HEADER_LEN: u16 = 375;
/// Bytes in front of the data of a variable-length record.
const VLR_HEADER_LEN: usize = 54;
/// Bytes of our own record; it is written again at the end and must not change its length.
const FACTS_LEN: usize = 256;

/// What only the end of a file knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// Points, and points by return number 1 to 15.
    pub(crate) points: u64,
    pub(crate) by_return: [u64; 15],
    /// Smallest and largest coordinate as integers; `None` without a point.
    pub(crate) bounds: Option<[[i32; 3]; 2]>,
    /// First and last firing time, misses included.
    pub(crate) time_span_s: Option<[f64; 2]>,
    /// Rows that could not be kept.
    pub(crate) dropped_misses: u64,
    /// Where the extended record with the names begins, if there is one.
    pub(crate) names_start: Option<u64>,
}

/// Everything up to the first point, always of the same length for the same layout.
pub(crate) fn front_matter(
    layout: &RowLayout,
    laz: Option<&LazVlr>,
    waveforms: &[WaveformFormat],
    crs_wkt: Option<&str>,
    offset_m: [f64; 3],
    facts: &Facts,
) -> las::Result<Vec<u8>> {
    let scale_m = layout.quantum();
    let mut vlrs = vec![vlr("Understory", 1, "Facts about the run", facts_text(facts))];
    if !layout.slots().is_empty() {
        vlrs.push(vlr("LASF_Spec", 4, "Extra Bytes Record", extra_bytes(layout)));
    }
    if let Some(laz) = laz {
        let mut data = Vec::new();
        laz.write_to(&mut data)?;
        vlrs.push(vlr(LazVlr::USER_ID, LazVlr::RECORD_ID, LazVlr::DESCRIPTION, data));
    }
    if let Some(text) = crs_wkt {
        // The text ends with a 0.
        let data = text.bytes().filter(|&byte| byte != 0).chain([0]).collect();
        vlrs.push(vlr("LASF_Projection", 2112, "OGC coordinate system WKT", data));
    }
    for (record, data) in descriptors(waveforms) {
        vlrs.push(vlr("LASF_Spec", record, "Waveform packet descriptor", data));
    }
    let vlr_len: usize = vlrs.iter().map(|vlr| VLR_HEADER_LEN + vlr.data.len()).sum();
    // A compressed file has the top bit of its point format set.
    let point_format = match (waveforms, layout.offset_of(0)) {
        ([], POINT_LEN) => 6,
        ([], _) => 7,
        (_, _) => 9,
    };
    let point_format = point_format | if laz.is_some() { 0x80 } else { 0 };
    // Waveforms stand in a file of their own.
    let external_waveforms = u16::from(!waveforms.is_empty()) << 2;
    let [min, max] = facts.bounds.map_or([offset_m; 2], |bounds| {
        bounds.map(|corner| {
            let axis = |a: usize| f64::from(corner[a]) * scale_m + offset_m[a];
            [axis(0), axis(1), axis(2)]
        })
    });
    let [min, max] = if facts.bounds.is_some() { [min, max] } else { [[0.0; 3]; 2] };
    let header = Header {
        // Formats 6 and later must say that a coordinate system, if any, is well-known text.
        global_encoding: 1 << 4 | external_waveforms,
        version: las::Version::new(1, 4),
        system_identifier: text("Understory simulation"),
        generating_software: text(SOFTWARE),
        // No date: the same run gives the same bytes on any day.
        file_creation_day_of_year: 0,
        file_creation_year: 0,
        header_size: HEADER_LEN,
        offset_to_point_data: u32::from(HEADER_LEN) + vlr_len as u32,
        number_of_variable_length_records: vlrs.len() as u32,
        point_data_record_format: point_format,
        point_data_record_length: layout.stride() as u16,
        x_scale_factor: scale_m,
        y_scale_factor: scale_m,
        z_scale_factor: scale_m,
        x_offset: offset_m[0],
        y_offset: offset_m[1],
        z_offset: offset_m[2],
        min_x: min[0],
        min_y: min[1],
        min_z: min[2],
        max_x: max[0],
        max_y: max[1],
        max_z: max[2],
        large_file: Some(las::raw::header::LargeFile {
            number_of_point_records: facts.points,
            number_of_points_by_return: facts.by_return,
        }),
        evlr: facts
            .names_start
            .map(|start| Evlr { start_of_first_evlr: start, number_of_evlrs: 1 }),
        ..Header::default()
    };
    let mut bytes = Vec::with_capacity(usize::from(HEADER_LEN) + vlr_len);
    header.write_to(&mut bytes)?;
    for vlr in &vlrs {
        vlr.write_to(&mut bytes)?;
    }
    Ok(bytes)
}

/// The data of the Extra-Bytes record: type, name and description of each field.
fn extra_bytes(layout: &RowLayout) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(192 * layout.slots().len());
    for slot in layout.slots() {
        let mut field = [0; 192];
        field[2] = match slot.kind {
            Kind::U8 => 1,
            Kind::U16 => 3,
            Kind::U32 => 5,
            Kind::U64 => 7,
            Kind::F32 => 9,
            Kind::F64 => 10,
            Kind::I32 => 6,
        };
        if slot.kind == Kind::I32 {
            // The field has a value for "no data", a scale and an offset.
            field[3] = 1 | 1 << 3 | 1 << 4;
            field[40..48].copy_from_slice(&i64::from(NO_DATA).to_le_bytes());
            field[112..120].copy_from_slice(&layout.quantum().to_le_bytes());
            field[136..144].copy_from_slice(&slot.shift.to_le_bytes());
        }
        if slot.kind == Kind::F32 {
            field[3] = 1;
            field[40..48].copy_from_slice(&f64::from(FLOAT_NO_DATA).to_le_bytes());
        }
        field[4..36].copy_from_slice(&text::<32>(slot.name));
        field[160..192].copy_from_slice(&text::<32>(slot.about));
        bytes.extend_from_slice(&field);
    }
    bytes
}

/// The lines of our own record, padded with spaces.
fn facts_text(facts: &Facts) -> Vec<u8> {
    let mut text = format!("misses_left_out = {}\n", facts.dropped_misses);
    if let Some([first, last]) = facts.time_span_s {
        text.push_str(&format!("time_first_s = {first:?}\ntime_last_s = {last:?}\n"));
    }
    let mut bytes = text.into_bytes();
    bytes.resize(FACTS_LEN, b' ');
    bytes
}

/// The extended record with the names of objects and materials.
pub(crate) fn names_record(names: &SceneNames) -> las::Result<Vec<u8>> {
    let data = names.to_json().into_bytes();
    let length = RecordLength::Evlr(data.len() as u64);
    let record = vlr("Understory", 2, "Names, JSON", data);
    let mut bytes = Vec::new();
    Vlr { record_length_after_header: length, ..record }.write_to(&mut bytes)?;
    Ok(bytes)
}

fn vlr(user: &str, record: u16, about: &str, data: Vec<u8>) -> Vlr {
    Vlr {
        reserved: 0,
        user_id: text(user),
        record_id: record,
        record_length_after_header: RecordLength::Vlr(data.len() as u16),
        description: text(about),
        data,
    }
}

/// Text in a field of fixed length, the rest of which is 0.
fn text<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    for (byte, &letter) in bytes.iter_mut().zip(text.as_bytes()) {
        *byte = letter;
    }
    bytes
}
