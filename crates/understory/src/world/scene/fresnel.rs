//! Fresnel's equations: how much light a smooth border between two clear media sends back.
//!
//! What enters: the cosine of the angle of incidence and the two indices of refraction. What
//! leaves: the reflectance for unpolarised light, that of a plane-parallel pane, and the refracted
//! direction after Snell.

use glam::DVec3;

/// Reflectance for light polarised across (s) and along (p) the plane of incidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fresnel {
    /// Across.
    pub s: f64,
    /// Along.
    pub p: f64,
}

impl Fresnel {
    /// At a border from index `from` into index `into`; 1 beyond the angle of total reflection.
    pub fn at(cos_incidence: f64, from: f64, into: f64) -> Fresnel {
        let ratio = from / into;
        let sin2_refracted = ratio * ratio * (1.0 - cos_incidence * cos_incidence);
        if sin2_refracted >= 1.0 {
            return Fresnel { s: 1.0, p: 1.0 };
        }
        let cos_refracted = (1.0 - sin2_refracted).sqrt();
        let square = |a: f64, b: f64| ((a - b) / (a + b)).powi(2);
        Fresnel {
            s: square(from * cos_incidence, into * cos_refracted),
            p: square(into * cos_incidence, from * cos_refracted),
        }
    }

    /// Of unpolarised light.
    pub fn mean(self) -> f64 {
        0.5 * (self.s + self.p)
    }
}

/// What a pane with two borders of reflectance `border` sends back, with all reflections inside it
/// and without interference; the rest, (1 − R)/(1 + R), passes.
pub fn pane_reflectance(border: f64) -> f64 {
    2.0 * border / (1.0 + border)
}

/// The direction of a ray in a mirror with the unit normal `normal`.
pub fn reflect(direction: DVec3, normal: DVec3) -> DVec3 {
    direction - normal * (2.0 * direction.dot(normal))
}

/// The unit direction behind a border, with `ratio` the index before it over the index behind it
/// and `normal` turned against the ray; `None` where all light is reflected.
pub fn refract(direction: DVec3, normal: DVec3, ratio: f64) -> Option<DVec3> {
    let cos_incidence = -direction.dot(normal);
    let sin2_refracted = ratio * ratio * (1.0 - cos_incidence * cos_incidence);
    (sin2_refracted < 1.0).then(|| {
        let along_normal = ratio * cos_incidence - (1.0 - sin2_refracted).sqrt();
        (direction * ratio + normal * along_normal).normalize()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-8, "{value} instead of {expected}");
    }

    /// Glass of index 1.5, water and ice.
    #[test]
    fn reflectances_of_glass_water_and_ice() {
        let at = |degrees: f64| Fresnel::at(degrees.to_radians().cos(), 1.0, 1.5);
        close(at(0.0).mean(), 0.04);
        close(at(45.0).s, 0.092_013_363_0);
        close(at(45.0).p, 0.008_466_458_98);
        close(at(45.0).mean(), 0.050_239_911_0);
        close(at(75.0).mean(), 0.253_060_563);
        for (degrees, passes) in
            [(0.0, 0.923_076_923), (45.0, 0.904_326_791), (75.0, 0.596_092_048)]
        {
            close(1.0 - pane_reflectance(at(degrees).mean()), passes);
        }
        close(Fresnel::at(1.0, 1.0, 1.328).mean(), 0.019_850_970_1);
        close(Fresnel::at(1.0, 1.0, 1.3031).mean(), 0.017_319_936_0);
    }

    #[test]
    fn brewsters_angle_and_total_reflection() {
        let brewster = 1.5f64.atan().cos();
        assert!(Fresnel::at(brewster, 1.0, 1.5).p < 1e-30);
        let critical = (1.0f64 / 1.5).asin();
        assert!(Fresnel::at((critical + 1e-6).cos(), 1.5, 1.0).mean() == 1.0);
        assert!(Fresnel::at((critical - 1e-2).cos(), 1.5, 1.0).mean() < 0.5);
    }

    /// Snell: n₁ sin θ₁ = n₂ sin θ₂, in the plane of incidence; and back again.
    #[test]
    fn refraction_follows_snell_and_can_be_reversed() {
        let normal = DVec3::new(0.0, 0.6, 0.8);
        let into = DVec3::new(0.4, -0.3, -0.9).normalize();
        let inside = refract(into, normal, 1.0 / 1.5).unwrap();
        close(into.cross(normal).length(), 1.5 * inside.cross(normal).length());
        assert!(inside.dot(into.cross(normal)).abs() < 1e-15);
        let back = refract(-inside, -normal, 1.5).unwrap();
        assert!((back + into).length() < 1e-15);
        assert!(refract(DVec3::new(0.9, 0.0, -0.3).normalize(), DVec3::Z, 1.5).is_none());
        assert_eq!(reflect(DVec3::new(0.6, 0.0, -0.8), DVec3::Z), DVec3::new(0.6, 0.0, 0.8));
    }
}
