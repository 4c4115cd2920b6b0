//! The axes of a woody plant: nodes that know their parents, and the radii of the pipe model.
//!
//! What enters: nodes, parents before children. What leaves: positions and radii. Radii follow
//! Leonardo's rule, r^n = Σ r_i^n over the children of a node: each twig's end is one pipe that
//! runs down to the root (Shinozaki et al. 1964), and n is what makes the stem as thick as asked.

use glam::DVec3;
use understory_base::math;

/// A point on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub position: DVec3,
    /// The node below; none at the foot of a stem.
    pub parent: Option<u32>,
    /// Radius of the axis here.
    pub radius_m: f64,
    /// Whether the piece from the parent to here bears leaves.
    pub leafy: bool,
}

/// All axes of a plant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Skeleton {
    /// A parent stands before its children.
    pub nodes: Vec<Node>,
    /// n of the pipe model.
    pub pipe_exponent: f64,
}

impl Skeleton {
    pub fn push(&mut self, position: DVec3, parent: Option<u32>, leafy: bool) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { position, parent, radius_m: 0.0, leafy });
        index
    }

    pub fn position(&self, node: u32) -> DVec3 {
        self.nodes[node as usize].position
    }

    /// From the parent to the node; straight up at the foot.
    pub fn direction(&self, node: u32) -> DVec3 {
        let node = &self.nodes[node as usize];
        let below = node.parent.map_or(node.position - DVec3::Z, |parent| self.position(parent));
        (node.position - below).normalize_or(DVec3::Z)
    }

    /// Number of twig ends at or above each node.
    pub fn tips(&self) -> Vec<u32> {
        let mut tips = vec![0u32; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            tips[i] = tips[i].max(1);
            if let Some(parent) = node.parent {
                tips[parent as usize] += tips[i];
            }
        }
        tips
    }

    /// Length of the longest way from each node to a twig's end.
    pub fn length_above(&self) -> Vec<f64> {
        let mut above = vec![0.0f64; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let length = above[i] + node.position.distance(self.position(parent));
                above[parent as usize] = above[parent as usize].max(length);
            }
        }
        above
    }

    /// The child that goes on with the axis of each node: the one that bears most twigs.
    pub fn main_child(&self, tips: &[u32]) -> Vec<Option<u32>> {
        let mut main: Vec<Option<u32>> = vec![None; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                let best = &mut main[parent as usize];
                if best.is_none_or(|other| tips[other as usize] < tips[i]) {
                    *best = Some(i as u32);
                }
            }
        }
        main
    }

    /// Sets all radii so that twig ends have `tip_m` and the feet together as many pipes as
    /// `stems` stems of `stem_m`.
    pub fn set_radii(&mut self, tip_m: f64, stem_m: f64, stems: u32) {
        let tips = self.tips();
        let feet = self.nodes.iter().zip(&tips).filter(|(node, _)| node.parent.is_none());
        let total: u32 = feet.map(|(_, &tips)| tips).sum();
        let per_stem = f64::from(total) / f64::from(stems.max(1));
        self.pipe_exponent = (math::ln(per_stem.max(2.0)) / math::ln(stem_m / tip_m)).max(1.0);
        for (node, &tips) in self.nodes.iter_mut().zip(&tips) {
            node.radius_m = tip_m * math::powf(f64::from(tips), 1.0 / self.pipe_exponent);
        }
    }

    /// Rounds off the kinks of the growing: each inner node moves towards the middle of its
    /// neighbours on the axis. Feet stay.
    pub fn smooth(&mut self, passes: usize) {
        let main = self.main_child(&self.tips());
        for _ in 0..passes {
            let old: Vec<DVec3> = self.nodes.iter().map(|node| node.position).collect();
            for (i, node) in self.nodes.iter_mut().enumerate() {
                if let (Some(below), Some(above)) = (node.parent, main[i]) {
                    let middle = (old[below as usize] + old[above as usize]) * 0.5;
                    node.position = old[i].lerp(middle, 0.5);
                }
            }
        }
    }

    /// Stretches the plant upwards so that its highest node is at `height_m`.
    pub fn stretch_to(&mut self, height_m: f64) {
        let top = self.nodes.iter().map(|node| node.position.z).fold(0.0, f64::max);
        if top > 0.0 {
            for node in &mut self.nodes {
                node.position.z *= height_m / top;
            }
        }
    }

    /// Whether parents exist and stand before their children, radii fall outwards and the pipe
    /// model holds.
    #[cfg(test)]
    pub fn assert_valid(&self) {
        let mut pipes = vec![0.0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            assert!(node.position.is_finite() && node.radius_m > 0.0);
            if let Some(parent) = node.parent {
                assert!((parent as usize) < i);
                assert!(node.radius_m <= self.nodes[parent as usize].radius_m * (1.0 + 1e-12));
                pipes[parent as usize] += math::powf(node.radius_m, self.pipe_exponent);
            }
        }
        for (node, above) in self.nodes.iter().zip(pipes) {
            let own = math::powf(node.radius_m, self.pipe_exponent);
            assert!(above == 0.0 || (own / above - 1.0).abs() < 1e-9, "{own} {above}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stem that forks into two twigs, one of which forks again.
    fn forked() -> Skeleton {
        let mut skeleton = Skeleton::default();
        let foot = skeleton.push(DVec3::ZERO, None, false);
        let fork = skeleton.push(DVec3::Z, Some(foot), false);
        let left = skeleton.push(DVec3::new(-1.0, 0.0, 2.0), Some(fork), false);
        skeleton.push(DVec3::new(1.0, 0.0, 2.0), Some(fork), false);
        skeleton.push(DVec3::new(-2.0, 0.0, 3.0), Some(left), false);
        skeleton.push(DVec3::new(-1.0, 0.0, 3.0), Some(left), false);
        skeleton
    }

    #[test]
    fn three_pipes_make_a_stem() {
        let mut skeleton = forked();
        skeleton.set_radii(0.01, 0.01 * 3f64.sqrt(), 1);
        // (0.01 √3)² = 3 · 0.01²: Leonardo's own exponent.
        assert!((skeleton.pipe_exponent - 2.0).abs() < 1e-12);
        assert_eq!(skeleton.tips(), [3, 3, 2, 1, 1, 1]);
        skeleton.assert_valid();
    }

    #[test]
    fn the_axis_goes_on_with_the_stronger_child() {
        let skeleton = forked();
        let main = skeleton.main_child(&skeleton.tips());
        assert_eq!(main[1], Some(2));
        assert_eq!(main[5], None);
        assert!((skeleton.length_above()[0] - (1.0 + 2.0 * 2f64.sqrt())).abs() < 1e-12);
    }
}
