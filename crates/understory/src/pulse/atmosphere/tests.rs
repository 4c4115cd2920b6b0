use proptest::prelude::*;

use super::plume::{Placed, PlumeForm, Profile, Puff};
use super::*;
use crate::pulse::beam::{Sampling, SpotShape};
use crate::pulse::detector::{Threshold, Timing, WaveformSpec};
use crate::pulse::scan_pattern::Pulses;
use crate::sensor::Sensor;
use crate::world::scene::Surface;
use crate::world::trajectory::{Pose, Poses, Trajectory};
use glam::{DQuat, DVec3};
use particles::Occlusion;

fn beam_spec(sampling: Sampling) -> BeamSpec {
    BeamSpec {
        shape: SpotShape::Circular,
        divergence_horizontal_rad: 0.003,
        divergence_vertical_rad: 0.003,
        aperture_horizontal_m: 0.01,
        aperture_vertical_m: 0.01,
        sampling,
        rays: 1,
    }
}

/// A beam along x from the origin.
struct Shot {
    footprint: Footprint,
    beams: Beams,
    spec: BeamSpec,
}

fn shot(sampling: Sampling) -> Shot {
    let spec = beam_spec(sampling);
    let footprint = Footprint::new(&spec);
    let pulses = Pulses {
        direction: vec![DVec3::X],
        origin_m: vec![DVec3::ZERO],
        time_s: vec![0.0],
        ..Pulses::default()
    };
    let mut poses = Poses::default();
    Trajectory::fixed(Pose::IDENTITY).poses_at(&pulses.time_s, &Pose::IDENTITY, &mut poses);
    let mut beams = Beams::default();
    footprint.spread(&pulses, &poses, &mut beams);
    Shot { footprint, beams, spec }
}

impl Shot {
    fn air(&self, atmosphere: &Atmosphere, range_max_m: f64, scale: EchoScale) -> Air {
        let receiver = Receiver::new(905.0, &self.spec, range_max_m, scale);
        Air::new(atmosphere, receiver).unwrap()
    }

    /// Sends pulse number `pulse`, whose sub-rays meet surfaces at `met`: distance, backscatter.
    fn send(&self, air: &Air, met: &[(f64, f64)], pulse: u64, time_s: f64) -> Interactions {
        let mut rows = Interactions::default();
        for (sub_ray, &(distance_m, backscatter)) in met.iter().enumerate() {
            rows.sub_ray.push(sub_ray as u16);
            rows.distance_m.push(distance_m as f32);
            rows.cos_incidence.push(1.0);
            rows.reflectance.push(backscatter as f32);
            rows.backscatter.push(backscatter as f32);
            rows.bounces.push(0);
            rows.surface.push(Surface { object: 1, material: 1, label: 70, volume: 0 });
        }
        let at = PulseInAir { beams: &self.beams, footprint: &self.footprint, pulse: 0, time_s };
        let mut rng = PulseRng::new(5, 0, pulse, Stage::Air);
        let range = 0..rows.sub_ray.len();
        air.pass(&mut rows, range, &at, &mut rng, &mut AirScratch::default());
        rows
    }
}

fn rain(rate_mm_per_h: f64) -> RainSpec {
    RainSpec { rate_mm_per_h, drops: true, drop_reflectance: 1.0, range_noise: true }
}

fn snow(rate_mm_per_h: f64, occlusion: Occlusion) -> SnowSpec {
    SnowSpec { rate_mm_per_h, occlusion, flake_reflectance: 0.87, pulse_s: 1e-8 }
}

#[test]
fn air_without_anything_in_it_is_none() {
    let receiver = Receiver::new(905.0, &beam_spec(Sampling::Single), 100.0, EchoScale::Target);
    assert!(Air::new(&Atmosphere::default(), receiver).is_none());
}

/// Beer and Lambert's law, there and back, by haze and by a box of 4 m on the way.
#[test]
fn haze_and_boxes_take_light_twice() {
    let shot = shot(Sampling::Matched);
    let placed = Placed {
        centre_m: DVec3::new(10.0, 0.0, 0.0),
        rotation: DQuat::IDENTITY,
        half_m: DVec3::splat(2.0),
    };
    let plume = Plume { extinction_per_m: 0.05, reflectance: 0.0, form: PlumeForm::Box(placed) };
    let weather = Atmosphere { haze_per_m: 0.01, plumes: vec![plume], ..Atmosphere::default() };
    let air = shot.air(&weather, 100.0, EchoScale::Target);
    for (distance_m, inside_m) in [(5.0, 0.0), (10.0, 2.0), (40.0, 4.0)] {
        let rows = shot.send(&air, &[(distance_m, 0.5); 9], 0, 0.0);
        let expected = 0.5 * (-2.0 * (0.01 * distance_m + 0.05 * inside_m)).exp();
        assert_eq!(rows.backscatter.len(), 9);
        for backscatter in &rows.backscatter {
            assert!((f64::from(*backscatter) / expected - 1.0).abs() < 2e-6);
        }
    }
}

/// In the mean a surface keeps what the flakes' cross-sections leave: 20 000 pulses, 5 standard
/// errors (6·10⁻⁷).
#[test]
fn snow_hides_its_cross_section() {
    let shot = shot(Sampling::Single);
    for occlusion in [Occlusion::Angle, Occlusion::Area] {
        let spec = snow(10.0, occlusion);
        let weather = Atmosphere { snow: Some(spec), ..Atmosphere::default() };
        let air = shot.air(&weather, 120.0, EchoScale::Target);
        let law = spec.flake_law();
        let (l, z) = (law.slope_per_mm, 50.0);
        let hidden_per_m = match occlusion {
            Occlusion::Angle => law.intercept / l.powi(3) * 1e-6,
            Occlusion::Area => law.intercept / l.powi(3) * PI / 2.0 * 1e-6,
        };
        let n = 20_000;
        let left: Vec<f64> = (0..n)
            .map(|pulse| f64::from(shot.send(&air, &[(z, 1.0)], pulse, 0.0).backscatter[0]))
            .collect();
        let mean = left.iter().sum::<f64>() / n as f64;
        let variance = left.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let expected = (-hidden_per_m * z).exp();
        let error = 5.0 * (variance / n as f64).sqrt();
        // Shares add up instead of multiplying: of second order in what is hidden.
        let second_order = (hidden_per_m * z).powi(2);
        assert!(hidden_per_m * z > 0.05 && error < 0.2 * hidden_per_m * z);
        assert!((mean - expected).abs() < error + second_order, "{mean} {expected} {error}");
    }
}

/// Dust returns min(1, τ/0.7) of the pulses less those whose first particle stands before the view,
/// 5 standard errors; from where the first particle is
/// met: Kolmogorov and Smirnov's distance below 2.75/√n (error probability 5·10⁻⁷).
#[test]
fn dust_returns_pulses_by_its_optical_depth() {
    let shot = shot(Sampling::Single);
    let n = 40_000;
    // The last has more than half of its first particles before the view.
    for alpha in [0.004, 0.05, 1.0] {
        let dust = DustSpec { extinction_per_m: alpha, reflectance: 0.3 };
        let weather = Atmosphere { dust: Some(dust), ..Atmosphere::default() };
        let air = shot.air(&weather, 120.0, EchoScale::Power);
        let depth = alpha * 40.0;
        let mut found: Vec<f64> = (0..n)
            .filter_map(|pulse| {
                let rows = shot.send(&air, &[(40.0, 0.5)], pulse, 0.0);
                rows.distance_m.get(1).map(|&distance_m| f64::from(distance_m))
            })
            .collect();
        // Nothing nearer than 0.9 m is seen.
        let met = 1.0 - f64::exp(-depth);
        let unseen = (1.0 - (-alpha * 0.9f64).exp()) / met;
        let p = (depth / 0.7).min(1.0) * (1.0 - unseen);
        assert!((dust::echo_probability(depth, alpha * 0.9) - p).abs() < 1e-12);
        let sigma = (n as f64 * p * (1.0 - p)).sqrt();
        let number = found.len() as f64;
        assert!((number - n as f64 * p).abs() < 5.0 * sigma + 1.0, "{number} {p}");
        found.sort_by(f64::total_cmp);
        let law = |r: f64| ((1.0 - (-alpha * r).exp()) / met - unseen) / (1.0 - unseen);
        let apart = found.iter().enumerate().map(|(i, &r)| {
            (law(r) - i as f64 / number).abs().max((law(r) - (i + 1) as f64 / number).abs())
        });
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 2.75 / number.sqrt(), "{apart}");
    }
}

#[test]
fn a_puff_is_where_its_time_puts_it() {
    let shot = shot(Sampling::Single);
    let puff = Puff {
        birth_s: 1.0,
        birth_m: DVec3::new(10.0, 6.0, 0.0),
        drift_m_per_s: DVec3::new(0.0, -3.0, 0.0),
        radius_m: 0.5,
        growth_m_per_s: 0.0,
        decay_s: f64::INFINITY,
        profile: Profile::Gaussian,
    };
    let plume = Plume { extinction_per_m: 1.5, reflectance: 0.3, form: PlumeForm::Puff(puff) };
    let weather = Atmosphere { plumes: vec![plume], ..Atmosphere::default() };
    let air = shot.air(&weather, 120.0, EchoScale::Target);
    let left = |time_s: f64| shot.send(&air, &[(30.0, 0.5)], 0, time_s).backscatter[0];
    assert_eq!(left(0.5), 0.5);
    assert_eq!(left(1.0), 0.5);
    // Its middle is on the beam 2 s after its birth: τ = kσ√(2π).
    let expected = 0.5 * (-2.0 * 1.5 * 0.5 * (2.0 * PI).sqrt()).exp();
    assert!((f64::from(left(3.0)) / expected - 1.0).abs() < 1e-5);
    assert_eq!(left(6.0), 0.5);
    // τ is 1.88, so each pulse returns from the dust, within 4 σ of its middle.
    for pulse in 0..500 {
        let rows = shot.send(&air, &[(30.0, 0.5)], pulse, 3.0);
        assert_eq!((rows.distance_m.len(), rows.surface[1]), (2, Surface::AIR));
        assert!((rows.distance_m[1] - 10.0).abs() < 2.6, "{}", rows.distance_m[1]);
    }
}

/// Where density jumps, is 0 or has peaks: the place found has the depth, by bisection done here.
#[test]
fn places_are_found_by_their_depth() {
    let gaussian = |at_m: f64, half: f64| Crossing::Gaussian {
        half,
        fall: 0.0,
        at_m,
        scale: 1.0,
        begin: -1.0,
    };
    let cases = [
        (0.0, vec![gaussian(10.0, 0.3), gaussian(40.0, 2.0)]),
        (0.004, vec![gaussian(10.0, 0.3), Crossing::Lump { depth: 0.5, at_m: 20.0 }]),
        (0.0, vec![Crossing::Even { k: 3.0, from_m: 50.0, to_m: 50.2 }]),
        (0.01, vec![Crossing::Even { k: 3.0, from_m: 5.0, to_m: 5.2 }, gaussian(60.0, 1e-3)]),
    ];
    for (even, crossings) in cases {
        let at = |r: f64| {
            let each = crossings.iter().map(|crossing| crossing.depth_and_density(r));
            each.fold((even * r, even), |sum, (t, k)| (sum.0 + t, sum.1 + k))
        };
        let whole = at(80.0).0;
        for i in 1..200 {
            let wanted = whole * f64::from(i) / 200.0;
            let found_m = where_depth_is(wanted, whole, 80.0, at);
            let (mut low_m, mut high_m) = (0.0, 80.0);
            for _ in 0..60 {
                let middle_m = (low_m + high_m) / 2.0;
                if at(middle_m).0 < wanted { low_m = middle_m } else { high_m = middle_m }
            }
            assert!((found_m - high_m).abs() < 1.1e-4, "{even} {wanted}: {found_m} {high_m}");
        }
    }
}

/// Windows compare echoes as they are, waveforms by their power: a fog's echo before the same wall
/// is put into a waveform as the power that it is.
#[test]
fn waveforms_get_echoes_of_the_air_as_power() {
    let mut sensor = Sensor::preset("vlp-16").unwrap();
    let fog = FogSpec { target_reflectivity: 1e-7, ..FogSpec::with_visibility(50.0) };
    let weather = Atmosphere { fog: Some(fog), ..Atmosphere::default() };
    let shot = shot(Sampling::Single);
    let echo = |sensor: &Sensor| {
        let air = sensor.air(&weather).unwrap();
        let rows = shot.send(&air, &[(40.0, 0.1)], 0, 0.0);
        let of = |row: usize| (f64::from(rows.distance_m[row]), f64::from(rows.backscatter[row]));
        (of(0), of(1))
    };
    let (_, (window_m, by_window)) = echo(&sensor);
    sensor.waveform = Some(WaveformSpec {
        timing: Timing::Peak,
        threshold: Threshold::Sigma(5.0),
        prominence_sigma: 3.0,
    });
    let ((wall_m, wall), (fog_m, fog)) = echo(&sensor);
    assert_eq!(window_m, fog_m);
    assert!(fog_m < 10.0 && wall_m == 40.0);
    // The fog outshines the wall at the receiver, though it sends back less for its distance.
    assert!(fog / fog_m.powi(2) > wall / wall_m.powi(2));
    assert!((by_window / fog / (wall_m / fog_m).powi(2) - 1.0).abs() < 1e-5);
}

/// An even fog is seen where its echo, worked out by a sum over the pulse here, is above that of
/// the weakest target, 0.9/π at the sensor's greatest range; the air behind it does not matter. A
/// patchy one is seen as often as its lognormal law says: 20 000 pulses, 5 standard errors
/// (6·10⁻⁷).
#[test]
fn fog_is_seen_above_the_sensors_threshold() {
    let shot = shot(Sampling::Single);
    let echo = |spec: &FogSpec| {
        let (c, tau) = (299_792_458.0, spec.pulse_s);
        let at = |range_m: f64| -> f64 {
            let n = 4000;
            let each = (0..n).map(|i| {
                let t = (f64::from(i) + 0.5) / f64::from(n) * 2.0 * tau;
                let x = range_m - c * t / 2.0;
                let seen = ((x - 0.9) / 0.1).clamp(0.0, 1.0);
                (PI * t / (2.0 * tau)).sin().powi(2)
                    * (-2.0 * spec.extinction_per_m * x).exp()
                    * seen
                    / (x * x)
            });
            each.sum::<f64>() * 2.0 * tau / f64::from(n)
        };
        let best = (0..100).map(|i| at(3.0 + 0.05 * f64::from(i))).fold(0.0, f64::max);
        spec.backscatter_per_m_sr * PI / spec.target_reflectivity * best
    };
    for (visibility_m, range_max_m) in [(200.0, 100.0), (50.0, 100.0), (50.0, 180.0), (15.0, 120.0)]
    {
        let even = FogSpec::with_visibility(visibility_m);
        let threshold = 0.9 / PI / (range_max_m * range_max_m);
        let over = echo(&even) / threshold;
        assert!((over - 1.0).abs() > 0.05);
        let weather = Atmosphere { fog: Some(even), ..Atmosphere::default() };
        let air = shot.air(&weather, range_max_m, EchoScale::Target);
        let rows = shot.send(&air, &[], 0, 0.0);
        assert_eq!(rows.distance_m.len(), usize::from(over > 1.0), "{visibility_m} {over}");

        // The logarithm of a patch's echo has the mean −σ²/2 and the standard deviation σ.
        let sigma = 0.5;
        let patchy = Some(FogSpec { patchiness: sigma, ..even });
        let air = shot.air(
            &Atmosphere { fog: patchy, ..Atmosphere::default() },
            range_max_m,
            EchoScale::Target,
        );
        let n = 20_000;
        let seen =
            (0..n).map(|pulse| shot.send(&air, &[], pulse, 0.0).distance_m.len()).sum::<usize>();
        let p = understory_base::normal::upper_tail((-over.ln() + sigma * sigma / 2.0) / sigma);
        let slack = 5.0 * (n as f64 * p * (1.0 - p)).sqrt() + 0.01 * n as f64 * p + 1.0;
        assert!((seen as f64 - n as f64 * p).abs() < slack, "{visibility_m}: {seen}, {p}");
    }
    // A detector in waveforms has a threshold of its own: it gets the echo, however weak.
    let weak = Atmosphere { fog: Some(FogSpec::with_visibility(2000.0)), ..Atmosphere::default() };
    let air = shot.air(&weak, 100.0, EchoScale::Power);
    assert_eq!(shot.send(&air, &[], 0, 0.0).distance_m.len(), 1);
}

/// Echoes that weather makes weaker than the sensor's limit are lost, others are not.
#[test]
fn thin_haze_loses_nothing_but_what_was_at_the_limit() {
    let shot = shot(Sampling::Single);
    let haze = |haze_per_m| Atmosphere { haze_per_m, range_limit: true, ..Atmosphere::default() };
    let left = |alpha: f64, z: f64, rho: f64| {
        let air = shot.air(&haze(alpha), 100.0, EchoScale::Target);
        shot.send(&air, &[(z, rho)], 0, 0.0).backscatter[0]
    };
    for rho in [0.02, 0.1, 0.9] {
        assert!(left(1e-6, 99.0, rho) > 0.0);
        assert_eq!(left(0.1, 60.0, rho), 0.0);
    }
}

proptest! {
    /// Whatever the weather and however the surfaces stand: no surface gains light, and surfaces
    /// and air together send back no more than was emitted.
    #[test]
    fn no_light_is_made(
        visibility in 3.0..2000.0f64, gamma in -9.0..-3.0f64, rate in 0.1..100.0f64,
        snowfall in 0.1..40.0f64, dust in 0.0..1.0f64, rho in 0.0..1.0f64, puffs in 0usize..6,
        distances in prop::collection::vec(0.2..90.0f64, 0..10), parts in 0u8..32, pulse in 0u64..1000,
    ) {
        let shot = shot(Sampling::Matched);
        let on = |bit: u8| parts >> bit & 1 == 1;
        let fog = FogSpec {
            target_reflectivity: 10f64.powf(gamma),
            patchiness: 1.0,
            ..FogSpec::with_visibility(visibility)
        };
        let puff = |i: usize| Plume {
            extinction_per_m: 2.0,
            reflectance: rho,
            form: PlumeForm::Puff(Puff {
                birth_s: 0.0,
                birth_m: DVec3::new(4.0 * i as f64 + 1.0, 0.1, 0.0),
                drift_m_per_s: DVec3::X,
                radius_m: 0.5,
                growth_m_per_s: 0.1,
                decay_s: 3.0,
                profile: if i.is_multiple_of(2) { Profile::Gaussian } else { Profile::Mavs },
            }),
        };
        let weather = Atmosphere {
            haze_per_m: 0.001,
            wavelength_law: WavelengthLaw::Kim,
            range_limit: false,
            fog: on(0).then_some(fog),
            rain: on(1).then(|| rain(rate)),
            snow: on(2).then(|| snow(snowfall, if on(4) { Occlusion::Area } else { Occlusion::Angle })),
            dust: on(3).then_some(DustSpec { extinction_per_m: dust, reflectance: rho }),
            plumes: (0..puffs).map(puff).collect(),
        };
        let air = shot.air(&weather, 120.0, EchoScale::Power);
        let met: Vec<(f64, f64)> =
            distances.iter().take(9).map(|&d| (d, if d < 30.0 { 1.0 } else { rho })).collect();
        let rows = shot.send(&air, &met, pulse, 1.0);
        let mut sum = 0.0;
        for (row, backscatter) in rows.backscatter.iter().enumerate() {
            prop_assert!(backscatter.is_finite() && *backscatter >= 0.0);
            if let Some((_, clear)) = met.get(row) {
                prop_assert!(f64::from(*backscatter) <= clear + 1e-7);
            } else {
                prop_assert_eq!(rows.surface[row], Surface::AIR);
                prop_assert!(rows.distance_m[row] >= 0.0 && rows.distance_m[row] <= 120.0);
            }
            sum += f64::from(shot.footprint.weight(rows.sub_ray[row] as usize) * backscatter);
        }
        prop_assert!(sum <= 1.0 + 1e-5, "{sum} of 1 came back");
    }
}
