//! The curved surface that the triangles of a mesh stand for.
//!
//! A sphere or cylinder of triangles is traced like any mesh; a hit on it is then moved along its
//! ray to the true surface, so that distances and normals are those of the curve and the triangles
//! decide only whether a ray at the very rim hits.

use glam::DVec3;

/// A surface in the frame of its mesh's vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CurvedSurface {
    /// All triangles lie on a sphere.
    Sphere {
        /// Its middle.
        centre: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// The triangles whose normals lie across the axis are the side of a cylinder; the others, its
    /// ends, are flat.
    Cylinder {
        /// A point on the axis.
        on_axis: DVec3,
        /// Unit direction of the axis.
        axis: DVec3,
        /// Its radius.
        radius: f64,
    },
}

impl CurvedSurface {
    /// The same surface seen from `origin`.
    pub(crate) fn relative_to(self, origin: DVec3) -> CurvedSurface {
        match self {
            CurvedSurface::Sphere { centre, radius } => {
                CurvedSurface::Sphere { centre: centre - origin, radius }
            }
            CurvedSurface::Cylinder { on_axis, axis, radius } => {
                CurvedSurface::Cylinder { on_axis: on_axis - origin, axis, radius }
            }
        }
    }

    /// How far along `direction` the true surface lies from `point`, where the ray from `origin`
    /// meets a triangle with this normal, and the outward normal there; `None` where the triangle
    /// is flat by right.
    ///
    /// A ray from outside meets the surface on its way in, one from inside on its way out. The
    /// triangle must not decide: at the rim a ray can slip past the triangles on the near side.
    pub(crate) fn nearest_along(
        &self,
        origin: DVec3,
        point: DVec3,
        direction: DVec3,
        normal: DVec3,
    ) -> Option<(f64, DVec3)> {
        // Both surfaces are |f(p)| = r with f linear: p − c, or its part across the axis.
        let (from_middle, across, start, radius) = match *self {
            CurvedSurface::Sphere { centre, radius } => {
                (point - centre, direction, origin - centre, radius)
            }
            CurvedSurface::Cylinder { on_axis, axis, radius } => {
                if normal.dot(axis).abs() > 0.5 * normal.length() {
                    return None;
                }
                let across = |v: DVec3| v.reject_from_normalized(axis);
                (across(point - on_axis), across(direction), across(origin - on_axis), radius)
            }
        };
        let a = across.length_squared();
        let b = from_middle.dot(across);
        let c = from_middle.length_squared() - radius * radius;
        let discriminant = b * b - a * c;
        let going_in = start.length_squared() > radius * radius;
        let step = if discriminant <= 0.0 {
            // Past the rim: the nearest point of the ray stands for the touching one.
            -b / a
        } else {
            // Of the two forms of each root the one that does not cancel is taken.
            let root = discriminant.sqrt();
            match (going_in, b < 0.0) {
                (true, true) => c / (root - b),
                (true, false) => (-b - root) / a,
                (false, true) => (root - b) / a,
                (false, false) => -c / (root + b),
            }
        };
        step.is_finite().then(|| (step, from_middle + across * step))
    }
}
