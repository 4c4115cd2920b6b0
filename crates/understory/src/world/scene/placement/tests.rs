use super::*;

fn scatter(area: Area, pattern: Pattern) -> Scatter {
    Scatter { area, avoid: Vec::new(), mask: None, pattern, count: None, seed: 5 }
}

fn square(side: f64) -> Area {
    Area::Rectangle { centre_m: DVec2::new(300.0, -40.0), size_m: DVec2::splat(side) }
}

fn disc(x: f64, y: f64, radius_m: f64) -> Area {
    Area::Disc { centre_m: DVec2::new(x, y), radius_m }
}

/// 400 cells with a mean of 25 places: χ² = Σ(n − 25)²/25 of Poisson counts has mean 400 and
/// variance 2·400 + 400/25 = 816. Outside 400 ± 4·28.57 (the two tails together have a
/// probability below 10⁻⁴) the counts would be clumped or too even.
#[test]
fn uniform_counts_are_poisson() {
    let field = scatter(square(20.0), Pattern::Uniform { density_per_m2: 25.0 });
    let mut counts = [0u32; 400];
    for spot in field.spots() {
        let cell = spot.position_m - DVec2::new(290.0, -50.0);
        counts[cell.y as usize * 20 + cell.x as usize] += 1;
    }
    let chi: f64 = counts.iter().map(|&n| (f64::from(n) - 25.0).powi(2) / 25.0).sum();
    println!("χ² = {chi:.1} for 400 cells");
    assert!((chi - 400.0).abs() < 4.0 * 816f64.sqrt(), "χ² is {chi}");
    // Totals of 200 seeds: mean 100, variance 100; both within 4 standard errors.
    let totals: Vec<f64> = (0..200)
        .map(|seed| {
            let one = scatter(square(2.0), Pattern::Uniform { density_per_m2: 25.0 });
            Scatter { seed, ..one }.spots().len() as f64
        })
        .collect();
    let mean = totals.iter().sum::<f64>() / 200.0;
    let variance = totals.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / 199.0;
    println!("totals: mean {mean:.2}, variance {variance:.1}");
    assert!((mean - 100.0).abs() < 4.0 * 10.0 / 200f64.sqrt());
    assert!((variance - 100.0).abs() < 4.0 * 100.0 * (2.0 / 199.0f64).sqrt());
}

#[test]
fn spaced_places_keep_their_distance_and_fill_the_area() {
    for spacing_m in [0.3, 0.77] {
        let field = scatter(square(20.0), Pattern::Spaced { spacing_m, density_per_m2: None });
        let spots = field.spots();
        let mut nearest = f64::MAX;
        for (i, a) in spots.iter().enumerate() {
            for b in &spots[..i] {
                nearest = nearest.min(a.position_m.distance(b.position_m));
            }
        }
        assert!(nearest >= spacing_m, "{nearest} < {spacing_m}");
        let packing = spots.len() as f64 / 400.0 * spacing_m * spacing_m;
        println!("spacing {spacing_m} m: {} places, packing {packing:.3}", spots.len());
        // Not far below the 0.6965 at which random discs jam, and below the densest packing.
        assert!((0.60..0.73).contains(&packing) && packing < DENSEST_PACKING, "{packing}");
        // No hole: every point of the area lies within two spacings of a place (maximality of the
        // sampling would say one; 30 candidates leave some gaps).
        let mut random = Random::new(1);
        for _ in 0..2000 {
            let point = DVec2::new(290.0, -50.0) + DVec2::new(random.unit(), random.unit()) * 20.0;
            let gap = spots.iter().map(|s| s.position_m.distance(point)).fold(f64::MAX, f64::min);
            assert!(gap < 2.0 * spacing_m, "a hole of {gap} m at {point}");
        }
    }
}

#[test]
fn spaced_places_can_be_thinned() {
    let pattern = Pattern::Spaced { spacing_m: 0.2, density_per_m2: Some(5.0) };
    let count = scatter(square(20.0), pattern).spots().len() as f64;
    // Binomial around 2000 of about 7000: 4 standard deviations are 151.
    assert!((count - 2000.0).abs() < 151.0, "{count}");
}

#[test]
fn areas_and_what_is_avoided_are_respected() {
    let triangle = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)].map(DVec2::from);
    let polygon = Area::Polygon(triangle.to_vec());
    assert!((polygon.area_m2() - 50.0).abs() < 1e-12);
    let mut field = scatter(polygon, Pattern::Uniform { density_per_m2: 100.0 });
    let all = field.spots();
    assert!(all.iter().all(|s| s.position_m.x + s.position_m.y <= 10.0));
    assert!((all.len() as f64 - 5000.0).abs() < 4.0 * 5000f64.sqrt(), "{}", all.len());
    let way = vec![DVec2::ZERO, DVec2::new(3.0, 3.0), DVec2::new(3.0, 7.0)];
    field.avoid = vec![
        Avoid::Way { points_m: way, width_m: 1.0 },
        Avoid::Area(disc(6.0, 2.0, 1.0)),
        Avoid::Area(Area::Rectangle { centre_m: DVec2::new(1.0, 6.0), size_m: DVec2::ONE }),
    ];
    let free = field.spots();
    assert!(free.len() < all.len() && free.iter().all(|spot| all.contains(spot)));
    for spot in &all {
        let DVec2 { x, y } = spot.position_m;
        let on_way =
            (x <= 3.0 && (x - y).abs() / 2f64.sqrt() <= 0.5 && x + y >= 0.0 && x + y <= 6.0)
                || ((x - 3.0).abs() <= 0.5 && (3.0..=7.0).contains(&y));
        let in_disc = (x - 6.0).hypot(y - 2.0) <= 1.0;
        let in_box = (x - 1.0).abs() <= 0.5 && (y - 6.0).abs() <= 0.5;
        if on_way || in_disc || in_box {
            assert!(!free.contains(spot), "{x} {y}");
        }
    }
    let round = scatter(disc(3.0, 4.0, 2.0), Pattern::Uniform { density_per_m2: 50.0 });
    assert!(round.spots().iter().all(|s| s.position_m.distance(DVec2::new(3.0, 4.0)) <= 2.0));
}

/// Black keeps none, white all, grey its share; the first row of the mask is the north side.
#[test]
fn masks_are_probabilities_over_the_bounds() {
    let mut field = scatter(square(20.0), Pattern::Uniform { density_per_m2: 50.0 });
    let all = field.spots().len() as f64;
    field.mask = Mask::new(2, 2, vec![0, 255, 102, 0]);
    let spots = field.spots();
    let quarter = |west: bool, north: bool| {
        let inside =
            |s: &&Spot| (s.position_m.x < 300.0) == west && (s.position_m.y > -40.0) == north;
        spots.iter().filter(inside).count() as f64
    };
    assert_eq!((quarter(true, true), quarter(false, false)), (0.0, 0.0));
    assert!((quarter(false, true) - 5000.0).abs() < 4.0 * 5000f64.sqrt());
    // 102/255 = 0.4 of 5000.
    assert!((quarter(true, false) - 2000.0).abs() < 4.0 * 2000f64.sqrt());
    assert!(spots.len() as f64 <= all && Mask::new(2, 2, vec![0; 3]).is_none());
}

#[test]
fn rows_are_straight_and_evenly_spaced() {
    let pattern =
        |jitter_m| Pattern::Rows { spacing_m: 0.75, in_row_m: 0.16, heading_deg: 30.0, jitter_m };
    let along = DVec2::from_angle(30f64.to_radians());
    let middle = DVec2::new(300.0, -40.0);
    let spots = scatter(square(20.0), pattern(0.0)).spots();
    // 400 m² at 0.75 × 0.16 m, up to what the border cuts.
    assert!((spots.len() as f64 - 3333.0).abs() < 60.0, "{}", spots.len());
    let off = |value: f64, step: f64| (value / step - (value / step).round()).abs() * step;
    for spot in &spots {
        let place = spot.position_m - middle;
        assert!(off(place.dot(along.perp()), 0.75) < 1e-9 && off(place.dot(along), 0.16) < 1e-9);
    }
    let moved = scatter(square(20.0), pattern(0.05)).spots();
    let worst = moved.iter().map(|s| off((s.position_m - middle).dot(along.perp()), 0.75));
    let worst = worst.fold(0.0, f64::max);
    assert!(worst <= 0.05 && worst > 0.045, "{worst}");
}

#[test]
fn tiles_cover_the_area_without_overlap() {
    let spots = scatter(square(20.0), Pattern::Tiles { side_m: 2.5 }).spots();
    assert_eq!(spots.len(), 64);
    let mut turns = [0; 4];
    for (i, a) in spots.iter().enumerate() {
        let quarter = a.turn.unwrap() / FRAC_PI_2;
        assert_eq!(quarter, quarter.round());
        turns[quarter as usize] += 1;
        for b in &spots[..i] {
            let apart = (a.position_m - b.position_m).abs();
            assert!(apart.max_element() > 2.5 - 1e-9);
        }
        assert!((a.position_m - DVec2::new(300.0, -40.0)).abs().max_element() <= 8.75 + 1e-9);
    }
    assert!(turns.iter().all(|n| *n > 4), "{turns:?}");
}

/// As many as wanted, spread over the whole area: the middle of 500 places lies within 4 standard
/// errors (20 m/√12/√500 per axis) of the area's.
#[test]
fn counts_are_exact_and_have_no_favourite_place() {
    for pattern in [
        Pattern::Uniform { density_per_m2: 1.0 },
        Pattern::Spaced { spacing_m: 0.3, density_per_m2: None },
    ] {
        let mut field = Scatter { count: Some(500), ..scatter(square(20.0), pattern) };
        let spots = field.spots();
        assert_eq!(spots.len(), 500);
        let middle = spots.iter().map(|spot| spot.position_m).sum::<DVec2>() / 500.0;
        let off = (middle - DVec2::new(300.0, -40.0)).abs().max_element();
        assert!(off < 4.0 * 20.0 / 12f64.sqrt() / 500f64.sqrt(), "{off}");
        field.avoid = vec![Avoid::Area(square(30.0))];
        assert!(field.spots().is_empty());
    }
}

#[test]
fn the_seed_decides_everything() {
    for pattern in [
        Pattern::Uniform { density_per_m2: 3.0 },
        Pattern::Spaced { spacing_m: 0.5, density_per_m2: None },
        Pattern::Rows { spacing_m: 1.0, in_row_m: 1.0, heading_deg: 0.0, jitter_m: 0.1 },
        Pattern::Tiles { side_m: 1.0 },
    ] {
        let one = scatter(square(20.0), pattern);
        let other = Scatter { seed: 6, ..one.clone() };
        assert_eq!(one.spots(), one.spots());
        assert_ne!(one.spots(), other.spots());
        let (count, expected) = (one.spots().len() as f64, one.expected_count());
        assert!((count - expected).abs() < 0.15 * expected, "{count} of {expected}");
        assert!(one.trial_count() >= 0.85 * count);
    }
}

#[test]
fn a_stance_turns_scales_leans_and_follows_the_slope() {
    let upright = Stance {
        random_turn: true,
        scale: [0.5, 1.5],
        lean_deg: 0.0,
        sink_m: 0.1,
        on_slope: OnSlope::Upright,
    };
    let spot = Spot::at(DVec2::new(3.0, 4.0));
    let ground = Ground { height_m: 7.0, slope: DVec2::new(0.5, -0.25) };
    let mut random = Random::new(3);
    let (mut turns, mut sizes) = (DVec2::ZERO, 0.0);
    for _ in 0..4000 {
        let place = upright.place(&spot, ground, &mut random);
        assert_eq!(place.translation, DVec3::new(3.0, 4.0, 6.9));
        let size = place.matrix3.z_axis.length();
        assert!((0.5..1.5).contains(&size) && place.matrix3.z_axis.normalize().z > 1.0 - 1e-12);
        turns += place.matrix3.x_axis.truncate().normalize();
        sizes += size;
    }
    // Means over 4000 draws, within 4 standard errors of no preferred side and of 1.
    assert!(turns.length() / 4000.0 < 4.0 * (0.5f64 / 4000.0).sqrt() * 1.5, "{turns}");
    assert!((sizes / 4000.0 - 1.0).abs() < 4.0 * (1.0f64 / 12.0 / 4000.0).sqrt());
    let leaning = Stance { lean_deg: 10.0, ..upright };
    let steepest = (0..2000).map(|_| {
        let up = leaning.place(&spot, ground, &mut random).matrix3.z_axis;
        up.normalize().z.acos().to_degrees()
    });
    let steepest = steepest.fold(0.0, f64::max);
    assert!(steepest <= 10.0 + 1e-9 && steepest > 9.9, "{steepest}");
    // A patch: points of its plane lie on the slope, what was upright stays upright.
    let patch = Stance { on_slope: OnSlope::Shear, scale: [1.0, 1.0], sink_m: 0.0, ..upright };
    let place = patch.place(&spot, ground, &mut random);
    let point = place.transform_point3(DVec3::new(0.3, 0.8, 0.0));
    let expected = 7.0 + 0.5 * (point.x - 3.0) - 0.25 * (point.y - 4.0);
    assert!((point.z - expected).abs() < 1e-12);
    assert!((place.matrix3 * DVec3::Z).distance(DVec3::Z) < 1e-12);
}
