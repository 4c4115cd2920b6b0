//! Figure 2 of Gschwandtner et al. 2011 (BlenSor): three things that sensors do.
//!
//! (a) backfolding of time-of-flight cameras, equation 3; (b) targets of low reflectivity, equation 1;
//! (c) total reflection, §3.5. The paper shows pictures and states the rules; the rules are measured
//! here from records of the scenarios `tof-camera`, `low-reflectivity` and `mirror`.

mod backfolding;
mod low_reflectivity;
mod mirror;

use super::{Ask, Cloud, Finding, Reproduced};
use understory::Error;
use understory_view::figures::Figure;

/// One of the three.
struct Part {
    findings: Vec<Finding>,
    figures: Vec<Figure>,
    cloud: Cloud,
}

/// Works the figure out.
pub fn work_out(ask: &Ask<'_>) -> Result<Reproduced, Error> {
    let mut found = Reproduced {
        method: "One frame or revolution each of the scenarios tof-camera (one ray a pixel), low-reflectivity and mirror (with the sensor hdl-64e-blensor), and one of eight walls of 10 to 80 % reflectivity that run from 45 m to 125 m. Beams are lines, as the paper's.".into(),
        ..Reproduced::default()
    };
    type Work = fn(u64) -> Result<Part, Error>;
    let parts: [(&str, Work); 3] = [
        ("backfolding", backfolding::work_out),
        ("low reflectivity", low_reflectivity::work_out),
        ("mirror", mirror::work_out),
    ];
    for (place, (name, work)) in parts.into_iter().enumerate() {
        ask.progress.step(name, place as f64 / 3.0);
        let part = work(ask.seed)?;
        found.findings.extend(part.findings);
        found.figures.extend(part.figures);
        found.clouds.push(part.cloud);
    }
    found.remarks = vec![
        "Equations 1 and 3 and the rule of total reflection are met by every ray. Equation 1 is printed without the distance in its numerator; with (dist − d_lower) there, it passes through the two marks of the data sheet that the text names.".into(),
        "Equation 1 knows neither the angle of incidence nor 1/r²: it stands for a receiver whose threshold falls as the echo does. The other presets of Understory use ρ·cos θ/r² instead.".into(),
        "Equation 3 as printed folds once, which is enough up to the maximum distance; beyond it the camera's phase repeats, and so does ours.".into(),
        "The mirror of the scenario reflects 95 %, the paper's all light: equation 1 is held against 0.95² of the target's reflectivity.".into(),
    ];
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::sensor_scan::tests::assert_valid;

    #[test]
    fn figure_2_is_reproduced() {
        let found = assert_valid(super::work_out, 16);
        assert_eq!((found.figures.len(), found.clouds.len()), (3, 3));
    }
}
