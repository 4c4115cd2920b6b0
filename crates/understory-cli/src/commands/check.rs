//! stub
#[derive(clap::Args)]
pub struct Arguments {}
pub fn check(_: &Arguments) -> anyhow::Result<()> {
    Ok(())
}
