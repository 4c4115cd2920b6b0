//! What a ray meets at the leaves of a tree over boxes, and how those leaves are numbered.

use std::ops::Range;

/// Most items in a leaf; their number fits [`COUNT_BITS`].
pub(crate) const LEAF_ITEMS: u32 = 8;
pub(crate) const COUNT_BITS: u32 = 3;

/// Met by a ray at the leaves of a [`BoxTree`](crate::BoxTree).
pub trait BoxVisitor {
    /// The ray comes through a box that holds `items`, numbered in the tree's order, and goes as far
    /// as `t_max`; returns how far it goes from now on.
    fn visit(&mut self, items: Range<usize>, t_max: f32) -> f32;

    /// Where the items lie in memory and how many bytes they take, to be asked for ahead.
    #[inline(always)]
    fn memory_of(&self, _items: Range<usize>) -> (*const u8, usize) {
        (std::ptr::null(), 0)
    }
}

impl<F: FnMut(Range<usize>, f32) -> f32> BoxVisitor for F {
    #[inline(always)]
    fn visit(&mut self, items: Range<usize>, t_max: f32) -> f32 {
        self(items, t_max)
    }
}

/// The items of a leaf code without its leaf bit.
#[inline(always)]
pub(crate) fn items_of_leaf(leaf: u32) -> Range<usize> {
    let begin = (leaf >> COUNT_BITS) as usize;
    begin..begin + (leaf & (LEAF_ITEMS - 1)) as usize + 1
}
