//! The offset of coordinates in a file: a round point near a site, so that what is stored relative
//! to it keeps its digits.
//!
//! LAS, LAZ and PCD have one. A run takes it from where its platform starts, a conversion from its
//! first return; both by [`round_offset_m`].

/// Half the side of the cube around the world's origin in which coordinates are left alone.
const LOCAL_SITE_M: f64 = 4000.0;

/// The offset of a site of which `near_m` is a point.
///
/// A site within 4 km of the world's origin has none, because it is best read as it is; another has
/// the nearest whole kilometres on all axes. A coordinate that is no number has offset 0.
///
/// ```
/// use understory_cloud::round_offset_m;
/// assert_eq!(round_offset_m([500_123.4, 5_400_600.0, 102.0]), [500_000.0, 5_401_000.0, 0.0]);
/// ```
pub fn round_offset_m(near_m: [f64; 3]) -> [f64; 3] {
    let far = near_m.iter().any(|c| c.is_finite() && c.abs() > LOCAL_SITE_M);
    // Adding 0 makes 0 of −0, which would look odd in a header.
    near_m.map(|c| if far && c.is_finite() { (c / 1000.0).round() * 1000.0 + 0.0 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_whole_kilometres_and_local_sites_have_none() {
        assert_eq!(round_offset_m([12.0, -3999.0, 4000.0]), [0.0, 0.0, 0.0]);
        assert_eq!(
            round_offset_m([500_123.4, 5_400_600.0, f64::NAN]),
            [500_000.0, 5_401_000.0, 0.0]
        );
        // All axes of a site far away, also those on which it is near.
        assert_eq!(round_offset_m([-500_123.4, 3_200.0, 0.0]), [-500_000.0, 3_000.0, 0.0]);
        assert!(round_offset_m([-500_123.4, -3.0, 0.0])[1].is_sign_positive());
    }
}
