use super::*;
use crate::volume::gaussian::Gaussian;
use glam::DMat3;
use proptest::prelude::*;

/// A small site that has everything.
pub(crate) fn sample() -> Site {
    let volumes: Vec<Volume> = (0..40)
        .map(|k| {
            let at = f64::from(k);
            let mean = DVec3::new(0.02 + 0.05 * at, -1.0 + 0.013 * at, 0.3 * (at % 3.0));
            let turn = DMat3::from_rotation_z(0.2 * at);
            let sizes = DVec3::new(0.02, 0.01, 0.004).map(|s| s * s);
            let covariance = turn * DMat3::from_diagonal(sizes) * turn.transpose();
            let gaussian = Gaussian::new(mean, covariance).unwrap();
            let mut volume = Volume::new(&gaussian, 0.1 * at);
            if k == 7 {
                volume.depth = f32::INFINITY;
            }
            if k % 2 == 0 {
                volume.intensity_mean = f16::from_f64(0.01 * at);
                volume.intensity_sigma = f16::from_f64(0.02);
            }
            volume.label = k as u16 % 4 * 20;
            volume.level = k as u8 % 3;
            volume
        })
        .collect();
    let evidence =
        (0..40).map(|k| Evidence { points: 3 + k, stopped: 2 * k, passed: 100 - k }).collect();
    Site {
        origin: DVec3::new(4.5e5, 5.4e6, 120.25),
        model: Model::Voxel,
        gate: Gate::Cell { tau: 2.0 },
        cell_m: 0.05,
        volumes,
        evidence,
        colours: Vec::new(),
        surface: Some(SurfaceMesh {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.5], [0.0, 1.0, 0.1]],
            triangles: vec![[0, 1, 2]],
        }),
        provenance: Provenance {
            beams: 123_456_789_012,
            misses: 17,
            sigma_range_m: 0.1 + 0.2,
            divergence_rad: 2e-3,
            footprint_removed: true,
            remarks: vec!["learned from \"a.laz\"\nand b.laz".into(), "τ = 2".into()],
            ..Provenance::default()
        },
    }
}

/// The site with every NaN replaced, so that it equals itself.
fn comparable(mut site: Site) -> Site {
    for volume in &mut site.volumes {
        if volume.intensity_mean.is_nan() {
            volume.intensity_mean = f16::from_f32(-1.0);
        }
    }
    site
}

fn written(site: &Site) -> (tempfile::TempDir, std::path::PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.site");
    site.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    (folder, path, bytes)
}

fn problem(path: &Path, bytes: &[u8]) -> String {
    std::fs::write(path, bytes).unwrap();
    match Site::read(path) {
        Err(error @ LearnError::BadSite { .. }) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("read without complaint"),
    }
}

#[test]
fn a_site_comes_back_to_the_bit() {
    let site = sample();
    let (_folder, path, bytes) = written(&site);
    let back = Site::read(&path).unwrap();
    assert_eq!(comparable(back), comparable(site.clone()));
    assert_eq!(SiteHead::read(&path).unwrap().volumes, 40);
    assert_eq!(&bytes[..8], &MAGIC);
    // Volumes lie at a multiple of 64 as they do in memory: the mean of volume 1 is its first field.
    let x = f32::from_le_bytes(bytes[256 + 48..][..4].try_into().unwrap());
    assert_eq!(x, site.volumes[1].mean_m[0]);
    let (_folder, _, again) = written(&site);
    assert_eq!(bytes, again);

    let mut bare = site;
    bare.surface = None;
    (bare.volumes, bare.evidence) = (Vec::new(), Vec::new());
    bare.gate = Gate::Soft;
    bare.provenance = Provenance::default();
    let (_folder, path, _) = written(&bare);
    assert_eq!(Site::read(&path).unwrap(), bare);
}

#[test]
fn every_altered_byte_is_found() {
    let (_folder, path, bytes) = written(&sample());
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 1 << (at % 8);
        let problem = problem(&path, &altered);
        assert!(problem.contains("; "), "byte {at}: {problem}");
    }
}

#[test]
fn files_that_are_cut_short_or_too_long_are_refused() {
    let (_folder, path, bytes) = written(&sample());
    for length in [0, 3, 8, 11, 12, 100, 255, 256, 300, bytes.len() - 1] {
        let problem = problem(&path, &bytes[..length]);
        let expected = if length < 8 { "does not begin" } else { "cut short" };
        assert!(problem.contains(expected), "{length}: {problem}");
    }
    let mut longer = bytes;
    longer.push(0);
    assert!(problem(&path, &longer).contains("too long"));
    assert!(problem(&path, b"LASF and so on").contains("does not begin as site files do"));
}

/// A header with a right checksum may still lie about everything.
#[test]
fn sizes_that_lie_take_no_memory() {
    let (_folder, path, bytes) = written(&sample());
    let forge = |at: usize, with: &[u8]| {
        let mut forged = bytes.clone();
        forged[at..at + with.len()].copy_from_slice(with);
        let sum = crc32fast::hash(&forged[..HEADER_SUM]);
        forged[HEADER_SUM..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
        problem(&path, &forged)
    };
    for count in [41u64, 1 << 40, u64::MAX / 48, u64::MAX] {
        assert!(forge(SECTION_TABLE + 8, &count.to_le_bytes()).contains("altered"), "{count}");
    }
    assert!(forge(8, &4u32.to_le_bytes()).contains("version 4 and this program reads 3"));
    assert!(forge(16, &u64::MAX.to_le_bytes()).contains("altered"));
    assert!(forge(56, &9u32.to_le_bytes()).contains("altered"), "an unknown model");
    assert!(forge(48, &f64::NAN.to_le_bytes()).contains("cells are NaN m wide"));
    assert!(forge(64, &(-2f32).to_le_bytes()).contains("τ is -2"));
}

#[test]
fn sites_that_cannot_be_simulated_are_refused_by_name() {
    let change = |what: &str, change: fn(&mut Site)| {
        let mut site = sample();
        change(&mut site);
        let path = tempfile::tempdir().unwrap().path().join("never.site");
        let error = site.write(&path).unwrap_err().to_string();
        assert!(error.contains(what), "{what}: {error}");
        assert!(!path.exists());
    };
    change("volume 3 lies at", |s| s.volumes[3].mean_m[1] = f32::NAN);
    change("volume 3 lies at", |s| s.volumes[3].mean_m[1] = 2049.0);
    change("volume 5 has no valid shape", |s| s.volumes[5].precision[0] = f32::INFINITY);
    change("volume 5 has no valid shape", |s| s.volumes[5].precision[3] = 1e6);
    change("volume 6 has the optical depth -1", |s| s.volumes[6].depth = -1.0);
    change("volume 6 has the optical depth NaN", |s| s.volumes[6].depth = f32::NAN);
    change("volume 9 stops rays as far as", |s| {
        s.volumes[9].precision = [1e-7, 1e-7, 1e-7, 0.0, 0.0, 0.0];
    });
    change("halved 32 times", |s| s.volumes[0].level = 32);
    change("intensities of 0 ± NaN", |s| s.volumes[0].intensity_sigma = f16::NAN);
    change("40 volumes and evidence of 39", |s| s.evidence.truncate(39));
    change("its origin is", |s| s.origin.y = f64::INFINITY);
    change("triangle 0 of its surface", |s| s.surface.as_mut().unwrap().triangles[0][2] = 3);
    change("vertex 1 of its surface", |s| {
        s.surface.as_mut().unwrap().vertices[1][0] = f32::NAN;
    });
    change("`sigma_range_m`", |s| s.provenance.sigma_range_m = -1.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever follows the first bytes, reading ends with a sentence.
    #[test]
    fn noise_is_no_site(noise in proptest::collection::vec(any::<u8>(), 0..600)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("noise.site");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(noise);
        prop_assert!(problem(&path, &bytes).contains("no valid site file"));
    }
}

/// Colours make it version 3 and come back; without them not a byte is different from before.
#[test]
fn colours_are_a_section_of_their_own() {
    let plain = sample();
    let colours: Vec<[u8; 3]> = (0..40).map(|k| [k, 255 - k, 7]).collect();
    let coloured = Site { colours: colours.clone(), ..plain.clone() };
    let ((_, _, without), (_folder, path, with)) = (written(&plain), written(&coloured));
    assert_eq!((without[8], with[8]), (1, 3));
    assert_eq!(Site::read(&path).unwrap().colours, colours);
    let start = without.len().next_multiple_of(64);
    assert_eq!(with.len(), start + 120);
    assert_eq!(with[start..], colours.concat());
    // What was there stays where it was.
    assert_eq!(with[HEADER_BYTES..without.len()], without[HEADER_BYTES..]);
    let mut altered = with.clone();
    altered[start + 5] ^= 1;
    assert!(problem(&path, &altered).contains("its colours were altered"));
    let few = Site { colours: colours[..39].to_vec(), ..plain.clone() };
    assert!(few.check().unwrap_err().contains("40 volumes and 39 colours"));
    // A header of version 1 or 2 that has the section is none.
    let mut older = with;
    older[8] = 2;
    let sum = crc32fast::hash(&older[..HEADER_SUM]).to_le_bytes();
    older[HEADER_SUM..HEADER_BYTES].copy_from_slice(&sum);
    assert!(problem(&path, &older).contains("its header was altered"));
}
