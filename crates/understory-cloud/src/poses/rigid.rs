//! A rigid motion: how sensors, platforms and worlds stand to each other.

use glam::{DMat3, DQuat, DVec3};

/// A rotation and then a translation: `world_from_sensor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
}

impl Rigid {
    pub(crate) const IDENTITY: Rigid =
        Rigid { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// `None` if the quaternion has no direction or a number is not finite.
    pub(crate) fn new(rotation: DQuat, translation: DVec3) -> Option<Rigid> {
        let length = rotation.length();
        let valid = length.is_finite() && length > 1e-6 && translation.is_finite();
        valid.then(|| Rigid { rotation: DMat3::from_quat(rotation.normalize()), translation })
    }

    /// From three rows of four numbers; `None` if they are no rotation (to a thousandth) and
    /// translation.
    pub(crate) fn from_rows(rows: &[[f64; 4]; 3]) -> Option<Rigid> {
        let row = |i: usize| DVec3::new(rows[i][0], rows[i][1], rows[i][2]);
        let rotation = DMat3::from_cols(row(0), row(1), row(2)).transpose();
        let translation = DVec3::new(rows[0][3], rows[1][3], rows[2][3]);
        let error = rotation * rotation.transpose() - DMat3::IDENTITY;
        let worst = error.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let valid = worst < 1e-3 && rotation.determinant() > 0.0 && translation.is_finite();
        valid.then_some(Rigid { rotation, translation })
    }

    pub(crate) fn to_rows(self) -> [[f64; 4]; 3] {
        let turned = self.rotation.transpose();
        let row = |axis: DVec3, t: f64| [axis.x, axis.y, axis.z, t];
        let t = self.translation;
        [row(turned.x_axis, t.x), row(turned.y_axis, t.y), row(turned.z_axis, t.z)]
    }

    /// `a_from_b.after(b_from_c)` is `a_from_c`.
    pub(crate) fn after(&self, inner: &Rigid) -> Rigid {
        Rigid {
            rotation: self.rotation * inner.rotation,
            translation: self.point(inner.translation),
        }
    }

    pub(crate) fn inverse(&self) -> Rigid {
        let rotation = self.rotation.transpose();
        Rigid { rotation, translation: -(rotation * self.translation) }
    }

    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_inverse() {
        let (sin, cos) = 0.3f64.sin_cos();
        let rows = [[cos, -sin, 0.0, 1.0], [sin, cos, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]];
        let pose = Rigid::from_rows(&rows).unwrap();
        assert_eq!(pose.to_rows(), rows);
        let back = pose.inverse().after(&pose).point(DVec3::new(5.0, 6.0, 7.0));
        assert!((back - DVec3::new(5.0, 6.0, 7.0)).length() < 1e-12);
        assert!(Rigid::from_rows(&[[1.0, 0.0, 0.0, 0.0]; 3]).is_none());
    }
}
