//! Surveys of HELIOS++ as scenarios.
//!
//! What enters: a survey as XML and the folders in which the files that it names are found. What
//! leaves: an [`Imported`], texts of scenarios and sensors with small files beside them, and a list
//! of what could not be taken over. Nothing is written here.
//!
//! A survey names a scanner, a platform and a scene, each as `FILE#ID` ([`assets`]); its legs say
//! where the platform goes and how the scanner is set. HELIOS++ looks along y with x to the right,
//! Understory along x with y to the left: [`frames`] turns one into the other. Legs on which the
//! scanner is set alike become one scenario ([`runs`]).
//!
//! ```no_run
//! let survey = std::path::Path::new("data/surveys/demo/tls_arbaro_demo.xml");
//! let imported = understory_helios::import(survey, &[], std::path::Path::new("out"))?;
//! println!("{}", imported.files[0].text);
//! for remark in &imported.not_taken_over {
//!     println!("not taken over: {remark}");
//! }
//! # Ok::<(), understory_helios::HeliosError>(())
//! ```

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod assets;
mod error;
mod frames;
mod import;
mod legs;
mod material;
mod new_file;
mod obj;
mod runs;
mod scanner;
mod scene;
mod settings;
mod trajectory;
mod voxels;
mod write;
mod xml;

#[cfg(test)]
mod tests;

pub use error::HeliosError;
pub use import::{Imported, import};
pub use new_file::NewFile;
