//! Boxes on which the usual builder would take a time that grows with their square.
//!
//! It joins two boxes where each is the other's best partner, in rounds, and is quick as long as a
//! share of the boxes finds one in every round. There are two ways in which hardly any does:
//!
//! - All unions cost the same because the boxes lie in one another: coincident triangles, instances
//!   at one point, fans, boxes on one line without a thickness. Such *crowds* are found by halving
//!   all boxes down to runs of [`RUN`] neighbours: it is one where boxes are, on the mean, nearly as
//!   large as what holds all of the run. No order is better than another for them, so each becomes
//!   one box for the usual builder and is halved below it.
//! - Neighbours are equally near, as on an even grid, and everybody prefers the next one. So boxes
//!   are widened a little by chance for the builder, who never finds two unions of one size.
//!
//! What is neither can keep the builder busy for [`RUN`] rounds at one place and no longer, because
//! sizes that differ by enough, over and over, run out of numbers.

use glam::Vec3A;
use obvhs::aabb::Aabb;
use std::ops::Range;

/// Neighbours that are looked at together.
const RUN: usize = 512;
/// From which mean area of its boxes, as a share of the whole's, a run is a crowd.
const CROWDED: f64 = 0.4;

/// Boxes for a builder, and where the crowds among them are.
pub(crate) struct Sorted {
    /// Numbers of the boxes; neighbours stand together.
    pub order: Vec<u32>,
    /// Runs of `order` that are crowds, from first to last.
    pub crowds: Vec<Range<usize>>,
    /// The boxes, each a little wider, in their own order.
    pub widened: Vec<Aabb>,
}

/// Looks for crowds among the boxes.
pub(crate) fn sort(boxes: &[Aabb]) -> Sorted {
    let order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut sorted = Sorted { order, crowds: Vec::new(), widened: boxes.to_vec() };
    let all = 0..boxes.len();
    if !all.is_empty() {
        sorted.visit(boxes, all);
    }
    sorted
}

/// What is known of a run of boxes.
struct Visited {
    /// Of all boxes together.
    area: f64,
    is_crowd: bool,
}

impl Sorted {
    fn visit(&mut self, boxes: &[Aabb], run: Range<usize>) -> Visited {
        let around = around(boxes, &self.order[run.clone()]);
        let is_crowd = |area: f64| {
            // Areas that leave the range of the numbers are all the same, too.
            let whole = around.half_area();
            !whole.is_normal() || area >= CROWDED * run.len() as f64 * f64::from(whole)
        };
        if run.len() <= RUN {
            let members = &self.order[run.clone()];
            let area = members.iter().map(|&b| f64::from(boxes[b as usize].half_area())).sum();
            let is_crowd = run.len() > 2 && is_crowd(area);
            for &b in members {
                widen(&mut self.widened[b as usize], b, &around);
            }
            if is_crowd {
                self.crowds.push(run);
            }
            return Visited { area, is_crowd };
        }
        let middle = halve(boxes, &mut self.order[run.clone()], &around);
        let before = self.crowds.len();
        let left = self.visit(boxes, run.start..run.start + middle);
        let right = self.visit(boxes, run.start + middle..run.end);
        let area = left.area + right.area;
        let is_crowd = left.is_crowd && right.is_crowd && is_crowd(area);
        if is_crowd {
            self.crowds.truncate(before);
            self.crowds.push(run);
        }
        Visited { area, is_crowd }
    }
}

/// The box around those of these numbers.
pub(crate) fn around(boxes: &[Aabb], numbers: &[u32]) -> Aabb {
    numbers.iter().fold(Aabb::empty(), |around, &b| around.union(&boxes[b as usize]))
}

/// Puts the boxes with the lesser centres along the longest axis first; says how many these are.
pub(crate) fn halve(boxes: &[Aabb], numbers: &mut [u32], around: &Aabb) -> usize {
    let axis = around.largest_axis();
    let middle = numbers.len() / 2;
    numbers.select_nth_unstable_by(middle, |&a, &b| {
        let key = |i: u32| boxes[i as usize].center_axis(axis);
        key(a).total_cmp(&key(b)).then(a.cmp(&b))
    });
    middle
}

/// Widens a box by less than a thousandth, as its number says.
fn widen(b: &mut Aabb, number: u32, around: &Aabb) {
    let size = (b.max - b.min).max_element();
    let step = (size / 4096.0).max((around.max - around.min).max_element() / 1_048_576.0);
    // Less than the grain of large numbers would be lost.
    let grain = b.min.abs().max(b.max.abs()) / 2_097_152.0;
    let step = grain.max(Vec3A::splat(step));
    let chance = |k: u32| {
        let mixed = (number ^ k.wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B);
        ((mixed ^ mixed >> 15).wrapping_mul(0xC2B2_AE35) >> 16) as f32 / 65536.0
    };
    let (low, high) = ([chance(1), chance(2), chance(3)], [chance(4), chance(5), chance(6)]);
    let wider = Aabb::new(b.min - Vec3A::from(low) * step, b.max + Vec3A::from(high) * step);
    // Where there are no such numbers any more it stays.
    if wider.min.is_finite() && wider.max.is_finite() {
        *b = wider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(at: Vec3A, size: f32) -> Aabb {
        Aabb::new(at, at + Vec3A::splat(size))
    }

    /// Numbers in 0…1 from a counter.
    fn number(k: u32) -> f32 {
        let mixed = k.wrapping_mul(0x9E37_79B9) ^ k.wrapping_mul(0x85EB_CA6B).rotate_left(13);
        (mixed.wrapping_mul(0xC2B2_AE35) >> 8) as f32 / (1 << 24) as f32
    }

    #[test]
    fn crowds_are_found_and_nothing_else_is_one() {
        let spread: Vec<Aabb> = (0..20_000)
            .map(|k| cube(Vec3A::new(number(k), number(k + 1), number(k + 2)) * 50.0, 0.3))
            .collect();
        assert!(sort(&spread).crowds.is_empty());
        // A meadow's worth of one triangle, somewhere among them.
        let mut with_crowd = spread.clone();
        with_crowd.extend(vec![cube(Vec3A::splat(20.0), 0.2); 5_000]);
        let sorted = sort(&with_crowd);
        let crowded: usize = sorted.crowds.iter().map(Range::len).sum();
        assert!((5_000 - 3 * RUN..=5_000).contains(&crowded), "{crowded}");
        for run in &sorted.crowds {
            assert!(sorted.order[run.clone()].iter().all(|&b| b >= 20_000));
        }
        // All in one place, all nested, and all on a line that has no thickness, are one crowd.
        let same = vec![cube(Vec3A::ZERO, 1.0); 3_000];
        let nested: Vec<Aabb> = (0..3_000).map(|k| cube(Vec3A::ZERO, 1.0 + k as f32)).collect();
        let line: Vec<Aabb> = (0..3_000)
            .map(|k| Aabb::new(Vec3A::X * k as f32, Vec3A::X * (k as f32 + 0.5)))
            .collect();
        for boxes in [&same, &line] {
            assert!(matches!(&sort(boxes).crowds[..], [Range { start: 0, end: 3_000 }]));
        }
        let crowded: usize = sort(&nested).crowds.iter().map(Range::len).sum();
        assert!(crowded > 2_000, "{crowded}");
    }

    #[test]
    fn widened_boxes_hold_the_boxes_and_hardly_more() {
        let boxes: Vec<Aabb> = (0..1_000).map(|k| cube(Vec3A::X * k as f32, 0.5)).collect();
        let sorted = sort(&boxes);
        for (b, wide) in boxes.iter().zip(&sorted.widened) {
            assert!(wide.min.cmple(b.min).all() && wide.max.cmpge(b.max).all());
            assert!((wide.max - wide.min).max_element() < 0.502);
        }
        let mut areas: Vec<u32> = sorted.widened.iter().map(|b| b.half_area().to_bits()).collect();
        areas.sort_unstable();
        areas.dedup();
        assert!(areas.len() > 900, "{}", areas.len());
    }
}
