//! stub
#[derive(clap::Args)]
pub struct Arguments {}
pub fn scenarios(_: &Arguments) -> anyhow::Result<()> {
    Ok(())
}
