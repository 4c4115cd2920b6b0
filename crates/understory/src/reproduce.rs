//! Tables and figures of the papers, worked out anew by scenarios of our own.
//!
//! Each reproduction is a module of the paper's and the figure's name. What enters is an [`Ask`]:
//! how much work, and the seed. What leaves is a [`Reproduced`]: findings (the paper's value where it
//! states one, ours, and whether they agree), figures, and sentences that explain both. Nothing here
//! prints or draws; a front end does.

pub mod deschaud_table1;
pub mod standing_target;

pub mod blensor_fig2;
pub mod blensor_fig4;
pub mod blensor_fig5;
pub mod blensor_table1;

pub mod bayraktaroglu_fig4_10;
pub mod bayraktaroglu_fig4_4;
pub mod bayraktaroglu_fig4_9;
pub mod bayraktaroglu_fig5_13;
pub mod bayraktaroglu_fig5_14;
pub mod bayraktaroglu_fig5_15;
pub mod bayraktaroglu_table5_2;

mod bayraktaroglu_board;
mod bayraktaroglu_lines;
mod sensor_scan;

use understory_cloud::Records;

use crate::Error;
use crate::figures::Figure;

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
    pub report: &'a dyn Fn(&str, f64),
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
    /// Point clouds to be pictured.
    pub clouds: Vec<Cloud>,
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

/// One quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is, with its unit.
    pub quantity: String,
    /// What the paper states or what follows from its equations; none: nothing.
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
    Told,
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
    Told,
}

impl Finding {
    /// Whether it agrees.
    pub fn verdict(&self) -> Verdict {
        let inside = |low: f64, high: f64| (low..=high).contains(&self.ours);
        match self.limit {
            Limit::Within(low, high, _) if inside(low, high) => Verdict::Agrees,
            Limit::Differs(low, high, _) if inside(low, high) => Verdict::DiffersAsExplained,
            Limit::Told => Verdict::Told,
            Limit::Within(..) | Limit::Differs(..) => Verdict::Fails,
        }
    }

    /// Ours over the paper's, less one; none where the paper states nothing, or zero.
    pub fn deviation(&self) -> Option<f64> {
        self.paper.filter(|paper| *paper != 0.0).map(|paper| self.ours / paper - 1.0)
    }
}

/// Everything that can be reproduced, paper by paper.
pub const ALL: &[Reproduction] = &[Reproduction {
    name: "blensor-fig2",
    about: "Gschwandtner 2011, figure 2: backfolding, low reflectivity and total reflection",
    work_out: blensor_fig2::work_out,
}];
