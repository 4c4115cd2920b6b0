//! A way on the map as a line through places.

use understory_base::math;

/// Places one after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The places.
    pub points_m: Vec<[f64; 2]>,
}

/// Distance of two places.
pub fn distance_m(a: [f64; 2], b: [f64; 2]) -> f64 {
    math::hypot(b[0] - a[0], b[1] - a[1])
}

impl Path {
    /// Length of the way.
    pub fn length_m(&self) -> f64 {
        self.points_m.windows(2).map(|pair| distance_m(pair[0], pair[1])).sum()
    }

    /// The way up to the first place that is `radius_m` from `goal_m`.
    pub fn until(&self, goal_m: [f64; 2], radius_m: f64) -> Path {
        let mut points_m: Vec<[f64; 2]> = Vec::new();
        for &point in &self.points_m {
            if distance_m(point, goal_m) <= radius_m {
                if let Some(&before) = points_m.last() {
                    points_m.push(crossing(before, point, goal_m, radius_m));
                } else {
                    points_m.push(point);
                }
                break;
            }
            points_m.push(point);
        }
        Path { points_m }
    }

    /// The nearest place of the way to `from_m` and what lies `ahead_m` behind it on the way; the end
    /// where that is nearer. None without places.
    pub fn ahead(&self, from_m: [f64; 2], ahead_m: f64) -> Option<[f64; 2]> {
        let last = *self.points_m.last()?;
        let mut best = (f64::INFINITY, 0, last);
        for (index, pair) in self.points_m.windows(2).enumerate() {
            let at = nearest(pair[0], pair[1], from_m);
            let apart = distance_m(at, from_m);
            if apart < best.0 {
                best = (apart, index, at);
            }
        }
        let (_, segment, mut at) = best;
        let mut left_m = ahead_m;
        for &next in self.points_m.get(segment + 1..).unwrap_or(&[]) {
            let step = distance_m(at, next);
            if step >= left_m && step > 0.0 {
                let share = left_m / step;
                return Some([
                    at[0] + share * (next[0] - at[0]),
                    at[1] + share * (next[1] - at[1]),
                ]);
            }
            left_m -= step;
            at = next;
        }
        Some(last)
    }
}

/// The nearest place to `p` between `a` and `b`.
fn nearest(a: [f64; 2], b: [f64; 2], p: [f64; 2]) -> [f64; 2] {
    let (d, e) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let squared = d[0] * d[0] + d[1] * d[1];
    let share = if squared > 0.0 { (d[0] * e[0] + d[1] * e[1]) / squared } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    [a[0] + share * d[0], a[1] + share * d[1]]
}

/// Where the way from outside to inside a circle crosses it.
fn crossing(outside: [f64; 2], inside: [f64; 2], centre: [f64; 2], radius: f64) -> [f64; 2] {
    let (mut low, mut high) = (0.0, 1.0);
    let at = |share: f64| [0, 1].map(|axis| outside[axis] + share * (inside[axis] - outside[axis]));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if distance_m(at(middle), centre) > radius { low = middle } else { high = middle }
    }
    at(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_followed_and_cut() {
        let path = Path { points_m: vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]] };
        assert_eq!(path.length_m(), 8.0);
        assert_eq!(path.ahead([1.0, 0.5], 2.0), Some([3.0, 0.0]));
        assert_eq!(path.ahead([3.0, -1.0], 2.0), Some([4.0, 1.0]));
        assert_eq!(path.ahead([9.0, 9.0], 2.0), Some([4.0, 4.0]));
        assert_eq!(Path::default().ahead([0.0, 0.0], 1.0), None);
        let cut = path.until([4.0, 4.0], 1.0);
        assert!((cut.length_m() - 7.0).abs() < 1e-9);
    }
}
