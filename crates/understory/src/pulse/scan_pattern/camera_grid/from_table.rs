//! The table `[camera_grid]` of a sensor file, checked.

use understory_base::math;
use understory_files::sensor::{CameraGridFile, SensorFile};
use understory_files::{Array, Spanned};

use crate::Error;
use crate::pulse::check::Check;
use crate::pulse::scan_pattern::{CameraFault, CameraGrid, CameraGridSpec, PIXELS_MAX, Projection};

impl Check<'_> {
    pub(in crate::pulse::scan_pattern) fn camera_grid(
        &self,
        table: &Spanned<CameraGridFile>,
        _: &SensorFile,
    ) -> Result<CameraGrid, Error> {
        let file = table.get_ref();
        let [width, height] = *file.pixels.get_ref();
        let count = u32::from(width) * u32::from(height);
        if count == 0 || count > PIXELS_MAX {
            return self.fault(
                &file.pixels.span(),
                format!("a camera cannot have {width} × {height} pixels"),
                format!("give columns and rows, at most {PIXELS_MAX} pixels in all"),
            );
        }
        let frame_s = 1.0 / file.frame_hz.get();
        let row_s = match &file.row_us {
            None => 0.0,
            Some(number) => {
                let row_s = number.get() / 1e6;
                if row_s * f64::from(height) > frame_s {
                    return self.fault(
                        &number.span(),
                        format!(
                            "{height} rows of {} µs do not fit into a frame of {:.0} µs",
                            number.get(),
                            frame_s * 1e6
                        ),
                        "shorten row_us or lower frame_hz",
                    );
                }
                row_s
            }
        };
        let centre_px = match &file.centre_px {
            Some(centre) => centre.get(),
            None => [width, height].map(|pixels| f64::from(pixels - 1) / 2.0),
        };
        let distortion = file.distortion.as_ref().map_or([0.0; 5], Array::get);
        if let (Some(list), Projection::Equidistant) = (&file.distortion, file.projection) {
            return self.fault(
                &list.span(),
                "the distortion belongs to a pinhole, but the projection is equidistant",
                "remove one of them",
            );
        }
        let spec = CameraGridSpec {
            width,
            height,
            focal_px: self.focal_px(table)?,
            centre_px,
            projection: file.projection,
            distortion,
            frame_s,
            row_s,
        };
        match CameraGrid::new(spec) {
            Ok(camera) => Ok(camera),
            Err(CameraFault::Folded { u, v }) => self.fault(
                &file.distortion.as_ref().map_or(table.span(), Array::span),
                format!("the lens has no direction for pixel ({u}, {v})"),
                "check the order k1, k2, p1, p2, k3 and the signs of the distortion, or the field \
                 of view",
            ),
            Err(CameraFault::Unsound) => self.fault(
                &table.span(),
                "the numbers of the camera do not fit each other",
                "check focal_px, centre_px, frame_hz and row_us",
            ),
        }
    }

    /// Focal lengths, given or from the field of view between the outer edges of the image.
    fn focal_px(&self, table: &Spanned<CameraGridFile>) -> Result<[f64; 2], Error> {
        let file = table.get_ref();
        match (&file.focal_px, &file.field_of_view_deg) {
            (Some(focal), None) => Ok(focal.get()),
            (None, Some(field)) => {
                let list = field.get();
                let limit = match file.projection {
                    Projection::Pinhole => 180.0,
                    Projection::Equidistant => 360.0,
                };
                if let Some(wrong) = list.iter().find(|angle| !(**angle > 0.0 && **angle < limit)) {
                    return self.fault(
                        &field.span(),
                        format!("this lens cannot have a field of view of {wrong}°"),
                        format!(
                            "use above 0° and below {limit}°, or projection = \"equidistant\" for \
                             a wide lens"
                        ),
                    );
                }
                let pixels = *file.pixels.get_ref();
                Ok([0, 1].map(|axis| {
                    let half_rad = 0.5 * list[axis].to_radians();
                    let half_px = 0.5 * f64::from(pixels[axis]);
                    match file.projection {
                        Projection::Pinhole => half_px / math::tan(half_rad),
                        Projection::Equidistant => half_px / half_rad,
                    }
                }))
            }
            _ => self.fault(
                &table.span(),
                "[camera_grid] needs exactly one of field_of_view_deg and focal_px",
                "give the full angles of the field of view, or the focal lengths in pixels",
            ),
        }
    }
}
