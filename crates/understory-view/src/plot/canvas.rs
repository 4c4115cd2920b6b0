//! Pixels for `plotters`, with text from the font of our pictures: no system font is needed, and
//! plots are the same on every machine.

use std::convert::Infallible;

use crate::raster::RgbImage;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use crate::picture::text::{rasterise, text_width};

/// An image that `plotters` draws on.
pub struct Canvas<'a> {
    image: &'a mut RgbImage,
}

impl Canvas<'_> {
    /// Draws on `image`.
    pub fn new(image: &mut RgbImage) -> Canvas<'_> {
        Canvas { image }
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.image.dimensions()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && let Some(pixel) = self.image.get_pixel_mut_checked(x, y)
        {
            let (r, g, b) = colour.rgb;
            for (old, new) in pixel.0.iter_mut().zip([r, g, b]) {
                let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * colour.alpha;
                *old = mixed.round().clamp(0.0, 255.0) as u8;
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let (width, height) = self.estimate_text_size(text, style)?;
        let (width, height) = (width as i32, height as i32);
        let dx = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let dy = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let (turn, colour) = (style.transform(), style.color());
        rasterise(text, style.size() as f32, |column, row, opacity| {
            let (right, down) = turn.transform(column as i32 + dx, row as i32 + dy);
            let colour = BackendColor { alpha: colour.alpha * f64::from(opacity), ..colour };
            // Nothing can fail on an image in memory.
            let _ = self.draw_pixel((x + right, y + down), colour);
        });
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let height = style.size();
        Ok((text_width(text, height as f32) as u32, height.ceil() as u32))
    }
}
