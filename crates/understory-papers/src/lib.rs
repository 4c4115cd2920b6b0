//! Tables and figures of the papers, worked out anew by scenarios of our own.
//!
//! Each reproduction is a module of the paper's and the figure's name. What enters is an [`Ask`]:
//! how much work, and the seed. What leaves is a [`Reproduced`]: findings (the paper's value where it
//! states one, ours, and whether they agree), figures, and sentences that explain both. Nothing here
//! prints or draws; a front end does.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod bayraktaroglu_board;
pub mod bayraktaroglu_fig4_10;
pub mod bayraktaroglu_fig4_4;
pub mod bayraktaroglu_fig4_9;
pub mod bayraktaroglu_fig5_13;
pub mod bayraktaroglu_fig5_14;
pub mod bayraktaroglu_fig5_15;
mod bayraktaroglu_lines;
pub mod bayraktaroglu_table5_2;
pub mod blensor_fig2;
pub mod blensor_fig4;
pub mod blensor_fig5;
pub mod blensor_table1;
pub mod deschaud_fig1;
pub mod deschaud_fig3;
pub mod deschaud_fig6;
pub mod deschaud_fig7;
pub mod deschaud_table1;
mod firing;
pub mod grass_theory;
mod goodin;
pub mod goodin_cost_map;
pub mod goodin_fig10;
pub mod goodin_fig11;
pub mod goodin_fig3;
pub mod goodin_fig5;
pub mod goodin_fig7;
pub mod goodin_fig8;
pub mod goodin_fig9;
pub mod goodin_realtime;
pub mod modes;
mod sensor_scan;
pub mod standing_target;
pub mod statistics;
pub mod teaching;

use understory_base::Progress;
use understory_cloud::Records;

use understory::Error;
use understory_files::hint::word_remedy;
use understory_view::figures::{Figure, HeatMaps};

/// One table or figure of a paper.
#[derive(Clone, Copy)]
pub struct Reproduction {
    /// Its name, such as `goodin-fig5`.
    pub name: &'static str,
    /// Paper, table or figure, and what it shows, in one line.
    pub about: &'static str,
    /// Works it out.
    pub work_out: fn(&Ask<'_>) -> Result<Reproduced, Error>,
}

/// What is wanted of a reproduction.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// Whether the paper's sample sizes are taken; otherwise as many as show the same quickly.
    pub full: bool,
    /// Seed of all randomness.
    pub seed: u64,
    /// Hears what is done next and how much of the work (0…1) is done.
    pub progress: &'a dyn Progress,
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reproduced {
    /// How it was done, in sentences: scenario, sensor, sample size.
    pub method: String,
    /// Each quantity beside the paper's.
    pub findings: Vec<Finding>,
    /// Plots.
    pub figures: Vec<Figure>,
    /// Counts as colours.
    pub maps: Vec<HeatMaps>,
    /// Point clouds to be pictured.
    pub clouds: Vec<Cloud>,
    /// Pictures that are drawn already.
    pub pictures: Vec<Picture>,
    /// What agrees, what does not, and why, each a sentence or a few.
    pub remarks: Vec<String>,
}

/// Points for a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// File name without ending.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// The points.
    pub records: Records,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// File name without ending.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue, row by row from the top.
    pub rgb: Vec<u8>,
}

/// One quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is, with its unit.
    pub quantity: String,
    /// What the paper prints, in words, a table or a figure; none: nothing. What we work out from its
    /// equations is no such value: it stands in the limit.
    pub paper: Option<f64>,
    /// What we found.
    pub ours: f64,
    /// What ours is held against.
    pub limit: Limit,
}

/// When a finding agrees.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// Ours lies in this interval. The words say where it comes from and, where chance plays, how
    /// probable it is that a right program fails.
    Within(f64, f64, String),
    /// The paper is wrong or tells of other targets: ours is expected to differ, for this reason, and
    /// lies in this interval.
    Differs(f64, f64, String),
    /// Nothing to be held against: for information.
    Informational,
}

/// What a finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// As the paper has it.
    Agrees,
    /// Not as the paper has it, for a reason that is given.
    DiffersAsExplained,
    /// Neither the paper's nor what we expect: something is broken.
    Fails,
    /// Nothing to compare.
    Informational,
}

impl Finding {
    /// Whether it agrees.
    pub fn verdict(&self) -> Verdict {
        let inside = |low: f64, high: f64| (low..=high).contains(&self.ours);
        match self.limit {
            Limit::Within(low, high, _) if inside(low, high) => Verdict::Agrees,
            Limit::Differs(low, high, _) if inside(low, high) => Verdict::DiffersAsExplained,
            Limit::Informational => Verdict::Informational,
            Limit::Within(..) | Limit::Differs(..) => Verdict::Fails,
        }
    }

    /// Ours over the paper's, less one; none where the paper states nothing, or zero.
    pub fn deviation(&self) -> Option<f64> {
        self.paper.filter(|paper| *paper != 0.0).map(|paper| self.ours / paper - 1.0)
    }
}

/// Everything that can be reproduced, paper by paper.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "deschaud-fig1",
        about: "Deschaud 2012, figure 1: ranges of two orientations of one laser on a tree, one peak and several modes",
        work_out: deschaud_fig1::work_out,
    },
    Reproduction {
        name: "deschaud-fig3",
        about: "Deschaud 2012, figure 3: two planes with range noise as volumes of 5 cm",
        work_out: deschaud_fig3::work_out,
    },
    Reproduction {
        name: "deschaud-table1",
        about: "Deschaud 2012, table I: six targets, each model against reality, at its training pose and from aside",
        work_out: deschaud_table1::work_out,
    },
    Reproduction {
        name: "deschaud-fig6",
        about: "Deschaud 2012, figure 6: bearing and range of one laser on four targets, in reality, surface and volumes",
        work_out: deschaud_fig6::work_out,
    },
    Reproduction {
        name: "deschaud-fig7",
        about: "Deschaud 2012, figure 7: a second run along a forest trail, in reality, surface and volumes",
        work_out: deschaud_fig7::work_out,
    },
    Reproduction {
        name: "goodin-fig3",
        about: "Goodin 2018, figure 3: how the simulation scales with processors and triangles",
        work_out: goodin_fig3::work_out,
    },
    Reproduction {
        name: "goodin-fig5",
        about: "Goodin 2018, figure 5: ranges in grass and four models of them",
        work_out: goodin_fig5::work_out,
    },
    Reproduction {
        name: "goodin-fig7",
        about: "Goodin 2018, figure 7: rods before plywood and mixed pixels",
        work_out: goodin_fig7::work_out,
    },
    Reproduction {
        name: "goodin-fig8",
        about: "Goodin 2018, figure 8: a shrub from 91 places has two modes",
        work_out: goodin_fig8::work_out,
    },
    Reproduction {
        name: "goodin-fig9",
        about: "Goodin 2018, figure 9: the courtyard, and cost maps of a standing vehicle",
        work_out: goodin_fig9::work_out,
    },
    Reproduction {
        name: "goodin-fig10",
        about: "Goodin 2018, figure 10: cost maps of four sensors after ten seconds of driving, and the way to the goal",
        work_out: goodin_fig10::work_out,
    },
    Reproduction {
        name: "goodin-fig11",
        about: "Goodin 2018, figure 11: a root step in 600 million triangles",
        work_out: goodin_fig11::work_out,
    },
    Reproduction {
        name: "goodin-realtime",
        about: "Goodin 2018, section 3.3: real-time factors of LMS-291 and HDL-64E",
        work_out: goodin_realtime::work_out,
    },
    Reproduction {
        name: "blensor-fig2",
        about: "Gschwandtner 2011, figure 2: backfolding, low reflectivity and total reflection",
        work_out: blensor_fig2::work_out,
    },
    Reproduction {
        name: "blensor-fig4",
        about: "Gschwandtner 2011, figure 4: a crossing with four cars under an HDL-64E S2",
        work_out: blensor_fig4::work_out,
    },
    Reproduction {
        name: "blensor-fig5",
        about: "Gschwandtner 2011, figure 5: two cars nearly collide, by three sensors and as ground truth",
        work_out: blensor_fig5::work_out,
    },
    Reproduction {
        name: "blensor-table1",
        about: "Gschwandtner 2011, table 1: seconds to scan 40 ms of a scene of 237 000 vertices",
        work_out: blensor_table1::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig4.4",
        about: "Bayraktaroglu 2023, figure 4.4: depths of one channel on a sheet of paper at 78 cm",
        work_out: bayraktaroglu_fig4_4::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig4.9",
        about: "Bayraktaroglu 2023, figure 4.9: σ of the range error by distance and reflectivity",
        work_out: bayraktaroglu_fig4_9::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig4.10",
        about: "Bayraktaroglu 2023, figure 4.10: Weierstrass's function for four values of γ",
        work_out: bayraktaroglu_fig4_10::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-table5.2",
        about: "Bayraktaroglu 2023, table 5.2: σ of lines on white and black paper at 4, 8 and 13 m",
        work_out: bayraktaroglu_table5_2::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig5.13",
        about: "Bayraktaroglu 2023, figure 5.13: signal by ambient photons beside the depth",
        work_out: bayraktaroglu_fig5_13::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig5.14",
        about: "Bayraktaroglu 2023, figure 5.14: a board of 20 % at 20 m, with three kinds of errors",
        work_out: bayraktaroglu_fig5_14::work_out,
    },
    Reproduction {
        name: "bayraktaroglu-fig5.15",
        about: "Bayraktaroglu 2023, figure 5.15: the same board at 40 m",
        work_out: bayraktaroglu_fig5_15::work_out,
    },
];

/// The reproduction of this name, a family (`goodin` for all whose names begin with `goodin-`), or
/// `all`.
pub fn chosen(name: &str) -> Result<Vec<&'static Reproduction>, Error> {
    if name == "all" {
        return Ok(ALL.iter().collect());
    }
    if let Some(one) = ALL.iter().find(|one| one.name == name) {
        return Ok(vec![one]);
    }
    let belongs = |one: &&Reproduction| {
        one.name.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', '.']))
    };
    let family: Vec<&Reproduction> = ALL.iter().filter(belongs).collect();
    if !name.is_empty() && !family.is_empty() {
        return Ok(family);
    }
    let names: Vec<&str> = ALL.iter().map(|one| one.name).chain(["all"]).collect();
    Err(Error::Invalid {
        location: format!("reproduction {name:?}"),
        problem: "there is no table or figure of this name".into(),
        remedy: word_remedy(name, &names),
    })
}

/// What every reproduction must be: nothing fails, and everything is said.
#[cfg(test)]
pub(crate) fn assert_valid(reproduced: &Reproduced) {
    assert!(!reproduced.method.is_empty() && !reproduced.remarks.is_empty(), "{reproduced:?}");
    assert!(!reproduced.findings.is_empty(), "there is no finding");
    for finding in &reproduced.findings {
        assert!(finding.verdict() != Verdict::Fails, "{finding:?}");
        assert!(finding.ours.is_finite(), "{finding:?}");
        if let Limit::Within(low, high, why) | Limit::Differs(low, high, why) = &finding.limit {
            assert!(low <= high && !why.is_empty(), "{finding:?}");
        }
    }
    let figures = reproduced.figures.iter().map(|figure| &figure.name);
    let maps = reproduced.maps.iter().map(|maps| &maps.name);
    let clouds = reproduced.clouds.iter().map(|cloud| &cloud.name);
    let pictures = reproduced.pictures.iter().map(|picture| &picture.name);
    let mut names: Vec<&String> = figures.chain(maps).chain(clouds).chain(pictures).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "two plots have one name: {names:?}");
    assert!(reproduced.figures.iter().all(|figure| figure.bounds().is_some()), "an empty plot");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_alone_in_families_and_by_what_was_meant() {
        let names = |name: &str| -> Vec<&str> {
            chosen(name).unwrap().iter().map(|one| one.name).collect()
        };
        assert_eq!(names("deschaud-table1"), ["deschaud-table1"]);
        assert!(names("deschaud").len() >= 5 && names("deschaud").contains(&"deschaud-fig6"));
        assert_eq!(names("all").len(), ALL.len());
        for (wrong, said) in [("deschaud-tabel1", "did you mean \"deschaud-table1\"?"), ("", "all")]
        {
            let error = chosen(wrong).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_finding_agrees_inside_its_limits_alone() {
        let why = || "because".to_owned();
        let verdict = |ours: f64, limit: Limit| {
            Finding { quantity: "q".into(), paper: Some(2.0), ours, limit }.verdict()
        };
        assert_eq!(verdict(1.0, Limit::Within(0.9, 1.1, why())), Verdict::Agrees);
        assert_eq!(verdict(1.2, Limit::Within(0.9, 1.1, why())), Verdict::Fails);
        assert_eq!(verdict(1.0, Limit::Differs(0.9, 1.1, why())), Verdict::DiffersAsExplained);
        assert_eq!(verdict(f64::NAN, Limit::Differs(0.9, 1.1, why())), Verdict::Fails);
        assert_eq!(verdict(f64::NAN, Limit::Informational), Verdict::Informational);
    }
}
