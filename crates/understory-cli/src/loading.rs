//! SCENARIO on the command line → a run that is ready to start.
use crate::outputs::Outputs;
use anyhow::Result;
use std::path::Path;
use understory::simulate::PreparedRun;

pub struct Loaded {
    pub name: String,
    pub run: PreparedRun,
}
impl Loaded {
    pub fn outputs(&self, _folder: Option<&Path>) -> Outputs {
        todo!()
    }
}
pub fn load(_argument: &str) -> Result<Loaded> {
    todo!()
}
