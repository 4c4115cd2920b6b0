//! How much light comes back, and in how much noise: the lidar equation of a sensor.
//!
//! What enters: the intensity of an echo (1: a white target that faces the beam and fills it) and
//! its distance R. What leaves: its peak signal, the noise beside it, and both as photons.
//!
//! - Signal: P = P₀·ρcos θ·D²·η·ξ(R)·e^(−2αR)/(4R²), for a Lambertian target that fills the beam;
//!   for a smaller one times its share. ξ is the overlap of laser and receiver: 0 below R₁, then
//!   linear to 1 at R₂. The air of a scene takes its part where light meets it, so α is 0 here.
//! - Sun: P_b = E_λ·Δλ·(ρ/π)·Ω·A·η, from what fills the beam; the sky is black.
//! - Noise of the photocurrent: σ² = 2qM²F·B·R_d(P + P_b) + 4kTB/R_L, here as watts of light. The
//!   electronics that limit it to the band B make samples of it that are close in time alike, see
//!   [`noise_band`].
//!
//! A receiver of which only one signal-to-noise ratio is known has signals in multiples of its
//! noise and no photons.

pub mod noise_band;

use std::f64::consts::{LN_2, PI};
use understory_base::math;

use crate::pulse::beam::Footprint;
use crate::pulse::interaction::Interactions;

pub use noise_band::{NoiseBand, NoiseFilter};
pub use understory_files::sensor::NoiseMode;

/// Of light in vacuum.
pub const LIGHT_M_PER_S: f64 = 299_792_458.0;
const ELECTRON_C: f64 = 1.602_176_634e-19;
const BOLTZMANN_J_PER_K: f64 = 1.380_649e-23;
const PLANCK_J_S: f64 = 6.626_070_15e-34;

/// What is known of a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverSpec {
    /// How strong its signals are.
    pub link: Link,
    /// R₁ and R₂: nothing arrives from nearer than the first, all from the second on.
    pub overlap_m: [f64; 2],
    /// Full width of the laser's pulse at half its maximum, as it comes out of the electronics.
    pub pulse_fwhm_s: f64,
    /// Time from sample to sample, a whole number of picoseconds.
    pub bin_s: f64,
    /// What becomes of the noise.
    pub noise: NoiseMode,
}

/// How strong the signals of a receiver are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// By its optics and electronics.
    Physical(ReceiverOptics),
    /// By one signal-to-noise ratio.
    Reference {
        /// Peak signal over the standard deviation of the noise …
        snr: f64,
        /// … from a target at this range …
        range_m: f64,
        /// … that faces and fills the beam and has this reflectance.
        reflectance: f64,
    },
}

/// Laser, telescope and photodiode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverOptics {
    /// P₀, peak power of the pulse.
    pub peak_power_w: f64,
    /// D, diameter of the receiver's aperture.
    pub aperture_m: f64,
    /// η, share of the light that the optics pass, 0…1.
    pub efficiency: f64,
    /// Wavelength of the laser.
    pub wavelength_m: f64,
    /// E_λ, irradiance of the sun on the scene at the laser's wavelength; 0: night.
    pub solar_w_per_m2_nm: f64,
    /// Δλ, width of the receiver's filter.
    pub filter_width_nm: f64,
    /// Full angle of the cone that the receiver sees.
    pub field_of_view_rad: f64,
    /// R_d, photocurrent before any gain.
    pub responsivity_a_per_w: f64,
    /// M, gain of the photodiode.
    pub gain: f64,
    /// F, excess noise factor of that gain.
    pub excess_noise: f64,
    /// B, noise-equivalent bandwidth of the electronics.
    pub bandwidth_hz: f64,
    /// T of the load.
    pub temperature_k: f64,
    /// R_L.
    pub load_ohm: f64,
}

/// The laser's pulse, a Gaussian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// Standard deviation in time.
    pub sigma_s: f64,
    /// Standard deviation in range, c·σ/2. Equal echoes nearer than twice this are one peak.
    pub sigma_m: f64,
}

impl Pulse {
    /// A pulse by its full width at half maximum.
    pub fn from_fwhm(fwhm_s: f64) -> Pulse {
        let sigma_s = fwhm_s / (8.0 * LN_2).sqrt();
        Pulse { sigma_s, sigma_m: LIGHT_M_PER_S * sigma_s / 2.0 }
    }

    /// Bound on the standard deviation of a range (Cramér and Rao) from samples `bin_m` apart of
    /// white noise, whose signal is `snr` times that: σ_R = √(2·σ_m·Δ/√π)/SNR. In the noise of a
    /// receiver it is [`Receiver::range_sigma_m`].
    pub fn range_sigma_m(&self, snr: f64, bin_m: f64) -> f64 {
        (2.0 * self.sigma_m * bin_m / PI.sqrt()).sqrt() / snr
    }
}

/// A receiver, ready for use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Receiver {
    spec: ReceiverSpec,
    /// The laser's pulse.
    pub pulse: Pulse,
    /// Metres of range from sample to sample.
    pub bin_m: f64,
    /// The band of the noise.
    pub band: NoiseBand,
    /// Bound on the standard deviation of the range of a pulse as high as the noise.
    range_bound_m: f64,
    /// Signal of intensity 1 at 1 m, all of which the receiver sees.
    signal_at_1_m: f64,
    /// Variance of the noise without any light, and what full reflectance in the sun and each unit
    /// of signal add to it.
    dark: f64,
    sun: f64,
    shot: f64,
    /// Sunlight from full reflectance.
    background_w: f64,
    /// Photons per unit of signal; none where it is not in watts.
    photons: Option<f64>,
}

impl Receiver {
    /// A receiver after `spec`.
    pub fn new(spec: ReceiverSpec) -> Receiver {
        let pulse = Pulse::from_fwhm(spec.pulse_fwhm_s);
        let bandwidth_hz = match spec.link {
            Link::Physical(optics) => Some(optics.bandwidth_hz),
            Link::Reference { .. } => None,
        };
        let band = NoiseBand::new(&pulse, bandwidth_hz, spec.bin_s);
        let bare = Receiver {
            spec,
            pulse,
            band,
            range_bound_m: LIGHT_M_PER_S / 2.0 * band.time_bound_s(&pulse),
            bin_m: LIGHT_M_PER_S * spec.bin_s / 2.0,
            signal_at_1_m: 1.0,
            dark: 1.0,
            sun: 0.0,
            shot: 0.0,
            background_w: 0.0,
            photons: None,
        };
        match spec.link {
            Link::Reference { snr, range_m, reflectance } => {
                Receiver { signal_at_1_m: snr * range_m * range_m / reflectance, ..bare }
            }
            Link::Physical(optics) => {
                let shot = 2.0 * ELECTRON_C * optics.excess_noise * optics.bandwidth_hz
                    / optics.responsivity_a_per_w;
                let thermal_a2 =
                    4.0 * BOLTZMANN_J_PER_K * optics.temperature_k * optics.bandwidth_hz
                        / optics.load_ohm;
                let amplified = optics.responsivity_a_per_w * optics.gain;
                let background_w = optics.background_w(1.0);
                let photon_j = PLANCK_J_S * LIGHT_M_PER_S / optics.wavelength_m;
                Receiver {
                    signal_at_1_m: optics.received_w(1.0, 1.0, 0.0),
                    dark: thermal_a2 / (amplified * amplified),
                    sun: shot * background_w,
                    shot,
                    background_w,
                    photons: Some(pulse.sigma_s * (2.0 * PI).sqrt() / photon_j),
                    ..bare
                }
            }
        }
    }

    /// What the receiver was made from.
    pub fn spec(&self) -> &ReceiverSpec {
        &self.spec
    }

    /// ξ, the share of the light from `distance_m` that the receiver sees.
    pub fn overlap(&self, distance_m: f64) -> f64 {
        let [none_m, all_m] = self.spec.overlap_m;
        if distance_m >= all_m {
            return 1.0;
        }
        ((distance_m - none_m) / (all_m - none_m)).max(0.0)
    }

    /// Peak signal of an echo: watts, or multiples of the noise where only a ratio is known.
    pub fn signal(&self, intensity: f64, distance_m: f64) -> f64 {
        let near = distance_m.max(1e-3);
        intensity * self.signal_at_1_m * self.overlap(distance_m) / (near * near)
    }

    /// The intensity whose echo from `distance_m` has the peak `signal`; 0 where none has.
    pub fn intensity(&self, signal: f64, distance_m: f64) -> f64 {
        let full = self.signal(1.0, distance_m);
        if full > 0.0 { signal / full } else { 0.0 }
    }

    /// Variance of the noise without an echo, under sunlight from a beam whose targets have the
    /// reflectance `reflectance` on average.
    pub fn noise_variance(&self, reflectance: f64) -> f64 {
        self.dark + self.sun * reflectance
    }

    /// What a unit of signal adds to the variance of the noise.
    pub fn shot_variance(&self) -> f64 {
        self.shot
    }

    /// Bound on the standard deviation of a range (Cramér and Rao) from the samples of a pulse that
    /// is `snr` times as high as the noise.
    pub fn range_sigma_m(&self, snr: f64) -> f64 {
        self.range_bound_m / snr
    }

    /// Standard deviation of the noise in the dark.
    pub fn dark_noise(&self) -> f64 {
        self.dark.sqrt()
    }

    /// Whether sunlight matters.
    pub fn sees_the_sun(&self) -> bool {
        self.background_w > 0.0
    }

    /// Photons of an echo's whole pulse on the photodiode, P·σ_t·√(2π)·λ/(hc).
    pub fn signal_photons(&self, intensity: f64, distance_m: f64) -> Option<f64> {
        Some(self.photons? * self.signal(intensity, distance_m))
    }

    /// Photons of sunlight in the time σ_t·√(2π), in which a pulse of constant power would bring its
    /// energy: their ratio to the signal's is P/P_b.
    pub fn ambient_photons(&self, reflectance: f64) -> Option<f64> {
        Some(self.photons? * self.background_w * reflectance)
    }
}

impl ReceiverOptics {
    /// Power from a target of ρ·cos θ = `reflectance` that fills the beam, seen whole, through air of
    /// the extinction α.
    pub fn received_w(&self, reflectance: f64, distance_m: f64, extinction_per_m: f64) -> f64 {
        let through_air = math::exp(-2.0 * extinction_per_m * distance_m);
        let aperture = self.aperture_m * self.aperture_m * self.efficiency;
        self.peak_power_w * reflectance * aperture * through_air / (4.0 * distance_m * distance_m)
    }

    /// Power of the sunlight that a surface of this reflectance sends into the receiver.
    pub fn background_w(&self, reflectance: f64) -> f64 {
        let solid_angle_sr = PI * (self.field_of_view_rad / 2.0).powi(2);
        let aperture_m2 = PI * (self.aperture_m / 2.0).powi(2);
        self.solar_w_per_m2_nm * self.filter_width_nm * reflectance / PI
            * solid_angle_sr
            * aperture_m2
            * self.efficiency
    }

    /// Variance of the photocurrent's noise under `light_w` of signal and sunlight, in A².
    pub fn noise_a2(&self, light_w: f64) -> f64 {
        let shot = 2.0
            * ELECTRON_C
            * self.gain
            * self.gain
            * self.excess_noise
            * self.bandwidth_hz
            * self.responsivity_a_per_w
            * light_w;
        let load = self.temperature_k * self.bandwidth_hz / self.load_ohm;
        shot + 4.0 * BOLTZMANN_J_PER_K * load
    }
}

/// Mean diffuse reflectance of what fills the beam of a pulse; where nothing does, the sky is black.
pub fn beam_reflectance(met: &Interactions, footprint: &Footprint, pulse: usize) -> f64 {
    let direct = met.rows(pulse).filter(|&row| met.is_direct(row));
    let of_row = |row: usize| footprint.weight(met.sub_ray[row] as usize) * met.reflectance[row];
    // Scatterers in the air stand in front of a surface, so the rows may add up to more than all.
    f64::from(direct.map(of_row).sum::<f32>()).min(1.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const OPTICS: ReceiverOptics = ReceiverOptics {
        peak_power_w: 75.0,
        aperture_m: 0.025,
        efficiency: 0.8,
        wavelength_m: 905e-9,
        solar_w_per_m2_nm: 0.7,
        filter_width_nm: 10.0,
        field_of_view_rad: 1.5e-3,
        responsivity_a_per_w: 0.5,
        gain: 100.0,
        excess_noise: 3.0,
        bandwidth_hz: 200e6,
        temperature_k: 300.0,
        load_ohm: 1000.0,
    };

    pub(crate) const SPEC: ReceiverSpec = ReceiverSpec {
        link: Link::Physical(OPTICS),
        overlap_m: [0.9, 1.0],
        pulse_fwhm_s: 5e-9,
        bin_s: 1e-9,
        noise: NoiseMode::None,
    };

    fn near(found: f64, expected: f64, relative: f64) {
        assert!((found / expected - 1.0).abs() < relative, "{found} is not {expected}");
    }

    #[test]
    fn the_lidar_equation_by_hand() {
        near(OPTICS.received_w(0.1, 50.0, 1e-4), 3.712_686_88e-7, 1e-8);
        near(OPTICS.received_w(0.8, 120.0, 1e-4), 5.084_821_41e-7, 1e-8);
        let receiver = Receiver::new(SPEC);
        near(receiver.signal(0.1, 50.0), OPTICS.received_w(0.1, 50.0, 0.0), 1e-12);
        near(receiver.intensity(receiver.signal(0.37, 23.0), 23.0), 0.37, 1e-12);
    }

    #[test]
    fn the_receiver_sees_nothing_near_and_all_from_1_m_on() {
        let receiver = Receiver::new(SPEC);
        for (distance_m, share) in [(0.0, 0.0), (0.9, 0.0), (0.925, 0.25), (1.0, 1.0), (9.0, 1.0)] {
            assert!((receiver.overlap(distance_m) - share).abs() < 1e-12);
        }
        assert_eq!((receiver.signal(1.0, 0.5), receiver.intensity(1.0, 0.5)), (0.0, 0.0));
        let open = Receiver::new(ReceiverSpec { overlap_m: [0.0, 0.0], ..SPEC });
        assert!(open.signal(1.0, 0.0).is_finite() && open.overlap(0.0) == 1.0);
    }

    #[test]
    fn the_pulse_of_5_ns() {
        let pulse = Pulse::from_fwhm(5e-9);
        near(pulse.sigma_s, 2.123_304_50e-9, 1e-8);
        near(pulse.sigma_m, 0.318_275_338, 1e-8);
    }

    #[test]
    fn the_bound_on_ranges() {
        let (pulse, bin_m) = (Pulse::from_fwhm(5e-9), LIGHT_M_PER_S * 1e-9 / 2.0);
        for (snr, sigma_m) in [(10.0, 0.023_201_9), (30.0, 0.007_733_98), (100.0, 0.002_320_19)] {
            near(pulse.range_sigma_m(snr, bin_m), sigma_m, 3e-6);
        }
    }

    #[test]
    fn sunlight_by_hand() {
        near(OPTICS.background_w(0.5), 7.731_263_17e-10, 1e-8);
    }

    /// The noise in watts is the noise of the current over what a watt gives of current.
    #[test]
    fn noise_is_that_of_the_photocurrent() {
        let receiver = Receiver::new(SPEC);
        let amps_per_watt = OPTICS.responsivity_a_per_w * OPTICS.gain;
        for (signal, reflectance) in [(0.0, 0.0), (0.0, 0.5), (3e-7, 0.2)] {
            let watts = receiver.noise_variance(reflectance) + signal * receiver.shot_variance();
            let amps = OPTICS.noise_a2(signal + OPTICS.background_w(reflectance));
            near(watts * amps_per_watt * amps_per_watt, amps, 1e-12);
        }
        // 2·q·10⁴·3·2·10⁸·0.5·10⁻⁷ + 4·k·300·2·10⁸/1000.
        near(OPTICS.noise_a2(1e-7), 9.613_059_8e-14 + 3.313_557_6e-15, 1e-8);
    }

    /// 1 W for σ_t·√(2π) = 5.32 ns at 905 nm.
    #[test]
    fn photons_by_hand() {
        let receiver = Receiver::new(SPEC);
        let photons = receiver.signal_photons(1.0, 10.0).unwrap() / receiver.signal(1.0, 10.0);
        near(photons, 2.424_8e10, 1e-4);
        let (signal, ambient) =
            (receiver.signal_photons(0.5, 30.0).unwrap(), receiver.ambient_photons(0.5).unwrap());
        near(signal / ambient, OPTICS.received_w(0.5, 30.0, 0.0) / OPTICS.background_w(0.5), 1e-12);
    }

    #[test]
    fn a_reference_fixes_the_ratio_and_nothing_else() {
        let link = Link::Reference { snr: 8.0, range_m: 100.0, reflectance: 0.1 };
        let receiver = Receiver::new(ReceiverSpec { link, ..SPEC });
        near(receiver.signal(0.1, 100.0) / receiver.dark_noise(), 8.0, 1e-12);
        near(receiver.signal(0.4, 50.0) / receiver.dark_noise(), 8.0 * 16.0, 1e-12);
        assert_eq!(receiver.noise_variance(1.0), 1.0);
        assert_eq!(receiver.signal_photons(1.0, 10.0), None);
        assert_eq!(receiver.ambient_photons(1.0), None);
    }
}
