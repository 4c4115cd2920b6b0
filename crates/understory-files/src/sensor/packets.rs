//! `[packets]`: which packets the vendor's own sensor sends.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Spanned;

/// Which packets the vendor's own sensor sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PacketsFile {
    /// Their format.
    pub format: PacketName,
    /// Product line of an Ouster, such as `"OS-1-64"`.
    pub product: Option<String>,
    /// Serial number of an Ouster, of at most 12 digits.
    pub serial: Option<Spanned<u64>>,
}

/// The packets that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum PacketName {
    /// Velodyne's VLP-16.
    #[serde(rename = "vlp-16")]
    Vlp16,
    /// Velodyne's HDL-32E.
    #[serde(rename = "hdl-32e")]
    Hdl32e,
    /// Velodyne's HDL-64E S2.
    #[serde(rename = "hdl-64e-s2")]
    Hdl64eS2,
    /// Velodyne's HDL-64E S3.
    #[serde(rename = "hdl-64e-s3")]
    Hdl64eS3,
    /// Velodyne's VLP-32C.
    #[serde(rename = "vlp-32c")]
    Vlp32c,
    /// Velodyne's VLS-128.
    #[serde(rename = "vls-128")]
    Vls128,
    /// Ouster's legacy profile.
    #[serde(rename = "ouster-legacy")]
    OusterLegacy,
    /// Ouster's profile RNG19_RFL8_SIG16_NIR16.
    #[serde(rename = "ouster-rng19")]
    OusterRng19,
}
