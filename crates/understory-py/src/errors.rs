//! Errors of the libraries → exceptions of `understory.errors`, with the same sentences.

use std::fmt::Display;

use pyo3::prelude::*;
use understory::Error;
use understory_cloud::CloudError;
use understory_compare::CompareError;
use understory_geometry::GeometryError as BadGeometry;
use understory_learn::LearnError as BadLearning;

pyo3::import_exception!(understory.errors, ArgumentError);
pyo3::import_exception!(understory.errors, FileError);
pyo3::import_exception!(understory.errors, GeometryError);
pyo3::import_exception!(understory.errors, LearnError);
pyo3::import_exception!(understory.errors, ScenarioError);
pyo3::import_exception!(understory.errors, UnderstoryError);

/// An argument that cannot be.
pub fn argument(sentence: impl Display) -> PyErr {
    ArgumentError::new_err(sentence.to_string())
}

/// The exception that stands for an error.
pub fn simulator(error: Error) -> PyErr {
    let sentence = error.to_string();
    match error {
        Error::Read { .. } => FileError::new_err(sentence),
        Error::Invalid { .. } | Error::Physics { .. } => ScenarioError::new_err(sentence),
        Error::Object { .. } | Error::Geometry(_) => GeometryError::new_err(sentence),
        Error::Cloud(error) => cloud(error),
        Error::Compare(error) => comparing(error),
        Error::Learn(error) => learning(error),
        _ => UnderstoryError::new_err(sentence),
    }
}

/// The exception that stands for an error of records and files.
pub fn cloud(error: CloudError) -> PyErr {
    let sentence = error.to_string();
    match error {
        CloudError::BadPose
        | CloudError::BadUnit { .. }
        | CloudError::BadIntensity { .. }
        | CloudError::BadScale { .. }
        | CloudError::UnevenColumns { .. }
        | CloudError::UnknownColumn { .. }
        | CloudError::UnknownFormat { .. }
        | CloudError::UnknownFormatName { .. } => ArgumentError::new_err(sentence),
        _ => FileError::new_err(sentence),
    }
}

/// The exception that stands for an error of comparing.
pub fn comparing(error: CompareError) -> PyErr {
    match error {
        CompareError::Cloud(error) => cloud(error),
        other => ArgumentError::new_err(other.to_string()),
    }
}

/// The exception that stands for an error of learning and of sites.
pub fn learning(error: BadLearning) -> PyErr {
    let sentence = error.to_string();
    match error {
        BadLearning::Cloud(error) => cloud(error),
        BadLearning::Geometry(error) => geometry(error),
        BadLearning::BadSetting { .. } => ArgumentError::new_err(sentence),
        BadLearning::BadSite { .. } | BadLearning::BadPart { .. } => FileError::new_err(sentence),
        _ => LearnError::new_err(sentence),
    }
}

/// The exception that stands for an error of the geometry.
pub fn geometry(error: BadGeometry) -> PyErr {
    GeometryError::new_err(error.to_string())
}
