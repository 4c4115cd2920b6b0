//! The volumes of a site for other programs: a table (CSV, NPY) or ellipsoids (PLY).
//!
//! What enters: a [`Site`]. What leaves: one row per volume in world coordinates, or a mesh of
//! ellipsoids at the Mahalanobis distance τ coloured by permeability (Deschaud 2012, figure 3). The
//! ellipsoid of a volume is mean + τ·L·u for u on the unit sphere and Σ = L·Lᵀ; its triangles are
//! those of an icosahedron, split or not. A surface becomes a mesh of its own.

use std::io::Write;
use std::path::Path;

use glam::{DMat3, DVec3, Vec3};
use npyz::WriterBuilder;
use understory_cloud::StagedFile;

use super::file::cannot_write;
use super::{Evidence, Site, Volume};
use crate::LearnError;

/// One volume, as tables have it.
#[derive(Clone, Copy, Debug, PartialEq, npyz::Serialize, npyz::AutoSerialize)]
struct Row {
    x_m: f64,
    y_m: f64,
    z_m: f64,
    xx_m2: f32,
    yy_m2: f32,
    zz_m2: f32,
    xy_m2: f32,
    xz_m2: f32,
    yz_m2: f32,
    depth: f32,
    permeability: f32,
    intensity_mean: f32,
    intensity_sigma: f32,
    label: u16,
    level: u16,
    points: u32,
    stopped: u32,
    passed: u32,
    red: u8,
    green: u8,
    blue: u8,
}

/// Names of the columns of a table of volumes.
const COLUMNS: &str = "x_m,y_m,z_m,xx_m2,yy_m2,zz_m2,xy_m2,xz_m2,yz_m2,depth,permeability,\
                       intensity_mean,intensity_sigma,label,level,points,stopped,passed,\
                       red,green,blue";

impl Row {
    fn new(site: &Site, volume: &Volume, evidence: &Evidence, colour: [u8; 3]) -> Row {
        let centre = Vec3::from(volume.mean_m).as_dvec3() + site.origin;
        let covariance = volume.gaussian().precision.inverse();
        let [x, y, z] = [covariance.x_axis, covariance.y_axis, covariance.z_axis];
        Row {
            x_m: centre.x,
            y_m: centre.y,
            z_m: centre.z,
            xx_m2: x.x as f32,
            yy_m2: y.y as f32,
            zz_m2: z.z as f32,
            xy_m2: x.y as f32,
            xz_m2: x.z as f32,
            yz_m2: y.z as f32,
            depth: volume.depth,
            permeability: volume.permeability() as f32,
            intensity_mean: volume.intensity_mean.to_f32(),
            intensity_sigma: volume.intensity_sigma.to_f32(),
            label: volume.label,
            level: volume.level.into(),
            points: evidence.points,
            stopped: evidence.stopped,
            passed: evidence.passed,
            red: colour[0],
            green: colour[1],
            blue: colour[2],
        }
    }
}

impl Site {
    fn rows(&self) -> impl Iterator<Item = Row> {
        let pairs = self.volumes.iter().zip(&self.evidence);
        pairs.enumerate().map(|(index, (volume, evidence))| {
            let colour = self.colours.get(index).copied().unwrap_or_default();
            Row::new(self, volume, evidence, colour)
        })
    }

    /// Writes one line per volume, after a line of names.
    pub fn write_csv(&self, path: &Path) -> Result<(), LearnError> {
        let mut file = StagedFile::create(path)?;
        let failed = |error| cannot_write(path, error);
        writeln!(file, "{COLUMNS}").map_err(failed)?;
        for r in self.rows() {
            writeln!(
                file,
                "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                r.x_m,
                r.y_m,
                r.z_m,
                r.xx_m2,
                r.yy_m2,
                r.zz_m2,
                r.xy_m2,
                r.xz_m2,
                r.yz_m2,
                r.depth,
                r.permeability,
                r.intensity_mean,
                r.intensity_sigma,
                r.label,
                r.level,
                r.points,
                r.stopped,
                r.passed,
                r.red,
                r.green,
                r.blue
            )
            .map_err(failed)?;
        }
        file.publish()?;
        Ok(())
    }

    /// Writes the volumes as an array of records for NumPy.
    pub fn write_npy(&self, path: &Path) -> Result<(), LearnError> {
        let failed = |error| cannot_write(path, error);
        let mut file = StagedFile::create(path)?;
        let mut writer = npyz::WriteOptions::new()
            .default_dtype()
            .shape(&[self.volumes.len() as u64])
            .writer(&mut file)
            .begin_nd()
            .map_err(failed)?;
        writer.extend(self.rows()).map_err(failed)?;
        writer.finish().map_err(failed)?;
        file.publish()?;
        Ok(())
    }

    /// Writes the ellipsoids of the volumes at the Mahalanobis distance `tau` as a mesh, each with
    /// 20·4^`splits` triangles; or the surface, where the site is one.
    pub fn write_ellipsoids(
        &self,
        path: &Path,
        tau: f64,
        splits: u32,
    ) -> Result<EllipsoidReport, LearnError> {
        let (sphere, faces) = unit_sphere(splits.min(4));
        let none = crate::site::SurfaceMesh::default();
        let surface = self.surface.as_ref().unwrap_or(&none);
        let report = EllipsoidReport {
            vertices: (self.volumes.len() * sphere.len() + surface.vertices.len()) as u64,
            triangles: (self.volumes.len() * faces.len() + surface.triangles.len()) as u64,
        };
        if report.vertices > u64::from(u32::MAX) {
            return Err(LearnError::BadSetting {
                setting: "number of corners of the ellipsoids",
                value: report.vertices as f64,
                wanted: "below 2^32",
                remedy: "split them less often, or crop the site",
            });
        }
        let mut file = StagedFile::create(path)?;
        let failed = |error| cannot_write(path, error);
        write!(
            file,
            "ply\nformat binary_little_endian 1.0\ncomment ellipsoids of a learned site at tau {tau}\n\
             element vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\n\
             element face {}\nproperty list uchar int vertex_indices\nend_header\n",
            report.vertices, report.triangles
        )
        .map_err(failed)?;
        let mut put = |at: DVec3, colour: [u8; 3]| -> std::io::Result<()> {
            let mut bytes = [0; 27];
            for (to, x) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(at.to_array()) {
                *to = x.to_le_bytes();
            }
            bytes[24..].copy_from_slice(&colour);
            file.write_all(&bytes)
        };
        for volume in &self.volumes {
            let (centre, shape) = ellipsoid(volume);
            let colour = permeability_colour(volume.permeability());
            for u in &sphere {
                put(centre + self.origin + shape * *u * tau, colour).map_err(failed)?;
            }
        }
        for vertex in &surface.vertices {
            put(Vec3::from(*vertex).as_dvec3() + self.origin, [160; 3]).map_err(failed)?;
        }
        let mut face = |first: usize, triangle: &[u32; 3]| -> std::io::Result<()> {
            let mut bytes = [3; 13];
            for (to, v) in bytes[1..].as_chunks_mut::<4>().0.iter_mut().zip(triangle) {
                *to = (*v + first as u32).to_le_bytes();
            }
            file.write_all(&bytes)
        };
        for volume in 0..self.volumes.len() {
            for triangle in &faces {
                face(volume * sphere.len(), triangle).map_err(failed)?;
            }
        }
        for triangle in &surface.triangles {
            face(self.volumes.len() * sphere.len(), triangle).map_err(failed)?;
        }
        file.publish()?;
        Ok(report)
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EllipsoidReport {
    /// Corners.
    pub vertices: u64,
    /// Triangles.
    pub triangles: u64,
}

/// Centre of a volume around the site's origin, and L with Σ = L·Lᵀ: what makes its ellipsoid of
/// one standard deviation of the unit sphere.
pub fn ellipsoid(volume: &Volume) -> (DVec3, DMat3) {
    let gaussian = volume.gaussian();
    let covariance = gaussian.precision.inverse();
    let matrix = nalgebra::Matrix3::from_column_slice(&covariance.to_cols_array());
    let factor = matrix.cholesky().map_or_else(nalgebra::Matrix3::zeros, |c| c.l());
    let mut columns = [0.0; 9];
    columns.copy_from_slice(factor.as_slice());
    (gaussian.mean, DMat3::from_cols_array(&columns))
}

/// Opaque is dark red, half is yellow, clear is light blue.
pub fn permeability_colour(rho: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 3] = [[120.0, 20.0, 20.0], [240.0, 200.0, 40.0], [170.0, 220.0, 250.0]];
    let place = rho.clamp(0.0, 1.0) * 2.0;
    let first = (place as usize).min(1);
    let share = place - first as f64;
    let mix =
        |channel: usize| STOPS[first][channel] * (1.0 - share) + STOPS[first + 1][channel] * share;
    [0, 1, 2].map(|channel| mix(channel).round() as u8)
}

/// Corners and triangles of an icosahedron on the unit sphere, each triangle split into four
/// `splits` times.
pub fn unit_sphere(splits: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    // The corners of three golden rectangles.
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners: Vec<DVec3> = Vec::new();
    for (a, b) in [(-1.0, -g), (1.0, -g), (-1.0, g), (1.0, g)] {
        corners.extend([DVec3::new(a, b, 0.0), DVec3::new(0.0, a, b), DVec3::new(b, 0.0, a)]);
    }
    // Neighbours are 2 apart before they are brought to the sphere; a face is three of them.
    let near = |a: usize, b: usize| (corners[a].distance(corners[b]) - 2.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let normal = (corners[b] - corners[a]).cross(corners[c] - corners[a]);
                    let out = normal.dot(corners[a]) > 0.0;
                    let face = if out { [a, b, c] } else { [a, c, b] };
                    faces.push(face.map(|v| v as u32));
                }
            }
        }
    }
    corners.iter_mut().for_each(|corner| *corner = corner.normalize());
    for _ in 0..splits {
        let mut middles = std::collections::HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                corners.push(((corners[a as usize] + corners[b as usize]) / 2.0).normalize());
                corners.len() as u32 - 1
            })
        };
        let split = |[a, b, c]: [u32; 3]| {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        faces = faces.into_iter().flat_map(split).collect();
    }
    (corners, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::file::tests::sample;

    #[test]
    fn spheres_are_closed_and_round() {
        for (splits, corners, faces) in [(0, 12, 20), (1, 42, 80), (2, 162, 320)] {
            let (vertices, triangles) = unit_sphere(splits);
            assert_eq!((vertices.len(), triangles.len()), (corners, faces));
            assert!(vertices.iter().all(|v| (v.length() - 1.0).abs() < 1e-12));
            let volume: f64 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| vertices[v as usize]);
                    a.cross(b).dot(c) / 6.0
                })
                .sum();
            let full = 4.0 / 3.0 * std::f64::consts::PI;
            assert!(volume < full && volume > full * 0.6, "{volume}");
        }
    }

    /// Every corner of every ellipsoid is τ away from its volume.
    #[test]
    fn ellipsoids_lie_at_tau() {
        let site = sample();
        let (sphere, _) = unit_sphere(1);
        for volume in &site.volumes {
            let gaussian = volume.gaussian();
            let (centre, shape) = ellipsoid(volume);
            for u in &sphere {
                let out = shape * *u * 2.0;
                let tau = out.dot(gaussian.precision * out).sqrt();
                assert!((tau - 2.0).abs() < 1e-6 && centre == gaussian.mean, "{tau}");
            }
        }
    }

    #[test]
    fn tables_and_meshes_have_as_many_rows_as_volumes() {
        let site = sample();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        site.write_csv(&at("a.csv")).unwrap();
        let text = std::fs::read_to_string(at("a.csv")).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 41);
        assert!(lines.iter().all(|line| line.split(',').count() == 21));
        site.write_npy(&at("a.npy")).unwrap();
        let npy = npyz::NpyFile::new(std::fs::File::open(at("a.npy")).unwrap()).unwrap();
        assert_eq!(npy.shape(), [40]);
        let report = site.write_ellipsoids(&at("a.ply"), 2.0, 0).unwrap();
        assert_eq!((report.vertices, report.triangles), (40 * 12 + 3, 801));
        let bytes = std::fs::read(at("a.ply")).unwrap();
        let header = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        assert_eq!(bytes.len() - header, 483 * 27 + 801 * 13);
    }

    #[test]
    fn opaque_is_dark_and_clear_is_light() {
        let luminance = |rho| permeability_colour(rho).iter().map(|c| u32::from(*c)).sum::<u32>();
        assert!(luminance(0.0) < luminance(0.5) && luminance(0.5) < luminance(1.0));
    }
}
