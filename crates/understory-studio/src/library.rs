//! What there is to choose from.

use std::sync::{OnceLock, PoisonError};

use understory::pulse::scan_pattern::Kind;
use understory::scenario::{Scenario, scenarios};
use understory::sensor::{Sensor, presets};
use understory_cloud::{OutputFormat, label_names, label_number};

use crate::assets;
use crate::layers::columns;
use crate::protocol::library::{
    FormatCard, LabelCard, Library, ScenarioCard, ScenarioSource, SensorCard,
};
use crate::studio::Studio;

/// Everything.
pub fn library(studio: &Studio) -> Library {
    let found = studio.files.look();
    let mut scenarios = built_in().to_vec();
    for (id, path) in found.scenarios {
        let name = studio.files.shown(&path);
        // Packs are unpacked when they are opened, not when they are listed.
        let loaded = match understory::scenario::pack::is_pack(&path) {
            true => None,
            false => Some(
                studio.scenario(&id).map_err(|refusal| refusal.into_problem().sentence).and_then(
                    |text| text.scenario(studio.folder()).map_err(|problem| problem.sentence),
                ),
            ),
        };
        scenarios.push(match loaded {
            None => {
                let title = "a packed scenario".to_owned();
                ScenarioCard { title, ..card(id, name, None, ScenarioSource::Folder) }
            }
            Some(Ok(scenario)) => card(id, name, Some(&scenario), ScenarioSource::Folder),
            Some(Err(problem)) => ScenarioCard {
                problem: Some(problem),
                ..card(id, name, None, ScenarioSource::Folder)
            },
        });
    }
    let learned = studio.learned.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (id, text) in learned {
        let scenario = text.scenario(studio.folder()).ok();
        scenarios.push(card(id, text.name, scenario.as_ref(), ScenarioSource::Learned));
    }
    Library {
        scenarios,
        sensors: sensors().to_vec(),
        recordings: found.recordings,
        formats: formats(),
        columns: columns::cards(),
        labels: label_names()
            .filter_map(|name| Some(LabelCard { label: label_number(name)?, name: name.into() }))
            .collect(),
        remarks: found.remarks,
    }
}

fn card(
    id: String,
    name: String,
    scenario: Option<&Scenario>,
    source: ScenarioSource,
) -> ScenarioCard {
    ScenarioCard {
        thumbnail: source == ScenarioSource::BuiltIn && assets::has_thumbnail(&id),
        id,
        name,
        title: scenario.and_then(|scenario| scenario.title.clone()).unwrap_or_default(),
        source,
        duration_s: scenario.map_or(0.0, |scenario| scenario.duration_s),
        sensors: scenario.map_or_else(Vec::new, |scenario| {
            scenario.sensors.iter().map(|mounted| mounted.sensor.name.clone()).collect()
        }),
        moving: scenario.is_some_and(|scenario| !scenario.trajectory.is_fixed()),
        problem: None,
    }
}

fn built_in() -> &'static [ScenarioCard] {
    static CARDS: OnceLock<Vec<ScenarioCard>> = OnceLock::new();
    CARDS.get_or_init(|| {
        let cards = scenarios().iter().map(|(name, _)| {
            let scenario = Scenario::embedded(name).ok();
            let name = (*name).to_owned();
            card(name.clone(), name, scenario.as_ref(), ScenarioSource::BuiltIn)
        });
        cards.collect()
    })
}

fn sensors() -> &'static [SensorCard] {
    static CARDS: OnceLock<Vec<SensorCard>> = OnceLock::new();
    CARDS.get_or_init(|| {
        let cards = presets().iter().filter_map(|(name, _)| {
            let sensor = Sensor::preset(name).ok()?;
            Some(SensorCard {
                name: (*name).to_owned(),
                title: sensor.title.clone(),
                pattern: pattern_name(sensor.pattern.kind()).to_owned(),
                channels: sensor.pattern.channels() as u32,
                pulse_rate_hz: sensor.pattern.pulse_rate_hz(),
                wavelength_nm: sensor.wavelength_nm,
                range_m: [sensor.detector.range_min_m, sensor.detector.range_max_m],
            })
        });
        cards.collect()
    })
}

/// How a sensor scans, in some words.
fn pattern_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Spinning(_) => "spinning head",
        Kind::Table(_) => "table of directions",
        Kind::LineMirror(_) => "turning mirror",
        Kind::CameraGrid(_) => "camera",
        Kind::Risley(_) => "turning prisms",
        Kind::ScanningMirror(_) => "scanning mirror",
        Kind::Harmonic(_) => "turn and swing",
    }
}

fn formats() -> Vec<FormatCard> {
    let cards = OutputFormat::ALL.iter().map(|format| FormatCard {
        name: format.name().to_owned(),
        title: format.info().title.to_owned(),
        suffix: format!(".{}", format.extension()),
        keeps: format.info().keeps.to_owned(),
    });
    cards.collect()
}
