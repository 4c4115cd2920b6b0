//! One node of an 8-wide tree: eight boxes side by side, four cache lines.

use obvhs::aabb::Aabb;

/// Set in a child code that names a leaf; the other bits say which.
pub(crate) const LEAF: u32 = 0x8000_0000;
/// Child code of an unused place, and hit slot of a ray without a hit.
pub(crate) const EMPTY: u32 = u32::MAX;

/// Boxes of up to eight children and where to go on in each of them.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Node8 {
    /// Rows min x, min y, min z, max x, max y, max z; one column per child.
    pub bounds: [[f32; 8]; 6],
    /// Index of an inner node, or a leaf code.
    pub child: [u32; 8],
    /// Bit per place that holds a child. The walk needs it: a ray that is no number passes every
    /// comparison of boxes, and so could enter a place that holds nothing.
    pub occupied: u32,
    /// Fills the fourth cache line.
    _padding: [u32; 7],
}

impl Node8 {
    pub const VACANT: Node8 = Node8 {
        bounds: [
            [f32::INFINITY; 8],
            [f32::INFINITY; 8],
            [f32::INFINITY; 8],
            [f32::NEG_INFINITY; 8],
            [f32::NEG_INFINITY; 8],
            [f32::NEG_INFINITY; 8],
        ],
        child: [EMPTY; 8],
        occupied: 0,
        _padding: [0; 7],
    };

    pub fn set_child(&mut self, place: usize, bounds: &Aabb, code: u32) {
        for axis in 0..3 {
            self.bounds[axis][place] = bounds.min[axis];
            self.bounds[axis + 3][place] = bounds.max[axis];
        }
        self.child[place] = code;
        self.occupied |= 1 << place;
    }

    /// Box of one child.
    pub fn child_bounds(&self, place: usize) -> Aabb {
        let [x0, y0, z0, x1, y1, z1] = self.bounds.map(|row| row[place]);
        Aabb::new(glam::Vec3A::new(x0, y0, z0), glam::Vec3A::new(x1, y1, z1))
    }

    /// Box around all children.
    pub fn union(&self) -> Aabb {
        let mut all = Aabb::empty();
        for place in self.places() {
            all = all.union(&self.child_bounds(place));
        }
        all
    }

    /// Places that hold a child.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..8).filter(|place| self.occupied >> place & 1 == 1)
    }
}
