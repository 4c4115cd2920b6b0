//! The native half of the Python package `understory`: converts, never computes.
//!
//! What enters: strings, numbers and NumPy arrays that `python/understory` has checked. What leaves:
//! NumPy arrays that own the very memory that the simulator filled, and exceptions with the
//! simulator's own sentences. Nothing here is promised to users; `python/understory` is.

mod columns;
mod compare;
mod drive;
mod errors;
mod files;
mod fit_error;
mod learn;
mod poses;
mod ray_scene;
mod recorder;
mod reproduce;
mod scans;
mod scenario;
mod simulation;
mod site;
mod values;
mod vegetation;
mod waiting;

use pyo3::prelude::*;

/// `understory._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::columns::column_kinds;
    #[pymodule_export]
    use crate::compare::compare;
    #[pymodule_export]
    use crate::drive::Drive;
    #[pymodule_export]
    use crate::files::{read, save};
    #[pymodule_export]
    use crate::fit_error::fit_error;
    #[pymodule_export]
    use crate::learn::{learn, learn_files};
    #[pymodule_export]
    use crate::ray_scene::RayScene;
    #[pymodule_export]
    use crate::recorder::Recorder;
    #[pymodule_export]
    use crate::reproduce::{deschaud_table1, deschaud_targets};
    #[pymodule_export]
    use crate::scans::Scans;
    #[pymodule_export]
    use crate::scenario::{
        Scenario, embedded_scenario, merge_toml, scenario_names, sensor_facts, sensor_names,
        sensor_text, to_toml,
    };
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::site::Site;
    #[pymodule_export]
    use crate::vegetation::{leaf_area, leaf_area_files, plant_figures, plants, truth};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
