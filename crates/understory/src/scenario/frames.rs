//! `frames` of a `[[world.object]]`: a mesh file for each frame, at equal steps in time.
//!
//! What enters: checked assets, one a frame. What leaves: one part of the scene that shows the frame
//! nearest to a time, as the skins of animated meshes do.

use super::animated::{AnimatedParts, Animation};
use super::mesh_asset::{AssetObject, AssetUser, MeshAsset, add_part};
use crate::Error;
use crate::world::motion::Repeat;
use crate::world::scene::SceneBuilder;
use crate::world::scene::mesh_file::Movement;

/// A mesh that changes its shape.
#[derive(Clone, Debug)]
pub(super) struct FrameSequence {
    /// One a frame, at least one.
    pub assets: Vec<MeshAsset>,
    pub step_s: f64,
    pub start_s: f64,
    pub repeat: Repeat,
}

impl FrameSequence {
    /// About how many triangles all frames have.
    pub fn triangles(&self) -> f64 {
        self.assets.iter().map(|asset| asset.from.triangles()).sum()
    }

    /// Reads all frames and adds them, ready to be placed.
    pub fn add_parts(
        &self,
        builder: &mut SceneBuilder,
        user: &AssetUser<'_>,
    ) -> Result<(Animation, AnimatedParts), Error> {
        let mut meshes = Vec::with_capacity(self.assets.len());
        let mut first: Option<Vec<u16>> = None;
        for asset in &self.assets {
            let file = asset.from.read_parts(asset.unit, asset.up, false)?;
            let Some(mesh) = file.meshes.first().filter(|_| file.parts.len() == 1) else {
                let path = asset.from.path().display();
                let problem = "a frame is one mesh, and this file has several";
                return Err(Error::invalid(path, problem, "join them into one"));
            };
            let used = mesh.triangle_material.iter().copied().collect();
            let ids = asset.material_ids(builder, user, &file.materials, &used)?;
            let id = |m: &u16| ids.get(usize::from(*m)).copied().unwrap_or(0);
            let of_triangle: Vec<u16> = mesh.triangle_material.iter().map(id).collect();
            // Hits are told their material by the number of the triangle alone.
            match &first {
                None => first = Some(of_triangle),
                Some(first) if *first == of_triangle => {}
                Some(first) => {
                    let problem = format!(
                        "it has {} triangles of other materials than the {} of the first frame",
                        of_triangle.len(),
                        first.len()
                    );
                    let remedy = "give all frames the same triangles and materials";
                    return Err(Error::invalid(asset.from.path().display(), problem, remedy));
                }
            }
            let added = add_part(builder, mesh, &mesh.positions, &file.materials, &ids, user.edges);
            let here = |source| Error::Object { location: user.location.to_owned(), source };
            meshes.push(added.map_err(here)?);
        }
        let movement = Movement::Frames { frames: Vec::new(), step_s: self.step_s };
        let parts = AnimatedParts {
            objects: vec![AssetObject::default()],
            duration_s: self.step_s * (meshes.len() - 1) as f64,
            parts: vec![(0, movement, meshes)],
        };
        Ok((Animation::of_frames(self.repeat, self.start_s), parts))
    }
}
