//! The `[[world.site]]` tables: learned sites, checked by their headers and placed in the scene.

use super::file::SiteFile;
use super::given::{self, InMemoryAssets};
use super::labels::check_label;
use super::memory::PartEstimate;
use super::number;
use crate::Error;
use crate::world::scene::Surface;
use crate::world::scene::material::{Material, Spectrum};
use crate::world::scene::volume::{PlacedSite, RangeDraw, SitePlace, SiteRays};
use crate::world::scene::{MeshMaterials, SceneBuilder};
use crate::world::trajectory::Pose;
use glam::{DAffine3, DQuat, DVec3, Vec3};
use std::path::PathBuf;
use std::sync::Arc;
use understory_files::LayeredToml;
use understory_geometry::{Edges, GeometryError};
use understory_learn::site::Site;
use understory_learn::site::SiteHead;
use understory_learn::site::{ellipsoid, permeability_colour, unit_sphere};

/// Name of the material of everything that was learned.
const MATERIAL: &str = "learned";
/// Its reflectance, where no intensity was learned.
const REFLECTANCE: f64 = 0.5;
const COLOUR: [u8; 3] = [110, 140, 90];

/// Ellipsoids that are shown of one site; of more volumes only some are.
const SHOWN_MAX: usize = 200_000;
/// Their size in standard deviations, and into how many colours permeabilities are sorted.
const SHOWN_TAU: f64 = 1.5;
const SHOWN_COLOURS: usize = 8;

/// What becomes of the volumes of sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sites {
    /// They stop rays by chance.
    Simulate,
    /// They are ellipsoids to look at.
    Show,
}

/// A learned site that was found valid as far as its header says, but is not read.
#[derive(Clone, Debug)]
pub struct SiteSpec {
    /// Where it is described.
    location: String,
    pub name: String,
    source: SiteSource,
    label: u16,
    /// Where the site's origin comes to lie; none: where it was learned.
    position_m: Option<DVec3>,
    rotation: DQuat,
    rays: SiteRays,
    draw: RangeDraw,
    volumes: u64,
    triangles: u64,
}

/// Where a site comes from.
#[derive(Clone, Debug)]
enum SiteSource {
    /// A file.
    File(PathBuf),
    /// The program.
    Given(Arc<Site>),
}

impl SiteSpec {
    /// A site that was not read from a file, where it was learned.
    pub fn given(name: &str, site: Arc<Site>, rays: SiteRays) -> SiteSpec {
        SiteSpec {
            location: format!("site {name:?}"),
            name: name.to_owned(),
            label: 0,
            position_m: None,
            rotation: DQuat::IDENTITY,
            rays,
            draw: RangeDraw::default(),
            volumes: site.volumes.len() as u64,
            triangles: site.surface.as_ref().map_or(0, |surface| surface.triangles.len() as u64),
            source: SiteSource::Given(site),
        }
    }

    /// Checks a table and the header of its file.
    pub fn check(
        layers: &LayeredToml<'_>,
        assets: &InMemoryAssets,
        file: &SiteFile,
    ) -> Result<SiteSpec, Error> {
        let name = file.name.get_ref();
        if name.trim().is_empty() {
            let remedy = "give the site a name";
            return Err(layers.invalid(&file.name.span(), "`name` is empty", remedy));
        }
        let (source, volumes, triangles) = match given::name(file.file.get_ref()) {
            Some(name) => {
                let known = &assets.sites;
                let site = given::find(layers, &file.file.span(), known, "site", name)?;
                let spec = SiteSpec::given(name, site, file.rays);
                (spec.source, spec.volumes, spec.triangles)
            }
            None => {
                let path = layers.file(&file.file.span(), file.file.get_ref())?;
                let head = SiteHead::read(&path)?;
                (SiteSource::File(path), head.volumes, head.triangles)
            }
        };
        let pose = number::pose(file.position_m.as_ref(), file.rotation_deg.as_ref());
        Ok(SiteSpec {
            location: layers.location(&file.name.span()),
            name: name.clone(),
            source,
            label: file.label.as_ref().map_or(Ok(0), |label| check_label(layers, label))?,
            position_m: file.position_m.as_ref().map(|_| pose.translation),
            rotation: pose.rotation,
            rays: file.rays,
            draw: file.range_draw,
            volumes,
            triangles,
        })
    }

    /// What it will need.
    pub fn estimate(&self) -> PartEstimate {
        PartEstimate {
            location: self.location.clone(),
            name: self.name.clone(),
            source_triangles: self.triangles as f64,
            instances: 1.0,
            effective_triangles: self.triangles as f64,
            volumes: self.volumes as f64,
        }
    }

    /// Reads the site; its surface becomes a mesh of the scene, its volumes are returned.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        number: u32,
        use_of_sites: Sites,
    ) -> Result<Option<PlacedSite>, Error> {
        let here =
            |source: GeometryError| Error::Object { location: self.location.clone(), source };
        let site = match &self.source {
            SiteSource::File(path) => Arc::new(Site::read(path)?),
            SiteSource::Given(site) => site.clone(),
        };
        let translation = self.position_m.unwrap_or(site.origin);
        let world_from_site = Pose { rotation: self.rotation, translation };
        let reflectance = Spectrum::constant(REFLECTANCE).unwrap_or(Spectrum::ZERO);
        let material = Material::diffuse(MATERIAL, reflectance, COLOUR);
        let material = builder.add_material(material).map_err(here)?;
        let object = builder.add_object(self.name.clone(), self.label).map_err(here)?;
        if let Some(surface) = site.surface.as_ref().filter(|s| !s.triangles.is_empty()) {
            let corners: Vec<DVec3> =
                surface.vertices.iter().map(|v| Vec3::from(*v).as_dvec3()).collect();
            let materials = MeshMaterials::Uniform(material);
            let triangles = surface.triangles.clone();
            let mesh = builder.add_mesh(&corners, triangles, materials, Edges::Closed);
            let to_world = DAffine3::from_rotation_translation(self.rotation, translation);
            builder.add_instance(mesh.map_err(here)?, object, to_world).map_err(here)?;
        }
        if site.volumes.is_empty() {
            return Ok(None);
        }
        if use_of_sites == Sites::Show {
            self.show(builder, object, &site, &world_from_site).map_err(here)?;
            return Ok(None);
        }
        let surface = Surface { object, material, label: self.label, volume: 0 };
        let place = SitePlace {
            name: self.name.clone(),
            world_from_site,
            surface,
            rays: self.rays,
            draw: self.draw,
            number,
        };
        PlacedSite::new(&site, place).map(Some).map_err(here)
    }

    /// Adds the volumes as ellipsoids, coloured by how much light they let through.
    fn show(
        &self,
        builder: &mut SceneBuilder,
        object: u32,
        site: &Site,
        world_from_site: &Pose,
    ) -> Result<(), GeometryError> {
        let step = site.volumes.len().div_ceil(SHOWN_MAX).max(1);
        if step > 1 {
            tracing::warn!("of the volumes of {:?} one in {step} is shown", self.name);
        }
        let (corners, triangles) = unit_sphere(1);
        let mut meshes = Vec::with_capacity(SHOWN_COLOURS);
        for colour in 0..SHOWN_COLOURS {
            let rho = (colour as f64 + 0.5) / SHOWN_COLOURS as f64;
            let reflectance = Spectrum::constant(REFLECTANCE).unwrap_or(Spectrum::ZERO);
            let name = format!("{MATERIAL}, permeability {rho:.2}");
            let material = Material::diffuse(&name, reflectance, permeability_colour(rho));
            let material = MeshMaterials::Uniform(builder.add_material(material)?);
            meshes.push(builder.add_mesh(&corners, triangles.clone(), material, Edges::Closed)?);
        }
        let to_world = DAffine3::from_rotation_translation(
            world_from_site.rotation,
            world_from_site.translation,
        );
        for volume in site.volumes.iter().step_by(step) {
            let (centre, shape) = ellipsoid(volume);
            let colour = (volume.permeability() * SHOWN_COLOURS as f64) as usize;
            let mesh = meshes[colour.min(SHOWN_COLOURS - 1)];
            let place = DAffine3::from_mat3_translation(shape * SHOWN_TAU, centre);
            builder.add_instance(mesh, object, to_world * place)?;
        }
        Ok(())
    }
}
