//! `[receiver]`: what makes a waveform of the light that comes back.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Any, Limits, NonNegative, Number, Positive, Vector, limits};

limits! {
    /// Of laser pulses.
    PulseNs: 0.01..=1000.0;
    /// Of light, and of optics.
    Share: 1e-6..=1.0;
    /// Of receivers, full angle.
    FieldOfViewMrad: 1e-3..=3000.0;
}

/// Limits of what is a factor of 1 at least.
#[derive(Clone, Copy, Debug)]
pub struct OneOrMore;
impl Limits for OneOrMore {
    const LOW: f64 = 1.0;
    const HIGH: f64 = f64::INFINITY;
}

/// The receiver, by one signal-to-noise ratio (`snr_reference`) or by its optics and electronics.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverFile {
    /// Full width of the laser pulse at half its maximum, as it comes out of the electronics.
    pub pulse_fwhm_ns: Number<PulseNs>,
    /// From sample to sample, less than the pulse; a third of it but at most 1 where nothing is
    /// said.
    pub bin_ns: Option<Positive>,
    /// What becomes of the noise; `"sampled"` where nothing is said.
    pub noise: Option<NoiseMode>,
    /// Nothing is seen below the first range, everything from the second on.
    pub overlap_m: Option<Vector<2, Any>>,
    /// Short form: peak of an echo over the noise …
    pub snr_reference: Option<Positive>,
    /// … from a target at this range …
    pub reference_range_m: Option<Positive>,
    /// … that fills the beam, faces it and has this reflectance.
    pub reference_reflectance: Option<Number<Share>>,
    /// Long form: peak power of the pulse.
    pub peak_power_w: Option<Positive>,
    /// Diameter of the receiver.
    pub aperture_mm: Option<Positive>,
    /// Efficiency of the optics.
    pub efficiency: Option<Number<Share>>,
    /// Sunlight on the scene at this wavelength; night where nothing is said.
    pub solar_w_per_m2_nm: Option<NonNegative>,
    /// Width of the filter before the photodiode; needed with sunlight.
    pub filter_width_nm: Option<Positive>,
    /// Full angle that the receiver sees; needed with sunlight.
    pub field_of_view_mrad: Option<Number<FieldOfViewMrad>>,
    /// Responsivity of the photodiode, before its gain.
    pub responsivity_a_per_w: Option<Positive>,
    /// Gain of the photodiode; 1 where nothing is said.
    pub gain: Option<Positive>,
    /// Excess noise factor of the gain; 1 where nothing is said.
    pub excess_noise: Option<Number<OneOrMore>>,
    /// Noise-equivalent bandwidth of the electronics, a Gaussian low-pass. One that is too low for
    /// the pulse is taken as matched to it.
    pub bandwidth_mhz: Option<Positive>,
    /// Temperature of the load; 300 where nothing is said.
    pub temperature_k: Option<Positive>,
    /// Load resistance.
    pub load_ohm: Option<Positive>,
}

/// What becomes of the receiver's noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseMode {
    /// Every sample of the waveform has its own, like that of its neighbours as far as the
    /// receiver's band makes it so.
    #[default]
    Sampled,
    /// Detections and ranges are drawn with the probabilities that the noise gives them.
    Analytic,
    /// None is added. The threshold stays where the noise would put it.
    None,
}
