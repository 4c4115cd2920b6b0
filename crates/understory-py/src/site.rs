//! Learned sites: files ↔ arrays.

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory_learn::site::{Model, Site as Learned};

use crate::columns::{numbers, rows_of_three};
use crate::errors::{argument, learning};
use crate::values::from_json;

/// A learned site.
#[pyclass(frozen, module = "understory._native")]
pub struct Site {
    pub site: Arc<Learned>,
    /// What learning report.
    pub report: serde_json::Value,
}

/// An estimator by its name.
pub fn model(name: &str) -> PyResult<Model> {
    Model::ALL.into_iter().find(|model| model.name() == name).ok_or_else(|| {
        let names = Model::ALL.map(Model::name).join(", ");
        argument(format!("model is {name:?}; choose from {names}"))
    })
}

impl Site {
    pub fn new(site: Learned, report: serde_json::Value) -> Site {
        Site { site: Arc::new(site), report }
    }
}

#[pymethods]
impl Site {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Site> {
        let site = py.detach(|| Learned::read(&path)).map_err(learning)?;
        Ok(Site::new(site, serde_json::Value::Null))
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.site.write(&path)).map_err(learning)
    }

    fn crop(&self, low_m: [f64; 3], high_m: [f64; 3]) -> Site {
        Site::new(self.site.crop(DVec3::from(low_m), DVec3::from(high_m)), serde_json::Value::Null)
    }

    #[staticmethod]
    fn merge(sites: Vec<PyRef<'_, Site>>) -> PyResult<Site> {
        let sites: Vec<Learned> = sites.iter().map(|site| Learned::clone(&site.site)).collect();
        let (site, _) = Learned::merge(&sites).map_err(learning)?;
        Ok(Site::new(site, serde_json::Value::Null))
    }

    #[getter]
    fn model(&self) -> &'static str {
        self.site.model.name()
    }

    #[getter]
    fn cell_m(&self) -> f64 {
        self.site.cell_m
    }

    #[getter]
    fn origin_m(&self) -> [f64; 3] {
        self.site.origin.to_array()
    }

    #[getter]
    fn volume_count(&self) -> usize {
        self.site.volumes.len()
    }

    /// What learning report; none for a site from a file.
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.report)
    }

    /// How it came to be.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &serde_json::to_value(&self.site.provenance).unwrap_or_default())
    }

    /// The volumes as columns, in the world.
    fn volumes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (site, dict) = (&*self.site, PyDict::new(py));
        let volumes = site.volumes.iter();
        let mean = volumes.clone().map(|v| (site.origin + v.gaussian().mean).to_array()).collect();
        dict.set_item("mean_xyz_m", rows_of_three(py, mean)?)?;
        let covariance = |v: &understory_learn::site::Volume| {
            let rows = v.gaussian().precision.inverse();
            [rows.x_axis, rows.y_axis, rows.z_axis].map(|axis| axis.to_array())
        };
        let covariances: Vec<[[f64; 3]; 3]> = volumes.clone().map(covariance).collect();
        let flat: Vec<f64> = covariances.into_iter().flatten().flatten().collect();
        let flat = flat.into_pyarray(py);
        dict.set_item(
            "covariance_m2",
            flat.call_method1("reshape", ((site.volumes.len(), 3, 3),))?,
        )?;
        let depth: Vec<f32> = volumes.clone().map(|v| v.depth).collect();
        dict.set_item("depth", numbers(py, depth))?;
        let permeability: Vec<f64> = volumes.clone().map(|v| v.permeability()).collect();
        dict.set_item("permeability", numbers(py, permeability))?;
        let intensity: Vec<f32> = volumes.clone().map(|v| v.intensity_mean.to_f32()).collect();
        dict.set_item("intensity", numbers(py, intensity))?;
        let label: Vec<u16> = volumes.map(|v| v.label).collect();
        dict.set_item("label", numbers(py, label))?;
        let evidence = site.evidence.iter();
        let column = |get: fn(&understory_learn::site::Evidence) -> u32| -> Vec<u32> {
            evidence.clone().map(get).collect()
        };
        dict.set_item("points", numbers(py, column(|e| e.points)))?;
        dict.set_item("stopped", numbers(py, column(|e| e.stopped)))?;
        dict.set_item("passed", numbers(py, column(|e| e.passed)))?;
        Ok(dict)
    }

    /// The surface as vertices in the world and triangles; none: it has none.
    #[allow(clippy::type_complexity)]
    fn surface<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, numpy::PyArray2<f64>>, Bound<'py, numpy::PyArray2<u32>>)>>
    {
        let Some(surface) = &self.site.surface else { return Ok(None) };
        let origin = self.site.origin;
        let vertex = |v: &[f32; 3]| (origin + DVec3::from(v.map(f64::from))).to_array();
        let vertices = rows_of_three(py, surface.vertices.iter().map(vertex).collect())?;
        Ok(Some((vertices, rows_of_three(py, surface.triangles.clone())?)))
    }
}
