//! stub
#[derive(clap::Args)]
pub struct Arguments {}
pub fn info(_: &Arguments) -> anyhow::Result<()> {
    Ok(())
}
