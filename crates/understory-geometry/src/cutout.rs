//! Holes that an image cuts into a mesh, as foliage on cards has them.
//!
//! What enters: for each triangle of a mesh the alpha image that covers it and the image
//! coordinates of its corners. What leaves: whether a ray that meets the triangle at a barycentric
//! point is stopped there: where alpha · factor ≥ cutoff, the rule of glTF 2.0 (§3.9.4, `MASK`).

use crate::filter::{HitFilter, WalkFilter};
use crate::{GeometryError, InstanceId, TriangleMesh};
use std::sync::Arc;

/// Most texels along one side of an image.
const MAX_SIDE: usize = 1 << 16;

/// What an image shows beyond its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// Itself again.
    #[default]
    Repeat,
    /// Itself again, every second time mirrored.
    Mirror,
    /// Its outermost texels.
    Clamp,
}

/// How an image is read between the middles of its texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Texels {
    /// The nearest one.
    Nearest,
    /// Bilinear between four.
    #[default]
    Linear,
}

/// An image of alpha, and from which value on it stops rays.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaImage {
    width: u32,
    height: u32,
    /// By rows, the first at v = 0.
    alpha: Arc<[u8]>,
    wrap: [Wrap; 2],
    texels: Texels,
    /// Least alpha that stops a ray, where 255 is opaque.
    least: f32,
}

impl AlphaImage {
    /// An image of `width` times as many rows as `alpha` has room for. A ray is stopped where
    /// alpha (0 … 1) times `factor` is at least `cutoff`.
    pub fn new(
        width: usize,
        alpha: Arc<[u8]>,
        wrap: [Wrap; 2],
        texels: Texels,
        factor: f32,
        cutoff: f32,
    ) -> Result<AlphaImage, GeometryError> {
        let height = alpha.len().checked_div(width).unwrap_or(0);
        let fits = (1..=MAX_SIDE).contains(&width) && (1..=MAX_SIDE).contains(&height);
        if !fits || width * height != alpha.len() {
            let (count, limit) = (width.max(height), MAX_SIDE);
            return Err(GeometryError::TooMany { what: "texels of an alpha image", count, limit });
        }
        // A factor of 0 leaves nothing but what every alpha passes.
        let least = if cutoff <= 0.0 {
            0.0
        } else if factor > 0.0 {
            255.0 * cutoff / factor
        } else {
            f32::INFINITY
        };
        Ok(AlphaImage { width: width as u32, height: height as u32, alpha, wrap, texels, least })
    }

    /// The same alpha everywhere.
    pub fn uniform(stops: bool) -> AlphaImage {
        AlphaImage {
            width: 1,
            height: 1,
            alpha: Arc::new([255]),
            wrap: [Wrap::Repeat; 2],
            texels: Texels::Nearest,
            least: if stops { 0.0 } else { f32::INFINITY },
        }
    }

    /// Bytes of its texels.
    pub fn memory_bytes(&self) -> usize {
        self.alpha.len()
    }

    /// Whether it stops a ray at these image coordinates.
    #[inline]
    pub fn stops(&self, [u, v]: [f32; 2]) -> bool {
        let (x, y) = (u * self.width as f32, v * self.height as f32);
        let alpha = match self.texels {
            Texels::Nearest => self.texel(x.floor() as i64, y.floor() as i64),
            Texels::Linear => {
                let (x, y) = (x - 0.5, y - 0.5);
                let (left, top) = (x.floor(), y.floor());
                let (right_share, low_share) = (x - left, y - top);
                let (left, top) = (left as i64, top as i64);
                let row = |at: i64| {
                    let (a, b) = (self.texel(left, at), self.texel(left.saturating_add(1), at));
                    a + (b - a) * right_share
                };
                let (upper, lower) = (row(top), row(top.saturating_add(1)));
                upper + (lower - upper) * low_share
            }
        };
        alpha >= self.least
    }

    #[inline]
    fn texel(&self, x: i64, y: i64) -> f32 {
        let x = wrapped(x, i64::from(self.width), self.wrap[0]);
        let y = wrapped(y, i64::from(self.height), self.wrap[1]);
        f32::from(self.alpha[y as usize * self.width as usize + x as usize])
    }
}

/// Where a texel beyond the edges is found, in 0 … `count` − 1.
#[inline]
fn wrapped(at: i64, count: i64, wrap: Wrap) -> i64 {
    match wrap {
        Wrap::Repeat => at.rem_euclid(count),
        Wrap::Clamp => at.clamp(0, count - 1),
        Wrap::Mirror => {
            let within = at.rem_euclid(2 * count);
            within.min(2 * count - 1 - within)
        }
    }
}

/// Which image covers each triangle of a mesh, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cutout {
    images: Vec<Arc<AlphaImage>>,
    triangles: Vec<CutTriangle>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct CutTriangle {
    /// Number of its image; [`WHOLE`]: it has no holes.
    image: u32,
    /// Image coordinates of its corners.
    uv: [[f32; 2]; 3],
}

const WHOLE: u32 = u32::MAX;

impl Cutout {
    /// Adds the next triangle of the mesh: its image, if it has one, and the image coordinates of
    /// its corners, of which those that are no numbers count as 0.
    pub fn push(&mut self, image: Option<&Arc<AlphaImage>>, uv: [[f32; 2]; 3]) {
        let number = image.map_or(WHOLE, |image| {
            let known = self.images.iter().rposition(|known| Arc::ptr_eq(known, image));
            known.unwrap_or_else(|| {
                self.images.push(Arc::clone(image));
                self.images.len() - 1
            }) as u32
        });
        let uv = uv.map(|corner| corner.map(|x| if x.is_finite() { x } else { 0.0 }));
        self.triangles.push(CutTriangle { image: number, uv });
    }

    /// Whether no triangle has holes.
    pub fn is_empty(&self) -> bool {
        self.images.is_empty()
    }

    /// Bytes that it holds, its images included.
    pub fn memory_bytes(&self) -> usize {
        let images: usize = self.images.iter().map(|image| image.memory_bytes()).sum();
        images + size_of_val(self.triangles.as_slice())
    }

    /// The same with the corners of each triangle in the tracer's order; none if its triangles are
    /// not as many as the mesh's.
    pub(crate) fn in_order_of(
        mut self,
        mesh: &TriangleMesh,
        first_corner: impl Fn([[f32; 3]; 3]) -> usize,
    ) -> Option<Cutout> {
        if self.triangles.len() != mesh.triangles().len() {
            return None;
        }
        for (index, triangle) in self.triangles.iter_mut().enumerate() {
            triangle.uv.rotate_left(first_corner(mesh.corners(index as u32)));
        }
        Some(self)
    }

    /// Whether a triangle stops a ray that meets it at these weights of its second and third
    /// corner.
    #[inline]
    fn stops(&self, triangle: u32, [b, c]: [f32; 2]) -> bool {
        let Some(cut) = self.triangles.get(triangle as usize) else { return true };
        let Some(image) = self.images.get(cut.image as usize) else { return true };
        let [p, q, r] = cut.uv;
        let at = |axis: usize| p[axis] + (q[axis] - p[axis]) * b + (r[axis] - p[axis]) * c;
        image.stops([at(0), at(1)])
    }
}

/// A filter that also lets rays through the holes of one mesh.
pub(crate) struct ThroughHoles<'a, F> {
    pub cutout: &'a Cutout,
    pub filter: &'a mut F,
}

impl<F: WalkFilter> HitFilter for ThroughHoles<'_, F> {
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool {
        self.cutout.stops(triangle, weights)
            && (!F::ACTIVE || self.filter.accepts(ray, instance, triangle, t, weights))
    }
}
