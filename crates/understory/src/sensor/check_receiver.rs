//! The tables `[receiver]` and `[detector]` as far as waveforms go, checked.

use std::ops::Range;

use toml::Spanned;

use super::check::Check;
use super::file::{DetectorFile, DetectorKind, Number, ReceiverFile};
use crate::Error;
use crate::pulse::detector::{DetectorSpec, Threshold, Timing, WaveformSpec};
use crate::pulse::receiver::{LIGHT_M_PER_S, Link, Receiver, ReceiverOptics, ReceiverSpec};

/// Most samples of a range gate.
const GATE_SAMPLES_MAX: f64 = 1e6;
/// Threshold where none is given: one false alarm in 3.5 million samples.
const THRESHOLD_SIGMA: f64 = 5.0;
/// Depth of valleys where none is given.
const PROMINENCE_SIGMA: f64 = 4.0;
/// Least threshold: below, a pulse would have more false alarms than anything else.
const THRESHOLD_SIGMA_MIN: f64 = 2.0;

impl Check<'_> {
    /// `[receiver]`.
    pub(super) fn receiver(
        &self,
        table: &Spanned<ReceiverFile>,
        wavelength_nm: f64,
    ) -> Result<ReceiverSpec, Error> {
        let file = table.get_ref();
        let fwhm_ns = self.between(&file.pulse_fwhm_ns, "pulse_fwhm_ns", 0.01, 1000.0)?;
        let bin_ns = match &file.bin_ns {
            None => 1.0f64.min(fwhm_ns / 3.0),
            Some(number) => self.positive(number, "bin_ns")?,
        };
        // Files count in whole picoseconds.
        let bin_ps = (bin_ns * 1e3).round();
        let span = file.bin_ns.as_ref().unwrap_or(&file.pulse_fwhm_ns).span();
        if bin_ps < 1.0 {
            let problem = format!("samples cannot be {bin_ns} ns apart");
            return self.fault(&span, problem, "use 0.001 ns or more");
        }
        if bin_ps >= fwhm_ns * 1e3 {
            return self.fault(
                &span,
                format!("samples {bin_ns} ns apart cannot show a pulse of {fwhm_ns} ns"),
                "give bin_ns less than pulse_fwhm_ns, best a third of it or less",
            );
        }
        let overlap_m = match &file.overlap_m {
            None => [0.0, 0.0],
            Some(overlap) => {
                let &[none_m, all_m] = self.all_finite(overlap, "overlap_m")?;
                if !(0.0 <= none_m && none_m <= all_m) {
                    return self.fault(
                        &overlap.span(),
                        format!("overlap_m is [{none_m}, {all_m}]"),
                        "give two rising ranges: where the first light and where all light arrives",
                    );
                }
                [none_m, all_m]
            }
        };
        Ok(ReceiverSpec {
            link: self.link(file, &table.span(), wavelength_nm)?,
            overlap_m,
            pulse_fwhm_s: fwhm_ns * 1e-9,
            bin_s: bin_ps * 1e-12,
            noise: file.noise.unwrap_or_default(),
        })
    }

    fn link(
        &self,
        file: &ReceiverFile,
        table: &Range<usize>,
        wavelength_nm: f64,
    ) -> Result<Link, Error> {
        let short = [
            ("snr_reference", &file.snr_reference),
            ("reference_range_m", &file.reference_range_m),
            ("reference_reflectance", &file.reference_reflectance),
        ];
        let physical = [
            ("peak_power_w", &file.peak_power_w),
            ("aperture_mm", &file.aperture_mm),
            ("efficiency", &file.efficiency),
            ("responsivity_a_per_w", &file.responsivity_a_per_w),
            ("bandwidth_mhz", &file.bandwidth_mhz),
            ("load_ohm", &file.load_ohm),
            ("gain", &file.gain),
            ("excess_noise", &file.excess_noise),
            ("temperature_k", &file.temperature_k),
            ("solar_w_per_m2_nm", &file.solar_w_per_m2_nm),
            ("filter_width_nm", &file.filter_width_nm),
            ("field_of_view_mrad", &file.field_of_view_mrad),
        ];
        let given = |(key, number): &(&'static str, &Option<Number>)| {
            number.as_ref().map(|number| (*key, number.span()))
        };
        if let Some(snr) = &file.snr_reference {
            if let Some((key, span)) = physical.iter().find_map(given) {
                return self.fault(
                    &span,
                    format!("`{key}` has no meaning beside `snr_reference`"),
                    "describe the receiver by its optics or by one signal-to-noise ratio",
                );
            }
            let range_m = self.needed(&file.reference_range_m, "reference_range_m", table)?;
            let reflectance =
                self.needed(&file.reference_reflectance, "reference_reflectance", table)?;
            return Ok(Link::Reference {
                snr: self.positive(snr, "snr_reference")?,
                range_m: self.positive(range_m, "reference_range_m")?,
                reflectance: self.between(reflectance, "reference_reflectance", 1e-6, 1.0)?,
            });
        }
        if let Some((key, span)) = short.iter().find_map(given) {
            return self.fault(
                &span,
                format!("`{key}` has no meaning without `snr_reference`"),
                "add snr_reference, the signal-to-noise ratio at that range",
            );
        }
        let needed = |number, key| self.needed(number, key, table);
        let or = |number: &Option<Number>, key, otherwise| match number {
            Some(number) => self.positive(number, key),
            None => Ok(otherwise),
        };
        let sun = match &file.solar_w_per_m2_nm {
            Some(number) => self.not_negative(number, "solar_w_per_m2_nm")?,
            None => 0.0,
        };
        let (filter_nm, view_mrad) = if sun > 0.0 {
            let filter = needed(&file.filter_width_nm, "filter_width_nm")?;
            let view = needed(&file.field_of_view_mrad, "field_of_view_mrad")?;
            (
                self.positive(filter, "filter_width_nm")?,
                self.between(view, "field_of_view_mrad", 1e-3, 3000.0)?,
            )
        } else {
            (0.0, 0.0)
        };
        let excess_noise = or(&file.excess_noise, "excess_noise", 1.0)?;
        if let Some(number) = file.excess_noise.as_ref().filter(|_| excess_noise < 1.0) {
            let problem = format!("excess_noise is {excess_noise}");
            return self.fault(&number.span(), problem, "give it 1 or more");
        }
        let power = needed(&file.peak_power_w, "peak_power_w")?;
        let aperture = needed(&file.aperture_mm, "aperture_mm")?;
        let efficiency = needed(&file.efficiency, "efficiency")?;
        let responsivity = needed(&file.responsivity_a_per_w, "responsivity_a_per_w")?;
        let bandwidth = needed(&file.bandwidth_mhz, "bandwidth_mhz")?;
        let load = needed(&file.load_ohm, "load_ohm")?;
        Ok(Link::Physical(ReceiverOptics {
            peak_power_w: self.positive(power, "peak_power_w")?,
            aperture_m: self.positive(aperture, "aperture_mm")? * 1e-3,
            efficiency: self.between(efficiency, "efficiency", 1e-6, 1.0)?,
            wavelength_m: wavelength_nm * 1e-9,
            solar_w_per_m2_nm: sun,
            filter_width_nm: filter_nm,
            field_of_view_rad: view_mrad * 1e-3,
            responsivity_a_per_w: self.positive(responsivity, "responsivity_a_per_w")?,
            gain: or(&file.gain, "gain", 1.0)?,
            excess_noise,
            bandwidth_hz: self.positive(bandwidth, "bandwidth_mhz")? * 1e6,
            temperature_k: or(&file.temperature_k, "temperature_k", 300.0)?,
            load_ohm: self.positive(load, "load_ohm")?,
        }))
    }

    /// What `[detector]` says of waveforms.
    pub(super) fn waveform(
        &self,
        file: &DetectorFile,
        receiver: Option<&ReceiverSpec>,
    ) -> Result<Option<WaveformSpec>, Error> {
        let kind = file.kind.as_ref().map(|kind| *kind.get_ref()).unwrap_or_default();
        let foreign = [
            (
                "threshold_sigma",
                file.threshold_sigma.as_ref().map(Spanned::span),
                kind != DetectorKind::Windows,
            ),
            (
                "false_alarm_probability",
                file.false_alarm_probability.as_ref().map(Spanned::span),
                kind != DetectorKind::Windows,
            ),
            (
                "threshold_w",
                file.threshold_w.as_ref().map(Spanned::span),
                kind != DetectorKind::Windows,
            ),
            (
                "prominence_sigma",
                file.prominence_sigma.as_ref().map(Spanned::span),
                kind != DetectorKind::Windows,
            ),
            (
                "walk_corrected",
                file.walk_corrected.as_ref().map(Spanned::span),
                kind == DetectorKind::LeadingEdge,
            ),
            (
                "fraction",
                file.fraction.as_ref().map(Spanned::span),
                kind == DetectorKind::ConstantFraction,
            ),
        ];
        for (key, span, belongs) in foreign {
            if let Some(span) = span.filter(|_| !belongs) {
                return self.fault(
                    &span,
                    format!("`{key}` has no meaning for this kind of detector"),
                    "remove it, or set kind to \"peaks\", \"leading-edge\" or \"constant-fraction\"",
                );
            }
        }
        let timing = match kind {
            DetectorKind::Windows => return Ok(None),
            DetectorKind::Peaks => Timing::Peak,
            DetectorKind::LeadingEdge => {
                let corrected = file.walk_corrected.as_ref().is_some_and(|walk| *walk.get_ref());
                Timing::LeadingEdge { corrected }
            }
            DetectorKind::ConstantFraction => match &file.fraction {
                None => Timing::ConstantFraction(0.5),
                Some(number) => {
                    Timing::ConstantFraction(self.between(number, "fraction", 0.05, 0.95)?)
                }
            },
        };
        let span = file.kind.as_ref().map_or(0..0, Spanned::span);
        let Some(receiver) = receiver else {
            return self.fault(
                &span,
                "a detector in the waveform needs a receiver",
                "add a table [receiver] with pulse_fwhm_ns and snr_reference, or its optics",
            );
        };
        let prominence_sigma = match &file.prominence_sigma {
            None => PROMINENCE_SIGMA,
            Some(number) => self.not_negative(number, "prominence_sigma")?,
        };
        let threshold = self.threshold(file, receiver)?;
        Ok(Some(WaveformSpec { timing, threshold, prominence_sigma }))
    }

    fn threshold(&self, file: &DetectorFile, receiver: &ReceiverSpec) -> Result<Threshold, Error> {
        let sigma = |value: f64, number: &Number, key: &str| {
            if value >= THRESHOLD_SIGMA_MIN {
                return Ok(Threshold::Sigma(value));
            }
            let problem = format!(
                "{key} {} puts the threshold at {value:.3} times the noise",
                number.get_ref()
            );
            let remedy = format!("put it at {THRESHOLD_SIGMA_MIN} times the noise or higher");
            self.fault(&number.span(), problem, remedy)
        };
        match (&file.threshold_sigma, &file.false_alarm_probability, &file.threshold_w) {
            (None, None, None) => Ok(Threshold::Sigma(THRESHOLD_SIGMA)),
            (Some(number), None, None) => {
                sigma(self.positive(number, "threshold_sigma")?, number, "threshold_sigma")
            }
            (None, Some(number), None) => {
                let key = "false_alarm_probability";
                let chance = self.between(number, key, 1e-300, 0.5)?;
                sigma(understory_base::normal::upper_quantile(chance), number, key)
            }
            (None, None, Some(number)) => {
                let signal = self.positive(number, "threshold_w")?;
                if matches!(receiver.link, Link::Reference { .. }) {
                    return self.fault(
                        &number.span(),
                        "`threshold_w` needs a receiver that is described by its optics",
                        "use threshold_sigma",
                    );
                }
                let noise_w = Receiver::new(*receiver).noise_variance(1.0).sqrt();
                if signal < THRESHOLD_SIGMA_MIN * noise_w {
                    return self.fault(
                        &number.span(),
                        format!("the threshold {signal} W drowns in the noise of {noise_w:.3e} W"),
                        format!("put it at {THRESHOLD_SIGMA_MIN} times the noise or higher"),
                    );
                }
                Ok(Threshold::Signal(signal))
            }
            (_, second, third) => {
                let number = third.as_ref().or(second.as_ref());
                self.fault(
                    &number.map_or(0..0, Spanned::span),
                    "the threshold is given twice",
                    "keep one of threshold_sigma, false_alarm_probability and threshold_w",
                )
            }
        }
    }

    /// Whether the gate has a sane number of samples.
    pub(super) fn gate(
        &self,
        detector: &DetectorSpec,
        receiver: &ReceiverSpec,
        span: &Range<usize>,
    ) -> Result<(), Error> {
        let bin_m = receiver.bin_s * LIGHT_M_PER_S / 2.0;
        let samples = (detector.range_max_m - detector.range_min_m) / bin_m;
        if (3.0..=GATE_SAMPLES_MAX).contains(&samples) {
            return Ok(());
        }
        self.fault(
            span,
            format!(
                "the gate from {} to {} m has {samples:.0} samples of {bin_m:.4} m",
                detector.range_min_m, detector.range_max_m
            ),
            format!("choose bin_ns so that it has 3 to {GATE_SAMPLES_MAX:.0}"),
        )
    }

    fn needed<'n>(
        &self,
        number: &'n Option<Number>,
        key: &str,
        table: &Range<usize>,
    ) -> Result<&'n Number, Error> {
        match number {
            Some(number) => Ok(number),
            None => self.fault(
                table,
                format!("[receiver] has no `{key}`"),
                format!("add {key}, or describe the receiver by snr_reference, reference_range_m and reference_reflectance"),
            ),
        }
    }

    fn between(&self, number: &Number, key: &str, low: f64, high: f64) -> Result<f64, Error> {
        let value = self.finite(number, key)?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        self.fault(
            &number.span(),
            format!("{key} is {value}"),
            format!("give it a number from {low} to {high}"),
        )
    }
}
