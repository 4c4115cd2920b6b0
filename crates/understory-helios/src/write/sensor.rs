//! Scanner and settings → sensors: the text of a sensor file and its pose on the platform.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::fmt::Write;
use understory_base::math;

use glam::{DMat3, DVec3};

use super::{list, number, quoted};
use crate::HeliosError;
use crate::frames::{mounted, rpy_deg, tidy};
use crate::scanner::{Channel, Optics, Scanner};
use crate::settings::ScannerSettings;

/// How far a scanner sees of which nothing is said.
const RANGE_MAX_M: f64 = 5000.0;
/// Half the speed of light, m/ns.
const RANGE_PER_NS: f64 = 0.149_896_229;

/// A sensor of a scenario.
pub struct Sensor {
    /// Its file.
    pub text: String,
    /// Where it is on the platform.
    pub position_m: [f64; 3],
    /// How it is turned.
    pub rotation_deg: [f64; 3],
}

/// The sensors that a scanner is, with these settings, on a mount.
pub fn sensors(
    scanner: &Scanner,
    settings: &ScannerSettings,
    mount: (DMat3, DVec3),
    location: &str,
    lost: &mut Vec<String>,
) -> Result<Vec<Sensor>, HeliosError> {
    let refuse =
        |problem: String, remedy: &str| Err(HeliosError::invalid(location, problem, remedy));
    if settings.pulse_hz <= 0.0 {
        return refuse(
            "nothing says how often the scanner fires".into(),
            "add pulseFreq_hz to the leg",
        );
    }
    let head_deg_per_s = match settings.head_deg_per_s {
        rate if scanner.head_max_deg_per_s > 0.0 && rate.abs() > scanner.head_max_deg_per_s => {
            lost.push(format!(
                "the head of {:?} turns at most {}°/s and does so",
                scanner.id, scanner.head_max_deg_per_s
            ));
            rate.signum() * scanner.head_max_deg_per_s
        }
        rate => rate,
    };
    let turns = head_deg_per_s != 0.0;
    let upright = scanner.head_axis.normalize().z > 1.0 - 1e-9;
    if turns && !upright {
        lost.push(format!(
            "the head of {:?} turns about an axis of its own: it stands",
            scanner.id
        ));
    }
    let turns = turns && upright;
    let at_start = if turns {
        DMat3::IDENTITY
    } else {
        DMat3::from_axis_angle(scanner.head_axis.normalize(), settings.head_start_deg.to_radians())
    };
    let spins =
        turns && settings.scan_hz == 0.0 && !matches!(scanner.optics, Optics::Risley { .. });
    let mut sensors = Vec::new();
    for channels in groups(&scanner.channels, spins) {
        let Some(first) = channels.first() else { continue };
        // On a head that turns only a turn about its axis can be told apart from the mount.
        let own = if spins { DMat3::IDENTITY } else { first.rotation };
        if turns && !spins && (own.z_axis - DVec3::Z).length() > 1e-9 {
            lost.push(format!(
                "a beam of {:?} is tilted on a head that turns: it is upright",
                scanner.id
            ));
        }
        let own =
            if turns && (own.z_axis - DVec3::Z).length() > 1e-9 { DMat3::IDENTITY } else { own };
        let rotation = mount.0 * at_start * own;
        let place = mount.1 + mount.0 * (at_start * first.position);
        let pattern = if spins {
            spinning(&channels, settings.pulse_hz, head_deg_per_s)
        } else {
            swept(scanner, &channels, settings, turns.then_some(head_deg_per_s), location, lost)?
        };
        let (mut rotation, position) = mounted(rotation, place);
        if pattern.contains("across-track") {
            let down = DMat3::from_rotation_x(-FRAC_PI_2) * DMat3::from_rotation_z(FRAC_PI_2);
            rotation *= down.transpose();
        }
        sensors.push(Sensor {
            text: file(scanner, first, settings, &pattern),
            position_m: position.to_array().map(|part| tidy(part, 1e-6)),
            rotation_deg: rpy_deg(rotation),
        });
    }
    Ok(sensors)
}

/// Channels that are one sensor.
fn groups(channels: &[Channel], spins: bool) -> Vec<Vec<Channel>> {
    let mut groups: Vec<Vec<Channel>> = Vec::new();
    for channel in channels {
        let same = |known: &&mut Vec<Channel>| {
            let first = &known[0];
            let alike = first.position == channel.position && first.rotation == channel.rotation;
            first.wavelength_nm == channel.wavelength_nm && (spins || alike)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(channel.clone()),
            None => groups.push(vec![channel.clone()]),
        }
    }
    groups
}

fn spinning(channels: &[Channel], pulse_hz: f64, head_deg_per_s: f64) -> String {
    let beams: Vec<DVec3> =
        channels.iter().map(|channel| channel.rotation * channel.incident).collect();
    let elevation: Vec<f64> =
        beams.iter().map(|b| tidy(math::asin(b.z).to_degrees(), 1e-6)).collect();
    let azimuth: Vec<f64> =
        beams.iter().map(|b| tidy(math::atan2(-b.x, b.y).to_degrees(), 1e-6)).collect();
    let direction = if head_deg_per_s > 0.0 { "counterclockwise" } else { "clockwise" };
    let first = channels.first().map_or(0.0, |channel| channel.position.z);
    let up: Vec<f64> = channels.iter().map(|c| tidy((c.position.z - first) * 1e3, 1e-6)).collect();
    let mut text = format!(
        "[spinning]\ndirection = \"{direction}\"\nrotation_hz = {}\ncycle_us = {}\n\n[channels]\nelevation_deg = {}\n",
        number(head_deg_per_s.abs() / 360.0),
        number(1e6 / pulse_hz),
        list(&elevation)
    );
    // Writing to a string does not fail.
    if azimuth.iter().any(|angle| *angle != 0.0) {
        let _ = writeln!(text, "azimuth_offset_deg = {}", list(&azimuth));
    }
    if up.iter().any(|offset| *offset != 0.0) {
        let _ = writeln!(text, "vertical_offset_mm = {}", list(&up));
    }
    text
}

fn swept(
    scanner: &Scanner,
    channels: &[Channel],
    settings: &ScannerSettings,
    head_deg_per_s: Option<f64>,
    location: &str,
    lost: &mut Vec<String>,
) -> Result<String, HeliosError> {
    let id = &scanner.id;
    let refuse =
        |problem: String, remedy: &str| Err(HeliosError::invalid(location, problem, remedy));
    let wanted = match settings.scan_angle_deg {
        0.0 => scanner.angle_max_deg,
        angle => angle,
    };
    let within_scanner = wanted.min(scanner.angle_max_deg);
    let khz = number(settings.pulse_hz / 1e3);
    match &scanner.optics {
        Optics::Rotating { sweep_deg, effective_deg } => {
            if settings.scan_hz <= 0.0 {
                return refuse(
                    format!("the mirror of {id:?} does not turn"),
                    "add scanFreq_hz, or verticalResolution_deg and horizontalResolution_deg",
                );
            }
            let usual = within_scanner.min(*effective_deg);
            let low = settings.vertical_min_deg.unwrap_or(-usual);
            let high = settings.vertical_max_deg.unwrap_or(usual);
            if high - low > 2.0 * effective_deg + 1e-9 || high <= low {
                return refuse(
                    format!(
                        "{low}° to {high}° are no angles of {id:?}, which sweeps {}°",
                        2.0 * effective_deg
                    ),
                    "correct verticalAngleMin_deg and verticalAngleMax_deg",
                );
            }
            let sweep = format!("sweep_deg = {}\n", number((2.0 * sweep_deg).max(high - low)));
            Ok(mirror("polygon", &sweep, [low, high], settings.scan_hz, &khz, head_deg_per_s))
        }
        Optics::Oscillating { product_max } => {
            if settings.scan_hz <= 0.0 {
                return refuse(
                    format!("the mirror of {id:?} does not swing"),
                    "add scanFreq_hz to the leg",
                );
            }
            let angle = wanted.min(product_max / settings.scan_hz);
            if angle < wanted {
                lost.push(format!(
                    "scanAngle_deg = {wanted} of {id:?}: its scan product allows {}",
                    number(angle)
                ));
            }
            // It swings to and fro once a period: two lines.
            Ok(mirror("zigzag", "", [-angle, angle], 2.0 * settings.scan_hz, &khz, head_deg_per_s))
        }
        Optics::Conic { turns_hz } => {
            let hz = if *turns_hz > 0.0 { *turns_hz } else { settings.scan_hz };
            if settings.scan_hz > 0.0 && settings.scan_hz != hz {
                lost.push(format!(
                    "scanFreq_hz = {} of {id:?}: as in HELIOS++ its cone turns at {hz} Hz",
                    settings.scan_hz
                ));
            }
            if !(0.0..=80.0).contains(&within_scanner) || hz <= 0.0 {
                return refuse(
                    format!("the cone of {id:?} has {within_scanner}° and {hz} Hz"),
                    "write 0 to 80° and a frequency",
                );
            }
            // One wedge of index 2 bends by its own angle in the first order: a cone.
            Ok(format!(
                "[risley] # a cone of ±{}°, as one wedge that bends by its angle\npulse_rate_khz = {khz}\nframe_hz = {}\n\
                 refraction = \"first-order\"\nlaser_elevation_deg = [0.0]\n\n[[risley.wedge]]\nangle_deg = {}\nindex = 2.0\n\
                 rotation_hz = {}\nphase_deg = 90.0\ninclined_face = \"entrance\"\n",
                number(within_scanner),
                number(hz),
                number(within_scanner),
                number(hz)
            ))
        }
        Optics::Line { fibres } => {
            let step = 2.0 * within_scanner / f64::from(*fibres);
            let angles: Vec<f64> =
                (0..*fibres).map(|fibre| -within_scanner + f64::from(fibre) * step).collect();
            let times: Vec<f64> =
                (0..*fibres).map(|fibre| f64::from(fibre) / settings.pulse_hz).collect();
            let channels: Vec<String> = (0..*fibres).map(|fibre| fibre.to_string()).collect();
            let text = format!(
                "[table] # fibres that fire one after the other\ncycle_s = {}\ntime_s = {}\nazimuth_deg = {}\n\
                 elevation_deg = {}\nchannel = [{}]\n",
                number(f64::from(*fibres) / settings.pulse_hz),
                list(&times),
                list(&vec![0.0; angles.len()]),
                list(&angles),
                channels.join(", ")
            );
            Ok(text)
        }
        Optics::Risley { wedges } => {
            if wedges.is_empty() {
                return refuse(format!("{id:?} has no wedge with an angle"), "add angle1_deg");
            }
            let lasers = |part: fn(DVec3) -> f64| {
                let angles =
                    channels.iter().map(|channel| tidy(part(channel.incident).to_degrees(), 1e-6));
                list(&angles.collect::<Vec<f64>>())
            };
            let rate_khz = number(settings.pulse_hz * channels.len() as f64 / 1e3);
            let mut text = format!(
                "[risley]\npulse_rate_khz = {rate_khz}\nframe_hz = 10.0\nlaser_elevation_deg = {}\nlaser_azimuth_deg = {}\n",
                lasers(|beam| math::asin(beam.z)),
                lasers(|beam| math::atan2(-beam.x, beam.y))
            );
            for wedge in wedges {
                let face = if wedge.angle_deg > 0.0 { "entrance" } else { "exit" };
                let _ = write!(
                    text,
                    "\n[[risley.wedge]]\nangle_deg = {}\nindex = {}\nrotation_hz = {}\nphase_deg = -90.0\ninclined_face = \"{face}\"\n",
                    number(wedge.angle_deg.abs()),
                    number(wedge.index),
                    number(wedge.turns_hz)
                );
            }
            Ok(text)
        }
    }
}

fn mirror(
    motion: &str,
    sweep: &str,
    [low, high]: [f64; 2],
    lines_per_s: f64,
    khz: &str,
    head_deg_per_s: Option<f64>,
) -> String {
    let plane = if head_deg_per_s.is_some() { "vertical" } else { "across-track" };
    let mut text = format!(
        "[scanning_mirror]\nmotion = \"{motion}\"\n{sweep}plane = \"{plane}\"\nangle_min_deg = {}\nangle_max_deg = {}\n\
         lines_per_s = {}\npulse_rate_khz = {khz}\n",
        number(low),
        number(high),
        number(lines_per_s)
    );
    if let Some(rate) = head_deg_per_s {
        let direction = if rate > 0.0 { "counterclockwise" } else { "clockwise" };
        let _ = writeln!(
            text,
            "head_deg_per_s = {}\nhead_direction = \"{direction}\"",
            number(rate.abs())
        );
    }
    text
}

fn file(scanner: &Scanner, channel: &Channel, settings: &ScannerSettings, pattern: &str) -> String {
    let divergence_mrad = number(settings.divergence_rad.unwrap_or(scanner.divergence_rad) * 1e3);
    // HELIOS++ has one ray in the middle and ⌊2πn⌋ on the ring n.
    let rays: u32 = 1
        + (1..scanner.sample_quality.min(20))
            .map(|ring| (TAU * f64::from(ring)) as u32)
            .sum::<u32>();
    let (mode, most) = match scanner.returns_max {
        1 => ("first", 1),
        0 => ("all", 15),
        most => ("all", most.min(15)),
    };
    let range_max = scanner.range_max_m.unwrap_or(RANGE_MAX_M);
    let unsaid = if scanner.range_max_m.is_none() { " # the survey says none" } else { "" };
    let sampling = if rays == 1 {
        "sampling = \"single\"\n".to_owned()
    } else {
        format!("sampling = \"gaussian\"\nrays = {rays}\n")
    };
    let error = match scanner.accuracy_m {
        sigma if sigma > 0.0 => {
            format!("\n[range_error]\nmodel = \"constant\"\nsigma_m = {}\n", number(sigma))
        }
        _ => String::new(),
    };
    format!(
        "# {} as a survey of HELIOS++ has it, with the settings of its legs.\n\ntitle = {}\nvendor = \"HELIOS++\"\n\
         wavelength_nm = {}\nsources = [{}]\n\n{pattern}\n[beam]\nspot_shape = \"circular\"\n\
         divergence_horizontal_mrad = {divergence_mrad}\ndivergence_vertical_mrad = {divergence_mrad}\n\
         divergence_width = \"1/e2\"\n{sampling}\n[detector]\nrange_min_m = {}\nrange_max_m = {}{unsaid}\n\
         return_mode = \"{mode}\"\nmax_returns = {most}\nsignal_cutoff_m = {} # half the length of a pulse\n{error}",
        scanner.name,
        quoted(&scanner.name),
        number(channel.wavelength_nm),
        quoted(&format!("HELIOS++ scanner {}", scanner.id)),
        number(scanner.range_min_m),
        number(range_max),
        number(tidy(scanner.pulse_ns * RANGE_PER_NS, 1e-6)),
    )
}
