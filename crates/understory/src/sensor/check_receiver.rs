//! The tables `[receiver]` and `[detector]` as far as waveforms go, checked.

use std::ops::Range;

use understory_files::sensor::{DetectorFile, DetectorKind, ReceiverFile};
use understory_files::{Number, Spanned, ValueOr};

use crate::Error;
use crate::pulse::check::Check;
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
        let fwhm_ns = file.pulse_fwhm_ns.get();
        let bin_ns = file.bin_ns.value_or(1.0f64.min(fwhm_ns / 3.0));
        // Files count in whole picoseconds.
        let bin_ps = (bin_ns * 1e3).round();
        let span = file.bin_ns.as_ref().map_or(file.pulse_fwhm_ns.span(), Number::span);
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
                let [none_m, all_m] = overlap.get();
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
        fn span<L>(number: &Option<Number<L>>) -> Option<Range<usize>> {
            number.as_ref().map(Number::span)
        }
        let short = [
            ("snr_reference", span(&file.snr_reference)),
            ("reference_range_m", span(&file.reference_range_m)),
            ("reference_reflectance", span(&file.reference_reflectance)),
        ];
        let physical = [
            ("peak_power_w", span(&file.peak_power_w)),
            ("aperture_mm", span(&file.aperture_mm)),
            ("efficiency", span(&file.efficiency)),
            ("responsivity_a_per_w", span(&file.responsivity_a_per_w)),
            ("bandwidth_mhz", span(&file.bandwidth_mhz)),
            ("load_ohm", span(&file.load_ohm)),
            ("gain", span(&file.gain)),
            ("excess_noise", span(&file.excess_noise)),
            ("temperature_k", span(&file.temperature_k)),
            ("solar_w_per_m2_nm", span(&file.solar_w_per_m2_nm)),
            ("filter_width_nm", span(&file.filter_width_nm)),
            ("field_of_view_mrad", span(&file.field_of_view_mrad)),
        ];
        let given = |(key, span): (&'static str, Option<Range<usize>>)| Some((key, span?));
        if let Some(snr) = &file.snr_reference {
            if let Some((key, span)) = physical.into_iter().find_map(given) {
                return self.fault(
                    &span,
                    format!("`{key}` has no meaning beside `snr_reference`"),
                    "describe the receiver by its optics or by one signal-to-noise ratio",
                );
            }
            let range_m = self.needed(&file.reference_range_m, "reference_range_m", table)?;
            let reflectance =
                self.needed(&file.reference_reflectance, "reference_reflectance", table)?;
            return Ok(Link::Reference { snr: snr.get(), range_m, reflectance });
        }
        if let Some((key, span)) = short.into_iter().find_map(given) {
            return self.fault(
                &span,
                format!("`{key}` has no meaning without `snr_reference`"),
                "add snr_reference, the signal-to-noise ratio at that range",
            );
        }
        let sun = file.solar_w_per_m2_nm.value_or(0.0);
        let (filter_nm, view_mrad) = if sun > 0.0 {
            (
                self.needed(&file.filter_width_nm, "filter_width_nm", table)?,
                self.needed(&file.field_of_view_mrad, "field_of_view_mrad", table)?,
            )
        } else {
            (0.0, 0.0)
        };
        Ok(Link::Physical(ReceiverOptics {
            peak_power_w: self.needed(&file.peak_power_w, "peak_power_w", table)?,
            aperture_m: self.needed(&file.aperture_mm, "aperture_mm", table)? * 1e-3,
            efficiency: self.needed(&file.efficiency, "efficiency", table)?,
            wavelength_m: wavelength_nm * 1e-9,
            solar_w_per_m2_nm: sun,
            filter_width_nm: filter_nm,
            field_of_view_rad: view_mrad * 1e-3,
            responsivity_a_per_w: self.needed(
                &file.responsivity_a_per_w,
                "responsivity_a_per_w",
                table,
            )?,
            gain: file.gain.value_or(1.0),
            excess_noise: file.excess_noise.value_or(1.0),
            bandwidth_hz: self.needed(&file.bandwidth_mhz, "bandwidth_mhz", table)? * 1e6,
            temperature_k: file.temperature_k.value_or(300.0),
            load_ohm: self.needed(&file.load_ohm, "load_ohm", table)?,
        }))
    }

    /// What `[detector]` says of waveforms.
    pub(super) fn waveform(
        &self,
        file: &DetectorFile,
        receiver: Option<&ReceiverSpec>,
    ) -> Result<Option<WaveformSpec>, Error> {
        let kind = file.kind.as_ref().map(|kind| *kind.get_ref()).unwrap_or_default();
        let in_waveforms = !matches!(kind, DetectorKind::Windows | DetectorKind::PhaseShift);
        let foreign = [
            ("threshold_sigma", file.threshold_sigma.as_ref().map(Number::span), in_waveforms),
            (
                "false_alarm_probability",
                file.false_alarm_probability.as_ref().map(Number::span),
                in_waveforms,
            ),
            ("threshold_w", file.threshold_w.as_ref().map(Number::span), in_waveforms),
            ("prominence_sigma", file.prominence_sigma.as_ref().map(Number::span), in_waveforms),
            (
                "walk_corrected",
                file.walk_corrected.as_ref().map(Spanned::span),
                kind == DetectorKind::LeadingEdge,
            ),
            (
                "fraction",
                file.fraction.as_ref().map(Number::span),
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
            DetectorKind::Windows | DetectorKind::PhaseShift => return Ok(None),
            DetectorKind::Peaks => Timing::Peak,
            DetectorKind::LeadingEdge => {
                let corrected = file.walk_corrected.as_ref().is_some_and(|walk| *walk.get_ref());
                Timing::LeadingEdge { corrected }
            }
            DetectorKind::ConstantFraction => Timing::ConstantFraction(file.fraction.value_or(0.5)),
        };
        let span = file.kind.as_ref().map_or(0..0, Spanned::span);
        let Some(receiver) = receiver else {
            return self.fault(
                &span,
                "a detector in the waveform needs a receiver",
                "add a table [receiver] with pulse_fwhm_ns and snr_reference, or its optics",
            );
        };
        let prominence_sigma = file.prominence_sigma.value_or(PROMINENCE_SIGMA);
        let threshold = self.threshold(file, receiver)?;
        Ok(Some(WaveformSpec { timing, threshold, prominence_sigma }))
    }

    fn threshold(&self, file: &DetectorFile, receiver: &ReceiverSpec) -> Result<Threshold, Error> {
        let sigma = |value: f64, (key, typed): (&str, f64), span: &Range<usize>| {
            if value >= THRESHOLD_SIGMA_MIN {
                return Ok(Threshold::Sigma(value));
            }
            let problem = format!("{key} {typed} puts the threshold at {value:.3} times the noise");
            let remedy = format!("put it at {THRESHOLD_SIGMA_MIN} times the noise or higher");
            self.fault(span, problem, remedy)
        };
        match (&file.threshold_sigma, &file.false_alarm_probability, &file.threshold_w) {
            (None, None, None) => Ok(Threshold::Sigma(THRESHOLD_SIGMA)),
            (Some(number), None, None) => {
                sigma(number.get(), ("threshold_sigma", number.get()), &number.span())
            }
            (None, Some(number), None) => {
                let key = "false_alarm_probability";
                let value = understory_base::normal::upper_quantile(number.get());
                sigma(value, (key, number.get()), &number.span())
            }
            (None, None, Some(number)) => {
                let signal = number.get();
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
                let third = third.as_ref().map(Number::span);
                let span = third.or_else(|| second.as_ref().map(Number::span));
                self.fault(
                    &span.unwrap_or(0..0),
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

    fn needed<L>(
        &self,
        number: &Option<Number<L>>,
        key: &str,
        table: &Range<usize>,
    ) -> Result<f64, Error> {
        match number {
            Some(number) => Ok(number.get()),
            None => self.fault(
                table,
                format!("[receiver] has no `{key}`"),
                format!("add {key}, or describe the receiver by snr_reference, reference_range_m and reference_reflectance"),
            ),
        }
    }
}
