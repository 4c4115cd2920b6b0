//! A coarser version of a plant, for looking at it from afar.
//!
//! What enters: a plant and the width below which it need have no detail. What leaves: fewer and
//! wider pieces with the same area, orientations and places in the mean, and for each triangle the
//! one of the plant that it stands for.
//!
//! This is stochastic simplification of aggregate detail (Cook, Halstead, Planck and Ryu 2007): of
//! `q` pieces one is kept and its area becomes `q` times as large, so that the area that any
//! direction sees, and by Beer and Lambert's law the gap fraction, stays the same in the mean. A
//! leaf is a piece; a long blade is cut into several, because short pieces fit their boxes better,
//! and what is bent is cut too, but kept or left out as a whole, because it hides a part of itself.
//! Thin wood becomes strips of half its surface, which is what is seen of it. What is wider than the
//! detail stays as it is: trunks and boughs.
//!
//! What hangs together more closely than the detail (leaves on a twig, a tuft) hides itself, and no
//! longer does when few pieces stand for many. So the pieces are made narrower, or wider, until the
//! gap fraction is that of the plant in the mean over several directions ([`Gaps`]).

mod gaps;

pub use gaps::Gaps;

use glam::{DMat3, DVec3};

use crate::plant::triangle_area;
use crate::{Part, Plant, Random};

/// Length of a piece over the width of the detail.
const PIECE_LENGTH: f64 = 8.0;

/// Cosine of the angle by which a leaf may turn within one piece.
const STRAIGHT_COS: f64 = 0.8;

/// No piece grows beyond this share of the plant's least extent: a lawn does not become a hedge.
const LARGEST_SHARE: f64 = 0.1;

/// Pieces become wider or narrower by no more than this share, so that the gap fraction is kept;
const WIDTH_RANGE: f64 = 0.5;
/// and where the gap fraction hardly depends on their width, by less.
const LEAST_FALL: f64 = 0.05;

/// Less than this many pieces are not made one.
const LEAST_GAIN: f64 = 1.5;

/// A coarser version of a plant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlantLod {
    /// Its mesh.
    pub plant: Plant,
    /// Triangle of the original for which each triangle stands, each a different one of the same
    /// part.
    pub stands_for: Vec<u32>,
}

impl Plant {
    /// The plant without detail below `detail_m`; the same seed gives the same version.
    pub fn lod(&self, detail_m: f64, seed: u64) -> PlantLod {
        self.lod_with_gaps(detail_m, seed, &Gaps::of(self))
    }

    /// The same for a plant of known gap fractions.
    pub fn lod_with_gaps(&self, detail_m: f64, seed: u64, gaps: &Gaps) -> PlantLod {
        let thinned = self.thinned(detail_m, seed);
        if thinned.kept.iter().all(|(strips, _)| strips.is_empty()) {
            return thinned.copied;
        }
        let (mut width, mut coarse) = (1.0, thinned.drawn(self, 1.0));
        // Newton's method.
        for _ in 0..2 {
            let now = Gaps::within(&coarse.plant, &thinned.extent);
            let change = (now.mean() - gaps.mean()) / now.fall().max(LEAST_FALL);
            width = (width * (1.0 + change)).clamp(1.0 - WIDTH_RANGE, 1.0 + WIDTH_RANGE);
            coarse = thinned.drawn(self, width);
        }
        coarse
    }

    /// What is copied and what is kept of the rest.
    fn thinned(&self, detail_m: f64, seed: u64) -> Thinned {
        let extent = self.extent();
        let limits = Limits { detail_m, largest_m: LARGEST_SHARE * extent.least_m() };
        let random = Random::new(seed);
        let mut copied = PlantLod::default();
        // Leaves and the rest are thinned by themselves, so that each keeps its area.
        let kept = [(0, true), (1, false)].map(|(stream, leaves)| {
            let mut thinning = Thinning::new(random.fork(stream));
            for run in self.runs() {
                if (self.parts[run.start] == Part::Leaf) == leaves {
                    self.thin(run, &limits, &mut thinning, &mut copied);
                }
            }
            thinning.finish()
        });
        Thinned { copied, kept, extent }
    }

    /// Runs of triangles that hang together: leaves, blades, tubes. Each has vertices of its own
    /// that come after those of the runs before it.
    fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let count = self.triangles.len().min(self.parts.len());
        let mut runs = Vec::new();
        let (mut start, mut last_vertex) = (0, 0);
        for (i, corners) in self.triangles.iter().enumerate().take(count) {
            let apart = corners.iter().all(|corner| *corner > last_vertex);
            if i > start && (apart || self.parts[i] != self.parts[start]) {
                runs.push(start..i);
                start = i;
            }
            last_vertex = corners.iter().fold(last_vertex, |last, corner| last.max(*corner));
        }
        if count > start {
            runs.push(start..count);
        }
        runs
    }

    /// Cuts a run into pieces and offers them to the thinning, or copies it as it is.
    fn thin(
        &self,
        run: std::ops::Range<usize>,
        limits: &Limits,
        thinning: &mut Thinning,
        coarse: &mut PlantLod,
    ) {
        let mut around = Extent::EMPTY;
        let corners = |i: usize| self.triangles[i].map(|v| self.positions.get(v as usize).copied());
        for corner in run.clone().flat_map(corners).flatten() {
            around.add(corner);
        }
        let length_m = (around.high - around.low).length();
        let wanted = (length_m / (PIECE_LENGTH * limits.detail_m)).round().max(1.0) as usize;
        for part in evenly(run, wanted) {
            // A bent part of a leaf hides a part of itself.
            let leaf = self.parts[part.start] == Part::Leaf;
            let bends = if leaf { self.bends(part.clone()) } else { 0 };
            let mut strip = Strip::default();
            for triangles in evenly(part, 1 + bends) {
                match Piece::new(self, triangles.clone(), thinning.random.unit()) {
                    Some(piece) => strip.pieces.push(piece),
                    None => coarse.copy(self, triangles),
                }
            }
            self.thin_strip(strip, limits, thinning, coarse);
        }
    }

    /// Offers a strip to the thinning, or copies it as it is.
    fn thin_strip(
        &self,
        strip: Strip,
        limits: &Limits,
        thinning: &mut Thinning,
        coarse: &mut PlantLod,
    ) {
        let growth = strip.growth(limits);
        if !strip.pieces.is_empty() && growth.gain() >= LEAST_GAIN {
            thinning.offer(strip, growth);
        } else {
            strip.pieces.into_iter().for_each(|piece| coarse.copy(self, piece.triangles));
        }
    }

    /// How often a leaf turns by more than [`STRAIGHT_COS`] says.
    fn bends(&self, run: std::ops::Range<usize>) -> usize {
        let normal = |i: usize| {
            let [a, b, c] = self.triangles[i].map(|v| self.positions.get(v as usize));
            (b? - a?).cross(c? - a?).try_normalize()
        };
        let mut normals = run.filter_map(normal);
        let Some(mut straight) = normals.next() else { return 0 };
        let turns = |normal: DVec3| {
            let turned = straight.dot(normal).abs() < STRAIGHT_COS;
            if turned {
                straight = normal;
            }
            usize::from(turned)
        };
        normals.map(turns).sum()
    }

    fn extent(&self) -> Extent {
        let mut extent = Extent::EMPTY;
        self.positions.iter().for_each(|p| extent.add(*p));
        extent
    }
}

/// A run cut into so many parts of two triangles at least, or as many as it will have.
fn evenly(
    run: std::ops::Range<usize>,
    wanted: usize,
) -> impl Iterator<Item = std::ops::Range<usize>> {
    let parts = wanted.min(run.len() / 2).max(1);
    let cut = move |part: usize| run.start + run.len() * part / parts;
    (0..parts).map(move |part| cut(part)..cut(part + 1))
}

/// How coarse a plant may become.
struct Limits {
    detail_m: f64,
    largest_m: f64,
}

#[derive(Clone, Copy)]
struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    const EMPTY: Extent = Extent { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    fn add(&mut self, point: DVec3) {
        (self.low, self.high) = (self.low.min(point), self.high.max(point));
    }

    fn least_m(&self) -> f64 {
        (self.high - self.low).min_element().max(0.0)
    }

    /// How to move `other` so that it is inside, where it fits.
    fn shift_inside(&self, other: &Extent) -> DVec3 {
        let mut shift = (self.high - other.high).min(DVec3::ZERO);
        let too_low = self.low - (other.low + shift);
        shift += too_low.max(DVec3::ZERO);
        shift
    }
}

/// A few neighbouring triangles as the rectangle of the same area and second moments.
struct Piece {
    triangles: std::ops::Range<usize>,
    centre: DVec3,
    /// Unit vectors.
    along: DVec3,
    normal: DVec3,
    length_m: f64,
    width_m: f64,
}

impl Piece {
    /// None where the triangles have no area. `choice` in 0…1 picks the triangle, by its share of
    /// the area, whose plane the rectangle has: the mean of the normals of a bent leaf or of a tube
    /// would show more area than they do, a random one shows as much in the mean from anywhere.
    fn new(plant: &Plant, triangles: std::ops::Range<usize>, choice: f64) -> Option<Piece> {
        let part = *plant.parts.get(triangles.start)?;
        let corners = |i: usize| -> Option<[DVec3; 3]> {
            let [a, b, c] = plant.triangles.get(i)?.map(|v| plant.positions.get(v as usize));
            Some([*a?, *b?, *c?])
        };
        let mut surface = 0.0;
        let mut centre = DVec3::ZERO;
        for [a, b, c] in triangles.clone().filter_map(corners) {
            let area = triangle_area([a, b, c]);
            surface += area;
            centre += (a + b + c) * (area / 3.0);
        }
        if !(surface > 1e-12 && surface.is_finite()) {
            return None;
        }
        centre /= surface;
        // Second moments about the centre, exact for each triangle.
        let mut moments = DMat3::ZERO;
        let outer = |v: DVec3| DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        let mut longest = DVec3::ZERO;
        let mut passed = 0.0;
        let mut normal = None;
        for [a, b, c] in triangles.clone().filter_map(corners) {
            let area = triangle_area([a, b, c]);
            let middle = (a + b + c) / 3.0;
            let spread =
                [a, b, c].map(|v| outer(v - middle)).into_iter().sum::<DMat3>() * (1.0 / 12.0);
            moments += (spread + outer(middle - centre)) * (area / surface);
            for side in [b - a, c - b, a - c, middle - centre] {
                if side.length_squared() > longest.length_squared() {
                    longest = side;
                }
            }
            passed += area;
            if normal.is_none() && passed >= choice * surface {
                normal = (b - a).cross(c - a).try_normalize();
            }
        }
        let mut along = longest.normalize_or(DVec3::X);
        for _ in 0..16 {
            along = (moments * along).normalize_or(along);
        }
        let spread = along.dot(moments * along);
        let normal = normal.unwrap_or_else(|| along.any_orthonormal_vector());
        let flat = along - normal * along.dot(normal);
        let along = flat.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
        // A rectangle of length l has the moment l² / 12.
        let length_m = (12.0 * spread).sqrt();
        let width_m = surface * part.one_sided_share() / length_m;
        let valid = length_m > 1e-9 && width_m > 1e-9 && width_m.is_finite();
        valid.then_some(Piece { triangles, centre, along, normal, length_m, width_m })
    }

    fn area_m2(&self) -> f64 {
        self.length_m * self.width_m
    }

    fn is_triangle(&self) -> bool {
        self.triangles.len() < 2
    }

    /// The corners of a rectangle around `centre`, or of a triangle where the piece is one.
    fn grown(&self, centre: DVec3, by: Growth) -> [DVec3; 4] {
        let half = self.along * (0.5 * self.length_m * by.length);
        let side = self.normal.cross(self.along) * (0.5 * self.width_m * by.width);
        let corners = if self.is_triangle() {
            // The triangle of the same area and length-to-width ratio, about its centre.
            let (half, side) = (half * 2f64.sqrt(), side * 2f64.sqrt());
            let tip = half * (4.0 / 3.0);
            let foot = half * (-2.0 / 3.0);
            [foot - side, foot + side, tip, tip]
        } else {
            [-half - side, half - side, half + side, -half + side]
        };
        corners.map(|corner| centre + corner)
    }
}

/// Pieces that are kept or left out together: those of a bent leaf, so that it hides as much of
/// itself as before, or one alone.
#[derive(Default)]
struct Strip {
    pieces: Vec<Piece>,
}

/// How much longer and wider a strip becomes.
#[derive(Clone, Copy)]
struct Growth {
    length: f64,
    width: f64,
}

impl Growth {
    /// How many such strips become one.
    fn gain(self) -> f64 {
        self.length * self.width
    }
}

impl Strip {
    fn area_m2(&self) -> f64 {
        self.pieces.iter().map(Piece::area_m2).sum()
    }

    fn growth(&self, limits: &Limits) -> Growth {
        let length_m: f64 = self.pieces.iter().map(|piece| piece.length_m).sum();
        let width_m = self.area_m2() / length_m;
        let width = (limits.detail_m.min(limits.largest_m) / width_m).max(1.0);
        let limit_m = PIECE_LENGTH * limits.detail_m;
        let longest_m = limits.largest_m.max(length_m);
        let grown_m = (length_m * width).min(limit_m).max(length_m).min(longest_m);
        Growth { length: grown_m / length_m, width }
    }

    /// Centre of its area.
    fn centre(&self) -> DVec3 {
        let sum: DVec3 = self.pieces.iter().map(|piece| piece.centre * piece.area_m2()).sum();
        sum / self.area_m2()
    }
}

/// Keeps one strip of every `q`: one at a random place in each run of strips with whole weight 1,
/// so that the kept ones are spread evenly and no rhythm of the plant shows.
struct Thinning {
    random: Random,
    /// Weight 1 / q of all strips so far, and that at which the next is kept.
    weight: f64,
    strata: f64,
    next: f64,
    /// Strips to be kept that fell on one that was kept already.
    owed: u32,
    kept: Vec<(Strip, Growth)>,
    area_m2: f64,
}

impl Thinning {
    fn new(mut random: Random) -> Thinning {
        let next = random.unit();
        let (weight, strata, owed) = (0.0, 0.0, 0);
        Thinning { random, weight, strata, next, owed, kept: Vec::new(), area_m2: 0.0 }
    }

    fn offer(&mut self, strip: Strip, growth: Growth) {
        self.area_m2 += strip.area_m2();
        self.weight += 1.0 / growth.gain();
        while self.next < self.weight {
            self.owed += 1;
            self.strata += 1.0;
            self.next = self.strata + self.random.unit();
        }
        if self.owed > 0 {
            self.owed -= 1;
            self.kept.push((strip, growth));
        }
    }

    /// The kept strips, and by how much wider they have exactly the area of all.
    fn finish(self) -> (Vec<(Strip, Growth)>, f64) {
        let kept: f64 = self.kept.iter().map(|(strip, by)| strip.area_m2() * by.gain()).sum();
        (self.kept, if kept > 0.0 { self.area_m2 / kept } else { 1.0 })
    }
}

/// A plant of which some is copied as it is, and strips are kept of the rest: of leaves, and of
/// everything else.
struct Thinned {
    copied: PlantLod,
    kept: [(Vec<(Strip, Growth)>, f64); 2],
    extent: Extent,
}

impl Thinned {
    /// With strips this many times as wide as their area asks for.
    fn drawn(&self, original: &Plant, wider: f64) -> PlantLod {
        let mut coarse = self.copied.clone();
        for (strips, scale) in &self.kept {
            for (strip, Growth { length, width }) in strips {
                let by = Growth { length: *length, width: width * scale * wider };
                coarse.push(original, strip, by, &self.extent);
            }
        }
        coarse
    }
}

impl PlantLod {
    fn copy(&mut self, original: &Plant, triangles: std::ops::Range<usize>) {
        for i in triangles {
            let [a, b, c] = original.triangles[i].map(|v| original.positions.get(v as usize));
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                self.plant.push_triangle([*a, *b, *c], original.parts[i]);
                self.stands_for.push(i as u32);
            }
        }
    }

    /// A strip that has grown, moved so that it stays inside.
    fn push(&mut self, original: &Plant, strip: &Strip, by: Growth, inside: &Extent) {
        let centre = strip.centre();
        let mut around = Extent::EMPTY;
        let mut grown = Vec::with_capacity(strip.pieces.len());
        for piece in &strip.pieces {
            // The pieces of a leaf that grows longer move apart as much.
            let corners = piece.grown(centre + (piece.centre - centre) * by.length, by);
            corners.iter().for_each(|corner| around.add(*corner));
            grown.push(corners);
        }
        let shift = inside.shift_inside(&around);
        for (piece, corners) in strip.pieces.iter().zip(grown) {
            let corners = corners.map(|corner| corner + shift);
            let first = piece.triangles.start;
            let part = original.parts[first];
            if piece.is_triangle() {
                self.plant.push_triangle([corners[0], corners[1], corners[2]], part);
                self.stands_for.push(first as u32);
            } else {
                self.plant.push_quad(corners, part);
                self.stands_for.extend([first as u32, first as u32 + 1]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
